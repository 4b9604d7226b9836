package gslb

import (
	"math"
	"slices"
	"strings"

	"github.com/coredns/coredns/plugin"

	"github.com/coredns/gslb/policy"
	"github.com/coredns/gslb/probe"
	"github.com/coredns/gslb/region"
)

// blockProperties are the lines of a gslb block.
var blockProperties table[draft]

func init() { // where it may refer to itself by way of the blocks inside
	blockProperties = table[draft]{
		"node":         {read: (*draft).readNode},
		"region":       {read: (*draft).readRegion, repeats: true, opens: true},
		"subnets":      {read: (*draft).readSubnets},
		"geoip":        {read: (*draft).readGeoIP},
		"locate":       {read: func(d *draft, l *line) (err error) { d.locating, err = d.readLocate(l); return err }},
		"ttl":          {read: func(d *draft, l *line) (err error) { d.ttl, err = l.ttl(); return err }},
		"policy":       {read: func(d *draft, l *line) (err error) { d.policy, err = l.policy(); return err }},
		"ns":           {read: (*draft).readNS},
		"negative-ttl": {read: func(d *draft, l *line) (err error) { d.negativeTTL, err = l.ttl(); return err }},
		"fallthrough":  {read: (*draft).readFallthrough},
		"check":        {read: (*draft).readCheck, repeats: true, opens: true},
		"monitor":      {read: (*draft).readMonitor, repeats: true},
		"pool":         {read: (*draft).readPool, repeats: true, opens: true},
		"record":       {read: (*draft).readRecord, repeats: true, opens: true},
		"probes":       {read: (*draft).readProbes, opens: true},
	}
}

// needsBlock demands the "{" of a thing that is nothing without it.
func (l *line) needsBlock() error {
	if n := len(l.args); !l.open && n > 0 && strings.HasSuffix(l.args[n-1], "{") {
		return l.errf("'%s': want a blank before '{'", l.args[n-1])
	}
	if !l.open {
		return l.errf("'%s' lacks its block: want '{' at the end of the line", l.word)
	}
	return nil
}

func (l *line) ttl() (uint32, error) {
	w, err := l.one("one DURATION")
	if err != nil {
		return 0, err
	}
	n, err := seconds(w)
	if err != nil {
		return 0, l.refuse(err)
	}
	return n, nil
}

func (l *line) policy() (policy.Policy, error) {
	if err := l.arguments(1, 2, "a policy"); err != nil {
		return 0, err
	}
	p, err := policy.ParsePolicy(l.args...)
	if err != nil {
		return 0, l.errf("%s", err)
	}
	return p, nil
}

// readLocate reads `locate source | node | ecs [CIDR...]`.
func (d *draft) readLocate(l *line) (*locating, error) {
	const want = "source, node or ecs [CIDR...]"
	if err := l.arguments(1, -1, want); err != nil {
		return nil, err
	}
	modes := map[string]region.Mode{"source": region.Source, "node": region.AtNode, "ecs": region.ECS}
	mode, ok := modes[l.args[0]]
	if !ok {
		return nil, l.errf("'%s' after locate is not right: want %s", l.args[0], want)
	}
	if mode != region.ECS {
		if err := l.arguments(1, 1, "no more after "+l.args[0]); err != nil {
			return nil, err
		}
	}
	trusted, err := prefixes(l.args[1:])
	if err != nil {
		return nil, l.refuse(err)
	}
	return &locating{mode, trusted, d.block}, nil
}

// readNode reads the pairs of a node line.
func (d *draft) readNode(l *line) error {
	const want = "one or more of region NAME, pop NAME, country CC, continent CC, location LAT LON"
	if err := l.arguments(1, -1, want); err != nil {
		return err
	}
	seen := map[string]bool{}
	for args := l.args; len(args) > 0; {
		attribute, needs := args[0], 1
		if attribute == "location" {
			needs = 2
		}
		if len(args) <= needs && slices.Contains([]string{"region", "pop", "country", "continent", "location"}, attribute) {
			return l.errf("'%s' lacks an argument: want %s", attribute, want)
		}
		if seen[attribute] {
			return l.errf("'%s' stands twice on a node line", attribute)
		}
		seen[attribute] = true
		var err error
		switch attribute {
		case "region":
			d.nodeRegion = word{args[1], l.pos}
		case "pop":
			d.node.Pop, err = thing(args[1])
		case "country":
			d.node.Country, err = country(args[1])
		case "continent":
			d.node.Continent, err = continent(args[1])
		case "location":
			d.node.Location, err = location(args[1], args[2])
		default:
			return l.errf("unknown word '%s' on a node line: want %s", attribute, want)
		}
		if err != nil {
			return l.errf("%s: %s", attribute, err)
		}
		args = args[1+needs:]
	}
	return nil
}

func (d *draft) readNS(l *line) error {
	if err := l.arguments(1, -1, "one or more host names"); err != nil {
		return err
	}
	for _, w := range l.args {
		host, err := hostName(w)
		if err != nil {
			return l.refuse(err)
		}
		if slices.Contains(d.ns, host) {
			return l.errf("ns: '%s' stands twice", w)
		}
		d.ns = append(d.ns, host)
	}
	return nil
}

func (d *draft) readFallthrough(l *line) error {
	for _, w := range l.args {
		zones := plugin.Host(w).NormalizeExact()
		if len(zones) == 0 {
			return l.errf("fallthrough: '%s' is not a zone: want a domain name", w)
		}
		for _, z := range zones {
			if plugin.Zones(d.zones).Matches(z) == "" && !slices.ContainsFunc(d.zones, func(own string) bool { return plugin.Zones([]string{z}).Matches(own) != "" }) {
				return l.errf("fallthrough: '%s' has nothing to do with this block: want a zone in or around %v", w, d.zones)
			}
		}
	}
	d.fall.SetZonesFromArgs(l.args)
	return nil
}

var probesProperties = table[draft]{
	"workers": {read: func(d *draft, l *line) error {
		w, err := l.one("a number")
		if err != nil {
			return err
		}
		if d.workers, err = integer(w, 1, math.MaxInt32); err != nil {
			return l.refuse(err)
		}
		return nil
	}},
	"min-interval": {read: func(d *draft, l *line) error {
		w, err := l.one("a duration")
		if err != nil {
			return err
		}
		if d.minInterval, err = duration(w); err != nil {
			return l.refuse(err)
		}
		if d.minInterval < probe.LeastMinInterval {
			return l.errf("min-interval: '%s' is too short: want at least %s", w, probe.LeastMinInterval)
		}
		return nil
	}},
	"source": {read: func(d *draft, l *line) error {
		if err := l.arguments(1, -1, "one address for each family"); err != nil {
			return err
		}
		for _, w := range l.args {
			a, err := address(w)
			if err != nil {
				return l.refuse(err)
			}
			f := policy.FamilyOf(a)
			if d.source[f].IsValid() {
				return l.errf("source: '%s' is a second %s address: want one for each family", w, f)
			}
			d.source[f] = a
		}
		return nil
	}},
}

func (d *draft) readProbes(l *line) error {
	if err := l.arguments(0, 0, "only a block"); err != nil {
		return err
	}
	if err := l.needsBlock(); err != nil {
		return err
	}
	return readBlock(l, "probes", probesProperties, d)
}
