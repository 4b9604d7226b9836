package gslb

import (
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/coredns/gslb/policy"
)

// FuzzParse holds that no text makes the parser panic, that whatever it refuses it refuses with a place, and that what
// it accepts keeps the promises that the rest of the program rests on.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"gslb",
		inRecord("policy weighted random\nwithin 5ms\nanswers all\naffinity 1h policy\nregion-filter off\nfail next\nfailsafe ::1\nttl 0\ndisabled"),
		inOrigin("weight 5% priority 2 region x location 1 -1 target [::1]:80 disabled check any a b"),
		inKind("https 443 /x", "interval 5s\ntimeout 1\nwindow 4 3\nexpect 200 300-399\nbody \"a b\"\nhost h\nheader A \"b\"\nservername s\ntls"),
		inKind("tcp 80", "failures 1\nsuccesses 1\ninitial unhealthy"),
		inProbes("workers 1\nsource 192.0.2.1 ::1\nmin-interval 1s"),
		inBlock("node region x pop y country de continent eu location 1 2\nregion x 10.0.0.0/8\nregion y {\nsubnet ::/0\n}\nlocate ecs ::1/128"),
		inBlock("ns a b\nnegative-ttl 5\nfallthrough example.org\nmonitor m h:80 c\ncheck c {\nhttp\n}\nrecord @ *.x www.example.org. {\norigin ::ffff:1.2.3.4 check c\n}"),
		"gslb {\n}\ngslb sub.example.org . {\nrecord www {\norigin 1.2.3.4\n}\n}",
		"gslb { } }\n{",
	} {
		f.Add(seed)
	}
	if manual, err := os.ReadFile("README.md"); err == nil {
		for _, example := range fences(string(manual)) {
			if _, inside, ok := strings.Cut(example, "{\n"); ok {
				f.Add(inside)
			}
		}
	}
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "subnets") || strings.Contains(text, "tls") && strings.Contains(text, "/") {
			t.Skip("which file that opens is anyone's guess")
		}
		cfg, err := parsedIn(root, text)
		if err != nil {
			if !strings.Contains(err.Error(), " - Error during parsing: ") {
				t.Errorf("Expected a place in the message, got %q", err)
			}
			return
		}
		for i := range cfg.policy.Records {
			r := &cfg.policy.Records[i]
			if (len(r.Origins) == 0) == (len(r.Pools) == 0) || r.Within < policy.None || r.Within > 1000 || r.Answers < policy.All || len(r.Name) > 254 ||
				r.Name != strings.ToLower(r.Name) || !strings.HasSuffix(r.Name, ".") || !utf8.ValidString(r.Name) {
				t.Errorf("Expected a sound record, got %+v", r)
			}
			if !slices.Contains(cfg.blocks[r.Block].zones, cfg.records[i].zone.name) || cfg.records[i].zone.block != cfg.blocks[r.Block] {
				t.Errorf("Expected record %s to be in a zone of its block", r.Name)
			}
			for _, o := range r.Origins {
				if o.Addr.IsValid() == (o.Alias != "") || o.Addr.Is4In6() || o.Need > len(o.Checks) || (o.Need == 0) != (len(o.Checks) == 0) {
					t.Errorf("Expected a sound origin, got %+v", o)
				}
				for _, c := range o.Checks {
					if c.PerAddress {
						continue
					}
					s, ok := cfg.subjects[c.Subject]
					if !ok || o.Disabled || s.spec.Interval <= 0 || s.spec.Timeout <= 0 || s.spec.Timeout > s.spec.Interval {
						t.Errorf("Expected a sound check, got %+v of %+v", s, c)
					}
				}
			}
		}
	})
}
