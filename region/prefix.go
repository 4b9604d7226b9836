package region

import (
	"fmt"
	"net/netip"
	"strings"
)

// ParsePrefix reads a CIDR. IPv4-mapped ones become IPv4, an address alone is refused, and so are host bits.
func ParsePrefix(s string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(s)
	if err != nil {
		return netip.Prefix{}, fmt.Errorf("'%s' is not a network: want ADDRESS/LENGTH, as in 192.0.2.0/24", s)
	}
	if p.Masked() != p {
		return netip.Prefix{}, fmt.Errorf("'%s' has host bits: want '%s'", s, p.Masked())
	}
	if p.Addr().Is4In6() {
		if p.Bits() < 96 {
			return netip.Prefix{}, fmt.Errorf("'%s' holds more than the IPv4-mapped addresses: want a length of at least 96", s)
		}
		return netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96), nil
	}
	return p, nil
}

// ParseSubnets reads a subnets file: "CIDR,REGION" a line; blank lines and lines that begin with # are skipped. name
// stands for the file in errors and in Mapping.At. An empty file is refused: an empty set is never meant.
func ParseSubnets(name string, text []byte, names *Names) ([]Mapping, error) {
	var list []Mapping
	for number, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		at := fmt.Sprintf("%s:%d", name, number+1)
		cidr, region, ok := strings.Cut(line, ",")
		if !ok || strings.Contains(region, ",") {
			return nil, fmt.Errorf("%s: '%s': want CIDR,REGION", at, clip(line))
		}
		p, err := ParsePrefix(strings.TrimSpace(cidr))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		id, err := names.Intern(strings.TrimSpace(region))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		list = append(list, Mapping{Prefix: p, Region: id, At: at})
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: no mapping in it: want at least one line CIDR,REGION", name)
	}
	return list, nil
}

// clip bounds what an error quotes of a file's content.
func clip(s string) string {
	if len(s) > 60 {
		return s[:60] + "..."
	}
	return s
}
