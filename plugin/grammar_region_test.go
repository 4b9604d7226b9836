package gslb

import (
	"bufio"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coredns/gslb/region"
)

// regionNameOf gives the name of an address's region in the first block.
func regionNameOf(c *config, a string) string {
	return c.regions.Name(c.blocks[0].locator.Region(netip.MustParseAddr(a)))
}

// atNode gives what is known of the node.
func atNode(b *block) string {
	c := b.locator.Locate(region.Request{Mode: region.AtNode})
	where := "nowhere"
	if c.Place.Location != nil {
		lat, lon := c.Place.Location.Degrees()
		where = fmt.Sprintf("{%v %v}", lat, lon)
	}
	return fmt.Sprintf("%d %s %s %s %s", c.Region, c.Place.Pop, c.Place.Country, c.Place.Continent, where)
}

func TestRegionRefused(t *testing.T) {
	testRefused(t, []refused{
		{"host bits in a block", inBlock("region x {\nsubnet 10.0.0.0/8\nsubnet 2001:db8::1/32\n}"), 4, []string{"'2001:db8::1/32'"}},
		{"twice in one region", inBlock("region x {\nsubnet 10.0.0.0/8\nsubnet 10.0.0.0/8\n}"), 4, []string{"'10.0.0.0/8'", "Testfile:3"}},
		{"host bits of a mapped one", inBlock("region x ::ffff:10.1.0.1/112"), 2, []string{"'::ffff:10.1.0.1/112'"}},
		{"a mapped one of too few bits", inBlock("region x ::ffff:0:0/95"), 2, []string{"'::ffff:0:0/95'"}},
		{"a length that is none", inBlock("region x 10.0.0.0/33"), 2, []string{"'10.0.0.0/33'"}},
		{"no length", inBlock("region x 10.0.0.0"), 2, []string{"'10.0.0.0'"}},
		{"a list", inBlock("region x 10.0.0.0/8,11.0.0.0/8"), 2, []string{"'10.0.0.0/8,11.0.0.0/8'"}},
		{"its name", inBlock("region a/b 10.0.0.0/8"), 2, []string{"'a/b'"}},
		{"both forms", inBlock("region x 10.0.0.0/8 {\nsubnet 11.0.0.0/8\n}"), 2, []string{"'10.0.0.0/8'"}},
		{"V112 not defined", inBlock("region x\nrecord www {\norigin 192.0.2.1 region y\n}"), 4, []string{"'y'"}},
		{"not defined on a disabled origin", inOrigin("disabled region y"), 3, []string{"'y'"}},
		{"node", inBlock("node pop a/b"), 2, []string{"'a/b'"}},
		{"node", inBlock("node country DEU"), 2, []string{"'DEU'"}},
		{"node", inBlock("node country XX"), 2, []string{"'XX'"}},
		{"node", inBlock("node country EU"), 2, []string{"'EU'"}},
		{"node", inBlock("node country UK"), 2, []string{"'UK'"}},
		{"node", inBlock("node continent EUR"), 2, []string{"'EUR'"}},
		{"node", inBlock("node continent US"), 2, []string{"'US'"}},
		{"node", inBlock("node location 91 0"), 2, []string{"'91'"}},
		{"node", inBlock("node location 0 -181"), 2, []string{"'-181'"}},
		{"node", inBlock("node location inf 0"), 2, []string{"'inf'"}},
	})
}

func TestRegionAccepted(t *testing.T) {
	testTaken(t, []taken{
		{"short", inBlock("region x 10.0.0.0/8 2001:db8::/32"), func(c *config) any { return regionNameOf(c, "10.1.1.1") + regionNameOf(c, "2001:db8::1") }, "xx"},
		{"without networks", inBlock("region x\nnode region x"), func(c *config) any { return atNode(c.blocks[0])[:1] }, "1"},
		{"long", inBlock("region x {\nsubnet 10.0.0.0/8 11.0.0.0/8\nsubnet 12.0.0.0/8\n}"), func(c *config) any { return regionNameOf(c, "11.1.1.1") + regionNameOf(c, "12.1.1.1") }, "xx"},
		{"V98 mapped", inBlock("region x ::ffff:10.1.0.0/112"), func(c *config) any { return regionNameOf(c, "10.1.0.9") }, "x"},
		{"all of a family", inBlock("region x 0.0.0.0/0\nregion y ::/0"), func(c *config) any { return regionNameOf(c, "192.0.2.1") + regionNameOf(c, "2001:db8::1") }, "xy"},
		{"node", inBlock("region x\nnode location 50.11 8.68 continent eu country de pop Fra region X"), func(c *config) any {
			b := c.blocks[0]
			return atNode(b)
		}, "1 fra DE EU {50.11 8.68}"},
		{"no node", inBlock(""), func(c *config) any {
			return atNode(c.blocks[0])
		}, "0    nowhere"},
	})
}

// H-12: the longest prefix wins, in any order of lines, and in a file.
func TestLongestPrefix(t *testing.T) {
	lines := []string{"10.0.0.0/8 a", "10.20.0.0/16 b", "10.20.30.0/24 c"}
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		root := t.TempDir()
		var text, file string
		for _, i := range order {
			cidr, name, _ := strings.Cut(lines[i], " ")
			text += "region " + name + " " + cidr + "\n"
			file += cidr + "," + name + "\n"
		}
		if err := os.WriteFile(filepath.Join(root, "subnets"), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, block := range []string{inBlock(text), inBlock("subnets subnets")} {
			cfg, err := parsedIn(root, block)
			if err != nil {
				t.Fatalf("Expected it to be accepted, got %q:\n%s", err, block)
			}
			if got := regionNameOf(cfg, "10.1.1.1") + regionNameOf(cfg, "10.20.1.1") + regionNameOf(cfg, "10.20.30.40"); got != "abc" {
				t.Errorf("Order %v: expected regions a, b, c, got %s:\n%s", order, got, block)
			}
		}
	}
}

// Every code of ISO 3166 is a country, in either case.
func TestCountries(t *testing.T) {
	file, err := os.Open("/usr/share/zoneinfo/iso3166.tab")
	if err != nil {
		t.Skipf("no list of countries here: %s", err)
	}
	defer file.Close()
	n := 0
	for s := bufio.NewScanner(file); s.Scan(); {
		code, _, ok := strings.Cut(s.Text(), "\t")
		if !ok || strings.HasPrefix(code, "#") {
			continue
		}
		n++
		for _, w := range []string{code, strings.ToLower(code)} {
			if got, err := country(w); err != nil || got.String() != code {
				t.Errorf("Expected '%s' to be the country %s, got %q, %v", w, code, got, err)
			}
		}
	}
	if n < 200 {
		t.Errorf("Expected a list of countries, got %d", n)
	}
	for _, w := range []string{"AA", "QM", "XA", "ZZ", "EU", "UK", "AN", "SU", "001", "D", "D1", "Ää", ""} {
		if got, err := country(w); err == nil {
			t.Errorf("Expected '%s' to be refused, got %q", w, got)
		}
	}
}
