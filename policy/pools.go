package policy

// field is a pool as one plan sees it: its candidates of the family. The pool is nil for the unnamed one of a record with
// origins.
type field struct {
	*Pool
	list  []candidate
	wide  []candidate // with affinity: list before the pool's own policy kept a region of it; nil where that is list
	parts uint64      // in which the shares of a percentage are counted; see shares
}

// up keeps a pool's enabled and healthy candidates; none where the pool is disabled, or down by `min-healthy`.
func (p field) up(tr *Trace) []candidate {
	if p.Pool == nil {
		return available(p.list, tr)
	}
	if p.Disabled {
		tr.pool(p.Name, "disabled")
		return nil
	}
	kept := available(p.list, nil)
	if len(kept) < p.MinHealthy {
		tr.pool(p.Name, "fewer healthy origins than min-healthy")
		return nil
	}
	tr.stage("health of pool "+p.Name, p.list, kept, "enabled and healthy")
	return kept
}

// ready keeps what may be answered when health is not asked.
func (p field) ready() []candidate {
	if p.Pool != nil && p.Disabled {
		return nil
	}
	return enabled(p.list)
}

// each gives the pools for which keep leaves something, with that.
func each(fields []field, keep func(field) []candidate) []field {
	var kept []field
	for _, p := range fields {
		if list := keep(p); len(list) > 0 {
			kept = append(kept, field{Pool: p.Pool, list: list, parts: p.parts})
		}
	}
	return kept
}

// all gives the candidates of several pools in their order.
func all(fields []field) []candidate {
	if len(fields) == 1 {
		return fields[0].list
	}
	var list []candidate
	for _, p := range fields {
		list = append(list, p.list...)
	}
	return list
}

// pinnable gives the candidates of several pools that affinity chooses among, whatever the pools' own policies keep.
func pinnable(fields []field) []candidate {
	var list []candidate
	for _, p := range fields {
		if p.wide != nil {
			list = append(list, p.wide...)
		} else {
			list = append(list, p.list...)
		}
	}
	return list
}

// contribution is what one pool gives to a record's policy: what its own tier, band and policy pick.
type contribution struct {
	picker
	list    []candidate // of which, with shares as the record reads them
	several bool        // it may give more than one address
	drained bool
}

func (c *compiler) contribute(p field) contribution {
	list := band(tier(p.list, c.trace), p.Within, c.trace)
	m := methods[p.Policy]
	out := contribution{list: c.weigh(p, list)}
	build := m.build
	if m.weighs && !anyShare(list) {
		build, out.drained = newRoundRobin, true
	}
	answers := 1
	if m.all {
		answers = len(list)
	}
	out.several = answers > 1
	out.picker = build(&choiceSet{list: divided(list), answers: answers, turn: c.turns.of(list), random: c.random})
	c.trace.pool(p.Name, "contributes by "+p.Policy.String())
	return out
}

// weigh gives candidates the share that a record's `weighted` reads over pools (G-43): relative weights as written, 1 in a
// pool without weights; a percentage as the origin's share of its pool's hundred, an even one in a pool without weights.
func (c *compiler) weigh(p field, list []candidate) []candidate {
	if !methods[c.Policy].weighs {
		return list
	}
	out := make([]candidate, len(list))
	origins := map[*origin]bool{} // an alias is one, however many addresses it has
	for _, k := range enabled(p.list) {
		origins[k.origin] = true
	}
	ready := uint64(len(origins))
	for i, k := range list {
		switch {
		case !c.percent:
		case p.percentages():
			k.share = k.share * fine / p.parts
		default:
			k.share = 100 * fine / ready
		}
		out[i] = k
	}
	return out
}

func (p *Pool) percentages() bool {
	for i := range p.Origins {
		if p.Origins[i].Weight.Kind == Percent {
			return true
		}
	}
	return false
}

func (p *Pool) relative() bool {
	for i := range p.Origins {
		if p.Origins[i].Weight.Kind == Relative {
			return true
		}
	}
	return false
}

// over is band and policy of a record over what the selected pools contribute.
func (c *compiler) over(selected []field) (picker, bool) {
	var parts []contribution
	drained, still, several := false, true, false
	for _, p := range selected {
		part := c.contribute(p)
		_, fixed := part.picker.(fixed)
		still = still && fixed
		several = several || part.several
		drained = drained || part.drained
		parts = append(parts, part)
	}
	if len(parts) == 1 && !still && (!several || c.plain()) {
		return parts[0].picker, drained || methods[c.Policy].weighs && !anyShare(parts[0].list)
	}
	if !still {
		return c.compose(parts), drained
	}
	var list []candidate
	for _, part := range parts {
		for _, m := range part.picker.(fixed) {
			for _, k := range part.list {
				if k.Member == m {
					list = append(list, k)
				}
			}
		}
	}
	return c.pick(band(list, c.Within, c.trace), drained)
}

// plain tells that the record changes nothing of what a pool contributes.
func (c *compiler) plain() bool {
	return c.Policy == PolicyAll && c.Within == None && (c.Answers == 0 || c.Answers == All)
}
