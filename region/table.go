package region

import (
	"fmt"
	"net/netip"
)

// A Mapping puts the addresses of Prefix into Region. At says where it was written ("Corefile:12"), for errors.
type Mapping struct {
	Prefix netip.Prefix
	Region ID
	At     string
}

// A ConflictError says that one thing was mapped twice, and where. Two places that name one region are refused as
// well: it is never what was meant.
type ConflictError struct {
	What          string // what was mapped: "10.1.0.0/16", "country DE"
	First, Second string // the places, as in Mapping.At
	Regions       [2]ID  // the regions they name
}

func (e *ConflictError) Error() string {
	if e.Regions[0] == e.Regions[1] {
		return fmt.Sprintf("%s is defined twice: at %s and at %s", e.What, e.First, e.Second)
	}
	return fmt.Sprintf("%s is in two regions: at %s and at %s", e.What, e.First, e.Second)
}

// A Table maps addresses to regions by longest prefix, in both families. It is immutable and safe for concurrent use;
// its look-ups do not allocate.
type Table struct {
	v4, v6 family
	n      int
}

// family is one family's space, cut twice.
type family struct {
	places *spans[where]
	usable *spans[bool] // whether an address says where its owner is: not if it is private and unmapped (G-29)
}

// where is what Block tells apart. private is never set in mapped space: there the mapping speaks.
type where struct {
	region  ID
	private bool
}

// Build makes a table of mappings, whose Region is never 0. It refuses a prefix that Canonical refuses, and returns a
// *ConflictError for the first prefix in order that was there before, be it in its IPv4-mapped form (V98).
func Build(mappings []Mapping) (*Table, error) {
	t := &Table{n: len(mappings)}
	seen := make(map[netip.Prefix]int, len(mappings))
	var v4, v6 []layer[where]
	add := func(p netip.Prefix, w where) {
		if p.Addr().Is4() {
			v4 = append(v4, layer[where]{p, w})
		} else {
			v6 = append(v6, layer[where]{p, w})
		}
	}
	for _, p := range private {
		add(p, where{private: true})
	}
	for i, m := range mappings {
		p, err := Canonical(m.Prefix)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.At, err)
		}
		if j, ok := seen[p]; ok {
			first := mappings[j]
			return nil, &ConflictError{What: p.String(), First: first.At, Second: m.At, Regions: [2]ID{first.Region, m.Region}}
		}
		seen[p] = i
		add(p, where{region: m.Region})
	}
	t.v4, t.v6 = newFamily(v4), newFamily(v6)
	return t, nil
}

func newFamily(layers []layer[where]) family {
	places := newSpans(layers, func(around, w where) where {
		if w.private && around.region != 0 {
			return around // a mapping around a private network holds it too
		}
		return w
	})
	return family{places, project(places, func(w where) bool { return !w.private })}
}

// Lookup returns the region of the longest prefix that holds addr, 0 if none does. IPv4-mapped addresses count as
// IPv4; the zone is ignored.
func (t *Table) Lookup(addr netip.Addr) ID {
	addr = addr.Unmap()
	if !addr.IsValid() {
		return 0
	}
	return t.family(addr).places.get(addr).region
}

// Block returns the region of addr and the length of the largest aligned block around it in which every address has
// this region, and whether addr is private in space that no mapping knows. An unmapped block holds private addresses
// only or none (G-29); neighbouring prefixes of one region count as one. Blocks of equal length do not overlap, and a
// block never holds a differing one. The length is 0 to 32 for IPv4, IPv4-mapped addresses included, else 0 to 128.
func (t *Table) Block(addr netip.Addr) (id ID, bits int, private bool) {
	addr = addr.Unmap()
	if !addr.IsValid() {
		return 0, 0, false
	}
	w, bits := t.family(addr).places.block(addr)
	return w.region, bits, w.private
}

// usable tells whether addr says where its owner is, and the length of the largest block around it of which the same
// can be said, whatever the regions in it.
func (t *Table) usable(addr netip.Addr) (bool, int) {
	if !addr.IsValid() {
		return false, 0
	}
	return t.family(addr).usable.block(addr)
}

func (t *Table) family(addr netip.Addr) *family {
	if addr.Is4() {
		return &t.v4
	}
	return &t.v6
}

// Len is the number of mappings.
func (t *Table) Len() int { return t.n }
