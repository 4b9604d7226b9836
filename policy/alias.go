package policy

import (
	"net/netip"
	"slices"
	"sync/atomic"
)

// Resolution is what a name stands for, by family.
type Resolution struct {
	// Known tells that the name was resolved for the family at least once; Addrs may be empty all the same.
	Known [families]bool
	Addrs [families][]netip.Addr // unmapped, in any order
}

// Freshness is how long the addresses of an alias hold. It changes with every look-up, without a new snapshot.
type Freshness struct {
	expires atomic.Int64 // Unix milliseconds
	stale   atomic.Bool
}

// Set says until when, in Unix milliseconds, the last look-up's TTLs run; stale, that looking up fails since.
func (f *Freshness) Set(expires int64, stale bool) {
	f.expires.Store(expires)
	f.stale.Store(stale)
}

// staleTTL bounds the TTL of answers with addresses that can no longer be confirmed (G-08; RFC 8767, section 4).
const staleTTL = 30

// limit gives the TTL that an answer may have at most: what is left of the resolved one, at least a second.
func (f *Freshness) limit(ttl uint32, now int64) (limited uint32, stale bool) {
	if f.stale.Load() {
		return min(ttl, staleTTL), true
	}
	left := max((f.expires.Load()-now)/1000, 1)
	return uint32(min(int64(ttl), left)), false
}

// alias is a name that origins stand for.
type alias struct {
	Resolution
	fresh [families]Freshness
	users []int32 // indices of records
}

// AddressSubject is the subject of a check of one address of an alias, derived from the one that the configuration
// names.
func AddressSubject(s Subject, a netip.Addr) Subject {
	return Subject{Check: s.Check, Target: s.Target + "/" + a.String()}
}

// Aliases lists the names that origins stand for.
func (e *Engine) Aliases() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	list := make([]string, 0, len(e.aliases))
	for host := range e.aliases {
		list = append(list, host)
	}
	slices.Sort(list)
	return list
}

// Freshness gives that of an alias's addresses of a family, nil for a name that is no alias.
func (e *Engine) Freshness(host string, f Family) *Freshness {
	e.mu.Lock()
	defer e.mu.Unlock()
	if a := e.aliases[host]; a != nil {
		return &a.fresh[f]
	}
	return nil
}

// Resolve stores what an alias stands for now.
func (e *Engine) Resolve(host string, r Resolution) {
	e.mu.Lock()
	defer e.mu.Unlock()
	a := e.aliases[host]
	if a == nil {
		return
	}
	for f := range r.Addrs {
		r.Addrs[f] = slices.Clone(r.Addrs[f])
		slices.SortFunc(r.Addrs[f], netip.Addr.Compare)
		r.Addrs[f] = slices.Compact(r.Addrs[f])
	}
	if a.Known == r.Known && slices.Equal(a.Addrs[0], r.Addrs[0]) && slices.Equal(a.Addrs[1], r.Addrs[1]) {
		return
	}
	a.Resolution = r
	for _, i := range a.users {
		e.expandRecord(&e.records[i], i)
	}
	if e.compiled {
		e.compile(func(yield func(int) bool) {
			for _, i := range a.users {
				if !yield(int(i)) {
					return
				}
			}
		})
	}
}

// expand gives an alias's origin the members of its present addresses.
func (e *Engine) expand(o *origin, block int, user int32) {
	if o.alias == nil {
		return
	}
	former := o.faces
	o.faces = nil
	for f := range o.alias.Addrs {
		for _, a := range o.alias.Addrs[f] {
			at := slices.IndexFunc(former, func(x face) bool { return x.member.Addr == a })
			if at >= 0 {
				o.faces = append(o.faces, former[at])
				continue
			}
			written := *o.Origin
			written.Addr = a
			member := newMember(&written, e.regionOf(&written, block))
			member.fresh = &o.alias.fresh[f]
			o.faces = append(o.faces, face{member, e.tie(o.Checks, a, user)})
		}
	}
}

func (e *Engine) expandRecord(r *record, user int32) {
	for i := range r.origins {
		e.expand(&r.origins[i], r.Block, user)
	}
	for _, p := range r.pools {
		for i := range p.origins {
			e.expand(&p.origins[i], p.Block, user)
		}
	}
}
