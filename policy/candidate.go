package policy

import (
	"github.com/cespare/xxhash/v2"
)

// candidate is one address of the family that is looked at, with all that the stages read of it. A list of candidates
// is in declaration order.
type candidate struct {
	*Member
	origin   *origin // an alias's addresses have one
	priority uint16
	disabled bool
	healthy  bool
	share    uint64 // what its origin gets of the sum of all shares; see shares
	latency  int    // whole milliseconds; None until measured
	location *Location
}

// candidates expands origins to addresses of the family, disabled ones included, with their present health as the
// engine has it.
func (e *Engine) candidates(origins []origin, f Family) []candidate {
	var list []candidate
	for i := range origins {
		o := &origins[i]
		for _, x := range o.faces {
			if FamilyOf(x.member.Addr) != f {
				continue
			}
			c := candidate{
				Member: x.member, origin: o, priority: o.Priority, disabled: o.Disabled, location: o.Location,
			}
			c.healthy, c.latency = o.health(x.checks)
			list = append(list, c)
		}
	}
	shares(list, origins, f)
	return list
}

func newMember(o *Origin, region Region) *Member {
	raw := o.Addr.As16()
	return &Member{Addr: o.Addr, IP: o.Addr.AsSlice(), Origin: o.Name(), Region: region, key: xxhash.Sum64(raw[:])}
}

// shares gives every candidate the share of its origin (DTM-LB-21, G-02). Percentages: the listed ones get theirs, the
// rest of a hundred goes evenly to those without one; relative: as written; none anywhere: equal. Disabled origins count
// for nothing. Shares are whole numbers, of which a hundred percent are 100 times the parts that are returned: with k
// origins on the rest, everything is counted in k-ths of a percent.
func shares(list []candidate, origins []origin, f Family) (parts uint64) {
	listed, unlisted, percent := 0, 0, false
	for i := range origins {
		switch o := &origins[i]; {
		case !o.In(f):
		case o.Weight.Kind == Percent && !o.Disabled:
			listed, percent = listed+o.Weight.N, true
		case o.Weight.Kind == Percent:
			percent = true
		case o.Weight.Kind == NoWeight && !o.Disabled:
			unlisted++
		}
	}
	parts = uint64(max(unlisted, 1))
	for i := range list {
		c := &list[i]
		switch w := c.origin.Weight; {
		case c.disabled:
		case w.Kind == Relative:
			c.share = uint64(w.N)
		case !percent:
			c.share = 1
		case w.Kind == Percent:
			c.share = uint64(w.N) * parts
		default:
			c.share = uint64(100 - listed)
		}
	}
	return parts
}

// divided gives every candidate its own share: an alias's is divided evenly among those of its addresses that are in the
// list (G-10). All shares grow by the same factor, so that they stay whole.
func divided(list []candidate) []candidate {
	count := map[*origin]uint64{}
	whole := true
	for i := range list {
		if o := list[i].origin; o != nil && o.alias != nil {
			count[o]++
			whole = whole && count[o] == 1
		}
	}
	if whole {
		return list
	}
	factor := uint64(1)
	for _, n := range count {
		if f := factor / gcd(factor, n) * n; f <= fine {
			factor = f
		}
	}
	out := make([]candidate, len(list))
	for i, c := range list {
		c.share *= factor
		if n := count[c.origin]; n > 1 {
			c.share = (c.share + n/2) / n
		}
		out[i] = c
	}
	return out
}

// fine divides by every number up to 16: counted in such parts, the shares of as many are exact, and of more as good as.
const fine = 720720
