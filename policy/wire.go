package policy

import (
	"net/netip"
	"slices"
)

// How records, pools, origins, their addresses and the subjects of their checks hang together. It is laid when an engine is
// made, and again for an alias when its name stands for something else.

// inherit takes over what aliases stand for.
func (e *Engine) inherit(p *Engine) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for host, a := range e.aliases {
		old := p.aliases[host]
		if old == nil {
			continue
		}
		a.Resolution = old.Resolution
		for f := range a.fresh {
			a.fresh[f].Set(old.fresh[f].expires.Load(), old.fresh[f].stale.Load())
		}
		for _, i := range a.users {
			e.expandRecord(&e.records[i], i)
		}
	}
}

// usePools ties a record to every pool that it may use.
func (e *Engine) usePools(r *record, known map[int]*pool, user int32) {
	for _, n := range r.uses() {
		p := known[n]
		if p == nil {
			p = &pool{Pool: &e.cfg.Pools[n]}
			p.origins = e.resolve(p.Origins, p.Block, user)
			known[n] = p
		} else {
			for i := range p.origins {
				for j := range p.origins[i].faces {
					e.depend(p.origins[i].faces[j].checks, user)
				}
				if a := p.origins[i].alias; a != nil && !slices.Contains(a.users, user) {
					a.users = append(a.users, user)
				}
			}
		}
		p.users = append(p.users, user)
		if r.pools == nil {
			r.pools = make(map[int]*pool)
		}
		r.pools[n] = p
		r.percent = r.percent || p.percentages()
	}
}

// resolve ties origins to the subjects of their checks.
func (e *Engine) resolve(origins []Origin, block int, user int32) []origin {
	list := make([]origin, len(origins))
	for i := range origins {
		o := &list[i]
		o.Origin = &origins[i]
		if o.Alias == "" {
			o.faces = []face{{newMember(o.Origin, e.regionOf(o.Origin, block)), e.tie(o.Checks, o.Addr, user)}}
			continue
		}
		if o.Disabled {
			continue // never resolved, as it is never probed
		}
		a := e.aliases[o.Alias]
		if a == nil {
			a = &alias{}
			e.aliases[o.Alias] = a
		}
		if !slices.Contains(a.users, user) {
			a.users = append(a.users, user)
		}
		o.alias = a
	}
	return list
}

// tie gives the subjects of an address's checks.
func (e *Engine) tie(checks []Check, a netip.Addr, user int32) []*subject {
	if len(checks) == 0 {
		return nil
	}
	list := make([]*subject, len(checks))
	for i, c := range checks {
		id := c.Subject
		if c.PerAddress {
			id = AddressSubject(id, a)
		}
		s := e.subjects[id]
		if s == nil {
			s = &subject{}
			e.subjects[id] = s
		}
		list[i] = s
	}
	e.depend(list, user)
	return list
}

func (e *Engine) depend(subjects []*subject, user int32) {
	for _, s := range subjects {
		if !slices.Contains(s.users, user) {
			s.users = append(s.users, user)
		}
	}
}

func (e *Engine) regionOf(o *Origin, block int) Region {
	if o.Region != 0 || e.cfg.RegionOf == nil {
		return o.Region
	}
	return e.cfg.RegionOf(o, block)
}
