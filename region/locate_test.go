package region

import (
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const (
	we ID = iota + 1
	ne
	sa
)

// regions names we, ne and sa.
func regions(t testing.TB) *Names {
	t.Helper()
	n := new(Names)
	for _, name := range []string{"we", "ne", "sa"} {
		if _, err := n.Intern(name); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

func locator(t testing.TB, node Node, words ...any) *Locator {
	t.Helper()
	l, err := NewLocator(Config{Names: regions(t), Node: node, Mappings: mapped(t, words...)})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func addr(s string) netip.Addr { return netip.MustParseAddr(s) }

// from is a request with the source and, if there is one, the subnet sent.
func from(mode Mode, source, subnet string) Request {
	q := Request{Mode: mode, Source: addr(source)}
	if subnet != "" {
		q.ECS, q.HasECS = netip.MustParsePrefix(subnet), true
	}
	return q
}

var vectors = []any{"10.1.0.0/16", int(we), "10.2.0.0/16", int(ne), "10.3.0.0/16", int(sa)}

func TestLocateRegion(t *testing.T) {
	h13 := []any{"192.0.2.0/24", int(we), "198.51.100.0/24", int(ne), "10.9.0.0/16", int(sa)}
	v100 := []any{"203.0.113.0/24", int(we), "198.51.100.0/24", int(ne)}
	for _, tt := range []struct {
		name           string
		mappings       []any
		node           ID
		mode           Mode
		source, subnet string
		want           ID
	}{
		{"V02 a we client", vectors, 0, Source, "10.1.0.9", "", we},
		{"V04 a sa client", vectors, 0, Source, "10.3.0.9", "", sa},
		{"V07 DTM-LB-31 no mapping knows it, the node's region", vectors, ne, Source, "172.16.0.1", "", ne},
		{"V07 G-36 no mapping knows it, the node has none", vectors, 0, Source, "172.16.0.1", "", 0},
		{"V98 an IPv4-mapped source", vectors, 0, Source, "::ffff:10.1.0.9", "", we},
		{"DTM-LB-32 COR-14 under source the forwarder's region, whatever subnet it sends", vectors, 0, Source, "10.2.0.9", "10.1.0.0/24", ne},
		{"COR-32 under node the node's region", vectors, ne, AtNode, "10.1.0.9", "10.3.0.0/24", ne},
		{"H-13 a: without a subnet the source", h13, we, ECS, "198.51.100.7", "", ne},
		{"H-13 b: an unmapped subnet is at the node", h13, we, ECS, "198.51.100.7", "100.64.0.0/24", we},
		{"H-13 c: a mapped private subnet", h13, we, ECS, "198.51.100.7", "10.9.0.0/24", sa},
		{"H-13 d: an unmapped private subnet, so the source", h13, we, ECS, "198.51.100.7", "10.8.0.0/24", ne},
		{"the same, the source unknown too", h13, we, ECS, "100.64.0.1", "10.8.0.0/24", we},
		{"the same with RFC 4193", h13, we, ECS, "198.51.100.7", "fd00:1::/48", ne},
		{"H-11 a, b", v100, 0, ECS, "192.0.2.53", "203.0.113.77/32", we},
		{"H-11 c", v100, 0, ECS, "192.0.2.53", "198.51.100.0/24", ne},
		{"G-29 V102 source prefix 0, so the source", v100, 0, ECS, "203.0.113.9", "0.0.0.0/0", we},
		{"the same in IPv6", v100, 0, ECS, "203.0.113.9", "::/0", we},
		{"an IPv4-mapped subnet counts as IPv4", v100, 0, ECS, "192.0.2.53", "::ffff:203.0.113.0/120", we},
		{"a subnet sent with address bits beyond it", v100, 0, ECS, "192.0.2.53", "203.0.113.77/16", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := locator(t, Node{Region: tt.node}, tt.mappings...)
			if got := l.Locate(from(tt.mode, tt.source, tt.subnet)).Region; got != tt.want {
				t.Errorf("got region %d, want %d", got, tt.want)
			}
		})
	}
	t.Run("DTM-LB-06 an origin's region is its address's, and the node does not stand in", func(t *testing.T) {
		l := locator(t, Node{Region: ne}, vectors...)
		for a, want := range map[string]ID{"10.1.0.9": we, "::ffff:10.3.0.9": sa, "192.0.2.1": 0} {
			if got := l.Region(addr(a)); got != want {
				t.Errorf("%s: got region %d, want %d", a, got, want)
			}
		}
	})
	t.Run("a source that is no address is at the node", func(t *testing.T) {
		l := locator(t, Node{Region: ne}, vectors...)
		if c := l.Locate(Request{}); c.Region != ne || c.Addr.IsValid() {
			t.Errorf("got %+v", c)
		}
	})
}

func TestLocateScope(t *testing.T) {
	v100 := []any{"203.0.113.0/24", int(we), "198.51.100.0/24", int(ne)}
	v101 := []any{"10.0.0.0/8", int(we), "10.20.0.0/16", int(ne)}
	v102 := append([]any{"10.1.0.0/16", int(we)}, v100...)
	for _, tt := range []struct {
		name           string
		mappings       []any
		source, subnet string
		region         ID
		bits           uint8
	}{
		{"V100 scope of a mapped /24 is 24", v100, "192.0.2.53", "203.0.113.0/24", we, 24},
		{"V100 scope of a host in it is 24", v100, "192.0.2.53", "203.0.113.77/32", we, 24},
		{"V100 scope in region b is 24", v100, "192.0.2.53", "198.51.100.0/24", ne, 24},
		{"V100 scope of an unmapped subnet is 2", v100, "192.0.2.53", "100.64.0.0/24", 0, 2},
		{"V100 scope may be longer than what was sent", v100, "192.0.2.53", "203.0.0.0/16", 0, 18},
		{"V101 10.1.1.0/24", v101, "192.0.2.53", "10.1.1.0/24", we, 12},
		{"V101 10.20.30.0/24", v101, "192.0.2.53", "10.20.30.0/24", ne, 16},
		{"V101 10.21.0.0/16", v101, "192.0.2.53", "10.21.0.0/16", we, 16},
		{"V101 10.0.0.0/8", v101, "192.0.2.53", "10.0.0.0/8", we, 12},
		{"V101 11.0.0.0/24", v101, "192.0.2.53", "11.0.0.0/24", 0, 8},
		{"V102 source prefix 0 has scope 0", v100, "203.0.113.9", "0.0.0.0/0", we, 0},
		{"V102 a private subnet has the scope of its network", v100, "198.51.100.7", "10.8.0.0/24", ne, 8},
		{"V102 but not where a mapping is", v102, "198.51.100.7", "10.8.0.0/24", ne, 13},
		{"without a mapping no address makes a difference", nil, "198.51.100.7", "203.0.113.0/24", 0, 0},
		{"nor does a private one", nil, "198.51.100.7", "10.8.0.0/24", 0, 0},
		{"without ECS there is no scope", v100, "203.0.113.9", "", we, 0},
		{"an IPv4-mapped subnet has its scope in IPv6", v100, "192.0.2.53", "::ffff:203.0.113.0/120", we, 120},
		{"IPv6", []any{"2001:db8::/32", int(we)}, "192.0.2.53", "2001:db8:1::/56", we, 32},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := locator(t, Node{}, tt.mappings...).Locate(from(ECS, tt.source, tt.subnet))
			if c.Region != tt.region || c.RegionBits != tt.bits {
				t.Errorf("got region %d, scope %d; want %d, %d", c.Region, c.RegionBits, tt.region, tt.bits)
			}
			if c.PlaceBits != 0 || c.ASNBits != 0 {
				t.Errorf("got scopes %d and %d of a place that nothing knows", c.PlaceBits, c.ASNBits)
			}
		})
	}
}

func TestLocateAddress(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::/32")}
	for _, tt := range []struct {
		name           string
		mode           Mode
		trusted        []netip.Prefix
		source, subnet string
		addr           string
		bits           uint8
		used, echo     bool
	}{
		{"G-05 the source, without the mapped form and the zone", Source, nil, "::ffff:192.0.2.1", "", "192.0.2.1", 0, false, false},
		{"the source without its zone", Source, nil, "fe80::1%eth0", "", "fe80::1", 0, false, false},
		{"V103 ECS under source: no option goes back", Source, nil, "192.0.2.1", "203.0.113.0/24", "192.0.2.1", 0, false, false},
		{"G-05 under node the address stays the source's", AtNode, nil, "192.0.2.1", "203.0.113.0/24", "192.0.2.1", 0, false, false},
		{"G-05 under ecs the subnet sent", ECS, nil, "192.0.2.1", "203.0.113.0/24", "203.0.113.0", 24, true, true},
		{"V103 a query without ECS", ECS, nil, "192.0.2.1", "", "192.0.2.1", 0, false, false},
		{"V103 from a trusted source", ECS, trusted, "192.0.2.53", "203.0.113.0/24", "203.0.113.0", 24, true, true},
		{"from a trusted source, IPv4-mapped", ECS, trusted, "::ffff:192.0.2.53", "203.0.113.0/24", "203.0.113.0", 24, true, true},
		{"from the second trusted network", ECS, trusted, "2001:db8::53", "203.0.113.0/24", "203.0.113.0", 24, true, true},
		{"V103 from another source: none goes back", ECS, trusted, "198.51.100.7", "203.0.113.0/24", "198.51.100.7", 0, false, false},
		{"V102 source prefix 0 goes back, the source counts", ECS, nil, "192.0.2.1", "0.0.0.0/0", "192.0.2.1", 0, false, true},
		{"V102 affinity's scope is what was sent", ECS, nil, "192.0.2.1", "203.0.113.77/20", "203.0.112.0", 20, true, true},
		{"a private subnet is still who asks", ECS, nil, "192.0.2.1", "10.8.0.0/24", "10.8.0.0", 24, true, true},
		{"an IPv4-mapped subnet", ECS, nil, "192.0.2.1", "::ffff:203.0.113.0/120", "203.0.113.0", 120, true, true},
		{"IPv6", ECS, nil, "192.0.2.1", "2001:db8:1::/56", "2001:db8:1::", 56, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q := from(tt.mode, tt.source, tt.subnet)
			q.Trusted = tt.trusted
			c := locator(t, Node{}, vectors...).Locate(q)
			if c.Addr != addr(tt.addr) || c.AddrBits != tt.bits || c.UsedECS != tt.used || c.EchoECS != tt.echo {
				t.Errorf("got %v, %d bits, used %t, echo %t; want %s, %d, %t, %t", c.Addr, c.AddrBits, c.UsedECS, c.EchoECS, tt.addr, tt.bits, tt.used, tt.echo)
			}
		})
	}
}

func TestLocatePlace(t *testing.T) {
	fra := Place{Pop: "FRA", Country: Code{'D', 'E'}, Continent: Code{'E', 'U'}, Location: at(t, 50.11, 8.68)}
	l := locator(t, Node{Region: we, Place: fra}, vectors...)
	for name, q := range map[string]Request{
		"COR-32 under node":                              from(AtNode, "10.2.0.9", ""),
		"COR-36 under source, as nothing knows better":   from(Source, "10.2.0.9", ""),
		"COR-36 under ecs, as nothing knows better":      from(ECS, "10.2.0.9", "203.0.113.0/24"),
		"G-29 a private subnet that no mapping knows":    from(ECS, "10.2.0.9", "10.8.0.0/24"),
		"G-41 a mapped region does not change the place": from(ECS, "10.2.0.9", "10.3.0.0/24"),
	} {
		t.Run(name+" the place is the node's", func(t *testing.T) {
			if c := l.Locate(q); c.Place != fra || c.ASN != 0 || c.PlaceBits != 0 {
				t.Errorf("got %+v", c)
			}
		})
	}
}

func TestSetSubnets(t *testing.T) {
	names := regions(t)
	l, err := NewLocator(Config{Names: names, Mappings: mapped(t, "10.1.0.0/16", int(we)), Needed: []ID{ne}})
	if err != nil {
		t.Fatal(err)
	}
	region := func(a string) ID { return l.Locate(from(Source, a, "")).Region }
	set := func(text string) error {
		ms, err := ParseSubnets("s.csv", []byte(text), names)
		if err != nil {
			return err
		}
		return l.SetSubnets(ms)
	}
	if err := set("10.2.0.0/16,ne\n10.3.0.0/16,sa\n"); err != nil {
		t.Fatal(err)
	}
	if region("10.1.0.9") != we || region("10.2.0.9") != ne || region("10.3.0.9") != sa {
		t.Error("got other regions than those of the configuration and the file together")
	}
	for _, tt := range []struct{ name, text, want string }{
		{"H-43 emptied while running", "", "no mapping"},
		{"a region that it alone defined is gone", "10.2.0.0/16,sa\n", `"ne"`},
		{"a prefix of the configuration in another region", "10.2.0.0/16,ne\n10.1.0.0/16,sa\n", "s.csv:2"},
		{"the same, in the same region", "10.2.0.0/16,ne\n10.1.0.0/16,we\n", "defined twice"},
		{"a prefix twice in the file", "10.2.0.0/16,ne\n10.2.0.0/16,ne\n", "defined twice"},
	} {
		t.Run(tt.name+": refused, and the former content stays", func(t *testing.T) {
			if err := set(tt.text); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %s", err, tt.want)
			}
			if region("10.1.0.9") != we || region("10.2.0.9") != ne || region("10.3.0.9") != sa {
				t.Error("the former content is gone")
			}
		})
	}
	t.Run("a later file replaces the former one and leaves the configuration's own", func(t *testing.T) {
		if err := set("10.4.0.0/16,NE\n10.5.0.0/16,new\n"); err != nil {
			t.Fatal(err)
		}
		if region("10.1.0.9") != we || region("10.2.0.9") != 0 || region("10.4.0.9") != ne || region("10.5.0.9") != names.ID("new") {
			t.Error("got other regions than those of the configuration and the later file")
		}
	})
	t.Run("a locator refuses what Build refuses", func(t *testing.T) {
		if _, err := NewLocator(Config{Mappings: mapped(t, "10.1.0.0/16", 1, "10.1.0.0/16", 2)}); err == nil {
			t.Error("it did not")
		}
	})
}

// TestScopesDoNotContradict holds RFC 7871's demand by asking with every host of a small network: two answers whose scopes
// overlap have the same region, and every host inside a scope gets what the scope promises.
func TestScopesDoNotContradict(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		node := Node{Region: ID(rapid.IntRange(0, 3).Draw(rt, "node"))}
		l, err := NewLocator(Config{Node: node, Mappings: small(rt)})
		if err != nil {
			rt.Fatal(err)
		}
		q := Request{Mode: ECS, HasECS: true, Source: addr(rapid.SampledFrom([]string{"11.0.0.7", "203.0.113.1", "fdff::9"}).Draw(rt, "source"))}
		base := netip.MustParsePrefix(rapid.SampledFrom([]string{"10.255.255.0/24", "11.0.0.0/24", "0.0.0.0/24", "fdff::/120", "fe00::/120"}).Draw(rt, "asked"))
		for a := base.Addr(); base.Contains(a); a = a.Next() {
			q.ECS = netip.PrefixFrom(a, a.BitLen())
			c := l.Locate(q)
			scope, _ := a.Prefix(max(int(c.RegionBits), base.Bits()))
			for b := scope.Addr(); scope.Contains(b); b = b.Next() {
				q.ECS = netip.PrefixFrom(b, b.BitLen())
				if d := l.Locate(q); d.Region != c.Region || d.RegionBits != c.RegionBits {
					rt.Fatalf("%v is in region %d with scope %d, %v inside it in %d with %d", a, c.Region, c.RegionBits, b, d.Region, d.RegionBits)
				}
			}
			a = last(scope) // what lies between has just been asked
		}
	})
}

func TestLocateDoesNotAllocate(t *testing.T) {
	l := locator(t, Node{Region: we, Place: Place{Location: at(t, 1, 2)}}, vectors...)
	var sink Client
	for name, q := range map[string]Request{
		"source":         from(Source, "10.1.0.9", ""),
		"node":           from(AtNode, "10.1.0.9", ""),
		"ecs":            from(ECS, "10.1.0.9", "10.2.0.0/24"),
		"ecs, private":   from(ECS, "10.1.0.9", "192.168.0.0/24"),
		"ecs, IPv6":      from(ECS, "10.1.0.9", "2001:db8::/48"),
		"source, mapped": from(Source, "::ffff:10.1.0.9", ""),
	} {
		q.Trusted = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
		if n := testing.AllocsPerRun(100, func() { sink = l.Locate(q) }); n != 0 {
			t.Errorf("%s: got %v allocations, want 0", name, n)
		}
	}
	_ = sink
}
