package policy

import "cmp"

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
		for _, m := range part.pick(q, buf[len(buf):]) {
			if !contains(buf, m) {
				buf = append(buf, m)
			}
		}
	}
	buf = p.band(buf)
	p.order(q, buf)
	return buf[:min(len(buf), p.answers)]
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
	case Weighted, WeightedRandom:
		for i := range min(len(list), p.answers) {
			p.draw(list[i:])
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

// draw brings one to the front, in proportion to share.
func (p *composite) draw(list []*Member) {
	sum := uint64(0)
	for _, m := range list {
		sum += p.of[m].share
	}
	if sum == 0 {
		rotate(list, below(p.random(), len(list)))
		return
	}
	x := uint64(below(p.random(), int(sum)))
	for i, m := range list {
		if x < p.of[m].share {
			list[0], list[i] = list[i], list[0]
			return
		}
		x -= p.of[m].share
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
	reverse(list[:n])
	reverse(list[n:])
	reverse(list)
}

func reverse(list []*Member) {
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
}
