package probe

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// fake is a kind whose probes a test answers. Its starts are remembered.
type fake struct {
	name string
	do   func(context.Context) (Reading, error)
	*log
}

type log struct {
	mu       sync.Mutex
	starts   []time.Time
	inFlight int
	most     int
}

func (k fake) String() string { return "fake " + k.name }

func (k fake) Probe(Spec) Func {
	return func(ctx context.Context) (Reading, error) {
		k.mu.Lock()
		k.starts = append(k.starts, time.Now())
		k.inFlight++
		k.most = max(k.most, k.inFlight)
		k.mu.Unlock()
		defer func() {
			k.mu.Lock()
			k.inFlight--
			k.mu.Unlock()
		}()
		return k.do(ctx)
	}
}

func (l *log) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.starts)
}

// at gives when the n-th probe started, all gives all of them.
func (l *log) at(n int) time.Time { return l.all()[n] }

func (l *log) all() []time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.starts)
}

// within counts starts in a span from the beginning of time.
func (l *log) within(from, to time.Time) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, s := range l.starts {
		if !s.Before(from) && s.Before(to) {
			n++
		}
	}
	return n
}

var errDown = failed(Refused, "connection refused")

// switched passes while it is up.
type switched struct {
	mu sync.Mutex
	up bool
}

func (s *switched) set(up bool) { s.mu.Lock(); s.up = up; s.mu.Unlock() }

func (s *switched) do(context.Context) (Reading, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.up {
		return Reading{}, errDown
	}
	return Reading{Latency: 20 * time.Millisecond, Measured: true}, nil
}

func spec(interval time.Duration, k Kind) Spec {
	return Spec{
		Schedule: Schedule{interval, min(interval, DefaultTimeout)}, Thresholds: Thresholds{Failures: 3, Successes: 2},
		Target: Target{Addr: netip.MustParseAddr("192.0.2.1")}, Kind: k, Isolation: true,
	}
}

// verdict waits until all that can happen now has happened.
func verdict(l *Lease) Verdict {
	synctest.Wait()
	return l.State().Verdict
}

func TestSchedule(t *testing.T) {
	t.Run("V105 H-27 G-21 G-49 COR-18 a dead target is found dead soon after loading", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m, s := &Monitor{}, &switched{}
			k := fake{"a", s.do, &log{}}
			began := time.Now()
			l := m.Acquire(spec(time.Minute, k), nil)
			defer l.Release()
			time.Sleep(5 * time.Second)
			if verdict(l); k.count() == 0 {
				t.Fatal("Expected a first probe within five seconds")
			}
			time.Sleep(2 * time.Second)
			if v := verdict(l); v != Unhealthy || k.count() != 3 {
				t.Fatalf("Expected unhealthy with the third probe, got %s with %d", v, k.count())
			}
			if gap := k.at(1).Sub(k.at(0)); gap != time.Second || k.at(2).Sub(k.at(1)) != time.Second {
				t.Errorf("Expected repeats after one second, got %s", gap)
			}
			s.set(true)
			time.Sleep(63 * time.Second)
			if verdict(l); k.count() != 4 || k.at(3).Sub(k.at(2)) > 63*time.Second {
				t.Fatalf("Expected the fourth probe at most an interval later, got %d", k.count())
			}
			time.Sleep(63 * time.Second)
			if v := verdict(l); v != Healthy {
				t.Errorf("Expected two passes to bring it back, got %s after %s", v, time.Since(began))
			}
		})
	})
	t.Run("V49 DTM-LB-41 DTM-LB-42 DTM-HC-37 detection takes three intervals and the timeout", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := &Monitor{}
			var mu sync.Mutex
			hang := false
			do := func(ctx context.Context) (Reading, error) {
				mu.Lock()
				h := hang
				mu.Unlock()
				if h {
					<-ctx.Done()
					return Reading{}, ctx.Err()
				}
				return Reading{}, nil
			}
			for i := range 20 {
				k := fake{fmt.Sprint("v49-", i), do, &log{}}
				sp := spec(5*time.Second, k)
				sp.Timeout = 2 * time.Second
				passed := make(chan struct{}, 1000)
				l := m.Acquire(sp, func(s State) { passed <- struct{}{} })
				<-passed
				synctest.Wait()
				mu.Lock()
				hang = true
				mu.Unlock()
				time.Sleep(12 * time.Second)
				if v := verdict(l); v != Healthy {
					t.Errorf("Expected healthy before the third failure, got %s", v)
				}
				time.Sleep(5500 * time.Millisecond)
				if v := verdict(l); v != Unhealthy {
					t.Errorf("Expected unhealthy 17.5 s after the last pass, got %s", v)
				}
				if got := l.State().Reason; got != Timeout {
					t.Errorf("Expected the reason timeout, got %s", got)
				}
				l.Release()
				mu.Lock()
				hang = false
				mu.Unlock()
			}
		})
	})
	t.Run("G-21 DTM-HC-24 COR-17 a phase of one's own, without drift, at most 10 % late", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := &Monitor{}
			s := &switched{up: true}
			const interval = 10 * time.Second
			var kinds []fake
			for i := range 50 {
				k := fake{fmt.Sprint("phase-", i), s.do, &log{}}
				kinds = append(kinds, k)
				defer m.Acquire(spec(interval, k), nil).Release()
			}
			began := time.Now()
			time.Sleep(1000 * interval)
			synctest.Wait()
			for _, k := range kinds {
				if first := k.at(0).Sub(began); first > 5*time.Second {
					t.Errorf("Expected the first probe within 5s, got %s", first)
				}
				if gap := k.at(1).Sub(k.at(0)); gap > interval+interval/10 {
					t.Errorf("Expected the second probe within an interval, got %s", gap)
				}
				grid := k.at(1).Sub(began) % interval
				for i, at := range k.all()[1:] {
					off := (at.Sub(began)-grid)%interval + interval
					if off %= interval; off > interval/10 && off < interval-interval/10 {
						t.Fatalf("Expected start %d on its phase, got %s off", i, off)
					}
				}
				if n := k.count(); n < 1000 || n > 1002 {
					t.Errorf("Expected about 1001 probes in 1000 intervals, got %d", n)
				}
			}
		})
	})
	t.Run("H-36 two hundred checks are spread, after a reload too", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := &Monitor{}
			s := &switched{up: true}
			all := &log{}
			acquire := func() (leases []*Lease) {
				for i := range 200 {
					sp := spec(10*time.Second, fake{"spread", s.do, all})
					sp.Target.Addr = netip.AddrFrom4([4]byte{192, 0, 2, byte(i)})
					leases = append(leases, m.Acquire(sp, nil))
				}
				return leases
			}
			began := time.Now()
			leases := acquire()
			time.Sleep(60 * time.Second)
			again := acquire() // the new instance first, then the old one lets go
			for _, l := range leases {
				l.Release()
			}
			time.Sleep(60 * time.Second)
			synctest.Wait()
			for at := time.Duration(0); at < 119*time.Second; at += 100 * time.Millisecond {
				limit := 80
				if at >= 5*time.Second {
					limit = 40
				}
				if at > 4*time.Second && at < 10*time.Second {
					limit = 80 // the end of the first round and the begin of the second
				}
				if n := all.within(began.Add(at), began.Add(at+time.Second)); n > limit {
					t.Fatalf("Expected at most %d starts in a second, got %d at %s", limit, n, at)
				}
			}
			if n := all.within(began.Add(20*time.Second), began.Add(120*time.Second)); n < 1990 || n > 2010 {
				t.Errorf("Expected 2000 starts in ten intervals, got %d", n)
			}
			for _, l := range again {
				l.Release()
			}
		})
	})
	t.Run("DTM-HC-32 a slow one delays no other; workers bound what is in flight", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := &Monitor{}
			m.SetWorkers(4)
			slow := &log{}
			for i := range 3 {
				k := fake{fmt.Sprint("slow-", i), func(ctx context.Context) (Reading, error) { <-ctx.Done(); return Reading{}, ctx.Err() }, slow}
				defer m.Acquire(spec(5*time.Second, k), nil).Release()
			}
			quick := fake{"quick", (&switched{up: true}).do, &log{}}
			defer m.Acquire(spec(5*time.Second, quick), nil).Release()
			time.Sleep(100 * time.Second)
			synctest.Wait()
			starts := quick.all()
			for i := 2; i < len(starts); i++ {
				if gap := starts[i].Sub(starts[i-1]); gap > 6*time.Second || gap < 4*time.Second {
					t.Errorf("Expected the quick one to keep its period, got %s", gap)
				}
			}
			if quick.count() < 19 {
				t.Errorf("Expected at least 19 quick probes, got %d", quick.count())
			}
		})
	})
	t.Run("DTM-HC-25 with too few workers all still get their turn", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := &Monitor{}
			m.SetWorkers(1)
			all := &log{}
			var leases []*Lease
			for i := range 10 {
				k := fake{fmt.Sprint(i), func(context.Context) (Reading, error) { time.Sleep(100 * time.Millisecond); return Reading{}, nil }, all}
				leases = append(leases, m.Acquire(spec(5*time.Second, k), nil))
			}
			time.Sleep(30 * time.Second)
			for _, l := range leases {
				if v := verdict(l); v != Healthy {
					t.Errorf("Expected healthy, got %s", v)
				}
				l.Release()
			}
			time.Sleep(time.Second) // for one that was in flight
			if all.most != 1 {
				t.Errorf("Expected one probe in flight, got %d", all.most)
			}
		})
	})
}

func TestMonitor(t *testing.T) {
	t.Run("G-55 H-36 one probe for each check, however many use it", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := &Monitor{}
			k := fake{"shared", (&switched{up: true}).do, &log{}}
			for range 50 {
				defer m.Acquire(spec(5*time.Second, k), nil).Release()
			}
			time.Sleep(100 * time.Second)
			synctest.Wait()
			if n := k.count(); n < 19 || n > 24 {
				t.Errorf("Expected at most 1.2 probes for each interval, got %d in 20", n)
			}
			if n := len(m.Checks()); n != 1 {
				t.Errorf("Expected one check, got %d", n)
			}
		})
	})
	t.Run("G-55 other thresholds are another check", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := &Monitor{}
			k := fake{"a", (&switched{up: true}).do, &log{}}
			one, two := spec(5*time.Second, k), spec(5*time.Second, k)
			two.Failures = 2
			defer m.Acquire(one, nil).Release()
			defer m.Acquire(two, nil).Release()
			if n := len(m.Checks()); n != 2 {
				t.Errorf("Expected two checks, got %d", n)
			}
		})
	})
	t.Run("H-40 G-40 a new instance that acquires first keeps timer, streak and verdict", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m, s := &Monitor{}, &switched{}
			k := fake{"a", s.do, &log{}}
			sp := spec(10*time.Second, k)
			l := m.Acquire(sp, nil)
			time.Sleep(60 * time.Second)
			before := l.State()
			next := m.Acquire(sp, nil)
			l.Release()
			if got := next.State(); got.Verdict != Unhealthy || got.Streak != before.Streak || got.Last != before.Last {
				t.Errorf("Expected the state to go on, got %+v, want %+v", got, before)
			}
			n := k.count()
			time.Sleep(100 * time.Second)
			synctest.Wait()
			if got := k.count() - n; got < 9 || got > 11 {
				t.Errorf("Expected one probe for each interval after the reload, got %d in 10", got)
			}
			next.Release()
		})
	})
	t.Run("H-39 DTM-HC-03 a check that nobody holds ends", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := &Monitor{}
			k := fake{"a", (&switched{up: true}).do, &log{}}
			l := m.Acquire(spec(5*time.Second, k), func(State) {})
			time.Sleep(20 * time.Second)
			l.Release()
			synctest.Wait()
			n := k.count()
			time.Sleep(time.Hour)
			if k.count() != n || len(m.Checks()) != 0 || m.looping {
				t.Errorf("Expected nothing to go on, got %d more probes, %d checks", k.count()-n, len(m.Checks()))
			}
			m.Acquire(spec(5*time.Second, k), nil).Release() // and it can begin again
		})
	})
	t.Run("V106 H-38 G-49 a verdict ages, and is said once", func(t *testing.T) {
		for _, up := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				expired := 0
				m, s := &Monitor{OnExpired: func(Info) { expired++ }}, &switched{up: up}
				sp := spec(10*time.Second, fake{"a", s.do, &log{}})
				var told []Verdict
				l := m.Acquire(sp, func(s State) { told = append(told, s.Verdict) })
				defer l.Release()
				time.Sleep(30 * time.Second)
				m.hold(true)
				synctest.Wait()
				last := l.State().Last
				time.Sleep(time.Until(last.Add(35*time.Second - time.Millisecond)))
				if v := verdict(l); v == Unknown {
					t.Error("Expected a verdict until 35s after the last result")
				}
				time.Sleep(time.Millisecond)
				if v := verdict(l); v != Unknown || told[len(told)-1] != Unknown {
					t.Errorf("Expected unknown 35s after the last result, got %s, told %v", v, told)
				}
				time.Sleep(time.Hour)
				if expired != 1 {
					t.Errorf("Expected to hear of it once, got %d", expired)
				}
				s.set(true)
				m.hold(false)
				time.Sleep(11 * time.Second)
				if v := verdict(l); v != Healthy {
					t.Errorf("Expected the next pass to be a verdict at once, got %s", v)
				}
			})
		}
	})
	t.Run("H-37 a probe that ignores its deadline fails, alone and without a second one beside it", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := &Monitor{}
			m.SetWorkers(1)
			release := make(chan struct{})
			stuck := fake{"stuck", func(context.Context) (Reading, error) { <-release; return Reading{}, nil }, &log{}}
			l := m.Acquire(spec(5*time.Second, stuck), nil)
			other := fake{"other", (&switched{up: true}).do, &log{}}
			o := m.Acquire(spec(5*time.Second, other), nil)
			time.Sleep(40 * time.Second)
			if v := verdict(o); v != Healthy {
				t.Errorf("Expected the other check to go on with one worker, got %s", v)
			}
			if s := l.State(); s.Reason != Timeout || stuck.most != 1 || stuck.count() != 1 {
				t.Errorf("Expected one probe that timed out, got %d, %+v", stuck.count(), s)
			}
			close(release)
			time.Sleep(10 * time.Second)
			if v := verdict(l); v != Healthy {
				t.Errorf("Expected it to be probed again once it ended, got %s", v)
			}
			l.Release()
			o.Release()
		})
	})
	t.Run("COR-18 a panic is a failure with a reason", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := &Monitor{}
			l := m.Acquire(spec(5*time.Second, fake{"p", func(context.Context) (Reading, error) { panic("broken") }, &log{}}), nil)
			defer l.Release()
			time.Sleep(10 * time.Second)
			if v, s := verdict(l), l.State(); v != Unhealthy || s.Reason != Internal || s.Error != "the probe panicked: broken" {
				t.Errorf("Expected an internal failure, got %s, %+v", v, s)
			}
		})
	})
	t.Run("COR-23 COR-24 V107 the state of a check", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m, s := &Monitor{}, &switched{up: true}
			l := m.Acquire(spec(5*time.Second, fake{"a", s.do, &log{}}), nil)
			defer l.Release()
			if got := l.State(); got.Verdict != Unknown || got.Measured || !got.Last.IsZero() {
				t.Errorf("Expected nothing to be known, got %+v", got)
			}
			time.Sleep(30 * time.Second)
			synctest.Wait()
			got := l.State()
			if got.Verdict != Healthy || got.Latency != 20*time.Millisecond || got.Transitions[Healthy] != 1 || got.Failures != 0 {
				t.Errorf("Expected healthy at 20ms, got %+v", got)
			}
			s.set(false)
			time.Sleep(time.Minute)
			synctest.Wait()
			got = l.State()
			if got.Verdict != Unhealthy || got.Latency != 20*time.Millisecond || got.Reason != Refused || got.Error == "" {
				t.Errorf("Expected unhealthy with a reason, and the latency unchanged by failures, got %+v", got)
			}
			if n := len(got.RecentPassed); n == 0 || n > recentResults || got.RecentPassed[n-1] {
				t.Errorf("Expected the last results, got %v", got.RecentPassed)
			}
			time.Sleep(10 * time.Minute)
			if n := len(l.State().RecentPassed); n != recentResults {
				t.Errorf("Expected %d results to be remembered, got %d", recentResults, n)
			}
		})
	})
	t.Run("H-30 whoever holds a lease hears of a change as soon as it is one", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m, s := &Monitor{}, &switched{up: true}
			var told []Verdict
			l := m.Acquire(spec(5*time.Second, fake{"a", s.do, &log{}}), func(s State) { told = append(told, s.Verdict) })
			time.Sleep(30 * time.Second)
			s.set(false)
			time.Sleep(30 * time.Second)
			s.set(true)
			time.Sleep(30 * time.Second)
			synctest.Wait()
			if got := slices.Compact(told); !slices.Equal(got, []Verdict{Healthy, Unhealthy, Healthy}) {
				t.Errorf("Expected healthy, unhealthy, healthy, got %v", got)
			}
			n := len(told)
			l.Release()
			time.Sleep(time.Minute)
			if len(told) != n {
				t.Error("Expected silence after the release")
			}
		})
	})
}

func TestIsolation(t *testing.T) {
	play := func(t *testing.T, fail int) (turned map[int]int, suspicions []bool) {
		m := &Monitor{OnSuspect: func(s bool) { suspicions = append(suspicions, s) }}
		turned = map[int]int{}
		var mu sync.Mutex
		broken := false
		var leases []*Lease
		for i := range 10 {
			failures := 0
			k := fake{fmt.Sprint(i), func(context.Context) (Reading, error) {
				mu.Lock()
				defer mu.Unlock()
				if broken && i < fail {
					return Reading{}, errDown
				}
				return Reading{}, nil
			}, &log{}}
			leases = append(leases, m.Acquire(spec(5*time.Second, k), func(s State) {
				mu.Lock()
				defer mu.Unlock()
				if !s.Passed {
					failures++
				}
				if s.Verdict == Unhealthy && turned[i] == 0 {
					turned[i] = failures
				}
			}))
		}
		time.Sleep(20 * time.Second)
		synctest.Wait()
		mu.Lock()
		broken = true
		mu.Unlock()
		time.Sleep(60 * time.Second)
		synctest.Wait()
		if m.Suspected() {
			t.Error("Expected the suspicion to have ended")
		}
		for _, l := range leases {
			l.Release()
		}
		return turned, suspicions
	}
	t.Run("V115 G-60 six of ten: one failure later", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			turned, suspicions := play(t, 6)
			for i := range 6 {
				if turned[i] != 4 {
					t.Errorf("Expected check %d to turn with its fourth failure, got %d", i, turned[i])
				}
			}
			if !slices.Equal(suspicions, []bool{true, false}) {
				t.Errorf("Expected one suspicion with its end, got %v", suspicions)
			}
		})
	})
	t.Run("V115 G-60 five of ten: as always", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			turned, suspicions := play(t, 5)
			for i := range 5 {
				if turned[i] != 3 {
					t.Errorf("Expected check %d to turn with its third failure, got %d", i, turned[i])
				}
			}
			if len(suspicions) != 0 {
				t.Errorf("Expected no suspicion, got %v", suspicions)
			}
		})
	})
}

// hold stops or resumes the starting of probes, as a prober would that hangs.
func (m *Monitor) hold(on bool) {
	m.mu.Lock()
	m.held = on
	m.mu.Unlock()
	m.nudge()
}

func TestText(t *testing.T) {
	got := text(errors.New("a\nb\x1b[31m\x00c\xff"))
	if got != "a b [31m c " && got != "a b [31m  c " {
		t.Errorf("Expected one printable line, got %q", got)
	}
	if got := text(errors.New(string(make([]byte, 10000)))); len(got) > 210 {
		t.Errorf("Expected a short line, got %d bytes", len(got))
	}
}
