package gslb

import (
	"fmt"
	"math"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/coredns/gslb/internal/globe"
	"github.com/coredns/gslb/policy"
	"github.com/coredns/gslb/region"
)

// What single words may be. Errors quote the word and say what would be right; the caller adds where it stands.

// duration reads a Go duration or a bare integer of seconds, not negative.
func duration(word string) (time.Duration, error) {
	d, err := time.ParseDuration(word)
	if n, bare := strconv.ParseInt(word, 10, 64); bare == nil {
		if n > int64(math.MaxInt64/time.Second) {
			return 0, fmt.Errorf("'%s' is too long", word)
		}
		d, err = time.Duration(n)*time.Second, nil
	}
	if err != nil {
		return 0, fmt.Errorf("'%s' is not a duration: want one like 15s or 1h30m, or whole seconds", word)
	}
	if d < 0 {
		return 0, fmt.Errorf("'%s' is negative: want a duration of 0 or more", word)
	}
	return d, nil
}

// seconds reads a TTL.
func seconds(word string) (uint32, error) {
	d, err := duration(word)
	switch {
	case err != nil:
		return 0, err
	case d%time.Second != 0:
		return 0, fmt.Errorf("'%s' is not whole seconds", word)
	case d/time.Second > math.MaxInt32:
		return 0, fmt.Errorf("'%s' is too long: want at most %d seconds (RFC 2181)", word, math.MaxInt32)
	}
	return uint32(d / time.Second), nil
}

func integer(word string, least, most int) (int, error) {
	n, err := strconv.Atoi(word)
	if err != nil || n < least || n > most || !digits(word) && n >= 0 {
		if most == math.MaxInt {
			return 0, fmt.Errorf("'%s' is not right: want an integer of at least %d", word, least)
		}
		return 0, fmt.Errorf("'%s' is not right: want an integer from %d to %d", word, least, most)
	}
	return n, nil
}

// digits tells a plain number from +5, -0 and the like.
func digits(word string) bool {
	return word != "" && strings.Trim(word, "0123456789") == ""
}

// numberOrAll reads N or `all`.
func numberOrAll(word string) (int, error) {
	if word == "all" {
		return policy.All, nil
	}
	n, err := strconv.Atoi(word)
	if err != nil || n < 1 || !digits(word) {
		return 0, fmt.Errorf("'%s' is not right: want a number of at least 1, or 'all'", word)
	}
	return n, nil
}

// address reads an address; an IPv4-mapped one is IPv4.
func address(word string) (netip.Addr, error) {
	a, err := netip.ParseAddr(word)
	if err != nil || a.Zone() != "" {
		return netip.Addr{}, fmt.Errorf("'%s' is not an address: want one like 192.0.2.1 or 2001:db8::1", word)
	}
	return a.Unmap(), nil
}

func prefixes(words []string) ([]netip.Prefix, error) {
	var list []netip.Prefix
	for _, w := range words {
		p, err := region.ParsePrefix(w)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// thing reads the name of a check, a region and the like, which are compared without case.
func thing(word string) (string, error) {
	if err := region.CheckName(word); err != nil {
		return "", err
	}
	return strings.ToLower(word), nil
}

func location(lat, lon string) (*policy.Location, error) {
	la, err := degrees(lat, 90)
	if err != nil {
		return nil, err
	}
	lo, err := degrees(lon, 180)
	if err != nil {
		return nil, err
	}
	return globe.NewLocation(la, lo)
}

func degrees(word string, most float64) (float64, error) {
	f, err := strconv.ParseFloat(word, 64)
	if err != nil || !(f >= -most && f <= most) { // not a number is in no range
		return 0, fmt.Errorf("'%s' is not right: want degrees from -%g to %g", word, most, most)
	}
	return f, nil
}

// country reads an ISO 3166 code, in upper case.
func country(word string) (region.Code, error) {
	code := strings.ToUpper(word)
	if len(code) != 2 || !strings.Contains(countries, " "+code+" ") {
		return region.Code{}, fmt.Errorf("'%s' is no country: want a code of ISO 3166 in two letters, as in DE", word)
	}
	return region.Code{code[0], code[1]}, nil
}

// countries are the codes of ISO 3166-1 as of 2024, and XK, by which databases know Kosovo. A list of languages would
// know codes of former countries and of none, that no client is ever in.
const countries = " AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ " +
	"CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO " +
	"FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE " +
	"JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO " +
	"MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW " +
	"PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM " +
	"TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW " +
	"XK "

const continents = " AF AN AS EU NA OC SA "

func continent(word string) (region.Code, error) {
	code := strings.ToUpper(word)
	if len(code) != 2 || !strings.Contains(continents, " "+code+" ") {
		return region.Code{}, fmt.Errorf("'%s' is no continent: want one of%s", word, strings.TrimRight(continents, " "))
	}
	return region.Code{code[0], code[1]}, nil
}
