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
		Name: "www.example.org.", Within: None, Fallback: None, RegionFilter: true, TTL: 30, Policy: p,
	}}
	for i := range n {
		o := Origin{
			Addr: netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), Priority: 1, Region: Region(1 + i%regions),
			Location: &Location{Lat: float64(i % 90), Lon: float64(i % 180)}, Need: 1,
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
			s, q, buf := w.engine.Snapshot(), &Query{Region: 2, Now: 1e12, Place: Place{Location: &Location{Lat: 1, Lon: 2}}}, make([]*Member, 0, 8)
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
				s, q, buf := w.engine.Snapshot(), &Query{Region: 1, Place: Place{Location: &Location{Lat: 1, Lon: 2}}}, make([]*Member, 0, 8)
				b.ReportAllocs()
				for b.Loop() {
					s.Decide(0, q, buf)
				}
			})
		}
	}
}
