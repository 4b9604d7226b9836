package policy

import (
	"github.com/coredns/gslb/internal/splitmix"
)

// arrangement is the order of the pools that can answer one kind of client, and the choice that follows from it. Where
// the order depends on the query, the choice for an order is made when it is first asked for and remembered.
type arrangement struct {
	listed  *choice
	c       *compiler
	outcome Outcome
	pools   []field
	selects int

	byPlace memo[*Location, *choice]
	byOrder memo[selection, *choice]
}

// selection is the first pools of an order, by their places in the list; at most selectionMost are remembered by.
type selection struct {
	n     uint8
	pools [selectionMost]uint8
}

const selectionMost = 15

func (c *compiler) arrange(pools []field, outcome Outcome) *arrangement {
	selects := len(pools)
	if c.Select != All {
		selects = min(c.Select, len(pools))
	}
	listed := c.choice(pools[:selects], outcome)
	if len(pools) < 2 || c.Steering == Listed {
		return settled(listed) // and candidates and compiler are garbage: most records are such
	}
	return &arrangement{listed: listed, c: c, outcome: outcome, pools: pools, selects: selects}
}

// settled is an arrangement without an alternative.
func settled(ch *choice) *arrangement { return &arrangement{listed: ch} }

func (a *arrangement) choose(q *Query) *choice {
	if len(a.pools) < 2 {
		return a.listed
	}
	switch a.c.Steering {
	case RandomOrder:
		return a.random()
	case ByProximity:
		at := q.Place.Location
		if at == nil {
			return a.listed
		}
		return a.byPlace.get(at, hashLocation(at), func() *choice {
			order := byDistance(at, len(a.pools), func(i int) *Location { return a.pools[i].Location })
			return a.of(order[:a.selects])
		})
	}
	return a.listed
}

// random draws an order: the first rounds of a Fisher-Yates shuffle.
func (a *arrangement) random() *choice {
	if len(a.pools) > 255 || a.selects > selectionMost {
		return a.of(a.shuffle(make([]int, len(a.pools)), a.selects))
	}
	var room [256]int
	order := a.shuffle(room[:len(a.pools)], a.selects)
	key := selection{n: uint8(len(order))}
	hash := uint64(len(order))
	for i, p := range order {
		key.pools[i] = uint8(p)
		hash = splitmix.Mix(hash ^ uint64(p))
	}
	return a.byOrder.get(key, hash, func() *choice {
		again := make([]int, key.n)
		for i := range again {
			again[i] = int(key.pools[i])
		}
		return a.of(again)
	})
}

func (a *arrangement) shuffle(order []int, n int) []int {
	for i := range order {
		order[i] = i
	}
	for i := range n {
		j := i + below(a.c.random(), len(order)-i)
		order[i], order[j] = order[j], order[i]
	}
	return order[:n]
}

func (a *arrangement) of(order []int) *choice {
	selected := make([]field, len(order))
	for i, p := range order {
		selected[i] = a.pools[p]
	}
	return a.c.choice(selected, a.outcome)
}
