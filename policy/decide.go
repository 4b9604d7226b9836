package policy

// Decide answers a query for a record, given by its index in Config.Records. It takes no lock, reads no clock and
// allocates nothing as long as the answer fits buf, which is used from its start; its cost does not grow with the
// number of origins or regions. The answer may stand in buf or in memory that all queries share.
func (s *Snapshot) Decide(record int, q *Query, buf []*Member) Decision {
	return s.view(record).decide(q, buf, nil)
}

// decide is the one way to an answer, told to a trace or silent.
func (v *view) decide(q *Query, buf []*Member, tr *Trace) Decision {
	p, line := v.rules.plan(q)
	if line != nil {
		tr.when(line)
	} else {
		p = v.plans[q.Family]
	}
	d := Decision{TTL: v.ttl, Inputs: p.inputs | v.inputs}
	v.fill(&d, p, q, buf[:0], tr)
	if v.aliased {
		for _, m := range d.Members {
			if m.fresh != nil {
				var stale bool
				d.TTL, stale = m.fresh.limit(d.TTL, q.Now)
				d.Stale = d.Stale || stale
			}
		}
	}
	return d
}

// fill chooses by one plan.
func (v *view) fill(d *Decision, p *plan, q *Query, buf []*Member, tr *Trace) {
	tag := uint64(0)
	if v.affinity.On && p.pinned != nil {
		tag = pinTag(v.record, q.Family, q.Client)
		if pin, ok := v.pins.get(tag, q.Now); ok {
			if m := p.pinned[pin]; m != nil {
				tr.pin(m)
				d.Outcome, d.Members = Pinned, append(buf, m)
				return
			}
		}
	}
	ch := p.choose(q)
	d.Outcome, d.Unresolved = ch.outcome, ch.unresolved
	if ch.picker == nil {
		return
	}
	if ch.hash == nil {
		d.Members = ch.picker.pick(q, buf)
		return
	}
	if v.affinity.ByPolicy && ch.pins {
		d.Members = ch.picker.pick(q, buf)[:1]
	} else {
		d.Members = append(buf, rendezvous(ch.hash, clientKey(q.Client)))
		tr.hash(ch.hash)
	}
	if ch.pins && !q.Peek {
		v.pins.put(tag, d.Members[0].pin(), v.affinity.expiry(q.Now), q.Now)
	}
}
