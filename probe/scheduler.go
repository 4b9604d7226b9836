package probe

import (
	"container/heap"
	"context"
	"time"
)

// The scheduler is one goroutine that sleeps until the next moment at which something is due: a probe to start, a
// probe to give up, a verdict to grow old. Probes run in goroutines of their own, as many as there are workers. Since
// nothing waits for a probe, one that hangs delays no other and keeps no verdict alive.

// grace is how long after its deadline a probe in flight is still waited for. It matters only for one that ignores its
// context: such a probe frees its worker, and its check goes on failing, without a second one beside it.
const grace = 500 * time.Millisecond

func (m *Monitor) loop() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		m.mu.Lock()
		if len(m.checks) == 0 {
			m.looping = false
			m.mu.Unlock()
			return
		}
		now := time.Now()
		var told []*check
		for len(m.queue) > 0 && !m.queue[0].wake.After(now) {
			c := m.queue[0]
			if m.attend(c, now) {
				told = append(told, c)
			}
			m.schedule(c)
		}
		m.startReady(now)
		timer.Reset(m.queue[0].wake.Sub(now))
		m.mu.Unlock()
		for _, c := range told {
			m.tell(c)
		}
		select {
		case <-timer.C:
		case <-m.wake:
		}
	}
}

// nudge makes the loop look again.
func (m *Monitor) nudge() {
	select {
	case m.wake <- struct{}{}:
	default: // it will anyway, or nobody is there
	}
}

// attend does what is due at a check, and tells whether its state has changed.
func (m *Monitor) attend(c *check, now time.Time) (changed bool) {
	if c.inFlight && !c.overrun.IsZero() && !c.overrun.After(now) {
		c.overrun = time.Time{}
		m.running--
		m.neverEnds(c, now)
		changed = true
	}
	if !c.expiry().After(now) && c.judge.verdict != Unknown {
		c.expire(now)
		m.isolation(c)
		if m.OnExpired != nil {
			m.OnExpired(c.info())
		}
		changed = true
	}
	if !c.due.After(now) && !c.queued {
		if c.inFlight && c.overrun.IsZero() {
			m.neverEnds(c, now)
			changed = true
		} else if c.inFlight {
			c.due = c.planned(now) // one in flight for each subject: this turn is left out
		} else {
			c.queued = true
			m.ready = append(m.ready, c)
		}
	}
	return changed
}

// neverEnds counts a turn of a check whose probe was given up and is still there: a failure, since nothing passes.
func (m *Monitor) neverEnds(c *check, now time.Time) {
	c.started = now
	m.result(c, Reading{}, failed(Timeout, "no result within %s, and the probe does not end", c.spec.Timeout), now)
}

func (c *check) expiry() time.Time { return c.state.Last.Add(c.spec.lifetime()) }

// schedule puts a check where its next moment belongs.
func (m *Monitor) schedule(c *check) {
	far := c.due
	if c.queued {
		far = c.due.Add(365 * 24 * time.Hour) // a worker will come for it
	}
	if c.inFlight && !c.overrun.IsZero() {
		far = earlier(far, c.overrun)
	}
	if c.judge.verdict != Unknown {
		far = earlier(far, c.expiry())
	}
	c.wake = far
	if c.heap < 0 {
		heap.Push(&m.queue, c)
	} else {
		heap.Fix(&m.queue, c.heap)
	}
}

// startReady starts what waits, as far as workers reach.
func (m *Monitor) startReady(now time.Time) {
	workers := m.workers
	if workers == 0 {
		workers = DefaultWorkers
	}
	for !m.held && len(m.ready) > 0 && m.running < workers {
		c := m.ready[0]
		m.ready[0] = nil
		m.ready = m.ready[1:]
		if m.checks[c.key] != c {
			continue // removed while it waited
		}
		if m.OnLate != nil {
			m.OnLate(now.Sub(c.due))
		}
		c.queued, c.inFlight, c.started = false, true, now
		c.overrun = now.Add(c.spec.Timeout + grace)
		c.due = c.planned(now)
		m.running++
		m.schedule(c)
		var ctx context.Context
		ctx, c.cancel = context.WithTimeout(context.Background(), c.spec.Timeout)
		go m.probe(ctx, c)
	}
}

// probe runs one probe and brings its result home.
func (m *Monitor) probe(ctx context.Context, c *check) {
	reading, err := c.run(ctx)
	m.mu.Lock()
	c.cancel()
	now := time.Now()
	c.inFlight = false
	if c.overrun.IsZero() { // given up long ago
		m.mu.Unlock()
		return
	}
	c.overrun = time.Time{}
	m.running--
	alive := m.checks[c.key] == c
	if alive {
		m.result(c, reading, err, now)
		m.schedule(c)
	}
	m.startReady(now)
	m.mu.Unlock()
	m.nudge()
	if alive {
		m.tell(c)
	}
}

// result records a result, judged with patience while the node suspects itself.
func (m *Monitor) result(c *check, reading Reading, err error, now time.Time) {
	c.state.Passed = err == nil
	m.isolation(c)
	patience := 0
	if m.suspected && c.spec.Isolation {
		patience = 1
	}
	c.record(reading, err, now, patience)
	m.isolation(c)
}

// remove ends a check, and its probe if one is in flight.
func (m *Monitor) remove(c *check) {
	delete(m.checks, c.key)
	if c.inFlight {
		c.cancel()
	}
	heap.Remove(&m.queue, c.heap)
	c.judge = c.judge.forget()
	m.isolation(c)
	m.nudge()
}

// queue is a heap of checks by when they are to be looked at.
type queue []*check

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].wake.Before(q[j].wake) }
func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].heap, q[j].heap = i, j
}
func (q *queue) Push(x any) {
	c := x.(*check)
	c.heap = len(*q)
	*q = append(*q, c)
}
func (q *queue) Pop() any {
	old := *q
	c := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	c.heap = -1
	return c
}
