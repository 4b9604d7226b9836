package policy

import (
	"math"
	"slices"
	"sync/atomic"
)

// nearest answers by great-circle distance from the client, candidates without a location last; for a client without
// coordinates in declaration order. The order for a place is worked out once and remembered, so that a query does not
// sort.
type nearest struct {
	list    []candidate
	answers int
	listed  []*Member
	known   places[[]*Member]
}

func newNearest(s *choiceSet) picker {
	return &nearest{list: s.list, answers: s.answers, listed: members(s.list[:s.answers])}
}

func (p *nearest) pick(q *Query, _ []*Member) []*Member {
	if q.Place.Location == nil {
		return p.listed
	}
	return p.known.get(*q.Place.Location, func(l Location) []*Member {
		order := byDistance(l, len(p.list), func(i int) *Location { return p.list[i].location })
		out := make([]*Member, p.answers)
		for i := range out {
			out[i] = p.list[order[i]].Member
		}
		return out
	})
}

// byDistance sorts 0 to n-1 by how far their locations are from l; those without one keep their order at the end.
func byDistance(l Location, n int, at func(int) *Location) []int {
	from := l.Vector()
	order, near := make([]int, n), make([]float64, n)
	for i := range n {
		order[i], near[i] = i, math.Inf(-1)
		if at := at(i); at != nil {
			near[i] = from.Dot(at.Vector())
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case near[a] > near[b]:
			return -1
		case near[a] < near[b]:
			return 1
		}
		return 0
	})
	return order
}

// places remembers something for each of the places asked for of late: a small cache without a lock, in which a place
// may push another one out but never answers for it.
type places[T any] struct {
	slots atomic.Pointer[[placeSlots]atomic.Pointer[placed[T]]]
}

type placed[T any] struct {
	at Location
	is T
}

// placeSlots is for how many places something is remembered: most records see clients of fewer than a thousand places
// at a time, and the table costs 8 KiB only where a place is known at all.
const placeSlots = 1024

func (p *places[T]) get(l Location, work func(Location) T) T {
	slots := p.slots.Load()
	if slots == nil {
		p.slots.CompareAndSwap(nil, new([placeSlots]atomic.Pointer[placed[T]]))
		slots = p.slots.Load()
	}
	slot := &slots[mix(math.Float64bits(l.Lat)^mix(math.Float64bits(l.Lon)))%placeSlots]
	if known := slot.Load(); known != nil && known.at == l {
		return known.is
	}
	fresh := &placed[T]{at: l, is: work(l)}
	slot.Store(fresh)
	return fresh.is
}
