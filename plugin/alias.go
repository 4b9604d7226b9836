package gslb

import (
	"net/netip"
	"time"

	"github.com/coredns/gslb/policy"
	"github.com/coredns/gslb/probe"
)

// aliases joins what names stand for to the engine and to the checks of each address.
type aliases struct {
	i      *instance
	checks map[string][]aliasCheck
	leases map[addressCheck]held // guarded by the resolver's lock: it applies one result at a time
}

type addressCheck struct {
	name string
	base policy.Subject
	addr netip.Addr
}

// resolved takes what a name stands for now: the engine first, which then knows whom the verdicts are about.
func (a *aliases) resolved(name string, r policy.Resolution, expires [2]time.Time, stale [2]bool) {
	for f := range expires {
		if fresh := a.i.engine.Freshness(name, policy.Family(f)); fresh != nil {
			fresh.Set(expires[f].UnixMilli(), stale[f])
		}
	}
	a.i.engine.Resolve(name, r)
	present := map[addressCheck]bool{}
	for _, list := range r.Addrs {
		for _, addr := range list {
			for _, c := range a.checks[name] {
				id := addressCheck{name, c.base, addr}
				present[id] = true
				if _, ok := a.leases[id]; !ok {
					a.leases[id] = a.lease(id, c.subject)
				}
			}
		}
	}
	for id, l := range a.leases {
		if id.name == name && !present[id] {
			l.Release()
			delete(a.leases, id)
		}
	}
}

// lease probes one address, with the alias's name as Host and for the certificate (G-09).
func (a *aliases) lease(id addressCheck, s subject) held {
	s.spec.Target = probe.Target{Addr: id.addr, Name: id.name}
	lease := process.monitor.Acquire(s.spec, a.i.observer(policy.AddressSubject(id.base, id.addr), s))
	lease.Tell()
	return held{lease, s, false}
}

// close gives every lease up.
func (a *aliases) close() {
	for _, l := range a.leases {
		l.Release()
	}
}
