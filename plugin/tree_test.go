package gslb

import (
	"fmt"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"github.com/coredns/gslb/policy"
)

func handlerAt(t *testing.T, corefile string, keys ...string) *handler {
	t.Helper()
	cfg, err := parsed(t, corefile, keys...)
	if err != nil {
		t.Fatal(err)
	}
	i := &instance{config: cfg}
	i.prepare(nil)
	i.engine.Compile()
	return &handler{&GSLB{instance: i}, t}
}

func TestTreeOfNames(t *testing.T) {
	t.Run("COR-37 H-06 a wildcard in the root zone", func(t *testing.T) {
		for _, name := range []string{"*", "*."} {
			h := handlerAt(t, "gslb . {\nrecord "+name+" {\norigin 192.0.2.1\n}\n}")
			h.query("x.", "A").is("192.0.2.1")
			h.query("www.example.org.", "A").is("192.0.2.1")
			h.query(".", "A").is("NODATA . 30")
		}
	})
	t.Run("G-63 G-47 a name between two apexes exists", func(t *testing.T) {
		for _, corefile := range []string{
			"gslb z sub.x.z {\nrecord www {\norigin 192.0.2.1\n}\n}",
			"gslb sub.x.z {\nrecord www {\norigin 192.0.2.1\n}\n}\ngslb z {\nrecord * {\norigin 192.0.2.1\n}\n}",
			"gslb z {\nrecord * {\norigin 192.0.2.1\n}\n}\ngslb sub.x.z {\nrecord www {\norigin 192.0.2.1\n}\n}",
		} {
			h := handlerAt(t, corefile)
			h.query("x.z.", "A").is("NODATA z. 30")
			h.query("sub.x.z.", "A").is("NODATA sub.x.z. 30")
			h.query("y.x.z.", "A").is("NXDOMAIN z. 30")
		}
	})
	t.Run("G-63 G-47 a record of the second block follows that block's lines", func(t *testing.T) {
		h := newHandler(t, "gslb {\nrecord www {\norigin 192.0.2.1\n}\n}\ngslb {\nfallthrough\nnegative-ttl 7\nrecord api {\norigin 192.0.2.1\n}\n}",
			zoneFile(3600, 300, `api.example.org. 60 IN TXT "next"`, `www.example.org. 60 IN TXT "next"`))
		h.query("www.example.org.", "TXT").is("NODATA example.org. 30")
		h.query("api.example.org.", "TXT").is(`TXT "next"`)
		h.query("api.example.org.", "AAAA").is("NODATA example.org. 7")
	})
	t.Run("G-63 NODATA of a relative name carries the SOA of the longest zone around it", func(t *testing.T) {
		h := handlerAt(t, "gslb z sub.z {\nrecord api.sub {\norigin 192.0.2.1\n}\n}")
		h.query("api.sub.z.", "AAAA").is("NODATA sub.z. 30")
	})
}

func TestMappedSubnet(t *testing.T) {
	t.Run("V98 G-29 an IPv4-mapped client subnet counts as IPv4", func(t *testing.T) {
		h := newHandler(t, "gslb {\nlocate ecs\nregion we 10.1.0.0/16\nregion ne 10.2.0.0/16\nrecord www {\norigin 192.0.2.1 region we\norigin 192.0.2.2 region ne\n}\n}", nil)
		h.query("www.example.org.", "A").ecs("10.1.0.0/24").is("192.0.2.1")
		q := h.query("www.example.org.", "A").edns()
		opt := q.m.IsEdns0()
		opt.Option = append(opt.Option, &dns.EDNS0_SUBNET{Code: dns.EDNS0SUBNET, Family: 2, SourceNetmask: 120, Address: []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 10, 1, 0, 0}})
		q.is("192.0.2.1")
	})
}

func TestSubnetAtTheEndOfTheChain(t *testing.T) {
	t.Run("V103 G-29 G-47 the client subnet comes back where no next plugin knows the name", func(t *testing.T) {
		h := newHandler(t, "gslb {\nlocate ecs\nfallthrough\nrecord www {\norigin 192.0.2.1\n}\n}", passing{})
		for _, name := range []string{"www.example.org.", "no.example.org."} {
			m, _ := h.query(name, "TXT").ecs("10.1.0.0/24").ask()
			if got := scopeOf(m); got == "none" || got == "" {
				t.Errorf("Expected the option back from %s, got %v", name, m)
			}
		}
	})
}

// begin starts an instance as the server does, and ends it with the test.
func begin(t *testing.T, corefile, key string) *instance {
	t.Helper()
	cfg := accepted(t, corefile)
	i := &instance{config: cfg, key: key, load: new(load)}
	if err := i.start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { i.close() })
	return i
}

func TestTurnsOfManyRegions(t *testing.T) {
	t.Run("G-39 V10 a change in one region disturbs no other's turn, with three hundred sets of candidates", func(t *testing.T) {
		var b strings.Builder
		b.WriteString("gslb {\ncheck web {\ntcp 1\n}\n")
		for r := range 150 {
			fmt.Fprintf(&b, "region r%d 10.%d.0.0/16\n", r, r)
		}
		b.WriteString("record www {\npolicy geo-failover\ncheck web\n")
		for r := range 150 {
			for n := 1; n <= 2; n++ {
				fmt.Fprintf(&b, "origin 192.0.%d.%d region r%d\norigin 2001:db8:%d::%d region r%d\n", r, n, r, r, n, r)
			}
		}
		b.WriteString("}\n}")
		h := newHandler(t, b.String(), nil)
		ask := func() string { return h.query("www.example.org.", "A").by("10.3.0.1").said() }
		last := ask()
		for i := range 20 {
			h.observe(policy.Verdict(1+i%2), "192.0.77.1")
			now := ask()
			if now == last {
				t.Fatalf("Expected the turn to move on, got %s again", now)
			}
			last = now
		}
	})
}
