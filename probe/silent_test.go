package probe

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A silent target, and the timeout that a check of 5 s has without a timeout line: 5 s.
func TestSilentTarget(t *testing.T) {
	t.Run("DTM-HC-19 DTM-HC-25 DTM-HC-37 G-21 H-30 detection with a timeout as long as the interval", func(t *testing.T) {
		for i := range 10 {
			synctest.Test(t, func(t *testing.T) {
				var hang atomic.Bool
				k := fake{fmt.Sprint("silent-", i), func(ctx context.Context) (Reading, error) {
					if hang.Load() {
						<-ctx.Done()
						return Reading{}, ctx.Err()
					}
					return Reading{}, nil
				}, &log{}}
				m := &Monitor{}
				passed := make(chan struct{}, 1000)
				l := m.Acquire(spec(5*time.Second, k), func(State) { passed <- struct{}{} })
				defer l.Release()
				<-passed
				<-passed
				synctest.Wait()
				hang.Store(true)
				began := time.Now()
				for verdict(l) != Unhealthy {
					time.Sleep(10 * time.Millisecond)
				}
				// Three intervals, a tenth of one, and the timeout.
				if took := time.Since(began); took > 20600*time.Millisecond {
					t.Errorf("Expected unhealthy within 20.5s, got %s", took)
				}
			})
		}
	})
}

func TestProbeThatNeverEnds(t *testing.T) {
	t.Run("COR-18 H-38 a probe that ignores its deadline goes on failing", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var hang atomic.Bool
			end := make(chan struct{})
			k := fake{"never", func(context.Context) (Reading, error) {
				if hang.Load() {
					<-end
				}
				return Reading{}, nil
			}, &log{}}
			m := &Monitor{}
			s := spec(5*time.Second, k)
			s.Timeout = 2 * time.Second
			passed := make(chan struct{}, 1000)
			l := m.Acquire(s, func(State) { passed <- struct{}{} })
			<-passed
			<-passed
			synctest.Wait()
			hang.Store(true)
			time.Sleep(20 * time.Second)
			if v := verdict(l); v != Unhealthy {
				t.Errorf("Expected unhealthy, got %s after %d failures", v, l.State().Failures)
			}
			time.Sleep(60 * time.Second)
			if v := verdict(l); v != Unhealthy {
				t.Errorf("Expected it to stay so, got %s", v)
			}
			close(end)
			l.Release()
			synctest.Wait()
		})
	})
}
