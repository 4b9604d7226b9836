package test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/miekg/dns"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
)

func TestMetrics(t *testing.T) {
	t.Run("DTM-HC-41 G-20 V57 gauges of checks and monitors, and records by status", func(t *testing.T) {
		port := freePort(t)
		newBackend(t, "127.0.0.11", port)
		s := start(t, strings.Replace(zone(port, "monitor m 127.0.0.12 web\nrecord www {\norigin 127.0.0.11\norigin 127.0.0.12\ncheck web\n}\nrecord dark {\norigin 127.0.0.12 check web\n}"), "example.org", "metrics.example.org", 1))
		check := func(check, target string) string {
			return fmt.Sprintf("coredns_gslb_check_status{check=%s,target=%s,zone=metrics.example.org.", check, target)
		}
		if got := metric(t, check("web", "127.0.0.12")); got != -1 {
			t.Errorf("Expected -1 before a verdict, got %v", got)
		}
		if _, ok := gathered(t)["coredns_gslb_check_latency_seconds{check=web,target=127.0.0.12,zone=metrics.example.org.,"]; ok {
			t.Error("Expected no latency before the first sample")
		}
		eventually(t, "verdicts", func() bool {
			return metric(t, check("web", "127.0.0.11")) == 1 && metric(t, check("web", "127.0.0.12")) == 0 && metric(t, check("m", "127.0.0.12")) == 0
		})
		if got := metric(t, "coredns_gslb_check_latency_seconds{check=web,target=127.0.0.11,zone=metrics"); got <= 0 {
			t.Errorf("Expected a latency, got %v", got)
		}
		if got := metric(t, "coredns_gslb_check_last_result_timestamp_seconds{check=web,target=127.0.0.11,zone=metrics"); got < 1e9 {
			t.Errorf("Expected the time of the last result, got %v", got)
		}
		for series, want := range map[string]float64{
			"coredns_gslb_records{status=partially ok,zone=metrics":                                  1,
			"coredns_gslb_records{status=fail-open,zone=metrics":                                     1,
			"coredns_gslb_records{status=ok,zone=metrics":                                            0,
			"coredns_gslb_record_status{record=dark.metrics.example.org.,status=fail-open":           1,
			"coredns_gslb_record_status{record=www.metrics.example.org.,status=partially ok":         1,
			"coredns_gslb_check_transitions_total{check=web,target=127.0.0.12,to=unhealthy,zone=met": 1,
		} {
			if got := metric(t, series); got != want {
				t.Errorf("Expected %v of %s, got %v", want, series, got)
			}
		}
		lint(t)
		before := metric(t, "coredns_gslb_answers_total{outcome=open,zone=metrics")
		s.a("dark.metrics.example.org.")
		if got := metric(t, "coredns_gslb_answers_total{outcome=open,zone=metrics"); got != before+1 {
			t.Errorf("Expected one more answer by fail open, got %v after %v", got, before)
		}
		if err := s.reload(strings.Replace(zone(port, "record www {\norigin 127.0.0.11\n}"), "example.org", "metrics.example.org", 1)); err != nil {
			t.Fatal(err)
		}
		for series := range gathered(t) {
			if strings.Contains(series, "zone=metrics.example.org.") && strings.Contains(series, "check=") {
				t.Errorf("Expected no series of a check that is gone, got %s", series)
			}
		}
	})
	t.Run("DTM-HC-31 DTM-HC-30 a counter shows the probes that a node starts", func(t *testing.T) {
		port := freePort(t)
		newBackend(t, "127.0.0.11", port)
		start(t, strings.Replace(zone(port, "record www {\norigin 127.0.0.11\ncheck web\n}"), "example.org", "count.example.org", 1))
		results := func() float64 {
			return metric(t, "coredns_gslb_check_results_total{check=web,result=pass,target=127.0.0.11,zone=count")
		}
		eventually(t, "three probes", func() bool { return results() >= 3 })
	})
	t.Run("H-44 strangers do not decide how many series there are", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.31:0")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n++
			w.WriteHeader(500 + n%50)
		})}
		go server.Serve(listener)
		defer server.Close()
		var lines strings.Builder
		for i := range 10 {
			fmt.Fprintf(&lines, "record r%d {\norigin 127.0.0.31\norigin 127.0.0.32\norigin 127.0.0.33\norigin 127.0.0.34\ncheck web\n}\n", i)
		}
		s := start(t, zone(listener.Addr().(*net.TCPAddr).Port, "locate ecs\nregion a 10.0.0.0/8\n"+lines.String()))
		s.a("r1.example.org.")
		s.a("x.example.org.")
		s.ask("r1.example.org.", dns.TypeTXT)
		eventually(t, "some probes", func() bool { return metric(t, "coredns_gslb_check_results_total{result=fail,target=127.0.0.31") >= 5 })
		before := len(gathered(t))
		random := rand.New(rand.NewPCG(1, 1))
		for range 20_000 {
			name := fmt.Sprintf("%x.example.org.", random.Uint32())
			if random.Uint32()%2 == 0 {
				name = fmt.Sprintf("r%d.example.org.", random.Uint32()%10)
			}
			s.ask(name, uint16(random.Uint32()%300+1), subnet(fmt.Sprintf("10.%d.%d.0/24", byte(random.Uint32()), byte(random.Uint32()))))
		}
		if got := len(gathered(t)); got > before+20 {
			t.Errorf("Expected about %d series, got %d", before, got)
		}
	})
	t.Run("H-25 G-05 two million clients of a record with affinity", func(t *testing.T) {
		s := start(t, zone(1, "locate ecs\nrecord www {\norigin 127.0.0.11\norigin 127.0.0.12\norigin 127.0.0.13\naffinity 60s\n}"))
		steady := map[string]string{}
		for i := range 20 {
			net := fmt.Sprintf("198.51.100.%d/32", i)
			steady[net] = s.a("www.example.org.", subnet(net))
		}
		before := heap()
		for i := range 30_000 { // the table's own test has the millions
			if got := s.a("www.example.org.", subnet(fmt.Sprintf("100.%d.%d.1/32", i>>8, i&255))); got == "" {
				t.Fatal("Expected an answer")
			}
		}
		if grown := int64(heap()) - int64(before); grown > 64<<20 {
			t.Errorf("Expected at most 64 MiB more, got %d", grown)
		}
		for net, want := range steady {
			if got := s.a("www.example.org.", subnet(net)); got != want {
				t.Errorf("Expected %s to stay on %s, got %s", net, want, got)
			}
		}
	})
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// lint has every metric of ours checked, and demands those that the manual lists.
func lint(t *testing.T) {
	t.Helper()
	families, err := prometheus.DefaultGatherer.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var ours []*dto.MetricFamily
	names := map[string]bool{}
	for _, f := range families {
		if strings.HasPrefix(f.GetName(), "coredns_gslb_") {
			ours = append(ours, f)
			names[f.GetName()] = true
		}
	}
	problems, err := promlint.NewWithMetricFamilies(ours).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("Expected no problem, got %v, %v", problems, err)
	}
	manual, err := os.ReadFile("../plugin/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?m)^\\* `(coredns_gslb_[a-z_]+)").FindAllStringSubmatch(string(manual), -1) {
		if !names[m[1]] && !strings.Contains(m[1], "_file_") && !strings.Contains(m[1], "answers_total") {
			t.Errorf("Expected the metric %s that the manual lists", m[1])
		}
		delete(names, m[1])
	}
	for name := range names {
		t.Errorf("Expected the manual to list %s", name)
	}
}
