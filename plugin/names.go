package gslb

import "strings"

// names is the tree of all names of the gslb blocks of one server block (RFC 4592, G-63). It is immutable once built;
// looking a name up costs one map look-up where it is a record's own, and one more for each label above it that does
// not exist otherwise.
type names struct {
	zones     map[string]*zone
	nodes     map[string]int32 // every name that exists: its record, or noRecord
	wildcards map[string]int32 // the name that a wildcard stands below: its record
}

// zone is one of a block's zones.
type zone struct {
	name  string // absolute, lower case
	block *block
	*counters
}

// noRecord marks a name that exists without a record: an apex, or one with names below it.
const noRecord int32 = -1

// found is what is known of a name.
type found struct {
	name   string
	zone   *zone // whose record it is, else the longest one around it; nil if none is
	record int32 // index of the record, or noRecord
	exists bool  // a name at or below it does
}

// apex tells whether the name is that of its zone.
func (f *found) apex() bool { return f.zone != nil && f.name == f.zone.name }

func newNames() *names {
	return &names{zones: map[string]*zone{}, nodes: map[string]int32{}, wildcards: map[string]int32{}}
}

// addZone adds an apex; of two blocks with one zone the first counts.
func (n *names) addZone(z *zone) {
	if n.zones[z.name] != nil {
		return
	}
	n.zones[z.name] = z
	if _, ok := n.nodes[z.name]; !ok {
		n.nodes[z.name] = noRecord
	}
}

// addRecord adds a record's name, absolute and in lower case, and the names between it and the apex of its zone.
func (n *names) addRecord(name, zone string, record int32) {
	n.nodes[name] = record
	if above, ok := strings.CutPrefix(name, "*."); ok {
		if above == "" {
			above = "."
		}
		n.wildcards[above] = record
	}
	for name != zone {
		name = parent(name)
		if _, ok := n.nodes[name]; ok {
			return
		}
		n.nodes[name] = noRecord
	}
}

// join makes the names between an apex and the zone around it exist (G-63). It is called once, when all zones are known.
func (n *names) join() {
	for apex := range n.zones {
		if apex == "." || n.around(parent(apex)) == nil {
			continue
		}
		for name := parent(apex); n.zones[name] == nil; name = parent(name) {
			if _, ok := n.nodes[name]; !ok {
				n.nodes[name] = noRecord
			}
		}
	}
}

// find looks up an absolute name in lower case. zoneOf gives the zone that a record belongs to.
func (n *names) find(name string, zoneOf func(record int32) *zone) found {
	if record, ok := n.nodes[name]; ok {
		if record != noRecord {
			return found{name, zoneOf(record), record, true}
		}
		return found{name, n.around(name), noRecord, true}
	}
	z := n.around(name)
	if z == nil {
		return found{name: name, record: noRecord}
	}
	for encloser := name; encloser != "."; {
		encloser = parent(encloser)
		if _, ok := n.nodes[encloser]; !ok {
			continue
		}
		// The closest encloser: only a wildcard directly below it may speak (RFC 4592, 3.3.1).
		if record, ok := n.wildcards[encloser]; ok {
			return found{name, zoneOf(record), record, true}
		}
		break
	}
	return found{name, z, noRecord, false}
}

// around gives the longest zone that holds a name.
func (n *names) around(name string) *zone {
	for {
		if z := n.zones[name]; z != nil {
			return z
		}
		if name == "." {
			return nil
		}
		name = parent(name)
	}
}

// parent cuts the first label of an absolute name off. Dots inside labels are escaped with a backslash.
func parent(name string) string {
	for i := 0; i < len(name)-1; i++ {
		switch name[i] {
		case '\\':
			i++
		case '.':
			return name[i+1:]
		}
	}
	return "."
}
