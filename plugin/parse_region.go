package gslb

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/coredns/gslb/internal/watch"
	"github.com/coredns/gslb/region"
)

// regionDraft is a long region block.
type regionDraft struct {
	d  *draft
	id region.ID
}

var regionProperties = table[regionDraft]{
	"subnet": {repeats: true, read: func(r *regionDraft, l *line) error {
		if err := l.arguments(1, -1, "one or more networks"); err != nil {
			return err
		}
		return r.d.addSubnets(l, r.id, l.args)
	}},
	"country": {repeats: true, read: clientLines("one or more countries", func(w string) (line region.Line, err error) {
		line.Country, err = country(w)
		return line, err
	})},
	"continent": {repeats: true, read: clientLines("one or more continents", func(w string) (line region.Line, err error) {
		line.Continent, err = continent(w)
		return line, err
	})},
	"asn": {repeats: true, read: clientLines("one or more numbers", func(w string) (line region.Line, err error) {
		n, err := integer(w, 1, math.MaxUint32)
		line.ASN = uint32(n)
		return line, err
	})},
}

// clientLines reads what puts clients into a region where no subnet does.
func clientLines(want string, read func(string) (region.Line, error)) func(*regionDraft, *line) error {
	return func(r *regionDraft, l *line) error {
		if err := l.arguments(1, -1, want); err != nil {
			return err
		}
		for _, w := range l.args {
			c, err := read(w)
			if err != nil {
				return l.refuse(err)
			}
			c.Region, c.At = r.id, l.pos.String()
			if err := r.d.knows(l, w, c); err != nil {
				return err
			}
			r.d.lines = append(r.d.lines, c)
		}
		return nil
	}
}

// knows remembers where a country, a continent or an ASN stands, and refuses it a second time.
func (d *draft) knows(l *line, word string, c region.Line) error {
	for i := range d.lines {
		if f := &d.lines[i]; f.ASN == c.ASN && f.Country == c.Country && f.Continent == c.Continent {
			return l.errf("%s: '%s' stands twice, first at %s", l.word, word, f.At)
		}
	}
	return nil
}

// readRegion reads `region NAME [CIDR...]` or `region NAME {`.
func (d *draft) readRegion(l *line) error {
	if err := l.arguments(1, -1, "NAME [CIDR...], or NAME and a block"); err != nil {
		return err
	}
	if _, err := thing(l.args[0]); err != nil {
		return l.refuse(err)
	}
	id, err := d.cfg.regions.Intern(l.args[0])
	if err != nil {
		return l.refuse(err)
	}
	if first, ok := d.regionAt[id]; ok {
		return l.errf("region '%s' is defined twice, first at %s", l.args[0], first)
	}
	d.regionAt[id] = l.pos
	d.defined[id] = true
	if !l.open {
		return d.addSubnets(l, id, l.args[1:])
	}
	if err := l.arguments(1, 1, "networks either on the line or in the block"); err != nil {
		return err
	}
	return readBlock(l, fmt.Sprintf("region '%s'", l.args[0]), regionProperties, &regionDraft{d, id})
}

func (d *draft) addSubnets(l *line, id region.ID, words []string) error {
	list, err := prefixes(words)
	if err != nil {
		return l.refuse(err)
	}
	for _, p := range list {
		d.mappings = append(d.mappings, region.Mapping{Prefix: p, Region: id, At: l.pos.String()})
	}
	return nil
}

func (d *draft) readSubnets(l *line) error {
	file, err := l.one("one FILE")
	if err != nil {
		return err
	}
	d.subnets, d.subnetsPos = d.path(file), l.pos
	return nil
}

func (d *draft) readGeoIP(l *line) error {
	if err := l.arguments(1, -1, "one or more database files"); err != nil {
		return err
	}
	for _, w := range l.args {
		path := d.path(w)
		if slices.Contains(d.databases, path) {
			return l.errf("geoip: '%s' stands twice", w)
		}
		d.databases = append(d.databases, path)
	}
	d.geoipPos = l.pos
	return nil
}

// defineRegions reads the subnets file, which may define regions.
func (d *draft) defineRegions() error {
	if d.subnets == "" {
		return nil
	}
	d.subnetsRead = watch.Look(d.subnets)
	fromFile, err := d.readSubnetsFile(d.cfg.regions)
	if err != nil {
		return fault(d.subnetsPos, "subnets: %s", err)
	}
	for _, m := range fromFile {
		d.defined[m.Region] = true
	}
	d.fromFile = fromFile
	return nil
}

// makeLocator puts mappings, databases and the node together, when everything that names a region is known.
func (d *draft) makeLocator() error {
	node := region.Node{Place: d.node}
	if d.nodeRegion.text != "" {
		id, err := d.region(d.nodeRegion)
		if err != nil {
			return err
		}
		node.Region = id
	}
	for i := range d.lines { // before the locator's own refusal, which names no word
		if c := &d.lines[i]; len(d.databases) == 0 && !(c.Country != region.Code{} && c.Country == d.node.Country || c.Continent != region.Code{} && c.Continent == d.node.Continent) {
			return fmt.Errorf("%s - Error during parsing: %s can never match: want a 'geoip' line, or the same as a 'node' value", c.At, lineWords(*c))
		}
	}
	locator, err := region.NewLocator(region.Config{
		Names: d.cfg.regions, Node: node, Mappings: d.mappings, Lines: d.lines, Databases: len(d.databases), Needed: d.required,
	})
	if err == nil && d.fromFile != nil {
		err = locator.SetSubnets(d.fromFile)
	}
	if err != nil {
		return conflict(err)
	}
	for n, path := range d.databases {
		d.databasesRead = append(d.databasesRead, watch.Look(path))
		if err := readDatabase(locator, n, path); err != nil {
			return fault(d.geoipPos, "geoip: %s", err)
		}
	}
	d.locator = locator
	return nil
}

func lineWords(c region.Line) string {
	switch {
	case c.ASN != 0:
		return fmt.Sprintf("asn '%d'", c.ASN)
	case c.Country != region.Code{}:
		return fmt.Sprintf("country '%s'", c.Country)
	}
	return fmt.Sprintf("continent '%s'", c.Continent)
}

// conflict brings a thing that was mapped twice into the form of the parser's refusals.
func conflict(err error) error {
	var c *region.ConflictError
	if !errors.As(err, &c) {
		return err
	}
	what := "is in two regions, the other at"
	if c.Regions[0] == c.Regions[1] {
		what = "is mapped twice, first at"
	}
	return fmt.Errorf("%s - Error during parsing: '%s' %s %s", c.Second, c.What, what, c.First)
}

func readDatabase(l *region.Locator, number int, path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular() || info.Size() > region.MaxDatabase:
		return fmt.Errorf("%s: want a file of at most %d bytes", path, region.MaxDatabase)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	db, err := region.OpenDatabase(path, content)
	if err != nil {
		return err
	}
	return l.SetDatabase(number, db)
}

// region resolves the name of a region that is defined in this block.
func (d *draft) region(w word) (region.ID, error) {
	if id := d.cfg.regions.ID(w.text); id != 0 && d.defined[id] {
		if _, ok := d.regionAt[id]; !ok && !d.needed[id] { // origins are many, and so may be regions
			d.needed[id] = true
			d.required = append(d.required, id)
		}
		return id, nil
	}
	return 0, fault(w.pos, "region '%s' is not defined: want one of a 'region' line or of the subnets file", w.text)
}

// readSubnetsFile reads the block's file as it is now.
func (b *block) readSubnetsFile(names *region.Names) ([]region.Mapping, error) {
	text, err := os.ReadFile(b.subnets)
	if err != nil {
		return nil, err
	}
	return region.ParseSubnets(b.subnets, text, names)
}
