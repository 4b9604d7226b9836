package probe

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/coredns/gslb/internal/watch"
)

// Credentials are what a probe proves itself with and trusts, read from files. There is one for each set of files in
// the process, so that a check that outlives the configuration it came from goes on seeing its files change. Safe for
// concurrent use.
type Credentials struct {
	cert, key, ca string // paths; empty where there is none
	loaded        atomic.Pointer[material]
}

type material struct {
	certificate *tls.Certificate // nil: none
	roots       *x509.CertPool   // nil: the system's
	read        watch.State      // the state of the files
}

var credentials sync.Map // of paths, joined: *Credentials

// LoadCredentials reads a client certificate with its key, and a CA bundle; either may be left out by empty paths. The
// files must be sound. What was loaded before from the same paths is replaced.
func LoadCredentials(cert, key, ca string) (*Credentials, error) {
	c := &Credentials{cert: cert, key: key, ca: ca}
	known, _ := credentials.LoadOrStore(strings.Join([]string{cert, key, ca}, "\x00"), c)
	c = known.(*Credentials)
	return c, c.Reload()
}

// Reload reads the files again. If one of them is not sound, what was loaded before stays.
func (c *Credentials) Reload() error {
	m := &material{read: watch.Look(c.Paths()...)}
	if c.cert != "" {
		pair, err := tls.LoadX509KeyPair(c.cert, c.key)
		if err != nil {
			return fmt.Errorf("client certificate '%s' with key '%s': %w", c.cert, c.key, err)
		}
		m.certificate = &pair
	}
	if c.ca != "" {
		text, err := os.ReadFile(c.ca)
		if err != nil {
			return fmt.Errorf("CA file '%s': %w", c.ca, err)
		}
		m.roots = x509.NewCertPool()
		if !m.roots.AppendCertsFromPEM(text) {
			return fmt.Errorf("CA file '%s': no certificate in it", c.ca)
		}
	}
	c.loaded.Store(m)
	return nil
}

// Read gives the state in which the files were read.
func (c *Credentials) Read() watch.State { return c.loaded.Load().read }

// Paths gives the files.
func (c *Credentials) Paths() []string {
	var list []string
	for _, p := range []string{c.cert, c.key, c.ca} {
		if p != "" {
			list = append(list, p)
		}
	}
	return list
}

func (c *Credentials) String() string {
	if c == nil {
		return ""
	}
	return fmt.Sprintf("%q %q %q", c.cert, c.key, c.ca)
}

// serverName is the name for SNI and certificate: `servername`, else `host`, else what stands for the target. The TLS
// library sends no SNI for an address (RFC 6066, section 3) and verifies against it.
func serverName(servername, host string, t Target) string {
	if servername != "" {
		return servername
	}
	if host == "" {
		return t.host()
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

// handshake verifies the certificate always. Without credentials the system's roots are trusted.
func handshake(ctx context.Context, conn net.Conn, c *Credentials, name string) (net.Conn, error) {
	config := &tls.Config{ServerName: name, MinVersion: tls.VersionTLS12}
	if c != nil {
		m := c.loaded.Load()
		config.RootCAs = m.roots
		if m.certificate != nil {
			config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return m.certificate, nil }
		}
	}
	secure := tls.Client(conn, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, tlsFailure(err, name)
	}
	return secure, nil
}

func tlsFailure(err error, name string) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
		return failed(Timeout, "TLS handshake: no answer in time")
	}
	var verify *tls.CertificateVerificationError
	if errors.As(err, &verify) {
		return failed(TLS, "certificate, wanted for '%s': %w", name, verify.Err)
	}
	return failed(TLS, "TLS handshake: %w", err)
}
