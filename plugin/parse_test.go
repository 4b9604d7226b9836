package gslb

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coredns/caddy"
	"github.com/coredns/caddy/caddyfile"

	"github.com/coredns/gslb/policy"
	"github.com/coredns/gslb/probe"
	"github.com/coredns/gslb/region"
)

func accepted(t *testing.T, corefile string) *config {
	t.Helper()
	cfg, err := parsed(t, corefile)
	if err != nil {
		t.Fatalf("Expected no refusal, got %v", err)
	}
	return cfg
}

// only gives the spec of the one check of a configuration.
func only(t *testing.T, cfg *config) probe.Spec {
	t.Helper()
	if len(cfg.subjects) != 1 {
		t.Fatalf("Expected one subject, got %d", len(cfg.subjects))
	}
	for _, s := range cfg.subjects {
		return s.spec
	}
	panic("unreachable")
}

func checked(lines string) string {
	return inBlock("check web {\n" + lines + "\n}\nrecord www {\norigin 192.0.2.1\ncheck web\n}")
}

func TestDefaults(t *testing.T) {
	t.Run("V110 DTM-HC-24 DTM-HC-25 DTM-HC-26 DTM-HC-27 a check with only tcp 80", func(t *testing.T) {
		cfg := accepted(t, checked("tcp 80"))
		s := only(t, cfg)
		if s.Interval != 15*time.Second || s.Timeout != 5*time.Second || s.Failures != 3 || s.Successes != 2 || s.Samples != 0 || !s.Isolation {
			t.Errorf("Expected 15s, 5s, 3, 2, got %+v", s)
		}
		if c := cfg.policy.Records[0].Origins[0].Checks[0]; !c.Initial || !c.Measures {
			t.Errorf("Expected initial healthy, got %+v", c)
		}
	})
	t.Run("V110 DTM-HC-28 http and https", func(t *testing.T) {
		for lines, want := range map[string]probe.HTTP{
			"http":                {Port: 80, Path: "/"},
			"http 8080":           {Port: 8080, Path: "/"},
			"http /health":        {Port: 80, Path: "/health"},
			"https":               {Port: 443, Path: "/", TLS: true},
			"https 8443 /healthz": {Port: 8443, Path: "/healthz", TLS: true},
			"https\ntls":          {Port: 443, Path: "/", TLS: true},
		} {
			want.Method, want.Expect = "GET", []probe.Range{{First: 200, Last: 200}}
			got := only(t, accepted(t, checked(lines))).Kind.(probe.HTTP)
			got.Credentials = nil
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("Expected %s, got %s", want, got)
			}
		}
	})
	t.Run("V110 accepted bounds", func(t *testing.T) {
		for lines, want := range map[string][2]time.Duration{
			"tcp 80\ninterval 5s":             {5 * time.Second, 5 * time.Second},
			"tcp 80\ninterval 15":             {15 * time.Second, 5 * time.Second},
			"tcp 80\ntimeout 15s":             {15 * time.Second, 15 * time.Second},
			"tcp 80\ninterval 1h\ntimeout 1m": {time.Hour, time.Minute},
		} {
			if s := only(t, accepted(t, checked(lines))); s.Interval != want[0] || s.Timeout != want[1] {
				t.Errorf("Expected %v for %q, got %v and %v", want, lines, s.Interval, s.Timeout)
			}
		}
	})
	t.Run("V110 min-interval, also below the check that profits", func(t *testing.T) {
		cfg := accepted(t, inBlock("check web {\ntcp 80\ninterval 1s\n}\nrecord www {\norigin 192.0.2.1\ncheck web\n}\nprobes {\nmin-interval 1s\nworkers 7\nsource 127.0.0.1 ::1\n}"))
		s := only(t, cfg)
		if s.Interval != time.Second || s.Timeout != time.Second || cfg.workers != 7 || !s.Source[0].IsValid() || !s.Source[1].Is6() {
			t.Errorf("Expected 1s and 1s with sources, got %+v", s)
		}
	})
	t.Run("DTM-HC-28 DTM-HC-29 every property of http", func(t *testing.T) {
		k := only(t, accepted(t, checked("expect 200 204 300-399\nwindow 5 3\nhttp 81 /x\nbody \"all is ok\"\nhost app.example.org:8080\nheader X-A \"1 2\"\nheader X-A 3\ninitial unhealthy"))).Kind.(probe.HTTP)
		if len(k.Expect) != 3 || k.Expect[2] != (probe.Range{First: 300, Last: 399}) || k.Body != "all is ok" || k.Host != "app.example.org:8080" || len(k.Header) != 2 || k.Header[0] != [2]string{"X-A", "1 2"} {
			t.Errorf("Expected every property, got %s", k)
		}
	})
	t.Run("V99 DTM-LB-08 DTM-LB-43 COR-07 TTL and policy are inherited", func(t *testing.T) {
		for block, want := range map[string]uint32{"": 30, "ttl 60s\n": 60} {
			cfg := accepted(t, inBlock(block+"policy failover\nrecord a {\norigin 192.0.2.1\n}\nrecord b {\norigin 192.0.2.1\nttl 5s\npolicy round-robin\n}\nrecord c {\norigin 192.0.2.1\nttl 0\n}"))
			r := cfg.policy.Records
			if r[0].TTL != want || r[1].TTL != 5 || r[2].TTL != 0 {
				t.Errorf("Expected TTLs %d, 5, 0, got %d, %d, %d", want, r[0].TTL, r[1].TTL, r[2].TTL)
			}
			if r[0].Policy != policy.Failover || r[1].Policy != policy.RoundRobin {
				t.Errorf("Expected failover from the block and round-robin of its own, got %s, %s", r[0].Policy, r[1].Policy)
			}
		}
	})
	t.Run("DTM-LB-28 a weighted record above 30 s is noted once", func(t *testing.T) {
		cfg := accepted(t, inBlock("policy weighted\nrecord a b {\norigin 192.0.2.1\nttl 31\n}\nrecord c {\norigin 192.0.2.1\n}\nrecord d {\norigin 192.0.2.1\npolicy all\nttl 300\n}"))
		if len(cfg.warnings) != 1 || !strings.Contains(cfg.warnings[0], "'a'") || !strings.Contains(cfg.warnings[0], ":3") {
			t.Errorf("Expected one warning, of line 3, got %q", cfg.warnings)
		}
	})
	t.Run("DTM-LB-04 DTM-LB-19 a record as it is without properties", func(t *testing.T) {
		r := accepted(t, inBlock("record www {\norigin 192.0.2.1\n}")).policy.Records[0]
		if r.Policy != policy.PolicyAll || r.Within != policy.None || r.Answers != 0 || r.Affinity.On || !r.RegionFilter || r.Fail != policy.FailOpen || r.Disabled {
			t.Errorf("Expected the defaults, got %+v", r)
		}
		if o := r.Origins[0]; o.Priority != 1 || o.Weight.Kind != policy.NoWeight || o.Need != 0 || len(o.Checks) != 0 {
			t.Errorf("Expected an unchecked origin, got %+v", o)
		}
	})
	t.Run("V112 every property of a record", func(t *testing.T) {
		r := accepted(t, inBlock("record www {\norigin 192.0.2.1 weight 5 priority 0 location 50.11 8.68 region we\norigin ::ffff:192.0.2.2 weight 0 disabled\nfail servfail\nfailsafe 192.0.2.9 2001:db8::9\npolicy weighted random\nwithin 30ms\nanswers all\naffinity 1h policy\nregion-filter off\nlocate ecs 192.0.2.0/24\nttl 1m\ndisabled\n}\nregion we 10.1.0.0/16"))
		rec := r.policy.Records[0]
		if rec.Fail != policy.FailServFail || len(rec.Failsafe) != 2 || rec.Policy != policy.WeightedRandom || rec.Within != 30 || rec.Answers != policy.All ||
			rec.Affinity != (policy.Affinity{On: true, Window: time.Hour, ByPolicy: true}) || rec.RegionFilter || rec.TTL != 60 || !rec.Disabled {
			t.Errorf("Expected every property, got %+v", rec)
		}
		if l := r.records[0].locating; l.mode != region.ECS || len(l.trusted) != 1 {
			t.Errorf("Expected locate ecs, got %+v", l)
		}
		if o := rec.Origins[0]; o.Priority != 0 || o.Weight != (policy.Weight{Kind: policy.Relative, N: 5}) || latitude(o.Location) != 50.11 || o.Region == 0 {
			t.Errorf("Expected every attribute, got %+v", o)
		}
		if o := rec.Origins[1]; !o.Disabled || o.Addr.String() != "192.0.2.2" {
			t.Errorf("Expected an IPv4 address, got %+v", o)
		}
	})
}

func latitude(l *policy.Location) float64 {
	lat, _ := l.Degrees()
	return lat
}

func TestChecksOfOrigins(t *testing.T) {
	const corefile = `gslb {
	check a {
		tcp 80
	}
	check b {
		http
	}
	record www other {
		origin 192.0.2.1
		origin 192.0.2.2 check none
		origin 192.0.2.3 check any a b
		origin 192.0.2.4 target 127.0.0.1:81 weight 1
		origin 192.0.2.5 disabled
		check a
	}
	monitor m localhost:99 b
}`
	t.Run("DTM-HC-02 DTM-HC-23 COR-17 G-55 each origin has a check of its own, the disabled none", func(t *testing.T) {
		cfg := accepted(t, strings.Replace(corefile, " weight 1", "", 1))
		got := map[string]bool{}
		for id := range cfg.subjects {
			got[id.Check[2:]+" "+id.Target] = true
		}
		want := []string{"a 127.0.0.1:81", "a 192.0.2.1", "a 192.0.2.3", "b 192.0.2.3"}
		if !slices.Equal(sortedKeys(got), want) {
			t.Errorf("Expected %v, got %v", want, sortedKeys(got))
		}
		o := cfg.policy.Records[0].Origins
		if o[0].Need != 1 || o[1].Need != 0 || o[2].Need != 1 || len(o[2].Checks) != 2 || len(o[4].Checks) != 0 {
			t.Errorf("Expected the lists as written, got %+v", o)
		}
		if m := cfg.monitors; len(m) != 1 || m[0].check != "m" || m[0].spec.Target.String() != "localhost:99" {
			t.Errorf("Expected the monitor, got %+v", m)
		}
	})
	t.Run("V104 COR-24 lists", func(t *testing.T) {
		for list, need := range map[string]int{"a": 1, "a b": 2, "any a b": 1, "2 a b": 2, "1 a b": 1, "none": 0} {
			o := accepted(t, "gslb {\ncheck a {\ntcp 80\n}\ncheck b {\ntcp 81\ninitial unhealthy\n}\nrecord www {\norigin 192.0.2.1\ncheck "+list+"\n}\n}").policy.Records[0].Origins[0]
			if o.Need != need {
				t.Errorf("Expected %d of '%s', got %d", need, list, o.Need)
			}
			if len(o.Checks) == 2 && o.Checks[1].Initial {
				t.Error("Expected initial unhealthy on b")
			}
		}
	})
}

func TestGrammar(t *testing.T) {
	t.Run("V112 G-63 ZONES, and the server block's by default", func(t *testing.T) {
		cfg, err := parsed(t, "gslb {\nrecord @ {\norigin 192.0.2.1\n}\n}", "example.org.", "Example.NET.:53")
		if err != nil {
			t.Fatal(err)
		}
		if r := cfg.policy.Records; len(r) != 2 || r[0].Name != "example.org." || r[1].Name != "example.net." {
			t.Errorf("Expected the apex of both zones, got %+v", r)
		}
		cfg = accepted(t, "gslb a.example.org {\nrecord www x.a.example.org. *.b {\norigin 192.0.2.1\n}\n}")
		var got []string
		for _, r := range cfg.policy.Records {
			got = append(got, r.Name)
		}
		if !slices.Equal(got, []string{"www.a.example.org.", "x.a.example.org.", "*.b.a.example.org."}) {
			t.Errorf("Expected relative, absolute and wildcard names, got %v", got)
		}
	})
	t.Run("H-05 capitals", func(t *testing.T) {
		r := accepted(t, "gslb Example.ORG {\nrecord Www {\norigin 192.0.2.1 region WE\n}\nregion we 10.0.0.0/8\nnode region We\n}").policy.Records[0]
		if r.Name != "www.example.org." || r.Origins[0].Region == 0 {
			t.Errorf("Expected names without case, got %+v", r)
		}
	})
	t.Run("DTM-LB-06 DTM-LB-30 an origin's region is its own, else that of its address", func(t *testing.T) {
		cfg := accepted(t, inBlock("subnets subnets.csv\nregion north\nrecord www {\norigin 192.0.2.1\norigin 192.0.2.2 region north\norigin 198.51.100.1\norigin 2001:db8::1 region west\n}"))
		o := cfg.policy.Records[0].Origins
		names := cfg.regions.All()
		if got := names[cfg.regionOf(&o[0], 0)]; got != "west" {
			t.Errorf("Expected west by the address, got %q", got)
		}
		if names[o[1].Region] != "north" || cfg.regionOf(&o[2], 0) != 0 || names[o[3].Region] != "west" {
			t.Errorf("Expected the regions as written, got %+v", o)
		}
		if err := cfg.blocks[0].locator.SetSubnets(nil); err == nil || !strings.Contains(err.Error(), "west") {
			t.Errorf("Expected that the file must go on to define west, got %v", err)
		}
	})
	t.Run("H-42 import, at any depth, with its own file in refusals", func(t *testing.T) {
		dir := t.TempDir()
		write := func(name, text string) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write("origins", "origin 192.0.2.1\norigin 192.0.2.2\n")
		write("bad", "origin 192.0.2.1\nwithin x\n")
		cfg, err := expanded(t, "gslb {\nrecord www {\nimport "+filepath.Join(dir, "origins")+"\n}\n}")
		if err != nil || len(cfg.policy.Records[0].Origins) != 2 {
			t.Fatalf("Expected two origins, got %v", err)
		}
		_, err = expanded(t, "gslb {\nrecord www {\nimport "+filepath.Join(dir, "bad")+"\n}\n}")
		if err == nil || !strings.HasPrefix(err.Error(), filepath.Join(dir, "bad")+":2 - ") {
			t.Errorf("Expected the imported file and its line, got %v", err)
		}
	})
	t.Run("V112 a million words are read in one pass, and none is kept", func(t *testing.T) {
		var b strings.Builder
		b.WriteString("gslb {\n")
		for i := range 2000 {
			fmt.Fprintf(&b, "record r%d {\norigin 10.0.%d.%d\n}\n", i, i>>8, i&255)
		}
		b.WriteString("}")
		if cfg := accepted(t, b.String()); len(cfg.policy.Records) != 2000 || len(cfg.records) != 2000 {
			t.Errorf("Expected 2000 records, got %d", len(cfg.policy.Records))
		}
	})
}

// expanded parses a directive as a server block's, imports and all.
func expanded(t *testing.T, corefile string) (*config, error) {
	t.Helper()
	blocks, err := caddyfile.Parse("Corefile", strings.NewReader("example.org {\n"+corefile+"\n}"), nil)
	if err != nil {
		t.Fatal(err)
	}
	c := caddy.NewTestController("dns", "")
	c.Dispenser = caddyfile.NewDispenserTokens("Corefile", blocks[0].Tokens["gslb"])
	c.ServerBlockKeys = blocks[0].Keys
	return parse(c)
}
