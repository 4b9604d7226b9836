package gslb

import (
	"math"
	"slices"
	"strings"

	"github.com/coredns/gslb/policy"
	"github.com/coredns/gslb/probe"
)

// originDraft is one origin line. A million of them may stand in a configuration: it holds no more than it must.
type originDraft struct {
	policy.Origin
	region string       // as written
	checks *checkList   // nil: the record's
	target probe.Target // zero: the origin itself
}

// attributes are the words of an origin line, and how many arguments each takes; check takes the rest of the line.
var attributes = map[string]int{
	"weight": 1, "priority": 1, "region": 1, "location": 2, "target": 1, "disabled": 0, "check": 0,
}

func readOrigin(list *[]originDraft, l *line) error {
	if err := l.arguments(1, -1, "ADDRESS [ATTRIBUTE...]"); err != nil {
		return err
	}
	a, err := address(l.args[0])
	if err != nil {
		return l.refuse(err)
	}
	o := originDraft{Origin: policy.Origin{Addr: a, Pos: l.pos, Priority: 1}}
	if err := o.readAttributes(l, l.args[1:]); err != nil {
		return err
	}
	*list = append(*list, o)
	return nil
}

func (o *originDraft) readAttributes(l *line, args []string) error {
	var seen []string
	for len(args) > 0 {
		word := args[0]
		n, ok := attributes[word]
		if !ok {
			return l.errf("unknown attribute '%s' on an %s line%s", word, l.word, suggest(word, attributeNames))
		}
		if slices.Contains(seen, word) {
			return l.errf("'%s' stands twice on an %s line", word, l.word)
		}
		if seen = append(seen, word); len(args) <= n {
			return l.errf("'%s' lacks an argument on an %s line: want %d after it", word, l.word, n)
		}
		if word == "check" {
			var err error
			o.checks, err = readCheckList(l, args[1:])
			return err
		}
		if err := o.read(l, word, args[1:1+n]); err != nil {
			return err
		}
		args = args[1+n:]
	}
	return nil
}

var attributeNames = func() table[struct{}] {
	t := table[struct{}]{}
	for w := range attributes {
		t[w] = property[struct{}]{}
	}
	return t
}()

func (o *originDraft) read(l *line, word string, args []string) (err error) {
	switch word {
	case "weight":
		o.Weight, err = weight(args[0])
	case "priority":
		var n int
		n, err = integer(args[0], 0, math.MaxUint16)
		o.Priority = uint16(n)
	case "region":
		o.region = args[0]
	case "location":
		o.Location, err = location(args[0], args[1])
	case "target":
		o.target, err = target(args[0])
	case "disabled":
		o.Disabled = true
	}
	if err != nil {
		return l.errf("%s: %s", word, err)
	}
	return nil
}

// weight reads N or N%.
func weight(word string) (policy.Weight, error) {
	if number, percent := strings.CutSuffix(word, "%"); percent {
		n, err := integer(number, 0, 100)
		if err != nil {
			return policy.Weight{}, wrong(word, "an integer from 0% to 100%")
		}
		return policy.Weight{Kind: policy.Percent, N: n}, nil
	}
	n, err := integer(word, 0, 1000)
	if err != nil {
		return policy.Weight{}, wrong(word, "an integer from 0 to 1000, or a percentage like 90%")
	}
	return policy.Weight{Kind: policy.Relative, N: n}, nil
}

// finish resolves the region and the checks. inherited are those of the record.
func (o *originDraft) finish(d *draft, inherited *checkList) (policy.Origin, error) {
	if o.region != "" {
		id, err := d.region(word{o.region, o.Pos})
		if err != nil {
			return o.Origin, err
		}
		o.Region = policy.Region(id)
	}
	list := o.checks
	if list == nil {
		list = inherited
	}
	if list == nil {
		return o.Origin, nil
	}
	checks, err := list.resolve(d)
	if err != nil {
		return o.Origin, err
	}
	if o.Disabled { // never probed
		return o.Origin, nil
	}
	to := o.target
	each := false // address of an alias
	if !to.Addr.IsValid() && to.Name == "" {
		to.Addr, each = o.Addr, o.Alias != ""
	}
	o.Need = list.need
	for _, c := range checks {
		check := policy.Check{Initial: c.initial, Measures: true}
		if each {
			check.Subject, check.PerAddress = c.onAddresses(o.Alias), true
		} else {
			check.Subject = c.on(to, c.name)
		}
		o.Checks = append(o.Checks, check)
	}
	return o.Origin, nil
}

// finishOrigins resolves what the origins of a record or pool name. inherited are its checks.
func (d *draft) finishOrigins(drafts []originDraft, inherited *checkList) ([]policy.Origin, error) {
	list := make([]policy.Origin, len(drafts))
	for i := range drafts {
		o, err := drafts[i].finish(d, inherited)
		if err != nil {
			return nil, err
		}
		list[i] = o
	}
	return list, nil
}
