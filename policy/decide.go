package policy

// Decide answers a query for a record, given by its index in Config.Records. It takes no lock, reads no clock and
// allocates nothing as long as the answer fits buf, which is used from its start; its cost does not grow with the
// number of origins or regions. The answer may stand in buf or in memory that all queries share.
func (s *Snapshot) Decide(record int, q *Query, buf []*Member) Decision {
	return s.view(record).decide(q, buf, nil)
}

// decide is the one way to an answer, told to a trace or silent.
func (v *view) decide(q *Query, buf []*Member, tr *Trace) Decision {
	p := v.plans[q.Family]
	d := Decision{TTL: v.ttl, Inputs: p.inputs}
	tag := uint64(0)
	if v.affinity.On && p.pinned != nil {
		tag = pinTag(v.record, q.Family, q.Client)
		if pin, ok := v.pins.get(tag, q.Now); ok {
			if m := p.pinned[pin]; m != nil {
				tr.pin(m)
				d.Outcome, d.Members = Pinned, append(buf[:0], m)
				return d
			}
		}
	}
	ch := p.choose(q)
	d.Outcome = ch.outcome
	if ch.picker == nil {
		return d
	}
	if !v.affinity.On || ch.hash == nil {
		d.Members = ch.picker.pick(q, buf[:0])
		return d
	}
	if v.affinity.ByPolicy && ch.pins {
		d.Members = ch.picker.pick(q, buf[:0])[:1]
	} else {
		d.Members = append(buf[:0], rendezvous(ch.hash, clientKey(q.Client)))
		tr.hash(ch.hash)
	}
	if ch.pins && !q.Peek {
		v.pins.put(tag, d.Members[0].pin(), v.affinity.expiry(q.Now), q.Now)
	}
	return d
}
