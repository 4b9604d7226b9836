package probe

import (
	"sync"
	"time"
)

// Monitor runs checks for as long as somebody holds a lease on them. One Monitor serves the whole process: an instance
// that replaces another acquires its leases before the other one releases its own, and so an unchanged check never
// stops, nor loses its streak. All methods are safe for concurrent use and do not wait for probes.
//
// The zero value works. Without leases it has no goroutine.
type Monitor struct {
	// OnLate hears how late each probe starts; OnExpired of each verdict that became too old; OnSuspect when the node
	// begins or ends to suspect itself. All are optional, are set before the first Acquire, and must not block.
	OnLate    func(time.Duration)
	OnExpired func(Info)
	OnSuspect func(bool)

	mu      sync.Mutex
	checks  map[string]*check
	queue   queue    // by check.wake
	ready   []*check // due, oldest first, for want of workers
	running int
	workers int
	looping bool
	held    bool // no probe starts: for tests of what happens then
	wake    chan struct{}

	healthy   int // checks whose verdict is healthy and that take part in isolation
	failing   int // those of them whose last result is a failure
	suspected bool
}

// DefaultWorkers is how many probes are in flight at most unless SetWorkers says otherwise.
const DefaultWorkers = 256

// Info is a check with its state.
type Info struct {
	Key   string
	Spec  Spec
	State State
}

// Lease is a claim to a check. It must be released once.
type Lease struct {
	m      *Monitor
	c      *check
	notify func(State)
	told   sync.Mutex
	gone   bool
}

// Acquire starts the check, or joins it if it runs. notify, which may be nil, hears of every result and every change
// from then on, one at a time, each time with the present state; it must not block for long and not call Release.
func (m *Monitor) Acquire(spec Spec, notify func(State)) *Lease {
	key := spec.Key()
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.checks[key]
	if c == nil {
		if m.checks == nil {
			m.checks = map[string]*check{}
			m.wake = make(chan struct{}, 1)
		}
		c = newCheck(spec, key, time.Now())
		m.checks[key] = c
		m.schedule(c)
	}
	l := &Lease{m: m, c: c, notify: notify}
	c.leases[l] = struct{}{}
	if !m.looping {
		m.looping = true
		go m.loop()
	}
	return l
}

// State gives the check's present state.
func (l *Lease) State() State {
	l.m.mu.Lock()
	defer l.m.mu.Unlock()
	return l.c.state
}

// Info gives the check with its present state.
func (l *Lease) Info() Info {
	l.m.mu.Lock()
	defer l.m.mu.Unlock()
	return l.c.info()
}

// Release gives the claim up; with the last one the check ends. After it returns, notify is not called again.
func (l *Lease) Release() {
	l.m.mu.Lock()
	delete(l.c.leases, l)
	if len(l.c.leases) == 0 && l.m.checks[l.c.key] == l.c {
		l.m.remove(l.c)
	}
	l.m.mu.Unlock()
	l.told.Lock()
	l.gone = true
	l.told.Unlock()
}

// SetWorkers sets how many probes may be in flight at once; 0 is DefaultWorkers.
func (m *Monitor) SetWorkers(n int) {
	m.mu.Lock()
	m.workers = n
	m.mu.Unlock()
	m.nudge()
}

// Checks lists every check, in no order.
func (m *Monitor) Checks() []Info {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := make([]Info, 0, len(m.checks))
	for _, c := range m.checks {
		list = append(list, c.info())
	}
	return list
}

// Suspected tells whether the node suspects itself (G-60).
func (m *Monitor) Suspected() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.suspected
}

func (c *check) info() Info { return Info{c.key, c.spec, c.state} }

// tell brings a check's present state to those who hold leases. The lock must not be held.
func (m *Monitor) tell(c *check) {
	m.mu.Lock()
	leases := make([]*Lease, 0, len(c.leases))
	for l := range c.leases {
		leases = append(leases, l)
	}
	m.mu.Unlock()
	for _, l := range leases {
		l.Tell()
	}
}

// Tell brings the present state to notify, at once. It is read after the right to speak was had, so that what is told
// never goes back in time.
func (l *Lease) Tell() {
	if l.notify == nil {
		return
	}
	l.told.Lock()
	defer l.told.Unlock()
	if !l.gone {
		l.notify(l.State())
	}
}
