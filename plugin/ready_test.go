package gslb

import (
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/coredns/gslb/probe"
)

func TestReady(t *testing.T) {
	begin := func(t *testing.T, origin string, interval string) *GSLB {
		process.ready = false
		cfg, err := parsed(t, fmt.Sprintf("gslb {\ncheck web {\ntcp 80\ninterval %s\n}\nrecord www {\norigin 127.0.0.1 target %s\ncheck web\n}\n}", interval, origin))
		if err != nil {
			t.Fatal(err)
		}
		g := &GSLB{instance: &instance{config: cfg, key: t.Name()}}
		if err := g.start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { g.close() })
		return g
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	t.Run("G-42 H-28 ready with the first round, and at once after a reload", func(t *testing.T) {
		g := begin(t, l.Addr().String(), "60s")
		for deadline := time.Now().Add(30 * time.Second); !g.Ready(); {
			if time.Now().After(deadline) {
				t.Fatal("Expected to be ready after the first round")
			}
			if g.leases[0].State().Last.IsZero() == g.Ready() {
				continue // a result may come between the two looks
			}
			time.Sleep(time.Millisecond)
		}
		if g.leases[0].State().Verdict != probe.Healthy {
			t.Errorf("Expected not to be ready before the first result, got %+v", g.leases[0].State())
		}
		cfg, _ := parsed(t, "gslb {\ncheck new {\ntcp 1\n}\nrecord www {\norigin 127.0.0.1\ncheck new\n}\n}")
		next := &GSLB{instance: &instance{config: cfg, key: t.Name()}}
		next.start()
		defer next.close()
		g.close()
		if !next.Ready() {
			t.Error("Expected to be ready at once after a reload")
		}
	})
	t.Run("G-42 ready ten seconds after the start all the same", func(t *testing.T) {
		g := begin(t, l.Addr().String(), "30s")
		g.began = time.Now().Add(-9 * time.Second)
		if g.leases[0].State().Last.IsZero() && g.Ready() {
			t.Error("Expected not to be ready before ten seconds without a result")
		}
		g.began = time.Now().Add(-10 * time.Second)
		if !g.Ready() {
			t.Error("Expected to be ready after ten seconds")
		}
	})
}
