package gslb

import (
	"container/heap"
	"context"
	"math/rand/v2"
	"net/netip"
	"sync"
	"time"

	"github.com/miekg/dns"

	"github.com/coredns/gslb/policy"
)

// resolver keeps the addresses of aliases fresh in the background. Each name is looked up again when its TTL runs out,
// at most one look-up of a name is in flight, and so many in all; the last good addresses outlive failures for a day.
type resolver struct {
	lookup   lookup
	apply    func(name string, r policy.Resolution, expires [2]time.Time, stale [2]bool)
	mu       sync.Mutex
	names    map[string]*resolving
	queue    resolvings
	inFlight int
	wake     chan struct{}
	cancel   context.CancelFunc
	done     sync.WaitGroup
}

// lookup asks for the addresses of a name and a family, and how long they hold. A name without addresses of the family
// is no error; one that does not exist is.
type lookup func(ctx context.Context, name string, qtype uint16) (addrs []netip.Addr, ttl time.Duration, err error)

// resolving is one name.
type resolving struct {
	name    string
	addrs   [2][]netip.Addr
	known   [2]bool
	expires [2]time.Time
	good    [2]time.Time // when the addresses were last confirmed
	failing [2]bool      // since the last look-up
	failed  int          // times in a row, of either family
	due     time.Time
	busy    bool
	heap    int
	first   chan struct{} // closed when it was looked up once
}

const (
	resolveWorkers = 64
	resolveTimeout = 5 * time.Second
	resolveSpread  = 5 * time.Second  // over which the first look-ups of many names are spread
	lastGood       = 24 * time.Hour   // G-08; RFC 8767 speaks of one to three days
	leastTTL       = time.Second      // of a look-up, whatever the answer says
	mostTTL        = 10 * time.Minute // so that a mistaken week does not last
	firstRetry     = time.Second
	mostRetry      = 30 * time.Second
)

var families = [2]uint16{dns.TypeA, dns.TypeAAAA}

// newResolver plans the look-ups of names; what former knew of them, which may be nil, goes on.
func newResolver(names []string, former *resolver, look lookup, apply func(string, policy.Resolution, [2]time.Time, [2]bool)) *resolver {
	r := &resolver{lookup: look, apply: apply, names: map[string]*resolving{}, wake: make(chan struct{}, 1)}
	now := time.Now()
	for i, name := range names {
		n := &resolving{name: name, first: make(chan struct{})}
		if old := former.state(name); old != nil {
			*n = *old
			n.busy = false
		} else if len(names) > resolveWorkers {
			n.due = now.Add(time.Duration(i) * resolveSpread / time.Duration(len(names)))
		}
		r.names[name] = n
		heap.Push(&r.queue, n)
	}
	return r
}

// state gives a copy of what is known of a name.
func (r *resolver) state(name string) *resolving {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.names[name]
	if n == nil || !n.known[0] && !n.known[1] {
		return nil
	}
	known := *n
	return &known
}

// start begins to look up.
func (r *resolver) start() {
	var ctx context.Context
	ctx, r.cancel = context.WithCancel(context.Background())
	r.done.Go(func() { r.loop(ctx) })
}

// stop ends it, and waits for the loop but not for look-ups in flight, whose results are dropped.
func (r *resolver) stop() {
	if r.cancel != nil {
		r.cancel()
		r.done.Wait()
	}
}

func (r *resolver) loop(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-r.wake:
		}
		r.mu.Lock()
		now, wait := time.Now(), time.Hour
		for r.inFlight < resolveWorkers && len(r.queue) > 0 {
			n := r.queue[0]
			if n.due.After(now) {
				wait = n.due.Sub(now)
				break
			}
			heap.Pop(&r.queue)
			n.busy = true
			r.inFlight++
			go r.resolve(ctx, n)
		}
		r.mu.Unlock()
		timer.Reset(wait)
	}
}

func (r *resolver) nudge() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// resolve looks one name up in both families.
func (r *resolver) resolve(ctx context.Context, n *resolving) {
	limited, cancel := context.WithTimeout(ctx, resolveTimeout)
	defer cancel()
	var addrs [2][]netip.Addr
	var ttl [2]time.Duration
	var errs [2]error
	var both sync.WaitGroup
	for f, qtype := range families {
		both.Go(func() { addrs[f], ttl[f], errs[f] = r.lookup(limited, n.name, qtype) })
	}
	both.Wait()
	r.mu.Lock()
	defer r.nudge()
	defer r.mu.Unlock()
	r.inFlight--
	n.busy = false
	if ctx.Err() != nil {
		return
	}
	n.take(addrs, ttl, errs, time.Now())
	heap.Push(&r.queue, n)
	r.apply(n.name, policy.Resolution{Known: n.known, Addrs: n.addrs}, n.expires, n.failing)
	select {
	case <-n.first:
	default:
		close(n.first)
	}
}

// take records one look-up. A failure keeps the last good addresses for a day (G-08); an answer without addresses empties
// its family alone.
func (n *resolving) take(addrs [2][]netip.Addr, ttl [2]time.Duration, errs [2]error, now time.Time) {
	next := mostTTL
	failed, first := false, !n.known[0] && !n.known[1]
	for f := range addrs {
		n.failing[f] = errs[f] != nil
		if n.failing[f] {
			failed = true
			if n.known[f] && now.Sub(n.good[f]) > lastGood {
				n.addrs[f] = nil
			}
			continue
		}
		hold := min(max(ttl[f], leastTTL), mostTTL)
		n.addrs[f], n.known[f], n.good[f], n.expires[f] = addrs[f], true, now, now.Add(max(ttl[f], leastTTL))
		next = min(next, hold)
	}
	if failed {
		n.failed++
		next = min(firstRetry<<min(n.failed-1, 5), mostRetry)
	} else {
		n.failed = 0
	}
	// A little early, so that an answer has something left to live; the first time anywhere within the TTL, so that names
	// that were looked up together are spread over the whole of it from then on.
	early := 0.1
	if first && !failed {
		early = 1
	}
	n.due = now.Add(max(next-time.Duration(rand.Float64()*early*float64(next)), leastTTL))
}

// await waits until the names were looked up once, but at most a second.
func (r *resolver) await(names []string) {
	if r == nil {
		return
	}
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	for _, name := range names {
		r.mu.Lock()
		n := r.names[name]
		if n != nil && !n.busy && n.heap >= 0 && n.failed == 0 {
			n.due = time.Time{} // asked for: now
			heap.Fix(&r.queue, n.heap)
		}
		r.mu.Unlock()
		if n == nil {
			continue
		}
		r.nudge()
		select {
		case <-n.first:
		case <-timer.C:
			return
		}
	}
}

// resolvings is a heap by due time.
type resolvings []*resolving

func (q resolvings) Len() int           { return len(q) }
func (q resolvings) Less(i, j int) bool { return q[i].due.Before(q[j].due) }
func (q resolvings) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].heap, q[j].heap = i, j
}
func (q *resolvings) Push(x any) {
	n := x.(*resolving)
	n.heap = len(*q)
	*q = append(*q, n)
}
func (q *resolvings) Pop() any {
	old := *q
	n := old[len(old)-1]
	*q = old[:len(old)-1]
	n.heap = -1
	return n
}
