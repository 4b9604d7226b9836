package gslb

import (
	"strings"
	"testing"

	"github.com/miekg/dns"
)

const www = `gslb {
	check web {
		tcp 80
	}
	record www {
		origin 192.0.2.1
		origin 192.0.2.2
		check web
	}
}`

func with(lines string) string { return strings.Replace(www, "gslb {\n", "gslb {\n"+lines+"\n", 1) }

func TestNames(t *testing.T) {
	t.Run("COR-01 COR-44 A and AAAA of a name, by the origins' own addresses", func(t *testing.T) {
		h := newHandler(t, "gslb {\nrecord www {\norigin 192.0.2.1\norigin 2001:db8::1\n}\n}", nil)
		h.query("www.example.org.", "A").is("192.0.2.1")
		h.query("www.example.org.", "AAAA").is("2001:db8::1")
	})
	t.Run("V96 H-06 wildcards, empty non-terminals, the apex", func(t *testing.T) {
		for _, ns := range []string{"", "ns ns1.example.\n"} {
			h := newHandler(t, "gslb {\n"+ns+"record * app.eu {\norigin 192.0.2.1\n}\n}", nil)
			m, _ := h.query("x.example.org.", "A").ask()
			if len(m.Answer) != 1 || m.Answer[0].Header().Name != "x.example.org." {
				t.Errorf("Expected the query's name as owner, got %v", m)
			}
			h.query("x.eu.example.org.", "A").is("NXDOMAIN example.org. 30")
			h.query("eu.example.org.", "A").is("NODATA example.org. 30")
			h.query("x.example.org.", "AAAA").is("NODATA example.org. 30")
			h.query("a.b.example.org.", "A").is("192.0.2.1")
			h.query("example.org.", "A").is("NODATA example.org. 30")
			if got := h.query("example.org.", "SOA").said(); !strings.HasPrefix(got, "SOA n") {
				t.Errorf("Expected the SOA, got %q", got)
			}
			want := "NODATA example.org. 30"
			if ns != "" {
				want = "NS ns1.example."
			}
			h.query("example.org.", "NS").is(want)
		}
	})
	t.Run("V96 H-46 an apex that is a record has its SOA and NS all the same", func(t *testing.T) {
		h := newHandler(t, "gslb {\nns ns1.example.\nrecord @ {\norigin 192.0.2.1\n}\n}", nil)
		h.query("example.org.", "A").is("192.0.2.1")
		h.query("example.org.", "NS").is("NS ns1.example.")
		if got := h.query("example.org.", "SOA").said(); !strings.HasPrefix(got, "SOA ns1") {
			t.Errorf("Expected the SOA, got %q", got)
		}
		h.query("example.org.", "MX").is("NODATA example.org. 30")
	})
	t.Run("H-03 a name that exists only by names below it", func(t *testing.T) {
		const corefile = "gslb {\nFALL\nrecord app.eu {\norigin 192.0.2.1\n}\n}"
		alone := newHandler(t, strings.Replace(corefile, "FALL\n", "", 1), nil)
		behind := newHandler(t, strings.Replace(corefile, "FALL", "fallthrough", 1), zoneFile(3600, 300))
		for _, h := range []*handler{alone, behind} {
			for _, qtype := range []string{"A", "NS", "AAAA"} {
				if got := h.query("eu.example.org.", qtype).said(); !strings.HasPrefix(got, "NODATA example.org.") {
					t.Errorf("Expected NODATA for %s, got %q", qtype, got)
				}
			}
			if got := h.query("us.example.org.", "A").said(); !strings.HasPrefix(got, "NXDOMAIN example.org.") {
				t.Errorf("Expected NXDOMAIN, got %q", got)
			}
		}
	})
	t.Run("H-05 letter case: one answer, one rotation, the client's spelling", func(t *testing.T) {
		h := newHandler(t, "gslb {\nrecord Www {\norigin 192.0.2.1\norigin 192.0.2.2\npolicy round-robin\n}\n}", nil)
		seen := map[string]int{}
		for range 2 {
			seen[h.query("www.example.org.", "A").said()]++
			seen[h.query("WWW.EXAMPLE.ORG.", "A").said()]++
		}
		if seen["192.0.2.1"] != 2 || seen["192.0.2.2"] != 2 {
			t.Errorf("Expected one rotation, got %v", seen)
		}
		m, _ := h.query("wWw.eXample.org.", "A").ask()
		if m.Answer[0].Header().Name != "wWw.eXample.org." || m.Question[0].Name != "wWw.eXample.org." {
			t.Errorf("Expected the query's spelling, got %v", m)
		}
		if m, _ = h.query("wWw.eXample.org.", "A").do().ask(); m.Answer[0].Header().Name != "www.example.org." {
			t.Errorf("Expected lower case where DO is set, got %v", m.Answer[0])
		}
	})
	t.Run("V114 G-63 several blocks are one tree", func(t *testing.T) {
		h := newHandler(t, `gslb example.org {
	record www * {
		origin 192.0.2.1
	}
}
gslb sub.example.org {
	record api {
		origin 192.0.2.2
	}
}`, nil)
		h.query("www.example.org.", "A").is("192.0.2.1")
		h.query("api.sub.example.org.", "A").is("192.0.2.2")
		h.query("x.example.org.", "A").is("192.0.2.1")
		h.query("sub.example.org.", "A").is("NODATA sub.example.org. 30")
		h.query("x.sub.example.org.", "A").is("NXDOMAIN sub.example.org. 30")

		h = newHandler(t, "gslb {\nrecord www {\norigin 192.0.2.1\n}\n}\ngslb {\nnegative-ttl 7\nrecord api.eu {\norigin 192.0.2.2\n}\n}", nil)
		h.query("www.example.org.", "A").is("192.0.2.1")
		h.query("api.eu.example.org.", "A").is("192.0.2.2")
		h.query("eu.example.org.", "A").is("NODATA example.org. 30")
		h.query("x.example.org.", "A").is("NXDOMAIN example.org. 30")
	})
	t.Run("COR-38 G-63 a name that nobody owns goes on, or is refused", func(t *testing.T) {
		h := newHandler(t, "gslb a.example.org {\nrecord www {\norigin 192.0.2.1\n}\n}", nil)
		h.query("www.example.org.", "A").is("REFUSED")
		h = newHandler(t, "gslb a.example.org {\nrecord www {\norigin 192.0.2.1\n}\n}", zoneFile(1, 1, "www.example.org. 5 IN A 192.0.2.9"))
		h.query("www.example.org.", "A").is("192.0.2.9")
	})
	t.Run("COR-42 G-63 labels with escaped dots are one label", func(t *testing.T) {
		h := newHandler(t, "gslb {\nrecord * {\norigin 192.0.2.1\n}\n}", nil)
		h.query(`a\.b.example.org.`, "A").is("192.0.2.1")
		if got := parent(`a\.b.example.org.`); got != "example.org." {
			t.Errorf("Expected example.org., got %s", got)
		}
	})
}

func TestTypes(t *testing.T) {
	others := []string{"HTTPS", "SVCB", "TXT", "MX", "SRV", "CAA", "PTR", "ANY", "DS"}
	t.Run("H-04 COR-37 COR-41 types that we do not serve", func(t *testing.T) {
		alone := newHandler(t, www, nil)
		behind := newHandler(t, with("fallthrough"), zoneFile(3600, 300))
		text := newHandler(t, with("fallthrough"), zoneFile(3600, 300, `www.example.org. 9 IN TXT "x"`))
		for _, qtype := range others {
			alone.query("www.example.org.", qtype).is("NODATA example.org. 30")
			behind.query("www.example.org.", qtype).is("NODATA example.org. 30")
		}
		text.query("www.example.org.", "TXT").is(`TXT "x"`)
		text.query("www.example.org.", "MX").is("NODATA example.org. 3600")
		m := new(dns.Msg)
		m.SetQuestion("www.example.org.", 65280)
		(&question{alone, m, "192.0.2.9"}).is("NODATA example.org. 30")
	})
	t.Run("COR-37 CNAME is the record's, fallthrough or not", func(t *testing.T) {
		newHandler(t, www, nil).query("www.example.org.", "CNAME").is("NODATA example.org. 30")
		newHandler(t, with("fallthrough"), zoneFile(1, 1, "www.example.org. 5 IN CNAME x.")).query("www.example.org.", "CNAME").is("NODATA example.org. 30")
	})
	t.Run("V58 COR-39 COR-40 COR-41 a disabled record", func(t *testing.T) {
		corefile := strings.Replace(www, "check web\n\t}", "check web\n\t\tdisabled\n\t}", 1)
		h := newHandler(t, corefile, nil)
		for _, qtype := range []string{"A", "AAAA", "CNAME", "TXT"} {
			h.query("www.example.org.", qtype).is("NODATA example.org. 30")
		}
		behind := newHandler(t, strings.Replace(corefile, "gslb {", "gslb {\nfallthrough", 1),
			zoneFile(1, 1, `www.example.org. 9 IN TXT "x"`, "www.example.org. 9 IN A 192.0.2.9"))
		behind.query("www.example.org.", "TXT").is(`TXT "x"`)
		behind.query("www.example.org.", "A").is("NODATA example.org. 30")
	})
	t.Run("V111 G-47 fallthrough", func(t *testing.T) {
		next := zoneFile(3600, 300, `mail.example.org. 9 IN TXT "m"`)
		h := newHandler(t, with("fallthrough"), next)
		h.query("www.example.org.", "TXT").is("NODATA example.org. 30")
		h.query("mail.example.org.", "TXT").is(`TXT "m"`)
		h.query("x.example.org.", "A").is("NXDOMAIN example.org. 3600")
		if got := sortedWords(h.query("www.example.org.", "A").said()); got != "192.0.2.1 192.0.2.2" {
			t.Errorf("Expected ours, got %q", got)
		}
		h = newHandler(t, www, next)
		h.query("www.example.org.", "TXT").is("NODATA example.org. 30")
		h.query("x.example.org.", "A").is("NXDOMAIN example.org. 30")
		h = newHandler(t, with("fallthrough sub.example.org"), zoneFile(1, 1, "x.sub.example.org. 5 IN A 192.0.2.9"))
		h.query("x.example.org.", "A").is("NXDOMAIN example.org. 30")
		h.query("x.sub.example.org.", "A").is("192.0.2.9")
	})
	t.Run("V97 H-02 G-19 G-47 the TTL of the SOA", func(t *testing.T) {
		record := func(lines string) string {
			return strings.Replace(with(lines), "check web\n\t}", "check web\n\t\tttl 10s\n\t}", 1)
		}
		for lines, want := range map[string]string{"negative-ttl 300s": "10", "negative-ttl 5s": "5", "": "10"} {
			newHandler(t, record(lines), nil).query("www.example.org.", "AAAA").is("NODATA example.org. " + want)
		}
		newHandler(t, record("negative-ttl 300s"), nil).query("x.example.org.", "A").is("NXDOMAIN example.org. 300")
		for _, tt := range []struct {
			ttl, minimum uint32
			want         string
		}{{3600, 7, "7"}, {5, 300, "5"}, {3600, 300, "10"}} {
			newHandler(t, record("fallthrough"), zoneFile(tt.ttl, tt.minimum)).query("www.example.org.", "TXT").is("NODATA example.org. " + tt.want)
		}
	})
	t.Run("G-47 SOA and NS of an apex are ours where the next plugin has none", func(t *testing.T) {
		h := newHandler(t, with("fallthrough\nns ns1.example.net"), zoneFile(3600, 300))
		h.query("example.org.", "NS").is("NS ns1.example.net.")
		if got := h.query("example.org.", "SOA").said(); !strings.HasPrefix(got, "SOA ns1.example.net. hostmaster.example.org.") {
			t.Errorf("Expected our SOA, got %q", got)
		}
		h = newHandler(t, with("fallthrough\nns ns1.example.net"), zoneFile(1, 1, "example.org. 5 IN NS ns.next.", "example.org. 5 IN MX 1 mx.next."))
		h.query("example.org.", "NS").is("NS ns.next.")
		h.query("example.org.", "MX").is("MX 1 mx.next.")
	})
	t.Run("G-47 fallthrough without a next plugin, or with a chain that ends", func(t *testing.T) {
		for name, h := range map[string]*handler{"none": newHandler(t, with("fallthrough"), nil), "end": newHandler(t, with("fallthrough"), passing{})} {
			for q, want := range map[string]string{"www.example.org. TXT": "NODATA example.org. 30", "x.example.org. A": "NXDOMAIN example.org. 30", "example.org. MX": "NODATA example.org. 30"} {
				n, qtype, _ := strings.Cut(q, " ")
				if got := h.query(n, qtype).said(); got != want {
					t.Errorf("Expected %q for %s with %s, got %q", want, q, name, got)
				}
			}
			if got := h.query("example.org.", "SOA").said(); !strings.HasPrefix(got, "SOA ") {
				t.Errorf("Expected our SOA with %s, got %q", name, got)
			}
		}
	})
	t.Run("COR-41 zone transfers are refused", func(t *testing.T) {
		h := newHandler(t, www, nil)
		for _, qtype := range []string{"AXFR", "IXFR"} {
			h.query("example.org.", qtype).is("REFUSED")
			h.query("www.example.org.", qtype).is("REFUSED")
		}
	})
}
