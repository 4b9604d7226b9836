package region

import (
	"fmt"
	"net/netip"
)

// mappedBits is the length of ::ffff:0:0/96, the block of IPv4-mapped addresses (RFC 4291, section 2.5.5.2).
const mappedBits = 96

// private lists the networks whose addresses mean something only at home: RFC 1918 and RFC 4193 (G-29).
var private = []netip.Prefix{
	netip.MustParsePrefix("10.0.0.0/8"),
	netip.MustParsePrefix("172.16.0.0/12"),
	netip.MustParsePrefix("192.168.0.0/16"),
	netip.MustParsePrefix("fc00::/7"),
}

// ParsePrefix reads a CIDR the way every CIDR of a configuration is read: the length is required, host bits are
// refused, and an IPv4-mapped network counts as IPv4.
func ParsePrefix(s string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(s)
	if err != nil {
		return netip.Prefix{}, fmt.Errorf("'%s' is not a network: want ADDRESS/LENGTH, as in 192.0.2.0/24", s)
	}
	c, err := Canonical(p)
	if err != nil {
		return netip.Prefix{}, fmt.Errorf("'%s' is not right: %w", s, err)
	}
	return c, nil
}

// Canonical folds an IPv4-mapped prefix to IPv4 (::ffff:10.1.0.0/112 is 10.1.0.0/16) and refuses host bits
// (10.1.2.3/8), a mapped prefix shorter than /96, which would hold all of IPv4 and more, and an invalid prefix.
func Canonical(p netip.Prefix) (netip.Prefix, error) {
	if !p.IsValid() {
		return netip.Prefix{}, fmt.Errorf("got an invalid network")
	}
	if p.Addr().Is4In6() {
		if p.Bits() < mappedBits {
			return netip.Prefix{}, fmt.Errorf("%v is too short: want /%d or longer, since IPv4-mapped addresses count as IPv4", p, mappedBits)
		}
		p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-mappedBits)
	}
	if m := p.Masked(); m != p {
		return netip.Prefix{}, fmt.Errorf("%v has host bits: want %v", p, m)
	}
	return p, nil
}

// plain is the form in which addresses are looked up: IPv4-mapped ones as IPv4, without a zone.
func plain(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }
