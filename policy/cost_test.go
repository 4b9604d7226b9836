package policy

import (
	"fmt"
	"net/netip"
	"testing"
	"time"
)

// large is a record of n origins in as many regions, each measured, for the cost of a decision.
func large(t testing.TB, p Policy, n, regions int, set ...func(*Record)) *world {
	w := &world{t: t, health: map[string]Health{}, record: Record{
		Name: "www.example.org.", Within: None, Fallback: None, RegionFilter: true, TTL: 30, Policy: p, Select: 1,
	}}
	for i := range n {
		o := Origin{
			Addr: netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), Priority: 1, Region: Region(1 + i%regions),
			Location: at(float64(i%90), float64(i%180)), Need: 1,
		}
		if p == Weighted || p == WeightedRandom {
			o.Weight = Weight{Relative, 1 + i*7%100}
		}
		o.Checks = []Check{{Subject: Subject{"web", o.Addr.String()}, Initial: true, Measures: true}}
		w.record.Origins = append(w.record.Origins, o)
	}
	for _, f := range set {
		f(&w.record)
	}
	w.reload()
	for i, o := range w.record.Origins {
		w.engine.Observe(o.Checks[0].Subject, Health{Verdict: Healthy, Measured: true, Latency: time.Duration(i%40) * time.Millisecond})
	}
	return w
}

func TestDecideAllocatesNothing(t *testing.T) {
	sets := map[string][]func(*Record){
		"one answer": nil, "two answers": {answers(2)}, "affinity": {affinity(0)}, "affinity policy": {affinityPolicy(0)},
	}
	for p := range methods {
		for name, set := range sets {
			w := large(t, Policy(p), 50, 5, set...)
			s, q, buf := w.engine.Snapshot(), &Query{Region: 2, Now: 1e12, Place: Place{Location: at(1, 2)}}, make([]*Member, 0, 8)
			n := 0
			got := testing.AllocsPerRun(100, func() {
				n++
				q.Client = netip.AddrFrom4([4]byte{10, 1, byte(n >> 8), byte(n)})
				s.Decide(0, q, buf)
			})
			if got != 0 {
				t.Errorf("Expected no allocation under %s with %s, got %v", Policy(p), name, got)
			}
		}
	}
}

func BenchmarkDecide(b *testing.B) {
	for p := range methods {
		for _, n := range []int{3, 1000} {
			regions := max(1, min(20, n/3))
			b.Run(fmt.Sprintf("%s/%d", Policy(p), n), func(b *testing.B) {
				w := large(b, Policy(p), n, regions)
				s, q, buf := w.engine.Snapshot(), &Query{Region: 1, Place: Place{Location: at(1, 2)}}, make([]*Member, 0, 8)
				b.ReportAllocs()
				for b.Loop() {
					s.Decide(0, q, buf)
				}
			})
		}
	}
}

// pooledLarge is a record over 50 pools of 20 origins with 40 `when` lines and steering by proximity.
func pooledLarge(t testing.TB) (*world, *Query) {
	var pools []Pool
	for p := range 50 {
		pool := Pool{Name: fmt.Sprint("p", p), Within: None, MinHealthy: 1, Policy: RoundRobin, Location: at(float64(p), float64(p))}
		for i := range 20 {
			pool.Origins = append(pool.Origins, Origin{Addr: netip.AddrFrom4([4]byte{10, 1, byte(p), byte(i)}), Priority: 1})
		}
		pools = append(pools, pool)
	}
	w := pooled(t, pools, steered(ByProximity), func(r *Record) {
		for i := range 40 {
			r.When = append(r.When, When{Country: []Code{{'A', byte('A' + i%26)}}, Continent: []Code{{'X', byte('0' + i/26)}}, Pools: []int{i, i + 1, i + 2}})
		}
	})
	return w, &Query{Place: Place{Country: Code{'Z', 'Z'}, Continent: Code{'E', 'U'}, Location: at(10, 10)}}
}

func TestPooledDecideAllocatesNothing(t *testing.T) {
	w, q := pooledLarge(t)
	s, buf := w.engine.Snapshot(), make([]*Member, 0, 8)
	if got := testing.AllocsPerRun(100, func() { s.Decide(0, q, buf) }); got != 0 {
		t.Errorf("Expected no allocation through pools, lines and steering, got %v", got)
	}
}

func BenchmarkDecidePooled(b *testing.B) {
	w, q := pooledLarge(b)
	s, buf := w.engine.Snapshot(), make([]*Member, 0, 8)
	plain := newWorld(b, "A B C", policy(RoundRobin)).engine.Snapshot()
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			plain.Decide(0, q, buf)
		}
	})
	b.Run("50 pools", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Decide(0, q, buf)
		}
	})
}
