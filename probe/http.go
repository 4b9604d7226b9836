package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// HTTP passes when the status is one of Expect and the text, if any, is in the first MiB of the body. Redirects are
// never followed, nothing is decompressed, every probe is a connection of its own.
type HTTP struct {
	TLS        bool
	Port       uint16
	Path       string // begins with a slash; may hold a query
	Method     string // GET or HEAD
	Host       string // for the Host header; empty: what stands for the target
	Header     [][2]string
	Expect     []Range
	Body       string
	ServerName string
	// Credentials are the client certificate and the CA; nil for none and the system's roots.
	Credentials *Credentials
}

// Range is statuses from First to Last.
type Range struct{ First, Last int }

// Contains tells whether a status is in the range.
func (r Range) Contains(status int) bool { return r.First <= status && status <= r.Last }

func (r Range) String() string {
	if r.First == r.Last {
		return strconv.Itoa(r.First)
	}
	return fmt.Sprintf("%d-%d", r.First, r.Last)
}

func (k HTTP) scheme() string {
	if k.TLS {
		return "https"
	}
	return "http"
}

func (k HTTP) String() string {
	return fmt.Sprintf("%s %d %q %s host(%q) header(%q) expect(%v) body(%q) servername(%q) tls(%s)",
		k.scheme(), k.Port, k.Path, k.Method, k.Host, k.Header, k.Expect, k.Body, k.ServerName, k.Credentials)
}

// Files gives the files that the check reads again when they change; nil for none.
func (k HTTP) Files() *Credentials { return k.Credentials }

const (
	maxBody   = 1 << 20
	maxHeader = 64 << 10
)

// Probe implements Kind.
func (k HTTP) Probe(s Spec) Func {
	port := s.port(k.Port)
	return func(ctx context.Context) (Reading, error) {
		addrs, err := s.addresses(ctx)
		if err != nil {
			return Reading{}, err
		}
		request, err := k.request(ctx, s.Target, addrs[0], port)
		if err != nil {
			return Reading{}, failed(Internal, "making the request: %w", err)
		}
		var began time.Time
		dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
			var conn net.Conn
			var err error
			if conn, began, err = s.dial(ctx, addrs, port); err != nil || !k.TLS {
				return conn, err
			}
			return handshake(ctx, conn, k.Credentials, serverName(k.ServerName, k.Host, s.Target))
		}
		transport := &http.Transport{
			DialContext: dial, DialTLSContext: dial,
			DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: maxHeader,
		}
		response, err := transport.RoundTrip(request) // which follows no redirect
		if err != nil {
			return Reading{}, k.failure(err)
		}
		defer response.Body.Close()
		if err := k.judge(response); err != nil {
			return Reading{}, err
		}
		return Reading{Latency: time.Since(began), Measured: true}, nil
	}
}

func (k HTTP) request(ctx context.Context, t Target, to netip.Addr, port uint16) (*http.Request, error) {
	url := k.scheme() + "://" + netip.AddrPortFrom(to, port).String() + k.Path
	request, err := http.NewRequestWithContext(ctx, k.Method, url, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", "coredns-gslb")
	for _, h := range k.Header {
		if strings.EqualFold(h[0], "User-Agent") {
			request.Header.Del("User-Agent")
		}
	}
	for _, h := range k.Header {
		request.Header.Add(h[0], h[1])
	}
	request.Host = k.hostHeader(t, port)
	return request, nil
}

// hostHeader has the port only where it is not the scheme's (RFC 9110, section 7.2).
func (k HTTP) hostHeader(t Target, port uint16) string {
	host := k.Host
	if host == "" {
		host = t.host()
	}
	if _, _, err := net.SplitHostPort(host); err == nil {
		return host // it says its own
	}
	host = strings.Trim(host, "[]")
	if usual := map[bool]uint16{false: 80, true: 443}[k.TLS]; port != usual {
		return net.JoinHostPort(host, strconv.Itoa(int(port)))
	}
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

func (k HTTP) failure(err error) error {
	var f *Failure
	if errors.As(err, &f) {
		return f
	}
	reason, what := networkReason(err)
	return failed(reason, "%s: %s", k.scheme(), what)
}

func (k HTTP) judge(response *http.Response) error {
	expected := false
	for _, r := range k.Expect {
		expected = expected || r.Contains(response.StatusCode)
	}
	if !expected {
		return failed(Status, "status %d, want %s", response.StatusCode, strings.Trim(fmt.Sprint(k.Expect), "[]"))
	}
	found, err := search(response.Body, k.Body)
	switch {
	case err != nil:
		reason, what := networkReason(err)
		return failed(reason, "reading the body: %s", what)
	case !found:
		return failed(Body, "status %d, but '%s' is not in the first %d bytes of the body", response.StatusCode, k.Body, maxBody)
	}
	return nil
}

// search looks for a text in the first MiB of a body, in little memory, and reads no further than it must: to the text,
// or without one to the end.
func search(body io.Reader, want string) (bool, error) {
	buf := make([]byte, 0, 16<<10+len(want))
	limited := io.LimitReader(body, maxBody)
	for {
		n, err := limited.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if want != "" && bytes.Contains(buf, []byte(want)) {
			return true, nil
		}
		keep := min(len(buf), max(len(want)-1, 0)) // the text may be cut in two
		buf = append(buf[:0], buf[len(buf)-keep:]...)
		if err == io.EOF {
			return want == "", nil
		}
		if err != nil {
			return false, err
		}
	}
}
