package policy

import (
	"math/bits"
	"math/rand/v2"
)

// A picker chooses among the candidates that it was built for. pick returns the choice in order, either a part of a
// list of its own, which nobody may change, or written into buf from its start, which grows only beyond its capacity.
// It is safe for concurrent use, takes no lock and does not slow down with the number of candidates.
type picker interface {
	pick(q *Query, buf []*Member) []*Member
}

// choiceSet is what a picker is built from.
type choiceSet struct {
	list    []candidate // not empty; after tier and band, in declaration order
	answers int         // from 1 to len(list)
	turn    *turn       // of this set of candidates
	random  func() uint64
}

// A method is a policy as the compiler sees it.
type method struct {
	build    func(*choiceSet) picker
	all      bool // answers everything unless the record says otherwise
	regional bool // applies the region filter also where it is off
	weighs   bool // candidates without a share stand aside while another has one
	timed    bool // reads latencies
}

// methods is every policy there is: a new one is a builder and a line here.
var methods = [...]method{
	PolicyAll:      {build: inOrder, all: true},
	RoundRobin:     {build: newRoundRobin},
	Random:         {build: newUniform},
	Failover:       {build: inOrder},
	Latency:        {build: newLatency, timed: true},
	ByRegion:       {build: inOrder, all: true, regional: true},
	GeoFailover:    {build: newRoundRobin, regional: true},
	Weighted:       {build: newWeighted, weighs: true},
	WeightedRandom: {build: newWeightedRandom, weighs: true},
	Proximity:      {build: newNearest},
}

// fixed always answers the same.
type fixed []*Member

func (p fixed) pick(*Query, []*Member) []*Member { return p }

// inOrder answers in declaration order: the first, or as many as are asked for. After the tier that is all of `all`,
// `failover` and `region`.
func inOrder(s *choiceSet) picker { return fixed(members(s.list[:s.answers])) }

func members(list []candidate) []*Member {
	out := make([]*Member, len(list))
	for i := range list {
		out[i] = list[i].Member
	}
	return out
}

// below gives a number from 0 to n-1 out of 64 random bits. The bias, n/2^64, is far below what anyone can count.
func below(random uint64, n int) int {
	hi, _ := bits.Mul64(random, uint64(n))
	return int(hi)
}

// uniform draws without repeats.
type uniform struct {
	list    []*Member
	answers int
	random  func() uint64
}

func newUniform(s *choiceSet) picker {
	return &uniform{list: members(s.list), answers: s.answers, random: s.random}
}

func (p *uniform) pick(_ *Query, buf []*Member) []*Member {
	if p.answers == 1 {
		i := below(p.random(), len(p.list))
		return p.list[i : i+1 : i+1]
	}
	if p.answers*4 < len(p.list) {
		return distinct(buf, p.answers, func() *Member { return p.list[below(p.random(), len(p.list))] }, p.list, p.random()>>1)
	}
	buf = append(buf, p.list...) // the first rounds of a Fisher-Yates shuffle
	for i := range p.answers {
		j := i + below(p.random(), len(buf)-i)
		buf[i], buf[j] = buf[j], buf[i]
	}
	return buf[:p.answers]
}

// distinct draws until it has n different members, but at most 4n times, so that a very uneven draw cannot hold a query
// up; what is still missing then comes from list, in order from start on.
func distinct(buf []*Member, n int, draw func() *Member, list []*Member, start uint64) []*Member {
	for tries := 4 * n; tries > 0 && len(buf) < n; tries-- {
		if m := draw(); !contains(buf, m) {
			buf = append(buf, m)
		}
	}
	for i := start; len(buf) < n; i++ {
		if m := list[i%uint64(len(list))]; !contains(buf, m) {
			buf = append(buf, m)
		}
	}
	return buf
}

// contains tells whether an address stands in a list, whichever way it came there (G-54).
func contains(list []*Member, m *Member) bool {
	for _, x := range list {
		if x == m || x.Addr == m.Addr {
			return true
		}
	}
	return false
}

// defaultRandom is lock-free and differs from process to process.
var defaultRandom = rand.Uint64
