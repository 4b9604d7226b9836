package gslb

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coredns/caddy"
	"github.com/coredns/coredns/core/dnsserver"
)

// parsed parses a gslb directive for the zone example.org.
func parsed(t testing.TB, corefile string, keys ...string) (*config, error) {
	t.Helper()
	c := caddy.NewTestController("dns", corefile)
	if keys == nil {
		keys = []string{"example.org."}
	}
	c.ServerBlockKeys = keys
	dnsserver.GetConfig(c).Root = testdata(t)
	return parse(c)
}

// testdata makes the files that configurations below name.
func testdata(t testing.TB) string {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"subnets.csv": "# map\n192.0.2.0/24,west\n2001:db8::/32,east\n", "empty.csv": "\n# nothing\n", "bad.csv": "192.0.2.0/24;west\n",
		"empty.pem": "", "twice.csv": "192.0.2.0/24,west\n192.0.2.0/24,east\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// inRecord puts lines into a record that is otherwise right, the first of them on line 4.
func inRecord(lines string) string {
	return "gslb {\nrecord www {\norigin 192.0.2.1\n" + lines + "\n}\n}"
}

func inCheck(lines string) string {
	return "gslb {\ncheck web {\n" + lines + "\n}\n}"
}

func inBlock(lines string) string { return "gslb {\n" + lines + "\n}" }

func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		name, corefile string
		line           int      // that the error begins with
		words          []string // that the message holds
	}{
		// Records.
		{"V112 H-43 a record without an origin", "gslb {\nrecord www {\nttl 5\n}\n}", 2, []string{"'www.example.org.'", "origin"}},
		{"V112 DTM-LB-19 H-42 policy fastest", inRecord("policy fastest"), 4, []string{"'fastest'"}},
		{"V112 policy weighted twice", inRecord("policy weighted weighted"), 4, []string{"'weighted weighted'"}},
		{"V112 answers 0", inRecord("answers 0"), 4, []string{"'0'", "answers"}},
		{"V112 answers some", inRecord("answers some"), 4, []string{"'some'"}},
		{"V112 affinity -1s", inRecord("affinity -1s"), 4, []string{"'-1s'"}},
		{"V25 DTM-LB-37 affinity 24h1s", inRecord("affinity 24h1s"), 4, []string{"'24h1s'"}},
		{"V25 DTM-LB-37 affinity 0", inRecord("affinity 0"), 4, []string{"'0'"}},
		{"V112 affinity policy 1h", inRecord("affinity policy 1h"), 4, []string{"'1h'"}},
		{"V112 within 1001ms", inRecord("within 1001ms"), 4, []string{"'1001ms'"}},
		{"V112 within 2 is seconds", inRecord("within 2"), 4, []string{"'2'"}},
		{"V112 ttl -1s", inRecord("ttl -1s"), 4, []string{"'-1s'"}},
		{"V112 ttl 500ms", inRecord("ttl 500ms"), 4, []string{"'500ms'"}},
		{"V112 ttl 2147483648", inRecord("ttl 2147483648"), 4, []string{"'2147483648'"}},
		{"V112 a surplus argument of ttl", inRecord("ttl 60 5 5"), 4, []string{"ttl"}},
		{"V112 fail closed", inRecord("fail closed"), 4, []string{"'closed'"}},
		{"V112 failsafe of a name", inRecord("failsafe backup"), 4, []string{"'backup'"}},
		{"V112 G-48 failsafe twice", inRecord("failsafe 192.0.2.9 192.0.2.9"), 4, []string{"'192.0.2.9'"}},
		{"V112 region-filter maybe", inRecord("region-filter maybe"), 4, []string{"'maybe'"}},
		{"V112 locate ecs with host bits", inRecord("locate ecs 192.0.2.1/24"), 4, []string{"'192.0.2.1/24'"}},
		{"V112 locate client", inRecord("locate client"), 4, []string{"'client'"}},
		{"V112 locate source with networks", inRecord("locate source 192.0.2.0/24"), 4, []string{"'192.0.2.0/24'"}},
		{"V112 disabled yes", inRecord("disabled yes"), 4, []string{"'yes'"}},
		{"V112 weight -1", inRecord("origin 192.0.2.2 weight -1"), 4, []string{"'-1'"}},
		{"V20 DTM-LB-24 weight -1%", inRecord("origin 192.0.2.2 weight -1%"), 4, []string{"'-1%'"}},
		{"V20 DTM-LB-24 weight 101%", inRecord("origin 192.0.2.2 weight 101%"), 4, []string{"'101%'"}},
		{"V20 DTM-LB-24 weight 1001", inRecord("origin 192.0.2.2 weight 1001"), 4, []string{"'1001'"}},
		{"V20 DTM-LB-24 percentages above a hundred", "gslb {\nrecord www {\norigin 192.0.2.1 weight 60%\norigin 192.0.2.2 weight 41%\n}\n}", 4, []string{"'41%'", "101%"}},
		{"V67 DTM-LB-20 mixed weights", "gslb {\nrecord www {\norigin 192.0.2.1 weight 90%\norigin 192.0.2.2 weight 10\n}\n}", 4, []string{"'10'", ":3"}},
		{"V112 weight 1.5", inRecord("origin 192.0.2.2 weight 1.5"), 4, []string{"'1.5'"}},
		{"V112 priority -1", inRecord("origin 192.0.2.2 priority -1"), 4, []string{"'-1'"}},
		{"V112 location 91 0", inRecord("origin 192.0.2.2 location 91 0"), 4, []string{"'91'"}},
		{"V112 location NaN", inRecord("origin 192.0.2.2 location 0 NaN"), 4, []string{"'NaN'"}},
		{"V112 an attribute without its argument", inRecord("origin 192.0.2.2 weight"), 4, []string{"'weight'"}},
		{"V112 an attribute twice", inRecord("origin 192.0.2.2 weight 1 weight 2"), 4, []string{"'weight'", "twice"}},
		{"V112 AFD-14 an unknown attribute", inRecord("origin 192.0.2.2 wieght 1"), 4, []string{"'wieght'", "'weight'"}},
		{"V112 an origin that is a name", inRecord("origin www2"), 4, []string{"'www2'"}},
		{"V112 a name outside the zones", "gslb {\nrecord www.example.net. {\norigin 192.0.2.1\n}\n}", 2, []string{"'www.example.net.'"}},
		{"V112 COR-38 H-05 www and WWW", "gslb {\nrecord www {\norigin 192.0.2.1\n}\nrecord WWW {\norigin 192.0.2.1\n}\n}", 5, []string{"'www.example.org.'", ":2"}},
		{"V112 COR-38 a name twice on a line", "gslb {\nrecord www www {\norigin 192.0.2.1\n}\n}", 2, []string{"'www.example.org.'"}},
		{"COR-39 a disabled record owns its name", "gslb {\nrecord www {\ndisabled\norigin 192.0.2.1\n}\nrecord www {\norigin 192.0.2.1\n}\n}", 6, []string{":2"}},
		{"H-43 COR-38 a name in two blocks", "gslb {\nrecord www {\norigin 192.0.2.1\n}\n}\ngslb {\nrecord www {\norigin 192.0.2.1\n}\n}", 7, []string{":2"}},
		{"COR-38 a name in overlapping zones", "gslb {\nrecord www.sub {\norigin 192.0.2.1\n}\n}\ngslb sub.example.org {\nrecord www {\norigin 192.0.2.1\n}\n}", 7, []string{":2"}},
		{"V112 G-48 H-43 an origin twice", inRecord("origin 192.0.2.1"), 4, []string{"'192.0.2.1'", ":3"}},
		{"V98 an origin twice, once IPv4-mapped", inRecord("origin ::ffff:192.0.2.1"), 4, []string{"'192.0.2.1'", ":3"}},
		{"H-32 ::1 spelled in two ways", "gslb {\nrecord www {\norigin ::1\norigin 0:0:0:0:0:0:0:1\n}\n}", 4, []string{"'::1'", ":3"}},
		{"V112 check 3 a b", "gslb {\ncheck a {\ntcp 80\n}\ncheck b {\ntcp 80\n}\nrecord www {\norigin 192.0.2.1\ncheck 3 a b\n}\n}", 10, []string{"'3'"}},
		{"V112 a check that is not defined", inRecord("check web"), 4, []string{"'web'", "not defined"}},
		{"V112 check without names", inRecord("check"), 4, []string{"check"}},
		{"V112 check any without names", inRecord("check any"), 4, []string{"check any"}},
		{"V112 check none and more", inRecord("check none web"), 4, []string{"'web'"}},
		{"V112 G-48 a check twice in a list", "gslb {\ncheck a {\ntcp 80\n}\nrecord www {\norigin 192.0.2.1 check a A\n}\n}", 6, []string{"'A'"}},
		{"V57 G-48 a monitor in a list", "gslb {\ncheck a {\ntcp 80\n}\nmonitor m 127.0.0.1 a\nrecord www {\norigin 192.0.2.1 check m\n}\n}", 7, []string{"'m'", ":5"}},
		{"V112 a bad target", inRecord("origin 192.0.2.2 target 127.0.0.1:99999"), 4, []string{"'99999'"}},
		{"V112 a wildcard inside a name", "gslb {\nrecord a.*.b {\norigin 192.0.2.1\n}\n}", 2, []string{"'a.*.b'"}},
		{"V112 a name with a blank", "gslb {\nrecord \"a b\" {\norigin 192.0.2.1\n}\n}", 2, []string{"'a b'"}},
		{"V112 a label that is too long", "gslb {\nrecord " + strings.Repeat("a", 64) + " {\norigin 192.0.2.1\n}\n}", 2, []string{"aaa"}},
		{"V112 a record without a name", "gslb {\nrecord {\norigin 192.0.2.1\n}\n}", 2, []string{"record"}},
		{"V112 a record without a block", "gslb {\nrecord www\n}", 2, []string{"'record'", "'{'"}},

		// Pools.
		{"V116 origins and pools", "gslb {\npool p {\norigin 192.0.2.1\n}\nrecord www {\norigin 192.0.2.1\npools p\n}\n}", 6, []string{"'pools'", ":7"}},
		{"V116 COR-45 a pool that is not defined", "gslb {\nrecord www {\npools p\n}\n}", 3, []string{"'p'"}},
		{"V116 COR-45 a pool of another block", "gslb {\npool p {\norigin 192.0.2.1\n}\n}\ngslb {\nrecord www {\npools p\n}\n}", 8, []string{"'p'"}},
		{"V116 COR-45 a fallback that is not defined", "gslb {\npool p {\norigin 192.0.2.1\n}\nrecord www {\npools p\nfallback q\n}\n}", 7, []string{"'q'"}},
		{"V116 COR-45 a when line whose pool is not defined", "gslb {\npool p {\norigin 192.0.2.1\n}\nrecord www {\npools p\nwhen qtype A pools q\n}\n}", 7, []string{"'q'"}},
		{"V116 G-48 a pool twice in a list", "gslb {\npool p {\norigin 192.0.2.1\n}\nrecord www {\npools p P\n}\n}", 6, []string{"'P'"}},
		{"V116 TR7-19 G-48 select with origins", inRecord("select 2"), 4, []string{"'select'", "pools"}},
		{"V116 TR7-19 G-48 steering with origins", inRecord("steering random"), 4, []string{"'steering'", "pools"}},
		{"V116 G-48 when with origins", "gslb {\npool p {\norigin 192.0.2.1\n}\nrecord www {\norigin 192.0.2.1\nwhen qtype A pools p\n}\n}", 7, []string{"'when'", "pools"}},
		{"V116 select 0", "gslb {\npool p {\norigin 192.0.2.1\n}\nrecord www {\npools p\nselect 0\n}\n}", 7, []string{"'0'"}},
		{"V116 G-48 check with pools", "gslb {\ncheck c {\ntcp 80\n}\npool p {\norigin 192.0.2.1\n}\nrecord www {\npools p\ncheck c\n}\n}", 10, []string{"'check'", ":9"}},
		{"V116 when qtype TXT", "gslb {\npool p {\norigin 192.0.2.1\n}\nrecord www {\npools p\nwhen qtype TXT pools p\n}\n}", 7, []string{"'TXT'"}},
		{"V116 when country XX", "gslb {\npool p {\norigin 192.0.2.1\n}\nrecord www {\npools p\nwhen country DE,XX pools p\n}\n}", 7, []string{"'XX'"}},
		{"V116 when continent EUR", "gslb {\npool p {\norigin 192.0.2.1\n}\nrecord www {\npools p\nwhen continent EUR pools p\n}\n}", 7, []string{"'EUR'"}},
		{"V116 when region of none defined", "gslb {\npool p {\norigin 192.0.2.1\n}\nrecord www {\npools p\nwhen region x pools p\n}\n}", 7, []string{"'x'"}},
		{"V116 when without pools", "gslb {\npool p {\norigin 192.0.2.1\n}\nrecord www {\npools p\nwhen qtype A\n}\n}", 7, []string{"when"}},
		{"V116 G-48 a pool twice", "gslb {\npool p {\norigin 192.0.2.1\n}\npool P {\norigin 192.0.2.1\n}\n}", 5, []string{"'P'", ":2"}},
		{"V116 H-43 a pool without an origin", "gslb {\npool p {\npolicy random\n}\n}", 2, []string{"'p'"}},
		{"V116 min-healthy 0", "gslb {\npool p {\norigin 192.0.2.1\nmin-healthy 0\n}\n}", 4, []string{"'0'"}},
		{"V116 a pool's region that is not defined", "gslb {\npool p {\norigin 192.0.2.1\nregion x\n}\n}", 4, []string{"'x'"}},
		{"H-42 fallback a b", "gslb {\npool p {\norigin 192.0.2.1\n}\nrecord www {\npools p\nfallback a b\n}\n}", 7, []string{"'b'"}},
		{"V74 G-43 weights of both kinds over pools", "gslb {\npool p {\norigin 192.0.2.1 weight 3\norigin 192.0.2.2 weight 1\n}\npool q {\norigin 192.0.2.3 weight 50%\norigin 192.0.2.4\n}\nrecord www {\npools p q\npolicy weighted\n}\n}", 10, []string{"'p'", "'q'"}},
		{"V20 G-10 an alias counts in both families", inRecord("origin 2001:db8::1 weight 50%\nalias a.example.net weight 60%"), 0, []string{"60%"}},
		{"V116 G-08 H-47 an alias of itself", "gslb {\nrecord a {\nalias a.example.org\n}\n}", 3, []string{"'a.example.org'"}},
		{"H-47 aliases in a circle", "gslb {\nrecord a {\nalias b.example.org\n}\nrecord b {\npools p\n}\npool p {\nalias c.example.org\n}\nrecord c {\nalias a.example.org\n}\n}", 12, []string{"'a.example.org'", "b.example.org. to c.example.org. to a.example.org."}},
		{"V116 geoip of a missing file", inBlock("geoip none.mmdb"), 2, []string{"none.mmdb"}},
		{"V116 geoip of an empty file", inBlock("geoip empty.pem"), 2, []string{"empty.pem"}},
		{"V116 geoip of another kind of file", inBlock("geoip subnets.csv"), 2, []string{"subnets.csv"}},

		// Regions.
		{"V112 H-42 host bits", inBlock("region x 10.1.2.3/8"), 2, []string{"'10.1.2.3/8'"}},
		{"V112 H-12 one prefix in two regions", inBlock("region x 10.0.0.0/8\nregion y 10.0.0.0/8"), 3, []string{"'10.0.0.0/8'", ":2"}},
		{"V98 one prefix in two spellings", inBlock("region x ::ffff:10.1.0.0/112\nregion y 10.1.0.0/16"), 3, []string{"'10.1.0.0/16'", ":2"}},
		{"V112 one prefix in Corefile and file", inBlock("region x 192.0.2.0/24\nsubnets subnets.csv"), 0, []string{"192.0.2.0/24"}},
		{"V112 a region that is not defined, in node", inBlock("node region x"), 2, []string{"'x'"}},
		{"V112 a region that is not defined, on an origin", inRecord("origin 192.0.2.2 region x"), 4, []string{"'x'"}},
		{"V112 G-48 a region twice", inBlock("region x 10.0.0.0/8\nregion X 10.1.0.0/16"), 3, []string{"'X'", ":2"}},
		{"V112 a region's bad name", inBlock("region a,b 10.0.0.0/8"), 2, []string{"'a,b'"}},
		{"V112 H-43 a subnets file that is missing", inBlock("subnets none.csv"), 2, []string{"none.csv"}},
		{"V112 H-43 a subnets file that is empty", inBlock("subnets empty.csv"), 2, []string{"empty.csv"}},
		{"V112 a subnets file that is malformed", inBlock("subnets bad.csv"), 2, []string{"bad.csv:1", "192.0.2.0/24;west"}},
		{"V116 country without geoip and without a node value", inBlock("region x {\ncountry DE\n}"), 3, []string{"'DE'", "geoip"}},
		{"V116 country DE in two regions", inBlock("node country DE\nregion x {\ncountry DE\n}\nregion y {\ncountry de\n}"), 7, []string{"'de'", ":4"}},
		{"V112 node country XX", inBlock("node country XX"), 2, []string{"'XX'"}},
		{"V112 node continent EUR", inBlock("node continent EUR"), 2, []string{"'EUR'"}},
		{"V112 node with an unknown word", inBlock("node planet earth"), 2, []string{"'planet'"}},
		{"V112 node twice", inBlock("node pop a\nnode pop b"), 3, []string{"'node'", ":2"}},

		// Checks.
		{"V110 H-42 interval 4s", inCheck("tcp 80\ninterval 4s"), 4, []string{"'4s'"}},
		{"V110 interval 1s without min-interval", inCheck("tcp 80\ninterval 1s"), 4, []string{"'1s'"}},
		{"V110 timeout 0s", inCheck("tcp 80\ntimeout 0s"), 4, []string{"'0s'"}},
		{"V110 DTM-HC-19 H-42 a timeout above the interval", inCheck("tcp 80\ninterval 15s\ntimeout 16s"), 5, []string{"'16s'"}},
		{"V110 failures 0", inCheck("tcp 80\nfailures 0"), 4, []string{"'0'"}},
		{"V110 successes 0", inCheck("tcp 80\nsuccesses 0"), 4, []string{"'0'"}},
		{"V110 window 3 5", inCheck("tcp 80\nwindow 3 5"), 4, []string{"'5'"}},
		{"V110 window 256 1", inCheck("tcp 80\nwindow 256 1"), 4, []string{"'256'"}},
		{"V110 expect 99", inCheck("http\nexpect 99"), 4, []string{"'99'"}},
		{"V110 expect 399-300", inCheck("http\nexpect 399-300"), 4, []string{"'399-300'"}},
		{"V110 body with HEAD", inCheck("http\nbody OK\nmethod HEAD"), 4, []string{"'body'", ":5"}},
		{"V110 tcp without a port", inCheck("tcp"), 3, []string{"'tcp'"}},
		{"V110 H-42 tcp 0", inCheck("tcp 0"), 3, []string{"'0'"}},
		{"V110 tcp 65536", inCheck("tcp 65536"), 3, []string{"'65536'"}},
		{"H-42 tcp 70000", inCheck("tcp 70000"), 3, []string{"'70000'"}},
		{"V110 no kind", inCheck("interval 5s"), 2, []string{"'web'", "kind"}},
		{"V110 two kinds", inCheck("tcp 80\nhttp"), 4, []string{"'http'", ":3"}},
		{"V110 DTM-HC-08 token on tcp", inCheck("tcp 80\ntoken file"), 4, []string{"'token'"}},
		{"V110 http with a path without a slash", inCheck("http 80 health"), 3, []string{"'health'"}},
		{"V110 a surplus argument of http", inCheck("http 80 / /x"), 3, []string{"'/x'"}},
		{"V110 expect with tcp", inCheck("tcp 80\nexpect 200"), 4, []string{"'expect'"}},
		{"V110 servername with tcp without tls", inCheck("tcp 80\nservername a.example.org"), 4, []string{"'servername'"}},
		{"V110 method POST", inCheck("http\nmethod POST"), 4, []string{"'POST'"}},
		{"V110 header Host", inCheck("http\nheader Host a"), 4, []string{"'Host'"}},
		{"V110 initial maybe", inCheck("http\ninitial maybe"), 4, []string{"'maybe'"}},
		{"V112 failures beside window", inCheck("tcp 80\nfailures 2\nwindow 3 2"), 4, []string{"'failures'", ":5"}},
		{"V112 DTM-HC-08 tls with http", inCheck("http\ntls"), 4, []string{"'tls'"}},
		{"V112 a CA file that is missing", inCheck("https\ntls none.pem"), 4, []string{"none.pem"}},
		{"V112 a CA file without a certificate", inCheck("https\ntls empty.pem"), 4, []string{"empty.pem"}},
		{"V112 a monitor with a check's name", "gslb {\ncheck web {\ntcp 80\n}\nmonitor web 127.0.0.1 web\n}", 5, []string{"'web'", ":2"}},
		{"V112 a check with a monitor's name", "gslb {\nmonitor web 127.0.0.1 web\ncheck web {\ntcp 80\n}\n}", 3, []string{"'web'", ":2"}},
		{"V112 a monitor of no check", inBlock("monitor m 127.0.0.1 web"), 2, []string{"'web'"}},
		{"G-48 a monitor twice", "gslb {\ncheck web {\ntcp 80\n}\nmonitor m 127.0.0.1 web\nmonitor m 127.0.0.2 web\n}", 6, []string{"'m'", ":5"}},
		{"G-48 a check twice", "gslb {\ncheck web {\ntcp 80\n}\ncheck Web {\ntcp 80\n}\n}", 5, []string{"'Web'", ":2"}},
		{"G-48 any is no name of a check", "gslb {\ncheck any {\ntcp 80\n}\n}", 2, []string{"'any'"}},
		{"G-48 none is no name of a check", "gslb {\ncheck none {\ntcp 80\n}\n}", 2, []string{"'none'"}},
		{"G-48 access is no name of a check", "gslb {\ncheck access {\ntcp 80\n}\n}", 2, []string{"'access'"}},
		{"G-48 a number is no name of a check", "gslb {\ncheck 3 {\ntcp 80\n}\n}", 2, []string{"'3'"}},
		{"H-42 intervall", inCheck("tcp 80\nintervall 5s"), 4, []string{"'intervall'", "did you mean 'interval'"}},
		{"H-42 interval twice", inCheck("tcp 80\ninterval 5s\ninterval 5s"), 5, []string{"'interval'", ":4"}},
		{"H-42 timeout without a value", inCheck("tcp 80\ntimeout"), 4, []string{"'timeout'"}},
		{"H-42 interval fast", inCheck("tcp 80\ninterval fast"), 4, []string{"'fast'"}},
		{"H-42 interval -5s", inCheck("tcp 80\ninterval -5s"), 4, []string{"'-5s'"}},

		// Probes and the rest.
		{"V112 workers 0", inBlock("probes {\nworkers 0\n}"), 3, []string{"'0'"}},
		{"V110 min-interval 500ms", inBlock("probes {\nmin-interval 500ms\n}"), 3, []string{"'500ms'"}},
		{"V112 two sources of one family", inBlock("probes {\nsource 127.0.0.1 127.0.0.2\n}"), 3, []string{"'127.0.0.2'"}},
		{"V112 AFD-14 an unknown word", inBlock("rekord www {\n}"), 2, []string{"'rekord'", "did you mean 'record'"}},
		{"V112 AFD-14 no synonyms", inRecord("endpoint 192.0.2.3"), 4, []string{"'endpoint'"}},
		{"V112 a word of a later step", inBlock("state x"), 2, []string{"'state'"}},
		{"V112 G-48 a property twice", inBlock("ttl 5\nttl 6"), 3, []string{"'ttl'", ":2"}},
		{"V112 a missing argument", inBlock("ns"), 2, []string{"'ns'"}},
		{"V112 a surplus argument", inBlock("negative-ttl 5 6"), 2, []string{"'6'"}},
		{"V112 ns that is no name", inBlock("ns \"a b\""), 2, []string{"'a b'"}},
		{"V112 fallthrough elsewhere", inBlock("fallthrough example.net"), 2, []string{"'example.net'"}},
		{"V112 an empty word", inRecord("origin \"\""), 4, []string{"empty"}},
		{"V112 a closing brace with company", "gslb {\nrecord www {\norigin 192.0.2.1 }\n}", 3, []string{"'}'"}},
		{"V112 an opening brace with company", "gslb {\nrecord www { ttl 3\n}\n}", 2, []string{"'ttl'"}},
		{"V112 an opening brace on its own line", "gslb {\nrecord www\n{\n}\n}", 2, []string{"'{'"}},
		{"V112 no blank before the brace", "gslb {\nrecord www{\n}\n}", 2, []string{"'www{'"}},
		{"V112 a block where none belongs", inBlock("ttl 5 {\n}"), 2, []string{"'ttl'"}},
		{"V112 a zone that is none", "gslb exa..mple {\n}", 1, []string{"exa..mple"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parsed(t, tt.corefile)
			if err == nil {
				t.Fatal("Expected a refusal, got none")
			}
			if prefix := fmt.Sprintf("Testfile:%d - Error during parsing: ", tt.line); tt.line > 0 && !strings.HasPrefix(err.Error(), prefix) {
				t.Errorf("Expected %q first, got %q", prefix, err)
			}
			for _, w := range tt.words {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("Expected %q in %q", w, err)
				}
			}
		})
	}
}
