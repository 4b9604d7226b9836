package gslb

import (
	"github.com/coredns/gslb/probe"
)

// monitorDraft is a monitor line: a check of a target that no answer depends on.
type monitorDraft struct {
	name   string
	target probe.Target
	check  word
}

func (d *draft) readMonitor(l *line) error {
	if err := l.arguments(3, 3, "NAME TARGET CHECK"); err != nil {
		return err
	}
	name, err := thing(l.args[0])
	if err != nil {
		return l.refuse(err)
	}
	if first, ok := d.monitorAt[name]; ok {
		return l.errf("monitor '%s' is defined twice, first at %s", l.args[0], first)
	}
	if c := d.checks[name]; c != nil {
		return l.errf("monitor '%s' has the name of the check at %s: want another one", l.args[0], c.pos)
	}
	t, err := target(l.args[1])
	if err != nil {
		return l.refuse(err)
	}
	d.monitorAt[name] = l.pos
	d.monitors = append(d.monitors, monitorDraft{name, t, word{l.args[2], l.pos}})
	return nil
}

// finishChecks makes the specs of all checks, and the monitors.
func (d *draft) finishChecks(number int) error {
	for _, name := range sortedKeys(d.checks) {
		if err := d.checks[name].finish(number); err != nil {
			return err
		}
	}
	for _, m := range d.monitors {
		c, err := d.check(m.check)
		if err != nil {
			return err
		}
		spec := c.spec
		spec.Target = m.target
		d.cfg.monitors = append(d.cfg.monitors, subject{zone: d.zones[0], check: m.name, spec: spec})
	}
	return nil
}

// check resolves the name of a check.
func (d *draft) check(w word) (*checkDraft, error) {
	name, err := thing(w.text)
	if err != nil {
		return nil, fault(w.pos, "check: %s", err)
	}
	if c := d.checks[name]; c != nil {
		return c, nil
	}
	if at, ok := d.monitorAt[name]; ok {
		return nil, fault(w.pos, "'%s' is the monitor at %s, which gates no answer: want a check", w.text, at)
	}
	return nil, fault(w.pos, "check '%s' is not defined: want one of a 'check' block%s", w.text, suggest(name, d.checkNames()))
}

func (d *draft) checkNames() table[struct{}] {
	t := table[struct{}]{}
	for name := range d.checks {
		t[name] = property[struct{}]{}
	}
	return t
}
