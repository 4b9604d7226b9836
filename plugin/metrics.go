package gslb

import (
	"sync"
	"sync/atomic"

	"github.com/coredns/coredns/plugin"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/coredns/gslb/policy"
)

// What a query touches is a number that was looked up when the configuration was loaded; what describes the present
// state is read from it when somebody scrapes (collect.go), so that nothing of a former configuration stays behind.

// nxdomain is an outcome of the plugin's own, beside those of decisions.
const nxdomain = policy.Next + 1

// counters counts a zone's answers by outcome. It belongs to the process: a reload goes on counting.
type counters [nxdomain + 1]atomic.Uint64

func (c *counters) count(o policy.Outcome) { c[o].Add(1) }

func outcomeName(o policy.Outcome) string {
	if o == nxdomain {
		return "nxdomain"
	}
	return o.String()
}

// shared keeps things of the process by name.
type shared[T any] struct {
	mu     sync.Mutex
	byName map[string]*T
}

func (s *shared[T]) of(name string) *T {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byName == nil {
		s.byName = map[string]*T{}
	}
	if s.byName[name] == nil {
		s.byName[name] = new(T)
	}
	return s.byName[name]
}

var (
	zoneCounters   shared[counters]
	regionCounters shared[atomic.Uint64]

	refusedConfigurations = promauto.NewCounter(prometheus.CounterOpts{
		Namespace: plugin.Namespace, Subsystem: pluginName, Name: "refused_configurations_total",
		Help: "Counter of reloads whose configuration was refused while the former one went on.",
	})
	proberLateness = promauto.NewHistogram(prometheus.HistogramOpts{
		Namespace: plugin.Namespace, Subsystem: pluginName, Name: "prober_lateness_seconds",
		Help:                        "Histogram of how late probes start.",
		Buckets:                     []float64{.001, .003, .01, .03, .1, .3, 1, 3, 10},
		NativeHistogramBucketFactor: plugin.NativeHistogramBucketFactor,
	})
)

// regionCount counts queries by the client's region.
type regionCount struct {
	byRegion atomic.Pointer[[]regionCounter]
}

type regionCounter struct {
	*atomic.Uint64
	name string
}

// name takes the names of all regions, by number; number 0 is "unknown". It may be called again when there are more.
func (c *regionCount) name(regions []string) {
	list := make([]regionCounter, len(regions))
	for i, name := range regions {
		if i == 0 {
			name = "unknown"
		}
		list[i] = regionCounter{regionCounters.of(name), name}
	}
	c.byRegion.Store(&list)
}

func (c *regionCount) count(r policy.Region) {
	if list := *c.byRegion.Load(); int(r) < len(list) {
		list[r].Add(1)
	}
}
