package policy

import (
	"sync"
	"sync/atomic"

	"github.com/coredns/gslb/internal/splitmix"
)

// A turn counts the queries that one set of candidates of one record has answered turn by turn. It outlives the
// pickers that use it, so that neither a change of health elsewhere nor a reload begins it again.
type turn struct {
	n    atomic.Uint64
	used uint64 // the latest compilation that asked for it; guarded by turns.mu
}

// take moves the turn on, but for a query that only looks.
func (t *turn) take(q *Query) uint64 {
	if q.Peek {
		return t.n.Load()
	}
	return t.n.Add(1) - 1
}

// turns holds the turns of one record, by the set of candidates that each belongs to (G-39). Instances before and after
// a reload share it.
type turns struct {
	mu     sync.Mutex
	sets   map[uint64]*turn
	random func() uint64
	round  uint64 // counts compilations
	most   int    // how many sets are remembered
}

// begin says that the record is compiled anew.
func (t *turns) begin() {
	t.mu.Lock()
	t.round++
	t.mu.Unlock()
}

// forget drops the sets that neither this compilation nor the one before asked for: what clients see now is kept however
// many regions there are.
func (t *turns) forget() {
	for set, known := range t.sets {
		if known.used+1 < t.round {
			delete(t.sets, set)
		}
	}
	if len(t.sets) >= turnSetsMost {
		clear(t.sets)
	}
	t.most = max(turnSets, 2*len(t.sets))
}

// turnSets is how many sets a record remembers at least. Sets come and go with health and latency; one that returns later
// than after so many others may begin anew.
const turnSets = 256

// turnSetsMost bounds them all the same: pools in a random order have more sets than there is memory.
const turnSetsMost = 1 << 14

// of gives the turn of a set of candidates. A new one begins at a random place, so that many servers do not begin alike.
func (t *turns) of(list []candidate) *turn {
	if len(list) < 2 {
		return nil // nobody takes turns
	}
	set := uint64(len(list))
	for i := range list {
		set = splitmix.Mix(set ^ list[i].key)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if known := t.sets[set]; known != nil {
		known.used = t.round
		return known
	}
	if t.sets == nil {
		t.sets = make(map[uint64]*turn)
	}
	if len(t.sets) >= max(t.most, turnSets) {
		t.forget()
	}
	fresh := &turn{used: t.round}
	fresh.n.Store(t.random() >> 1) // far from the end of the numbers, where a turn would not be a whole one
	t.sets[set] = fresh
	return fresh
}

// roundRobin answers a window of the circle of candidates that moves on by one with each query (G-01).
type roundRobin struct {
	circle  []*Member // twice round, so that every window is one piece
	answers int
	turn    *turn
}

func newRoundRobin(s *choiceSet) picker {
	if len(s.list) == 1 {
		return inOrder(s)
	}
	once := members(s.list)
	return &roundRobin{circle: append(once[:len(once):len(once)], once...), answers: s.answers, turn: s.turn}
}

func (p *roundRobin) pick(q *Query, _ []*Member) []*Member {
	i := int(p.turn.take(q) % uint64(len(p.circle)/2))
	return p.circle[i : i+p.answers : i+p.answers]
}
