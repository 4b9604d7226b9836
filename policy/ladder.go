package policy

// ladder answers where no candidate of the family is healthy: the fallback pool's healthy origins, the failsafe
// addresses, then what `fail` says. A step that has nothing of the family gives way to the next, and `fail` speaks only
// where the pools in force or the fallback pool have an enabled origin. An alias that was never resolved may be one: then
// the answer is SERVFAIL and not that there is nothing (G-08).
func (c *compiler) ladder(pools []field, fallback *field, unresolved bool, f Family) *plan {
	rest := each(pools, field.ready)
	if fallback != nil {
		if kept := each([]field{*fallback}, func(p field) []candidate { return p.up(c.trace) }); len(kept) > 0 {
			c.trace.note("no healthy origin: the fallback pool")
			return c.choices(kept, Fallback)
		}
		if len(rest) == 0 {
			rest = each([]field{*fallback}, field.ready)
		}
	}
	if safe := c.failsafe(f); len(safe) > 0 {
		c.trace.note("no healthy origin: the failsafe addresses")
		return always(&choice{outcome: Failsafe, picker: fixed(safe)})
	}
	if len(rest) == 0 {
		if unresolved {
			c.trace.note("nothing but aliases that were never resolved")
			return always(&choice{outcome: ServFail, unresolved: true})
		}
		c.trace.note("no enabled origin of " + f.String())
		return always(&choice{outcome: NoData})
	}
	c.trace.note("no healthy origin: fail " + c.Fail.String())
	switch c.Fail {
	case FailAll:
		return always(&choice{outcome: Everyone, picker: unique(nil, members(all(rest)))})
	case FailNoData:
		return always(&choice{outcome: NoData})
	case FailServFail:
		return always(&choice{outcome: ServFail})
	case FailNext:
		return always(&choice{outcome: Next})
	}
	return c.choices(rest, Open) // as if all were healthy: losing the checks must not change routing
}

func always(ch *choice) *plan { return &plan{anywhere: settled(ch)} }

func (c *compiler) failsafe(f Family) []*Member {
	var safe []*Member
	for _, a := range c.Failsafe {
		if FamilyOf(a) == f {
			safe = append(safe, newMember(&Origin{Addr: a}, 0))
		}
	}
	return safe
}
