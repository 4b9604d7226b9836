package policy

import (
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"
)

// poolNamed makes a pool of origins in the words of the worked answers.
func poolNamed(name, words string, set ...func(*Pool)) Pool {
	p := Pool{Name: name, Pos: Pos{"Corefile", 90}, Origins: origins(words), Within: None, MinHealthy: 1}
	for _, f := range set {
		f(&p)
	}
	return p
}

func by(p Policy) func(*Pool)         { return func(x *Pool) { x.Policy = p } }
func located(l *Location) func(*Pool) { return func(x *Pool) { x.Location = l } }
func minHealthy(n int) func(*Pool)    { return func(x *Pool) { x.MinHealthy = n } }
func poolDisabled(x *Pool)            { x.Disabled = true }

// pooled makes a world of one record over pools, all of them in order, unless set says otherwise.
func pooled(t testing.TB, pools []Pool, set ...func(*Record)) *world {
	t.Helper()
	w := &world{t: t, health: map[string]Health{}, pools: pools, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	w.record = Record{Name: "www.example.org.", Pos: Pos{"Corefile", 1}, Within: None, Fallback: None, TTL: 30, Select: 1}
	for i := range pools {
		w.record.Pools = append(w.record.Pools, i)
	}
	for _, f := range set {
		f(&w.record)
	}
	w.reload()
	return w
}

func uses(list ...int) func(*Record)   { return func(r *Record) { r.Pools = list } }
func fallback(n int) func(*Record)     { return func(r *Record) { r.Fallback = n } }
func selects(n int) func(*Record)      { return func(r *Record) { r.Select = n } }
func steered(s Steering) func(*Record) { return func(r *Record) { r.Steering = s } }
func when(w When) func(*Record)        { return func(r *Record) { r.When = append(r.When, w) } }

func (c *client) at(l *Location) *client { c.q.Place.Location = l; return c }

func TestPools(t *testing.T) {
	t.Run("V30 COR-06 each family goes its own way down the pools", func(t *testing.T) {
		w := pooled(t, []Pool{poolNamed("eu", "A A6"), poolNamed("us", "B B6")}).down("A")
		w.from(0).is("B")
		w.from(0).aaaa().is("A6")
	})
	t.Run("V31 COR-08 COR-09 COR-43 G-11 G-28 the fallback pool and fail open", func(t *testing.T) {
		w := pooled(t, []Pool{poolNamed("eu", "A B", by(RoundRobin)), poolNamed("dr", "C")}, uses(0), fallback(1)).down("A", "B")
		w.from(0).is("C")
		if got := w.from(0).decide().Outcome; got != Fallback {
			t.Errorf("Expected outcome fallback, got %s", got)
		}
		w.down("C").from(0).counts("A 50 B 50")
		w.pools[0].Origins = origins("A! B!")
		w.reload()
		w.from(0).is("C")
		w.pools[1].Origins = origins("C!")
		w.reload()
		w.from(0).is("nodata")
	})
	t.Run("V80 COR-03 TR7-05 a policy inside the pool, and one over them", func(t *testing.T) {
		w := pooled(t, []Pool{poolNamed("a", "A:3 B:1", by(Weighted)), poolNamed("b", "C")}, selects(2))
		first := map[string]int{}
		for range 4 {
			a, b, _ := strings.Cut(w.from(0).ask(), ", ")
			if first[a]++; b != "C" {
				t.Errorf("Expected C in second place, got %q", b)
			}
		}
		if first["A"] != 3 || first["B"] != 1 {
			t.Errorf("Expected A 3, B 1, got %v", first)
		}
	})
	t.Run("V81 TR7-04 TR7-24 select", func(t *testing.T) {
		pools := []Pool{poolNamed("p", "A"), poolNamed("q", "B"), poolNamed("r", "C")}
		pooled(t, pools, selects(2)).down("A").from(0).is("B, C")
		pooled(t, pools, selects(All)).from(0).is("A, B, C")
		pooled(t, pools, selects(5)).from(0).is("A, B, C")
		pooled(t, pools, selects(2)).from(0).is("A, B")
	})
	t.Run("V82 TR7-02 min-healthy", func(t *testing.T) {
		pools := []Pool{poolNamed("eu", "A B C", minHealthy(2)), poolNamed("us", "D")}
		w := pooled(t, pools).down("B", "C")
		w.from(0).is("D")
		w.up("B").from(0).is("A, B")
		w.down("B", "D").from(0).is("A, B, C")
	})
	t.Run("V83 COR-07 COR-10 the record's failover over what pools pick", func(t *testing.T) {
		w := pooled(t, []Pool{poolNamed("a", "A B", by(RoundRobin)), poolNamed("b", "C")}, selects(2), policy(Failover))
		w.from(0).counts("A 50 B 50")
		w.down("A", "B").from(0).is("C")
	})
	t.Run("V84 DTM-LB-04 TR7-23 region-filter over pools", func(t *testing.T) {
		pools := []Pool{poolNamed("eu", "A[we]"), poolNamed("us", "B[ne]")}
		pooled(t, pools, regionFilter(true)).from(ne).is("B")
		pooled(t, pools).from(ne).is("A")
	})
	t.Run("V85 COR-43 G-28 a disabled pool is never answered", func(t *testing.T) {
		pools := []Pool{poolNamed("eu", "A", poolDisabled), poolNamed("us", "B")}
		w := pooled(t, pools)
		w.from(0).is("B")
		w.down("B").from(0).is("B")
		pooled(t, pools, uses(0)).from(0).is("nodata")
	})
	t.Run("V86 COR-28 COR-05 steering random", func(t *testing.T) {
		w := pooled(t, []Pool{poolNamed("p", "A"), poolNamed("q", "B")}, steered(RandomOrder))
		about(t, w.from(0).draws(10000)["A"], 10000, 0.5)
		w = pooled(t, []Pool{poolNamed("p", "A"), poolNamed("q", "B"), poolNamed("r", "C")}, steered(RandomOrder), selects(All))
		seen := map[string]int{}
		for range 6000 {
			seen[w.from(0).ask()]++
		}
		for order, n := range seen {
			about(t, n, 6000, 1./6)
			if len(seen) != 6 {
				t.Errorf("Expected six orders, got %d with %s", len(seen), order)
			}
		}
	})
	t.Run("V87 COR-31 steering proximity, across the date line", func(t *testing.T) {
		w := pooled(t, []Pool{poolNamed("p", "A", located(at(0, 170))), poolNamed("q", "B", located(at(0, -179.5)))}, steered(ByProximity))
		w.from(0).at(at(0, 179.5)).is("B")
		w = newWorld(t, "A B C", policy(Proximity), func(r *Record) {
			r.Origins[0].Location, r.Origins[1].Location = at(0, 170), at(0, -179.5)
		})
		here := at(0, 179.5)
		w.from(0).at(here).is("B")
		w.down("B").from(0).at(here).is("A")
		w.down("A").from(0).at(here).is("C")
	})
	t.Run("V35 COR-31 COR-35 V34 the unknown last, and listed order for a client without coordinates", func(t *testing.T) {
		w := pooled(t, []Pool{
			poolNamed("none", "A"), poolNamed("london", "B", located(at(51.51, -0.13))), poolNamed("paris", "C", located(at(48.86, 2.35))),
		}, steered(ByProximity), selects(All))
		w.from(0).at(at(50.11, 8.68)).is("C, B, A")
		w.from(0).is("A, B, C")
	})
	t.Run("V74 G-43 TR7-05 a record's weights over pools", func(t *testing.T) {
		for _, tt := range []struct{ a, b, want string }{
			{"A:3 B:1", "C:2 D:2", "A 3 B 1 C 2 D 2"},
			{"A:90% B", "C:50% D:50%", "A 90 B 10 C 50 D 50"},
			{"A:3 B:1", "C D", "A 3 B 1 C 1 D 1"},
		} {
			pooled(t, []Pool{poolNamed("a", tt.a), poolNamed("b", tt.b)}, selects(All), policy(Weighted)).from(0).counts(tt.want)
		}
		cfg := &Config{Pools: []Pool{poolNamed("a", "A:3 B:1"), poolNamed("b", "C:50% D")}, Records: []Record{{
			Name: "x.", Pools: []int{0, 1}, Policy: Weighted, Within: None, Fallback: None, Select: All,
		}}}
		if cfg.Validate() == nil {
			t.Error("Expected both kinds of weight to be refused")
		}
	})
	t.Run("V95 COR-08 TR7-06 fallback, then failsafe, then NODATA", func(t *testing.T) {
		w := pooled(t, []Pool{poolNamed("eu", "A"), poolNamed("dr", "B")}, uses(0), fallback(1), failsafe("E", "F6")).down("A")
		w.from(0).is("B")
		w.down("B").from(0).is("E")
		w.from(0).aaaa().is("F6")
		w.record.Failsafe = w.record.Failsafe[:1]
		w.reload()
		w.from(0).aaaa().is("nodata")
		w = pooled(t, []Pool{poolNamed("dr", "B")}, uses(), fallback(0), func(r *Record) { r.Origins = origins("A") })
		w.from(0).is("A")
		w.down("A").from(0).is("B")
	})
	t.Run("V92 pools of which all are down, under fail all", func(t *testing.T) {
		pooled(t, []Pool{poolNamed("eu", "A B"), poolNamed("us", "C")}, fail(FailAll)).down("A", "B", "C").from(0).is("A, B, C")
	})
	t.Run("G-33 a record may name its fallback among its pools", func(t *testing.T) {
		w := pooled(t, []Pool{poolNamed("eu", "A"), poolNamed("dr", "B")}, fallback(1)).down("A")
		w.from(0).is("B")
	})
	t.Run("G-54 an address reached in several ways stands once", func(t *testing.T) {
		w := pooled(t, []Pool{poolNamed("p", "A B"), poolNamed("q", "B C")}, selects(All))
		w.from(0).is("A, B, C")
		w.down("A", "B", "C").from(0).is("A, B, C")
		w = pooled(t, []Pool{poolNamed("p", "A B"), poolNamed("q", "B C")}, selects(All), policy(RoundRobin))
		w.from(0).counts("A 10 B 20 C 10") // each way keeps its own turn
	})
	t.Run("G-27 G-46 main and standby", func(t *testing.T) {
		w := pooled(t, []Pool{poolNamed("main", "A B"), poolNamed("standby", "C")})
		w.from(0).is("A, B")
		w.down("A", "B").from(0).is("C")
		w.up("A").from(0).is("A")
	})
	t.Run("H-16 open over pools keeps the first one", func(t *testing.T) {
		w := pooled(t, []Pool{poolNamed("p", "A B", by(RoundRobin)), poolNamed("q", "C D")}).down("A", "B", "C", "D")
		w.from(0).counts("A 50 B 50")
	})
	t.Run("H-19 an inner pool's failure reaches the outer choice", func(t *testing.T) {
		w := pooled(t, []Pool{poolNamed("dc-a", "A:3 B:1", by(Weighted)), poolNamed("dc-b", "C:1 D:1", by(Weighted))},
			when(When{Region: []Region{we}, Pools: []int{0, 1}}), when(When{Region: []Region{ne}, Pools: []int{1, 0}}))
		w.from(we).counts("A 30 B 10")
		w.from(ne).counts("C 20 D 20")
		w.down("A", "B").from(we).counts("C 50 D 50")
		w.up("A", "B").from(we).counts("A 30 B 10")
		w.down("A", "B", "C", "D").from(we).counts("A 30 B 10")
	})
	t.Run("H-20 three sites, never two in one answer", func(t *testing.T) {
		w := pooled(t, []Pool{poolNamed("dc-1", "A"), poolNamed("dc-2", "B"), poolNamed("dc-3", "C")})
		w.from(0).is("A")
		w.down("A").from(0).is("B")
		w.down("B").from(0).is("C")
		w.up("A").from(0).is("A")
	})
	t.Run("COR-12 COR-04 failover by priority in a pool, and listed order of pools COR-27 COR-30", func(t *testing.T) {
		w := pooled(t, []Pool{poolNamed("p", "A:p2 B:p1", by(Failover)), poolNamed("q", "C")}, steered(Listed))
		w.from(0).is("B")
		w.down("B").from(0).is("A")
		w.down("A").from(0).is("C")
	})
	t.Run("COR-10 COR-07 one address of one pool, with the record's TTL", func(t *testing.T) {
		w := pooled(t, []Pool{poolNamed("p", "A B C", by(Random))}, func(r *Record) { r.TTL = 9 })
		for range 20 {
			if d := w.from(0).decide(); len(d.Members) != 1 || d.TTL != 9 {
				t.Fatalf("Expected one address with a TTL of 9, got %d, %d", len(d.Members), d.TTL)
			}
		}
	})
	t.Run("TR7-20 TR7-21 statuses over pools", func(t *testing.T) {
		w := pooled(t, []Pool{poolNamed("p", "A"), poolNamed("q", "B"), poolNamed("dr", "C")}, uses(0, 1), fallback(2), failsafe("F"), fail(FailNoData))
		for _, step := range []struct {
			down string
			want Status
		}{{"", StatusOK}, {"A", StatusPartiallyOK}, {"B", StatusFallback}, {"C", StatusFailsafe}} {
			if step.down != "" {
				w.down(step.down)
			}
			if got := w.engine.Snapshot().Status(0); got != step.want {
				t.Errorf("Expected %s with %s down, got %s", step.want, step.down, got)
			}
		}
		w.record.Failsafe = nil
		w.reload()
		if got := w.engine.Snapshot().Status(0); got != StatusNoHealthy {
			t.Errorf("Expected no healthy records, got %s", got)
		}
	})
}

func TestWhen(t *testing.T) {
	de, eu := Code{'D', 'E'}, Code{'E', 'U'}
	named := func(letters string) (pools []Pool) {
		for _, l := range letters {
			pools = append(pools, poolNamed("p"+string(l), string(l)))
		}
		return pools
	}
	t.Run("V32 COR-29 COR-30 COR-32 pop, then country, then continent, whatever their order", func(t *testing.T) {
		lines := []When{{Continent: []Code{eu}, Pools: []int{2}}, {Country: []Code{de}, Pools: []int{1}}, {Pop: []string{"fra"}, Pools: []int{0}}}
		for n, want := range []string{"D", "C", "B", "A"} {
			w := pooled(t, named("ABCD"), uses(3), func(r *Record) { r.When = lines[:n] })
			c := w.from(0)
			c.q.Place = Place{Pop: "fra", Country: de, Continent: eu}
			c.is(want)
		}
	})
	t.Run("V91 COR-29 COR-34 AFD-08 every kind in its rank", func(t *testing.T) {
		lines := map[WhenKind]When{
			WhenQtype: {Family: []Family{IPv4}}, WhenRegion: {Region: []Region{we}}, WhenContinent: {Continent: []Code{eu}},
			WhenCountry: {Country: []Code{de}}, WhenPop: {Pop: []string{"fra"}}, WhenASN: {ASN: []uint32{64500}},
			WhenCIDR: {CIDR: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}},
		}
		play := func(place Place, want []WhenKind) {
			present := []WhenKind{WhenQtype, WhenRegion, WhenContinent, WhenCountry, WhenPop, WhenASN, WhenCIDR}
			for _, winner := range append(want, 99) {
				w := pooled(t, named("ABCDEFGH"), uses(7), func(r *Record) {
					for _, k := range present {
						line := lines[k]
						line.Pools = []int{int(k)}
						r.When = append(r.When, line)
					}
				})
				c := w.from(we)
				c.q.Client, c.q.Place = netip.MustParseAddr("10.1.0.9"), place
				expected := "H"
				if winner != 99 {
					expected = string('A' + rune(winner))
				}
				c.is(expected)
				present = slices.DeleteFunc(present, func(k WhenKind) bool { return k == winner })
			}
		}
		play(Place{Country: de, Continent: eu, ASN: 64500}, []WhenKind{WhenCIDR, WhenASN, WhenCountry, WhenContinent, WhenRegion, WhenQtype})
		play(Place{Pop: "fra", Country: de, Continent: eu}, []WhenKind{WhenCIDR, WhenPop, WhenCountry, WhenContinent, WhenRegion, WhenQtype})
	})
	t.Run("V36 AFD-08 COR-08 a line replaces the pools: then the fallback, not the record's own", func(t *testing.T) {
		w := pooled(t, named("ABC"), uses(1), fallback(2), when(When{Country: []Code{de}, Pools: []int{0}})).down("A")
		c := w.from(0)
		c.q.Place.Country = de
		c.is("C")
		w.from(0).is("B")
	})
	t.Run("V59 AFD-08 AFD-13 query by query", func(t *testing.T) {
		w := pooled(t, named("AB"), uses(0), when(When{CIDR: []netip.Prefix{netip.MustParsePrefix("10.9.0.0/16")}, Pools: []int{1}}))
		c := w.from(0)
		c.q.Client = netip.MustParseAddr("10.9.1.1")
		c.is("B")
		w.down("B")
		c.is("B")
		c.q.Client = netip.MustParseAddr("10.8.1.1")
		c.is("A")
	})
	t.Run("V89 AFD-13 COR-29 several conditions count as the first kind, equal kinds as written", func(t *testing.T) {
		six := When{Country: []Code{de}, Family: []Family{IPv6}, Pools: []int{1}}
		both := When{Country: []Code{de, {'A', 'T'}}, Pools: []int{0}}
		pools := []Pool{poolNamed("de", "A A6"), poolNamed("six", "B6"), poolNamed("own", "C C6")}
		for n, lines := range [][]When{{six, both}, {both, six}} {
			w := pooled(t, pools, uses(2), func(r *Record) { r.When = lines })
			c := w.from(0)
			c.q.Place.Country = de
			c.is("A")
			c.aaaa().is([]string{"B6", "A6"}[n])
			c = w.from(0).aaaa()
			c.q.Place.Country = Code{'A', 'T'}
			c.is("A6")
		}
	})
	t.Run("G-25 pools of a line keep their own policies", func(t *testing.T) {
		w := pooled(t, []Pool{poolNamed("own", "A"), poolNamed("p", "B C", by(RoundRobin))}, uses(0), when(When{Region: []Region{we}, Pools: []int{1}}))
		w.from(we).counts("B 50 C 50")
	})
}

func TestPooledAffinity(t *testing.T) {
	t.Run("V37 COR-15 whatever the priority", func(t *testing.T) {
		w := pooled(t, []Pool{poolNamed("p", "A:p2 B:p1", by(Failover))}, affinity(0))
		n := 0
		for i := range 1000 {
			if w.client(i).ask() == "A" {
				n++
			}
		}
		about(t, n, 1000, 0.5)
	})
	t.Run("V63 COR-13 COR-28 one origin under random steering", func(t *testing.T) {
		w := pooled(t, []Pool{poolNamed("p", "A B"), poolNamed("q", "C D")}, affinity(0), steered(RandomOrder))
		first := w.client(4).ask()
		for range 100 {
			w.client(4).is(first)
		}
	})
	t.Run("V90 COR-13 COR-06 a pin survives the better pool's return", func(t *testing.T) {
		w := pooled(t, []Pool{poolNamed("eu", "A"), poolNamed("us", "D")}, affinity(0)).down("A")
		w.client(1).is("D")
		w.up("A").client(1).is("D")
		w.client(2).is("A")
	})
	t.Run("V94 G-38 on the fallback pool the hash, and no pin", func(t *testing.T) {
		w := pooled(t, []Pool{poolNamed("eu", "A B"), poolNamed("dr", "C D")}, uses(0), fallback(1), affinity(0)).down("A", "B")
		first := w.client(1).ask()
		for range 100 {
			w.client(1).is(first)
		}
		if first != "C" && first != "D" {
			t.Errorf("Expected the fallback pool, got %s", first)
		}
		if got := w.up("A", "B").client(1).ask(); got != "A" && got != "B" {
			t.Errorf("Expected the pool again, got %s", got)
		}
	})
	t.Run("G-57 a pool that is down by min-healthy is down for pins too", func(t *testing.T) {
		w := pooled(t, []Pool{poolNamed("eu", "A B", minHealthy(2)), poolNamed("us", "D")}, affinity(0))
		first := w.client(1).ask()
		other := map[string]string{"A": "B", "B": "A"}[first]
		w.down(other).client(1).is("D")
	})
	t.Run("COR-15 DTM-LB-38 affinity overrides a pool's own policy, of regions too", func(t *testing.T) {
		for _, p := range []Policy{ByRegion, GeoFailover} {
			w := pooled(t, []Pool{poolNamed("p", "A[we] B[ne]", by(p))}, affinity(0))
			n := 0
			for i := range 1000 {
				c := w.client(i)
				c.q.Region = we
				if c.ask() == "A" {
					n++
				}
			}
			about(t, n, 1000, 0.5)
			pooled(t, []Pool{poolNamed("p", "A[we] B[ne]", by(p))}).from(we).is("A")
		}
	})
	t.Run("AFD-08 a pin does not win over a when line", func(t *testing.T) {
		w := pooled(t, []Pool{poolNamed("own", "A"), poolNamed("p", "B")}, uses(0), affinity(0), when(When{Region: []Region{we}, Pools: []int{1}}))
		c := w.client(1)
		c.is("A")
		c.q.Region = we
		c.is("B")
	})
}

func TestAliases(t *testing.T) {
	aliased := func(words string) func(*Record) {
		return func(r *Record) {
			r.Origins = nil
			for _, w := range strings.Fields(words) {
				if strings.HasPrefix(w, "t") {
					host, weight, _ := strings.Cut(w, ":")
					o := Origin{Alias: host + ".", Priority: 1, Need: 1, Checks: []Check{{Subject: Subject{"web", host}, Initial: true, Measures: true, PerAddress: true}}}
					if weight != "" {
						o.Weight = Weight{Relative, int(weight[0] - '0')}
					}
					r.Origins = append(r.Origins, o)
					continue
				}
				r.Origins = append(r.Origins, origins(w)...)
			}
		}
	}
	resolve := func(w *world, host string, letters ...string) {
		r := Resolution{Known: [2]bool{true, true}}
		for _, l := range letters {
			a := addr(l)
			r.Addrs[FamilyOf(a)] = append(r.Addrs[FamilyOf(a)], a)
		}
		w.engine.Resolve(host+".", r)
		w.engine.Freshness(host+".", IPv4).Set(w.now.Add(300*time.Second).UnixMilli(), false)
	}
	sick := func(w *world, host string, v Verdict, letters ...string) {
		for _, l := range letters {
			w.engine.Observe(AddressSubject(Subject{"web", host}, addr(l)), Health{Verdict: v})
		}
	}
	t.Run("V60 DTM-LB-45 G-08 G-09 G-10 the addresses of names are origins", func(t *testing.T) {
		w := newWorld(t, "", aliased("t1 t2"))
		w.from(0).is("servfail")
		if d := w.from(0).decide(); !d.Unresolved {
			t.Error("Expected to be told that nothing is resolved")
		}
		resolve(w, "t2", "C")
		w.from(0).is("C")
		resolve(w, "t1", "B", "A")
		w.from(0).is("A, B, C")
		w.from(0).aaaa().is("nodata")
		sick(w, "t1", Unhealthy, "A", "B")
		w.from(0).is("C")
		sick(w, "t2", Unhealthy, "C")
		w.from(0).is("A, B, C")
		sick(w, "t1", Healthy, "B")
		w.from(0).is("B")
	})
	t.Run("G-10 the weight is divided among the addresses that are candidates", func(t *testing.T) {
		w := newWorld(t, "", aliased("t1:6 D:3"), policy(Weighted))
		resolve(w, "t1", "A", "B", "C")
		w.from(0).counts("A 20 B 20 C 20 D 30")
		sick(w, "t1", Unhealthy, "C")
		w.from(0).counts("A 30 B 30 D 30")
	})
	t.Run("V99 G-08 the TTL is at most what is left of the resolved one, at least a second", func(t *testing.T) {
		w := newWorld(t, "", aliased("t1 D"))
		resolve(w, "t1", "A")
		for left, want := range map[time.Duration]uint32{300 * time.Second: 30, 10 * time.Second: 10, 500 * time.Millisecond: 1, -time.Minute: 1} {
			w.engine.Freshness("t1.", IPv4).Set(w.now.Add(left).UnixMilli(), false)
			if d := w.from(0).decide(); d.TTL != want || d.Stale {
				t.Errorf("Expected a TTL of %d with %s left, got %d", want, left, d.TTL)
			}
		}
		w.engine.Freshness("t1.", IPv4).Set(w.now.Add(-time.Hour).UnixMilli(), true)
		if d := w.from(0).decide(); d.TTL != 30 || !d.Stale {
			t.Errorf("Expected H-46 a stale answer with a TTL of 30, got %d, %t", d.TTL, d.Stale)
		}
	})
	t.Run("G-40 what a name stands for survives a reload", func(t *testing.T) {
		w := newWorld(t, "", aliased("t1"))
		resolve(w, "t1", "A")
		w.reload()
		w.from(0).is("A")
	})
	t.Run("DTM-LB-45 a family that empties is that family's alone", func(t *testing.T) {
		w := newWorld(t, "", aliased("t1"))
		resolve(w, "t1", "A", "B6")
		w.from(0).aaaa().is("B6")
		resolve(w, "t1", "A")
		w.from(0).aaaa().is("nodata")
		w.from(0).is("A")
	})
	t.Run("G-10 V116 region by region, else by each address", func(t *testing.T) {
		w := newWorld(t, "", aliased("t1"))
		w.engine.cfg.RegionOf = func(o *Origin, _ int) Region {
			if o.Addr == addr("A") {
				return we
			}
			return ne
		}
		resolve(w, "t1", "A", "B")
		w.from(we).is("A")
		w.from(ne).is("B")
	})
}

func TestDistances(t *testing.T) {
	if km := at(50.11, 8.68).Kilometres(at(51.51, -0.13)); math.Round(km) != 638 {
		t.Errorf("Expected V35 638 km, got %f", km)
	}
}
