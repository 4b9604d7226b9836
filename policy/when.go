package policy

import (
	"cmp"
	"net/netip"
	"slices"

	"github.com/coredns/gslb/internal/splitmix"
)

// Kind is the rank of a line: that of its first-ranked condition.
func (w *When) Kind() WhenKind {
	switch {
	case len(w.CIDR) > 0:
		return WhenCIDR
	case len(w.ASN) > 0:
		return WhenASN
	case len(w.Pop) > 0:
		return WhenPop
	case len(w.Country) > 0:
		return WhenCountry
	case len(w.Continent) > 0:
		return WhenContinent
	case len(w.Region) > 0:
		return WhenRegion
	}
	return WhenQtype
}

// holds tells whether every condition of the line holds for a client.
func (w *When) holds(q *Query) bool {
	return (w.CIDR == nil || slices.ContainsFunc(w.CIDR, func(p netip.Prefix) bool { return p.Contains(q.Client) })) &&
		(w.ASN == nil || slices.Contains(w.ASN, q.Place.ASN)) &&
		(w.Pop == nil || slices.Contains(w.Pop, q.Place.Pop)) &&
		(w.Country == nil || slices.Contains(w.Country, q.Place.Country)) &&
		(w.Continent == nil || slices.Contains(w.Continent, q.Place.Continent)) &&
		(w.Region == nil || slices.Contains(w.Region, q.Region)) &&
		(w.Family == nil || slices.Contains(w.Family, q.Family))
}

// ranked puts `when` lines into the order in which they are tried: by kind, then as written.
func ranked(lines []When) []*When {
	list := make([]*When, len(lines))
	for i := range lines {
		list[i] = &lines[i]
	}
	slices.SortStableFunc(list, func(a, b *When) int { return cmp.Compare(a.Kind(), b.Kind()) })
	return list
}

// rules are a record's `when` lines with the plans of their pools. Those that read the client's address are tried one by
// one; which of the others holds depends on the place alone, and is remembered for the places asked for of late.
type rules struct {
	list   []rule
	cidrs  int // how many of list read the address
	inputs Inputs
	known  memo[placeKey, int]
}

type rule struct {
	*When
	plans [families]*plan
}

// placeKey is all that a line without `cidr` reads.
type placeKey struct {
	pop                string
	country, continent Code
	asn                uint32
	region             Region
	family             Family
}

func (k placeKey) hash() uint64 {
	h := splitmix.Mix(uint64(k.country[0]) | uint64(k.country[1])<<8 | uint64(k.continent[0])<<16 | uint64(k.continent[1])<<24 | uint64(k.asn)<<32)
	return splitmix.Mix(h ^ uint64(k.region)<<8 ^ uint64(k.family) ^ uint64(len(k.pop))<<32)
}

// newRules ranks a record's lines; nil where it has none. makePlan makes the plans of a line's pools.
func newRules(lines []When, makePlan func(*When) [families]*plan) *rules {
	if len(lines) == 0 {
		return nil
	}
	r := &rules{}
	for _, w := range ranked(lines) {
		r.list = append(r.list, rule{w, makePlan(w)})
		if w.Kind() == WhenCIDR {
			r.cidrs++
			r.inputs |= InputCIDR
		}
		if len(w.Region) > 0 {
			r.inputs |= InputRegion
		}
		if len(w.Country) > 0 || len(w.Continent) > 0 || len(w.Pop) > 0 { // a pop stands in for an unknown country
			r.inputs |= InputPlace
		}
		if len(w.ASN) > 0 {
			r.inputs |= InputASN
		}
	}
	return r
}

// plan gives the plan of the first line that holds; nil if none does. A nil r has none.
func (r *rules) plan(q *Query) (*plan, *When) {
	if r == nil {
		return nil, nil
	}
	for i := range r.list[:r.cidrs] {
		if r.list[i].holds(q) {
			return r.list[i].plans[q.Family], r.list[i].When
		}
	}
	key := placeKey{q.Place.Pop, q.Place.Country, q.Place.Continent, q.Place.ASN, q.Region, q.Family}
	i := r.known.get(key, key.hash(), func() int {
		for i := r.cidrs; i < len(r.list); i++ {
			if r.list[i].holds(q) {
				return i
			}
		}
		return -1
	})
	if i < 0 {
		return nil, nil
	}
	return r.list[i].plans[q.Family], r.list[i].When
}
