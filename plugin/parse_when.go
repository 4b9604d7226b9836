package gslb

import (
	"math"
	"slices"
	"strings"

	"github.com/coredns/gslb/policy"
	"github.com/coredns/gslb/region"
)

// whenDraft is a `when` line whose pools and regions are not resolved yet.
type whenDraft struct {
	policy.When
	regions []word
	pools   []word
}

// conditions are what a `when` line may ask for, each with its value, which may be a list with commas.
var conditions = map[string]func(*whenDraft, string) error{
	"cidr": func(w *whenDraft, v string) error {
		p, err := prefixes([]string{v})
		w.CIDR = append(w.CIDR, p...)
		return err
	},
	"asn": func(w *whenDraft, v string) error {
		n, err := integer(v, 1, math.MaxUint32)
		w.ASN = append(w.ASN, uint32(n))
		return err
	},
	"pop": func(w *whenDraft, v string) error {
		name, err := thing(v)
		w.Pop = append(w.Pop, name)
		return err
	},
	"country": func(w *whenDraft, v string) error {
		c, err := country(v)
		w.Country = append(w.Country, policy.Code(c))
		return err
	},
	"continent": func(w *whenDraft, v string) error {
		c, err := continent(v)
		w.Continent = append(w.Continent, policy.Code(c))
		return err
	},
	"region": func(w *whenDraft, v string) error {
		_, err := thing(v)
		w.regions = append(w.regions, word{v, w.Pos})
		return err
	},
	"qtype": func(w *whenDraft, v string) error {
		switch strings.ToUpper(v) {
		case "A":
			w.Family = append(w.Family, policy.IPv4)
		case "AAAA":
			w.Family = append(w.Family, policy.IPv6)
		default:
			return wrong(v, "A or AAAA")
		}
		return nil
	},
}

const wantWhen = "CONDITION... pools POOL..., CONDITION one of cidr, asn, pop, country, continent, region, qtype with a value"

// readWhen reads `when CONDITION... pools POOL...`.
func (r *recordDraft) readWhen(l *line) error {
	w := whenDraft{When: policy.When{Pos: l.pos}}
	r.given["when"] = l.pos
	var seen []string
	args := l.args
	for len(args) > 0 && args[0] != "pools" {
		read, ok := conditions[args[0]]
		switch {
		case !ok:
			return l.errf("when: unknown condition '%s': want %s", args[0], wantWhen)
		case len(args) < 2 || args[1] == "pools" && len(args) > 2 && slices.Contains(args[2:], "pools"):
			return l.errf("when: '%s' lacks its value: want %s", args[0], wantWhen)
		case slices.Contains(seen, args[0]):
			return l.errf("when: '%s' stands twice: want its values in one list, with commas", args[0])
		}
		seen = append(seen, args[0])
		for _, v := range strings.Split(args[1], ",") {
			if err := read(&w, v); err != nil {
				return l.errf("when %s: %s", args[0], err)
			}
		}
		args = args[2:]
	}
	if len(seen) == 0 || len(args) == 0 {
		return l.errf("when: want %s", wantWhen)
	}
	var err error
	if w.pools, err = l.poolNames(args[1:]); err != nil {
		return err
	}
	r.when = append(r.when, w)
	return nil
}

// finishWhen resolves what the lines name, and warns of those that can never hold.
func (r *recordDraft) finishWhen() error {
	for _, w := range r.when {
		var err error
		if w.Pools, err = r.d.poolIndices(w.pools); err != nil {
			return err
		}
		for _, name := range w.regions {
			id, err := r.d.region(name)
			if err != nil {
				return err
			}
			w.Region = append(w.Region, policy.Region(id))
		}
		r.When = append(r.When, w.When)
	}
	r.cidrs = cidrTable(r.When)
	return nil
}

// blind warns of `when` lines whose condition nothing here can know, once the locator is there to ask.
func (d *draft) blind() {
	country, continent, _, asn := d.locator.Knows()
	for _, r := range d.records {
		for _, w := range r.When {
			for what, known := range map[string]bool{"country": country || w.Country == nil, "continent": continent || w.Continent == nil, "ASN": asn || w.ASN == nil} {
				if !known {
					d.cfg.warnings = append(d.cfg.warnings, w.Pos.String()+": nothing here can know a client's "+what+", so this line never holds: want 'geoip' or a 'node' value")
				}
			}
		}
	}
}

// cidrTable cuts the networks of a record's `when` lines into blocks over which none of them changes: for the scope of
// answers that depend on them. It is nil without any.
func cidrTable(lines []policy.When) *region.Table {
	var mappings []region.Mapping
	for _, w := range lines {
		for _, p := range w.CIDR {
			if !slices.ContainsFunc(mappings, func(m region.Mapping) bool { return m.Prefix == p }) {
				mappings = append(mappings, region.Mapping{Prefix: p, Region: region.ID(len(mappings) + 1)})
			}
		}
	}
	if mappings == nil {
		return nil
	}
	t, err := region.Build(mappings)
	if err != nil {
		return nil // each prefix stands once and was read by ParsePrefix
	}
	return t
}
