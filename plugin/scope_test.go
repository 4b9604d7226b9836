package gslb

import (
	"net/netip"
	"path/filepath"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

// TestScopesNeverOverlap holds, by brute force over a /24 and what is around it, that no two scopes that were returned
// overlap with different answers (RFC 7871, section 7.3.1), with regions, a database and `when` lines in play.
func TestScopesNeverOverlap(t *testing.T) {
	geo := filepath.Join(t.TempDir(), "geo.mmdb")
	geoFile(t, geo, map[string]string{"203.0.113.64/27": "DE EU 50 8", "203.0.113.96/28": "FR EU 48 2", "203.0.113.192/26": "US NA 39 -77"})
	for name, record := range map[string]string{
		"regions":   "record www {\norigin 127.0.0.1 region a\norigin 127.0.0.2 region b\norigin 127.0.0.3\n}",
		"countries": "record www {\norigin 127.0.0.1 region de\norigin 127.0.0.2 region a\norigin 127.0.0.3 region na\n}",
		"lines":     "record www {\npools p1\nwhen cidr 203.0.113.8/29,203.0.113.70/32 pools p2\nwhen country DE pools p3\nwhen region b pools p2 p3\n}",
		"distance":  "record www {\npools p1 p2 p3\nsteering proximity\n}",
	} {
		t.Run("G-29 "+name, func(t *testing.T) {
			h := newHandler(t, "gslb {\nlocate ecs\ngeoip "+geo+"\nregion a 203.0.113.0/27 203.0.113.128/26\nregion b 203.0.113.16/29 203.0.113.130/32\nregion de {\ncountry DE\n}\nregion na {\ncontinent NA\n}\n"+
				"pool p1 {\norigin 127.0.0.1\nlocation 50 8\n}\npool p2 {\norigin 127.0.0.2\nlocation 39 -77\n}\npool p3 {\norigin 127.0.0.3\nlocation 48 2\n}\n"+record+"\n}", nil)
			type scoped struct {
				prefix netip.Prefix
				answer string
			}
			var all []scoped
			for _, length := range []int{16, 20, 24, 28, 32} {
				for i := range 260 {
					a := netip.AddrFrom4([4]byte{203, 0, byte(112 + (i+254)/256), byte(i + 254)})
					p, _ := a.Prefix(length)
					m, _ := h.query("www.example.org.", "A").ecs(p.String()).ask()
					var words []string
					for _, rr := range m.Answer {
						words = append(words, rr.(*dns.A).A.String())
					}
					opt := m.IsEdns0().Option[0].(*dns.EDNS0_SUBNET)
					scope, _ := p.Addr().Prefix(int(opt.SourceScope))
					all = append(all, scoped{scope, strings.Join(words, " ")})
				}
			}
			answers := map[string]bool{}
			for i, x := range all {
				answers[x.answer] = true
				for _, y := range all[:i] {
					if x.answer != y.answer && x.prefix.Overlaps(y.prefix) {
						t.Fatalf("Expected no overlap, got %s with %s and %s with %s", x.prefix, x.answer, y.prefix, y.answer)
					}
				}
			}
			if len(answers) < 2 {
				t.Errorf("Expected different answers, got %v", answers)
			}
		})
	}
}
