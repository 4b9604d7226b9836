package policy

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestWeights(t *testing.T) {
	for _, tt := range []struct {
		name, origins, down, want string
	}{
		{"V13 DTM-LB-21 the rest is the unlisted one's", "A:90% B", "", "A 90 B 10"},
		{"V14 DTM-LB-21 DTM-LB-22 the rest is shared evenly", "A:90% B C", "", "A 180 B 10 C 10"},
		{"V15 DTM-LB-25 the survivors' shares are renormalised", "A:90% B C", "B", "A 1800 C 100"},
		{"V16 DTM-LB-25 less than a hundred", "A:40% B:40%", "", "A 50 B 50"},
		{"V17 DTM-LB-26 nothing is left but 0", "A:100% B", "A", "B 10"},
		{"V18 DTM-LB-26 all are 0", "A:0% B:0%", "", "A 50 B 50"},
		{"V19 DTM-LB-23 an explicit 0 drains", "A:0% B C", "", "A 0 B 50 C 50"},
		{"V21 COR-02 families apart", "A:90% B C6 D6", "", "A 90 B 10"},
		{"V28 AFD-06 DTM-LB-15 the ratio of the weights", "A:5 B:8", "", "A 5 B 8"},
		{"V68 none has a weight", "A B", "", "A 50 B 50"},
		{"V68 a relative 0", "A:0 B:5 C:5", "", "A 0 B 50 C 50"},
		{"V68 DTM-LB-26 only 0 left", "A:0 B:5 C:5", "B C", "A 10"},
		{"V69 DTM-LB-21 a rest for three", "A:80% B C D", "", "A 120 B 10 C 10 D 10"},
		{"V70 DTM-LB-21 no rest", "A:60% B:40% C", "", "A 60 B 40 C 0"},
		{"V70 DTM-LB-26 no rest, and the others down", "A:60% B:40% C", "A B", "C 100"},
		{"V71 G-02 a disabled origin takes nothing", "A:60%! B:30% C", "", "B 30 C 70"},
		{"H-22 a dead member's share is spread", "A:50 B:30 C:20", "A", "B 6000 C 4000"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			newWorld(t, tt.origins, policy(Weighted)).down(strings.Fields(tt.down)...).from(0).counts(tt.want)
		})
	}
	t.Run("V21 DTM-LB-21 IPv6 has a hundred of its own", func(t *testing.T) {
		newWorld(t, "A:90% B C6 D6", policy(Weighted)).from(0).aaaa().counts("C6 50 D6 50")
	})
	t.Run("V72 DTM-LB-10 a policy that reads no weights ignores them", func(t *testing.T) {
		newWorld(t, "A:9 B:1", policy(RoundRobin)).from(0).counts("A 50 B 50")
	})
	t.Run("V73 COR-11 TR7-25 weighted random", func(t *testing.T) {
		c := newWorld(t, "A:20 B:10", policy(WeightedRandom)).from(0)
		got := map[string]int{}
		exact := true
		for range 3000 {
			one := c.draws(3)
			exact = exact && one["A"] == 2
			got["A"] += one["A"]
		}
		about(t, got["A"], 9000, 2./3)
		if exact {
			t.Error("Expected draws, got exact turns")
		}
	})
	t.Run("H-21 weights return after recovery", func(t *testing.T) {
		w := newWorld(t, "A:90 B:10", policy(Weighted))
		w.from(0).counts("A 9000 B 1000")
		w.down("A").from(0).counts("B 1000")
		w.up("A").from(0).counts("A 9000 B 1000")
		w = newWorld(t, "A:90 B:10", policy(WeightedRandom)).down("A")
		w.from(0).counts("B 1000")
		about(t, w.up("A").from(0).draws(10000)["A"], 10000, 0.9)
	})
	t.Run("H-22 round-robin without one of four", func(t *testing.T) {
		newWorld(t, "A B C D", policy(RoundRobin)).down("B").from(0).counts("A 3000 C 3000 D 3000")
		about(t, newWorld(t, "A:50 B:30 C:20", policy(WeightedRandom)).down("A").from(0).draws(10000)["B"], 10000, 0.6)
	})
	t.Run("H-23 an unbiased draw, and one address under a weighted policy", func(t *testing.T) {
		got := newWorld(t, "A B C D E F G H I J K L M N O", policy(Random)).from(0).draws(15000)
		for l := 'A'; l <= 'O'; l++ {
			about(t, got[string(l)], 15000, 1./15)
		}
		c := newWorld(t, "A:80 B:20", policy(WeightedRandom)).from(0)
		n := 0
		for range 10000 {
			d := c.decide()
			if len(d.Members) != 1 {
				t.Fatalf("Expected one address, got %d", len(d.Members))
			}
			if letter(d.Members[0].Addr) == "A" {
				n++
			}
		}
		about(t, n, 10000, 0.8)
	})
	t.Run("DTM-LB-15 a turn spreads: no run of the lighter one", func(t *testing.T) {
		c := newWorld(t, "A:3 B:1", policy(Weighted)).from(0)
		last, run := "", 0
		for range 400 {
			l := c.ask()
			if l == last {
				run++
			} else {
				last, run = l, 1
			}
			if l == "B" && run > 1 || run > 4 {
				t.Fatalf("Expected turns to be spread, got %d times %s in a row", run, l)
			}
		}
	})
}

func TestSeveralAnswers(t *testing.T) {
	t.Run("V75 DTM-LB-15 weighted with answers 2", func(t *testing.T) {
		c := newWorld(t, "A:2 B:1 C:1", policy(Weighted), answers(2)).from(0)
		for range 10 {
			first := map[string]int{}
			for range 4 {
				a, b, _ := strings.Cut(c.ask(), ", ")
				if a == b || b == "" || strings.Contains(b, ",") {
					t.Fatalf("Expected two different addresses, got %q and %q", a, b)
				}
				first[a]++
			}
			if first["A"] != 2 || first["B"] != 1 || first["C"] != 1 {
				t.Errorf("Expected A 2, B 1, C 1 in first place, got %v", first)
			}
		}
	})
	t.Run("V76 G-01 the circle", func(t *testing.T) {
		for n, circle := range map[int][]string{2: {"A, B", "B, C", "C, A"}, All: {"A, B, C", "B, C, A", "C, A, B"}} {
			c := newWorld(t, "A B C", policy(RoundRobin), answers(n)).from(0)
			c.q.Peek = true
			at := slices.Index(circle, c.ask())
			if at < 0 {
				t.Fatalf("Expected an answer of the circle, got %q", c.ask())
			}
			c.q.Peek = false
			for i := range 9 {
				c.is(circle[(at+i)%3])
			}
		}
	})
	t.Run("V77 G-45 AFD-12 answers never cross a tier", func(t *testing.T) {
		w := newWorld(t, "A:p1 B:p1 C:p2", policy(Failover), answers(2))
		w.from(0).is("A, B")
		w.down("A").from(0).is("B")
	})
	t.Run("V78 DTM-LB-16 DTM-LB-12 answers under all, random and latency", func(t *testing.T) {
		newWorld(t, "A B C", answers(2)).from(0).is("A, B")
		c := newWorld(t, "A B C", policy(Random), answers(5)).from(0)
		for range 20 {
			d := c.decide()
			if len(d.Members) != 3 || d.Members[0] == d.Members[1] || d.Members[1] == d.Members[2] || d.Members[0] == d.Members[2] {
				t.Fatalf("Expected three different addresses, got %v", d.Members)
			}
		}
		newWorld(t, "A B C D", policy(Latency), answers(All)).takes("A 20 B 10 C 15").from(0).is("B, C, A, D")
	})
	t.Run("V79 DTM-LB-23 answers all leaves the drained out", func(t *testing.T) {
		for _, p := range []Policy{Weighted, WeightedRandom} {
			c := newWorld(t, "A:0 B:5 C:5", policy(p), answers(All)).from(0)
			for range 100 {
				if got := c.ask(); got != "B, C" && got != "C, B" {
					t.Fatalf("Expected B and C under %s, got %s", p, got)
				}
			}
		}
	})
	t.Run("DTM-LB-15 an uneven draw of many answers still ends, without repeats", func(t *testing.T) {
		for _, p := range []Policy{Weighted, WeightedRandom, Random} {
			c := newWorld(t, "A:1000 B:1 C:1 D:1 E:1 F:1 G:1 H:1 I:1", policy(p), answers(2)).from(0)
			second := map[string]int{}
			for range 2000 {
				a, b, _ := strings.Cut(c.ask(), ", ")
				if a == b || b == "" {
					t.Fatalf("Expected two different addresses, got %q and %q", a, b)
				}
				second[b]++
			}
			if len(second) < 8 {
				t.Errorf("Expected every other origin in second place under %s, got %v", p, second)
			}
		}
	})
}

// about judges a count of n draws with probability p at four sigma.
func about(t *testing.T, got, n int, p float64) {
	t.Helper()
	mean, sigma := float64(n)*p, math.Sqrt(float64(n)*p*(1-p))
	if d := math.Abs(float64(got) - mean); d > 4*sigma {
		t.Errorf("Expected %.0f of %d, give or take %.0f, got %d", mean, n, 4*sigma, got)
	}
}
