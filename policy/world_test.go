package policy

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coredns/gslb/internal/globe"
)

// The letters of the worked answers: A to F are 192.0.2.1 to 192.0.2.6, A6 to F6 are 2001:db8::1 to 2001:db8::6.
const we, ne, sa = Region(1), Region(2), Region(3)

var regionNames = map[string]Region{"we": we, "ne": ne, "sa": sa}

// at is a place.
func at(lat, lon float64) *Location {
	l, err := globe.NewLocation(lat, lon)
	if err != nil {
		panic(err)
	}
	return l
}

func addr(letter string) netip.Addr {
	n := letter[0] - 'A' + 1
	if strings.HasSuffix(letter, "6") {
		return netip.MustParseAddr(fmt.Sprintf("2001:db8::%d", n))
	}
	return netip.AddrFrom4([4]byte{192, 0, 2, n})
}

func letter(a netip.Addr) string {
	raw := a.As16()
	l := string('A' + rune(raw[15]) - 1)
	if a.Is6() {
		l += "6"
	}
	return l
}

// origins reads "A[we]:p2:90% B! C": region, priority, weight, disabled.
func origins(words string) []Origin {
	var list []Origin
	for n, word := range strings.Fields(words) {
		o := Origin{Priority: 1, Need: 1, Pos: Pos{"Corefile", n + 2}}
		if strings.HasSuffix(word, "!") {
			o.Disabled, word = true, word[:len(word)-1]
		}
		word, rest, _ := strings.Cut(word, ":")
		for _, part := range strings.Split(rest, ":") {
			switch {
			case part == "":
			case part[0] == 'p':
				p, _ := strconv.Atoi(part[1:])
				o.Priority = uint16(p)
			case strings.HasSuffix(part, "%"):
				n, _ := strconv.Atoi(part[:len(part)-1])
				o.Weight = Weight{Percent, n}
			default:
				n, _ := strconv.Atoi(part)
				o.Weight = Weight{Relative, n}
			}
		}
		if word, region, ok := strings.Cut(word, "["); ok {
			o.Region = regionNames[strings.TrimSuffix(region, "]")]
			o.Addr = addr(word)
		} else {
			o.Addr = addr(word)
		}
		o.Checks = []Check{{Subject: Subject{"web", o.Addr.String()}, Initial: true, Measures: true}}
		list = append(list, o)
	}
	return list
}

// world is one record, what is observed of its origins, and a client that asks.
type world struct {
	t      testing.TB
	record Record
	pools  []Pool
	engine *Engine
	health map[string]Health
	now    time.Time
}

// newWorld has one record with the given origins; set changes it before it is compiled.
func newWorld(t testing.TB, words string, set ...func(*Record)) *world {
	t.Helper()
	w := &world{
		t: t, health: map[string]Health{}, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		record: Record{
			Name: "www.example.org.", Pos: Pos{"Corefile", 1}, Origins: origins(words), Within: None, Fallback: None,
			RegionFilter: true, TTL: 30, Select: 1,
		},
	}
	for _, f := range set {
		f(&w.record)
	}
	w.reload()
	return w
}

func seeded() func() uint64 { return rand.New(rand.NewPCG(1, 2)).Uint64 }

// reload makes a new engine that replaces the present one, as after a change of w.record.
func (w *world) reload() {
	w.t.Helper()
	cfg := &Config{Records: []Record{w.record}, Pools: w.pools}
	if err := cfg.Validate(); err != nil {
		w.t.Fatalf("Expected a valid record, got %v", err)
	}
	w.engine = New(cfg, Options{Previous: w.engine, Random: seeded()})
	for l, h := range w.health {
		w.engine.Observe(Subject{"web", addr(l).String()}, h)
	}
	w.engine.Compile()
}

func (w *world) observe(l string, change func(*Health)) {
	h := w.health[l]
	change(&h)
	w.health[l] = h
	w.engine.Observe(Subject{"web", addr(l).String()}, h)
}

func (w *world) down(letters ...string) *world {
	for _, l := range letters {
		w.observe(l, func(h *Health) { h.Verdict = Unhealthy })
	}
	return w
}

func (w *world) up(letters ...string) *world {
	for _, l := range letters {
		w.observe(l, func(h *Health) { h.Verdict = Healthy })
	}
	return w
}

// takes sets latencies from "A 20 B 10.9", in milliseconds.
func (w *world) takes(words string) *world {
	f := strings.Fields(words)
	for i := 0; i < len(f); i += 2 {
		ms, _ := strconv.ParseFloat(f[i+1], 64)
		w.observe(f[i], func(h *Health) { h.Measured, h.Latency = true, time.Duration(ms*float64(time.Millisecond)) })
	}
	return w
}

// A client is a query in the making.
type client struct {
	*world
	q Query
}

func (w *world) from(r Region) *client {
	return &client{w, Query{Region: r, Client: netip.MustParseAddr("172.16.0.1")}}
}

func (w *world) client(n int) *client {
	return &client{w, Query{Client: netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)})}}
}

func (c *client) aaaa() *client { c.q.Family = IPv6; return c }

func (c *client) decide() Decision {
	c.q.Now = c.now.UnixMilli()
	var buf [8]*Member
	return c.engine.Snapshot().Decide(0, &c.q, buf[:0])
}

// ask gives the answer as "A, B", or the outcome where there is none.
func (c *client) ask() string {
	d := c.decide()
	if !d.Outcome.Answers() {
		return d.Outcome.String()
	}
	var l []string
	for _, m := range d.Members {
		l = append(l, letter(m.Addr))
	}
	return strings.Join(l, ", ")
}

// is checks one answer.
func (c *client) is(want string) {
	c.t.Helper()
	if got := c.ask(); got != want {
		c.t.Errorf("Expected %q, got %q", want, got)
	}
}

// counts checks "A 90 B 10", the exact answers of as many queries, and that the next as many are the same.
func (c *client) counts(want string) {
	c.t.Helper()
	f := strings.Fields(want)
	wanted, n := map[string]int{}, 0
	for i := 0; i < len(f); i += 2 {
		k, _ := strconv.Atoi(f[i+1])
		if k > 0 {
			wanted[f[i]] = k
		}
		n += k
	}
	for round := range 3 {
		got := map[string]int{}
		for range n {
			got[c.ask()]++
		}
		if fmt.Sprint(got) != fmt.Sprint(wanted) {
			c.t.Errorf("Expected %v of %d in round %d, got %v", wanted, n, round, got)
		}
		c.ask() // any starting point
	}
}

// draws counts the first addresses of n answers.
func (c *client) draws(n int) map[string]int {
	got := map[string]int{}
	for range n {
		first, _, _ := strings.Cut(c.ask(), ",")
		got[first]++
	}
	return got
}

// Settings of a record.

func policy(p Policy) func(*Record)      { return func(r *Record) { r.Policy = p } }
func answers(n int) func(*Record)        { return func(r *Record) { r.Answers = n } }
func within(ms int) func(*Record)        { return func(r *Record) { r.Within = ms } }
func fail(f Fail) func(*Record)          { return func(r *Record) { r.Fail = f } }
func regionFilter(on bool) func(*Record) { return func(r *Record) { r.RegionFilter = on } }
func disabled(r *Record)                 { r.Disabled = true }
func affinity(window time.Duration) func(*Record) {
	return func(r *Record) { r.Affinity = Affinity{On: true, Window: window} }
}
func affinityPolicy(window time.Duration) func(*Record) {
	return func(r *Record) { r.Affinity = Affinity{On: true, Window: window, ByPolicy: true} }
}
func failsafe(letters ...string) func(*Record) {
	return func(r *Record) {
		for _, l := range letters {
			r.Failsafe = append(r.Failsafe, addr(l))
		}
	}
}
