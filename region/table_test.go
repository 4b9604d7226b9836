package region

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// mapped makes mappings of "PREFIX ID" words, placed at lines 1, 2, ...
func mapped(t testing.TB, words ...any) []Mapping {
	t.Helper()
	var ms []Mapping
	for i := 0; i < len(words); i += 2 {
		ms = append(ms, Mapping{
			Prefix: netip.MustParsePrefix(words[i].(string)),
			Region: ID(words[i+1].(int)),
			At:     fmt.Sprint("f:", i/2+1),
		})
	}
	return ms
}

func build(t testing.TB, words ...any) *Table {
	t.Helper()
	table, err := Build(mapped(t, words...))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestBlock(t *testing.T) {
	v100 := build(t, "203.0.113.0/24", 1, "198.51.100.0/24", 2)
	v101 := build(t, "10.0.0.0/8", 1, "10.20.0.0/16", 2)
	v102 := build(t, "203.0.113.0/24", 1, "198.51.100.0/24", 2, "10.1.0.0/16", 1)
	six := build(t, "2001:db8::/32", 1, "2001:db8:8000::/33", 2, "fd00:1::/32", 3)
	none := build(t)
	for _, tt := range []struct {
		name    string
		table   *Table
		addr    string
		id      ID
		bits    int
		private bool
	}{
		{"V100 region a is a /24", v100, "203.0.113.0", 1, 24, false},
		{"V100 a host in it", v100, "203.0.113.77", 1, 24, false},
		{"V100 region b is a /24", v100, "198.51.100.0", 2, 24, false},
		{"V100 unmapped ends where 10.0.0.0/8 begins", v100, "100.64.0.0", 0, 2, false},
		{"V100 203.0.0.0 stands 18 bits from region a", v100, "203.0.0.0", 0, 18, false},
		{"V101 region a but for b", v101, "10.1.1.0", 1, 12, false},
		{"V101 region b", v101, "10.20.30.0", 2, 16, false},
		{"V101 beside b", v101, "10.21.0.0", 1, 16, false},
		{"V101 the first block of a", v101, "10.0.0.0", 1, 12, false},
		{"V101 beside a", v101, "11.0.0.0", 0, 8, false},
		{"V102 an unmapped private network whole", v100, "10.8.0.0", 0, 8, true},
		{"V102 an unmapped private network in part", v102, "10.8.0.0", 0, 13, true},
		{"V102 a mapped private network", v102, "10.1.2.3", 1, 16, false},
		{"RFC 1918, 172.16.0.0/12", none, "172.31.255.255", 0, 12, true},
		{"beside it", none, "172.32.0.0", 0, 11, false},
		{"RFC 1918, 192.168.0.0/16", none, "192.168.0.1", 0, 16, true},
		{"the last address", none, "255.255.255.255", 0, 3, false},
		{"the first address", none, "0.0.0.0", 0, 5, false},
		{"RFC 4193", none, "fd12::1", 0, 7, true},
		{"IPv6, unmapped", none, "2001:db8::1", 0, 1, false},
		{"the last IPv6 address", none, "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", 0, 7, false},
		{"IPv6 lower half", six, "2001:db8::1", 1, 33, false},
		{"IPv6 upper half", six, "2001:db8:ffff::1", 2, 33, false},
		{"IPv6 private beside a mapping", six, "fd00::1", 0, 32, true},
		{"IPv6 private far from a mapping", six, "fc00::1", 0, 8, true},
		{"DTM-LB-29 V98 an IPv4-mapped address", v101, "::ffff:10.20.0.9", 2, 16, false},
		{"two halves of one region merge", build(t, "203.0.113.0/25", 1, "203.0.113.128/25", 1), "203.0.113.5", 1, 24, false},
		{"neighbours that are no block do not", build(t, "203.0.113.128/25", 1, "203.0.114.0/25", 1), "203.0.114.5", 1, 25, false},
		{"a mapping merges with what it repeats", build(t, "203.0.112.0/23", 1, "203.0.113.0/24", 1), "203.0.113.5", 1, 23, false},
		{"a mapped network holds a private one whole", build(t, "8.0.0.0/6", 1), "10.9.9.9", 1, 6, false},
		{"a mapped private network merges with its neighbour", build(t, "10.0.0.0/8", 1, "11.0.0.0/8", 1), "10.9.9.9", 1, 7, false},
		{"everything mapped", build(t, "0.0.0.0/0", 1, "::/0", 2), "10.9.9.9", 1, 0, false},
		{"everything mapped, IPv6", build(t, "0.0.0.0/0", 1, "::/0", 2), "fd00::1", 2, 0, false},
		{"one host", build(t, "2001:db8::7/128", 1), "2001:db8::7", 1, 128, false},
		{"beside one host", build(t, "2001:db8::7/128", 1), "2001:db8::6", 0, 128, false},
		{"the last host", build(t, "255.255.255.255/32", 1), "255.255.255.255", 1, 32, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			id, bits, private := tt.table.Block(netip.MustParseAddr(tt.addr))
			if id != tt.id || bits != tt.bits || private != tt.private {
				t.Errorf("got region %d, %d bits, private %t; want %d, %d, %t", id, bits, private, tt.id, tt.bits, tt.private)
			}
			if got := tt.table.Lookup(netip.MustParseAddr(tt.addr)); got != tt.id {
				t.Errorf("Lookup: got region %d, want %d", got, tt.id)
			}
		})
	}
	t.Run("the zero address is nowhere", func(t *testing.T) {
		if id, bits, private := v100.Block(netip.Addr{}); id != 0 || bits != 0 || private || v100.Lookup(netip.Addr{}) != 0 {
			t.Error("it is somewhere")
		}
	})
	t.Run("an address with a zone is looked up without", func(t *testing.T) {
		if got := six.Lookup(netip.MustParseAddr("2001:db8::1%eth0")); got != 1 {
			t.Errorf("got region %d, want 1", got)
		}
	})
}

func TestBuildRefuses(t *testing.T) {
	for _, tt := range []struct {
		name     string
		mappings []Mapping
		want     []string
	}{
		{"H-12 one prefix in two regions", mapped(t, "10.1.0.0/16", 1, "10.2.0.0/16", 1, "10.1.0.0/16", 2),
			[]string{"10.1.0.0/16", "two regions", "f:1", "f:3"}},
		{"H-43 one prefix twice in a region", mapped(t, "10.1.0.0/16", 1, "10.1.0.0/16", 1),
			[]string{"10.1.0.0/16", "defined twice", "f:1", "f:2"}},
		{"V98 one prefix in two regions, once IPv4-mapped", mapped(t, "::ffff:10.1.0.0/112", 1, "10.1.0.0/16", 2),
			[]string{"10.1.0.0/16", "two regions", "f:1", "f:2"}},
		{"host bits", mapped(t, "10.2.0.0/16", 1, "10.1.2.3/8", 1), []string{"f:2", "10.1.2.3/8", "10.0.0.0/8"}},
		{"a mapped prefix shorter than /96", mapped(t, "::ffff:0:0/90", 1), []string{"f:1", "/96"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			table, err := Build(tt.mappings)
			if err == nil || table != nil {
				t.Fatalf("got %v, %v", table, err)
			}
			for _, w := range tt.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("got %q, want it to contain %q", err, w)
				}
			}
		})
	}
	t.Run("a conflict tells both places and regions", func(t *testing.T) {
		_, err := Build(mapped(t, "10.1.0.0/16", 1, "10.1.0.0/16", 2))
		var c *ConflictError
		if !errors.As(err, &c) || *c != (ConflictError{"10.1.0.0/16", "f:1", "f:2", [2]ID{1, 2}}) {
			t.Errorf("got %#v", err)
		}
	})
}

func TestOrderDoesNotMatter(t *testing.T) {
	all := mapped(t, "10.0.0.0/8", 1, "10.20.0.0/16", 2, "10.20.30.0/24", 3)
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		t.Run(fmt.Sprint("H-12 longest prefix wins in the order ", order), func(t *testing.T) {
			table, err := Build([]Mapping{all[order[0]], all[order[1]], all[order[2]]})
			if err != nil {
				t.Fatal(err)
			}
			for addr, want := range map[string]ID{"10.1.1.1": 1, "10.20.1.1": 2, "10.20.30.40": 3} {
				if got := table.Lookup(netip.MustParseAddr(addr)); got != want {
					t.Errorf("%s: got region %d, want %d", addr, got, want)
				}
			}
		})
	}
}

// small draws mappings in a space of 256 addresses: 10.9.0.0/24 in private space, and beside it, so that blocks meet the
// border of 10.0.0.0/8.
func small(rt *rapid.T) []Mapping {
	bases := []string{"10.255.255.0", "11.0.0.0", "192.168.0.0", "0.0.0.0", "255.255.255.0", "fdff::", "fe00::"}
	seen := map[netip.Prefix]bool{}
	var ms []Mapping
	for range rapid.IntRange(0, 12).Draw(rt, "n") {
		base := netip.MustParseAddr(rapid.SampledFrom(bases).Draw(rt, "base"))
		low := base.AsSlice()
		low[len(low)-1] = rapid.Byte().Draw(rt, "low")
		a, _ := netip.AddrFromSlice(low)
		p, _ := a.Prefix(rapid.IntRange(0, 9).Draw(rt, "up to the byte") + a.BitLen() - 9)
		if rapid.IntRange(0, 9).Draw(rt, "wide") == 0 {
			p, _ = a.Prefix(rapid.IntRange(0, 16).Draw(rt, "bits"))
		}
		if !seen[p] {
			seen[p] = true
			ms = append(ms, Mapping{Prefix: p, Region: ID(rapid.IntRange(1, 3).Draw(rt, "region"))})
		}
	}
	return ms
}

// linear is the oracle of Lookup: the longest of the prefixes that hold a, tried one by one.
func linear(ms []Mapping, a netip.Addr) (id ID, private bool) {
	best := -1
	for _, m := range ms {
		if m.Prefix.Contains(a) && m.Prefix.Bits() > best {
			best, id = m.Prefix.Bits(), m.Region
		}
	}
	return id, id == 0 && a.IsPrivate()
}

// brute is the oracle of Block among 256 addresses: the number of the last eight bits that the largest block around the
// one at i needs, if all addresses in it are to be like this one. It does not look beyond the 256.
func brute(all *[256]where, i int) int {
	for bits := 0; ; bits++ {
		size := 256 >> bits
		same := true
		for _, w := range all[i/size*size : (i/size+1)*size] {
			same = same && w == all[i]
		}
		if same {
			return bits
		}
	}
}

func TestTableAgainstOracle(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ms := small(rt)
		table, err := Build(ms)
		if err != nil {
			rt.Fatal(err)
		}
		base := netip.MustParseAddr(rapid.SampledFrom([]string{"10.255.255.0", "11.0.0.0", "255.255.255.0", "fdff::", "fe00::"}).Draw(rt, "asked"))
		whole := base.BitLen() - 8
		p, _ := base.Prefix(whole)
		var all [256]where
		for i, a := 0, p.Addr(); i < 256; i, a = i+1, a.Next() {
			all[i].region, all[i].private = linear(ms, a)
		}
		last := netip.Addr{}
		for i, a := 0, p.Addr(); i < 256; i, a = i+1, a.Next() {
			wantID, wantPrivate := all[i].region, all[i].private
			id, bits, private := table.Block(a)
			if got := table.Lookup(a); got != wantID || id != wantID || private != wantPrivate {
				rt.Fatalf("%v: got %d, %d, private %t; want %d, %t", a, got, id, private, wantID, wantPrivate)
			}
			if want := whole + brute(&all, i); max(bits, whole) != want {
				rt.Fatalf("%v: got a block of %d bits, want %d", a, bits, want)
			}
			// Returned scopes never overlap with different answers (RFC 7871, section 7.3.1; G-29).
			block, _ := a.Prefix(bits)
			if last.IsValid() && block.Contains(last) {
				i, b, pr := table.Block(last)
				if i != id || b != bits || pr != private {
					rt.Fatalf("%v and %v share a block of %d bits and differ", last, a, bits)
				}
			}
			usable, ubits := table.usable(a)
			if usable == private || ubits > bits {
				rt.Fatalf("%v: got usable %t in %d bits, of a block of %d", a, usable, ubits, bits)
			}
			last = a
		}
	})
}

// many makes n mappings of distinct networks of one family, the same ones each time.
func many(n int, six bool) []Mapping {
	ms := make([]Mapping, 0, n)
	seen := map[netip.Prefix]bool{}
	random := rand.New(rand.NewPCG(1, 2))
	for len(ms) < n {
		x := random.Uint32()
		b := [16]byte{0x20, 0x01, byte(x), byte(x >> 8), byte(x >> 16), byte(x >> 24)}
		a, bits := netip.AddrFrom16(b), 32+random.IntN(17)
		if !six {
			a, bits = netip.AddrFrom4([4]byte(b[2:6])), 12+random.IntN(17)
		}
		if p, _ := a.Prefix(bits); !seen[p] {
			seen[p] = true
			ms = append(ms, Mapping{Prefix: p, Region: ID(1 + random.IntN(50)), At: "f"})
		}
	}
	return ms
}

func TestManyPrefixes(t *testing.T) {
	ms := slices.Concat(many(2000, false), many(1000, true))
	table, err := Build(ms)
	if err != nil {
		t.Fatal(err)
	}
	if len(table.v6.places.index.nodes) < 2 {
		t.Fatal("the table is too small for an index of several nodes")
	}
	check := func(a netip.Addr) {
		want, wantPrivate := linear(ms, a)
		id, bits, private := table.Block(a)
		if id != want || private != wantPrivate || table.Lookup(a) != want {
			t.Fatalf("%v: got %d, private %t, Lookup %d; want %d, %t", a, id, private, table.Lookup(a), want, wantPrivate)
		}
		// Both ends of the block are like a, and the block around it is not all like a.
		p, _ := a.Prefix(bits)
		for _, b := range []netip.Addr{p.Addr(), last(p)} {
			if i, n, pr := table.Block(b); i != id || n != bits || pr != private {
				t.Fatalf("%v: got %d, %d bits at the end %v of its block of %d, %d bits", a, i, n, b, id, bits)
			}
		}
	}
	for _, m := range slices.Concat(ms, many(2500, false)[2000:], many(1500, true)[1000:]) {
		check(m.Prefix.Addr())
		check(last(m.Prefix))
		if a := m.Prefix.Addr().Prev(); a.IsValid() {
			check(a)
		}
		if a := last(m.Prefix).Next(); a.IsValid() {
			check(a)
		}
	}
}

// last returns the last address of p.
func last(p netip.Prefix) netip.Addr {
	b := p.Addr().AsSlice()
	for i := p.Bits(); i < len(b)*8; i++ {
		b[i/8] |= 0x80 >> (i % 8)
	}
	a, _ := netip.AddrFromSlice(b)
	return a
}

func TestTableDoesNotAllocate(t *testing.T) {
	table, err := Build(slices.Concat(many(1000, false), many(1000, true)))
	if err != nil {
		t.Fatal(err)
	}
	addrs := []netip.Addr{netip.MustParseAddr("10.1.2.3"), netip.MustParseAddr("::ffff:10.1.2.3"), netip.MustParseAddr("2001:db8::1")}
	if n := testing.AllocsPerRun(100, func() {
		for _, a := range addrs {
			table.Lookup(a)
			table.Block(a)
		}
	}); n != 0 {
		t.Errorf("got %v allocations, want 0", n)
	}
}
