package probe

// A node that lost its own network sees every origin fail at once. While that is what it sees, it suspects itself and
// not the world, and waits for one failure more of each (G-60; the idea is Lifeguard's, Dadgar et al. 2017).

// isolationLeast is how many healthy checks it takes to suspect oneself: among fewer, half may well fail together.
const isolationLeast = 8

// isolation counts a check anew after its verdict or last result may have changed. The lock must be held.
func (m *Monitor) isolation(c *check) {
	healthy := c.judge.verdict == Healthy
	failing := healthy && !c.state.Passed
	if healthy != c.counted {
		c.counted = healthy
		m.healthy += sign(healthy)
	}
	if failing != c.failing {
		c.failing = failing
		m.failing += sign(failing)
	}
	suspected := m.healthy >= isolationLeast && 2*m.failing > m.healthy
	if suspected != m.suspected {
		m.suspected = suspected
		if m.OnSuspect != nil {
			m.OnSuspect(suspected)
		}
	}
}

func sign(up bool) int {
	if up {
		return 1
	}
	return -1
}
