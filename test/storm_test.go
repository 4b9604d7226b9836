package test

import (
	"context"
	"fmt"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coredns/caddy"
	"github.com/miekg/dns"
)

func TestStorm(t *testing.T) {
	t.Run("G-51 H-41 a reload that brings gslb in and fails leaves no probes behind", func(t *testing.T) {
		port := freePort(t)
		b := newBackend(t, "127.0.0.11", port)
		s := start(t, "example.org:0 {\nbind 127.0.0.1\nwhoami\n}")
		busy, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer busy.Close()
		p := busy.Addr().(*net.TCPAddr).Port
		err = s.reload(zone(port, "record www {\norigin 127.0.0.11\ncheck web\n}") + fmt.Sprintf("\nexample.net:%d {\nbind 127.0.0.1\nwhoami\n}", p))
		if err == nil {
			t.Fatal("Expected the reload to fail")
		}
		time.Sleep(2500 * time.Millisecond)
		before := b.hits.Load()
		time.Sleep(3 * time.Second)
		if n := b.hits.Load() - before; n != 0 {
			t.Errorf("Expected no probe, got %d", n)
		}
	})
	t.Run("G-51 the same with gslb before and after", func(t *testing.T) {
		port := freePort(t)
		a, b := newBackend(t, "127.0.0.11", port), newBackend(t, "127.0.0.12", port)
		s := start(t, zone(port, "record www {\norigin 127.0.0.11\ncheck web\n}"))
		busy, _ := net.Listen("tcp", "127.0.0.1:0")
		defer busy.Close()
		p := busy.Addr().(*net.TCPAddr).Port
		err := s.reload(zone(port, "record www {\norigin 127.0.0.12\ncheck web\n}") + fmt.Sprintf("\nexample.net:%d {\nbind 127.0.0.1\nwhoami\n}", p))
		if err == nil {
			t.Fatal("Expected the reload to fail")
		}
		time.Sleep(1500 * time.Millisecond)
		before, alive := b.hits.Load(), a.hits.Load()
		time.Sleep(3 * time.Second)
		if n := b.hits.Load() - before; n != 0 || a.hits.Load() == alive {
			t.Errorf("Expected no probe of the new, and some of the old, got %d and %d", n, a.hits.Load()-alive)
		}
		if got := s.a("www.example.org."); got != "127.0.0.11" {
			t.Errorf("Expected the old answer, got %s", got)
		}
	})
	t.Run("H-39 H-40 reload storm under load", func(t *testing.T) {
		port, dnsPort := freePort(t), freePort(t)
		newBackend(t, "127.0.0.11", port)
		newBackend(t, "127.0.0.12", port)
		corefile := func(n int) string {
			z := zone(port, fmt.Sprintf("# %d\nrecord www {\norigin 127.0.0.11\norigin 127.0.0.12\npolicy round-robin\ncheck web\n}\nrecord x%d {\norigin 127.0.0.11\ncheck web\naffinity 1h\n}", n, n%3))
			return strings.Replace(z, "example.org:0", fmt.Sprintf("example.org:%d", dnsPort), 1)
		}
		s := start(t, corefile(0))
		time.Sleep(time.Second)
		goroutines := runtime.NumGoroutine()
		var lost, bad, all atomic.Int64
		ctx, cancel := context.WithCancel(context.Background())
		var wg sync.WaitGroup
		addr := fmt.Sprintf("127.0.0.1:%d", dnsPort)
		for range 4 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				c := &dns.Client{Net: "udp", Timeout: 3 * time.Second}
				for ctx.Err() == nil {
					m := new(dns.Msg)
					m.SetQuestion("www.example.org.", dns.TypeA)
					r, _, err := c.Exchange(m, addr)
					all.Add(1)
					if err != nil {
						lost.Add(1)
						t.Log(err)
					} else if len(r.Answer) != 1 {
						bad.Add(1)
						t.Log(r)
					}
				}
			}()
		}
		for n := 1; n <= 25; n++ {
			if err := s.reload(corefile(n)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(40 * time.Millisecond)
		}
		cancel()
		wg.Wait()
		t.Logf("%d queries, %d lost, %d bad", all.Load(), lost.Load(), bad.Load())
		if lost.Load()+bad.Load() > 0 {
			t.Errorf("Expected no query lost, got %d and %d bad", lost.Load(), bad.Load())
		}
		time.Sleep(7 * time.Second)
		if n := runtime.NumGoroutine(); n > goroutines+goroutines/10+3 {
			t.Errorf("Expected about %d goroutines, got %d", goroutines, n)
		}
		_ = caddy.Quiet
	})
	t.Run("view chooses by region", func(t *testing.T) {
		s := start(t, `example.org:0 {
	bind 127.0.0.1
	metadata
	view lo {
		expr metadata('gslb/region') == 'lo'
	}
	gslb {
		region lo 127.0.0.0/8
		locate ecs
		record www {
			origin 127.0.0.11
		}
	}
}`)
		if got := s.a("www.example.org."); got != "127.0.0.11" {
			t.Errorf("Expected the view, got %s", got)
		}
	})
}
