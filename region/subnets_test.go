package region

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// mappings reads "203.0.113.0/24 a, 10.0.0.0/8 b".
func mappings(t testing.TB, names *Names, words string) []Mapping {
	t.Helper()
	var list []Mapping
	for i, part := range strings.Split(words, ", ") {
		cidr, name, _ := strings.Cut(part, " ")
		p, err := ParsePrefix(cidr)
		if err != nil {
			t.Fatal(err)
		}
		id, err := names.Intern(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, Mapping{p, id, fmt.Sprintf("Corefile:%d", i+1)})
	}
	return list
}

func build(t testing.TB, names *Names, words string) *Table {
	t.Helper()
	table, err := Build(mappings(t, names, words))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestScopes(t *testing.T) {
	const v100 = "203.0.113.0/24 a, 198.51.100.0/24 b"
	const v101 = "10.0.0.0/8 a, 10.20.0.0/16 b"
	for _, tt := range []struct{ name, table, addr, region, scope string }{
		{"V100 DTM-LB-29 H-11 a mapped block", v100, "203.0.113.0", "a", "24"},
		{"V100 H-11 inside it", v100, "203.0.113.77", "a", "24"},
		{"V100 the other one", v100, "198.51.100.0", "b", "24"},
		{"V100 G-29 unmapped, up to the next private network", v100, "100.64.0.0", "", "2"},
		{"V100 G-29 unmapped, up to the next mapping", v100, "203.0.0.0", "", "18"},
		{"V101 cut by a longer prefix", v101, "10.1.1.0", "a", "12"},
		{"V101 the longer prefix", v101, "10.20.30.0", "b", "16"},
		{"V101 beside it", v101, "10.21.0.0", "a", "16"},
		{"V101 from its start", v101, "10.0.0.0", "a", "12"},
		{"V101 unmapped beside a mapped private network", v101, "11.0.0.0", "", "8"},
		{"V102 G-29 a private network without a mapping", v100, "10.8.0.0", "private", "8"},
		{"V102 G-29 a private network with a mapping elsewhere in it", v100 + ", 10.1.0.0/16 a", "10.8.0.0", "private", "13"},
		{"G-29 halves of one region are one block", "192.0.2.0/25 a, 192.0.2.128/25 a", "192.0.2.200", "a", "24"},
		{"G-29 a longer prefix of the same region makes no cut", "203.0.112.0/20 a, 203.0.113.0/24 a", "203.0.113.1", "a", "20"},
		{"G-29 RFC 4193", v100, "fd00::1", "private", "7"},
		{"G-29 the other half of IPv6", v100, "2001:db8::", "", "1"},
		{"DTM-LB-29 IPv6", "2001:db8::/32 a, 2001:db8:1::/48 b", "2001:db8:1::7", "b", "48"},
		{"DTM-LB-29 a whole family", "0.0.0.0/0 a", "10.9.9.9", "a", "0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			names := NewNames()
			table := build(t, names, tt.table)
			a := netip.MustParseAddr(tt.addr)
			got := table.Block(a)
			region := names.Name(got.Region)
			if got.Private {
				region = "private"
			}
			if region != tt.region || fmt.Sprint(got.Bits) != tt.scope {
				t.Errorf("Expected %q with scope %s, got %q with %d", tt.region, tt.scope, region, got.Bits)
			}
			if table.Lookup(a) != got.Region {
				t.Errorf("Expected look-up and block to agree, got %d and %d", table.Lookup(a), got.Region)
			}
		})
	}
}

func TestOverlappingSubnets(t *testing.T) {
	parts := []string{"10.0.0.0/8 dc-a", "10.20.0.0/16 dc-b", "10.20.30.0/24 dc-c"}
	for _, order := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		t.Run(fmt.Sprintf("H-12 longest prefix, in order %v", order), func(t *testing.T) {
			names := NewNames()
			var words []string
			for _, i := range order {
				words = append(words, parts[i])
			}
			lines := strings.NewReplacer(" ", ",", ", ", "\n").Replace(strings.Join(words, ", "))
			list, err := ParseSubnets("subnets.csv", []byte("# regions\n\n"+lines+"\r\n"), names)
			if err != nil {
				t.Fatal(err)
			}
			file, err := Build(list)
			if err != nil {
				t.Fatal(err)
			}
			for _, table := range []*Table{build(t, names, strings.Join(words, ", ")), file} {
				for a, want := range map[string]string{"10.1.1.1": "dc-a", "10.20.1.1": "dc-b", "10.20.30.40": "dc-c"} {
					if got := names.Name(table.Lookup(netip.MustParseAddr(a))); got != want {
						t.Errorf("Expected %s in %s, got %q", a, want, got)
					}
				}
			}
		})
	}
}

func TestBuildRefusesConflicts(t *testing.T) {
	for name, words := range map[string]string{
		"V112 H-12 one prefix in two regions": "10.0.0.0/8 a, 10.1.0.0/16 b, 10.0.0.0/8 b",
		"V98 a mapped prefix is an IPv4 one":  "10.1.0.0/16 a, 10.2.0.0/16 b, ::ffff:10.1.0.0/112 b",
		"G-48 one prefix twice in one region": "10.1.0.0/16 a, 10.2.0.0/16 b, 10.1.0.0/16 a",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Build(mappings(t, NewNames(), words))
			var c *Conflict
			if !errors.As(err, &c) || c.First.At != "Corefile:1" || c.Second.At != "Corefile:3" {
				t.Errorf("Expected a conflict of lines 1 and 3, got %v", err)
			}
		})
	}
}

func TestParsePrefix(t *testing.T) {
	for in, want := range map[string]string{"10.0.0.0/8": "10.0.0.0/8", "::ffff:10.1.0.0/112": "10.1.0.0/16", "2001:db8::/32": "2001:db8::/32"} {
		if got, err := ParsePrefix(in); err != nil || got.String() != want {
			t.Errorf("Expected %s, got %s, %v", want, got, err)
		}
	}
	for _, in := range []string{"10.1.2.3/8", "10.0.0.0", "10.0.0.0/33", "ten/8", "", "::ffff:10.0.0.0/90", "fe80::%eth0/64"} {
		if _, err := ParsePrefix(in); err == nil || !strings.Contains(err.Error(), "'"+in+"'") {
			t.Errorf("Expected V112 '%s' to be refused by name, got %v", in, err)
		}
	}
}

func TestParseSubnets(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"V112 H-43 empty":             {"# nothing\n\n", "subnets.csv: no mapping"},
		"V112 malformed: no region":   {"10.0.0.0/8,a\n10.1.0.0/16\n", "subnets.csv:2: '10.1.0.0/16'"},
		"V112 malformed: three parts": {"10.0.0.0/8,a,b\n", "subnets.csv:1: '10.0.0.0/8,a,b'"},
		"V112 host bits":              {"\n10.1.2.3/8,a\n", "subnets.csv:2: '10.1.2.3/8'"},
		"V112 a bad name":             {"10.0.0.0/8,a b\n", "subnets.csv:1: 'a b'"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseSubnets("subnets.csv", []byte(tt.text), NewNames())
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Expected %q, got %v", tt.want, err)
			}
		})
	}
}

func TestNames(t *testing.T) {
	names := NewNames()
	a, _ := names.Intern("West")
	b, _ := names.Intern("wEST")
	if a != b || names.Find("WEST") != a || names.Name(a) != "West" || a == None {
		t.Errorf("Expected one region, compared without case and spelled as at first, got %d and %d, %q", a, b, names.Name(a))
	}
	if names.Find("east") != None {
		t.Errorf("Expected no number for an unknown name, got %d", names.Find("east"))
	}
}

// oracle is the longest prefix, found the long way.
func oracle(list []Mapping, a netip.Addr) value {
	best, v := -1, value{}
	for _, p := range privateNetworks {
		if p.Contains(a) {
			v.private = true
		}
	}
	for _, m := range list {
		if m.Prefix.Contains(a) && m.Prefix.Bits() > best {
			best, v = m.Prefix.Bits(), value{region: m.Region}
		}
	}
	return v
}

// TestBlocksAgainstBruteForce works on the 256 addresses of a /24 in which every aligned block can be looked at.
func TestBlocksAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seen := map[netip.Prefix]bool{}
		var list []Mapping
		for range rapid.IntRange(0, 12).Draw(t, "mappings") {
			bits := rapid.IntRange(24, 32).Draw(t, "bits")
			a := netip.AddrFrom4([4]byte{10, 0, 0, byte(rapid.IntRange(0, 255).Draw(t, "address"))})
			p, _ := a.Prefix(bits)
			if !seen[p] {
				seen[p] = true
				list = append(list, Mapping{Prefix: p, Region: ID(rapid.IntRange(1, 3).Draw(t, "region"))})
			}
		}
		table, err := Build(list)
		if err != nil {
			t.Fatal(err)
		}
		var blocks []netip.Prefix
		for i := range 256 {
			a := netip.AddrFrom4([4]byte{10, 0, 0, byte(i)})
			want, got := oracle(list, a), table.Block(a)
			if (value{got.Region, got.Private}) != want {
				t.Fatalf("Expected %v at %s, got %v", want, a, got)
			}
			bits := 32
			for bits > 24 && uniform(list, a, bits-1, want) {
				bits--
			}
			if bits > 24 && int(got.Bits) != bits || bits == 24 && int(got.Bits) > 24 {
				t.Fatalf("Expected the block at %s to have %d bits, got %d", a, bits, got.Bits)
			}
			p, _ := a.Prefix(int(got.Bits))
			blocks = append(blocks, p)
		}
		for _, p := range blocks {
			for _, q := range blocks {
				if p != q && p.Overlaps(q) {
					t.Fatalf("Expected blocks to be equal or disjoint, got %s and %s", p, q)
				}
			}
		}
	})
}

func uniform(list []Mapping, a netip.Addr, bits int, want value) bool {
	p, _ := a.Prefix(bits)
	for i := range 256 {
		if b := netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}); p.Contains(b) && oracle(list, b) != want {
			return false
		}
	}
	return true
}

// random makes n mappings of both families, the same in every run.
func random(n int) []Mapping {
	list := make([]Mapping, 0, n)
	seen := map[netip.Prefix]bool{}
	for i := uint64(1); len(list) < n; i++ {
		x := i * 0x9e3779b97f4a7c15
		a := netip.AddrFrom4([4]byte{byte(x >> 56), byte(x >> 48), byte(x >> 40), byte(x >> 32)})
		bits := 12 + int(x>>8)%17
		if i%3 == 0 {
			a = netip.AddrFrom16([16]byte{0x20, 0x01, byte(x >> 56), byte(x >> 48), byte(x >> 40), byte(x >> 32)})
			bits = 24 + int(x>>8)%25
		}
		p, _ := a.Prefix(bits)
		if !seen[p] {
			seen[p] = true
			list = append(list, Mapping{Prefix: p, Region: ID(1 + i%300)})
		}
	}
	return list
}

func TestLookupAllocatesNothing(t *testing.T) {
	table, err := Build(random(10000))
	if err != nil {
		t.Fatal(err)
	}
	l := NewLocator(0, table)
	source, subnet := netip.MustParseAddr("203.0.113.9"), netip.MustParsePrefix("198.51.100.0/24")
	if n := testing.AllocsPerRun(100, func() { l.Locate(ECS, source, subnet); l.Locate(Source, source, subnet) }); n != 0 {
		t.Errorf("Expected no allocation, got %v", n)
	}
}

func BenchmarkLookup(b *testing.B) {
	for _, n := range []int{100, 100_000} {
		table, err := Build(random(n))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			x := uint64(0)
			for b.Loop() {
				x += 0x9e3779b97f4a7c15
				table.Lookup(netip.AddrFrom4([4]byte{byte(x >> 56), byte(x >> 48), byte(x >> 40), byte(x >> 32)}))
			}
		})
	}
}

func BenchmarkBuild(b *testing.B) {
	list := random(100_000)
	for b.Loop() {
		if _, err := Build(list); err != nil {
			b.Fatal(err)
		}
	}
}
