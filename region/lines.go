package region

import "fmt"

// A Line puts the clients of one autonomous system, country or continent into Region; exactly one of the three is set.
// At says where it was written.
type Line struct {
	ASN                uint32
	Country, Continent Code
	Region             ID
	At                 string
}

func (l Line) what() string {
	switch {
	case l.ASN != 0:
		return fmt.Sprintf("asn %d", l.ASN)
	case l.Country != (Code{}):
		return "country " + l.Country.String()
	default:
		return "continent " + l.Continent.String()
	}
}

// lines are what is tried after the subnets, in this order: asn, country, continent (DTM-LB-29). Immutable.
type lines struct {
	asn                map[uint32]ID
	country, continent map[Code]ID
}

// newLines returns a *ConflictError for the first line in order that was there before.
func newLines(all []Line) (*lines, error) {
	l := &lines{map[uint32]ID{}, map[Code]ID{}, map[Code]ID{}}
	seen := make(map[string]Line)
	for _, line := range all {
		if line.ASN == 0 && line.Country == (Code{}) && line.Continent == (Code{}) {
			return nil, fmt.Errorf("%s: got no asn, country or continent", line.At)
		}
		what := line.what()
		if first, ok := seen[what]; ok {
			return nil, &ConflictError{What: what, First: first.At, Second: line.At, Regions: [2]ID{first.Region, line.Region}}
		}
		seen[what] = line
		switch {
		case line.ASN != 0:
			l.asn[line.ASN] = line.Region
		case line.Country != (Code{}):
			l.country[line.Country] = line.Region
		default:
			l.continent[line.Continent] = line.Region
		}
	}
	return l, nil
}

// needs refuses a line that can never match: asn without a database, country and continent without one and without
// the node's.
func needs(all []Line, node Node, databases int) error {
	if databases > 0 {
		return nil
	}
	for _, line := range all {
		switch {
		case line.ASN != 0:
			return fmt.Errorf("%s: %s needs geoip", line.At, line.what())
		case line.Country != (Code{}) && node.Country == (Code{}),
			line.Continent != (Code{}) && node.Continent == (Code{}):
			return fmt.Errorf("%s: %s needs geoip, or the node's own", line.At, line.what())
		}
	}
	return nil
}

// ofPlace returns the region of a country, else of a continent, else 0.
func (l *lines) ofPlace(country, continent Code) ID {
	if id := l.country[country]; id != 0 {
		return id
	}
	return l.continent[continent]
}

func (l *lines) any() bool { return len(l.asn)+len(l.country)+len(l.continent) > 0 }
