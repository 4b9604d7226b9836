package region

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/gaissmai/bart"
)

// Mapping says that a network is in a region.
type Mapping struct {
	Prefix netip.Prefix // masked, not IPv4-mapped
	Region ID
	At     string // where it was written, as in "Corefile:12"
}

// Conflict is one prefix that was mapped twice.
type Conflict struct{ First, Second Mapping }

func (e *Conflict) Error() string {
	if e.First.Region == e.Second.Region {
		return fmt.Sprintf("'%s' is mapped twice, first at %s", e.Second.Prefix, e.First.At)
	}
	return fmt.Sprintf("'%s' is in two regions, the other at %s", e.Second.Prefix, e.First.At)
}

// Block is the largest aligned block around an address over which its region does not change.
type Block struct {
	Region  ID
	Bits    uint8 // length of the block's prefix: 0 to 32, or 0 to 128
	Private bool  // no mapping holds it, and it lies in a private network
}

// Table holds subnet mappings by longest prefix, both families. It is immutable and safe for concurrent use.
//
// All prefixes are cut at load into disjoint blocks that cover the whole of both families, so that a look-up yields the
// exact ECS scope with the region (RFC 7871, 7.2.1: the deaggregation of nested prefixes). Two blocks are equal or
// disjoint; so are, therefore, two scopes.
type Table struct {
	blocks bart.Table[Block]
}

// privateNetworks are those whose addresses say nothing about where a client is (RFC 1918, RFC 4193; G-29).
var privateNetworks = []netip.Prefix{
	netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("192.168.0.0/16"),
	netip.MustParsePrefix("fc00::/7"),
}

// Build makes a table. A prefix that stands twice is a *Conflict.
func Build(mappings []Mapping) (*Table, error) {
	sorted := slices.Clone(mappings)
	slices.SortStableFunc(sorted, func(a, b Mapping) int { return a.Prefix.Compare(b.Prefix) })
	for i := 1; i < len(sorted); i++ {
		if sorted[i].Prefix == sorted[i-1].Prefix {
			return nil, &Conflict{sorted[i-1], sorted[i]}
		}
	}
	for _, p := range privateNetworks {
		at, taken := slices.BinarySearchFunc(sorted, p, func(m Mapping, p netip.Prefix) int { return m.Prefix.Compare(p) })
		if !taken {
			sorted = slices.Insert(sorted, at, Mapping{Prefix: p})
		}
	}
	t := &Table{}
	four := slices.IndexFunc(sorted, func(m Mapping) bool { return m.Prefix.Addr().Is6() })
	t.cover(netip.MustParsePrefix("0.0.0.0/0"), sorted[:four])
	t.cover(netip.MustParsePrefix("::/0"), sorted[four:])
	return t, nil
}

// Lookup gives an address's region, None where no mapping holds it. The address must be unmapped.
func (t *Table) Lookup(a netip.Addr) ID {
	b, _ := t.blocks.Lookup(a)
	return b.Region
}

// Block gives the block around an address, which must be unmapped and valid.
func (t *Table) Block(a netip.Addr) Block {
	b, _ := t.blocks.Lookup(a)
	return b
}

// value is what a block is judged by.
type value struct {
	region  ID
	private bool
}

// cover cuts a whole family.
func (t *Table) cover(p netip.Prefix, sorted []Mapping) {
	if v, uniform := t.cut(p, sorted, value{}); uniform {
		t.insert(p, v)
	}
}

// cut divides p until every part is of one value, given the sorted mappings in it and the value of what is around it. A
// part that is uniform is left to the caller, who may join it with its other half; all others are inserted.
func (t *Table) cut(p netip.Prefix, sorted []Mapping, around value) (v value, uniform bool) {
	if len(sorted) > 0 && sorted[0].Prefix == p {
		if sorted[0].Region != None {
			around = value{region: sorted[0].Region}
		} else if around.region == None {
			around = value{private: true} // a private network inside a mapped one is mapped
		}
		sorted = sorted[1:]
	}
	if len(sorted) == 0 {
		return around, true
	}
	low, high := halves(p)
	at, _ := slices.BinarySearchFunc(sorted, high.Addr(), func(m Mapping, a netip.Addr) int { return m.Prefix.Addr().Compare(a) })
	v, uniform = t.cut(low, sorted[:at], around)
	other, otherUniform := t.cut(high, sorted[at:], around)
	if uniform && otherUniform && v == other {
		return v, true
	}
	if uniform {
		t.insert(low, v)
	}
	if otherUniform {
		t.insert(high, other)
	}
	return value{}, false
}

func halves(p netip.Prefix) (low, high netip.Prefix) {
	raw := p.Addr().AsSlice()
	raw[p.Bits()/8] |= 1 << (7 - p.Bits()%8)
	a, _ := netip.AddrFromSlice(raw)
	return netip.PrefixFrom(p.Addr(), p.Bits()+1), netip.PrefixFrom(a, p.Bits()+1)
}

func (t *Table) insert(p netip.Prefix, v value) {
	t.blocks.Insert(p, Block{v.region, uint8(p.Bits()), v.private})
}
