package gslb

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/miekg/dns"

	"github.com/coredns/gslb/policy"
)

// phoneBook answers look-ups of a test, and remembers them.
type phoneBook struct {
	mu       sync.Mutex
	entries  map[string]string // name: addresses, "none" or "gone"
	ttl      time.Duration
	asked    []string
	times    []time.Time
	inFlight map[string]int
	most     int
	takes    time.Duration
	results  map[string]policy.Resolution
	expires  map[string][2]time.Time
	stale    map[string]bool
}

func newPhoneBook() *phoneBook {
	return &phoneBook{
		entries: map[string]string{}, ttl: time.Minute, inFlight: map[string]int{},
		results: map[string]policy.Resolution{}, expires: map[string][2]time.Time{}, stale: map[string]bool{},
	}
}

func (b *phoneBook) look(ctx context.Context, name string, qtype uint16) ([]netip.Addr, time.Duration, error) {
	b.mu.Lock()
	b.asked, b.times = append(b.asked, name), append(b.times, time.Now())
	id := name + dns.TypeToString[qtype]
	b.inFlight[id]++
	b.most = max(b.most, b.inFlight[id])
	entry, takes := b.entries[name], b.takes
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		b.inFlight[id]--
		b.mu.Unlock()
	}()
	if takes > 0 {
		timer := time.NewTimer(takes)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return nil, 0, ctx.Err()
		}
	}
	if entry == "gone" {
		return nil, 0, errors.New("it does not exist")
	}
	var addrs []netip.Addr
	for _, w := range strings.Fields(entry) {
		if a, err := netip.ParseAddr(w); err == nil && a.Is4() == (qtype == dns.TypeA) {
			addrs = append(addrs, a)
		}
	}
	return addrs, b.ttl, nil
}

func (b *phoneBook) apply(name string, r policy.Resolution, expires [2]time.Time, stale [2]bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.results[name], b.expires[name], b.stale[name] = r, expires, stale[0]
}

func (b *phoneBook) set(name, entry string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.entries[name] = entry
}

func (b *phoneBook) now(name string) (r policy.Resolution, expires time.Time, stale bool, asked int) {
	synctest.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, n := range b.asked {
		if n == name {
			asked++
		}
	}
	return b.results[name], b.expires[name][0], b.stale[name], asked
}

func TestResolver(t *testing.T) {
	run := func(t *testing.T, names []string, test func(t *testing.T, b *phoneBook, r *resolver)) {
		synctest.Test(t, func(t *testing.T) {
			b := newPhoneBook()
			for _, n := range names {
				b.entries[n] = "192.0.2.1"
			}
			r := newResolver(names, nil, b.look, b.apply)
			r.start()
			test(t, b, r)
			r.stop()
			time.Sleep(time.Minute)
		})
	}
	t.Run("G-08 V99 a name is looked up again when its TTL runs out, one look-up at a time", func(t *testing.T) {
		run(t, []string{"a."}, func(t *testing.T, b *phoneBook, _ *resolver) {
			b.mu.Lock()
			b.takes = 3 * time.Second
			b.mu.Unlock()
			time.Sleep(time.Hour)
			res, expires, stale, asked := b.now("a.")
			if !res.Known[0] || len(res.Addrs[0]) != 1 || len(res.Addrs[1]) != 0 || stale {
				t.Errorf("Expected one IPv4 address, got %+v", res)
			}
			if left := time.Until(expires); left <= 0 || left > time.Minute {
				t.Errorf("Expected an end within a minute, got %s", left)
			}
			if asked < 2*52 || asked > 2*68 || b.most != 1 {
				t.Errorf("Expected about one look-up a minute and family, one in flight, got %d, %d", asked, b.most)
			}
		})
	})
	t.Run("H-46 G-08 the last good addresses outlive failures, for a day", func(t *testing.T) {
		run(t, []string{"a."}, func(t *testing.T, b *phoneBook, _ *resolver) {
			time.Sleep(10 * time.Second)
			b.set("a.", "gone")
			time.Sleep(2 * time.Minute)
			res, _, stale, _ := b.now("a.")
			if len(res.Addrs[0]) != 1 || !stale {
				t.Errorf("Expected the last good address, stale, got %+v, %t", res, stale)
			}
			time.Sleep(23 * time.Hour)
			if res, _, _, _ = b.now("a."); len(res.Addrs[0]) != 1 {
				t.Errorf("Expected it for 24 hours, got %+v", res)
			}
			time.Sleep(time.Hour)
			if res, _, _, _ = b.now("a."); len(res.Addrs[0]) != 0 {
				t.Errorf("Expected it to end after 24 hours, got %+v", res)
			}
			b.set("a.", "192.0.2.7")
			time.Sleep(31 * time.Second)
			if res, _, stale, _ = b.now("a."); len(res.Addrs[0]) != 1 || stale {
				t.Errorf("Expected it to come back within a retry, got %+v, %t", res, stale)
			}
		})
	})
	t.Run("H-46 no address of a type empties only that family", func(t *testing.T) {
		run(t, []string{"a."}, func(t *testing.T, b *phoneBook, _ *resolver) {
			b.set("a.", "192.0.2.1 2001:db8::1")
			time.Sleep(time.Minute)
			if res, _, _, _ := b.now("a."); len(res.Addrs[1]) != 1 {
				t.Errorf("Expected both families, got %+v", res)
			}
			b.set("a.", "192.0.2.1")
			time.Sleep(2 * time.Minute)
			if res, _, stale, _ := b.now("a."); len(res.Addrs[0]) != 1 || len(res.Addrs[1]) != 0 || stale {
				t.Errorf("Expected IPv4 alone, got %+v", res)
			}
		})
	})
	t.Run("V60 before the first look-up ends, a query waits at most a second", func(t *testing.T) {
		run(t, []string{"a.", "b."}, func(t *testing.T, b *phoneBook, r *resolver) {
			b.mu.Lock()
			b.takes = 200 * time.Millisecond
			b.mu.Unlock()
			began := time.Now()
			r.await([]string{"a.", "b.", "unknown."})
			if d := time.Since(began); d > 500*time.Millisecond {
				t.Errorf("Expected to wait as long as the look-up, got %s", d)
			}
			r.await([]string{"a."})
			if d := time.Since(began); d > 500*time.Millisecond {
				t.Errorf("Expected not to wait again, got %s", d)
			}
		})
		run(t, []string{"slow."}, func(t *testing.T, b *phoneBook, r *resolver) {
			b.mu.Lock()
			b.takes = time.Hour
			b.mu.Unlock()
			synctest.Wait()
			began := time.Now()
			r.await([]string{"slow."})
			if d := time.Since(began); d != time.Second {
				t.Errorf("Expected to wait a second, got %s", d)
			}
		})
	})
	t.Run("G-40 what was had goes on over a reload", func(t *testing.T) {
		run(t, []string{"a."}, func(t *testing.T, b *phoneBook, r *resolver) {
			time.Sleep(10 * time.Second)
			_, _, _, before := b.now("a.")
			next := newResolver([]string{"a.", "new."}, r, b.look, b.apply)
			next.names["a."].due = time.Now().Add(time.Hour) // when it is due is left to chance
			next.start()
			r.stop()
			time.Sleep(time.Second / 2)
			if _, _, _, after := b.now("a."); after != before {
				t.Errorf("Expected no look-up before its time, got %d", after-before)
			}
			if _, _, _, asked := b.now("new."); asked != 2 {
				t.Errorf("Expected the new name to be looked up, got %d", asked)
			}
			next.stop()
		})
	})
	t.Run("G-08 many names are spread, and do not beat in step", func(t *testing.T) {
		var names []string
		for i := range 2000 {
			names = append(names, fmt.Sprintf("n%d.", i))
		}
		run(t, names, func(t *testing.T, b *phoneBook, _ *resolver) {
			time.Sleep(30 * time.Minute)
			synctest.Wait()
			b.mu.Lock()
			defer b.mu.Unlock()
			perSecond := map[int64]int{}
			for _, at := range b.times {
				perSecond[at.Unix()]++
			}
			seconds := slices.Collect(func(yield func(int) bool) {
				for _, n := range perSecond {
					if !yield(n) {
						return
					}
				}
			})
			if most := slices.Max(seconds); most > 2*2*2000/5+100 {
				t.Errorf("Expected no burst above twice the first round's rate, got %d in a second", most)
			}
			late := b.times[len(b.times)*9/10]
			most := 0
			for s, n := range perSecond {
				if s > late.Unix() && s < time.Now().Unix()-1 {
					most = max(most, n)
				}
			}
			if even := 2 * 2000 / 57; most > 2*even {
				t.Errorf("Expected them to drift apart to about %d a second, got %d", even, most)
			}
		})
	})
}

func TestChase(t *testing.T) {
	zone := func(records ...string) func(string) *dns.Msg {
		return func(name string) *dns.Msg {
			m := new(dns.Msg)
			m.SetQuestion(name, dns.TypeA)
			m.Response = true
			for _, text := range records {
				rr, err := dns.NewRR(text)
				if err != nil {
					panic(err)
				}
				if strings.EqualFold(rr.Header().Name, name) {
					m.Answer = append(m.Answer, rr)
				}
			}
			if len(m.Answer) == 0 {
				m.Rcode = dns.RcodeNameError
			}
			return m
		}
	}
	for _, tt := range []struct {
		name    string
		records []string
		want    string
		ttl     time.Duration
	}{
		{"an address", []string{"a. 60 IN A 192.0.2.1"}, "[192.0.2.1]", time.Minute},
		{"H-47 a chain, with its least TTL", []string{"a. 60 IN CNAME b.", "b. 5 IN CNAME c.", "c. 60 IN A 192.0.2.1"}, "[192.0.2.1]", 5 * time.Second},
		{"H-47 a loop", []string{"a. 60 IN CNAME b.", "b. 60 IN CNAME a."}, "leads back", 0},
		{"H-47 a long chain", []string{
			"a. 1 IN CNAME b.", "b. 1 IN CNAME c.", "c. 1 IN CNAME d.", "d. 1 IN CNAME e.", "e. 1 IN CNAME f.", "f. 1 IN CNAME g.",
			"g. 1 IN CNAME h.", "h. 1 IN CNAME i.", "i. 1 IN CNAME j.", "j. 1 IN A 192.0.2.1",
		}, "more than 8", 0},
		{"H-46 a name that does not exist", nil, "does not exist", 0},
		{"H-46 an end that does not exist", []string{"a. 60 IN CNAME b."}, "does not exist", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked := 0
			ask := zone(tt.records...)
			addrs, ttl, err := chase("a.", dns.TypeA, func(n string) *dns.Msg { asked++; return ask(n) })
			got := fmt.Sprint(addrs)
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, tt.want) || ttl != tt.ttl || asked > 10 {
				t.Errorf("Expected %s for %s, got %s for %s after %d", tt.want, tt.ttl, got, ttl, asked)
			}
		})
	}
	t.Run("G-08 a server that cannot tell", func(t *testing.T) {
		for _, rcode := range []int{dns.RcodeRefused, dns.RcodeServerFailure} {
			if _, _, err := chase("a.", dns.TypeA, func(string) *dns.Msg { return &dns.Msg{MsgHdr: dns.MsgHdr{Rcode: rcode}} }); !errors.Is(err, errNotOurs) {
				t.Errorf("Expected the system to be asked next, got %v", err)
			}
		}
	})
}
