package gslb

import (
	"fmt"
	"github.com/coredns/gslb/policy"
	"strings"
	"testing"
	"time"
)

func TestRecordNames(t *testing.T) {
	label := strings.Repeat("a", 63)
	long := strings.Join([]string{label, label, label, strings.Repeat("b", 50)}, ".") // with the zone one octet too long
	if n := 1 + len(long+".example.org."); n != 256 {
		t.Fatalf("Expected a name of 256 octets, got %d", n)
	}
	record := func(names string) string { return inBlock("record " + names + " {\norigin 192.0.2.1\n}") }
	testRefused(t, []refused{
		{"V112 outside ZONES", record("www.example.net."), 2, []string{"'www.example.net.'", "example.org."}},
		{"V112 outside ZONES", record("org."), 2, []string{"'org.'"}},
		{"V112 outside ZONES", record("badexample.org."), 2, []string{"'badexample.org.'"}},
		{"V112 two casings on one line", record("www WWW"), 2, []string{"'www.example.org.'", "Testfile:2"}},
		{"COR-38 relative and absolute", record("www www.example.org."), 2, []string{"'www.example.org.'"}},
		{"COR-38 apex", record("@ example.org."), 2, []string{"'example.org.'"}},
		{"COR-38 zones of one block", "gslb example.org sub.example.org {\nrecord www.sub www {\norigin 192.0.2.1\n}\n}", 2, []string{"'www.sub.example.org.'"}},
		{"a label of 64", record(label + "a"), 2, []string{label + "a"}},
		{"a name of 256", record(long), 2, []string{label}},
		{"an empty label", record("a..b"), 2, []string{"'a..b'"}},
		{"an empty label", record(".a"), 2, []string{"'.a'"}},
		{"a blank", record(`"www app"`), 2, []string{"'www app'"}},
		{"a wildcard inside", record("a.*.b"), 2, []string{"'a.*.b'"}},
		{"a wildcard inside", record("a.*"), 2, []string{"'a.*'"}},
		{"a wildcard inside", record("*.*"), 2, []string{"'*.*'"}},
		{"a part of a label", record("*a"), 2, []string{"'*a'"}},
		{"an @ inside", record("a@b"), 2, []string{"'a@b'"}},
		{"an @ inside", record("*.@"), 2, []string{"'*.@'"}},
		{"a letter that is none", record("bücher"), 2, []string{"'bücher'"}},
		{"an escape", record(`a\.b`), 2, []string{`'a\.b'`}},
		{"an address and its port", record("www:80"), 2, []string{"'www:80'"}},
		{"a quote", record("o'hara"), 2, []string{"'o'hara'"}},
	})
	testTaken(t, []taken{
		{"relative", record("www App.EU"), recordNames, "[www.example.org. app.eu.example.org.]"},
		{"apex", record("@"), recordNames, "[example.org.]"},
		{"wildcards", record("* *.eu"), recordNames, "[*.example.org. *.eu.example.org.]"},
		{"absolute", record("www.EXAMPLE.org. *.eu.example.org. example.org."), recordNames, "[www.example.org. *.eu.example.org. example.org.]"},
		{"an underscore", record("_http._tcp"), recordNames, "[_http._tcp.example.org.]"},
		{"a label of 63", record(label), recordNames, "[" + label + ".example.org.]"},
		{"a name of 255", record(long[:241]), recordNames, "[" + long[:241] + ".example.org.]"},
		{"each of two zones", "gslb example.org example.net {\nrecord @ www {\norigin 192.0.2.1\n}\n}", recordNames, "[example.org. example.net. www.example.org. www.example.net.]"},
		{"absolute in one of two zones", "gslb example.org sub.example.org {\nrecord www.sub.example.org. {\norigin 192.0.2.1\n}\n}", recordNames, "[www.sub.example.org.]"},
		{"the zone of the absolute one", "gslb example.org sub.example.org {\nrecord www.sub.example.org. {\norigin 192.0.2.1\n}\n}",
			func(c *config) any { return c.records[0].zone.name }, "sub.example.org."},
		{"the root", "gslb . {\nrecord www @ {\norigin 192.0.2.1\n}\n}", recordNames, "[www. .]"},
		{"H-05 the zone's case", "gslb GSLB.Example {\nrecord Www {\norigin 192.0.2.1\n}\n}", recordNames, "[www.gslb.example.]"},
	})
}

func TestRecordRefused(t *testing.T) {
	testRefused(t, []refused{
		{"H-43 no origin", inBlock("record www {\nfailsafe 192.0.2.1\n}"), 2, []string{"'www.example.org.'", "origin"}},
		{"V112 two seconds", inRecord("within 2"), 4, []string{"'2'"}},
		{"whole milliseconds", inRecord("within 1500us"), 4, []string{"'1500us'"}},
		{"fail", inRecord("fail closed"), 4, []string{"'closed'"}},
		{"failsafe", inRecord("failsafe sorry.example.org"), 4, []string{"'sorry.example.org'"}},
		{"failsafe twice", inRecord("failsafe 192.0.2.9 ::ffff:192.0.2.9"), 4, []string{"192.0.2.9"}},
	})
}

func TestRecordAccepted(t *testing.T) {
	testTaken(t, []taken{
		{"defaults", inRecord(""), func(c *config) any {
			r := firstRecord(c)
			return words(r.Fail, r.Within, r.Answers, r.Affinity, r.RegionFilter, r.Select, r.Fallback, r.Disabled, r.Countdown, r.Pos.Line)
		}, words("open", policy.None, 0, policy.Affinity{}, true, 1, policy.None, false, false, 2)},
		{"within 0", inRecord("within 0"), func(c *config) any { return firstRecord(c).Within }, 0},
		{"within", inRecord("within 30ms"), func(c *config) any { return firstRecord(c).Within }, 30},
		{"within 1000ms", inRecord("within 1"), func(c *config) any { return firstRecord(c).Within }, 1000},
		{"answers", inRecord("answers 1"), func(c *config) any { return firstRecord(c).Answers }, 1},
		{"answers all", inRecord("answers all"), func(c *config) any { return firstRecord(c).Answers }, policy.All},
		{"affinity", inRecord("affinity"), func(c *config) any { return firstRecord(c).Affinity }, policy.Affinity{On: true}},
		{"affinity policy", inRecord("affinity policy"), func(c *config) any { return firstRecord(c).Affinity }, policy.Affinity{On: true, ByPolicy: true}},
		{"affinity WINDOW policy", inRecord("affinity 60 policy"), func(c *config) any { return firstRecord(c).Affinity }, policy.Affinity{On: true, Window: time.Minute, ByPolicy: true}},
		{"failsafe", inRecord("failsafe 192.0.2.9 ::FFFF:192.0.2.10 2001:DB8::1"), func(c *config) any { return firstRecord(c).Failsafe }, "[192.0.2.9 192.0.2.10 2001:db8::1]"},
		{"disabled", inRecord("disabled"), func(c *config) any { return firstRecord(c).Disabled }, true},
		{"fail all", inRecord("fail all"), func(c *config) any { return firstRecord(c).Fail }, "all"},
		{"fail nodata", inRecord("fail nodata"), func(c *config) any { return firstRecord(c).Fail }, "nodata"},
		{"fail servfail", inRecord("fail servfail"), func(c *config) any { return firstRecord(c).Fail }, "servfail"},
		{"fail next", inRecord("fail next"), func(c *config) any { return firstRecord(c).Fail }, "next"},
		{"COR-42 a record removed leaves its name free", inRecord(""), recordNames, "[www.example.org.]"},
	})
}

func TestOriginRefused(t *testing.T) {
	testRefused(t, []refused{
		{"not an address", inRecord("origin www.example.org"), 4, []string{"'www.example.org'"}},
		{"not an address", inRecord("origin 192.0.2.300"), 4, []string{"'192.0.2.300'"}},
		{"not an address", inRecord("origin 192.0.2.0/24"), 4, []string{"'192.0.2.0/24'"}},
		{"not an address", inRecord("origin 192.0.2.1:80"), 4, []string{"'192.0.2.1:80'"}},
		{"a zone of an address", inRecord("origin fe80::1%eth0"), 4, []string{"'fe80::1%eth0'"}},
		{"V112 twice", inRecord("origin 192.0.2.1"), 4, []string{"'192.0.2.1'", "Testfile:3"}},
		{"COR-43 twice", inRecord("origin 192.0.2.1 disabled"), 4, []string{"'192.0.2.1'", "Testfile:3"}},
		{"DTM-LB-24 an integer", inOrigin("weight 1.5"), 3, []string{"'1.5'"}},
		{"DTM-LB-24 an integer", inOrigin("weight 0.5%"), 3, []string{"'0.5%'"}},
		{"DTM-LB-24 a number", inOrigin("weight %"), 3, []string{"'%'"}},
		{"DTM-LB-24 a number", inOrigin("weight heavy"), 3, []string{"'heavy'"}},
		{"DTM-LB-24 a number", inOrigin("weight +5"), 3, []string{"'+5'"}},
		{"DTM-LB-24 a number", inOrigin("weight -0"), 3, []string{"'-0'"}},
		{"V20 the sum", inBlock("record www {\norigin 192.0.2.1 weight 60%\norigin 192.0.2.2 weight 41%\n}"), 4, []string{"'41%'", "101%"}},
		{"V20, G-02 the sum counts disabled ones", inBlock("record www {\norigin 192.0.2.1 weight 60% disabled\norigin 192.0.2.2 weight 50%\n}"), 4, []string{"'50%'"}},
		{"V67 under another policy", inBlock("record www {\npolicy failover\norigin 192.0.2.1 weight 90%\norigin 192.0.2.2 weight 10\n}"), 5, []string{"'10'", "'90%'", "Testfile:4"}},
		{"V67 one without", inBlock("record www {\norigin 192.0.2.1 weight 3\norigin 192.0.2.2\n}"), 4, []string{"'192.0.2.2'", "Testfile:3"}},
		{"priority", inOrigin("priority 65536"), 3, []string{"'65536'"}},
		{"priority", inOrigin("priority first"), 3, []string{"'first'"}},
		{"location", inOrigin("location 0 180.1"), 3, []string{"'180.1'"}},
		{"location", inOrigin("location NaN 0"), 3, []string{"'NaN'"}},
		{"location", inOrigin("location 0 -Inf"), 3, []string{"'-Inf'"}},
		{"location", inOrigin("location north 0"), 3, []string{"'north'"}},
		{"target", inOrigin("target 192.0.2.1:0"), 3, []string{"'192.0.2.1:0'"}},
		{"target", inOrigin("target 192.0.2.1:65536"), 3, []string{"'192.0.2.1:65536'"}},
		{"target", inOrigin("target 192.0.2.1:"), 3, []string{"'192.0.2.1:'"}},
		{"target", inOrigin("target 192.0.2.1:http"), 3, []string{"'192.0.2.1:http'"}},
		{"target", inOrigin("target 192.0.2.300"), 3, []string{"'192.0.2.300'"}},
		{"target", inOrigin("target :80"), 3, []string{"':80'"}},
		{"target", inOrigin("target ."), 3, []string{"'.'"}},
		{"target", inOrigin("target [::1"), 3, []string{"'[::1'"}},
		{"target", inOrigin("target [host.example.org]:80"), 3, []string{"'[host.example.org]:80'"}},
		{"target", inOrigin("target http://192.0.2.1/"), 3, []string{"'http://192.0.2.1/'"}},
		{"target", inOrigin("target *.example.org"), 3, []string{"'*.example.org'"}},
		{"target", inOrigin(`target "a b"`), 3, []string{"'a b'"}},
	})
}

func TestOriginAccepted(t *testing.T) {
	shown := func(c *config) any {
		o := firstOrigin(c)
		return words(o.Addr, o.Weight.Kind, o.Weight.N, o.Priority, o.Region, o.Location, o.Disabled, o.Need, len(o.Checks))
	}
	testTaken(t, []taken{
		{"defaults", inOrigin(""), shown, words("192.0.2.1", policy.NoWeight, 0, 1, 0, (*policy.Location)(nil), false, 0, 0)},
		{"all of them in any order", inBlock("region x\nrecord www {\norigin 192.0.2.1 disabled location 50.11 8.68 region X priority 0 weight 1000\n}"), shown,
			words("192.0.2.1", policy.Relative, 1000, 0, 1, place("50.11", "8.68"), true, 0, 0)},
		{"the least and the last", inOrigin("weight 0% priority 65535 location -90 180"), shown,
			words("192.0.2.1", policy.Percent, 0, 65535, 0, place("-90", "180"), false, 0, 0)},
		{"V98 mapped", inBlock("record www {\norigin ::ffff:192.0.2.1\n}"), func(c *config) any { return firstOrigin(c).Addr }, "192.0.2.1"},
		{"V20 each family", inBlock("record www {\norigin 192.0.2.1 weight 60%\norigin 2001:db8::3 weight 60%\n}"), func(c *config) any { return len(firstRecord(c).Origins) }, 2},
		{"V68 none", inBlock("record www {\npolicy weighted\norigin 192.0.2.1\norigin 192.0.2.2\n}"), func(c *config) any { return len(firstRecord(c).Origins) }, 2},
		{"G-46 its own region over its address's", inBlock("region x 192.0.2.0/24\nregion y\nrecord www {\norigin 192.0.2.1 region y\n}"), func(c *config) any { return firstOrigin(c).Region }, 2},
		{"DTM-LB-06 by its address", inBlock("region x 192.0.2.0/24\nrecord www {\norigin 192.0.2.1\n}"), func(c *config) any {
			return words(firstOrigin(c).Region, c.policy.RegionOf(firstOrigin(c), 0))
		}, "0 1"},
		{"the order of declaration", inRecord("origin 192.0.2.3\norigin 192.0.2.2"), func(c *config) any {
			var list []string
			for _, o := range firstRecord(c).Origins {
				list = append(list, fmt.Sprint(o.Addr, "@", o.Pos.Line))
			}
			return list
		}, "[192.0.2.1@3 192.0.2.3@4 192.0.2.2@5]"},
	})
}

func place(lat, lon string) *policy.Location {
	l, err := location(lat, lon)
	if err != nil {
		panic(err)
	}
	return l
}
