package policy

import "slices"

// A plan is what one record answers to one family from one list of pools in one state of the world, for every client.
type plan struct {
	anywhere *arrangement   // for clients whose region makes no difference
	regions  []Region       // the others', ascending
	there    []*arrangement // beside regions
	inputs   Inputs
	pinned   map[uint32]*Member // with affinity: who may keep pinned clients, by Member.pin
}

// A choice is the last stage of a plan: all that does not depend on the client is done.
type choice struct {
	outcome Outcome
	picker  picker    // nil unless outcome.Answers
	hash    []*Member // with affinity: whom the hash chooses among
	pins    bool      // the choice is stored as a pin

	unresolved bool // see Decision.Unresolved
}

// choose gives the choice for a client.
func (p *plan) choose(q *Query) *choice {
	lo, hi := 0, len(p.regions)
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); p.regions[mid] < q.Region {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(p.regions) && p.regions[lo] == q.Region {
		return p.there[lo].choose(q)
	}
	return p.anywhere.choose(q)
}

// compiler makes the plans of one record. It reads nothing but what it was given, so it may work again later, when a
// query needs a choice that was not needed before.
type compiler struct {
	*Record
	turns   *turns
	random  func() uint64
	percent bool // some pool of the record has percentages

	// For an explanation: the stages that a client of this region sees tell the trace.
	trace  *Trace
	region Region
}

// plan runs health, region filter, steering, tier, band and policy over pools, and the ladder where none keeps a healthy
// candidate.
func (c *compiler) plan(pools []field, fallback *field, unresolved bool, f Family) *plan {
	if c.Disabled {
		c.trace.note("the record is disabled")
		return always(&choice{outcome: NoData})
	}
	if kept := each(pools, func(p field) []candidate { return p.up(c.trace) }); len(kept) > 0 {
		p := c.choices(kept, Answer)
		if c.Affinity.On {
			p.pinned = make(map[uint32]*Member)
			for _, k := range all(kept) {
				p.pinned[k.pin()] = k.Member
			}
		}
		return p
	}
	return c.ladder(pools, fallback, unresolved, f)
}

// choices applies the region filter for every region that one of the candidates is in. Regions of clients that hold no
// candidate see all of them.
func (c *compiler) choices(pools []field, outcome Outcome) *plan {
	p := &plan{}
	list := all(pools)
	if c.Affinity.On {
		p.inputs |= InputAddress
	}
	if c.Policy == Proximity && slices.ContainsFunc(list, func(k candidate) bool { return k.location != nil }) ||
		c.Steering == ByProximity && len(pools) > 1 ||
		slices.ContainsFunc(pools, func(p field) bool { return p.Pool != nil && p.Policy == Proximity }) {
		p.inputs |= InputPlace
	}
	if !c.RegionFilter && !c.regional(pools) {
		p.anywhere = c.arrange(pools, outcome)
		return p
	}
	told := Region(0) // whose choice the explained client gets
	if c.trace != nil && len(inRegion(list, c.region, c.trace)) < len(list) {
		told = c.region
	}
	p.anywhere = c.telling(told == 0).arrange(pools, outcome)
	for _, region := range regionsOf(list) {
		kept := c.near(pools, list, region)
		if len(all(kept)) == len(list) {
			continue // all are in one region: it makes no difference
		}
		p.regions = append(p.regions, region)
		p.there = append(p.there, c.telling(told == region).arrange(kept, outcome))
		p.inputs |= InputRegion
	}
	return p
}

// regional tells whether a policy applies the region filter also where it is off: the record's to all candidates, a
// pool's to its own.
func (c *compiler) regional(pools []field) bool {
	return methods[c.Policy].regional || slices.ContainsFunc(pools, func(p field) bool { return p.Pool != nil && methods[p.Policy].regional })
}

// near is the region filter over pools for the clients of one region.
func (c *compiler) near(pools []field, list []candidate, region Region) []field {
	if !c.RegionFilter && !methods[c.Policy].regional {
		// Only inside pools whose own policy asks for it.
		kept := slices.Clone(pools)
		for i, p := range kept {
			if p.Pool != nil && methods[p.Policy].regional {
				kept[i].list, kept[i].wide = inRegion(p.list, region, nil), p.list
			}
		}
		return kept
	}
	if len(inRegion(list, region, nil)) == len(list) {
		return pools
	}
	return each(pools, func(p field) []candidate {
		return keep(p.list, func(k *candidate) bool { return k.Region == region })
	})
}

// regionsOf gives the regions that candidates are in, ascending, each once.
func regionsOf(list []candidate) []Region {
	var regions []Region
	for i := range list {
		if list[i].Region != 0 {
			regions = append(regions, list[i].Region)
		}
	}
	slices.Sort(regions)
	return slices.Compact(regions)
}

// telling gives the compiler itself, or one that tells the trace nothing.
func (c *compiler) telling(tell bool) *compiler {
	if tell || c.trace == nil {
		return c
	}
	silent := *c
	silent.trace = nil
	return &silent
}

// choice is tier, band and policy over the selected pools, and beside them, with affinity, the hash over all of it.
func (c *compiler) choice(selected []field, outcome Outcome) *choice {
	ch := &choice{outcome: outcome}
	if c.Affinity.On {
		ch.hash = members(pinnable(selected))
		ch.pins = outcome == Answer
	}
	var drained bool
	if selected[0].Pool == nil {
		ch.picker, drained = c.pick(band(tier(selected[0].list, c.trace), c.Within, c.trace), false)
	} else {
		ch.picker, drained = c.over(selected)
	}
	if drained && outcome == Answer && !c.hashes(ch) {
		ch.outcome = Drained
	}
	return ch
}

// pick is the record's policy over candidates that tier and band have left.
func (c *compiler) pick(list []candidate, drained bool) (picker, bool) {
	m := methods[c.Policy]
	build := m.build
	if m.weighs && !anyShare(list) {
		c.trace.note("no candidate has a positive share: round-robin over them")
		build, drained = newRoundRobin, true
	}
	c.trace.policy(c.Policy, list)
	set := &choiceSet{list: divided(list), answers: c.answers(m, len(list)), turn: c.turns.of(list), random: c.random}
	p := build(set)
	if set.answers > 1 && repeats(list) {
		if f, ok := p.(fixed); ok {
			return unique(nil, f), drained
		}
		return once{p}, drained
	}
	return p, drained
}

// hashes tells whether the hash makes this choice, and not the policy: on the ladder also under `affinity policy`.
func (c *compiler) hashes(ch *choice) bool {
	return ch.hash != nil && !(c.Affinity.ByPolicy && ch.pins)
}

func (c *compiler) answers(m method, n int) int {
	switch {
	case c.Affinity.On:
		return 1
	case c.Answers == All, c.Answers == 0 && m.all:
		return n
	case c.Answers == 0:
		return 1
	}
	return min(c.Answers, n)
}

func anyShare(list []candidate) bool {
	for i := range list {
		if list[i].share > 0 {
			return true
		}
	}
	return false
}

// repeats tells whether an address can be reached in more than one way (G-54).
func repeats(list []candidate) bool {
	seen := make(map[uint64]bool, len(list))
	for i := range list {
		if seen[list[i].key] {
			return true
		}
		seen[list[i].key] = true
	}
	return false
}

// once leaves out addresses that stand in an answer already.
type once struct{ picker }

func (p once) pick(q *Query, buf []*Member) []*Member {
	got := p.picker.pick(q, buf)
	return unique(buf, got)
}

func unique(buf []*Member, list []*Member) fixed {
	for _, m := range list {
		if !contains(buf, m) {
			buf = append(buf, m)
		}
	}
	return buf
}
