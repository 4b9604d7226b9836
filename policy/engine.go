package policy

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cespare/xxhash/v2"
)

// Engine holds a configuration and what was observed of the world, and keeps the Snapshot that follows from both.
// All methods are safe for concurrent use. Snapshot never blocks; the others take one lock, compile what a change
// touches and publish it before they return.
type Engine struct {
	cfg      *Config
	random   func() uint64
	pins     *pinTable // nil where no record has affinity
	onStatus func(record int, from, to Status)
	now      func() time.Time

	mu         sync.Mutex
	records    []record
	subjects   map[Subject]*subject
	aliases    map[string]*alias
	compiled   bool
	generation uint64
	took       time.Duration

	snapshot atomic.Pointer[Snapshot]
}

// record is what the engine knows of a Record.
type record struct {
	*Record
	key     uint64 // hash of Name: who pins and turns belong to
	origins []origin
	inForce []int         // Pools
	pools   map[int]*pool // every pool that it may use
	percent bool          // one of them has percentages
	turns   *turns
	status  Status
}

// pool is a Pool with its origins. Records share it.
type pool struct {
	*Pool
	origins []origin
	users   []int32 // indices of records
}

// origin is an Origin with the addresses that it stands for: one, or for an alias as many as its name has now.
type origin struct {
	*Origin
	alias *alias // nil for an address
	faces []face
}

// face is one address of an origin.
type face struct {
	member *Member
	checks []*subject // beside Origin.Checks
}

// Health is what is known of a subject. The zero value is: nothing yet.
type Health struct {
	Verdict  Verdict
	Measured bool
	Latency  time.Duration // smoothed; compared in whole milliseconds, rounded down; only with Measured
}

// Verdict is what a check says.
type Verdict int8

// The verdicts.
const (
	Unknown Verdict = iota
	Healthy
	Unhealthy
)

func (v Verdict) String() string { return [...]string{"unknown", "healthy", "unhealthy"}[v] }

// subject is one observed thing and who depends on it.
type subject struct {
	Health
	users []int32 // indices of records
}

// Options are what an Engine takes from outside. The zero value will do.
type Options struct {
	// Previous is the engine that this one replaces: records of the same name keep their turns and pins.
	Previous *Engine
	// OnStatus hears of every change of a record's status after the first, in order, under the engine's lock:
	// it must return soon and not call the engine.
	OnStatus func(record int, from, to Status)
	// Random is the source of all that is random; the runtime's if nil. It must be safe for concurrent use.
	Random func() uint64
}

// New makes an engine for a configuration that Validate has accepted. Nothing is compiled yet: what is observed before
// Compile is stored, so that the first snapshot knows it.
func New(cfg *Config, opt Options) *Engine {
	e := &Engine{cfg: cfg, random: opt.Random, onStatus: opt.OnStatus, now: time.Now, subjects: make(map[Subject]*subject), aliases: make(map[string]*alias)}
	if e.random == nil {
		e.random = defaultRandom
	}
	var former map[string]*record
	if p := opt.Previous; p != nil {
		e.pins = p.pins
		former = make(map[string]*record, len(p.records))
		for i := range p.records {
			former[p.records[i].Name] = &p.records[i]
		}
	}
	pools := make(map[int]*pool)
	e.records = make([]record, len(cfg.Records))
	for i := range e.records {
		r := &e.records[i]
		r.Record = &cfg.Records[i]
		r.key = xxhash.Sum64String(r.Name)
		r.inForce = r.Pools
		r.origins = e.resolve(r.Origins, r.Block, int32(i))
		e.usePools(r, pools, int32(i))
		if f := former[r.Name]; f != nil {
			r.turns = f.turns
		} else {
			r.turns = &turns{random: e.random}
		}
		if r.Affinity.On && e.pins == nil {
			e.pins = newPinTable(pinSlots)
		}
	}
	if p := opt.Previous; p != nil {
		e.inherit(p)
	}
	return e
}

// health is whether the origin counts as healthy, and its latency (G-53).
func (o *origin) health(checks []*subject) (healthy bool, latency int) {
	latency = None
	passed := 0
	for i, s := range checks {
		if s.Verdict == Healthy || s.Verdict == Unknown && o.Checks[i].Initial {
			passed++
		}
		if latency == None && s.Measured && o.Checks[i].Measures {
			latency = milliseconds(s.Latency)
		}
	}
	return passed >= o.Need, latency
}

func milliseconds(d time.Duration) int { return int(min(d/time.Millisecond, math.MaxInt32)) }

// Observe stores what is known of a subject now. Subjects that no origin depends on are ignored.
func (e *Engine) Observe(s Subject, h Health) {
	e.mu.Lock()
	defer e.mu.Unlock()
	known := e.subjects[s]
	if known == nil {
		return
	}
	former := known.Health
	known.Health = h
	turned := former.Verdict != h.Verdict
	slower := former.Measured != h.Measured || milliseconds(former.Latency) != milliseconds(h.Latency)
	if !e.compiled || !turned && !slower {
		return
	}
	e.compile(func(yield func(int) bool) {
		for _, i := range known.users {
			if (turned || e.records[i].timed()) && !yield(int(i)) {
				return
			}
		}
	})
}

// timed tells whether the record's answers depend on latencies.
func (r *record) timed() bool {
	if r.Within != None || methods[r.Policy].timed {
		return true
	}
	for _, p := range r.pools {
		if p.Within != None || methods[p.Policy].timed {
			return true
		}
	}
	return false
}

// Compile compiles every record and publishes the first snapshot, or after a change of the mappings one with every
// origin's region looked up again.
func (e *Engine) Compile() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range e.records {
		r := &e.records[i]
		e.relocate(r.origins, r.Block)
		for _, p := range r.pools {
			e.relocate(p.origins, p.Block)
		}
	}
	e.compile(func(yield func(int) bool) {
		for i := range e.records {
			if !yield(i) {
				return
			}
		}
	})
	e.compiled = true
}

// relocate looks the regions of origins up again.
func (e *Engine) relocate(origins []origin, block int) {
	for i := range origins {
		for j := range origins[i].faces {
			x := &origins[i].faces[j]
			written := *origins[i].Origin
			written.Addr = x.member.Addr
			if region := e.regionOf(&written, block); region != x.member.Region {
				fresh := x.member.fresh
				x.member = newMember(&written, region)
				x.member.fresh = fresh
			}
		}
	}
}

// compile makes new views of some records and publishes them together. The lock must be held.
func (e *Engine) compile(records func(yield func(int) bool)) {
	began := e.now()
	next := e.snapshot.Load().edit(len(e.records))
	for i := range records {
		r := &e.records[i]
		v := e.view(r)
		next.set(i, v)
		if v.status != r.status && e.compiled && e.onStatus != nil {
			e.onStatus(i, r.status, v.status)
		}
		r.status = v.status
	}
	if len(next.fresh) == 0 && e.compiled {
		return
	}
	e.generation++
	e.took = e.now().Sub(began)
	next.Snapshot.generation = e.generation
	e.snapshot.Store(&next.Snapshot)
}

// bare is a view of a record without plans.
func (e *Engine) bare(r *record) *view {
	return &view{record: r.key, affinity: r.Affinity, ttl: r.TTL, pins: e.pins, aliased: r.aliased()}
}

func (e *Engine) compiler(r *record) *compiler {
	return &compiler{Record: r.Record, turns: r.turns, random: e.random, percent: r.percent}
}

// view compiles one record.
func (e *Engine) view(r *record) *view {
	r.turns.begin()
	v, c := e.bare(r), e.compiler(r)
	for f := IPv4; f < families; f++ {
		v.plans[f] = e.plan(c, r, r.inForce, f)
		v.status = worse(v.status, familyStatus(e.inForce(r, r.inForce, f), v.plans[f]))
	}
	v.rules = newRules(r.When, func(w *When) (plans [families]*plan) {
		for f := IPv4; f < families; f++ {
			plans[f] = e.plan(c, r, w.Pools, f)
		}
		return plans
	})
	if v.rules != nil {
		v.inputs = v.rules.inputs
	}
	if r.Disabled {
		v.status = StatusDisabled
	}
	return v
}

// plan makes the plan of a record for one list of pools.
func (e *Engine) plan(c *compiler, r *record, pools []int, f Family) *plan {
	var fallback *field
	if r.Fallback != None {
		fallback = &e.fields(r, []int{r.Fallback}, f)[0]
	}
	return c.plan(e.inForce(r, pools, f), fallback, e.unresolved(r, pools, f), f)
}

// inForce gives what a record chooses from as plans see it: its own origins as one unnamed pool, or its pools.
func (e *Engine) inForce(r *record, pools []int, f Family) []field {
	if len(r.Origins) > 0 {
		return []field{{list: e.candidates(r.origins, f)}}
	}
	return e.fields(r, pools, f)
}

// fields gives pools as plans see them.
func (e *Engine) fields(r *record, pools []int, f Family) []field {
	fields := make([]field, len(pools))
	for i, n := range pools {
		p := r.pools[n]
		list := e.candidates(p.origins, f)
		fields[i] = field{Pool: p.Pool, list: list, parts: shares(list, p.origins, f)}
	}
	return fields
}

// unresolved tells whether an alias that could answer was never resolved.
func (e *Engine) unresolved(r *record, pools []int, f Family) bool {
	unknown := func(o origin) bool { return o.alias != nil && !o.alias.Known[f] }
	if slices.ContainsFunc(r.origins, unknown) {
		return true
	}
	if r.Fallback != None {
		pools = append(slices.Clone(pools), r.Fallback)
	}
	return slices.ContainsFunc(pools, func(n int) bool {
		return !r.pools[n].Disabled && slices.ContainsFunc(r.pools[n].origins, unknown)
	})
}

// aliased tells whether some origin of the record is an alias.
func (r *record) aliased() bool {
	is := func(o origin) bool { return o.alias != nil }
	if slices.ContainsFunc(r.origins, is) {
		return true
	}
	for _, p := range r.pools {
		if slices.ContainsFunc(p.origins, is) {
			return true
		}
	}
	return false
}

// Snapshot gives the present snapshot, nil before the first Compile. It does not block.
func (e *Engine) Snapshot() *Snapshot { return e.snapshot.Load() }

// Compiled tells how many snapshots there have been and how long the latest one took to compile.
func (e *Engine) Compiled() (generation uint64, took time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.generation, e.took
}
