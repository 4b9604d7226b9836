package policy

// ladder answers where no candidate of the family is healthy: the failsafe addresses, then what `fail` says. A step
// that has nothing of the family gives way to the next, and `fail` speaks only where there is an enabled origin.
func (c *compiler) ladder(list []candidate, f Family) *plan {
	if safe := c.failsafe(f); len(safe) > 0 {
		c.trace.note("no healthy origin: the failsafe addresses")
		return always(&choice{outcome: Failsafe, picker: fixed(safe)})
	}
	rest := enabled(list)
	if len(rest) == 0 {
		c.trace.note("no enabled origin of " + f.String())
		return always(&choice{outcome: NoData})
	}
	c.trace.note("no healthy origin: fail " + c.Fail.String())
	switch c.Fail {
	case FailAll:
		return always(&choice{outcome: Everyone, picker: fixed(members(rest))})
	case FailNoData:
		return always(&choice{outcome: NoData})
	case FailServFail:
		return always(&choice{outcome: ServFail})
	case FailNext:
		return always(&choice{outcome: Next})
	}
	return c.choices(rest, Open) // as if all were healthy: losing the checks must not change routing
}

func always(ch *choice) *plan { return &plan{anywhere: ch} }

func (c *compiler) failsafe(f Family) []*Member {
	var safe []*Member
	for _, a := range c.Failsafe {
		if FamilyOf(a) == f {
			safe = append(safe, newMember(&Origin{Addr: a}, 0))
		}
	}
	return safe
}
