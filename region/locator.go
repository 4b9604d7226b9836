package region

import (
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
)

// Config is what a Locator knows from the start.
type Config struct {
	Names    *Names // the names of all IDs below, for errors
	Node     Node
	Mappings []Mapping // the configuration's own, to which a subnets file adds
	Lines    []Line    // tried where no mapping knows a client

	// Databases is how many there will be: SetDatabase takes 0 to Databases-1. Where two speak of one thing the first
	// counts.
	Databases int

	// Needed are the regions that are named elsewhere but defined by the subnets file alone. A file without one of
	// them is wrong.
	Needed []ID
}

// A Locator finds out who a query's client is and where. Locate and Region never block and never allocate, and are
// safe for concurrent use with everything: they read one immutable view, which the Set methods replace.
type Locator struct {
	names    *Names
	node     Node // its region is what stands in for a client's
	mappings []Mapping
	needed   []ID

	mu   sync.Mutex // held while a view is replaced
	view atomic.Pointer[view]
}

// A view is what a Locator knows at one moment. Immutable.
type view struct {
	table     *Table
	lines     *lines
	databases databases
	gives     gives // what the databases know together
}

// NewLocator returns a Locator that knows c and no file yet. It refuses what Build refuses, an asn, country or
// continent line that was there before (as a *ConflictError), and one that nothing could ever match.
//
// A node without a region is in that of its country's line, else of its continent's.
func NewLocator(c Config) (*Locator, error) {
	table, err := Build(c.Mappings)
	if err != nil {
		return nil, err
	}
	lines, err := newLines(c.Lines)
	if err != nil {
		return nil, err
	}
	if err := needs(c.Lines, c.Node, c.Databases); err != nil {
		return nil, err
	}
	l := &Locator{names: c.Names, node: c.Node, mappings: slices.Clone(c.Mappings), needed: slices.Clone(c.Needed)}
	if l.node.Region == 0 {
		l.node.Region = lines.ofPlace(l.node.Country, l.node.Continent)
	}
	l.view.Store(&view{table: table, lines: lines, databases: make(databases, c.Databases)})
	return l, nil
}

// SetSubnets puts the mappings of a subnets file beside the configuration's own, in place of the former ones. It
// refuses what Build refuses of both together, and mappings without one of the regions that only the file defines;
// then the former ones stay.
func (l *Locator) SetSubnets(mappings []Mapping) error {
	defined := make(map[ID]bool)
	for _, m := range mappings {
		defined[m.Region] = true
	}
	for _, id := range l.needed {
		if !defined[id] {
			return fmt.Errorf("region %q is named elsewhere, but nothing defines it any more", l.names.Name(id))
		}
	}
	table, err := Build(slices.Concat(l.mappings, mappings))
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	v := *l.view.Load()
	v.table = table
	l.view.Store(&v)
	return nil
}

// SetDatabase puts db in the place of the former one of that number. It refuses one that has lost a kind of knowledge
// (countries, continents, coordinates or ASNs) that the former one had: it is another file by the same name.
func (l *Locator) SetDatabase(number int, db *Database) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := *l.view.Load()
	if former := v.databases[number]; former != nil {
		if lost := former.gives.without(db.gives); lost != "" {
			return fmt.Errorf("got a database of type %q without any %s, which the former one had", db.Type(), lost)
		}
	}
	v.databases = slices.Clone(v.databases)
	v.databases[number] = db
	v.gives = v.databases.gives()
	l.view.Store(&v)
	return nil
}

// Knows tells what can be known of a client at all, by a database or, but for the ASN, by the node: conditions on the
// rest never match.
func (l *Locator) Knows() (country, continent, location, asn bool) {
	g := l.view.Load().gives
	return g.country || l.node.Country != (Code{}), g.continent || l.node.Continent != (Code{}), g.location || l.node.Location != nil, g.asn
}

// Region returns the region of an address in the subnet mappings, 0 if they do not know it: an origin's region, where
// the node does not stand in (DTM-LB-06).
func (l *Locator) Region(addr netip.Addr) ID { return l.view.Load().table.Lookup(addr) }
