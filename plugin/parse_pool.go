package gslb

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/coredns/gslb/policy"
)

// poolDraft is one pool block while it is read.
type poolDraft struct {
	d       *draft
	origins []originDraft
	checks  *checkList
	region  word
	index   int // in policy.Config.Pools, once finished
	policy.Pool
}

var poolProperties = table[poolDraft]{
	"origin": {repeats: true, read: func(p *poolDraft, l *line) error { return readOrigin(&p.origins, l) }},
	"alias":  {repeats: true, read: func(p *poolDraft, l *line) error { return readAlias(&p.origins, l) }},
	"policy": {read: func(p *poolDraft, l *line) (err error) { p.Policy, err = l.policy(); return err }},
	"within": {read: func(p *poolDraft, l *line) (err error) { p.Within, err = l.within(); return err }},
	"check":  {read: func(p *poolDraft, l *line) (err error) { p.checks, err = readCheckList(l, l.args); return err }},
	"region": {read: func(p *poolDraft, l *line) error {
		w, err := l.one("one NAME")
		p.region = word{w, l.pos}
		return err
	}},
	"location": {read: func(p *poolDraft, l *line) error {
		if err := l.arguments(2, 2, "LAT LON"); err != nil {
			return err
		}
		var err error
		if p.Location, err = location(l.args[0], l.args[1]); err != nil {
			return l.refuse(err)
		}
		return nil
	}},
	"min-healthy": {read: func(p *poolDraft, l *line) error {
		w, err := l.one("a number")
		if err != nil {
			return err
		}
		if p.MinHealthy, err = integer(w, 1, math.MaxInt32); err != nil {
			return l.refuse(err)
		}
		return nil
	}},
	"disabled": {read: func(p *poolDraft, l *line) error {
		p.Disabled = true
		return l.arguments(0, 0, "nothing after it")
	}},
}

func (d *draft) readPool(l *line) error {
	w, name, err := l.name()
	if err != nil {
		return err
	}
	if first := d.pools[name]; first != nil {
		return l.errf("pool '%s' is defined twice, first at %s", w, first.Pos)
	}
	if err := l.needsBlock(); err != nil {
		return err
	}
	p := &poolDraft{d: d, Pool: policy.Pool{Name: name, Pos: l.pos, Within: policy.None, MinHealthy: 1}}
	d.pools[name] = p
	d.poolOrder = append(d.poolOrder, p)
	return readBlock(l, fmt.Sprintf("pool '%s'", w), poolProperties, p)
}

// finishPools gives every pool its place in the configuration.
func (d *draft) finishPools(number int) error {
	for _, p := range d.poolOrder {
		p.Block = number
		for i := range p.origins {
			if p.origins[i].region == "" {
				p.origins[i].region = p.region.text
			}
		}
		if p.region.text != "" {
			if _, err := d.region(p.region); err != nil {
				return err
			}
		}
		var err error
		if p.Origins, err = d.finishOrigins(p.origins, p.checks); err != nil {
			return err
		}
		p.index = len(d.cfg.policy.Pools)
		d.cfg.policy.Pools = append(d.cfg.policy.Pools, p.Pool)
	}
	return nil
}

// pool resolves the name of a pool of this block (COR-45).
func (d *draft) pool(w word) (int, error) {
	name, err := thing(w.text)
	if err != nil {
		return 0, fault(w.pos, "pool: %s", err)
	}
	p := d.pools[name]
	if p == nil {
		names := table[struct{}]{}
		for n := range d.pools {
			names[n] = property[struct{}]{}
		}
		return 0, fault(w.pos, "pool '%s' is not defined in this block: want one of a 'pool' block%s", w.text, suggest(name, names))
	}
	return p.index, nil
}

// poolNames reads a list of pools, in which none stands twice.
func (l *line) poolNames(words []string) ([]word, error) {
	if len(words) == 0 {
		return nil, l.errf("'%s' lacks the names of pools: want POOL...", l.word)
	}
	var list []word
	var seen []string
	for _, w := range words {
		if slices.Contains(seen, strings.ToLower(w)) {
			return nil, l.errf("%s: pool '%s' stands twice", l.word, w)
		}
		seen = append(seen, strings.ToLower(w))
		list = append(list, word{w, l.pos})
	}
	return list, nil
}

func (d *draft) poolIndices(words []word) ([]int, error) {
	var list []int
	for _, w := range words {
		n, err := d.pool(w)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}
