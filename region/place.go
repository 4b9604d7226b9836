package region

import (
	"fmt"

	"github.com/coredns/gslb/internal/globe"
)

// A Code is a country (ISO 3166-1, two letters) or a continent (AF AN AS EU NA OC SA), in upper case. The zero Code is
// unknown. Codes are compared with ==.
type Code [2]byte

// ParseCountry reads a country code in either case. Any two letters will do: the list changes, the form does not.
func ParseCountry(s string) (Code, error) {
	c, ok := code(s)
	if !ok {
		return Code{}, fmt.Errorf("got country %q, want two letters of ISO 3166", s)
	}
	return c, nil
}

// ParseContinent reads one of the seven continents in either case.
func ParseContinent(s string) (Code, error) {
	c, ok := code(s)
	if !ok || !continents[c] {
		return Code{}, fmt.Errorf("got continent %q, want AF, AN, AS, EU, NA, OC or SA", s)
	}
	return c, nil
}

var continents = map[Code]bool{
	{'A', 'F'}: true, {'A', 'N'}: true, {'A', 'S'}: true, {'E', 'U'}: true, {'N', 'A'}: true, {'O', 'C'}: true, {'S', 'A'}: true,
}

func code(s string) (Code, bool) {
	if len(s) != 2 {
		return Code{}, false
	}
	c := Code{s[0] &^ 0x20, s[1] &^ 0x20} // upper case, for letters
	for i := range c {
		if c[i] < 'A' || c[i] > 'Z' || s[i]|0x20 != c[i]|0x20 {
			return Code{}, false
		}
	}
	return c, true
}

// String returns the code, "" if it is unknown.
func (c Code) String() string {
	if c == (Code{}) {
		return ""
	}
	return string(c[:])
}

// A Place says where somebody is, as one unit: it is wholly an address's or wholly the node's, never mixed (G-41).
type Place struct {
	Pop       string    // the node's, "" if unknown; only a client at the node has one (COR-34)
	Country   Code      // zero if unknown
	Continent Code      // zero if unknown
	Location  *Location // nil if unknown
}

// A Node is where this server stands. It stands in for the unknown: its Region for a client that no mapping knows, its
// Place for one of unknown country. The zero Node knows nothing.
type Node struct {
	Region ID
	Place
}

// Location is a point on the earth.
type Location = globe.Location
