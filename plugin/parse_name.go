package gslb

import (
	"fmt"
	"math"
	"net/netip"
	"strings"

	"github.com/coredns/coredns/plugin"

	"github.com/miekg/dns"

	"github.com/coredns/gslb/probe"
)

// Names consist of letters, digits, '-' and '_'. The DNS library escapes several of the other characters when it writes
// the name of a query, so that a record with one of them would load, and never be found.

// checkName holds the rules for an absolute domain name without a wildcard.
func checkName(name string) error {
	if name == "." {
		return nil
	}
	if !strings.HasSuffix(name, ".") || len(name)+1 > maxName {
		return fmt.Errorf("is too long: want at most %d octets", maxName)
	}
	for _, label := range strings.Split(strings.TrimSuffix(name, "."), ".") {
		switch {
		case label == "":
			return fmt.Errorf("is not a domain name: it has an empty label")
		case len(label) > maxLabel:
			return fmt.Errorf("is not a domain name: '%s' is longer than %d octets", label, maxLabel)
		}
		for _, c := range label {
			if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
				continue
			}
			return fmt.Errorf("is not a domain name: want letters, digits, '-' and '_' in place of %q", c)
		}
	}
	return nil
}

// The bounds of RFC 1035, section 2.3.4. On the wire a name without escapes is one octet longer than with its final dot.
const (
	maxLabel = 63
	maxName  = 255
)

// hostName reads the name of a host, absolute and in lower case.
func hostName(word string) (string, error) {
	name := strings.ToLower(dns.Fqdn(word))
	if err := checkName(name); err != nil {
		return "", fmt.Errorf("'%s' %w", word, err)
	}
	labels := strings.Split(name, ".")
	if last := labels[len(labels)-2]; last == "" || digits(last) { // which tells names from addresses (RFC 1123, 2.1)
		return "", fmt.Errorf("'%s' is not the name of a host", word)
	}
	return name, nil
}

// checkRecordName holds the rules for a record's name as it is written.
func (d *draft) checkRecordName(w string) error {
	if w == "@" {
		return nil
	}
	name, wild := w, false
	if name == "*" {
		name, wild = "", true
	} else if name, wild = strings.CutPrefix(w, "*."); name == "" && wild {
		name = "."
	}
	if strings.ContainsAny(name, "*@") {
		return fmt.Errorf("'%s' is not a name: want '*' only as the whole first label, and '@' only alone", w)
	}
	if name != "" {
		if err := checkName(dns.Fqdn(name)); err != nil {
			return fmt.Errorf("'%s' %w", w, err)
		}
	}
	if dns.IsFqdn(w) {
		if plugin.Zones(d.zones).Matches(strings.ToLower(w)) == "" {
			return fmt.Errorf("'%s' is outside the zones of its block: want a name in %s", w, strings.Join(d.zones, " "))
		}
	}
	for _, z := range d.zones {
		if len(absolute(w, z))+1 > maxName {
			return fmt.Errorf("'%s' is too long in zone '%s': want at most %d octets", w, z, maxName)
		}
	}
	return nil
}

// absolute is a record's name in a zone, in lower case.
func absolute(name, zone string) string {
	switch {
	case name == "@":
		return zone
	case dns.IsFqdn(name):
		return strings.ToLower(name)
	case zone == ".":
		return strings.ToLower(name) + "."
	}
	return strings.ToLower(name) + "." + zone
}

// target reads HOST[:PORT] of what is probed. An IPv6 address with a port stands in brackets (RFC 3986, 3.2.2).
func target(word string) (probe.Target, error) {
	wrong := fmt.Errorf("'%s' is not right: want HOST[:PORT], HOST an address or a name", word)
	var t probe.Target
	host, port, ported := word, "", false
	if inside, ok := strings.CutPrefix(word, "["); ok {
		inside, rest, closed := strings.Cut(inside, "]")
		if port, ported = strings.CutPrefix(rest, ":"); !closed || !ported && rest != "" {
			return t, wrong
		}
		a, err := netip.ParseAddr(inside)
		if err != nil || !a.Is6() || a.Zone() != "" {
			return t, wrong
		}
		t.Addr = a.Unmap()
	} else {
		if strings.Count(word, ":") == 1 {
			host, port, ported = strings.Cut(word, ":")
		}
		if a, err := netip.ParseAddr(host); err == nil && a.Zone() == "" {
			t.Addr = a.Unmap()
		} else if _, err := hostName(host); err != nil {
			return t, wrong
		} else {
			t.Name = strings.ToLower(host) // as the system would look it up, search domains included
		}
	}
	if ported {
		n, err := integer(port, 1, math.MaxUint16)
		if err != nil {
			return t, fmt.Errorf("'%s': port %w", word, err)
		}
		t.Port = uint16(n)
	}
	return t, nil
}
