// Package test starts real servers from Corefiles, with real backends on loopback addresses, and asks them.
package test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coredns/caddy"
	"github.com/coredns/coredns/core/dnsserver"
	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/file"
	_ "github.com/coredns/coredns/plugin/loadbalance"
	_ "github.com/coredns/coredns/plugin/log"
	_ "github.com/coredns/coredns/plugin/metadata"
	_ "github.com/coredns/coredns/plugin/metrics"
	_ "github.com/coredns/coredns/plugin/minimal"
	_ "github.com/coredns/coredns/plugin/ready"
	_ "github.com/coredns/coredns/plugin/view"
	_ "github.com/coredns/coredns/plugin/whoami"

	"github.com/miekg/dns"

	"github.com/coredns/gslb/internal/directive"
	_ "github.com/coredns/gslb/plugin"
)

func TestMain(m *testing.M) {
	directive.Insert()
	dnsserver.Port = "0"
	caddy.Quiet = true
	logs.divert()
	os.Exit(m.Run())
}

// patience is how long a test waits for something that has to come: generous, since machines are busy.
const patience = 30 * time.Second

// eventually polls until ok, and fails where that never comes.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("Expected %s within %s", what, patience)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// server is a running CoreDNS.
type server struct {
	t        testing.TB
	instance *caddy.Instance
	udp, tcp string
	stopped  sync.Once
}

// start starts a server. PORT in the Corefile stands for a free port, the same throughout the server's life.
func start(t testing.TB, corefile string) *server {
	t.Helper()
	s, err := tryStart(t, corefile)
	if err != nil {
		t.Fatalf("Expected the server to start, got %v", err)
	}
	return s
}

func tryStart(t testing.TB, corefile string) (*server, error) {
	i, err := caddy.Start(input(corefile))
	if err != nil {
		return nil, err
	}
	s := &server{t: t, instance: i}
	s.addresses()
	t.Cleanup(s.stop)
	s.awaken()
	return s, nil
}

// awaken waits until the server reads from its sockets: CoreDNS forgets to stop a server that a reload overtakes before it
// has begun to serve.
func (s *server) awaken() {
	for network, addr := range map[string]string{"udp": s.udp, "tcp": s.tcp} {
		m := new(dns.Msg)
		m.SetQuestion("awake.invalid.", dns.TypeA)
		c := &dns.Client{Net: network, Timeout: time.Second}
		for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
			if _, _, err := c.Exchange(m, addr); err == nil {
				break
			}
		}
	}
}

func input(corefile string) caddy.CaddyfileInput {
	return caddy.CaddyfileInput{Contents: []byte(corefile), Filepath: "Corefile", ServerTypeName: "dns"}
}

func (s *server) addresses() {
	for _, l := range s.instance.Servers() {
		if a := l.LocalAddr(); a != nil {
			s.udp = strings.Replace(a.String(), "[::]", "127.0.0.1", 1)
		}
		if a := l.Addr(); a != nil {
			s.tcp = strings.Replace(a.String(), "[::]", "127.0.0.1", 1)
		}
	}
}

func (s *server) stop() {
	s.stopped.Do(func() {
		s.instance.ShutdownCallbacks()
		s.instance.Stop()
	})
}

// reload does what SIGUSR1 and the reload plugin do.
func (s *server) reload(corefile string) error {
	s.t.Helper()
	next, err := s.instance.Restart(input(corefile))
	if err == nil {
		s.instance = next
		s.addresses()
		s.awaken()
	}
	return err
}

// ask sends a query over UDP, and again where nothing comes back.
func (s *server) ask(name string, qtype uint16, set ...func(*dns.Msg)) *dns.Msg {
	s.t.Helper()
	return s.exchange("udp", s.udp, name, qtype, set...)
}

func (s *server) exchange(network, addr, name string, qtype uint16, set ...func(*dns.Msg)) *dns.Msg {
	s.t.Helper()
	m := new(dns.Msg)
	m.SetQuestion(name, qtype)
	for _, f := range set {
		f(m)
	}
	c := &dns.Client{Net: network, Timeout: 5 * time.Second}
	r, _, err := c.Exchange(m, addr)
	if err != nil {
		s.t.Fatalf("Expected a reply for %s, got %v", name, err)
	}
	return r
}

// a gives the addresses of an answer, or its code where there is none.
func (s *server) a(name string, set ...func(*dns.Msg)) string {
	s.t.Helper()
	return words(s.ask(name, dns.TypeA, set...))
}

func words(m *dns.Msg) string {
	var list []string
	for _, rr := range m.Answer {
		if a, ok := rr.(*dns.A); ok {
			list = append(list, a.A.String())
		}
	}
	if len(list) == 0 {
		return dns.RcodeToString[m.Rcode]
	}
	return strings.Join(list, " ")
}

// backend is an HTTP server on a loopback address that can be broken, killed and revived.
type backend struct {
	t      testing.TB
	addr   string
	status atomic.Int32
	hits   atomic.Int64
	server *http.Server
}

// newBackend starts a backend on a loopback address. All backends of one test may share a port.
func newBackend(t testing.TB, host string, port int) *backend {
	t.Helper()
	b := &backend{t: t}
	b.status.Store(200)
	b.addr = net.JoinHostPort(host, fmt.Sprint(port))
	b.revive()
	t.Cleanup(func() { b.server.Close() })
	return b
}

func (b *backend) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	b.hits.Add(1)
	w.WriteHeader(int(b.status.Load()))
	io.WriteString(w, "ok")
}

func (b *backend) kill() { b.server.Close() }

func (b *backend) revive() {
	b.t.Helper()
	var l net.Listener
	var err error
	for range 100 {
		if l, err = net.Listen("tcp", b.addr); err == nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err != nil {
		b.t.Fatalf("Expected to listen on %s, got %v", b.addr, err)
	}
	b.server = &http.Server{Handler: b}
	go b.server.Serve(l)
}

// freePort gives a port that is free on all loopback addresses for now.
func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// logs is what the server logs.
var logs = &logBook{}

type logBook struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logBook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// since gives what was logged after a mark.
func (l *logBook) since(mark int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()[mark:]
}

func (l *logBook) mark() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Len()
}
