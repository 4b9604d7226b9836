package policy

// The stages between health and policy. Each takes candidates in declaration order and keeps some of them, in the same
// order, without touching the list that it was given. What they keep is told to the trace, which may be nil.

// available keeps the enabled and healthy ones (AFD-01).
func available(list []candidate, tr *Trace) []candidate {
	kept := keep(list, func(c *candidate) bool { return !c.disabled && c.healthy })
	tr.stage("health", list, kept, "enabled and healthy")
	return kept
}

// enabled keeps whatever may be answered when health is not asked.
func enabled(list []candidate) []candidate {
	return keep(list, func(c *candidate) bool { return !c.disabled })
}

// inRegion is the region filter: if any candidate is in the client's region, only those in it stay (DTM-LB-05).
func inRegion(list []candidate, region Region, tr *Trace) []candidate {
	if region == 0 {
		tr.stage("region", list, list, "the client has no region")
		return list
	}
	kept := keep(list, func(c *candidate) bool { return c.Region == region })
	if len(kept) == 0 {
		tr.stage("region", list, list, "none is in the client's region")
		return list
	}
	tr.stage("region", list, kept, "in the client's region")
	return kept
}

// tier keeps the lowest priority number (AFD-03).
func tier(list []candidate, tr *Trace) []candidate {
	if len(list) == 0 {
		return list
	}
	best := list[0].priority
	for i := range list {
		best = min(best, list[i].priority)
	}
	kept := keep(list, func(c *candidate) bool { return c.priority == best })
	tr.stage("tier", list, kept, "of the lowest priority number")
	return kept
}

// band keeps those within so many milliseconds of the fastest, and with one measured only measured ones (AFD-04, G-44).
func band(list []candidate, within int, tr *Trace) []candidate {
	if within == None {
		return list
	}
	fastest := None
	for i := range list {
		if l := list[i].latency; l != None && (fastest == None || l < fastest) {
			fastest = l
		}
	}
	if fastest == None {
		tr.stage("within", list, list, "none is measured")
		return list
	}
	kept := keep(list, func(c *candidate) bool { return c.latency != None && c.latency <= fastest+within })
	tr.stage("within", list, kept, "near the lowest latency")
	return kept
}

// keep copies only when it has to leave something out.
func keep(list []candidate, ok func(*candidate) bool) []candidate {
	n := 0
	for i := range list {
		if ok(&list[i]) {
			n++
		}
	}
	if n == len(list) {
		return list
	}
	kept := make([]candidate, 0, n)
	for i := range list {
		if ok(&list[i]) {
			kept = append(kept, list[i])
		}
	}
	return kept
}
