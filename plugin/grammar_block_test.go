package gslb

import (
	"fmt"
	"net/netip"
	"testing"
)

func TestAuthority(t *testing.T) {
	testRefused(t, []refused{
		{"V112", inBlock("ttl -1s"), 2, []string{"'-1s'"}},
		{"V112", inBlock("ttl 500ms"), 2, []string{"'500ms'"}},
		{"V112", inBlock("ttl 1.5s"), 2, []string{"'1.5s'"}},
		{"V112", inBlock("ttl 2147483648"), 2, []string{"'2147483648'"}},
		{"V112", inBlock("ttl 99999999999999999999"), 2, []string{"'99999999999999999999'"}},
		{"V112", inBlock("ttl soon"), 2, []string{"'soon'"}},
		{"V112", inBlock("negative-ttl -1"), 2, []string{"'-1'"}},
		{"V112", inBlock("negative-ttl 2147483648s"), 2, []string{"'2147483648s'"}},
		{"V112", inBlock("policy fastest"), 2, []string{"'fastest'"}},
		{"DTM-LB-19", inBlock("policy weighted 90%"), 2, []string{"90%"}},
		{"DTM-LB-19", inBlock("policy \"weighted random\" now"), 2, []string{"now"}},
		{"not a host", inBlock("ns 192.0.2.1"), 2, []string{"'192.0.2.1'"}},
		{"not a host", inBlock("ns 2001:db8::1"), 2, []string{"'2001:db8::1'"}},
		{"not a host", inBlock("ns a..example.org"), 2, []string{"'a..example.org'"}},
		{"not a host", inBlock("ns \"ns1 example.org\""), 2, []string{"'ns1 example.org'"}},
		{"not a host", inBlock("ns *.example.org"), 2, []string{"'*.example.org'"}},
		{"not a host", inBlock("ns ."), 2, []string{"'.'"}},
		{"a host twice", inBlock("ns a.example.org A.example.org."), 2, []string{"'A.example.org.'"}},
		{"not a zone", inBlock("fallthrough a..b"), 2, []string{"'a..b'"}},
		{"not a zone", "gslb a..b {\n}", 1, []string{"'a..b'"}},
		{"not a zone", "gslb \"a b\" {\n}", 1, []string{"'a b'"}},
		{"V25 locate", inBlock("locate client"), 2, []string{"'client'"}},
		{"host bits", inBlock("locate ecs 10.1.2.3/8"), 2, []string{"'10.1.2.3/8'"}},
		{"not a CIDR", inBlock("locate ecs 10.1.2.3"), 2, []string{"'10.1.2.3'"}},
	})
	testTaken(t, []taken{
		{"V99 defaults", inRecord(""), func(c *config) any { return words(firstRecord(c).TTL, c.blocks[0].negativeTTL) }, "30 30"},
		{"V99", inBlock("ttl 60s\nrecord www {\norigin 192.0.2.1\n}"), func(c *config) any { return firstRecord(c).TTL }, 60},
		{"V99", inBlock("ttl 60s\nrecord www {\norigin 192.0.2.1\nttl 5s\n}"), func(c *config) any { return firstRecord(c).TTL }, 5},
		{"DTM-LB-43", inBlock("ttl 60s\nrecord www {\norigin 192.0.2.1\nttl 0\n}"), func(c *config) any { return firstRecord(c).TTL }, 0},
		{"DTM-LB-43", inRecord("ttl 1"), func(c *config) any { return firstRecord(c).TTL }, 1},
		{"V112 the longest", inRecord("ttl 2147483647"), func(c *config) any { return firstRecord(c).TTL }, 2147483647},
		{"a duration", inRecord("ttl 1h30m"), func(c *config) any { return firstRecord(c).TTL }, 5400},
		{"V97", inBlock("negative-ttl 0"), func(c *config) any { return c.blocks[0].negativeTTL }, 0},
		{"DTM-LB-08 none", inRecord(""), func(c *config) any { return firstRecord(c).Policy }, "all"},
		{"DTM-LB-08 the block's", inBlock("policy failover\nrecord www {\norigin 192.0.2.1\n}"), func(c *config) any { return firstRecord(c).Policy }, "failover"},
		{"DTM-LB-08 its own", inBlock("policy failover\nrecord www {\norigin 192.0.2.1\npolicy all\n}"), func(c *config) any { return firstRecord(c).Policy }, "all"},
		{"DTM-LB-08 locate", inBlock("locate node\nrecord www {\norigin 192.0.2.1\n}"), func(c *config) any { return c.records[0].locating.mode }, 2},
		{"DTM-LB-08 locate", inBlock("locate node\nrecord www {\norigin 192.0.2.1\nlocate source\n}"), func(c *config) any { return c.records[0].locating.mode }, 0},
		{"locate ecs", inBlock("locate ecs 10.0.0.0/8 ::ffff:192.0.2.0/120"), func(c *config) any { return c.blocks[0].locating.trusted },
			[]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("192.0.2.0/24")}},
		{"ns", inBlock("ns NS1.example.net ns2.example.org."), func(c *config) any { return c.blocks[0].ns }, []string{"ns1.example.net.", "ns2.example.org."}},
		{"fallthrough off", inBlock(""), func(c *config) any { return c.blocks[0].fall.Through("www.example.org.") }, false},
		{"fallthrough", inBlock("fallthrough"), func(c *config) any { return c.blocks[0].fall.Through("www.example.org.") }, true},
		{"V111 fallthrough of one zone", inBlock("fallthrough sub.example.org"), func(c *config) any {
			f := c.blocks[0].fall
			return words(f.Through("x.example.org."), f.Through("x.sub.example.org."))
		}, "false true"},
	})
	for _, p := range []string{"all", "round-robin", "random", "failover", "latency", "region", "geo-failover", "weighted", "weighted random", "proximity"} {
		if got := firstRecord(accepted(t, inRecord("policy "+p))).Policy.String(); got != p {
			t.Errorf("DTM-LB-19: expected policy %q, got %q", p, got)
		}
	}
}

func TestSeveralBlocks(t *testing.T) { // G-63
	cfg := accepted(t, `gslb example.org {
		fallthrough
		negative-ttl 5
		ttl 5
		check c {
			tcp 80
		}
		record www {
			origin 192.0.2.1
			check c
		}
	}
	gslb example.org sub.example.org {
		negative-ttl 7
		region x 192.0.2.0/24
		check c {
			tcp 81
		}
		record api {
			origin 192.0.2.1
			check c
		}
	}`)
	want := "[www.example.org. api.example.org. api.sub.example.org.]"
	if got := fmt.Sprint(recordNames(cfg)); got != want {
		t.Errorf("Expected records %s, got %s", want, got)
	}
	for i, want := range []string{"0 5 5 true", "1 30 7 false", "1 30 7 false"} {
		b := cfg.records[i].zone.block
		r := cfg.policy.Records[i]
		if got := fmt.Sprint(r.Block, r.TTL, b.negativeTTL, b.fall.Through(r.Name)); got != want {
			t.Errorf("Record %d: expected block, TTL, negative TTL and fallthrough of its own block, %q, got %q", i, want, got)
		}
		if b := cfg.records[i].locating.block; b != cfg.blocks[r.Block] {
			t.Errorf("Record %d: expected it to be located by the regions of its own block", i)
		}
	}
	if a, b := cfg.policy.Records[0].Origins[0].Checks[0].Subject, cfg.policy.Records[1].Origins[0].Checks[0].Subject; a == b {
		t.Errorf("Expected two checks of one name in two blocks to be two subjects, got %v twice", a)
	}
	o := &cfg.policy.Records[0].Origins[0]
	if got := fmt.Sprint(cfg.policy.RegionOf(o, 0), cfg.policy.RegionOf(o, 1)); got != "0 1" {
		t.Errorf("Expected an address's region by the mappings of each block, 0 and 1, got %s", got)
	}
	testRefused(t, []refused{
		{"H-43 a name in two blocks", "gslb {\nrecord www {\norigin 192.0.2.1\n}\n}\ngslb {\nrecord x WWW {\norigin 192.0.2.1\n}\n}", 7, []string{"'www.example.org.'", "Testfile:2"}},
		{"COR-38 overlapping zones", "gslb {\nrecord www.sub {\norigin 192.0.2.1\n}\n}\ngslb sub.example.org {\nrecord www {\norigin 192.0.2.1\n}\n}", 7, []string{"'www.sub.example.org.'", "Testfile:2"}},
		{"a fault in the second block", "gslb {\n}\ngslb {\nttl x\n}", 4, []string{"'x'"}},
		{"COR-45 a check of another block", "gslb {\ncheck c {\ntcp 80\n}\n}\ngslb {\nrecord www {\norigin 192.0.2.1\ncheck c\n}\n}", 9, []string{"'c'"}},
		{"a region of another block", "gslb {\nregion x\n}\ngslb {\nnode region x\n}", 5, []string{"'x'"}},
	})
}

func TestOneZoneOfSeveralKeys(t *testing.T) {
	cfg, err := parsed(t, inRecord(""), "dns://example.org.:1053", "tls://example.org.:1853")
	if err != nil {
		t.Fatalf("Expected one zone on two ports to be accepted, got %q", err)
	}
	if got := words(recordNames(cfg), cfg.blocks[0].zones); got != "[www.example.org.] [example.org.]" {
		t.Errorf("Expected one record in one zone, got %s", got)
	}
}

// G-63: a name between the apex of one block and that of another exists.
func TestNamesBetweenBlocks(t *testing.T) {
	for _, text := range []string{
		"gslb {\n}\ngslb a.b.example.org {\n}",
		"gslb a.b.example.org {\n}\ngslb {\n}",
		"gslb {\nrecord x.a.b {\norigin 192.0.2.1\n}\n}\ngslb a.b.example.org {\n}",
		"gslb a.b.example.org {\n}\ngslb {\nrecord x.a.b {\norigin 192.0.2.1\n}\n}",
	} {
		cfg := accepted(t, text)
		for name, want := range map[string]bool{"b.example.org.": true, "a.b.example.org.": true, "c.example.org.": false, "c.b.example.org.": false, "org.": false} {
			if f := cfg.names.find(name, func(i int32) *zone { return cfg.records[i].zone }); f.exists != want {
				t.Errorf("Expected that %s exists: %t, got %t:\n%s", name, want, f.exists, text)
			}
		}
	}
	if f := accepted(t, "gslb a.b.example.org {\n}").names.find("b.example.org.", nil); f.zone != nil || f.exists {
		t.Errorf("Expected nothing to be known above the only zone, got %+v", f)
	}
}
