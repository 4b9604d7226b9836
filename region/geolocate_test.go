package region

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

var (
	de, at0, eu, na = Code{'D', 'E'}, Code{'A', 'T'}, Code{'E', 'U'}, Code{'N', 'A'}
)

// geo is a locator with databases.
func geo(t testing.TB, c Config, dbs ...*Database) *Locator {
	t.Helper()
	c.Databases = len(dbs)
	if c.Names == nil {
		c.Names = regions(t)
	}
	l, err := NewLocator(c)
	if err != nil {
		t.Fatal(err)
	}
	for i, db := range dbs {
		if err := l.SetDatabase(i, db); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

func TestGeoPlace(t *testing.T) {
	here := at(t, 50.11, 8.68)
	node := Node{Region: sa, Place: Place{Pop: "FRA", Country: de, Continent: eu, Location: here}}
	l := geo(t, Config{Node: node, Mappings: mapped(t, "192.0.2.0/24", int(we))}, database(t, nets{
		"203.0.113.0/24":  country("AT", "EU"),
		"198.51.100.0/24": city("US", "NA", 39.04, -77.49),
		"192.0.2.0/24":    country("AT", "EU"),
		"192.88.99.0/24":  m{"continent": m{"code": str("NA")}, "location": m{"latitude": f64(1), "longitude": f64(2)}},
		"100.64.0.0/16":   asn(64500),
		"10.0.0.0/8":      country("AT", "EU"),
	}))
	for _, tt := range []struct {
		name string
		q    Request
		want string // pop, country, continent, location, ASN
	}{
		{"COR-33 V34 COR-35 a known country without coordinates has none, and no pop", from(Source, "203.0.113.5", ""), " AT EU <nil> 0"},
		{"COR-34 V33 a client located by its address has no pop", from(Source, "198.51.100.5", ""), " US NA 39.04 -77.49 0"},
		{"COR-36 V33 an unknown address is at the node", from(Source, "203.0.112.5", ""), "FRA DE EU 50.11 8.68 0"},
		{"COR-32 under node the place is the node's and there is no ASN", from(AtNode, "100.64.0.1", ""), "FRA DE EU 50.11 8.68 0"},
		{"G-41 an unknown country: the whole place is the node's", from(Source, "192.88.99.1", ""), "FRA DE EU 50.11 8.68 0"},
		{"G-41 but the ASN is no part of a place", from(Source, "100.64.0.1", ""), "FRA DE EU 50.11 8.68 64500"},
		{"G-41 the region is judged apart", from(Source, "192.0.2.1", ""), " AT EU <nil> 0"},
		{"under ecs the subnet's", from(ECS, "203.0.113.5", "198.51.100.0/24"), " US NA 39.04 -77.49 0"},
		{"under ecs, unknown", from(ECS, "203.0.113.5", "203.0.112.0/24"), "FRA DE EU 50.11 8.68 0"},
		{"G-29 a private subnet that no mapping knows: the source's, whatever a database says", from(ECS, "198.51.100.5", "10.8.0.0/24"), " US NA 39.04 -77.49 0"},
		{"source prefix 0: the source's", from(ECS, "198.51.100.5", "0.0.0.0/0"), " US NA 39.04 -77.49 0"},
		{"an IPv4-mapped source", from(Source, "::ffff:203.0.113.5", ""), " AT EU <nil> 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := l.Locate(tt.q)
			if got := fmt.Sprintln(c.Place.Pop, c.Place.Country, c.Place.Continent, c.Place.Location, c.ASN); strings.TrimSuffix(got, "\n") != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			tt.q.RegionOnly = true
			if d := l.Locate(tt.q); d.Region != c.Region || d.RegionBits != c.RegionBits || d.Addr != c.Addr || d.PlaceBits != 0 {
				t.Errorf("asked for the region only: got %+v, want the same region as in %+v", d, c)
			}
		})
	}
	t.Run("G-36 nothing is known where nothing knows", func(t *testing.T) {
		if c := geo(t, Config{}, database(t, nets{"203.0.113.0/24": country("AT", "EU")})).Locate(from(Source, "203.0.112.1", "")); c.Place != (Place{}) || c.Region != 0 {
			t.Errorf("got %+v", c)
		}
	})
}

func TestGeoRegion(t *testing.T) {
	lines := []Line{
		{ASN: 64500, Region: we, At: "f:1"},
		{Country: de, Region: ne, At: "f:2"},
		{Continent: eu, Region: sa, At: "f:3"},
	}
	as := database(t, nets{"203.0.113.0/26": asn(64500), "198.51.100.0/26": asn(64501)})
	places := database(t, nets{
		"203.0.113.0/24":  country("DE", "EU"),
		"198.51.100.0/24": country("DE", "EU"),
		"192.0.2.0/24":    country("AT", "EU"),
		"192.88.99.0/24":  m{"continent": m{"code": str("EU")}},
		"100.64.0.0/16":   country("US", "NA"),
	})
	for _, tt := range []struct {
		name, addr string
		node       Node
		want       ID
	}{
		{"DTM-LB-29 the subnets first", "203.0.113.200", Node{}, 9},
		{"DTM-LB-29 then asn", "203.0.113.5", Node{}, we},
		{"DTM-LB-29 then country", "198.51.100.5", Node{}, ne},
		{"DTM-LB-29 then continent", "192.0.2.5", Node{}, sa},
		{"G-41 region is judged apart: a continent will do without a country", "192.88.99.5", Node{Place: Place{Country: de}}, sa},
		{"DTM-LB-31 then the node's region", "100.64.0.5", Node{Region: 8, Place: Place{Country: de, Continent: eu}}, 8},
		{"a node without a region is in its country's", "100.64.0.5", Node{Place: Place{Country: de, Continent: eu}}, ne},
		{"or in its continent's", "100.64.0.5", Node{Place: Place{Country: at0, Continent: eu}}, sa},
		{"G-36 or in none", "100.64.0.5", Node{Place: Place{Country: at0, Continent: na}}, 0},
		{"no address", "::", Node{}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := geo(t, Config{Node: tt.node, Lines: lines, Mappings: mapped(t, "203.0.113.192/26", 9)}, as, places)
			for _, mode := range []Mode{Source, ECS} {
				for _, only := range []bool{false, true} {
					q := from(mode, tt.addr, tt.addr+"/32")
					q.RegionOnly = only
					if got := l.Locate(q).Region; got != tt.want {
						t.Errorf("mode %d, region only %t: got region %d, want %d", mode, only, got, tt.want)
					}
				}
			}
			if l.Locate(from(AtNode, "203.0.113.5", "")).Region != l.Locate(from(Source, "255.0.0.1", "")).Region {
				t.Error("COR-32 under node the region is not what stands in for the unknown")
			}
		})
	}
	t.Run("an origin's region comes from the subnets alone", func(t *testing.T) {
		l := geo(t, Config{Lines: lines}, as, places)
		if got := l.Region(addr("203.0.113.5")); got != 0 {
			t.Errorf("got region %d", got)
		}
	})
}

func TestLines(t *testing.T) {
	for _, tt := range []struct {
		name string
		c    Config
		want string
	}{
		{"a country in two regions", Config{Databases: 1, Lines: []Line{{Country: de, Region: 1, At: "f:1"}, {Country: at0, Region: 1, At: "f:2"}, {Country: de, Region: 2, At: "f:3"}}}, "country DE is in two regions: at f:1 and at f:3"},
		{"a continent in two regions", Config{Databases: 1, Lines: []Line{{Continent: eu, Region: 1, At: "f:1"}, {Continent: eu, Region: 2, At: "f:3"}}}, "continent EU is in two regions: at f:1 and at f:3"},
		{"an ASN in two regions", Config{Databases: 1, Lines: []Line{{ASN: 7, Region: 1, At: "f:1"}, {ASN: 7, Region: 2, At: "f:3"}}}, "asn 7 is in two regions: at f:1 and at f:3"},
		{"an ASN twice in a region", Config{Databases: 1, Lines: []Line{{ASN: 7, Region: 1, At: "f:1"}, {ASN: 7, Region: 1, At: "f:3"}}}, "asn 7 is defined twice: at f:1 and at f:3"},
		{"asn without geoip", Config{Node: Node{Place: Place{Country: de}}, Lines: []Line{{ASN: 7, Region: 1, At: "f:1"}}}, "f:1: asn 7 needs geoip"},
		{"country without geoip and a node's", Config{Node: Node{Place: Place{Continent: eu}}, Lines: []Line{{Country: de, Region: 1, At: "f:1"}}}, "f:1: country DE needs geoip"},
		{"continent without geoip and a node's", Config{Node: Node{Place: Place{Country: de}}, Lines: []Line{{Continent: eu, Region: 1, At: "f:1"}}}, "f:1: continent EU needs geoip"},
		{"a line of nothing", Config{Databases: 1, Lines: []Line{{Region: 1, At: "f:1"}}}, "f:1"},
	} {
		t.Run(tt.name+" is refused", func(t *testing.T) {
			if l, err := NewLocator(tt.c); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, %v, want %q", l, err, tt.want)
			}
		})
	}
	t.Run("a conflict is a *ConflictError", func(t *testing.T) {
		_, err := newLines([]Line{{ASN: 7, Region: 1, At: "f:1"}, {ASN: 7, Region: 2, At: "f:2"}})
		var c *ConflictError
		if !errors.As(err, &c) || *c != (ConflictError{"asn 7", "f:1", "f:2", [2]ID{1, 2}}) {
			t.Errorf("got %#v", err)
		}
	})
	t.Run("a country line needs no geoip where the node has a country", func(t *testing.T) {
		l := geo(t, Config{Node: Node{Place: Place{Country: de}}, Lines: []Line{{Country: de, Region: ne, At: "f:1"}}})
		c := l.Locate(from(ECS, "192.0.2.1", "203.0.113.0/24"))
		if c.Region != ne || c.RegionBits != 0 {
			t.Errorf("got %+v, want the node's region for everybody, scope 0", c)
		}
	})
}

func TestGeoScope(t *testing.T) {
	places := database(t, nets{"203.0.113.0/26": country("DE", "EU"), "203.0.113.64/26": country("AT", "EU")})
	as := database(t, nets{"203.0.113.0/28": asn(64500)})
	lines := []Line{{ASN: 64500, Region: we}, {Country: de, Region: ne}}
	for _, tt := range []struct {
		name                string
		c                   Config
		subnet              string
		region, place, asns uint8
	}{
		{"G-29 each part has the block it was found by", Config{}, "203.0.113.0/24", 0, 26, 28},
		{"G-29 a region by a mapping rests on the mapping alone", Config{Mappings: mapped(t, "203.0.113.0/24", 1)}, "203.0.113.0/24", 24, 26, 28},
		{"G-29 a region by asn rests on the ASN's block", Config{Lines: lines[:1]}, "203.0.113.0/24", 28, 26, 28},
		{"G-29 a region by asn was not sought by country", Config{Lines: lines}, "203.0.113.0/24", 28, 26, 28},
		{"G-29 a region by country was sought by asn before", Config{Lines: lines}, "203.0.113.16/28", 28, 26, 28},
		{"G-29 a region by country rests on the country's block", Config{Lines: lines[1:]}, "203.0.113.16/28", 26, 26, 28},
		{"G-29 a hole has a block too", Config{Lines: lines[1:]}, "203.0.113.128/25", 25, 25, 25},
		{"G-29 a hole ends where a private network begins", Config{Lines: lines[1:]}, "11.0.0.0/24", 8, 8, 8},
		{"G-29 but that one is private no more if it is mapped", Config{Mappings: mapped(t, "10.0.0.0/8", 1, "172.16.0.0/12", 1, "192.168.0.0/16", 1)}, "11.0.0.0/24", 8, 1, 1},
		{"G-29 a mapping cuts no place", Config{Mappings: mapped(t, "11.0.0.0/16", 1)}, "11.0.0.0/24", 16, 8, 8},
		{"G-29 a private subnet has the block that no mapping is in", Config{Lines: lines}, "10.8.0.0/24", 8, 8, 8},
		{"G-29 and not the source's", Config{Lines: lines, Mappings: mapped(t, "10.1.0.0/16", 1)}, "10.8.0.0/24", 13, 13, 13},
		{"source prefix 0 has none", Config{Lines: lines}, "0.0.0.0/0", 0, 0, 0},
		{"an IPv4-mapped subnet has them in IPv6", Config{Lines: lines}, "::ffff:203.0.113.0/120", 124, 122, 124},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := geo(t, tt.c, places, as).Locate(from(ECS, "203.0.113.5", tt.subnet))
			if c.RegionBits != tt.region || c.PlaceBits != tt.place || c.ASNBits != tt.asns {
				t.Errorf("got scopes %d, %d, %d; want %d, %d, %d", c.RegionBits, c.PlaceBits, c.ASNBits, tt.region, tt.place, tt.asns)
			}
		})
	}
	t.Run("without ECS there is none", func(t *testing.T) {
		if c := geo(t, Config{Lines: lines}, places, as).Locate(from(ECS, "203.0.113.5", "")); c.RegionBits != 0 || c.PlaceBits != 0 || c.ASNBits != 0 {
			t.Errorf("got %+v", c)
		}
	})
	t.Run("what nothing knows has none", func(t *testing.T) {
		if c := geo(t, Config{}, as).Locate(from(ECS, "203.0.113.5", "203.0.113.0/24")); c.PlaceBits != 0 || c.ASNBits != 28 {
			t.Errorf("got %+v", c)
		}
	})
}

// TestGeoScopesDoNotContradict is TestScopesDoNotContradict with databases and lines, and for each part of a client.
func TestGeoScopesDoNotContradict(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		random := func(records ...m) nets {
			all := nets{"2001:db8::/32": records[0]} // never empty
			for range rapid.IntRange(0, 6).Draw(rt, "n") {
				base := rapid.SampledFrom([]string{"10.255.255.", "11.0.0."}).Draw(rt, "base")
				a := addr(base + fmt.Sprint(rapid.Byte().Draw(rt, "low")))
				p, _ := a.Prefix(rapid.IntRange(22, 32).Draw(rt, "bits"))
				all[p.String()] = rapid.SampledFrom(records).Draw(rt, "record")
			}
			return all
		}
		l := geo(t, Config{
			Node:     Node{Region: ID(rapid.IntRange(0, 3).Draw(rt, "node"))},
			Mappings: small(rt),
			Lines:    []Line{{ASN: 1, Region: 11}, {Country: de, Region: 12}, {Continent: eu, Region: 13}}[:rapid.IntRange(0, 3).Draw(rt, "lines")],
		}, database(t, random(country("DE", "EU"), country("AT", "EU"), country("US", "NA"))), database(t, random(asn(1), asn(2))))
		q := Request{Mode: ECS, HasECS: true, Source: addr(rapid.SampledFrom([]string{"11.0.0.7", "203.0.113.1"}).Draw(rt, "source"))}
		locate := func(a netip.Addr) Client {
			q.ECS = netip.PrefixFrom(a, 32)
			return l.Locate(q)
		}
		base := netip.MustParsePrefix(rapid.SampledFrom([]string{"10.255.255.0/24", "11.0.0.0/24"}).Draw(rt, "asked"))
		type part struct {
			name  string
			bits  func(Client) uint8
			value func(Client) any
		}
		for _, p := range []part{
			{"region", func(c Client) uint8 { return c.RegionBits }, func(c Client) any { return c.Region }},
			{"place", func(c Client) uint8 { return c.PlaceBits }, func(c Client) any { return c.Place }},
			{"ASN", func(c Client) uint8 { return c.ASNBits }, func(c Client) any { return c.ASN }},
		} {
			for a := base.Addr(); base.Contains(a); a = a.Next() {
				c := locate(a)
				scope, _ := a.Prefix(max(int(p.bits(c)), base.Bits()))
				for b := scope.Addr(); scope.Contains(b); b = b.Next() {
					if d := locate(b); p.value(d) != p.value(c) {
						rt.Fatalf("%v has %s %v with scope %d, %v inside it has %v", a, p.name, p.value(c), p.bits(c), b, p.value(d))
					}
				}
				a = last(scope)
			}
		}
	})
}

func TestSetDatabase(t *testing.T) {
	oldDB := database(t, nets{"203.0.113.0/24": city("DE", "EU", 50.11, 8.68)})
	newDB := database(t, nets{"203.0.113.0/24": city("AT", "EU", 48.2, 16.4)})
	t.Run("H-14 while one is replaced a client is wholly in the old or wholly in the new", func(t *testing.T) {
		l := geo(t, Config{}, oldDB)
		var wg sync.WaitGroup
		defer wg.Wait()
		stop := make(chan struct{})
		defer close(stop)
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				if err := l.SetDatabase(0, []*Database{oldDB, newDB}[i%2]); err != nil {
					t.Error(err)
					return
				}
			}
		})
		seen := map[Code]bool{}
		for i := 0; i < 10000 || len(seen) < 2; i++ {
			c := l.Locate(from(Source, "203.0.113.5", ""))
			lat, _ := c.Place.Location.Degrees()
			if seen[c.Place.Country] = true; c.Place.Country == de && lat != 50.11 || c.Place.Country == at0 && lat != 48.2 {
				t.Fatalf("got %+v", c.Place)
			}
		}
	})
	t.Run("one that has lost a kind of knowledge is refused, and the former stays", func(t *testing.T) {
		full := city("DE", "EU", 1, 2)
		full["autonomous_system_number"] = u32(7)
		l := geo(t, Config{}, database(t, nets{"203.0.113.0/24": full}))
		for word, lose := range map[string]m{
			"country":                  {"continent": m{"code": str("EU")}, "location": full["location"], "autonomous_system_number": u32(7)},
			"continent":                {"country": full["country"], "location": full["location"], "autonomous_system_number": u32(7)},
			"location":                 {"country": full["country"], "continent": full["continent"], "autonomous_system_number": u32(7)},
			"autonomous system number": city("DE", "EU", 1, 2),
		} {
			if err := l.SetDatabase(0, database(t, nets{"203.0.113.0/24": lose})); err == nil || !strings.Contains(err.Error(), "without any "+word) {
				t.Errorf("%s: got %v", word, err)
			}
			if c := l.Locate(from(Source, "203.0.113.5", "")); c.ASN != 7 || c.Place.Country != de || c.Place.Continent != eu || c.Place.Location == nil {
				t.Errorf("%s: got %+v", word, c)
			}
		}
	})
	t.Run("Knows tells what conditions can match", func(t *testing.T) {
		for _, tt := range []struct {
			l    *Locator
			want [4]bool
		}{
			{geo(t, Config{}), [4]bool{}},
			{geo(t, Config{}, oldDB), [4]bool{true, true, true, false}},
			{geo(t, Config{}, database(t, nets{"203.0.113.0/24": asn(7)})), [4]bool{false, false, false, true}},
			{geo(t, Config{Node: Node{Place: Place{Pop: "x", Country: de, Continent: eu, Location: at(t, 1, 2)}}}), [4]bool{true, true, true, false}},
		} {
			var got [4]bool
			if got[0], got[1], got[2], got[3] = tt.l.Knows(); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		}
	})
}

func TestGeoDoesNotAllocate(t *testing.T) {
	l := geo(t, Config{Lines: []Line{{ASN: 7, Region: we}, {Country: de, Region: ne}}},
		database(t, nets{"203.0.113.0/24": city("DE", "EU", 50.11, 8.68), "2001:db8::/32": country("DE", "EU")}),
		database(t, nets{"203.0.113.0/25": asn(64500)}))
	v4, err := OpenDatabase("x", mmdb(t, mmdbOptions4, nets{"203.0.113.0/24": country("DE", "EU")}))
	if err != nil {
		t.Fatal(err)
	}
	four := geo(t, Config{}, v4)
	for name, q := range map[string]Request{
		"source":           from(Source, "203.0.113.5", ""),
		"source, unknown":  from(Source, "198.51.100.5", ""),
		"source, IPv6":     from(Source, "2001:db8::5", ""),
		"ecs":              from(ECS, "198.51.100.5", "203.0.113.0/24"),
		"ecs, private":     from(ECS, "203.0.113.5", "10.8.0.0/24"),
		"ecs, region only": {Mode: ECS, Source: addr("198.51.100.5"), ECS: netip.MustParsePrefix("203.0.113.0/24"), HasECS: true, RegionOnly: true},
	} {
		if n := testing.AllocsPerRun(100, func() { l.Locate(q); four.Locate(q) }); n != 0 {
			t.Errorf("%s: got %v allocations, want 0", name, n)
		}
	}
}
