package gslb

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/miekg/dns"

	"github.com/coredns/coredns/plugin"

	"github.com/coredns/gslb/policy"
	"github.com/coredns/gslb/region"
)

// recordDraft is one record block while it is read.
type recordDraft struct {
	d        *draft
	names    []string
	origins  []originDraft
	pools    []word
	when     []whenDraft
	fallback word
	given    map[string]policy.Pos // which of the properties stand that not every record takes
	checks   *checkList
	locating *locating
	ttlSet   bool
	policed  bool
	cidrs    *region.Table
	policy.Record
}

var recordProperties = table[recordDraft]{
	"origin":   {read: func(r *recordDraft, l *line) error { return readOrigin(&r.origins, l) }, repeats: true},
	"alias":    {read: func(r *recordDraft, l *line) error { return readAlias(&r.origins, l) }, repeats: true},
	"pools":    {read: (*recordDraft).readPools},
	"when":     {read: (*recordDraft).readWhen, repeats: true},
	"steering": {read: (*recordDraft).readSteering},
	"select": {read: func(r *recordDraft, l *line) (err error) {
		r.given[l.word] = l.pos
		r.Select, err = l.numberOrAll()
		return err
	}},
	"fallback": {read: func(r *recordDraft, l *line) error {
		w, err := l.one("one POOL")
		r.fallback = word{w, l.pos}
		return err
	}},
	"failsafe": {read: (*recordDraft).readFailsafe},
	"fail": {read: func(r *recordDraft, l *line) error {
		w, err := l.one("open, all, nodata, servfail or next")
		if err != nil {
			return err
		}
		if r.Fail, err = policy.ParseFail(w); err != nil {
			return l.errf("%s", err)
		}
		return nil
	}},
	"policy": {read: func(r *recordDraft, l *line) (err error) {
		r.policed = true
		r.Policy, err = l.policy()
		return err
	}},
	"within":   {read: func(r *recordDraft, l *line) (err error) { r.Within, err = l.within(); return err }},
	"answers":  {read: func(r *recordDraft, l *line) (err error) { r.Answers, err = l.numberOrAll(); return err }},
	"affinity": {read: (*recordDraft).readAffinity},
	"region-filter": {read: func(r *recordDraft, l *line) error {
		w, err := l.one("on or off")
		if err != nil {
			return err
		}
		if w != "on" && w != "off" {
			return l.errf("region-filter: '%s' is not right: want on or off", w)
		}
		r.given[l.word] = l.pos
		r.RegionFilter = w == "on"
		return nil
	}},
	"locate": {read: func(r *recordDraft, l *line) (err error) { r.locating, err = r.d.readLocate(l); return err }},
	"check":  {read: func(r *recordDraft, l *line) (err error) { r.checks, err = readCheckList(l, l.args); return err }},
	"ttl": {read: func(r *recordDraft, l *line) (err error) {
		r.ttlSet = true
		r.TTL, err = l.ttl()
		return err
	}},
	"disabled": {read: func(r *recordDraft, l *line) error {
		r.Disabled = true
		return l.arguments(0, 0, "nothing after it")
	}},
}

func (l *line) numberOrAll() (int, error) {
	w, err := l.one("a number or all")
	if err != nil {
		return 0, err
	}
	n, err := numberOrAll(w)
	if err != nil {
		return 0, l.refuse(err)
	}
	return n, nil
}

func (d *draft) readRecord(l *line) error {
	if err := l.arguments(1, -1, "one or more names"); err != nil {
		return err
	}
	if err := l.needsBlock(); err != nil {
		return err
	}
	r := &recordDraft{d: d, given: map[string]policy.Pos{}, Record: policy.Record{
		Pos: l.pos, Within: policy.None, Fallback: policy.None, Select: 1, RegionFilter: true,
	}}
	for _, w := range l.args {
		if err := d.checkRecordName(w); err != nil {
			return l.refuse(err)
		}
		r.names = append(r.names, w)
	}
	d.records = append(d.records, r)
	return readBlock(l, fmt.Sprintf("record '%s'", l.args[0]), recordProperties, r)
}

func (r *recordDraft) readFailsafe(l *line) error {
	if err := l.arguments(1, -1, "one or more addresses"); err != nil {
		return err
	}
	for _, w := range l.args {
		a, err := address(w)
		if err != nil {
			return l.refuse(err)
		}
		if slices.Contains(r.Failsafe, a) {
			return l.errf("failsafe: '%s' stands twice", w)
		}
		r.Failsafe = append(r.Failsafe, a)
	}
	return nil
}

// within reads whole milliseconds up to a second.
func (l *line) within() (int, error) {
	w, err := l.one("one DURATION")
	if err != nil {
		return 0, err
	}
	d, err := duration(w)
	if err != nil {
		return 0, l.refuse(err)
	}
	if d > time.Second || d%time.Millisecond != 0 {
		return 0, l.errf("within: '%s' is not right: want whole milliseconds from 0 to 1000ms (a bare number is seconds)", w)
	}
	return int(d / time.Millisecond), nil
}

func (r *recordDraft) readPools(l *line) (err error) {
	r.pools, err = l.poolNames(l.args)
	return err
}

func (r *recordDraft) readSteering(l *line) error {
	r.given[l.word] = l.pos
	w, err := l.one("listed, random or proximity")
	if err != nil {
		return err
	}
	s, err := policy.ParseSteering(w)
	if err != nil {
		return l.errf("%s", err)
	}
	r.Steering = s
	return nil
}

// readAffinity reads `affinity [WINDOW] [policy]`.
func (r *recordDraft) readAffinity(l *line) error {
	if err := l.arguments(0, 2, "[WINDOW] [policy]"); err != nil {
		return err
	}
	r.Affinity.On = true
	args := l.args
	if n := len(args); n > 0 && args[n-1] == "policy" {
		r.Affinity.ByPolicy, args = true, args[:n-1]
	}
	if len(args) == 0 {
		return nil
	}
	if len(args) > 1 {
		return l.errf("affinity: '%s' is not right: want [WINDOW] [policy]", args[1])
	}
	d, err := duration(args[0])
	if err != nil {
		return l.refuse(err)
	}
	if d <= 0 || d > 24*time.Hour {
		return l.errf("affinity: '%s' is not right: want a window above 0 and up to 24h", args[0])
	}
	r.Affinity.Window = d
	return nil
}

// finishRecords makes the records of a block, one for each name and zone.
func (d *draft) finishRecords(number int) error {
	for _, r := range d.records {
		if err := r.finish(); err != nil {
			return err
		}
		r.Block = number
		for _, name := range r.names {
			for _, z := range d.zones {
				rec := r.Record
				rec.Name = absolute(name, z)
				if dns.IsFqdn(name) && plugin.Zones(d.zones).Matches(rec.Name) != z {
					continue // an absolute name is one record, of the zone that it lies in
				}
				d.add(rec, z, r)
			}
		}
	}
	return nil
}

func (d *draft) add(rec policy.Record, zoneName string, r *recordDraft) {
	index := int32(len(d.cfg.records))
	around := d.zone[plugin.Zones(d.zones).Matches(rec.Name)] // a relative name may lie in a longer zone of the block
	d.cfg.policy.Records = append(d.cfg.policy.Records, rec)
	d.cfg.records = append(d.cfg.records, recordInfo{
		zone: around, locating: r.locating, ttl: rec.TTL, timed: d.cfg.policy.Timed(&rec), placed: d.cfg.policy.Placed(&rec),
		cidrs: r.cidrs,
	})
	d.cfg.names.addRecord(rec.Name, zoneName, index)
}

// finish fills in what the block gives and what lines name.
func (r *recordDraft) finish() error {
	d := r.d
	if !r.policed {
		r.Policy = d.policy
	}
	if !r.ttlSet {
		r.TTL = d.ttl
	}
	if r.locating == nil {
		r.locating = d.locating
	}
	if (r.Policy == policy.Weighted || r.Policy == policy.WeightedRandom) && r.TTL > 30 {
		d.cfg.warnings = append(d.cfg.warnings, fmt.Sprintf(
			"%s: record '%s' is weighted and has a TTL of %d seconds: caches keep an answer that long, so shares are coarse; 5 to 30 seconds are usual",
			r.Pos, r.names[0], r.TTL))
	}
	if err := r.finishPools(); err != nil {
		return err
	}
	var err error
	r.Origins, err = d.finishOrigins(r.origins, r.checks)
	return err
}

// finishPools holds that a record has origins or pools, and resolves the pools.
func (r *recordDraft) finishPools() error {
	if len(r.pools) == 0 {
		for _, w := range []string{"when", "steering", "select"} {
			if pos, ok := r.given[w]; ok {
				return fault(pos, "'%s' in record '%s' needs 'pools': want it only with them", w, r.names[0])
			}
		}
	} else {
		if len(r.origins) > 0 {
			return fault(r.origins[0].Pos, "record '%s' has origins and 'pools' at %s: want the one or the other", r.names[0], r.pools[0].pos)
		}
		if r.checks != nil {
			return fault(r.checks.pos, "'check' in record '%s' does not go with 'pools' at %s: want it in the pools", r.names[0], r.pools[0].pos)
		}
		if _, ok := r.given["region-filter"]; !ok {
			r.RegionFilter = false
		}
	}
	var err error
	if r.Pools, err = r.d.poolIndices(r.pools); err != nil {
		return err
	}
	if r.fallback.text != "" {
		if r.Fallback, err = r.d.pool(r.fallback); err != nil {
			return err
		}
	}
	return r.finishWhen()
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
