package gslb

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/coredns/gslb/internal/watch"
	"github.com/coredns/gslb/policy"
	"github.com/coredns/gslb/probe"
)

// instance is one running configuration: it holds leases on checks, watches files, and keeps an engine fed. What
// ServeDNS reads stays usable after close, since queries go on arriving for seconds.
type instance struct {
	*config
	key      string // which server block it is, across reloads
	load     *load  // the same for all server blocks of one load
	labels   bool   // somebody reads metadata
	signed   bool   // a signer is above us
	engine   *policy.Engine
	regional regionCount
	watcher  watch.Watcher
	leases   []held
	watched  []string // paths
	aliased  *aliases
	resolver *resolver // nil without aliases
	began    time.Time
}

// held is a lease with what it is for.
type held struct {
	*probe.Lease
	subject
	monitor bool
}

// process is what outlives a configuration: the monitor, and the instances that run.
var process = struct {
	monitor probe.Monitor
	mu      sync.Mutex
	running []*instance // in the order they started
	ready   bool        // once ready, a process stays so
}{
	monitor: probe.Monitor{OnLate: observeLateness, OnExpired: logExpired, OnSuspect: logSuspicion},
}

// start brings the configuration to life: it takes leases before the instance that it replaces gives its own up, so
// that unchanged checks never stop, and takes over turns and pins.
func (i *instance) start() error {
	i.began = time.Now()
	for _, w := range i.warnings {
		log.Warning(w)
	}
	former := i.predecessor()
	if former != nil {
		i.prepare(former.engine)
	} else {
		i.prepare(nil)
	}
	for id, s := range i.subjects {
		lease := process.monitor.Acquire(s.spec, i.observer(id, s))
		lease.Tell()
		i.leases = append(i.leases, held{lease, s, false})
	}
	for _, s := range i.monitors {
		lease := process.monitor.Acquire(s.spec, i.verdictLogger(s))
		lease.Tell()
		i.leases = append(i.leases, held{lease, s, true})
	}
	i.subjects, i.monitors = nil, nil
	i.carryAliases(former)
	i.engine.Compile()
	i.watch()

	process.mu.Lock()
	process.running = append(process.running, i)
	process.mu.Unlock()
	setWorkers()
	return nil
}

// setWorkers gives the monitor the largest number of workers that a running configuration asks for.
func setWorkers() {
	process.mu.Lock()
	defer process.mu.Unlock()
	most := 0
	for _, i := range process.running {
		most = max(most, i.workers)
	}
	process.monitor.SetWorkers(most)
}

// prepare makes what a query needs, of which the engine still knows nothing of the world.
func (i *instance) prepare(previous *policy.Engine) {
	i.engine = policy.New(i.policy, policy.Options{Previous: previous, OnStatus: i.logStatus})
	i.regional.name(i.regions.All())
}

// close stops probing and watching. It never fails: an error here would count as a failed reload.
func (i *instance) close() error {
	process.mu.Lock()
	at := slices.Index(process.running, i)
	if at >= 0 {
		process.running = slices.Delete(process.running, at, at+1)
	}
	process.mu.Unlock()
	if at < 0 {
		return nil // never started, or closed before
	}
	setWorkers()
	if i.resolver != nil {
		i.resolver.stop()
		i.resolver.mu.Lock() // a look-up in flight may be applying its result
		i.aliased.close()
		i.resolver.mu.Unlock()
	}
	for _, l := range i.leases {
		l.Release()
	}
	i.watcher.Stop()
	return nil
}

// held gives every lease: those of the configuration, and those of the addresses that aliases have now.
func (i *instance) held() []held {
	if i.resolver == nil {
		return i.leases
	}
	i.resolver.mu.Lock()
	defer i.resolver.mu.Unlock()
	all := slices.Clone(i.leases)
	for _, l := range i.aliased.leases {
		all = append(all, l)
	}
	return all
}

// running gives the instances that run.
func running() []*instance {
	process.mu.Lock()
	defer process.mu.Unlock()
	return slices.Clone(process.running)
}

// carryAliases plans the look-ups of aliases, and takes over what the former instance knows of them: its addresses are
// probed on without a gap.
func (i *instance) carryAliases(former *instance) {
	names := i.engine.Aliases()
	if len(names) == 0 {
		return
	}
	var old *resolver
	if former != nil {
		old = former.resolver
	}
	i.aliased = &aliases{i: i, checks: i.aliases, leases: map[addressCheck]held{}}
	i.resolver = newResolver(names, old, nil, i.aliased.resolved)
	for _, name := range names {
		if n := old.state(name); n != nil {
			i.aliased.resolved(name, policy.Resolution{Known: n.known, Addrs: n.addrs}, n.expires, n.failing)
		}
	}
}

// load is one load of a Corefile. It has a size, so that no two are one.
type load struct{ _ byte }

// predecessor gives the instance that this one replaces; nil if there is none. Where the keys of the server
// block have changed, it is the one of the former load that has most of the records.
func (i *instance) predecessor() *instance {
	process.mu.Lock()
	defer process.mu.Unlock()
	for _, old := range slices.Backward(process.running) {
		if old.key == i.key {
			return old
		}
	}
	var nearest *instance
	most := 0
	for _, old := range slices.Backward(process.running) {
		if old.load == i.load {
			continue
		}
		if n := i.common(old); n > most {
			nearest, most = old, n
		}
	}
	return nearest
}

// common counts the records that two instances have.
func (i *instance) common(old *instance) int {
	n := 0
	for _, r := range old.policy.Records {
		if record, ok := i.names.nodes[r.Name]; ok && record != noRecord {
			n++
		}
	}
	return n
}

// observer tells the engine, and the log, what a check says.
func (i *instance) observer(id policy.Subject, s subject) func(probe.State) {
	logged := i.verdictLogger(s)
	return func(state probe.State) {
		logged(state)
		i.engine.Observe(id, policy.Health{
			Verdict: policy.Verdict(state.Verdict), Measured: state.Measured, Latency: state.Latency,
		})
	}
}

// verdictLogger logs the verdicts of a check as they turn from what it is told first, which is how things stand. That a
// new check is healthy is what everybody expects, and not logged.
func (i *instance) verdictLogger(s subject) func(probe.State) {
	last, told, judged := probe.Unknown, false, false
	return func(state probe.State) {
		if told && state.Verdict != last {
			switch {
			case state.Verdict == probe.Healthy && judged:
				log.Infof("check '%s' of %s: healthy", s.check, s.spec.Target)
			case state.Verdict == probe.Unhealthy:
				log.Warningf("check '%s' of %s: unhealthy: %s", s.check, s.spec.Target, state.Error)
			}
		}
		last, told, judged = state.Verdict, true, judged || state.Verdict != probe.Unknown
	}
}

// zoneOf gives the zone that a record belongs to.
func (i *instance) zoneOf(record int32) *zone { return i.records[record].zone }

// watch has the files of the configuration read again when they change.
func (i *instance) watch() {
	for _, b := range i.blocks {
		if b.subnets != "" {
			i.watchFiles([]string{b.subnets}, b.subnetsRead, func() error { return i.reloadSubnets(b) })
		}
		for n, path := range b.databases {
			i.watchFiles([]string{path}, b.databasesRead[n], func() error { return readDatabase(b.locator, n, path) })
		}
	}
	seen := map[*probe.Credentials]bool{nil: true}
	for _, l := range i.leases {
		if k, ok := l.spec.Kind.(interface{ Files() *probe.Credentials }); ok && !seen[k.Files()] {
			seen[k.Files()] = true
			i.watchFiles(k.Files().Paths(), k.Files().Read(), k.Files().Reload)
		}
	}
	i.watcher.Start()
}

func (i *instance) watchFiles(paths []string, read watch.State, reload func() error) {
	if len(paths) == 0 {
		return
	}
	i.watcher.Add(paths, read, reload, fileReport(paths...))
	for _, p := range paths {
		files.of(p).succeeded()
	}
	i.watched = append(i.watched, paths...)
}

// reloadSubnets replaces a block's mappings by what its file holds now, unless that is not sound.
func (i *instance) reloadSubnets(b *block) error {
	fromFile, err := b.readSubnetsFile(i.regions)
	if err != nil {
		return err
	}
	if err := b.locator.SetSubnets(fromFile); err != nil {
		return fmt.Errorf("%s: %w", b.subnets, err)
	}
	i.regional.name(i.regions.All())
	i.engine.Compile() // origins without a region have that of their address
	return nil
}
