package gslb

import (
	"fmt"
	"math"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/coredns/gslb/policy"
	"github.com/coredns/gslb/probe"
	"github.com/coredns/gslb/region"

	"github.com/miekg/dns"
	"golang.org/x/text/language"
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
	if err != nil || n < least || n > most || word[0] == '+' {
		if most == math.MaxInt {
			return 0, fmt.Errorf("'%s' is not right: want an integer of at least %d", word, least)
		}
		return 0, fmt.Errorf("'%s' is not right: want an integer from %d to %d", word, least, most)
	}
	return n, nil
}

// numberOrAll reads N or `all`.
func numberOrAll(word string) (int, error) {
	if word == "all" {
		return policy.All, nil
	}
	n, err := strconv.Atoi(word)
	if err != nil || n < 1 {
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
	return &policy.Location{Lat: la, Lon: lo}, nil
}

func degrees(word string, most float64) (float64, error) {
	f, err := strconv.ParseFloat(word, 64)
	if err != nil || !(f >= -most && f <= most) { // not a number is in no range
		return 0, fmt.Errorf("'%s' is not right: want degrees from -%g to %g", word, most, most)
	}
	return f, nil
}

// country reads an ISO 3166 code, in upper case.
func country(word string) (string, error) {
	code := strings.ToUpper(word)
	if r, err := language.ParseRegion(code); err != nil || len(code) != 2 || r.String() != code || !r.IsCountry() {
		return "", fmt.Errorf("'%s' is no country: want a code of ISO 3166 in two letters, as in DE", word)
	}
	return code, nil
}

const continents = " AF AN AS EU NA OC SA "

func continent(word string) (string, error) {
	code := strings.ToUpper(word)
	if len(code) != 2 || !strings.Contains(continents, " "+code+" ") {
		return "", fmt.Errorf("'%s' is no continent: want one of%s", word, strings.TrimRight(continents, " "))
	}
	return code, nil
}

// hostName reads a domain name, absolute and in lower case.
func hostName(word string) (string, error) {
	name := strings.ToLower(dns.Fqdn(word))
	if err := checkName(name); err != nil {
		return "", fmt.Errorf("'%s' %w", word, err)
	}
	return name, nil
}

// checkName holds the rules for an absolute domain name as a whole.
func checkName(name string) error {
	if _, ok := dns.IsDomainName(name); !ok {
		return fmt.Errorf("is not a domain name: want labels of at most 63 and in all at most 255 octets")
	}
	for i := 0; i < len(name); i++ {
		if c := name[i]; c <= ' ' || c == 0x7f || c == '"' || c == '\\' || c == '{' || c == '}' || c == ',' || c == '/' {
			return fmt.Errorf("is not a domain name: %q does not belong in one", c)
		}
	}
	if strings.Contains(name, "..") || name[0] == '.' && name != "." {
		return fmt.Errorf("is not a domain name: it has an empty label")
	}
	return nil
}

// target reads HOST[:PORT] of what is probed.
func target(word string) (probe.Target, error) {
	if a, err := netip.ParseAddr(word); err == nil && a.Zone() == "" {
		return probe.Target{Addr: a.Unmap()}, nil
	}
	host, port := word, ""
	if h, p, err := net.SplitHostPort(word); err == nil {
		host, port = h, p
		if port == "" {
			return probe.Target{}, fmt.Errorf("'%s' has no port after its colon: want HOST[:PORT]", word)
		}
	}
	t := probe.Target{}
	if port != "" {
		n, err := integer(port, 1, math.MaxUint16)
		if err != nil {
			return t, fmt.Errorf("port %w", err)
		}
		t.Port = uint16(n)
	}
	if a, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil && a.Zone() == "" {
		t.Addr = a.Unmap()
		return t, nil
	}
	if _, err := hostName(host); err != nil || strings.Contains(host, ":") {
		return t, fmt.Errorf("'%s' is not right: want HOST[:PORT], HOST an address or a name", word)
	}
	t.Name = strings.ToLower(host) // as the system would look it up, search domains included
	return t, nil
}
