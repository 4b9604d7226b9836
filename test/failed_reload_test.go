package test

import (
	"fmt"
	"net"
	"testing"
)

func TestFailedReloads(t *testing.T) {
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
		clock := newBackend(t, "127.0.0.13", port) // probed at the same pace by a server that is well
		start(t, zone(port, "record www {\norigin 127.0.0.13\ncheck web\n}"))
		eventually(t, "the time of a few probes", func() bool { return clock.hits.Load() >= 3 })
		before, began := b.hits.Load(), clock.hits.Load()
		eventually(t, "the time of a few probes more", func() bool { return clock.hits.Load() >= began+3 })
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
		eventually(t, "the old one to be probed on", func() bool { return a.hits.Load() >= 3 })
		before, alive := b.hits.Load(), a.hits.Load()
		eventually(t, "a few probes more", func() bool { return a.hits.Load() >= alive+3 })
		if n := b.hits.Load() - before; n != 0 {
			t.Errorf("Expected no probe of the new, got %d", n)
		}
		if got := s.a("www.example.org."); got != "127.0.0.11" {
			t.Errorf("Expected the old answer, got %s", got)
		}
	})
	t.Run("DTM-LB-29 view chooses by region", func(t *testing.T) {
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
