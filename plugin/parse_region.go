package gslb

import (
	"errors"
	"fmt"
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
}

// readRegion reads `region NAME [CIDR...]` or `region NAME {`.
func (d *draft) readRegion(l *line) error {
	if err := l.arguments(1, -1, "NAME [CIDR...], or NAME and a block"); err != nil {
		return err
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

// finishRegions builds the table of the mappings, and finds the node in it.
func (d *draft) finishRegions() error {
	mappings := d.mappings
	if d.subnets != "" {
		d.subnetsRead = watch.Look(d.subnets)
		fromFile, err := d.readSubnetsFile(d.cfg.regions)
		if err != nil {
			return fault(d.subnetsPos, "subnets: %s", err)
		}
		for _, m := range fromFile {
			d.defined[m.Region] = true
		}
		mappings = append(mappings[:len(mappings):len(mappings)], fromFile...)
	}
	table, err := region.Build(mappings)
	var c *region.Conflict
	if errors.As(err, &c) {
		return fmt.Errorf("%s - Error during parsing: %w", c.Second.At, err)
	}
	if err != nil {
		return err
	}
	node := region.None
	if d.nodeRegion.text != "" {
		if node, err = d.region(d.nodeRegion); err != nil {
			return err
		}
	}
	d.locator = region.NewLocator(node, table)
	return nil
}

// region resolves the name of a region that is defined in this block.
func (d *draft) region(w word) (region.ID, error) {
	if id := d.cfg.regions.Find(w.text); id != region.None && d.defined[id] {
		if _, ok := d.regionAt[id]; !ok && !d.needed[id] { // origins are many, and so may be regions
			d.needed[id] = true
			d.required = append(d.required, id)
		}
		return id, nil
	}
	return region.None, fault(w.pos, "region '%s' is not defined: want one of a 'region' line or of the subnets file", w.text)
}

// readSubnetsFile reads the block's file as it is now.
func (b *block) readSubnetsFile(names *region.Names) ([]region.Mapping, error) {
	text, err := os.ReadFile(b.subnets)
	if err != nil {
		return nil, err
	}
	return region.ParseSubnets(b.subnets, text, names)
}

// holdsRequired refuses a subnets file without a region that only it defined and that is named elsewhere.
func (b *block) holdsRequired(names *region.Names, fromFile []region.Mapping) error {
	for _, id := range b.required {
		if !slices.ContainsFunc(fromFile, func(m region.Mapping) bool { return m.Region == id }) {
			return fmt.Errorf("%s: no longer defines region '%s', which the configuration names", b.subnets, names.Name(id))
		}
	}
	return nil
}
