package probe

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const patience = 5 * time.Second

func get() HTTP { return HTTP{Path: "/", Method: "GET", Expect: []Range{{200, 200}}} }

func getTLS(c *Credentials) HTTP {
	k := get()
	k.TLS, k.Credentials = true, c
	return k
}

func serve(t *testing.T, h http.HandlerFunc) netip.AddrPort {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.Listener.Addr().(*net.TCPAddr).AddrPort()
}

func passes(t *testing.T, name string, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("Expected %s to pass, got %v", name, err)
	}
}

func fails(t *testing.T, name string, err error, reason Reason, words ...string) {
	t.Helper()
	if err == nil || reasonOf(err) != reason {
		t.Errorf("Expected %s to fail by %s, got %v (%s)", name, reason, err, reasonOf(err))
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("Expected %s to say %q, got %v", name, w, err)
		}
	}
}

func TestHTTP(t *testing.T) {
	t.Run("V54 DTM-HC-06 COR-19 redirects are judged, never followed", func(t *testing.T) {
		var asked atomic.Int32
		other := serve(t, func(http.ResponseWriter, *http.Request) { asked.Add(1) })
		to := serve(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://"+other.String()+"/", http.StatusMovedPermanently)
		})
		_, err := try(get(), to, patience)
		fails(t, "a 301", err, Status, "status 301, want 200")
		k := get()
		k.Expect = []Range{{200, 399}}
		_, err = try(k, to, patience)
		passes(t, "a 301 of 200-399", err)
		if asked.Load() != 0 {
			t.Errorf("Expected the other server not to be asked, got %d requests", asked.Load())
		}
	})
	t.Run("DTM-HC-28 COR-16 statuses and ranges", func(t *testing.T) {
		to := serve(t, func(w http.ResponseWriter, r *http.Request) {
			n, _ := strconv.Atoi(r.URL.Path[1:])
			w.WriteHeader(n)
		})
		for status, want := range map[string]bool{"200": true, "204": true, "299": false, "302": true, "399": true, "404": false, "503": false} {
			k := get()
			k.Path, k.Expect = "/"+status, []Range{{200, 200}, {204, 204}, {300, 399}}
			if _, err := try(k, to, patience); (err == nil) != want {
				t.Errorf("Expected %s to pass: %t, got %v", status, want, err)
			}
		}
	})
	t.Run("V56 DTM-HC-29 DTM-HC-06 the body", func(t *testing.T) {
		to := serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "all is ok here") })
		k := get()
		k.Body = "is ok"
		_, err := try(k, to, patience)
		passes(t, "the text", err)
		k.Body = "is bad"
		_, err = try(k, to, patience)
		fails(t, "another text", err, Body, "'is bad'")
	})
	t.Run("COR-19 COR-20 what is asked for", func(t *testing.T) {
		seen := make(chan *http.Request, 1)
		to := serve(t, func(w http.ResponseWriter, r *http.Request) { seen <- r })
		k := get()
		k.Path, k.Header = "/healthz?full=1", [][2]string{{"X-One", "1"}, {"X-One", "2"}}
		_, err := try(k, to, patience)
		passes(t, "the request", err)
		r := <-seen
		if r.Host != to.String() || r.RequestURI != "/healthz?full=1" || r.Method != "GET" || len(r.Header["X-One"]) != 2 ||
			r.Header.Get("Accept-Encoding") != "" || r.Header.Get("Connection") != "close" {
			t.Errorf("Expected the request as configured, got %s %s %s %v", r.Method, r.Host, r.RequestURI, r.Header)
		}
		k.Method, k.Host, k.Header = "HEAD", "app.example.org", [][2]string{{"user-agent", "mine"}}
		_, err = try(k, to, patience)
		passes(t, "HEAD", err)
		if r = <-seen; r.Method != "HEAD" || r.Host != fmt.Sprintf("app.example.org:%d", to.Port()) || r.UserAgent() != "mine" {
			t.Errorf("Expected HEAD with host and agent, got %s %s %s", r.Method, r.Host, r.UserAgent())
		}
	})
	t.Run("H-31 the Host header has the port only where it is not the scheme's", func(t *testing.T) {
		for _, tt := range []struct {
			tls                bool
			host, target, want string
			port               uint16
		}{
			{false, "", "192.0.2.1", "192.0.2.1", 80}, {false, "", "192.0.2.1", "192.0.2.1:8080", 8080},
			{true, "", "2001:db8::1", "[2001:db8::1]", 443}, {true, "", "2001:db8::1", "[2001:db8::1]:80", 80},
			{true, "app.example.org", "192.0.2.1", "app.example.org", 443}, {false, "app.example.org", "192.0.2.1", "app.example.org:443", 443},
			{false, "app.example.org:81", "192.0.2.1", "app.example.org:81", 80},
		} {
			k := HTTP{TLS: tt.tls, Host: tt.host}
			if got := k.hostHeader(Target{Addr: netip.MustParseAddr(tt.target)}, tt.port); got != tt.want {
				t.Errorf("Expected %s, got %s", tt.want, got)
			}
		}
		k := HTTP{TLS: true}
		if got := k.hostHeader(Target{Addr: netip.MustParseAddr("192.0.2.1"), Name: "app.example.org."}, 443); got != "app.example.org" {
			t.Errorf("Expected the name that the address was found under, got %s", got)
		}
	})
	t.Run("H-32 IPv6 literals", func(t *testing.T) {
		hosts := make(chan string, 2)
		l, err := net.Listen("tcp", "[::1]:0")
		if err != nil {
			t.Skipf("No IPv6 here: %v", err)
		}
		s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { hosts <- r.Host })}
		go s.Serve(l)
		defer s.Close()
		to := l.Addr().(*net.TCPAddr).AddrPort()
		_, err = try(get(), to, patience)
		passes(t, "http", err)
		if h := <-hosts; h != to.String() {
			t.Errorf("Expected Host %s, got %s", to, h)
		}
		_, err = try(TCP{Port: 1}, to, patience)
		passes(t, "tcp", err)
		if got := (Target{Addr: to.Addr(), Port: 8080}).String(); got != "[::1]:8080" {
			t.Errorf("Expected one spelling, got %s", got)
		}
		a := newAuthority(t)
		sl := tls.NewListener(must(net.Listen("tcp", "[::1]:0")), &tls.Config{Certificates: []tls.Certificate{a.issue(time.Now().Add(time.Hour), "::1")}})
		go s.Serve(sl)
		_, err = try(getTLS(a.trust()), sl.Addr().(*net.TCPAddr).AddrPort(), patience)
		passes(t, "https", err)
	})
	t.Run("G-03 the latency runs to the last byte", func(t *testing.T) {
		to := serve(t, func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, "begin")
			w.(http.Flusher).Flush()
			time.Sleep(50 * time.Millisecond)
			fmt.Fprint(w, "end")
		})
		r, err := try(get(), to, patience)
		passes(t, "a slow body", err)
		if !r.Measured || r.Latency < 50*time.Millisecond {
			t.Errorf("Expected at least 50ms, got %+v", r)
		}
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestHTTPS(t *testing.T) {
	a := newAuthority(t)
	soon := time.Now().Add(time.Hour)
	trust := a.trust()
	type hello struct{ sni, host string }
	start := func(t *testing.T, cert tls.Certificate, config *tls.Config) (netip.AddrPort, chan hello) {
		seen := make(chan hello, 10)
		config.Certificates = []tls.Certificate{cert}
		l := tls.NewListener(must(net.Listen("tcp", "127.0.0.1:0")), config)
		s := &http.Server{ErrorLog: nil, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			seen <- hello{r.TLS.ServerName, r.Host}
		})}
		s.ErrorLog = quiet
		go s.Serve(l)
		t.Cleanup(func() { s.Close() })
		return l.Addr().(*net.TCPAddr).AddrPort(), seen
	}
	t.Run("V55 COR-20 COR-21 DTM-HC-07 H-31 the certificate is verified against servername, host or address", func(t *testing.T) {
		to, seen := start(t, a.issue(soon, "app.example.org"), &tls.Config{})
		_, err := try(getTLS(trust), to, patience)
		fails(t, "neither host nor servername", err, TLS, "127.0.0.1")
		k := getTLS(trust)
		k.ServerName = "app.example.org"
		_, err = try(k, to, patience)
		passes(t, "servername", err)
		if h := <-seen; h.sni != "app.example.org" || h.host != to.String() {
			t.Errorf("Expected SNI app.example.org and Host %s, got %+v", to, h)
		}
		k = getTLS(trust)
		k.Host = "app.example.org"
		_, err = try(k, to, patience)
		passes(t, "host", err)
		if h := <-seen; h.sni != "app.example.org" || h.host != fmt.Sprintf("app.example.org:%d", to.Port()) {
			t.Errorf("Expected SNI and Host app.example.org, got %+v", h)
		}
		k.ServerName = "other.example.org"
		_, err = try(k, to, patience)
		fails(t, "a wrong servername", err, TLS, "other.example.org")
		k = getTLS(newAuthority(t).trust())
		k.ServerName = "app.example.org"
		_, err = try(k, to, patience)
		fails(t, "another CA", err, TLS, "unknown authority")
		k.Credentials = nil
		_, err = try(k, to, patience)
		fails(t, "the system's roots", err, TLS)
	})
	t.Run("V55 H-31 an address in the certificate, and no SNI for it", func(t *testing.T) {
		to, seen := start(t, a.issue(soon, "127.0.0.1"), &tls.Config{})
		_, err := try(getTLS(trust), to, patience)
		passes(t, "the address", err)
		if h := <-seen; h.sni != "" {
			t.Errorf("Expected no SNI, got %q", h.sni)
		}
	})
	t.Run("H-31 an expired and a not yet valid certificate", func(t *testing.T) {
		for _, end := range []time.Time{time.Now().Add(-time.Minute), time.Now().Add(24 * time.Hour)} {
			to, _ := start(t, a.issue(end, "127.0.0.1"), &tls.Config{})
			_, err := try(getTLS(trust), to, patience)
			fails(t, "a certificate out of its time", err, TLS, "expired or is not yet valid")
		}
	})
	t.Run("DTM-HC-08 a client certificate, replaced while the check runs", func(t *testing.T) {
		to, _ := start(t, a.issue(soon, "127.0.0.1"), &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: trust.loaded.Load().roots})
		_, err := try(getTLS(trust), to, patience)
		if err == nil {
			t.Error("Expected a refusal without a client certificate")
		}
		cert, key := a.save(a.issue(soon, "client"))
		c, err := LoadCredentials(cert, key, a.file)
		if err != nil {
			t.Fatal(err)
		}
		_, err = try(getTLS(c), to, patience)
		passes(t, "a client certificate", err)

		os.WriteFile(cert, []byte("rubbish"), 0o600)
		if err := c.Reload(); err == nil || !strings.Contains(err.Error(), cert) {
			t.Errorf("Expected the bad file to be refused by name, got %v", err)
		}
		_, err = try(getTLS(c), to, patience)
		passes(t, "the former certificate", err)
		if same, _ := LoadCredentials(cert, key, a.file); same != c {
			t.Error("Expected one for each set of files")
		}
	})
	t.Run("V112 files that are missing or hold no certificate", func(t *testing.T) {
		if _, err := LoadCredentials("", "", "/nonexistent/ca.pem"); err == nil || !strings.Contains(err.Error(), "/nonexistent/ca.pem") {
			t.Errorf("Expected the file to be named, got %v", err)
		}
		empty := t.TempDir() + "/empty.pem"
		os.WriteFile(empty, nil, 0o600)
		if _, err := LoadCredentials("", "", empty); err == nil || !strings.Contains(err.Error(), "no certificate") {
			t.Errorf("Expected an empty file to be refused, got %v", err)
		}
	})
}

func TestHostileServers(t *testing.T) {
	t.Run("H-34 a gzip bomb stays packed", func(t *testing.T) {
		var bomb bytes.Buffer
		z := gzip.NewWriter(&bomb)
		zeros := make([]byte, 1<<20)
		for range 256 {
			z.Write(zeros)
		}
		z.Close()
		to := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(bomb.Bytes())
		})
		k := get()
		k.Body = "ok"
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		_, err := try(k, to, patience)
		runtime.ReadMemStats(&after)
		fails(t, "a bomb", err, Body)
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 20<<20 {
			t.Errorf("Expected less than 20 MiB, got %d", grown)
		}
	})
	t.Run("H-34 an endless body is read for a MiB", func(t *testing.T) {
		to := serve(t, func(w http.ResponseWriter, r *http.Request) {
			line := bytes.Repeat([]byte("x"), 64<<10)
			for {
				if _, err := w.Write(line); err != nil {
					return
				}
			}
		})
		k := get()
		k.Body = "ok"
		_, err := try(k, to, patience)
		fails(t, "an endless body", err, Body)
		_, err = try(get(), to, patience)
		passes(t, "one whose text nobody asks for", err)
	})
	t.Run("H-34 a slow drip ends with the timeout", func(t *testing.T) {
		to := serve(t, func(w http.ResponseWriter, r *http.Request) {
			for range 1000 {
				if _, err := fmt.Fprint(w, "x"); err != nil || r.Context().Err() != nil {
					return
				}
				w.(http.Flusher).Flush()
				time.Sleep(20 * time.Millisecond)
			}
		})
		k := get()
		k.Body = "ok"
		_, err := try(k, to, 200*time.Millisecond)
		fails(t, "a drip", err, Timeout)
	})
	t.Run("H-34 chunks, and the text across a cut", func(t *testing.T) {
		to := serve(t, func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, strings.Repeat("-", 1000), "ever")
			w.(http.Flusher).Flush()
			fmt.Fprint(w, "green")
		})
		k := get()
		k.Body = "evergreen"
		_, err := try(k, to, patience)
		passes(t, "a chunked body", err)
	})
	t.Run("H-34 the text after the first MiB, and at its very end", func(t *testing.T) {
		to := serve(t, func(w http.ResponseWriter, r *http.Request) {
			n, _ := strconv.Atoi(r.URL.Path[1:])
			io.CopyN(w, zeroReader{}, int64(n))
			fmt.Fprint(w, "text")
		})
		k := get()
		k.Body, k.Path = "text", fmt.Sprintf("/%d", 1<<20-4)
		_, err := try(k, to, patience)
		passes(t, "the text at the end of the MiB", err)
		k.Path = fmt.Sprintf("/%d", 1<<20-3)
		_, err = try(k, to, patience)
		fails(t, "the text beyond it", err, Body)
	})
	for name, reply := range map[string]string{
		"garbage": "\x00\xff\x16\x03 not http\r\n\r\n", "nothing": "", "half a header": "HTTP/1.1 200 OK\r\nContent-",
		"a short body":     "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
		"a huge header":    "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 200<<10) + "\r\n\r\n",
		"many early hints": strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 1000),
	} {
		t.Run("COR-18 H-34 "+name, func(t *testing.T) {
			to := listen(t, "127.0.0.1", func(c net.Conn) {
				c.SetDeadline(time.Now().Add(patience))
				c.Read(make([]byte, 4096))
				io.WriteString(c, reply)
			})
			_, err := try(get(), to, patience)
			fails(t, name, err, Protocol)
			if len(text(err)) > 210 || strings.ContainsAny(text(err), "\n\x00") {
				t.Errorf("Expected a short printable reason, got %q", text(err))
			}
		})
	}
}

type zeroReader struct{}

func (zeroReader) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
