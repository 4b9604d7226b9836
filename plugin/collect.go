package gslb

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/coredns/coredns/plugin"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/coredns/gslb/policy"
	"github.com/coredns/gslb/probe"
)

func init() { prometheus.MustRegister(collector{}) }

// collector gives the state of the instances that run, as it is when somebody scrapes: what a reload took away is gone.
type collector struct{}

// series collects values by their labels: where two blocks would give one series, gauges show the lower value and
// counters the sum.
type series struct {
	desc   *prometheus.Desc
	kind   prometheus.ValueType
	values map[[4]string]float64
	labels int
}

func newSeries(kind prometheus.ValueType, name, help string, labels ...string) *series {
	return &series{prometheus.NewDesc(prometheus.BuildFQName(plugin.Namespace, pluginName, name), help, labels, nil),
		kind, map[[4]string]float64{}, len(labels)}
}

func (s *series) add(v float64, labels ...string) {
	var key [4]string
	copy(key[:], labels)
	former, ok := s.values[key]
	switch {
	case ok && s.kind == prometheus.CounterValue:
		v += former
	case ok:
		v = min(v, former)
	}
	s.values[key] = v
}

func (s *series) send(ch chan<- prometheus.Metric) {
	for key, v := range s.values {
		ch <- prometheus.MustNewConstMetric(s.desc, s.kind, v, key[:s.labels]...)
	}
}

// Describe implements prometheus.Collector. It gives none: the series come and go.
func (collector) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (collector) Collect(ch chan<- prometheus.Metric) {
	current := newest(running())
	for _, s := range slices.Concat(answerSeries(current), recordSeries(current), checkSeries(current), fileSeries(current), engineSeries(current)) {
		s.send(ch)
	}
}

// newest leaves out instances that are about to be replaced: while a reload is on its way both run.
func newest(all []*instance) []*instance {
	var list []*instance
	for n, i := range all {
		if !slices.ContainsFunc(all[n+1:], func(later *instance) bool { return later.key == i.key }) {
			list = append(list, i)
		}
	}
	return list
}

func answerSeries(current []*instance) []*series {
	answers := newSeries(prometheus.CounterValue, "answers_total", "Counter of answers by how they came about.", "zone", "outcome")
	regions := newSeries(prometheus.CounterValue, "client_region_total", "Counter of queries for records by the client's region.", "region")
	zones := map[*counters]string{}
	counted := map[*atomic.Uint64]string{}
	for _, i := range current {
		for _, z := range i.names.zones {
			zones[z.counters] = z.name
		}
		for _, c := range *i.regional.byRegion.Load() {
			counted[c.Uint64] = c.name
		}
	}
	for c, zone := range zones {
		for o := range c {
			if n := c[o].Load(); n > 0 {
				answers.add(float64(n), zone, outcomeName(policy.Outcome(o)))
			}
		}
	}
	for c, region := range counted {
		regions.add(float64(c.Load()), region)
	}
	return []*series{answers, regions}
}

func recordSeries(current []*instance) []*series {
	records := newSeries(prometheus.GaugeValue, "records", "Number of records in each status.", "zone", "status")
	record := newSeries(prometheus.GaugeValue, "record_status", "1 for the status of each record that is not ok.", "zone", "record", "status")
	counts := map[string]map[policy.Status]int{} // of all blocks that have the zone
	for _, i := range current {
		snapshot := i.engine.Snapshot()
		for n := range i.records {
			z, status := i.records[n].zone, snapshot.Status(n)
			if counts[z.name] == nil {
				counts[z.name] = map[policy.Status]int{}
			}
			counts[z.name][status]++
			if status != policy.StatusOK {
				record.add(1, z.name, i.policy.Records[n].Name, status.String())
			}
		}
	}
	for zone, count := range counts {
		for _, s := range policy.Statuses() {
			records.add(float64(count[s]), zone, s.String())
		}
	}
	return []*series{records, record}
}

func checkSeries(current []*instance) []*series {
	status := newSeries(prometheus.GaugeValue, "check_status", "Verdict of a check: 1 healthy, 0 unhealthy, -1 unknown.", "zone", "check", "target")
	last := newSeries(prometheus.GaugeValue, "check_last_result_timestamp_seconds", "When the last probe of a check ended.", "zone", "check", "target")
	latency := newSeries(prometheus.GaugeValue, "check_latency_seconds", "Smoothed latency of a check's successful probes.", "zone", "check", "target")
	results := newSeries(prometheus.CounterValue, "check_results_total", "Counter of results of a check's probes.", "zone", "check", "target", "result")
	turns := newSeries(prometheus.CounterValue, "check_transitions_total", "Counter of verdicts that a check has come to.", "zone", "check", "target", "to")
	type counted struct{ zone, check, target, key string }
	seen := map[counted]bool{}
	for _, i := range current {
		for _, l := range i.held() {
			s := l.State()
			at := []string{l.zone, l.check, l.spec.Target.String()}
			once := counted{at[0], at[1], at[2], l.Info().Key}
			first := !seen[once]
			seen[once] = true
			status.add(map[probe.Verdict]float64{probe.Healthy: 1, probe.Unhealthy: 0, probe.Unknown: -1}[s.Verdict], at...)
			if !s.Last.IsZero() {
				last.add(float64(s.Last.UnixMilli())/1000, at...)
			}
			if s.Measured {
				latency.add(s.Latency.Seconds(), at...)
			}
			if !first {
				continue // the same check, by way of another server block
			}
			results.add(float64(s.Passes), append(at, "pass")...)
			results.add(float64(s.Failures), append(at, "fail")...)
			for v, n := range s.Transitions {
				turns.add(float64(n), append(at, probe.Verdict(v).String())...)
			}
		}
	}
	return []*series{status, last, latency, results, turns}
}

func fileSeries(current []*instance) []*series {
	failures := newSeries(prometheus.CounterValue, "file_reload_failures_total", "Counter of changed files that were not sound, and not taken.", "file")
	success := newSeries(prometheus.GaugeValue, "file_last_reload_success_timestamp_seconds", "When a file was last read and taken.", "file")
	for _, i := range current {
		for _, path := range i.watched {
			f := files.of(path)
			failures.values[[4]string{path}] = float64(f.failures.Load())
			success.add(float64(f.success.Load())/1000, path)
		}
	}
	return []*series{failures, success}
}

func engineSeries(current []*instance) []*series {
	generation := newSeries(prometheus.GaugeValue, "snapshot_generation", "Number of snapshots that the engine has compiled.")
	took := newSeries(prometheus.GaugeValue, "snapshot_compile_seconds", "How long the latest snapshot took to compile.")
	suspected := newSeries(prometheus.GaugeValue, "isolation_suspected", "1 while the node suspects itself and not the world.")
	for _, i := range current {
		n, d := i.engine.Compiled()
		generation.add(float64(n))
		took.add(d.Seconds())
	}
	value := 0.0
	if process.monitor.Suspected() {
		value = 1
	}
	suspected.add(value)
	return []*series{generation, took, suspected}
}

func observeLateness(d time.Duration) { proberLateness.Observe(d.Seconds()) }
