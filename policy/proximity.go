package policy

import (
	"math"
	"slices"

	"github.com/coredns/gslb/internal/splitmix"
)

// nearest answers by great-circle distance from the client, candidates without a location last; for a client without
// coordinates in declaration order. The order for a place is worked out once and remembered, so that a query does not
// sort.
type nearest struct {
	list    []candidate
	answers int
	listed  []*Member
	known   memo[*Location, []*Member]
}

func newNearest(s *choiceSet) picker {
	return &nearest{list: s.list, answers: s.answers, listed: members(s.list[:s.answers])}
}

func (p *nearest) pick(q *Query, _ []*Member) []*Member {
	at := q.Place.Location
	if at == nil {
		return p.listed
	}
	return p.known.get(at, hashLocation(at), func() []*Member {
		order := byDistance(at, len(p.list), func(i int) *Location { return p.list[i].location })
		out := make([]*Member, p.answers)
		for i := range out {
			out[i] = p.list[order[i]].Member
		}
		return out
	})
}

func hashLocation(l *Location) uint64 {
	lat, lon := l.Degrees()
	return splitmix.Mix(math.Float64bits(lat)) ^ splitmix.Mix(math.Float64bits(lon)+1)
}

// byDistance sorts 0 to n-1 by how far their locations are from l; those without one keep their order at the end, and
// equals theirs (G-04).
func byDistance(l *Location, n int, at func(int) *Location) []int {
	order, near := make([]int, n), make([]float64, n)
	for i := range n {
		order[i], near[i] = i, math.Inf(-1)
		if at := at(i); at != nil {
			near[i] = l.Nearness(at)
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
