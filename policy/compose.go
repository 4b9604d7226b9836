package policy

import (
	"cmp"
	"slices"
)

// composite is a record's band and policy over pools whose contributions change from query to query. What the pools pick
// is a handful of addresses: they are looked at one by one.
type composite struct {
	parts   []contribution
	of      map[*Member]*candidate
	policy  Policy
	within  int
	answers int // at most so many
	turn    *turn
	random  func() uint64
}

func (c *compiler) compose(parts []contribution) picker {
	p := &composite{parts: parts, of: map[*Member]*candidate{}, policy: c.Policy, within: c.Within, random: c.random}
	var list []candidate
	for _, part := range parts {
		for i := range part.list {
			p.of[part.list[i].Member] = &part.list[i]
		}
		list = append(list, part.list...)
	}
	p.answers = c.answers(methods[c.Policy], len(list))
	p.turn = c.turns.of(list)
	return p
}

func (p *composite) pick(q *Query, buf []*Member) []*Member {
	for _, part := range p.parts {
		buf = append(buf, part.pick(q, buf[len(buf):])...)
	}
	buf = p.band(buf)
	if methods[p.policy].weighs {
		buf = p.weighed(q, buf)
	} else {
		p.order(q, buf)
	}
	answer := buf[:0]
	for _, m := range buf { // each way to an address had its own weight (G-54)
		if len(answer) < p.answers && !contains(answer, m) {
			answer = append(answer, m)
		}
	}
	return answer
}

// weighed keeps those with a share and draws an order of them; if none has one, they take turns.
func (p *composite) weighed(q *Query, list []*Member) []*Member {
	n := 0
	for i, m := range list {
		if p.of[m].share > 0 {
			list[n], list[i] = list[i], list[n]
			n++
		}
	}
	if n == 0 {
		if len(list) > 1 {
			rotate(list, int(p.turn.take(q)%uint64(len(list))))
		}
		return list
	}
	list = list[:n]
	for i := range n - 1 {
		p.draw(list, i)
	}
	return list
}

// share is what one gets: an alias's is divided among those of its addresses that are in the list (G-10).
func (p *composite) share(list []*Member, m *Member) uint64 {
	k := p.of[m]
	if k.origin == nil || k.origin.alias == nil {
		return k.share * fine
	}
	ways := uint64(0)
	for _, x := range list {
		if p.of[x].origin == k.origin {
			ways++
		}
	}
	return k.share * fine / ways
}

func (p *composite) band(list []*Member) []*Member {
	fastest := None
	for _, m := range list {
		if l := p.of[m].latency; p.within != None && l != None && (fastest == None || l < fastest) {
			fastest = l
		}
	}
	if fastest == None {
		return list
	}
	kept := list[:0]
	for _, m := range list {
		if l := p.of[m].latency; l != None && l <= fastest+p.within {
			kept = append(kept, m)
		}
	}
	return kept
}

// order brings the policy's choice to the front, in place.
func (p *composite) order(q *Query, list []*Member) {
	if len(list) < 2 {
		return
	}
	switch p.policy {
	case RoundRobin, GeoFailover:
		rotate(list, int(p.turn.take(q)%uint64(len(list))))
	case Random:
		for i := range list {
			j := i + below(p.random(), len(list)-i)
			list[i], list[j] = list[j], list[i]
		}
	case Latency:
		p.sort(list, func(m *Member) float64 {
			if l := p.of[m].latency; l != None {
				return float64(l)
			}
			return 1e18
		})
	case Proximity:
		if at := q.Place.Location; at != nil {
			p.sort(list, func(m *Member) float64 {
				if l := p.of[m].location; l != nil {
					return -at.Nearness(l)
				}
				return 2
			})
		}
	}
}

// draw brings one to place i, out of those that have none yet, in proportion to share.
func (p *composite) draw(list []*Member, i int) {
	sum := uint64(0)
	for _, m := range list[i:] {
		sum += p.share(list, m)
	}
	x := uint64(below(p.random(), int(sum)))
	for j := i; j < len(list); j++ {
		share := p.share(list, list[j])
		if x < share {
			list[i], list[j] = list[j], list[i]
			return
		}
		x -= share
	}
}

// sort is an insertion sort: stable, in place, and quick for a handful.
func (p *composite) sort(list []*Member, by func(*Member) float64) {
	for i := 1; i < len(list); i++ {
		for j := i; j > 0 && cmp.Less(by(list[j]), by(list[j-1])); j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
}

// rotate turns a list to the left by n, in place.
func rotate(list []*Member, n int) {
	slices.Reverse(list[:n])
	slices.Reverse(list[n:])
	slices.Reverse(list)
}
