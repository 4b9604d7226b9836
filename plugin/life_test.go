package gslb

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/coredns/gslb/policy"
)

func workers() int { return int(reflect.ValueOf(&process.monitor).Elem().FieldByName("workers").Int()) }

func TestWorkers(t *testing.T) {
	const lines = "gslb {\nprobes {\nworkers %d\n}\nrecord www {\norigin 127.0.0.1\n}\n}"
	t.Run("the largest of all blocks, also of several server blocks", func(t *testing.T) {
		begin(t, fmt.Sprintf(lines, 20), "a")
		begin(t, fmt.Sprintf(lines, 10), "b")
		if n := workers(); n != 20 {
			t.Errorf("Expected 20, got %d", n)
		}
	})
	t.Run("a reload without the line brings the default back", func(t *testing.T) {
		old := begin(t, fmt.Sprintf(lines, 1), "a")
		begin(t, "gslb {\nrecord www {\norigin 127.0.0.1\n}\n}", "a")
		old.close()
		if n := workers(); n != 0 && n != 256 {
			t.Errorf("Expected the default, got %d", n)
		}
	})
}

func TestPinsSurvive(t *testing.T) {
	t.Run("G-40 V24 a reload that gives the server block one more zone keeps the pins", func(t *testing.T) {
		const two = "gslb example.org {\nrecord www {\norigin 192.0.2.1\norigin 192.0.2.2\naffinity\n}\n}"
		old := begin(t, two, "dns://example.org.:53")
		q := policy.Query{Client: netip.MustParseAddr("10.1.0.9"), Now: time.Now().UnixMilli()}
		first := old.engine.Snapshot().Decide(0, &q, nil).Members[0].Addr
		// An origin more that the hash prefers: only a pin holds the client.
		for n := 3; n < 250; n++ {
			more := strings.Replace(two, "affinity", fmt.Sprintf("origin 192.0.2.%d\naffinity", n), 1)
			i := begin(t, more, "dns://example.org.:53 dns://example.net.:53")
			d := i.engine.Snapshot().Decide(0, &q, nil)
			if d.Members[0].Addr != first {
				t.Fatalf("Expected %s still, got %s (%s)", first, d.Members[0].Addr, d.Outcome)
			}
			i.close()
		}
	})
}

func TestMetricsShared(t *testing.T) {
	t.Run("H-44 one check of two server blocks is counted once; lint", func(t *testing.T) {
		const c = "gslb {\ncheck web {\ntcp 1\ninterval 5s\n}\nrecord www {\norigin 127.0.0.1\ncheck web\n}\n}"
		begin(t, c, "a")
		begin(t, c, "b")
		for deadline := time.Now().Add(30 * time.Second); process.monitor.Checks()[0].State.Failures == 0; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("Expected a first result")
			}
		}
		reg := prometheus.NewPedanticRegistry()
		reg.MustRegister(collector{})
		list, err := reg.Gather()
		if err != nil {
			t.Fatal(err)
		}
		total := 0.0
		for _, f := range list {
			if f.GetName() == "coredns_gslb_check_results_total" {
				for _, m := range f.Metric {
					total += m.GetCounter().GetValue()
				}
			}
		}
		checks := process.monitor.Checks()
		if len(checks) != 1 {
			t.Fatalf("Expected one check, got %d", len(checks))
		}
		if n := checks[0].State.Failures; float64(n) != total {
			t.Errorf("Expected %d results, got %g", n, total)
		}
		problems, err := promlint.NewWithMetricFamilies(list).Lint()
		if err != nil || len(problems) > 0 {
			t.Errorf("Expected nothing to remark, got %v %v", problems, err)
		}
	})
	t.Run("records of a zone in two server blocks are all counted", func(t *testing.T) {
		begin(t, "gslb {\nrecord a b c {\norigin 127.0.0.1\n}\n}", "a")
		begin(t, "gslb {\nrecord a {\norigin 127.0.0.1\n}\n}", "b")
		for _, s := range recordSeries(running()) {
			for key, v := range s.values {
				if key[1] == "ok" && v != 4 {
					t.Errorf("Expected 4 records, got %v %g", key, v)
				}
			}
		}
	})
}

func TestChangeBetweenParseAndStart(t *testing.T) {
	t.Run("G-50 a file that changes after it was read and before the start is read again", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "subnets")
		os.WriteFile(file, []byte("10.1.0.0/16,we\n"), 0o600)
		cfg := accepted(t, "gslb {\nsubnets "+file+"\nrecord www {\norigin 192.0.2.1\n}\n}")
		time.Sleep(20 * time.Millisecond)
		os.WriteFile(file, []byte("10.1.0.0/16,ne\n"), 0o600)
		i := &instance{config: cfg, key: "x"}
		i.start()
		defer i.close()
		deadline := time.Now().Add(13 * time.Second)
		for time.Now().Before(deadline) {
			if i.regions.ID("ne") != 0 {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Error("Expected the new content within 12 s")
	})
}

func TestFaultsThatShow(t *testing.T) {
	t.Run("H-42 a path that no request can be made of is refused", func(t *testing.T) {
		for _, path := range []string{"/%zz", `"/a#b"`} {
			if _, err := parsed(t, checked("http 80 "+path)); err == nil {
				t.Errorf("Expected a refusal of %s", path)
			}
		}
	})
	t.Run("G-48 a check where none is defined", func(t *testing.T) {
		if _, err := parsed(t, inRecord("origin 192.0.2.1 check nosuch")); err == nil || strings.HasSuffix(err.Error(), "want one of ") {
			t.Errorf("Expected a whole sentence, got %v", err)
		}
	})
}
