package gslb

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coredns/gslb/policy"
	"github.com/coredns/gslb/probe"
)

// checkDraft is one check block while it is read. Properties may come in any order: what depends on another one waits
// for finish.
type checkDraft struct {
	d    *draft
	name string
	pos  policy.Pos

	kind     string
	kindPos  policy.Pos
	port     uint16
	path     string
	schedule probe.Schedule
	probe.Thresholds
	initial bool
	http    probe.HTTP
	tls     *probe.Credentials

	given map[string]policy.Pos // which properties stand in the block

	number int        // of the check's block
	spec   probe.Spec // without a target; once finished
}

var checkProperties = table[checkDraft]{
	"tcp":        kind(1, 1, "PORT"),
	"http":       kind(0, 2, "[PORT] [PATH]"),
	"https":      kind(0, 2, "[PORT] [PATH]"),
	"interval":   {read: lasting(func(c *checkDraft) *time.Duration { return &c.schedule.Interval })},
	"timeout":    {read: lasting(func(c *checkDraft) *time.Duration { return &c.schedule.Timeout })},
	"failures":   {read: counting(func(c *checkDraft) *int { return &c.Failures })},
	"successes":  {read: counting(func(c *checkDraft) *int { return &c.Successes })},
	"window":     {read: (*checkDraft).readWindow},
	"initial":    {read: (*checkDraft).readInitial},
	"expect":     {read: (*checkDraft).readExpect},
	"body":       {read: text(func(c *checkDraft) *string { return &c.http.Body })},
	"method":     {read: (*checkDraft).readMethod},
	"host":       {read: named(func(c *checkDraft) *string { return &c.http.Host })},
	"header":     {read: (*checkDraft).readHeader, repeats: true},
	"servername": {read: named(func(c *checkDraft) *string { return &c.http.ServerName })},
	"tls":        {read: (*checkDraft).readTLS},
}

// appliesTo says which kinds a property belongs to; all where it is not listed.
var appliesTo = map[string][]string{
	"expect": {"http", "https"}, "body": {"http", "https"}, "method": {"http", "https"}, "host": {"http", "https"},
	"header": {"http", "https"}, "servername": {"https", "tcp"}, "tls": {"https", "tcp"},
}

func (d *draft) readCheck(l *line) error {
	w, name, err := l.name()
	if err != nil {
		return err
	}
	if _, err := strconv.Atoi(name); err == nil || slices.Contains([]string{"any", "none", "access"}, name) {
		return l.errf("'%s' cannot be the name of a check: it means something else in a list of checks", w)
	}
	if first := d.checks[name]; first != nil {
		return l.errf("check '%s' is defined twice, first at %s", w, first.pos)
	}
	if first, ok := d.monitorAt[name]; ok {
		return l.errf("check '%s' has the name of the monitor at %s: want another one", w, first)
	}
	if err := l.needsBlock(); err != nil {
		return err
	}
	c := &checkDraft{d: d, name: name, pos: l.pos, initial: true, given: map[string]policy.Pos{}}
	d.checks[name] = c
	return readBlock(l, fmt.Sprintf("check '%s'", w), checkProperties, c)
}

// kind is one of the lines that say what a check does.
func kind(least, most int, want string) property[checkDraft] {
	return property[checkDraft]{read: func(c *checkDraft, l *line) error {
		if c.kind != "" {
			return l.errf("check '%s' has a second kind '%s', besides '%s' at %s: want exactly one", c.name, l.word, c.kind, c.kindPos)
		}
		c.kind, c.kindPos = l.word, l.pos
		if err := l.arguments(least, most, want); err != nil {
			return err
		}
		c.port = map[string]uint16{"http": 80, "https": 443}[l.word]
		c.path = "/"
		args := l.args
		if len(args) > 0 && !strings.HasPrefix(args[0], "/") {
			n, err := integer(args[0], 1, math.MaxUint16)
			if err != nil {
				return l.errf("%s: port %s", l.word, err)
			}
			c.port, args = uint16(n), args[1:]
		}
		if len(args) == 0 {
			return nil
		}
		if l.word == "tcp" {
			return l.errf("tcp: port '%s' is not right: want %s", args[0], want)
		}
		if len(args) > 1 {
			return l.errf("'%s' has a surplus argument '%s': want %s", l.word, args[1], want)
		}
		c.path = args[0]
		if err := checkPath(c.path); err != nil {
			return l.refuse(err)
		}
		return nil
	}}
}

// given remembers that a property stands in the block.
func (c *checkDraft) give(l *line) { c.given[l.word] = l.pos }

func lasting(field func(*checkDraft) *time.Duration) func(*checkDraft, *line) error {
	return func(c *checkDraft, l *line) error {
		c.give(l)
		w, err := l.one("one DURATION")
		if err != nil {
			return err
		}
		d, err := duration(w)
		if err != nil {
			return l.refuse(err)
		}
		if d == 0 {
			return l.errf("%s: '%s' is too short: want more than 0", l.word, w)
		}
		*field(c) = d
		return nil
	}
}

func counting(field func(*checkDraft) *int) func(*checkDraft, *line) error {
	return func(c *checkDraft, l *line) error {
		c.give(l)
		w, err := l.one("one number")
		if err != nil {
			return err
		}
		n, err := integer(w, 1, math.MaxInt32)
		if err != nil {
			return l.refuse(err)
		}
		*field(c) = n
		return nil
	}
}

func (c *checkDraft) readWindow(l *line) error {
	c.give(l)
	if err := l.arguments(2, 2, "SAMPLES REQUIRED"); err != nil {
		return err
	}
	var err error
	if c.Samples, err = integer(l.args[0], 1, probe.MaxSamples); err != nil {
		return l.refuse(err)
	}
	if c.Required, err = integer(l.args[1], 1, c.Samples); err != nil {
		return l.refuse(err)
	}
	return nil
}

func (c *checkDraft) readInitial(l *line) error {
	w, err := l.one("healthy or unhealthy")
	if err != nil {
		return err
	}
	if w != "healthy" && w != "unhealthy" {
		return l.errf("initial: '%s' is not right: want healthy or unhealthy", w)
	}
	c.initial = w == "healthy"
	return nil
}

// finish checks what depends on several lines, and makes the spec.
func (c *checkDraft) finish(number int) error {
	if c.kind == "" {
		return fault(c.pos, "check '%s' has no kind: want exactly one of tcp, http, https", c.name)
	}
	for _, w := range sortedKeys(c.given) {
		if kinds, ok := appliesTo[w]; ok && !slices.Contains(kinds, c.kind) {
			return fault(c.given[w], "'%s' does not go with %s in check '%s': want it with %s", w, c.kind, c.name, strings.Join(kinds, " or "))
		}
	}
	if pos, ok := c.given["servername"]; ok && c.kind == "tcp" && c.tls == nil {
		return fault(pos, "'servername' does not go with tcp in check '%s' unless there is a 'tls' line", c.name)
	}
	if pos, ok := c.given["body"]; ok && c.http.Method == "HEAD" {
		return fault(pos, "'body' in check '%s' does not go with method HEAD at %s: a reply to it has none", c.name, c.given["method"])
	}
	if err := c.finishVerdict(); err != nil {
		return err
	}
	if err := c.finishSchedule(); err != nil {
		return err
	}
	c.number = number
	c.spec = probe.Spec{Schedule: c.schedule, Thresholds: c.Thresholds, Kind: c.makeKind(), Source: c.d.source, Isolation: true}
	return nil
}

func (c *checkDraft) finishVerdict() error {
	window, windowed := c.given["window"]
	for _, w := range []string{"failures", "successes"} {
		if pos, ok := c.given[w]; ok && windowed {
			return fault(pos, "'%s' in check '%s' does not go with 'window' at %s, which replaces it", w, c.name, window)
		}
	}
	if !windowed {
		if c.Failures == 0 {
			c.Failures = probe.DefaultFailures
		}
		if c.Successes == 0 {
			c.Successes = probe.DefaultSuccesses
		}
	}
	return nil
}

func (c *checkDraft) finishSchedule() error {
	s := &c.schedule
	if s.Interval == 0 {
		s.Interval = probe.DefaultInterval
	}
	if s.Interval < c.d.minInterval {
		pos, ok := c.given["interval"]
		if !ok {
			pos = c.pos
		}
		return fault(pos, "interval '%s' of check '%s' is too short: want at least %s, or a lower 'min-interval' in 'probes'", s.Interval, c.name, c.d.minInterval)
	}
	if s.Timeout == 0 {
		s.Timeout = min(probe.DefaultTimeout, s.Interval)
	}
	if s.Timeout > s.Interval {
		return fault(c.given["timeout"], "timeout '%s' of check '%s' is too long: want at most the interval, %s", s.Timeout, c.name, s.Interval)
	}
	return nil
}

func (c *checkDraft) makeKind() probe.Kind {
	if c.kind == "tcp" {
		return probe.TCP{Port: c.port, TLS: c.tls, ServerName: c.http.ServerName}
	}
	k := c.http
	k.TLS, k.Port, k.Path, k.Credentials = c.kind == "https", c.port, c.path, c.tls
	if k.Method == "" {
		k.Method = "GET"
	}
	if k.Expect == nil {
		k.Expect = []probe.Range{{First: 200, Last: 200}}
	}
	return k
}

// on makes the check one of a target, and remembers that it is to be probed.
func (c *checkDraft) on(t probe.Target, name string) policy.Subject {
	id := policy.Subject{Check: fmt.Sprintf("%d/%s", c.number, c.name), Target: t.String()}
	if _, ok := c.d.cfg.subjects[id]; !ok {
		spec := c.spec
		spec.Target = t
		c.d.cfg.subjects[id] = subject{zone: c.d.zones[0], check: name, spec: spec}
	}
	return id
}
