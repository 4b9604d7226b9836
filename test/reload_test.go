package test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/miekg/dns"
	"github.com/prometheus/client_golang/prometheus"
)

// load asks all the time until stopped, and counts what was lost or went wrong.
type load struct {
	asked, lost, bad atomic.Int64
	stop             func()
}

func (s *server) load(clients int, names []string, good func(*dns.Msg) bool) *load {
	l := &load{}
	done := make(chan struct{})
	var wg sync.WaitGroup
	addr := s.udp
	for n := range clients {
		wg.Go(func() {
			c := &dns.Client{Timeout: 3 * time.Second}
			conn, err := c.Dial(addr)
			if err != nil {
				l.lost.Add(1)
				return
			}
			defer conn.Close()
			for i := n; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				m := new(dns.Msg)
				m.SetQuestion(names[i%len(names)], dns.TypeA)
				l.asked.Add(1)
				r, _, err := c.ExchangeWithConn(m, conn)
				switch {
				case err != nil:
					l.lost.Add(1)
				case !good(r):
					l.bad.Add(1)
				}
			}
		})
	}
	l.stop = sync.OnceFunc(func() { close(done); wg.Wait() })
	s.t.Cleanup(l.stop)
	return l
}

func answered(m *dns.Msg) bool { return m.Rcode == dns.RcodeSuccess && len(m.Answer) > 0 }

func (l *load) judge(t *testing.T) {
	t.Helper()
	l.stop()
	if l.lost.Load() > 0 || l.bad.Load() > 0 || l.asked.Load() == 0 {
		t.Errorf("Expected every query to be answered, got %d lost and %d bad of %d", l.lost.Load(), l.bad.Load(), l.asked.Load())
	}
}

func TestReload(t *testing.T) {
	t.Run("H-40 G-40 DTM-HC-03 health, pins and turns survive under load", func(t *testing.T) {
		port := freePort(t)
		newBackend(t, "127.0.0.11", port)
		corefile := func(comment string) string {
			return strings.Replace(zone(port, "record www {\norigin 127.0.0.11\norigin 127.0.0.12\ncheck web\n}\nrecord app {\norigin 127.0.0.13\norigin 127.0.0.14\naffinity 1h\n}\nrecord turn {\norigin 127.0.0.13\norigin 127.0.0.14\npolicy round-robin\n}"), "127.0.0.1\n", "127.0.0.1 # "+comment+"\n", 1)
		}
		s := start(t, corefile("one"))
		eventually(t, "the dead one to leave", func() bool { return s.a("www.example.org.") == "127.0.0.11" })
		pinned, turn := s.a("app.example.org."), s.a("turn.example.org.")
		l := s.load(2, []string{"www.example.org."}, func(m *dns.Msg) bool { return words(m) == "127.0.0.11" })
		for i := range 3 {
			if err := s.reload(corefile(fmt.Sprint("again ", i))); err != nil {
				t.Fatal(err)
			}
			if got := s.a("app.example.org."); got != pinned {
				t.Errorf("Expected the pin on %s to stay, got %s", pinned, got)
			}
			got := s.a("turn.example.org.")
			if got == turn {
				t.Errorf("Expected the turn to go on after %s", turn)
			}
			turn = got
		}
		l.judge(t)
	})
	t.Run("H-41 G-51 a refused configuration changes nothing", func(t *testing.T) {
		port := freePort(t)
		a := newBackend(t, "127.0.0.11", port)
		newBackend(t, "127.0.0.12", port)
		good := zone(port, "record www {\norigin 127.0.0.11\norigin 127.0.0.12\ncheck web\n}")
		s := start(t, good)
		eventually(t, "a first probe", func() bool { return a.hits.Load() > 1 })
		refused := metric(t, "coredns_gslb_refused_configurations_total")
		for _, bad := range []string{strings.Replace(good, "origin 127.0.0.12", "orign 127.0.0.12", 1), good + "\nexample.net:0 {\nnonsense\n}"} {
			if err := s.reload(bad); err == nil {
				t.Fatal("Expected a refusal")
			} else if strings.Contains(bad, "orign") && !strings.Contains(err.Error(), "Corefile:13 - Error during parsing: unknown property 'orign'") {
				t.Errorf("Expected file, line and word, got %v", err)
			}
		}
		if got := metric(t, "coredns_gslb_refused_configurations_total"); got != refused+2 {
			t.Errorf("Expected both to be counted, got %v after %v", got, refused)
		}
		a.kill()
		eventually(t, "the death to be seen", func() bool { return s.a("www.example.org.") == "127.0.0.12" })
		if err := s.reload(good); err != nil {
			t.Errorf("Expected the good one to load, got %v", err)
		}
	})
	t.Run("H-39 a new instance whose start fails after ours leaves nothing behind", func(t *testing.T) {
		port := freePort(t)
		a := newBackend(t, "127.0.0.11", port)
		other := newBackend(t, "127.0.0.12", port)
		taken := newBackend(t, "127.0.0.15", freePort(t))
		good := zone(port, "record www {\norigin 127.0.0.11\ncheck web\n}")
		s := start(t, good)
		eventually(t, "a first probe", func() bool { return a.hits.Load() > 1 })
		bad := zone(port, "record www {\norigin 127.0.0.12\ncheck web\n}") + fmt.Sprintf("\nexample.net:0 {\nbind 127.0.0.1\nready %s\nwhoami\n}", taken.addr)
		if err := s.reload(bad); err == nil {
			t.Skip("The other plugin started all the same")
		}
		n := other.hits.Load()
		before := a.hits.Load()
		eventually(t, "the old one to go on", func() bool { return a.hits.Load() > before+3 })
		if got := other.hits.Load(); got > n+1 {
			t.Errorf("Expected the failed one not to probe, got %d more", got-n)
		}
	})
	t.Run("H-39 H-35 thirty reloads leave probes, goroutines and descriptors as they were", func(t *testing.T) {
		port := freePort(t)
		var backends []*backend
		lines := func(n, comment int) string {
			text := fmt.Sprintf("# %d\nrecord www {\n", comment)
			for i := range n {
				text += fmt.Sprintf("origin 127.0.0.%d\n", 20+i)
			}
			return text + "check web\n}"
		}
		for i := range 20 {
			backends = append(backends, newBackend(t, fmt.Sprintf("127.0.0.%d", 20+i), port))
		}
		s := start(t, zone(port, lines(20, 0)))
		eventually(t, "a first round", func() bool {
			for _, b := range backends {
				if b.hits.Load() < 2 {
					return false
				}
			}
			return true
		})
		goroutines, files := runtime.NumGoroutine(), descriptors(t)
		for i := range 30 {
			if err := s.reload(zone(port, lines(20, i))); err != nil {
				t.Fatal(err)
			}
		}
		eventually(t, "goroutines and descriptors to be as before", func() bool {
			return runtime.NumGoroutine() <= goroutines+goroutines/10+20 && descriptors(t) <= files+30
		})
		if err := s.reload(zone(port, lines(10, 99))); err != nil {
			t.Fatal(err)
		}
		removed, kept := hits(backends[10:]), hits(backends[:10])
		eventually(t, "five more rounds", func() bool { return hits(backends[:10]) >= kept+50 })
		if got := hits(backends[10:]); got > removed+10 {
			t.Errorf("Expected removed origins not to be probed, got %d more", got-removed)
		}
		if got := hits(backends[:10]) - kept; got > 70 {
			t.Errorf("Expected one probe for each interval, got %d in five", got)
		}
	})
	t.Run("COR-42 a record that is removed leaves its name free", func(t *testing.T) {
		port := freePort(t)
		s := start(t, zone(port, "record www app {\norigin 127.0.0.11\n}"))
		if err := s.reload(zone(port, "record app {\norigin 127.0.0.11\n}")); err != nil {
			t.Fatal(err)
		}
		if got := s.a("www.example.org."); got != "NXDOMAIN" {
			t.Errorf("Expected NXDOMAIN, got %s", got)
		}
	})
	t.Run("H-14 H-43 G-50 a subnets file is read again, and a bad one is not taken", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "subnets.csv")
		write := func(text string) {
			if err := os.WriteFile(file+".new", []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			os.Rename(file+".new", file)
		}
		write("127.0.0.0/8,west\n127.0.0.12/32,east\n")
		corefile := zone(1, "subnets "+file+"\nrecord www {\norigin 127.0.0.11\norigin 127.0.0.12\norigin 127.0.0.13 region east\n}")
		s := start(t, corefile)
		if got := s.a("www.example.org."); got != "127.0.0.11" {
			t.Errorf("Expected the west, got %s", got)
		}
		label := fmt.Sprintf("coredns_gslb_file_reload_failures_total{file=%s}", file)
		mark := logs.mark()
		write("# nothing\n")
		eventually(t, "the empty file to be counted", func() bool { return metric(t, label) == 1 })
		if got := s.a("www.example.org."); got != "127.0.0.11" || !strings.Contains(logs.since(mark), "no mapping") {
			t.Errorf("Expected the former content and a line in the log, got %s, %s", got, logs.since(mark))
		}
		write("127.0.0.0/8,west\n") // without the region that only it defines and that is named
		eventually(t, "the incomplete file to be counted", func() bool { return metric(t, label) == 2 })
		write("127.0.0.0/8,east\n127.0.0.11/32,west\n")
		eventually(t, "the new content", func() bool { return s.a("www.example.org.") == "127.0.0.12 127.0.0.13" })
		for name, text := range map[string]string{"empty": "\n", "missing": ""} {
			if text == "" {
				os.Remove(file)
			} else {
				write(text)
			}
			if err := s.reload(corefile); err == nil || !strings.Contains(err.Error(), file) {
				t.Errorf("Expected a reload with a file that is %s to be refused, got %v", name, err)
			}
		}
		if got := s.a("www.example.org."); got != "127.0.0.12 127.0.0.13" {
			t.Errorf("Expected the former configuration to go on, got %s", got)
		}
	})
	t.Run("H-50 reloads and flapping health under load: no race, one snapshot a reply", func(t *testing.T) {
		port := freePort(t)
		a, b := newBackend(t, "127.0.0.11", port), newBackend(t, "127.0.0.12", port)
		var lines strings.Builder
		var names []string
		for i, p := range []string{"all", "round-robin", "random", "failover", "latency", "region", "geo-failover", "weighted", "weighted random", "proximity"} {
			fmt.Fprintf(&lines, "record r%d {\norigin 127.0.0.11\norigin 127.0.0.12\norigin 127.0.0.13 check none\npolicy %s\nanswers 2\nttl TTL\ncheck web\n}\n", i, p)
			names = append(names, fmt.Sprintf("r%d.example.org.", i))
		}
		corefile := func(ttl int) string {
			return strings.Replace(zone(port, strings.ReplaceAll(lines.String(), "TTL", fmt.Sprint(ttl))), "http", "failures 1\nsuccesses 1\nhttp", 1)
		}
		s := start(t, corefile(100))
		l := s.load(8, names, func(m *dns.Msg) bool {
			if !answered(m) {
				return false
			}
			for _, rr := range m.Answer {
				if rr.Header().Ttl != m.Answer[0].Header().Ttl || rr.Header().Ttl < 100 {
					return false
				}
			}
			return true
		})
		for i := range 20 {
			b.status.Store(int32(200 + i%2*300))
			a.status.Store(int32(500 - i%2*300))
			if err := s.reload(corefile(101 + i)); err != nil {
				t.Fatal(err)
			}
		}
		l.judge(t)
		if m := s.ask(names[0], dns.TypeA); m.Answer[0].Header().Ttl != 120 {
			t.Errorf("Expected the latest configuration, got %v", m)
		}
	})
	t.Run("H-41 shutdown with queries still arriving", func(t *testing.T) {
		port := freePort(t)
		newBackend(t, "127.0.0.11", port)
		s := start(t, zone(port, "record www {\norigin 127.0.0.11\ncheck web\n}"))
		l := s.load(2, []string{"www.example.org."}, answered)
		s.instance.ShutdownCallbacks()
		n := l.asked.Load()
		eventually(t, "a thousand queries more", func() bool { return l.asked.Load() > n+1000 })
		l.judge(t)
	})
}

func hits(list []*backend) (n int64) {
	for _, b := range list {
		n += b.hits.Load()
	}
	return n
}

func descriptors(t *testing.T) int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skipf("No /proc: %v", err)
	}
	return len(list)
}

// metric gives the sum of a metric's values, of those series alone whose labels stand in braces: "name{file=x}".
func metric(t testing.TB, name string) float64 {
	t.Helper()
	sum := 0.0
	for series, v := range gathered(t) {
		want, labels, _ := strings.Cut(strings.TrimSuffix(name, "}"), "{")
		got, all, _ := strings.Cut(series, "{")
		ok := got == want
		for _, l := range strings.Split(labels, ",") {
			ok = ok && (l == "" || strings.Contains(","+all, ","+l))
		}
		if ok {
			sum += v
		}
	}
	return sum
}

// gathered gives every series of ours as name{label=value,...}.
func gathered(t testing.TB) map[string]float64 {
	t.Helper()
	families, err := prometheus.DefaultGatherer.Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for _, f := range families {
		if !strings.HasPrefix(f.GetName(), "coredns_gslb_") {
			continue
		}
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			v := m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
			all[f.GetName()+"{"+strings.Join(labels, ",")+","] = v
		}
	}
	return all
}
