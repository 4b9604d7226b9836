package probe

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"time"

	"github.com/coredns/gslb/internal/splitmix"
)

// State is what a check knows at one moment. It is a copy: safe to keep.
type State struct {
	Verdict Verdict
	Since   time.Time // when Verdict began; zero if there never was a result

	Last   time.Time // when the last probe ended; zero before the first
	Passed bool      // how it ended
	Reason Reason    // why not
	Error  string    // the same for people: one printable line

	Latency  time.Duration // smoothed; only with Measured
	Measured bool

	Streak       int // consecutive results like the last one
	Passes       uint64
	Failures     uint64
	Transitions  [3]uint64 // how often each verdict was reached, by Verdict
	RecentPassed []bool    // the last results, oldest first; at most recentResults
}

// recentResults is how many results are remembered one by one, for people to look at.
const recentResults = 20

// check is one running check. The monitor's lock guards it.
type check struct {
	spec   Spec
	key    string
	probe  Func
	leases map[*Lease]struct{}
	judge  judge
	state  State

	// When it probes: at begin, for the first time, and then at phase from begin and every interval on, whatever
	// happens in between.
	begin time.Time
	phase time.Duration
	due   time.Time

	started  time.Time // when the latest probe did
	inFlight bool
	queued   bool      // due, and waiting for a free worker
	overrun  time.Time // when a probe in flight that ignores its context is given up; zero once it was

	cancel context.CancelFunc // of the probe in flight

	wake time.Time // when the scheduler looks at it next
	heap int       // its place in the queue

	counted, failing bool // in Monitor.healthy, in Monitor.failing
}

// firstSpread is the time over which the first probes of a new configuration are spread (G-21).
const firstSpread = 5 * time.Second

// retry is how soon a failed probe is repeated while there is no verdict (G-49).
const retry = time.Second

// newCheck plans a check's first probe. The phase follows from the key alone, so that it is the same after a restart.
func newCheck(spec Spec, key string, now time.Time) *check {
	h := fnv.New64a()
	h.Write([]byte(key))
	sum := h.Sum64()
	first := fraction(splitmix.Mix(sum), min(spec.Interval, firstSpread))
	c := &check{
		spec: spec, key: key, probe: spec.Kind.Probe(spec), leases: map[*Lease]struct{}{}, heap: -1,
		begin: now, phase: fraction(splitmix.Mix(sum+1), spec.Interval), due: now.Add(first),
	}
	return c
}

// fraction gives a part of d, from 0 to all but 2^-32 of it.
func fraction(sum uint64, d time.Duration) time.Duration {
	return time.Duration(float64(sum>>32) / (1 << 32) * float64(d))
}

// jitter is the part of the interval by which a probe may start late on purpose, so that nothing that is itself
// periodic meets it at the same point for ever. Half of what G-21 allows leaves the other half to a busy machine.
const jitter = 0.05

// planned gives the next start after now on the check's own grid.
func (c *check) planned(now time.Time) time.Time {
	since := now.Sub(c.begin) - c.phase
	rounds := since / c.spec.Interval
	if since >= 0 {
		rounds++
	}
	next := c.begin.Add(c.phase + rounds*c.spec.Interval)
	return next.Add(time.Duration(rand.Float64() * jitter * float64(c.spec.Interval)))
}

// after gives the next start after a probe that ends now. A turn that came while it was in flight, as one does where the
// timeout is as long as the interval, is made up for, unless it would be more than a tenth of the interval late: a silent
// target is not probed half as often as a good one.
func (c *check) after(now time.Time) time.Time {
	next := c.planned(now)
	since := now.Sub(c.begin) - c.phase
	late := since % c.spec.Interval
	if since >= 0 && late <= c.spec.Interval/10 && now.Sub(c.started)-late >= c.spec.Interval/2 {
		return now
	}
	return next
}

// record takes a result.
func (c *check) record(reading Reading, err error, now time.Time, patience int) {
	former := c.judge.verdict
	passed := err == nil
	c.judge = c.judge.next(c.spec.Thresholds, passed, patience)

	s := &c.state
	if s.Last.IsZero() {
		s.Since = now
	}
	s.Last, s.Passed, s.Reason, s.Error = now, passed, reasonOf(err), text(err)
	s.Streak = max(c.judge.passes, c.judge.fails)
	s.RecentPassed = append(s.RecentPassed[:len(s.RecentPassed):len(s.RecentPassed)], passed)
	if len(s.RecentPassed) > recentResults {
		s.RecentPassed = s.RecentPassed[1:]
	}
	if passed {
		s.Passes++
		if reading.Measured {
			s.Latency, s.Measured = smoothed(s.Latency, s.Measured, reading.Latency), true
		}
	} else {
		s.Failures++
	}
	c.turn(former, now)

	c.due = c.after(now)
	if !passed && c.judge.verdict == Unknown {
		c.due = earlier(c.due, now.Add(retry))
	}
}

// expire makes an old verdict none, and tells whether there was one.
func (c *check) expire(now time.Time) bool {
	if c.judge.verdict == Unknown {
		return false
	}
	former := c.judge.verdict
	c.judge = c.judge.forget()
	c.turn(former, now)
	return true
}

func (c *check) turn(former Verdict, now time.Time) {
	if c.judge.verdict != former {
		c.state.Verdict, c.state.Since = c.judge.verdict, now
		c.state.Transitions[c.judge.verdict]++
	}
}

// run does one probe. A panic is a failure, and so is whatever ends after the deadline (COR-18).
func (c *check) run(ctx context.Context) (reading Reading, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = failed(Internal, "the probe panicked: %v", r)
		}
	}()
	reading, err = c.probe(ctx)
	if ctx.Err() != nil {
		return Reading{}, c.late(err)
	}
	return reading, err
}

func (c *check) late(err error) error {
	if err == nil || reasonOf(err) == Timeout {
		return failed(Timeout, "no result within %s", c.spec.Timeout)
	}
	return &Failure{Timeout, fmt.Errorf("no result within %s: %w", c.spec.Timeout, err)}
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
