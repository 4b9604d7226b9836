package policy

import (
	"errors"
	"fmt"
	"net/netip"
)

// Error is a fault in a configuration: where it stands, the offending word, what is wrong and what would be right.
type Error struct {
	Pos  Pos
	Word string // as written; part of Msg already
	Msg  string
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Pos, e.Msg) }

func errorAt(pos Pos, word, format string, args ...any) error {
	return &Error{Pos: pos, Word: word, Msg: fmt.Sprintf(format, args...)}
}

// Validate reports every fault of c that can be seen without looking at the outside world, joined into one error whose
// parts are *Error; nil when there is none. What a single word may be (a weight's range, say) is the parser's business.
func (c *Config) Validate() error {
	var errs []error
	for i := range c.Pools {
		errs = append(errs, c.Pools[i].validate())
	}
	seen := make(map[string]Pos, len(c.Records))
	for i := range c.Records {
		r := &c.Records[i]
		if first, ok := seen[r.Name]; ok {
			errs = append(errs, errorAt(r.Pos, r.Name, "record '%s' is defined twice, first at %s", r.Name, first))
			continue
		}
		seen[r.Name] = r.Pos
		errs = append(errs, r.validate(c))
	}
	return errors.Join(errs...)
}

func (p *Pool) validate() error {
	if len(p.Origins) == 0 {
		return errorAt(p.Pos, p.Name, "pool '%s' has no origin: want at least one 'origin' or 'alias' line", p.Name)
	}
	return validateOrigins(fmt.Sprintf("pool '%s'", p.Name), p.Origins)
}

func (r *Record) validate(c *Config) error {
	if len(r.Origins) == 0 && len(r.Pools) == 0 {
		return errorAt(r.Pos, r.Name, "record '%s' has no origin: want at least one 'origin' or 'alias' line, or 'pools'", r.Name)
	}
	if r.Countdown && r.MinTTL > r.TTL {
		return errorAt(r.Pos, r.Name, "record '%s': ttl %d with a minimum of %d: want a minimum of at most the ttl", r.Name, r.TTL, r.MinTTL)
	}
	return errors.Join(validateOrigins(fmt.Sprintf("record '%s'", r.Name), r.Origins), r.validateFailsafe(), r.validateShares(c))
}

// validateShares refuses a policy of weights over pools of both kinds of weight (G-43).
func (r *Record) validateShares(c *Config) error {
	if !methods[r.Policy].weighs {
		return nil
	}
	var relative, percent *Pool
	for _, n := range r.uses() {
		p := &c.Pools[n]
		if p.relative() {
			relative = p
		}
		if p.percentages() {
			percent = p
		}
	}
	if relative != nil && percent != nil {
		return errorAt(r.Pos, r.Name, "record '%s' is %s over pool '%s' at %s with relative weights and pool '%s' at %s with percentages: want one kind",
			r.Name, r.Policy, relative.Name, relative.Pos, percent.Name, percent.Pos)
	}
	return nil
}

func (r *Record) validateFailsafe() error {
	seen := make(map[netip.Addr]bool, len(r.Failsafe))
	for _, a := range r.Failsafe {
		if seen[a] {
			return errorAt(r.Pos, a.String(), "record '%s' names '%s' twice in failsafe", r.Name, a)
		}
		seen[a] = true
	}
	return nil
}

// validateOrigins holds the rules for the origins of one record or pool, under every policy (G-02): none twice, weights
// of one kind, and in each family at most a hundred percent, disabled origins included. An alias counts in both.
func validateOrigins(where string, origins []Origin) error {
	var errs []error
	seen := make(map[string]Pos, len(origins))
	var kinds [3]*Origin
	for i := range origins {
		o := &origins[i]
		name := o.Name()
		if first, ok := seen[name]; ok {
			errs = append(errs, errorAt(o.Pos, name, "%s has origin '%s' twice, first at %s", where, name, first))
		}
		seen[name] = o.Pos
		if kinds[o.Weight.Kind] == nil {
			kinds[o.Weight.Kind] = o
		}
	}
	rel, pct, none := kinds[Relative], kinds[Percent], kinds[NoWeight]
	switch {
	case rel != nil && pct != nil:
		later, first := rel, pct
		if pct.Pos.Line > rel.Pos.Line {
			later, first = pct, rel
		}
		errs = append(errs, errorAt(later.Pos, later.Weight.String(), "%s mixes weights: '%s' here and '%s' at %s: want all relative or all percentages",
			where, later.Weight, first.Weight, first.Pos))
	case rel != nil && none != nil:
		errs = append(errs, errorAt(none.Pos, none.Name(), "%s: '%s' has no weight, but '%s' at %s has weight %s: want a relative weight on every origin or on none",
			where, none.Name(), rel.Name(), rel.Pos, rel.Weight))
	case pct != nil:
		errs = append(errs, validatePercentages(where, origins))
	}
	return errors.Join(errs...)
}

func validatePercentages(where string, origins []Origin) error {
	var sum [families]int
	for i := range origins {
		o := &origins[i]
		if o.Weight.Kind != Percent {
			continue
		}
		for f := IPv4; f < families; f++ {
			if !o.In(f) {
				continue
			}
			if sum[f] += o.Weight.N; sum[f] > 100 {
				return errorAt(o.Pos, o.Weight.String(), "%s: weight '%s' brings the percentages of its %s origins to %d%%: want at most 100%%",
					where, o.Weight, f, sum[f])
			}
		}
	}
	return nil
}

// Name is what the origin was written as: its address or the alias's host.
func (o *Origin) Name() string {
	if o.Alias != "" {
		return o.Alias
	}
	return o.Addr.String()
}

// In tells whether the origin can have addresses of the family: an alias in both.
func (o *Origin) In(f Family) bool { return o.Alias != "" || FamilyOf(o.Addr) == f }

func (w Weight) String() string {
	if w.Kind == Percent {
		return fmt.Sprintf("%d%%", w.N)
	}
	return fmt.Sprint(w.N)
}
