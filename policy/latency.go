package policy

import (
	"cmp"
	"slices"
)

// newLatency answers by the latency that the candidates' own checks measured, the unmeasured last; equals keep
// declaration order (G-04).
func newLatency(s *choiceSet) picker {
	byLatency := slices.Clone(s.list)
	slices.SortStableFunc(byLatency, func(a, b candidate) int {
		if (a.latency == None) != (b.latency == None) {
			return cmp.Compare(b.latency, a.latency) // None is below every latency
		}
		return cmp.Compare(a.latency, b.latency)
	})
	return fixed(members(byLatency[:s.answers]))
}
