package region

import (
	"bytes"
	"fmt"
	"net/netip"
)

// maxLine bounds a line of a subnets file, in bytes. The longest CIDR has 43; the rest is a name that nobody types.
const maxLine = 1024

// ParseSubnets reads the text of a subnets file, one "CIDR,REGION" a line. White space around a line and around both
// fields is cut; blank lines and lines that begin with # are skipped. The places of the mappings are "file:line".
//
// It refuses the first line that is wrong, naming file, line and word, and a text without a mapping: emptiness is
// never published by accident (H-43). A region that names does not know yet is interned, but not while anything in the
// text is wrong. Prefixes that occur twice are Build's to refuse.
func ParseSubnets(file string, text []byte, names *Names) ([]Mapping, error) {
	var mappings []Mapping
	var regions []string
	for n := 1; len(text) > 0; n++ {
		var line []byte
		line, text, _ = bytes.Cut(text, []byte("\n"))
		prefix, region, err := parseSubnet(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
		if region == "" {
			continue
		}
		mappings = append(mappings, Mapping{Prefix: prefix, At: fmt.Sprintf("%s:%d", file, n)})
		regions = append(regions, region)
	}
	if len(mappings) == 0 {
		return nil, fmt.Errorf("%s: got no mapping, want at least one line CIDR,REGION", file)
	}
	for i := range mappings {
		id, err := names.Intern(regions[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", mappings[i].At, err)
		}
		mappings[i].Region = id
	}
	return mappings, nil
}

// parseSubnet reads one line; region is empty if there is nothing on it.
func parseSubnet(line []byte) (prefix netip.Prefix, region string, err error) {
	if len(line) > maxLine {
		return prefix, "", fmt.Errorf("got a line of %d bytes that begins with %.40q, want at most %d", len(line), line, maxLine)
	}
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] == '#' {
		return prefix, "", nil
	}
	cidr, name, ok := bytes.Cut(line, []byte(","))
	if !ok {
		return prefix, "", fmt.Errorf("'%s' is not a mapping: want CIDR,REGION", line)
	}
	if prefix, err = ParsePrefix(string(bytes.TrimSpace(cidr))); err != nil {
		return prefix, "", err
	}
	region = string(bytes.TrimSpace(name))
	if err := CheckName(region); err != nil {
		return prefix, "", err
	}
	return prefix, region, nil
}
