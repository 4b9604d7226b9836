package policy

import (
	"math"
	"strings"
	"testing"
	"time"
)

// TestComposedWeights is `weighted` over pools that contribute something else each time.
func TestComposedWeights(t *testing.T) {
	t.Run("DTM-LB-23 TR7-05 a drained origin stands aside while another has a share", func(t *testing.T) {
		w := pooled(t, []Pool{poolNamed("a", "A:0 B:0", by(Random)), poolNamed("b", "C:1", by(Random))}, selects(All), policy(Weighted), answers(All))
		for range 50 {
			w.from(0).is("C")
		}
	})
	t.Run("DTM-LB-26 without a positive share they take turns", func(t *testing.T) {
		w := pooled(t, []Pool{poolNamed("a", "A:0 B:0", by(Random)), poolNamed("b", "C:0")}, selects(All), policy(Weighted))
		c := 0
		for range 100 {
			if w.from(0).ask() == "C" {
				c++
			}
		}
		if c != 50 {
			t.Errorf("Expected 50 of 100, got %d", c)
		}
	})
	share := func(t *testing.T, w *world, letters string, want float64) {
		t.Helper()
		n := 0
		for range 20000 {
			if strings.Contains(letters, w.from(0).ask()) {
				n++
			}
		}
		if got := float64(n) / 20000; math.Abs(got-want) > 0.03 {
			t.Errorf("Expected a share of %.2f for %s, got %.2f", want, letters, got)
		}
	}
	named := func(weight Weight) Pool {
		p := poolNamed("named", "")
		p.Origins = []Origin{{Alias: "t1.", Priority: 1, Weight: weight}}
		return p
	}
	resolved := func(w *world, addresses ...string) {
		r := Resolution{Known: [2]bool{true, true}}
		for _, l := range addresses {
			r.Addrs[IPv4] = append(r.Addrs[IPv4], addr(l))
		}
		w.engine.Resolve("t1.", r)
		w.engine.Freshness("t1.", IPv4).Set(w.now.Add(time.Minute).UnixMilli(), false)
	}
	t.Run("G-10 G-43 an alias's weight is divided among its addresses", func(t *testing.T) {
		w := pooled(t, []Pool{named(Weight{Relative, 1}), poolNamed("b", "E:1 F:1", by(Random))}, selects(All), policy(WeightedRandom))
		resolved(w, "A", "B", "C")
		share(t, w, "ABC", 0.5)
	})
	t.Run("G-10 G-43 beside percentages an alias is one origin of its pool", func(t *testing.T) {
		p := named(Weight{})
		w := pooled(t, []Pool{p, poolNamed("b", "E:100%")}, selects(All), policy(WeightedRandom))
		resolved(w, "A", "B", "C")
		share(t, w, "ABC", 0.5)
	})
	t.Run("G-54 each way to an address keeps its weight", func(t *testing.T) {
		w := pooled(t, []Pool{poolNamed("a", "A:1"), poolNamed("b", "A:8"), poolNamed("c", "E:1 F:1", by(Random))}, selects(All), policy(WeightedRandom))
		share(t, w, "A", 0.9)
	})
}

func TestComposedDecisionAllocatesNothing(t *testing.T) {
	for _, p := range []Policy{PolicyAll, RoundRobin, Random, Latency, WeightedRandom, Proximity} {
		w := pooled(t, []Pool{poolNamed("a", "A:1 B:2", by(Random)), poolNamed("b", "C:1 D:0", by(RoundRobin)), poolNamed("c", "E:3 F:3")},
			selects(All), policy(p), answers(All), steered(RandomOrder), when(When{Country: []Code{{'D', 'E'}}, Pools: []int{0, 2}}))
		c := w.from(0)
		buf := make([]*Member, 0, 8)
		for range 2000 {
			w.engine.Snapshot().Decide(0, &c.q, buf)
		}
		if n := testing.AllocsPerRun(1000, func() { w.engine.Snapshot().Decide(0, &c.q, buf) }); n != 0 {
			t.Errorf("Expected no allocation by %s, got %v", p, n)
		}
	}
}
