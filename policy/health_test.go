package policy

import (
	"testing"
)

func TestHealthAndRegions(t *testing.T) {
	t.Run("V01 DTM-LB-16 no policy: every healthy origin in declaration order", func(t *testing.T) {
		newWorld(t, "A B C").from(0).is("A, B, C")
	})
	t.Run("V02 DTM-LB-04 DTM-LB-17 the client's region", func(t *testing.T) {
		newWorld(t, "A[we] B[ne] C").from(we).is("A")
	})
	t.Run("V03 DTM-LB-05 G-07 none left in the region", func(t *testing.T) {
		newWorld(t, "A[we] B[ne] C").down("A").from(we).is("B, C")
	})
	t.Run("V04 DTM-LB-05 no origin in the client's region", func(t *testing.T) {
		newWorld(t, "A[we] B[ne] C").from(sa).is("A, B, C")
	})
	t.Run("V05 DTM-LB-03 DTM-LB-04 DTM-HC-36 all down: open, then the region filter", func(t *testing.T) {
		w := newWorld(t, "A[we] B[ne] C").down("A", "B", "C")
		w.from(we).is("A")
		if got := w.from(we).decide().Outcome; got != Open {
			t.Errorf("Expected outcome open, got %s", got)
		}
	})
	t.Run("V06 DTM-HC-36 fail all", func(t *testing.T) {
		newWorld(t, "A[we] B[ne] C", fail(FailAll)).down("A", "B", "C").from(we).is("A, B, C")
	})
	t.Run("V07 G-36 a client without a region is filtered by none", func(t *testing.T) {
		newWorld(t, "A[we] B[ne] C").from(0).is("A, B, C")
	})
	t.Run("V08 DTM-LB-18 DTM-LB-33 DTM-LB-34 DTM-LB-11 failover inside the region, then beyond it", func(t *testing.T) {
		w := newWorld(t, "B[ne] A[we]", policy(Failover))
		w.from(we).is("A")
		w.down("A").from(we).is("B")
		w.up("A").from(we).is("A")
	})
	t.Run("V09 DTM-LB-10 AFD-14 round-robin is exact", func(t *testing.T) {
		newWorld(t, "A B C", policy(RoundRobin)).from(0).counts("A 100 B 100 C 100")
	})
	t.Run("V10 G-39 DTM-LB-18 regions take turns by themselves", func(t *testing.T) {
		w := newWorld(t, "A[we] B[we] C[ne]", policy(RoundRobin))
		west, north := w.from(we), w.from(ne)
		order := seeded()
		got, asked := map[string]int{}, [2]int{}
		for asked[0] < 100 || asked[1] < 100 {
			if i := order() % 2; asked[i] < 100 {
				asked[i]++
				got[[]*client{west, north}[i].ask()]++
			}
		}
		if got["A"] != 50 || got["B"] != 50 || got["C"] != 100 {
			t.Errorf("Expected A 50, B 50, C 100, got %v", got)
		}
	})
	t.Run("V11 DTM-LB-14 geo-failover", func(t *testing.T) {
		for _, filter := range []bool{true, false} {
			w := newWorld(t, "A[we] B[we] C[ne]", policy(GeoFailover), regionFilter(filter))
			w.from(we).counts("A 50 B 50")
			w.down("A", "B").from(we).is("C")
		}
	})
	t.Run("V12 DTM-LB-13 region, with the filter off too", func(t *testing.T) {
		for _, filter := range []bool{true, false} {
			w := newWorld(t, "A[we] B[we] C[ne]", policy(ByRegion), regionFilter(filter))
			w.from(we).is("A, B")
			w.down("A", "B").from(we).is("C")
		}
	})
	t.Run("DTM-LB-04 region-filter off leaves the regions alone", func(t *testing.T) {
		newWorld(t, "A[we] B[ne] C", regionFilter(false)).from(we).is("A, B, C")
	})
	t.Run("V29 DTM-LB-12 latency, the unmeasured last", func(t *testing.T) {
		w := newWorld(t, "A B C", policy(Latency)).takes("A 20 B 10")
		w.from(0).is("B")
		w.down("B").from(0).is("A")
		w.down("A").from(0).is("C")
	})
	t.Run("V107 G-03 G-04 latencies tie in whole milliseconds", func(t *testing.T) {
		newWorld(t, "A B", policy(Latency)).takes("A 15.9 B 15.1").from(0).is("A")
	})
	t.Run("H-26 nothing measured: declaration order; a dark one is last", func(t *testing.T) {
		w := newWorld(t, "A B", policy(Latency), within(30))
		w.from(0).is("A")
		w.takes("A 20 B 40").from(0).is("A")
		w.record.Origins = origins("A B C")
		w.reload()
		w.from(0).is("A")
		w.down("A").from(0).is("B")
	})
}

func TestAvailability(t *testing.T) {
	t.Run("DTM-LB-01 one origin answers under every policy", func(t *testing.T) {
		for p := range methods {
			newWorld(t, "A", policy(Policy(p))).from(0).is("A")
		}
	})
	t.Run("DTM-LB-02 DTM-LB-07 DTM-HC-34 health comes before filter, tier and policy, under every one", func(t *testing.T) {
		for p := range methods {
			w := newWorld(t, "A[we] B[we]:p2 C[ne]", policy(Policy(p))).down("A")
			for range 20 {
				w.from(we).is("B")
			}
		}
	})
	t.Run("DTM-HC-01 DTM-HC-35 a failing origin leaves and comes back", func(t *testing.T) {
		w := newWorld(t, "A B")
		w.down("A").from(0).is("B")
		w.up("A").from(0).is("A, B")
	})
	t.Run("COR-02 a family sees its own origins only", func(t *testing.T) {
		w := newWorld(t, "A B6 C")
		w.from(0).is("A, C")
		w.from(0).aaaa().is("B6")
	})
	t.Run("COR-25 without a check an origin is healthy", func(t *testing.T) {
		w := newWorld(t, "A B", func(r *Record) { r.Origins[0].Checks, r.Origins[0].Need = nil, 0 })
		w.down("A", "B").from(0).is("A")
	})
	t.Run("COR-24 unknown counts as initial", func(t *testing.T) {
		w := newWorld(t, "A B", func(r *Record) { r.Origins[0].Checks[0].Initial = false })
		w.from(0).is("B")
		w.up("A").from(0).is("A, B")
	})
	t.Run("COR-43 AFD-01 AFD-02 a disabled origin is never answered", func(t *testing.T) {
		w := newWorld(t, "A B C D E! F")
		w.down("C").from(0).is("A, B, D, F")
		for f := range failNames {
			w := newWorld(t, "A B!", fail(Fail(f))).down("A", "B")
			if got := w.from(0).ask(); got == "B" || got == "A, B" {
				t.Errorf("Expected no disabled origin under fail %s, got %s", Fail(f), got)
			}
		}
	})
	t.Run("V104 lists of checks", func(t *testing.T) {
		for _, tt := range []struct {
			list    string
			need    int
			initial bool
			healthy bool
		}{
			{"a b", 2, true, false}, {"a b", 1, true, true}, {"a b c", 2, true, true}, {"b c", 1, true, true}, {"", 0, true, true},
			{"a b c", 2, false, false}, {"b c", 1, false, false},
		} {
			w := newWorld(t, "A B", func(r *Record) {
				r.Origins[0].Checks, r.Origins[0].Need = nil, tt.need
				for _, c := range tt.list {
					if c != ' ' {
						r.Origins[0].Checks = append(r.Origins[0].Checks, Check{Subject: Subject{string(c), "A"}, Initial: tt.initial || c != 'c'})
					}
				}
			})
			w.engine.Observe(Subject{"a", "A"}, Health{Verdict: Healthy})
			w.engine.Observe(Subject{"b", "A"}, Health{Verdict: Unhealthy})
			want := map[bool]string{true: "A, B", false: "B"}[tt.healthy]
			w.from(0).is(want)
		}
	})
	t.Run("G-53 the latency is that of the first check that has measured", func(t *testing.T) {
		w := newWorld(t, "A B", policy(Latency), func(r *Record) {
			r.Origins[0].Checks = []Check{
				{Subject: Subject{"access", "A"}, Initial: true},
				{Subject: Subject{"a", "A"}, Initial: true, Measures: true},
				{Subject: Subject{"b", "A"}, Initial: true, Measures: true},
			}
		})
		w.takes("B 20")
		w.engine.Observe(Subject{"access", "A"}, Health{Measured: true, Latency: 1e6})
		w.from(0).is("B")
		w.engine.Observe(Subject{"b", "A"}, Health{Measured: true, Latency: 10e6})
		w.from(0).is("A")
		w.engine.Observe(Subject{"a", "A"}, Health{Measured: true, Latency: 30e6})
		w.from(0).is("B")
	})
}

func TestTiersAndBands(t *testing.T) {
	t.Run("V26 AFD-03 AFD-12 tiers", func(t *testing.T) {
		w := newWorld(t, "A:p1 B:p1 C:p1 D:p1 E:p1! F:p2").down("C")
		w.from(0).is("A, B, D")
		w.down("A", "B", "D").from(0).is("F")
	})
	t.Run("AFD-12 the second tier only without the first, under every policy", func(t *testing.T) {
		for p := range methods {
			w := newWorld(t, "A:p2 B:p1 C:p1", policy(Policy(p)))
			for range 50 {
				if got := w.from(0).ask(); got == "A" {
					t.Fatalf("Expected no origin of the second tier under %s, got %s", Policy(p), got)
				}
			}
			w.down("B", "C").from(0).is("A")
		}
	})
	t.Run("V27 AFD-04 AFD-05 AFD-11 within", func(t *testing.T) {
		for _, tt := range []struct {
			ms   int
			want string
		}{{30, "A, B"}, {0, "A"}, {45, "A, B, D"}, {44, "A, B"}} {
			newWorld(t, "A B D", within(tt.ms)).takes("A 15 B 30 D 60").from(0).is(tt.want)
		}
	})
	t.Run("V88 AFD-07 AFD-10 availability, tier, band, weights", func(t *testing.T) {
		w := newWorld(t, "A:50 B:50 C:50 D:50 F:p2:50", policy(Weighted), within(30))
		w.takes("A 40 B 65 C 5 D 90 F 5").down("C").from(0).counts("A 50 B 50")
	})
	t.Run("V108 G-44 the unmeasured leave once one is measured", func(t *testing.T) {
		w := newWorld(t, "A B C", within(10))
		w.from(0).is("A, B, C")
		w.takes("A 20 B 40").from(0).is("A")
	})
}

func TestLadder(t *testing.T) {
	t.Run("V92 DTM-HC-36 G-45 open and all", func(t *testing.T) {
		words := "A:p1 B:p2 C:p1!"
		newWorld(t, words, policy(Failover), answers(1)).down("A", "B", "C").from(0).is("A")
		newWorld(t, words, policy(Failover), answers(1), fail(FailAll)).down("A", "B", "C").from(0).is("A, B")
	})
	t.Run("V93 DTM-LB-03 nodata, servfail, next; and the family without an origin", func(t *testing.T) {
		for _, f := range []Fail{FailNoData, FailServFail, FailNext} {
			w := newWorld(t, "A B", fail(f)).down("A", "B")
			w.from(0).is(f.String())
			w.from(0).aaaa().is("nodata")
		}
	})
	t.Run("G-28 open and all without an enabled origin are NODATA", func(t *testing.T) {
		for _, f := range []Fail{FailOpen, FailAll} {
			newWorld(t, "A! B!", fail(f)).from(0).is("nodata")
		}
	})
	t.Run("TR7-06 G-45 failsafe, all of the family whatever answers says, before fail", func(t *testing.T) {
		w := newWorld(t, "A B", answers(1), failsafe("F", "E", "D6"), fail(FailNoData))
		w.from(0).is("A")
		w.down("A", "B").from(0).is("F, E")
		w.from(0).aaaa().is("D6") // no origin of the family at all: failsafe all the same
	})
	t.Run("COR-40 a disabled record is NODATA, failsafe or not", func(t *testing.T) {
		w := newWorld(t, "A", disabled, failsafe("F"))
		w.from(0).is("nodata")
		w.from(0).aaaa().is("nodata")
	})
	t.Run("H-16 open keeps tier and policy", func(t *testing.T) {
		w := newWorld(t, "A B C:p2 D:p2 E!", policy(RoundRobin)).down("A", "B", "C", "D", "E")
		w.from(0).counts("A 500 B 500")
		newWorld(t, "A B C:p2", fail(FailNoData)).down("A", "B", "C").from(0).is("nodata")
	})
	t.Run("H-18 weight 0 and disabled in a disaster", func(t *testing.T) {
		w := newWorld(t, "A:100 B:0 C:50!", policy(Weighted))
		w.from(0).counts("A 1000")
		w.down("A").from(0).counts("B 100")
		if got := w.from(0).decide().Outcome; got != Drained {
			t.Errorf("Expected outcome drained, got %s", got)
		}
		w.down("B").from(0).counts("A 1000")
		newWorld(t, "A:0 B:0", policy(Weighted)).from(0).counts("A 50 B 50")
	})
}
