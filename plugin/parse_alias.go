package gslb

import (
	"fmt"
	"strings"

	"github.com/coredns/gslb/policy"
)

// aliasCheck is a check that each address of an alias gets.
type aliasCheck struct {
	base policy.Subject
	subject
}

func readAlias(list *[]originDraft, l *line) error {
	if err := l.arguments(1, -1, "HOST [ATTRIBUTE...]"); err != nil {
		return err
	}
	host, err := hostName(l.args[0])
	if err != nil {
		return l.refuse(err)
	}
	o := originDraft{Origin: policy.Origin{Alias: host, Pos: l.pos, Priority: 1}}
	if err := o.readAttributes(l, l.args[1:]); err != nil {
		return err
	}
	*list = append(*list, o)
	return nil
}

// onAddresses makes the check one of each address that an alias has, and remembers that.
func (c *checkDraft) onAddresses(alias string) policy.Subject {
	base := policy.Subject{Check: fmt.Sprintf("%d/%s", c.number, c.name), Target: strings.TrimSuffix(alias, ".")}
	list := c.d.cfg.aliases[alias]
	for _, known := range list {
		if known.base == base {
			return base
		}
	}
	c.d.cfg.aliases[alias] = append(list, aliasCheck{base, subject{zone: c.d.zones[0], check: c.name, spec: c.spec}})
	return base
}

// loops refuses aliases that lead back to themselves by names that the configuration itself answers (G-08). Other loops
// end while they are resolved.
func (cfg *config) loops() error {
	state := make([]uint8, len(cfg.policy.Records)) // 0 new, 1 on the way, 2 done
	var visit func(record int32, way []string) error
	visit = func(record int32, way []string) error {
		r := &cfg.policy.Records[record]
		state[record] = 1
		for _, o := range cfg.aliasesOf(r) {
			if o.Disabled {
				continue
			}
			next := cfg.names.find(o.Alias, func(n int32) *zone { return cfg.records[n].zone })
			if next.record == noRecord {
				continue
			}
			steps := append(way[:len(way):len(way)], o.Alias)
			switch state[next.record] {
			case 1:
				return fault(o.Pos, "alias '%s' leads back to itself: %s", strings.TrimSuffix(o.Alias, "."), strings.Join(steps, " to "))
			case 0:
				if err := visit(next.record, steps); err != nil {
					return err
				}
			}
		}
		state[record] = 2
		return nil
	}
	for n := range cfg.policy.Records {
		if state[n] == 0 {
			if err := visit(int32(n), []string{cfg.policy.Records[n].Name}); err != nil {
				return err
			}
		}
	}
	return nil
}

// aliasesOf gives the alias origins of a record, also by way of its pools.
func (cfg *config) aliasesOf(r *policy.Record) []*policy.Origin {
	var list []*policy.Origin
	add := func(origins []policy.Origin) {
		for i := range origins {
			if origins[i].Alias != "" {
				list = append(list, &origins[i])
			}
		}
	}
	add(r.Origins)
	pools := append([]int(nil), r.Pools...)
	for _, w := range r.When {
		pools = append(pools, w.Pools...)
	}
	if r.Fallback != policy.None {
		pools = append(pools, r.Fallback)
	}
	for _, p := range pools {
		add(cfg.policy.Pools[p].Origins)
	}
	return list
}
