package gslb

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/mmdbtype"
)

// geoFile writes a database: network to country, continent and coordinates, "DE EU 50.11 8.68" or a part of that.
func geoFile(t *testing.T, path string, networks map[string]string) {
	t.Helper()
	w, err := mmdbwriter.New(mmdbwriter.Options{
		DatabaseType: "Test", Description: map[string]string{"en": "test"}, IncludeReservedNetworks: true, RecordSize: 24,
	})
	if err != nil {
		t.Fatal(err)
	}
	for cidr, text := range networks {
		_, n, err := net.ParseCIDR(cidr)
		if err != nil {
			t.Fatal(err)
		}
		f := strings.Fields(text)
		record := mmdbtype.Map{"country": mmdbtype.Map{"iso_code": mmdbtype.String(f[0])}, "continent": mmdbtype.Map{"code": mmdbtype.String(f[1])}}
		if len(f) > 2 {
			place, err := location(f[2], f[3])
			if err != nil {
				t.Fatal(err)
			}
			lat, lon := place.Degrees()
			record["location"] = mmdbtype.Map{"latitude": mmdbtype.Float64(lat), "longitude": mmdbtype.Float64(lon)}
		}
		if err := w.Insert(n, record); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if _, err := w.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestGeography(t *testing.T) {
	path := filepath.Join(t.TempDir(), "geo.mmdb")
	geoFile(t, path, map[string]string{"203.0.113.0/24": "DE EU", "198.51.100.0/24": "US NA 39.04 -77.49", "192.0.2.0/25": "FR EU 48.86 2.35"})
	pools := `
	geoip ` + path + `
	pool p1 {
		origin 127.0.0.1
		location 50.11 8.68
	}
	pool p2 {
		origin 127.0.0.2
		location 39.04 -77.49
	}
	pool p3 {
		origin 127.0.0.3
	}
	pool p9 {
		origin 127.0.0.9
	}
`
	t.Run("V33 COR-33 COR-34 COR-36 G-41 by the database, and by the node where it does not know", func(t *testing.T) {
		h := newHandler(t, "gslb {\nnode pop FRA country DE continent EU location 0 0\nlocate ecs"+pools+"record www {\npools p9\nwhen continent EU pools p3\nwhen country DE pools p2\nwhen pop FRA pools p1\n}\n}", nil)
		h.query("www.example.org.", "A").by("203.0.113.9").is("127.0.0.2")
		h.query("www.example.org.", "A").by("192.0.2.9").is("127.0.0.3")
		h.query("www.example.org.", "A").by("198.51.100.9").is("127.0.0.9")
		h.query("www.example.org.", "A").by("100.64.0.1").is("127.0.0.1")
		m, _ := h.query("www.example.org.", "A").ecs("203.0.113.77/32").ask()
		if got := scopeOf(m); got != "1 203.0.113.77/32 scope 24" {
			t.Errorf("Expected G-29 the database's prefix as the scope, got %q", got)
		}
	})
	t.Run("V34 COR-35 a client of known country without coordinates sees the listed order", func(t *testing.T) {
		h := newHandler(t, "gslb {\nnode country DE location 39.04 -77.49"+pools+"record www {\npools p1 p2\nsteering proximity\n}\n}", nil)
		h.query("www.example.org.", "A").by("203.0.113.9").is("127.0.0.1")
		h.query("www.example.org.", "A").by("198.51.100.9").is("127.0.0.2")
		h.query("www.example.org.", "A").by("192.0.2.9").is("127.0.0.1")
		h.query("www.example.org.", "A").by("100.64.0.1").is("127.0.0.2")
	})
	t.Run("DTM-LB-29 G-29 regions by country and continent, after the subnets", func(t *testing.T) {
		h := newHandler(t, "gslb {\nlocate ecs"+pools+"region de {\ncountry DE\n}\nregion eu {\ncontinent EU\n}\nregion net 203.0.113.128/25\nrecord www {\norigin 127.0.0.1 region de\norigin 127.0.0.2 region eu\norigin 127.0.0.3 region net\n}\n}", nil)
		for from, want := range map[string]string{"203.0.113.9": "127.0.0.1", "192.0.2.9": "127.0.0.2", "203.0.113.200": "127.0.0.3", "198.51.100.1": "127.0.0.1 127.0.0.2 127.0.0.3"} {
			h.query("www.example.org.", "A").by(from).is(want)
		}
		m, _ := h.query("www.example.org.", "A").ecs("203.0.113.9/32").ask()
		if got := scopeOf(m); got != "1 203.0.113.9/32 scope 25" {
			t.Errorf("Expected the longest of both, got %q", got)
		}
	})
	t.Run("AFD-08 G-29 the scope of a line that reads networks", func(t *testing.T) {
		h := newHandler(t, "gslb {\nlocate ecs"+pools+"record www {\npools p1\nwhen cidr 203.0.113.0/24 pools p2\n}\n}", nil)
		m, _ := h.query("www.example.org.", "A").ecs("203.0.0.0/16").ask()
		if got := scopeOf(m); got != "1 203.0.0.0/16 scope 18" {
			t.Errorf("Expected the block up to the network, got %q", got)
		}
		h.query("www.example.org.", "A").ecs("203.0.113.0/24").is("127.0.0.2")
	})
	t.Run("V116 H-14 a database that is cut in half, of another kind, or has lost what it knew", func(t *testing.T) {
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		bad := filepath.Join(t.TempDir(), "bad.mmdb")
		for name, content := range map[string][]byte{"half": whole[:len(whole)/2], "text": []byte("not a database"), "empty": nil} {
			os.WriteFile(bad, content, 0o600)
			if _, err := parsed(t, "gslb {\ngeoip "+bad+"\n}"); err == nil || !strings.HasPrefix(err.Error(), "Testfile:2 - ") || !strings.Contains(err.Error(), bad) {
				t.Errorf("Expected %s to be refused by line and name, got %v", name, err)
			}
		}
		cfg, err := parsed(t, "gslb {\ngeoip "+path+"\n}")
		if err != nil {
			t.Fatal(err)
		}
		if err := readDatabase(cfg.blocks[0].locator, 0, bad); err == nil {
			t.Error("Expected a bad file not to be taken")
		}
		if country, _, _, _ := cfg.blocks[0].locator.Knows(); !country {
			t.Error("Expected the former content to stay")
		}
	})
	t.Run("COR-29 a condition that nothing can know is noted once", func(t *testing.T) {
		cfg := accepted(t, "gslb {\npool p {\norigin 127.0.0.1\n}\nrecord www {\npools p\nwhen country DE pools p\nwhen asn 64500 pools p\n}\n}")
		if len(cfg.warnings) != 2 || !strings.Contains(cfg.warnings[0], ":7") || !strings.Contains(cfg.warnings[1], ":8") {
			t.Errorf("Expected a note for each line, got %q", cfg.warnings)
		}
	})
	t.Run("G-46 an origin's region is its own, its pool's, its address's", func(t *testing.T) {
		cfg := accepted(t, "gslb {\nregion we 127.0.0.0/24\nregion ne 127.0.1.0/24\npool p {\norigin 127.0.0.1\norigin 127.0.0.2 region we\nregion ne\nlocation 1 2\n}\nrecord www {\npools p\n}\n}")
		o := cfg.policy.Pools[0].Origins
		if cfg.regions.Name(1) != "we" || o[0].Region != 2 || o[1].Region != 1 || o[0].Location != nil || cfg.policy.Pools[0].Location == nil {
			t.Errorf("Expected the pool's region and its own, and no location of its own, got %+v", o)
		}
	})
}
