package policy

import (
	"github.com/cespare/xxhash/v2"
)

// candidate is one address of the family that is looked at, with all that the stages read of it. A list of candidates
// is in declaration order.
type candidate struct {
	*Member
	priority uint16
	disabled bool
	healthy  bool
	checked  bool
	share    uint64 // what it gets of the sum of all shares; see shares
	latency  int    // whole milliseconds; None until measured
	location *Location
}

// candidates expands the record's or pool's origins to those of the family, disabled ones included, with their present
// health as the engine has it.
func (e *Engine) candidates(origins []origin, f Family) []candidate {
	var list []candidate
	for i := range origins {
		o := &origins[i]
		if !o.In(f) {
			continue
		}
		c := candidate{
			Member: o.member, priority: o.Priority, disabled: o.Disabled, checked: len(o.checks) > 0,
			location: o.Location, latency: None,
		}
		c.healthy, c.latency = o.health()
		list = append(list, c)
	}
	shares(list, origins, f)
	return list
}

func newMember(o *Origin, region Region) *Member {
	raw := o.Addr.As16()
	return &Member{Addr: o.Addr, IP: o.Addr.AsSlice(), Origin: o.Name(), Region: region, key: xxhash.Sum64(raw[:])}
}

// shares gives every candidate its share (DTM-LB-21, G-02). Percentages: the listed ones get theirs, the rest of a
// hundred goes evenly to those without one; relative: as written; none anywhere: equal. Disabled origins count for
// nothing. Shares are whole numbers: with k origins on the rest, everything is counted in k-ths of a percent.
func shares(list []candidate, origins []origin, f Family) {
	var weights []Weight
	for i := range origins {
		if origins[i].In(f) {
			weights = append(weights, origins[i].Weight)
		}
	}
	listed, unlisted, percent := 0, 0, false
	for i, w := range weights {
		percent = percent || w.Kind == Percent
		switch {
		case list[i].disabled:
		case w.Kind == NoWeight:
			unlisted++
		default:
			listed += w.N
		}
	}
	for i, w := range weights {
		switch {
		case list[i].disabled:
		case w.Kind == Relative:
			list[i].share = uint64(w.N)
		case !percent:
			list[i].share = 1
		case w.Kind == Percent:
			list[i].share = uint64(w.N) * uint64(max(unlisted, 1))
		default:
			list[i].share = uint64(100 - listed)
		}
	}
}
