package region

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/mmdbtype"
	"pgregory.net/rapid"
)

type (
	m    = mmdbtype.Map
	str  = mmdbtype.String
	f64  = mmdbtype.Float64
	u32  = mmdbtype.Uint32
	nets map[string]mmdbtype.DataType
)

var mmdbOptions4 = mmdbwriter.Options{IPVersion: 4}

// country, city and asn are records as MaxMind writes them, with things that are not read.
func country(cc, continent string) m {
	return m{
		"continent":          m{"code": str(continent), "geoname_id": u32(1), "names": m{"en": str("x")}},
		"country":            m{"iso_code": str(cc), "names": m{"en": str("x")}},
		"registered_country": m{"iso_code": str("US")},
	}
}

func city(cc, continent string, lat, lon float64) m {
	r := country(cc, continent)
	r["city"] = m{"names": m{"en": str("x")}}
	r["location"] = m{"latitude": f64(lat), "longitude": f64(lon), "accuracy_radius": mmdbtype.Uint16(5)}
	return r
}

func asn(n uint32) m {
	return m{"autonomous_system_number": u32(n), "autonomous_system_organization": str("x")}
}

// mmdb writes a database.
func mmdb(t testing.TB, opts mmdbwriter.Options, records nets) []byte {
	t.Helper()
	opts.IncludeReservedNetworks = true
	opts.Description = map[string]string{"en": "test"}
	if opts.DatabaseType == "" {
		opts.DatabaseType = "Test"
	}
	w, err := mmdbwriter.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	// Shorter networks first: what is inserted later lies over what is there.
	bits := func(cidr string) int { return netip.MustParsePrefix(cidr).Bits() }
	order := slices.SortedFunc(maps.Keys(records), func(a, b string) int { return cmp.Or(bits(a)-bits(b), strings.Compare(a, b)) })
	for _, cidr := range order {
		record := records[cidr]
		_, n, err := net.ParseCIDR(cidr)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Insert(n, record); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if _, err := w.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func database(t testing.TB, records nets) *Database {
	t.Helper()
	db, err := OpenDatabase("test.mmdb", mmdb(t, mmdbwriter.Options{}, records))
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// known is info in words: "DE EU 50.11 8.68 AS64500".
func known(i info) string {
	var words []string
	for _, c := range []Code{i.country, i.continent} {
		if c != (Code{}) {
			words = append(words, c.String())
		}
	}
	if i.location != nil {
		words = append(words, i.location.String())
	}
	if i.asn != 0 {
		words = append(words, fmt.Sprint("AS", i.asn))
	}
	return strings.Join(words, " ")
}

func TestDatabase(t *testing.T) {
	records := nets{
		"203.0.113.0/24":   city("DE", "EU", 50.11, 8.68),
		"203.0.113.128/25": country("AT", "EU"),
		"198.51.100.0/24":  asn(64500),
		"2001:db8::/32":    country("JP", "AS"),
	}
	for _, size := range []int{24, 28, 32} {
		for _, tt := range []struct {
			addr, want string
			bits       int
		}{
			{"203.0.113.5", "DE EU 50.11 8.68", 25},
			{"203.0.113.129", "AT EU", 25},
			{"198.51.100.5", "AS64500", 24},
			{"2001:db8::5", "JP AS", 32},
			{"203.0.112.5", "", 24},
			{"10.0.0.1", "", 1},
			{"2001:db9::1", "", 32},
		} {
			t.Run(fmt.Sprintf("DTM-LB-29 records of %d bits, %s", size, tt.addr), func(t *testing.T) {
				db, err := OpenDatabase("x", mmdb(t, mmdbwriter.Options{RecordSize: size, DatabaseType: "No-Such-Type"}, records))
				if err != nil {
					t.Fatal(err)
				}
				if i, bits := db.lookup(addr(tt.addr)); known(*i) != tt.want || bits != tt.bits {
					t.Errorf("got %q in a block of %d bits, want %q, %d", known(*i), bits, tt.want, tt.bits)
				}
				if db.Type() != "No-Such-Type" || db.Built().IsZero() {
					t.Errorf("got type %q, built %v", db.Type(), db.Built())
				}
			})
		}
	}
	t.Run("an IPv4 database knows no IPv6 address, whichever", func(t *testing.T) {
		db, err := OpenDatabase("x", mmdb(t, mmdbOptions4, nets{"203.0.113.0/24": country("DE", "EU")}))
		if err != nil {
			t.Fatal(err)
		}
		if i, bits := db.lookup(addr("203.0.113.5")); known(*i) != "DE EU" || bits != 24 {
			t.Errorf("got %q, %d bits", known(*i), bits)
		}
		if i, bits := db.lookup(addr("2001:db8::1")); known(*i) != "" || bits != 0 {
			t.Errorf("got %q, %d bits", known(*i), bits)
		}
	})
	t.Run("a database without IPv4 has one hole there", func(t *testing.T) {
		db, err := OpenDatabase("x", mmdb(t, mmdbwriter.Options{DisableIPv4Aliasing: true}, nets{"2001:db8::/32": country("DE", "EU")}))
		if err != nil {
			t.Fatal(err)
		}
		if i, bits := db.lookup(addr("203.0.113.5")); known(*i) != "" || bits != 0 {
			t.Errorf("got %q, %d bits", known(*i), bits)
		}
	})
	t.Run("no address", func(t *testing.T) {
		if i, bits := database(t, records).lookup(netip.Addr{}); known(*i) != "" || bits != 0 {
			t.Errorf("got %q, %d bits", known(*i), bits)
		}
	})
	for name, tt := range map[string]struct {
		record m
		want   string
	}{
		"DB-IP's unknown country":           {m{"country": m{"iso_code": str("ZZ")}, "autonomous_system_number": u32(1)}, "AS1"},
		"IP2Location's unknown country":     {m{"country": m{"iso_code": str("-")}, "continent": m{"code": str("-")}, "autonomous_system_number": u32(1)}, "AS1"},
		"coordinates in single precision":   {m{"location": m{"latitude": mmdbtype.Float32(50.5), "longitude": mmdbtype.Float32(-8.25)}}, "50.5 -8.25"},
		"coordinates that are not":          {m{"country": m{"iso_code": str("DE")}, "location": m{"latitude": f64(91), "longitude": f64(0)}}, "DE"},
		"coordinates that are no number":    {m{"country": m{"iso_code": str("DE")}, "location": m{"latitude": f64(math.NaN()), "longitude": f64(0)}}, "DE"},
		"half of a pair of coordinates":     {m{"country": m{"iso_code": str("DE")}, "location": m{"latitude": f64(50)}}, "DE"},
		"coordinates 0 0":                   {m{"location": m{"latitude": f64(0), "longitude": f64(0)}}, "0 0"},
		"a country in lower case":           {m{"country": m{"iso_code": str("de")}}, "DE"},
		"a continent alone":                 {m{"continent": m{"code": str("EU")}}, "EU"},
		"an ASN of 16 bits":                 {m{"autonomous_system_number": mmdbtype.Uint16(7)}, "AS7"},
		"the registered country is not one": {m{"registered_country": m{"iso_code": str("US")}, "autonomous_system_number": u32(1)}, "AS1"},
	} {
		t.Run(name, func(t *testing.T) {
			if i, _ := database(t, nets{"203.0.113.0/24": tt.record}).lookup(addr("203.0.113.5")); known(*i) != tt.want {
				t.Errorf("got %q, want %q", known(*i), tt.want)
			}
		})
	}
}

func TestOpenDatabaseRefuses(t *testing.T) {
	good := mmdb(t, mmdbwriter.Options{}, nets{"203.0.113.0/24": city("DE", "EU", 50.11, 8.68), "198.51.100.0/24": country("AT", "EU")})
	one := func(record mmdbtype.DataType) []byte {
		return mmdb(t, mmdbwriter.Options{DatabaseType: "Odd"}, nets{"203.0.113.0/24": record})
	}
	metadata := bytes.LastIndex(good, []byte("\xAB\xCD\xEFMaxMind.com"))
	for _, tt := range []struct {
		name, want string
		content    []byte
	}{
		{"H-14 a: truncated to nothing", "empty", nil},
		{"H-14 a: truncated to a half", "MaxMind", good[:len(good)/2]},
		{"H-14 a: without the last bytes", "", good[:len(good)-5]},
		{"without the tree's first half", "", good[metadata/2:]},
		{"without tree and data", "", good[metadata:]},
		{"a text", "MaxMind", []byte("10.1.0.0/16,we\n")},
		{"an HTML page, as a failed download leaves it", "MaxMind", []byte(strings.Repeat("<html>", 1000))},
		{"a database without a record", "without a record", mmdb(t, mmdbwriter.Options{}, nil)},
		{"of another kind", `"Odd"`, one(m{"is_anonymous": mmdbtype.Bool(true)})},
		{"with empty records", `"Odd"`, one(m{})},
		{"with unknown countries only", `"Odd"`, one(country("ZZ", ""))},
		{"whose records are texts", "record at", one(str("DE"))},
		{"whose countries are texts", "record at", one(m{"country": str("DE")})},
		{"whose ASN is too large", "record at", one(m{"autonomous_system_number": mmdbtype.Uint64(1 << 40)})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			db, err := OpenDatabase("some.mmdb", tt.content)
			if err == nil || db != nil {
				t.Fatalf("got %v, %v", db, err)
			}
			if !strings.HasPrefix(err.Error(), "some.mmdb: ") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %q, want the file's name and %q", err, tt.want)
			}
		})
	}
	t.Run("a pointer of the tree beyond the data", func(t *testing.T) {
		damaged := 0
		for i := range metadata / 2 {
			b := bytes.Clone(good)
			b[i] ^= 0x40
			if _, err := OpenDatabase("x", b); err != nil {
				damaged++
			}
		}
		if damaged == 0 {
			t.Error("no flipped bit was noticed")
		}
	})
}

func FuzzOpenDatabase(f *testing.F) {
	f.Add(mmdb(f, mmdbwriter.Options{}, nets{"203.0.113.0/24": city("DE", "EU", 50.11, 8.68)}))
	f.Add(mmdb(f, mmdbwriter.Options{IPVersion: 4, RecordSize: 24}, nets{"203.0.113.0/24": asn(64500), "0.0.0.0/1": country("DE", "EU")}))
	f.Fuzz(func(t *testing.T, content []byte) {
		db, err := OpenDatabase("x", content)
		if err != nil {
			if strings.Contains(err.Error(), "panicked") {
				t.Fatal(err)
			}
			return
		}
		for _, a := range []string{"0.0.0.0", "203.0.113.5", "255.255.255.255", "::", "2001:db8::1"} {
			if _, bits := db.lookup(addr(a)); bits < 0 || bits > addr(a).BitLen() {
				t.Fatalf("%s: got a block of %d bits", a, bits)
			}
		}
	})
}

func TestDatabasesTogether(t *testing.T) {
	de := database(t, nets{"203.0.113.0/24": city("DE", "EU", 50.11, 8.68)})
	deCountry := database(t, nets{"203.0.113.0/26": country("DE", "EU")})
	atCity := database(t, nets{"203.0.113.0/28": city("AT", "EU", 48.2, 16.4)})
	as := database(t, nets{"203.0.113.0/25": asn(64500)})
	spot := database(t, nets{"203.0.113.0/27": m{"location": m{"latitude": f64(1), "longitude": f64(2)}}})
	for _, tt := range []struct {
		name       string
		dbs        databases
		want       string
		place, asn int
	}{
		{"a city and an ASN database", databases{de, as}, "DE EU 50.11 8.68 AS64500", 24, 25},
		{"the same the other way round", databases{as, de}, "DE EU 50.11 8.68 AS64500", 24, 25},
		{"one has not come yet", databases{nil, as}, "AS64500", 0, 25},
		{"a country database gets the city's coordinates", databases{deCountry, de}, "DE EU 50.11 8.68", 26, 0},
		{"G-41 but not from one that says another country", databases{deCountry, atCity}, "DE EU", 28, 0},
		{"the first counts", databases{atCity, de}, "AT EU 48.2 16.4", 28, 0},
		{"coordinates of one that knows no country", databases{deCountry, spot}, "DE EU 1 2", 27, 0},
		{"none", nil, "", 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			i, place, asn := tt.dbs.lookup(addr("203.0.113.5"))
			if known(i) != tt.want || place != tt.place || asn != tt.asn {
				t.Errorf("got %q, blocks of %d and %d bits; want %q, %d, %d", known(i), place, asn, tt.want, tt.place, tt.asn)
			}
		})
	}
}

func TestDatabaseAgainstOracle(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		// Networks of 203.0.113.0/24, the longest last, since a database keeps what was inserted last.
		type net struct {
			p  netip.Prefix
			as uint32
		}
		var all []net
		w, err := mmdbwriter.New(mmdbwriter.Options{IncludeReservedNetworks: true, RecordSize: rapid.SampledFrom([]int{24, 28, 32}).Draw(rt, "size")})
		if err != nil {
			rt.Fatal(err)
		}
		for bits := 20; bits <= 32; bits++ {
			for range rapid.IntRange(0, 2).Draw(rt, "n") {
				p, _ := netip.AddrFrom4([4]byte{203, 0, 113, rapid.Byte().Draw(rt, "low")}).Prefix(bits)
				n := net{p, rapid.Uint32Range(1, 3).Draw(rt, "as")}
				all = append(all, n)
				_, ipnet, _ := netParse(p)
				if err := w.Insert(ipnet, asn(n.as)); err != nil {
					rt.Fatal(err)
				}
			}
		}
		if len(all) == 0 {
			return
		}
		var b bytes.Buffer
		if _, err := w.WriteTo(&b); err != nil {
			rt.Fatal(err)
		}
		db, err := OpenDatabase("x", b.Bytes())
		if err != nil {
			rt.Fatal(err)
		}
		for low := range 256 {
			a := netip.AddrFrom4([4]byte{203, 0, 113, byte(low)})
			want := uint32(0)
			for _, n := range all {
				if n.p.Contains(a) {
					want = n.as
				}
			}
			i, bits := db.lookup(a)
			if i.asn != want {
				rt.Fatalf("%v: got %q, want AS%d", a, known(*i), want)
			}
			block, _ := a.Prefix(bits)
			for _, b := range []netip.Addr{block.Addr(), last(block)} {
				if j, n := db.lookup(b); j != i || n != bits {
					rt.Fatalf("%v is %q in a block of %d bits, its end %v is %q in %d", a, known(*i), bits, b, known(*j), n)
				}
			}
		}
	})
}

func netParse(p netip.Prefix) (net.IP, *net.IPNet, error) { return net.ParseCIDR(p.String()) }
