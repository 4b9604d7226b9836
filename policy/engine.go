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
	turns   *turns
	status  Status
}

// origin is an Origin with its present observations.
type origin struct {
	*Origin
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
	e := &Engine{cfg: cfg, random: opt.Random, onStatus: opt.OnStatus, now: time.Now, subjects: make(map[Subject]*subject)}
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
	e.records = make([]record, len(cfg.Records))
	for i := range e.records {
		r := &e.records[i]
		r.Record = &cfg.Records[i]
		r.key = xxhash.Sum64String(r.Name)
		r.origins = e.resolve(r.Origins, r.Block, int32(i))
		if f := former[r.Name]; f != nil {
			r.turns = f.turns
		} else {
			r.turns = &turns{random: e.random}
		}
		if r.Affinity.On && e.pins == nil {
			e.pins = newPinTable(pinSlots)
		}
	}
	return e
}

// resolve ties origins to the subjects of their checks.
func (e *Engine) resolve(origins []Origin, block int, user int32) []origin {
	list := make([]origin, len(origins))
	for i := range origins {
		o := &list[i]
		o.Origin = &origins[i]
		o.member = newMember(o.Origin, e.regionOf(o.Origin, block))
		if len(o.Checks) == 0 {
			continue
		}
		o.checks = make([]*subject, len(o.Checks))
		for j, c := range o.Checks {
			s := e.subjects[c.Subject]
			if s == nil {
				s = &subject{}
				e.subjects[c.Subject] = s
			}
			if !slices.Contains(s.users, user) {
				s.users = append(s.users, user)
			}
			o.checks[j] = s
		}
	}
	return list
}

func (e *Engine) regionOf(o *Origin, block int) Region {
	if o.Region != 0 || e.cfg.RegionOf == nil {
		return o.Region
	}
	return e.cfg.RegionOf(o, block)
}

// health is whether the origin counts as healthy, and its latency (G-53).
func (o *origin) health() (healthy bool, latency int) {
	latency = None
	passed := 0
	for i, s := range o.checks {
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
func (r *Record) timed() bool { return r.Within != None || methods[r.Policy].timed }

// Compile compiles every record and publishes the first snapshot, or after a change of the mappings one with every
// origin's region looked up again.
func (e *Engine) Compile() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range e.records {
		for j := range e.records[i].origins {
			o := &e.records[i].origins[j]
			if region := e.regionOf(o.Origin, e.records[i].Block); region != o.member.Region {
				o.member = newMember(o.Origin, region)
			}
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

// view compiles one record.
func (e *Engine) view(r *record) *view {
	v := &view{record: r.key, affinity: r.Affinity, ttl: r.TTL, pins: e.pins}
	r.turns.begin()
	c := compiler{Record: r.Record, turns: r.turns, random: e.random}
	for f := IPv4; f < families; f++ {
		list := e.candidates(r.origins, f)
		v.plans[f] = c.plan(list, f)
		v.status = worse(v.status, familyStatus(list, v.plans[f]))
	}
	if r.Disabled {
		v.status = StatusDisabled
	}
	return v
}

// Snapshot gives the present snapshot, nil before the first Compile. It does not block.
func (e *Engine) Snapshot() *Snapshot { return e.snapshot.Load() }

// Compiled tells how many snapshots there have been and how long the latest one took to compile.
func (e *Engine) Compiled() (generation uint64, took time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.generation, e.took
}
