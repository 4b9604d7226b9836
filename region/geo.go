package region

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/oschwald/maxminddb-golang/v2"

	"github.com/coredns/gslb/internal/globe"
)

// MaxDatabase bounds a geographic database, in bytes. City databases have 60 to 150 MB.
const MaxDatabase = 1 << 30

// A Database is a geographic database in MaxMind's format (https://maxmind.github.io/MaxMind-DB/), in memory: a file
// that is mapped kills the process when it is truncated in place (H-14). What it gives is told by the fields that its
// records have and not by the name of its type, so those of MaxMind, DB-IP and IP2Location do alike.
//
// Immutable, safe for concurrent use; lookups do not allocate. It is left to the garbage collector, never closed.
type Database struct {
	reader *maxminddb.Reader
	gives  gives

	// records has every record there is, under its offset in the data section, decoded: many networks share a record,
	// and decoding one takes longer than all else of a query.
	records map[uintptr]*info
}

// gives is what at least one record knows.
type gives struct{ country, continent, location, asn bool }

// place tells whether anything of a place is known.
func (g gives) place() bool { return g.country || g.continent || g.location }

// without names something that g has and h has not.
func (g gives) without(h gives) string {
	switch {
	case g.country && !h.country:
		return "country"
	case g.continent && !h.continent:
		return "continent"
	case g.location && !h.location:
		return "location"
	case g.asn && !h.asn:
		return "autonomous system number"
	}
	return ""
}

// info is what a record says of an address, zero where it is silent.
type info struct {
	country, continent Code
	location           *Location
	asn                uint32
}

// fields are those read of a record.
type fields struct {
	Continent struct {
		Code string `maxminddb:"code"`
	} `maxminddb:"continent"`
	Country struct {
		ISOCode string `maxminddb:"iso_code"`
	} `maxminddb:"country"`
	Location struct {
		Latitude  *float64 `maxminddb:"latitude"`
		Longitude *float64 `maxminddb:"longitude"`
	} `maxminddb:"location"`
	ASN uint32 `maxminddb:"autonomous_system_number"`
}

// OpenDatabase reads a database from the content of the file name, which it keeps. Every record is decoded, so that a
// damaged one is found now; this takes a second or two for the largest. It refuses what is no such database, is cut
// off or damaged, and what has no record with a country, a continent, coordinates or an ASN.
func OpenDatabase(name string, content []byte) (db *Database, err error) {
	defer func() {
		// The reader is built to withstand damaged files; a fault in it must not end a server that has a good one.
		if r := recover(); r != nil {
			db, err = nil, fmt.Errorf("%s: reading the database panicked: %v", name, r)
		}
	}()
	if len(content) == 0 {
		return nil, fmt.Errorf("%s: got an empty file, want a database in MaxMind's format", name)
	}
	reader, err := maxminddb.OpenBytes(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	db = &Database{reader: reader}
	if err := db.decode(content); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if db.gives == (gives{}) {
		return nil, fmt.Errorf("%s: got a database of type %q without a country, continent, location or autonomous system number", name, db.Type())
	}
	return db, nil
}

// Type is the database's own word for its kind, such as "GeoLite2-City".
func (db *Database) Type() string { return db.reader.Metadata.DatabaseType }

// Built is when the database was made, by its own word.
func (db *Database) Built() time.Time { return db.reader.Metadata.BuildTime() }

// decode fills db.records. It goes through the nodes of the search tree as they lie in the file, so that a tree that
// winds back into itself costs no more than another.
func (db *Database) decode(content []byte) error {
	m := db.reader.Metadata
	var pair func(node []byte) (left, right uint)
	switch m.RecordSize {
	case 24:
		pair = pair24
	case 28:
		pair = pair28
	case 32:
		pair = pair32
	default:
		return fmt.Errorf("got records of %d bits in the search tree, want 24, 28 or 32", m.RecordSize)
	}
	if m.IPVersion != 4 && m.IPVersion != 6 {
		return fmt.Errorf("got IP version %d, want 4 or 6", m.IPVersion)
	}
	size := m.RecordSize / 4 // bytes of a node; OpenBytes has seen that all nodes are there
	db.records = make(map[uintptr]*info)
	d := decoder{infos: map[info]*info{}, locations: map[[2]float64]*Location{}}
	for n := range m.NodeCount {
		left, right := pair(content[n*size:][:size])
		for _, to := range [2]uint{left, right} {
			if to <= m.NodeCount {
				continue // another node, or nothing
			}
			// The data section begins 16 bytes behind the tree, and a pointer counts from there past the nodes.
			if to < m.NodeCount+16 {
				return errors.New("the search tree is damaged")
			}
			offset := uintptr(to - m.NodeCount - 16)
			if _, ok := db.records[offset]; ok {
				continue
			}
			var f fields
			if err := db.reader.LookupOffset(offset).Decode(&f); err != nil {
				return fmt.Errorf("record at %d: %w", offset, err)
			}
			db.records[offset] = d.info(f, &db.gives)
		}
	}
	if len(db.records) == 0 {
		return errors.New("got a database without a record")
	}
	return nil
}

func pair24(b []byte) (left, right uint) {
	return uint(b[0])<<16 | uint(b[1])<<8 | uint(b[2]), uint(b[3])<<16 | uint(b[4])<<8 | uint(b[5])
}

// pair28 has the upper four bits of both numbers in the byte between them.
func pair28(b []byte) (left, right uint) {
	left, right = pair24([]byte{b[0], b[1], b[2], b[4], b[5], b[6]})
	return left | uint(b[3]&0xf0)<<20, right | uint(b[3]&0x0f)<<24
}

func pair32(b []byte) (left, right uint) {
	return uint(b[0])<<24 | uint(b[1])<<16 | uint(b[2])<<8 | uint(b[3]), uint(b[4])<<24 | uint(b[5])<<16 | uint(b[6])<<8 | uint(b[7])
}

// A decoder keeps one copy of what records have in common: a city database has many that differ in what is not read.
type decoder struct {
	infos     map[info]*info
	locations map[[2]float64]*Location
}

// info takes what f says and notes it in g. Signs for the unknown, such as IP2Location's country "-" and DB-IP's "ZZ",
// and coordinates that there are not, are silence.
func (d decoder) info(f fields, g *gives) *info {
	var i info
	if c, err := ParseCountry(f.Country.ISOCode); err == nil && c != (Code{'Z', 'Z'}) {
		i.country, g.country = c, true
	}
	if c, err := ParseContinent(f.Continent.Code); err == nil {
		i.continent, g.continent = c, true
	}
	if lat, lon := f.Location.Latitude, f.Location.Longitude; lat != nil && lon != nil {
		key := [2]float64{*lat, *lon}
		l, ok := d.locations[key]
		if !ok {
			l, _ = globe.NewLocation(*lat, *lon)
			d.locations[key] = l
		}
		if l != nil {
			i.location, g.location = l, true
		}
	}
	if f.ASN != 0 {
		i.asn, g.asn = f.ASN, true
	}
	kept, ok := d.infos[i]
	if !ok {
		kept = &i
		d.infos[i] = kept
	}
	return kept
}

// unknown is what no record says of an address.
var unknown info

// lookup returns what the database says of a, which is never nil, and the length of its block around a, in a's family.
func (db *Database) lookup(a netip.Addr) (*info, int) {
	if !a.IsValid() || a.Is6() && db.reader.Metadata.IPVersion == 4 {
		return &unknown, 0
	}
	r := db.reader.Lookup(a)
	bits := 0
	// What holds all of IPv4 and more comes as an IPv6 prefix, a damaged branch as an invalid one.
	if p := r.Prefix(); p.Addr().Is4() == a.Is4() {
		bits = max(p.Bits(), 0)
	}
	if !r.Found() {
		return &unknown, bits
	}
	if i, ok := db.records[r.Offset()]; ok {
		return i, bits
	}
	return &unknown, bits
}

// databases are several that complement each other, as a city and an ASN database do. Entries may be nil.
type databases []*Database

func (ds databases) gives() (g gives) {
	for _, db := range ds {
		if db != nil {
			g.country = g.country || db.gives.country
			g.continent = g.continent || db.gives.continent
			g.location = g.location || db.gives.location
			g.asn = g.asn || db.gives.asn
		}
	}
	return g
}

// lookup returns what they say of a together, and the lengths of the longest blocks around a that were consulted for
// its place and for its ASN. Where two speak of one thing the first counts; one that puts a into another country than
// an earlier one adds nothing to its place, which is one unit (G-41).
func (ds databases) lookup(a netip.Addr) (all info, placeBits, asnBits int) {
	for _, db := range ds {
		if db == nil {
			continue
		}
		i, bits := db.lookup(a)
		if db.gives.asn {
			asnBits = max(asnBits, bits)
			if all.asn == 0 {
				all.asn = i.asn
			}
		}
		if db.gives.place() {
			placeBits = max(placeBits, bits)
			if all.country != (Code{}) && i.country != (Code{}) && i.country != all.country {
				continue
			}
			if all.country == (Code{}) {
				all.country = i.country
			}
			if all.continent == (Code{}) {
				all.continent = i.continent
			}
			if all.location == nil {
				all.location = i.location
			}
		}
	}
	return all, placeBits, asnBits
}
