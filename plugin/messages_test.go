package gslb

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/coredns/coredns/plugin"
	"github.com/coredns/coredns/plugin/test"

	"github.com/miekg/dns"
)

// passing is a plugin at the end of a chain that knows no name.
type passing struct{}

func (passing) Name() string { return "passing" }
func (passing) ServeDNS(ctx context.Context, w dns.ResponseWriter, r *dns.Msg) (int, error) {
	return plugin.NextOrFailure("passing", nil, ctx, w, r)
}

func TestLadderOnTheWire(t *testing.T) {
	record := func(lines string) string {
		return strings.Replace(www, "check web\n\t}", "check web\n\t\t"+lines+"\n\t}", 1)
	}
	t.Run("V93 nodata, servfail, and the family without an origin", func(t *testing.T) {
		h := newHandler(t, record("fail nodata\nttl 7"), nil).down("192.0.2.1", "192.0.2.2")
		h.query("www.example.org.", "A").is("NODATA example.org. 7")
		h = newHandler(t, record("fail servfail"), nil).down("192.0.2.1", "192.0.2.2")
		h.query("www.example.org.", "A").is("SERVFAIL example.org. 30")
		h.query("www.example.org.", "AAAA").is("NODATA example.org. 30")
		m, _ := h.query("www.example.org.", "A").edns().ask()
		if e := errorOf(m); e == nil || e.ExtraText != "no healthy origin" {
			t.Errorf("Expected an extended error, got %v", m)
		}
		if m, _ = h.query("www.example.org.", "A").ask(); len(m.Extra) != 0 {
			t.Errorf("Expected no OPT without one in the query, got %v", m.Extra)
		}
	})
	t.Run("V93 G-47 next, before a plugin that answers, that says NXDOMAIN, and none", func(t *testing.T) {
		for want, next := range map[string]plugin.Handler{
			"192.0.2.9": zoneFile(1, 1, "www.example.org. 5 IN A 192.0.2.9"), "NODATA example.org. 30": zoneFile(3600, 300), "NODATA": nil,
		} {
			h := newHandler(t, record("fail next"), next).down("192.0.2.1", "192.0.2.2")
			if got := h.query("www.example.org.", "A").said(); !strings.HasPrefix(got, want) {
				t.Errorf("Expected %q, got %q", want, got)
			}
		}
	})
	t.Run("H-01 AAAA of an IPv4-only name, in every state and under every fail", func(t *testing.T) {
		for _, fail := range []string{"open", "all", "nodata", "servfail"} {
			h := newHandler(t, record("fail "+fail), nil)
			for range 2 {
				h.query("www.example.org.", "AAAA").is("NODATA example.org. 30")
				if m, rcode := h.query("www.example.org.", "A").ask(); rcode == dns.RcodeNameError || m == nil {
					t.Errorf("Expected never NXDOMAIN, got %v", m)
				}
				h.query("www.example.org.", "AAAA").is("NODATA example.org. 30")
				h.down("192.0.2.1", "192.0.2.2")
			}
		}
	})
}

func errorOf(m *dns.Msg) *dns.EDNS0_EDE {
	if opt := m.IsEdns0(); opt != nil {
		for _, o := range opt.Option {
			if e, ok := o.(*dns.EDNS0_EDE); ok {
				return e
			}
		}
	}
	return nil
}

// scopeOf gives the echoed client subnet as FAMILY SOURCE ADDRESS SCOPE, "" without one.
func scopeOf(m *dns.Msg) string {
	opt := m.IsEdns0()
	if opt == nil {
		return "no OPT"
	}
	for _, o := range opt.Option {
		if e, ok := o.(*dns.EDNS0_SUBNET); ok {
			return fmt.Sprintf("%d %s/%d scope %d", e.Family, e.Address, e.SourceNetmask, e.SourceScope)
		}
	}
	return ""
}

const ecs = `gslb {
	locate ecs TRUST
	region a 203.0.113.0/24 MORE
	region b 198.51.100.0/24
	record www {
		origin 192.0.2.1 region a
		origin 192.0.2.2 region b
		origin 192.0.2.3
		OPTIONS
	}
}`

func ecsHandler(t testing.TB, more, options, trust string) *handler {
	return newHandler(t, strings.NewReplacer("MORE", more, "OPTIONS", options, "TRUST", trust).Replace(ecs), nil)
}

func TestClientSubnet(t *testing.T) {
	const a, b, all = "192.0.2.1", "192.0.2.2", "192.0.2.1 192.0.2.2 192.0.2.3"
	for _, tt := range []struct {
		name, more, options, from, subnet, answer, scope string
	}{
		{"V100 H-11 a mapped subnet", "", "", "", "203.0.113.0/24", a, "1 203.0.113.0/24 scope 24"},
		{"V100 H-11 a longer one", "", "", "", "203.0.113.77/32", a, "1 203.0.113.77/32 scope 24"},
		{"V100 H-11 the other region", "", "", "", "198.51.100.0/24", b, "1 198.51.100.0/24 scope 24"},
		{"V100 unmapped", "", "", "", "100.64.0.0/24", all, "1 100.64.0.0/24 scope 2"},
		{"V100 shorter than the mapping in it", "", "", "", "203.0.0.0/16", all, "1 203.0.0.0/16 scope 18"},
		{"V102 source prefix 0", "", "", "203.0.113.9", "0.0.0.0/0", a, "1 0.0.0.0/0 scope 0"},
		{"V102 a private subnet that no mapping knows", "", "", "198.51.100.7", "10.8.0.0/24", b, "1 10.8.0.0/24 scope 8"},
		{"V102 the same with a mapping elsewhere in it", "10.1.0.0/16", "", "198.51.100.7", "10.8.0.0/24", b, "1 10.8.0.0/24 scope 13"},
		{"V102 with affinity the prefix counts", "", "affinity", "", "203.0.113.77/32", a, "1 203.0.113.77/32 scope 32"},
		{"H-10 IPv6", "", "", "", "2001:db8:1::/56", all, "2 2001:db8:1::/56 scope 1"},
	} {
		t.Run(tt.name+" G-29", func(t *testing.T) {
			q := ecsHandler(t, tt.more, tt.options, "").query("www.example.org.", "A").ecs(tt.subnet)
			if tt.from != "" {
				q.by(tt.from)
			}
			q.is(tt.answer)
			m, _ := q.ask()
			if got := scopeOf(m); got != tt.scope {
				t.Errorf("Expected %q, got %q", tt.scope, got)
			}
		})
	}
	t.Run("V101 G-29 nested mappings", func(t *testing.T) {
		h := newHandler(t, "gslb {\nlocate ecs\nregion a 10.0.0.0/8\nregion b 10.20.0.0/16\nrecord www {\norigin 192.0.2.1 region a\norigin 192.0.2.2 region b\norigin 192.0.2.3\n}\n}", nil)
		for subnet, want := range map[string]string{
			"10.1.1.0/24": a + " scope 12", "10.20.30.0/24": b + " scope 16", "10.21.0.0/16": a + " scope 16",
			"10.0.0.0/8": a + " scope 12", "11.0.0.0/24": all + " scope 8",
		} {
			q := h.query("www.example.org.", "A").ecs(subnet)
			m, _ := q.ask()
			if got := q.said() + scopeOf(m)[strings.Index(scopeOf(m), " scope"):]; got != want {
				t.Errorf("Expected %q for %s, got %q", want, subnet, got)
			}
		}
	})
	t.Run("V102 G-29 negative answers, bad bits, records without regions", func(t *testing.T) {
		h := ecsHandler(t, "", "", "")
		m, _ := h.query("www.example.org.", "AAAA").ecs("203.0.113.0/24").ask()
		if got := scopeOf(m); got != "1 203.0.113.0/24 scope 0" {
			t.Errorf("Expected scope 0 of NODATA, got %q", got)
		}
		m, _ = h.query("x.example.org.", "A").ecs("203.0.113.0/24").ask()
		if got := scopeOf(m); got != "1 203.0.113.0/24 scope 0" {
			t.Errorf("Expected scope 0 of NXDOMAIN, got %q", got)
		}
		for _, name := range []string{"www.example.org.", "x.example.org.", "example.org."} {
			for _, qtype := range []string{"A", "TXT", "CNAME"} {
				h.query(name, qtype).ecs("203.0.113.77/24").is("FORMERR")
			}
		}
		plain := newHandler(t, "gslb {\nlocate ecs\nregion a 203.0.113.0/24\nrecord www {\norigin 192.0.2.1\norigin 192.0.2.2\n}\nrecord app {\norigin 192.0.2.1\norigin 192.0.2.2\naffinity\n}\n}", nil)
		m, _ = plain.query("www.example.org.", "A").ecs("203.0.113.0/24").ask()
		if got := scopeOf(m); got != "1 203.0.113.0/24 scope 0" {
			t.Errorf("Expected scope 0 where the client plays no part, got %q", got)
		}
		for _, subnet := range []string{"203.0.113.0/24", "203.0.112.0/20"} {
			m, _ = plain.query("app.example.org.", "A").ecs(subnet).ask()
			if got, want := scopeOf(m), "1 "+subnet+" scope "+subnet[len(subnet)-2:]; got != want {
				t.Errorf("Expected %q with affinity, got %q", want, got)
			}
		}
	})
	t.Run("V103 H-10 G-29 presence and echo", func(t *testing.T) {
		h := ecsHandler(t, "", "", "")
		for want, q := range map[string]*question{
			"no OPT": h.query("www.example.org.", "A"), "": h.query("www.example.org.", "A").edns(),
			"1 203.0.113.0/24 scope 24": h.query("www.example.org.", "A").ecs("203.0.113.0/24"),
		} {
			m, _ := q.ask()
			if got := scopeOf(m); got != want {
				t.Errorf("Expected %q, got %q", want, got)
			}
		}
		m, _ := ecsHandler(t, "", "", "192.0.2.0/24").query("www.example.org.", "A").by("198.51.100.7").ecs("203.0.113.0/24").ask()
		if got := scopeOf(m); got != "" || m.Answer[0].(*dns.A).A.String() != b {
			t.Errorf("Expected an untrusted subnet to be ignored, got %q, %v", got, m.Answer)
		}
		m, _ = ecsHandler(t, "", "locate source", "").query("www.example.org.", "A").ecs("203.0.113.0/24").ask()
		if got := scopeOf(m); got != "" {
			t.Errorf("Expected no echo under locate source, got %q", got)
		}
	})
	t.Run("H-13 unknown, private and unmapped clients are answered", func(t *testing.T) {
		h := newHandler(t, "gslb {\nlocate ecs\nnode region a\nregion a\nregion b 198.51.100.0/24\nregion c 10.9.0.0/16\nrecord www {\norigin 192.0.2.1 region a\norigin 192.0.2.2 region b\norigin 192.0.2.3 region c\n}\n}", nil)
		h.query("www.example.org.", "A").by("198.51.100.7").is(b)
		h.query("www.example.org.", "A").ecs("100.64.0.0/24").is(a)
		h.query("www.example.org.", "A").ecs("10.9.0.0/24").is("192.0.2.3")
		h.query("www.example.org.", "A").by("198.51.100.7").ecs("10.8.0.0/24").is(b)
	})
	t.Run("V07 DTM-LB-31 the node's region stands in for a client that no mapping knows", func(t *testing.T) {
		h := newHandler(t, "gslb {\nnode region ne\nregion we 10.1.0.0/16\nregion ne 10.2.0.0/16\nrecord www {\norigin 192.0.2.1 region we\norigin 192.0.2.2 region ne\n}\n}", nil)
		h.query("www.example.org.", "A").is(b)
		h.query("www.example.org.", "A").by("10.1.0.9").is(a)
	})
	t.Run("V98 IPv4-mapped clients and origins", func(t *testing.T) {
		h := newHandler(t, "gslb {\nregion we 10.1.0.0/16\nrecord www {\norigin ::ffff:192.0.2.1 region we\norigin 192.0.2.2\n}\n}", nil)
		h.query("www.example.org.", "A").by("::ffff:10.1.0.9").is(a)
		h.query("www.example.org.", "AAAA").is("NODATA example.org. 30")
	})
	t.Run("V87 COR-31 proximity from the node's location", func(t *testing.T) {
		h := newHandler(t, "gslb {\ncheck web {\ntcp 80\n}\nnode location 0 179.5\nlocate node\nrecord www {\norigin 192.0.2.1 location 0 170\norigin 192.0.2.2 location 0 -179.5\norigin 192.0.2.3\npolicy proximity\ncheck web\n}\n}", nil)
		h.query("www.example.org.", "A").is(b)
		h.down("192.0.2.2").query("www.example.org.", "A").is(a)
		h.down("192.0.2.1").query("www.example.org.", "A").is("192.0.2.3")
	})
}

func TestOptions(t *testing.T) {
	t.Run("H-08 options are not mirrored", func(t *testing.T) {
		h := newHandler(t, www, nil)
		q := h.query("www.example.org.", "A").edns()
		q.m.IsEdns0().Option = []dns.EDNS0{
			&dns.EDNS0_LOCAL{Code: 100, Data: []byte("x")}, &dns.EDNS0_COOKIE{Code: dns.EDNS0COOKIE, Cookie: "0011223344556677"}, &dns.EDNS0_LOCAL{Code: 65001, Data: []byte("y")},
		}
		m, _ := q.ask()
		if opt := m.IsEdns0(); opt == nil || opt.Version() != 0 || len(opt.Option) != 0 || len(m.Extra) != 1 {
			t.Errorf("Expected one bare OPT, got %v", m.Extra)
		}
	})
	t.Run("H-50 nothing of a reply is shared but its addresses", func(t *testing.T) {
		h := newHandler(t, www, nil)
		one, _ := h.query("www.example.org.", "A").ask()
		two, _ := h.query("www.example.org.", "A").ask()
		if cap(one.Answer) != len(one.Answer) {
			t.Errorf("Expected no room behind the answer, got %d of %d", len(one.Answer), cap(one.Answer))
		}
		one.Answer[0].Header().Ttl, one.Question[0].Name = 1, "x."
		if two.Answer[0].Header().Ttl != 30 || two.Question[0].Name != "www.example.org." {
			t.Errorf("Expected replies of their own, got %v", two)
		}
	})
	t.Run("H-09 another class", func(t *testing.T) {
		q := newHandler(t, www, nil).query("www.example.org.", "A")
		q.m.Question[0].Qclass = dns.ClassCHAOS
		q.is("REFUSED")
	})
	t.Run("DTM-LB-16 with a signer above, and DO, the order stays", func(t *testing.T) {
		h := newHandler(t, "gslb {\nrecord www {\norigin 192.0.2.3\norigin 192.0.2.1\norigin 192.0.2.2\npolicy round-robin\nanswers all\n}\n}", nil)
		h.signed = true
		for range 5 {
			h.query("www.example.org.", "A").do().is("192.0.2.1 192.0.2.2 192.0.2.3")
		}
	})
}

func TestServeDNSCost(t *testing.T) {
	h := newHandler(t, www, nil)
	m := h.query("www.example.org.", "A").m
	w := &test.ResponseWriter{}
	if n := testing.AllocsPerRun(200, func() { h.ServeDNS(context.Background(), w, m) }); n > 4+1 { // one is the test writer's address
		t.Errorf("Expected at most 4 allocations of ours, got %v", n)
	}
}

func FuzzServeDNS(f *testing.F) {
	h := ecsHandler(f, "", "affinity 1h", "")
	for _, q := range []*question{h.query("www.example.org.", "A"), h.query("WWW.example.org.", "AAAA").ecs("10.0.0.0/8"), h.query("x.y.example.org.", "ANY").do()} {
		raw, _ := q.m.Pack()
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m := new(dns.Msg)
		if m.Unpack(raw) != nil || len(m.Question) != 1 {
			return
		}
		q := &question{&handler{h.GSLB, t}, m, "192.0.2.9"}
		reply, rcode := q.ask()
		if reply == nil {
			if rcode != dns.RcodeRefused && rcode != dns.RcodeFormatError {
				t.Errorf("Expected a reply, got %s", dns.RcodeToString[rcode])
			}
			return
		}
		if _, err := reply.Pack(); err != nil {
			t.Errorf("Expected a reply that packs, got %v", err)
		}
		if reply.Id != m.Id || !reply.Response || m.IsEdns0() == nil && reply.IsEdns0() != nil {
			t.Errorf("Expected a reply to the query, got %v", reply)
		}
	})
}
