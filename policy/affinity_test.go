package policy

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"
)

// clientOn gives a client whom the hash gives l.
func (w *world) clientOn(l string) *client {
	for n := range 1000 {
		if c := w.client(n); func() bool { c.q.Peek = true; return c.ask() == l }() {
			c.q.Peek = false
			return c
		}
	}
	w.t.Fatalf("Expected a client on %s among a thousand", l)
	return nil
}

func TestAffinity(t *testing.T) {
	t.Run("V22 DTM-LB-27 DTM-LB-38 an even spread that reads no weights", func(t *testing.T) {
		w := newWorld(t, "A:0% B", policy(Weighted), affinity(0))
		n := 0
		for i := range 10000 {
			if w.client(i).ask() == "A" {
				n++
			}
		}
		about(t, n, 10000, 0.5)
	})
	t.Run("V23 DTM-LB-37 DTM-LB-39 G-06 a window is counted from the pinning", func(t *testing.T) {
		w := newWorld(t, "A B", affinity(time.Hour))
		c := w.clientOn("A")
		c.is("A")
		w.down("A")
		w.now = w.now.Add(time.Minute)
		c.is("B")
		w.up("A")
		for range 59 {
			w.now = w.now.Add(time.Minute)
			c.is("B")
		}
		w.now = w.now.Add(time.Minute - time.Second)
		c.is("B")
		w.now = w.now.Add(time.Second)
		c.is("A")
	})
	t.Run("V24 COR-13 G-40 a pin lasts as long as its origin, over a reload too", func(t *testing.T) {
		w := newWorld(t, "A B", affinity(0))
		for _, c := range []*client{w.clientOn("A"), w.client(1), w.client(2), w.client(3)} {
			first := c.ask()
			w.record.Origins = origins("A B C")
			w.reload()
			c.is(first)
			w.down(first)
			other := c.ask()
			if other == first {
				t.Errorf("Expected another than %s, got %s", first, other)
			}
			w.up(first)
			c.is(other)
			w.record.Origins = origins("A B")
			w.reload()
		}
	})
	t.Run("COR-13 an origin that was disabled loses its clients", func(t *testing.T) {
		w := newWorld(t, "A B", affinity(0))
		c := w.clientOn("A")
		c.is("A")
		w.record.Origins = origins("A! B")
		w.reload()
		c.is("B")
	})
	t.Run("V61 DTM-LB-39 DTM-LB-05 a live pin wins over the region filter", func(t *testing.T) {
		w := newWorld(t, "A[we] B[ne]", affinity(time.Hour)).down("A")
		c := w.client(7)
		c.q.Region = we
		c.is("B")
		w.up("A")
		c.is("B")
		w.now = w.now.Add(time.Hour)
		c.is("A")
	})
	t.Run("V62 AFD-09 affinity policy pins what the policy picks", func(t *testing.T) {
		w := newWorld(t, "A B", affinityPolicy(time.Hour), within(10), policy(Failover)).takes("A 20 B 25")
		c := w.client(1)
		c.is("A")
		w.takes("A 60")
		w.now = w.now.Add(59 * time.Minute)
		c.is("A")
		w.now = w.now.Add(time.Minute)
		c.is("B")

		w = newWorld(t, "A B", affinity(time.Hour), within(10), policy(Failover)).takes("A 20 B 25")
		for _, l := range []string{"A", "B"} {
			c := w.clientOn(l)
			c.is(l)
			w.takes("A 60")
			c.is(l)
			w.takes("A 20")
		}
	})
	t.Run("V64 DTM-LB-03 G-38 all down: the hash, and no pin", func(t *testing.T) {
		for _, aff := range []func(*Record){affinity(time.Hour), affinityPolicy(time.Hour)} {
			w := newWorld(t, "A B C", aff, policy(Random)).down("A", "B", "C")
			c := w.client(3)
			first := c.ask()
			for range 100 {
				c.is(first)
			}
			x := map[string]string{"A": "B", "B": "C", "C": "A"}[first] // not the one that the hash would give
			w.up(x)
			c.is(x)
			w.up("A", "B", "C")
			c.is(x)
		}
	})
	t.Run("DTM-LB-40 affinity combines with every policy, and is one address", func(t *testing.T) {
		for p := range methods {
			for _, aff := range []func(*Record){affinity(0), affinityPolicy(0)} {
				c := newWorld(t, "A B:p2 C", policy(Policy(p)), aff, answers(All)).client(5)
				first := c.ask()
				for range 20 {
					c.is(first)
				}
				if len(first) != 1 {
					t.Errorf("Expected one address under %s, got %s", Policy(p), first)
				}
				if got := c.decide().Outcome; got != Pinned {
					t.Errorf("Expected outcome pinned, got %s", got)
				}
			}
		}
	})
	t.Run("COR-14 all behind one resolver share its pin", func(t *testing.T) {
		w := newWorld(t, "A B C D", affinity(0))
		w.client(9).is(w.client(9).ask())
	})
	t.Run("G-05 the hash is the same in any order of declaration", func(t *testing.T) {
		one, other := newWorld(t, "A B C D", affinity(0)), newWorld(t, "D B A C", affinity(0))
		for i := range 1000 {
			one.client(i).is(other.client(i).ask())
		}
	})
	t.Run("H-24 only the lost member's clients move", func(t *testing.T) {
		w := newWorld(t, "A B C D E", affinity(time.Hour))
		const n = 2000
		ask := func() (all []string) {
			for i := range n {
				all = append(all, w.client(i).ask())
			}
			return all
		}
		before := ask()
		w.down("C")
		after := ask()
		moved := map[string]int{}
		for i := range n {
			if before[i] == "C" {
				moved[after[i]]++
			} else if before[i] != after[i] {
				t.Fatalf("Expected client %d to stay on %s, got %s", i, before[i], after[i])
			}
		}
		for _, l := range []string{"A", "B", "D", "E"} {
			if moved[l] < 60 || moved[l] > 140 {
				t.Errorf("Expected 60 to 140 clients of C on %s, got %d", l, moved[l])
			}
		}
		w.up("C")
		if !slices.Equal(ask(), after) {
			t.Error("Expected nobody to move when C came back")
		}
		w.record.Origins = origins("A B C D E F")
		w.reload()
		if !slices.Equal(ask(), after) {
			t.Error("Expected nobody to move when F was added")
		}
		fresh := 0
		for i := range n {
			if w.client(n+i).ask() == "F" {
				fresh++
			}
		}
		about(t, fresh, n, 1./6)
	})
}

func TestPinTable(t *testing.T) {
	t.Run("H-25 strangers cannot push a steady client out", func(t *testing.T) {
		pins := newPinTable(pinSlots / 64)
		const now, minute = 1e12, 60_000
		steady := make([]uint64, 100)
		for i := range steady {
			steady[i] = pinTag(1, IPv4, netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}))
			pins.put(steady[i], uint32(i), (now+minute)/pinUnit, now)
		}
		r := rand.New(rand.NewPCG(3, 4))
		kept := 0
		const strangers = 2_000_000 / 64
		for n := range strangers {
			if n%(strangers/100) == 0 { // each asks every second or so
				kept = 0
				for i, tag := range steady {
					if m, ok := pins.get(tag, now); ok && m == uint32(i) {
						kept++
					}
				}
			}
			pins.put(pinTag(1, IPv4, netip.AddrFrom4([4]byte{11, byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32())})), 7, (now+minute)/pinUnit, now)
		}
		if kept < 99 {
			t.Errorf("Expected the steady clients' pins to stay, got %d of %d", kept, len(steady))
		}
	})
	t.Run("G-06 a pin ends by the clock alone", func(t *testing.T) {
		pins := newPinTable(pinSlots)
		a := Affinity{On: true, Window: 90 * time.Second}
		pins.put(99, 5, a.expiry(1_000_050), 1_000_050)
		for now, want := range map[int64]bool{1_000_050: true, 1_090_000: true, 1_090_049: true, 1_090_100: false} {
			if m, ok := pins.get(99, now); ok != want || ok && m != 5 {
				t.Errorf("Expected pinned to be %t at %d, got %t", want, now, ok)
			}
		}
		pins.put(99, 6, Affinity{On: true}.expiry(2_000_000), 2_000_000)
		if m, ok := pins.get(99, 1e14); !ok || m != 6 {
			t.Errorf("Expected a pin without a window to stay, got %d, %t", m, ok)
		}
	})
	t.Run("AFD-09 writers and readers at once never see another client's pin", func(t *testing.T) {
		pins := newPinTable(pinSlots)
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(uint64(g), 1))
				for range 200_000 {
					tag := 2 + r.Uint64()%32*(pinSlots/pinWays) // all in one bucket
					if r.Uint64()%4 == 0 {
						pins.put(tag, uint32(tag>>17)&0xff, 2e10, 1e12)
					} else if m, ok := pins.get(tag, 1e12); ok && m != uint32(tag>>17)&0xff {
						t.Errorf("Expected the pin of %d, got %d", tag, m)
						return
					}
				}
			})
		}
		wg.Wait()
	})
}
