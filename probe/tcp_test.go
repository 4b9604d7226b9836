package probe

import (
	"crypto/tls"
	"fmt"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"net/netip"
	"os"
	"runtime"
	"testing"
	"time"
)

var quiet = stdlog.New(io.Discard, "", 0)

func TestTCP(t *testing.T) {
	t.Run("DTM-HC-05 COR-22 the port accepts", func(t *testing.T) {
		to := listen(t, "127.0.0.1", func(net.Conn) {})
		r, err := try(TCP{Port: 9}, to, patience)
		passes(t, "an open port", err)
		if !r.Measured || r.Latency <= 0 {
			t.Errorf("Expected a latency, got %+v", r)
		}
		_, err = try(TCP{}, closed(t), patience)
		fails(t, "a closed port", err, Refused, "connection refused")
	})
	t.Run("V110 tls on tcp", func(t *testing.T) {
		a := newAuthority(t)
		config := &tls.Config{Certificates: []tls.Certificate{a.issue(time.Now().Add(time.Hour), "app.example.org")}}
		to := listen(t, "127.0.0.1", func(c net.Conn) {
			s := tls.Server(c, config)
			s.Handshake()
		})
		_, err := try(TCP{TLS: a.trust(), ServerName: "app.example.org"}, to, patience)
		passes(t, "a handshake", err)
		_, err = try(TCP{TLS: a.trust()}, to, patience)
		fails(t, "a certificate without the address", err, TLS)
		plain := listen(t, "127.0.0.1", func(c net.Conn) { io.WriteString(c, "SSH-2.0-x\r\n") })
		_, err = try(TCP{TLS: a.trust()}, plain, patience)
		fails(t, "no TLS at all", err, TLS)
		silent := listen(t, "127.0.0.1", func(c net.Conn) { c.SetDeadline(time.Now().Add(patience)); io.Copy(io.Discard, c) })
		_, err = try(TCP{TLS: a.trust()}, silent, 100*time.Millisecond)
		fails(t, "silence", err, Timeout)
	})
	t.Run("COR-17 the target's port replaces the check's, its name is looked up", func(t *testing.T) {
		to := listen(t, "127.0.0.1", func(net.Conn) {})
		_, err := try(TCP{Port: 1}, to, patience, func(s *Spec) { s.Target.Name, s.Target.Addr = "localhost", netip.Addr{} })
		passes(t, "a name", err)
		_, err = try(TCP{Port: 1}, to, patience, func(s *Spec) { s.Target.Name, s.Target.Addr = "no..name", netip.Addr{} })
		fails(t, "a name that is not there", err, Lookup, "no..name")
	})
	t.Run("COR-16 the source address", func(t *testing.T) {
		from := make(chan netip.Addr, 1)
		to := listen(t, "127.0.0.1", func(c net.Conn) { from <- c.RemoteAddr().(*net.TCPAddr).AddrPort().Addr() })
		_, err := try(TCP{}, to, patience, func(s *Spec) { s.Source[0] = netip.MustParseAddr("127.0.0.77") })
		passes(t, "a source", err)
		if got := <-from; got != netip.MustParseAddr("127.0.0.77") {
			t.Errorf("Expected the source 127.0.0.77, got %s", got)
		}
		_, err = try(TCP{}, to, patience, func(s *Spec) { s.Source[0] = netip.MustParseAddr("192.0.2.7") })
		fails(t, "a source that is not ours", err, Unreachable)
	})
}

func TestNothingIsLeftOpen(t *testing.T) {
	t.Run("H-35 each probe closes what it opened", func(t *testing.T) {
		port := listen(t, "127.0.0.1", func(c net.Conn) { io.Copy(io.Discard, c) })
		web := serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "some body that is ok") })
		k := get()
		k.Body = "some"
		round := func(n int) {
			for range n {
				_, err := try(TCP{}, port, patience)
				passes(t, "tcp", err)
				_, err = try(k, web, patience)
				passes(t, "http", err)
				try(TCP{}, closed(t), patience)
			}
		}
		round(10)
		files, goroutines := openFiles(t), runtime.NumGoroutine()
		round(500)
		deadline := time.Now().Add(10 * time.Second)
		for openFiles(t) > files+20 || runtime.NumGoroutine() > goroutines+goroutines/10+2 {
			if time.Now().After(deadline) {
				t.Fatalf("Expected about %d descriptors and %d goroutines, got %d and %d", files, goroutines, openFiles(t), runtime.NumGoroutine())
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
}

func openFiles(t *testing.T) int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skipf("No /proc: %v", err)
	}
	return len(entries)
}
