package policy

import "slices"

// A plan is what one record answers to one family in one state of the world, for every client.
type plan struct {
	anywhere *choice   // for clients whose region makes no difference
	regions  []Region  // the others', ascending
	there    []*choice // beside regions
	inputs   Inputs
	pinned   map[uint32]*Member // with affinity: who may keep pinned clients, by Member.pin
}

// A choice is the last stage of a plan: all that does not depend on the client is done.
type choice struct {
	outcome Outcome
	picker  picker    // nil unless outcome.Answers
	hash    []*Member // with affinity: whom the hash chooses among
	pins    bool      // the choice is stored as a pin
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
		return p.there[lo]
	}
	return p.anywhere
}

// compiler makes the plans of one record. It belongs to one call of Engine.compile and reads what the engine's lock
// guards.
type compiler struct {
	*Record
	turns  *turns
	random func() uint64

	// For an explanation: the stages that a client of this region sees tell the trace.
	trace  *Trace
	region Region
}

// plan runs health, region filter, tier, band and policy over the candidates of one family, and the ladder where no
// healthy one is left.
func (c *compiler) plan(list []candidate, f Family) *plan {
	if c.Disabled {
		c.trace.note("the record is disabled")
		return &plan{anywhere: &choice{outcome: NoData}}
	}
	if kept := available(list, c.trace); len(kept) > 0 {
		p := c.choices(kept, Answer)
		if c.Affinity.On {
			p.pinned = make(map[uint32]*Member, len(kept))
			for i := range kept {
				p.pinned[kept[i].pin()] = kept[i].Member
			}
		}
		return p
	}
	return c.ladder(list, f)
}

// choices applies the region filter for every region that one of the candidates is in. Regions of clients that hold no
// candidate see all of them.
func (c *compiler) choices(list []candidate, outcome Outcome) *plan {
	p := &plan{}
	if c.Affinity.On {
		p.inputs |= InputAddress
	}
	if c.Policy == Proximity && slices.ContainsFunc(list, func(c candidate) bool { return c.location != nil }) {
		p.inputs |= InputPlace
	}
	if !c.RegionFilter && !methods[c.Policy].regional {
		p.anywhere = c.choice(list, outcome)
		return p
	}
	told := Region(0) // whose choice the explained client gets
	if c.trace != nil && len(inRegion(list, c.region, c.trace)) < len(list) {
		told = c.region
	}
	p.anywhere = c.telling(told == 0).choice(list, outcome)
	for _, region := range regionsOf(list) {
		if kept := inRegion(list, region, nil); len(kept) < len(list) {
			p.regions = append(p.regions, region)
			p.there = append(p.there, c.telling(told == region).choice(kept, outcome))
			p.inputs |= InputRegion
		}
	}
	return p
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

// choice is tier, band and policy over what is left, and beside them, with affinity, the hash over all of it.
func (c *compiler) choice(list []candidate, outcome Outcome) *choice {
	ch := &choice{outcome: outcome}
	if c.Affinity.On {
		ch.hash = members(list)
		ch.pins = outcome == Answer
	}
	list = band(tier(list, c.trace), c.Within, c.trace)
	m := methods[c.Policy]
	build := m.build
	if m.weighs && !anyShare(list) {
		c.trace.note("no candidate has a positive share: round-robin over them")
		build = newRoundRobin
		if outcome == Answer && !c.hashes(ch) {
			ch.outcome = Drained
		}
	}
	ch.picker = build(&choiceSet{list: list, answers: c.answers(m, len(list)), turn: c.turns.of(list), random: c.random})
	c.trace.policy(c.Policy, list)
	return ch
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
