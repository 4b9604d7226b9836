package policy

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The oracle follows the pipeline of the specification word by word, for one query at a time, and knows nothing of plans
// and pickers.

type oracle struct {
	pools   []Pool
	record  Record
	down    map[string]bool
	latency map[string]int
	family  Family
	region  Region
}

// seen is one origin in its pool.
type seen struct {
	pool int
	Origin
}

// expected is what an answer must be: these addresses in this order or, where the policy draws or takes turns, count
// of them.
type expected struct {
	outcome Outcome
	list    []string
	exact   bool
	count   int
}

func (o oracle) familys(p int) (list []seen) {
	if o.pools[p].Disabled {
		return nil
	}
	for _, x := range o.pools[p].Origins {
		if FamilyOf(x.Addr) == o.family && !x.Disabled {
			list = append(list, seen{p, x})
		}
	}
	return list
}

func (o oracle) keep(list []seen, ok func(seen) bool) (kept []seen) {
	for _, x := range list {
		if ok(x) {
			kept = append(kept, x)
		}
	}
	return kept
}

func (o oracle) healthy(p int) []seen {
	kept := o.keep(o.familys(p), func(x seen) bool { return !o.down[letter(x.Addr)] })
	if len(kept) < o.pools[p].MinHealthy {
		return nil
	}
	return kept
}

func (o oracle) decide() expected {
	if o.record.Disabled {
		return expected{outcome: NoData}
	}
	order := o.record.Pools
	if sets, any := o.each(order, o.healthy); any {
		return o.choose(order, sets, Answer)
	}
	if f := o.record.Fallback; f != None {
		if sets, any := o.each([]int{f}, o.healthy); any {
			return o.choose([]int{f}, sets, Fallback)
		}
	}
	var safe []string
	for _, a := range o.record.Failsafe {
		if FamilyOf(a) == o.family {
			safe = append(safe, letter(a))
		}
	}
	if safe != nil {
		return expected{Failsafe, safe, true, len(safe)}
	}
	sets, any := o.each(order, o.familys)
	if !any && o.record.Fallback != None {
		order = []int{o.record.Fallback}
		sets, any = o.each(order, o.familys)
	}
	if !any {
		return expected{outcome: NoData}
	}
	switch o.record.Fail {
	case FailAll:
		var all []string
		for _, p := range order {
			for _, x := range sets[p] {
				if l := letter(x.Addr); !slices.Contains(all, l) {
					all = append(all, l)
				}
			}
		}
		return expected{Everyone, all, true, len(all)}
	case FailNoData:
		return expected{outcome: NoData}
	case FailServFail:
		return expected{outcome: ServFail}
	case FailNext:
		return expected{outcome: Next}
	}
	return o.choose(order, sets, Open)
}

func (o oracle) each(order []int, of func(int) []seen) (map[int][]seen, bool) {
	sets, any := map[int][]seen{}, false
	for _, p := range order {
		sets[p] = of(p)
		any = any || len(sets[p]) > 0
	}
	return sets, any
}

// choose is stages 7 to 12.
func (o oracle) choose(order []int, sets map[int][]seen, outcome Outcome) expected {
	if o.record.RegionFilter || methods[o.record.Policy].regional {
		there := 0
		for _, p := range order {
			there += len(o.keep(sets[p], o.here))
		}
		if there > 0 {
			for _, p := range order {
				sets[p] = o.keep(sets[p], o.here)
			}
		}
	}
	var contributed []seen
	selected := 0
	for _, p := range order {
		if len(sets[p]) == 0 || o.record.Select != All && selected == o.record.Select {
			continue
		}
		selected++
		contributed = append(contributed, o.contribution(p, sets[p])...)
	}
	contributed = o.band(contributed, o.record.Within)
	return o.policy(contributed, outcome)
}

func (o oracle) here(x seen) bool { return o.region != 0 && x.Region == o.region }

// contribution of a pool: all, failover or latency, which give the same each time.
func (o oracle) contribution(p int, list []seen) []seen {
	list = o.band(o.tier(list), o.pools[p].Within)
	switch o.pools[p].Policy {
	case Failover:
		return list[:1]
	case Latency:
		return o.byLatency(list)[:1]
	}
	return list
}

func (o oracle) tier(list []seen) []seen {
	best := uint16(65535)
	for _, x := range list {
		best = min(best, x.Priority)
	}
	return o.keep(list, func(x seen) bool { return x.Priority == best })
}

func (o oracle) band(list []seen, within int) []seen {
	fastest := None
	for _, x := range list {
		if l, ok := o.latency[letter(x.Addr)]; ok && (fastest == None || l < fastest) {
			fastest = l
		}
	}
	if within == None || fastest == None {
		return list
	}
	return o.keep(list, func(x seen) bool {
		l, ok := o.latency[letter(x.Addr)]
		return ok && l <= fastest+within
	})
}

func (o oracle) byLatency(list []seen) []seen {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b seen) int {
		la, oka := o.latency[letter(a.Addr)]
		lb, okb := o.latency[letter(b.Addr)]
		switch {
		case oka != okb && oka:
			return -1
		case oka != okb:
			return 1
		}
		return la - lb
	})
	return list
}

func (o oracle) policy(list []seen, outcome Outcome) expected {
	p := o.record.Policy
	if methods[p].weighs {
		with := o.keep(list, func(x seen) bool { return x.Weight.Kind == NoWeight || x.Weight.N > 0 })
		if len(with) > 0 {
			list = with
		} else if outcome == Answer {
			outcome = Drained
		}
	}
	if p == Latency {
		list = o.byLatency(list)
	}
	var letters []string
	for _, x := range list {
		letters = append(letters, letter(x.Addr))
	}
	n := len(letters)
	if o.record.Answers == 0 && !methods[p].all {
		n = 1
	} else if o.record.Answers > 0 {
		n = min(n, o.record.Answers)
	}
	exact := p == PolicyAll || p == ByRegion || p == Failover || p == Latency
	if exact {
		letters = letters[:n]
	}
	return expected{outcome, letters, exact, n}
}

// generated draws a configuration of origins that are all different, and a state of the world.
func generated(t *rapid.T) (*world, oracle) {
	o := oracle{down: map[string]bool{}, latency: map[string]int{}}
	kind := rapid.SampledFrom([]WeightKind{NoWeight, Relative}).Draw(t, "weights")
	next := 0
	count := rapid.IntRange(1, 4).Draw(t, "pools")
	for p := range count {
		pool := Pool{
			Name: fmt.Sprint("p", p), Within: None, MinHealthy: rapid.IntRange(1, 2).Draw(t, "min-healthy"),
			Policy: rapid.SampledFrom([]Policy{PolicyAll, Failover, Latency}).Draw(t, "pool policy"), Disabled: rapid.IntRange(0, 5).Draw(t, "pool disabled") == 0,
		}
		if rapid.Bool().Draw(t, "pool band") {
			pool.Within = rapid.IntRange(0, 30).Draw(t, "pool within")
		}
		for range rapid.IntRange(1, 4).Draw(t, "origins") {
			l := string('A' + rune(next%16))
			if rapid.IntRange(0, 3).Draw(t, "family") == 0 {
				l += "6"
			}
			next++
			x := Origin{
				Addr: addr(l), Priority: uint16(rapid.IntRange(1, 2).Draw(t, "priority")), Region: Region(rapid.IntRange(0, 2).Draw(t, "region")),
				Disabled: rapid.IntRange(0, 5).Draw(t, "disabled") == 0, Need: 1,
				Checks: []Check{{Subject: Subject{"web", addr(l).String()}, Initial: true, Measures: true}},
			}
			if kind == Relative {
				x.Weight = Weight{Relative, rapid.IntRange(0, 3).Draw(t, "weight")}
			}
			pool.Origins = append(pool.Origins, x)
			if rapid.IntRange(0, 2).Draw(t, "down") == 0 {
				o.down[l] = true
			}
			if rapid.Bool().Draw(t, "measured") {
				o.latency[l] = rapid.IntRange(0, 60).Draw(t, "latency")
			}
		}
		o.pools = append(o.pools, pool)
	}
	r := Record{
		Name: "www.example.org.", Within: None, Fallback: None, TTL: 30,
		Select: rapid.SampledFrom([]int{1, 2, All}).Draw(t, "select"), Fail: Fail(rapid.IntRange(0, 4).Draw(t, "fail")),
		Policy:  rapid.SampledFrom([]Policy{PolicyAll, RoundRobin, Random, Failover, Latency, ByRegion, GeoFailover, Weighted, WeightedRandom}).Draw(t, "policy"),
		Answers: rapid.SampledFrom([]int{0, 1, 2, All}).Draw(t, "answers"), RegionFilter: rapid.Bool().Draw(t, "filter"),
	}
	for p := range count {
		if p == 0 || rapid.Bool().Draw(t, "in pools") {
			r.Pools = append(r.Pools, p)
		}
	}
	if rapid.Bool().Draw(t, "fallback") {
		r.Fallback = rapid.IntRange(0, count-1).Draw(t, "fallback pool")
	}
	if rapid.IntRange(0, 3).Draw(t, "band") == 0 {
		r.Within = rapid.IntRange(0, 40).Draw(t, "within")
	}
	if rapid.IntRange(0, 3).Draw(t, "failsafe") == 0 {
		r.Failsafe = append(r.Failsafe, addr("Z"))
	}
	o.record = r
	w := &world{t: nil, health: map[string]Health{}, pools: o.pools, record: r}
	cfg := &Config{Records: []Record{r}, Pools: o.pools}
	if err := cfg.Validate(); err != nil {
		t.Fatalf("Expected a valid configuration, got %v", err)
	}
	w.engine = New(cfg, Options{Random: seeded()})
	w.engine.Compile()
	for _, p := range o.pools {
		for _, x := range p.Origins {
			h := Health{Verdict: Healthy}
			if o.down[letter(x.Addr)] {
				h.Verdict = Unhealthy
			}
			if ms, ok := o.latency[letter(x.Addr)]; ok {
				h.Measured, h.Latency = true, time.Duration(ms)*time.Millisecond
			}
			w.engine.Observe(x.Checks[0].Subject, h)
		}
	}
	return w, o
}

func TestDecideAgainstTheOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, o := generated(t)
		for _, family := range []Family{IPv4, IPv6} {
			for region := range Region(3) {
				o.family, o.region = family, region
				want := o.decide()
				for range 4 {
					q := &Query{Family: family, Region: region}
					d := w.engine.Snapshot().Decide(0, q, nil)
					var got []string
					for _, m := range d.Members {
						got = append(got, letter(m.Addr))
					}
					ok := d.Outcome == want.outcome && len(got) == want.count
					if want.exact {
						ok = ok && slices.Equal(got, want.list)
					}
					for i, l := range got {
						ok = ok && slices.Contains(want.list, l) && !slices.Contains(got[:i], l)
					}
					if !ok {
						t.Fatalf("Expected %s %v (%d, exact %t), got %s %v, for %s in region %d\nrecord %+v\npools %+v\ndown %v latency %v",
							want.outcome, want.list, want.count, want.exact, d.Outcome, got, family, region, o.record, o.pools, o.down, o.latency)
					}
				}
			}
		}
	})
}

// TestExplainAgrees holds that an explanation gives the answer that is served, and moves nothing.
func TestExplainAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, o := generated(t)
		if p := o.record.Policy; p == Random || p == WeightedRandom {
			return // who draws, draws again
		}
		for region := range Region(3) {
			q := Query{Region: region}
			told, trace := w.engine.Explain(0, q)
			served := w.engine.Snapshot().Decide(0, &q, nil)
			if told.Outcome != served.Outcome || len(told.Members) != len(served.Members) || told.TTL != served.TTL {
				t.Fatalf("Expected %s with %d, got %s with %d: %v", served.Outcome, len(served.Members), told.Outcome, len(told.Members), trace.Steps)
			}
			for i := range told.Members {
				if told.Members[i].Addr != served.Members[i].Addr {
					t.Fatalf("Expected %s, got %s: %v", served.Members[i].Addr, told.Members[i].Addr, trace.Steps)
				}
			}
			if len(trace.Steps) == 0 {
				t.Fatal("Expected to be told something")
			}
		}
	})
}
