package test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// zone is a server block with quick checks of the given HTTP port, and whatever else.
func zone(port int, lines string) string {
	return fmt.Sprintf(`example.org:0 {
	bind 127.0.0.1
	gslb {
		probes {
			min-interval 1s
		}
		check web {
			http %d /
			interval 1s
		}
%s
	}
}`, port, lines)
}

func TestFailover(t *testing.T) {
	t.Run("DTM-HC-01 DTM-HC-33 DTM-HC-35 H-30 answers follow a backend that breaks, dies and comes back", func(t *testing.T) {
		port := freePort(t)
		a, b := newBackend(t, "127.0.0.11", port), newBackend(t, "127.0.0.12", port)
		mark := logs.mark()
		s := start(t, zone(port, "record www {\norigin 127.0.0.11\norigin 127.0.0.12\npolicy round-robin\ncheck web\nttl 5s\n}"))
		both := func() bool { return distinct(s, 20) == 2 }
		if !both() {
			t.Error("Expected both before any verdict")
		}
		eventually(t, "both to be probed", func() bool { return a.hits.Load() > 1 && b.hits.Load() > 1 })
		a.status.Store(404)
		eventually(t, "the broken one to leave", func() bool { return distinct(s, 20) == 1 })
		for range 1000 {
			if got := s.a("www.example.org."); got != "127.0.0.12" {
				t.Fatalf("Expected only the good one, got %s", got)
			}
		}
		eventually(t, "a line in the log", func() bool {
			return strings.Contains(logs.since(mark), "check 'web' of 127.0.0.11: unhealthy: status 404, want 200")
		})
		a.status.Store(200)
		eventually(t, "it to come back", both)
		counts := map[string]int{}
		for range 1000 {
			counts[s.a("www.example.org.")]++
		}
		if counts["127.0.0.11"] != 500 {
			t.Errorf("Expected 500 each, got %v", counts)
		}
		b.kill()
		eventually(t, "the dead one to leave", func() bool { return distinct(s, 20) == 1 && s.a("www.example.org.") == "127.0.0.11" })
		b.revive()
		eventually(t, "the dead one to come back", both)
		if m := s.ask("www.example.org.", dns.TypeA); m.Answer[0].Header().Ttl != 5 || !m.Authoritative {
			t.Errorf("Expected DTM-LB-41 the record's TTL unchanged, got %v", m)
		}
	})
	t.Run("H-17 DTM-LB-03 V64 all probes fail: every query is answered, and that is logged once", func(t *testing.T) {
		port := freePort(t)
		var backends []*backend
		var lines strings.Builder
		for i := range 10 {
			backends = append(backends, newBackend(t, fmt.Sprintf("127.0.0.%d", 20+i), port))
			fmt.Fprintf(&lines, "record r%d {\norigin 127.0.0.%d\ncheck web\n}\n", i, 20+i)
		}
		mark := logs.mark()
		s := start(t, zone(port, lines.String()))
		eventually(t, "all to be probed", func() bool {
			for _, b := range backends {
				if b.hits.Load() < 2 {
					return false
				}
			}
			return true
		})
		for _, b := range backends {
			b.status.Store(503)
		}
		opened := func() int { return strings.Count(logs.since(mark), ": fail-open, was ok") }
		eventually(t, "all to fail open", func() bool {
			for i := range 10 {
				if got := s.a(fmt.Sprintf("r%d.example.org.", i)); got != fmt.Sprintf("127.0.0.%d", 20+i) {
					t.Fatalf("Expected an address throughout, got %s", got)
				}
			}
			return opened() == 10
		})
		if got := logs.since(mark); strings.Count(got, "this node suspects itself") != 1 {
			t.Errorf("Expected one line of suspicion, got %s", got)
		}
		for _, b := range backends {
			b.status.Store(200)
		}
		eventually(t, "all to be well", func() bool { return strings.Count(logs.since(mark), ": ok, was fail-open") == 10 })
		if opened() != 10 {
			t.Errorf("Expected each to be logged once, got %d", opened())
		}
	})
	t.Run("DTM-LB-23 V19 a drained origin is probed and not answered", func(t *testing.T) {
		port := freePort(t)
		a := newBackend(t, "127.0.0.11", port)
		newBackend(t, "127.0.0.12", port)
		s := start(t, zone(port, "record www {\norigin 127.0.0.11 weight 0%\norigin 127.0.0.12\npolicy weighted\ncheck web\n}"))
		eventually(t, "the drained one to be probed", func() bool { return a.hits.Load() > 2 })
		for range 100 {
			if got := s.a("www.example.org."); got != "127.0.0.12" {
				t.Fatalf("Expected the other one, got %s", got)
			}
		}
	})
	t.Run("DTM-HC-04 V57 a monitor gates nothing; COR-17 a disabled origin is not probed", func(t *testing.T) {
		port := freePort(t)
		a, b := newBackend(t, "127.0.0.11", port), newBackend(t, "127.0.0.12", port)
		c := newBackend(t, "127.0.0.13", port)
		a.status.Store(500)
		s := start(t, zone(port, "check up {\ntcp "+fmt.Sprint(port)+"\ninterval 1s\n}\nmonitor m 127.0.0.11 web\nrecord www {\norigin 127.0.0.11 check up\norigin 127.0.0.12 disabled\norigin 127.0.0.13 target 127.0.0.12\ncheck web\n}"))
		eventually(t, "the monitor to probe", func() bool { return a.hits.Load() > 4 })
		if got := s.a("www.example.org."); got != "127.0.0.11 127.0.0.13" {
			t.Errorf("Expected the monitored one to be answered, got %s", got)
		}
		eventually(t, "the target to be probed", func() bool { return b.hits.Load() > 2 })
		if c.hits.Load() != 0 {
			t.Errorf("Expected the target in place of the origin, got %d probes of it", c.hits.Load())
		}
	})
	t.Run("H-28 V47 before a verdict the usual choice; a refusing origin is gone soon", func(t *testing.T) {
		port := freePort(t)
		newBackend(t, "127.0.0.11", port)
		s := start(t, strings.Replace(zone(port, "record www {\norigin 127.0.0.11\norigin 127.0.0.12\ncheck web\n}"), "/\n\t\t\tinterval 1s\n", "/\n\t\t\tinterval 10s\n", 1))
		began := time.Now()
		if got := s.a("www.example.org."); got != "127.0.0.11 127.0.0.12" {
			t.Errorf("Expected both, got %s", got)
		}
		eventually(t, "the dead one to leave", func() bool {
			got := s.a("www.example.org.")
			if got != "127.0.0.11" && got != "127.0.0.11 127.0.0.12" {
				t.Fatalf("Expected never less than the good one, got %s", got)
			}
			return got == "127.0.0.11"
		})
		t.Logf("gone after %s", time.Since(began))
	})
	t.Run("DTM-LB-35 DTM-LB-36 COR-18 an origin without a route from here is unhealthy here", func(t *testing.T) {
		port := freePort(t)
		newBackend(t, "127.0.0.11", port)
		s := start(t, zone(port, "record www {\norigin 127.0.0.11\norigin 127.0.0.12\ncheck web\n}"))
		eventually(t, "the one out of reach to leave", func() bool { return s.a("www.example.org.") == "127.0.0.11" })
	})
}

// distinct counts the different answers to n queries.
func distinct(s *server, n int) int {
	seen := map[string]bool{}
	for range n {
		seen[s.a("www.example.org.")] = true
	}
	return len(seen)
}
