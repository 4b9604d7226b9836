package gslb

import (
	"github.com/coredns/caddy"
	"github.com/coredns/caddy/caddyfile"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFormRefused(t *testing.T) {
	testRefused(t, []refused{
		{"V112 unknown", inRecord("colour red"), 4, []string{"unknown property 'colour'", "'www'"}},
		{"V112 unknown", inProbes("wokers 3"), 3, []string{"'wokers'", "'workers'"}},
		{"V112 unknown", inBlock("region x {\nsubnets 10.0.0.0/8\n}"), 3, []string{"'subnets'", "'subnet'"}},
		{"V112 unknown word", inBlock("node town x"), 2, []string{"'town'"}},
		{"a later step's", inKind("tcp 80", "damp 2 60s"), 4, []string{"'damp'"}},
		{"a later step's", inKind("http", "token file"), 4, []string{"'token'"}},
		{"a later step's", inBlock("check c {\nicmp\n}"), 3, []string{"'icmp'"}},
		{"a later step's", inBlock("node datacenter x"), 2, []string{"'datacenter'"}},
		{"a later step's", inBlock("express"), 2, []string{"'express'"}},

		{"G-48 twice", inBlock("ttl 5s\npolicy all\nttl 5s"), 4, []string{"'ttl'", "Testfile:2"}},
		{"G-48 twice", inRecord("answers 1\nanswers 1"), 5, []string{"'answers'", "Testfile:4"}},
		{"G-48 twice", inProbes("workers 1\nworkers 1"), 4, []string{"'workers'", "Testfile:3"}},
		{"G-48 twice", inBlock("probes {\n}\nprobes {\n}"), 4, []string{"'probes'", "Testfile:2"}},
		{"G-48 twice", inRecord("disabled\ndisabled"), 5, []string{"'disabled'", "Testfile:4"}},
		{"G-48 twice", inBlock("fallthrough\nfallthrough"), 3, []string{"'fallthrough'", "Testfile:2"}},
		{"G-48 attribute twice", inOrigin("weight 1 weight 2"), 3, []string{"'weight'"}},
		{"G-48 attribute twice", inOrigin("disabled disabled"), 3, []string{"'disabled'"}},
		{"G-48 word twice", inBlock("node pop a pop b"), 2, []string{"'pop'"}},

		{"V112 missing", inBlock("policy"), 2, []string{"'policy'"}},
		{"V112 missing", inBlock("ttl"), 2, []string{"'ttl'"}},
		{"V112 missing", inBlock("ns"), 2, []string{"'ns'"}},
		{"V112 missing", inBlock("negative-ttl"), 2, []string{"'negative-ttl'"}},
		{"V112 missing", inBlock("locate"), 2, []string{"'locate'"}},
		{"V112 missing", inBlock("subnets"), 2, []string{"'subnets'"}},
		{"V112 missing", inBlock("region"), 2, []string{"'region'"}},
		{"V112 missing", inBlock("region x {\nsubnet\n}"), 3, []string{"'subnet'"}},
		{"V112 missing", inBlock("node region"), 2, []string{"'region'"}},
		{"V112 missing", inBlock("node location 1"), 2, []string{"'location'"}},
		{"V112 missing", inBlock("monitor m 192.0.2.1"), 2, []string{"'monitor'"}},
		{"V112 missing", inBlock("record {\norigin 192.0.2.1\n}"), 2, []string{"'record'"}},
		{"V112 missing", inBlock("check {\ntcp 80\n}"), 2, []string{"'check'"}},
		{"V112 missing", inRecord("origin"), 4, []string{"'origin'"}},
		{"V112 missing", inRecord("failsafe"), 4, []string{"'failsafe'"}},
		{"V112 missing", inRecord("fail"), 4, []string{"'fail'"}},
		{"V112 missing", inRecord("within"), 4, []string{"'within'"}},
		{"V112 missing", inRecord("answers"), 4, []string{"'answers'"}},
		{"V112 missing", inRecord("region-filter"), 4, []string{"'region-filter'"}},
		{"V112 missing", inRecord("check"), 4, []string{"'check'"}},
		{"V112 missing", inOrigin("weight"), 3, []string{"'weight'"}},
		{"V112 missing", inOrigin("location 1"), 3, []string{"'location'"}},
		{"V112 missing", inOrigin("target"), 3, []string{"'target'"}},
		{"V112 missing", inOrigin("check"), 3, []string{"'check'"}},
		{"V112 missing", inKind("tcp 80", "window 3"), 4, []string{"'window'"}},
		{"V112 missing", inKind("http", "header X-Name"), 4, []string{"'header'"}},
		{"V112 missing", inKind("http", "expect"), 4, []string{"'expect'"}},
		{"V112 missing", inProbes("source"), 3, []string{"'source'"}},

		{"V112 surplus", inBlock("policy weighted random twice"), 2, []string{"'twice'"}},
		{"V112 surplus", inBlock("negative-ttl 5 6"), 2, []string{"'6'"}},
		{"V121", inBlock("ttl 5 60"), 2, []string{"'60'"}},
		{"V121", inRecord("ttl 60 -1"), 4, []string{"'-1'"}},
		{"V121", inRecord("ttl 60 5 5"), 4, []string{"'5'"}},
		{"V112 surplus", inBlock("locate source 10.0.0.0/8"), 2, []string{"'10.0.0.0/8'"}},
		{"V112 surplus", inBlock("locate node here"), 2, []string{"'here'"}},
		{"V112 surplus", inBlock("subnets a b"), 2, []string{"'b'"}},
		{"V112 surplus", inBlock("monitor m 192.0.2.1 c d"), 2, []string{"'d'"}},
		{"V112 surplus", inBlock("check c d {\ntcp 80\n}"), 2, []string{"'d'"}},
		{"V112 surplus", inBlock("probes 3 {\n}"), 2, []string{"'3'"}},
		{"V112 surplus", inRecord("fail open all"), 4, []string{"'all'"}},
		{"V112 surplus", inRecord("within 1ms 2ms"), 4, []string{"'2ms'"}},
		{"V112 surplus", inRecord("answers 1 2"), 4, []string{"'2'"}},
		{"V112 surplus", inRecord("affinity policy 1h"), 4, []string{"1h"}},
		{"V112 surplus", inRecord("affinity 1h policy 2"), 4, []string{"'2'"}},
		{"V112 surplus", inRecord("region-filter on off"), 4, []string{"'off'"}},
		{"V112 surplus", inRecord("disabled yes"), 4, []string{"'yes'"}},
		{"V112 surplus", inOrigin("disabled yes"), 3, []string{"'yes'"}},
		{"V112 surplus", inKind("tcp 80", "failures 1 2"), 4, []string{"'2'"}},
		{"V112 surplus", inKind("tcp 80", "window 3 2 1"), 4, []string{"'1'"}},
		{"V112 surplus", inKind("http", "body a b"), 4, []string{"'b'"}},
		{"V112 surplus", inKind("http", "header A B C"), 4, []string{"'C'"}},
		{"V112 surplus", inKind("https", "tls a b c d"), 4, []string{"'d'"}},
		{"V112 surplus", inProbes("workers 1 2"), 3, []string{"'2'"}},

		{"an empty word", inBlock(`ns ""`), 2, []string{"empty"}},
		{"an empty word", inBlock("\"\"\n"), 2, []string{"empty"}},
		{"an empty word", inRecord(`policy "" all`), 4, []string{"empty"}},
		{"an empty word", inKind("http", `body ""`), 4, []string{"empty"}},
		{"an empty word", inOrigin(`weight ""`), 3, []string{"empty"}},
		{"an empty word", "gslb \"\" {\n}", 1, []string{"empty"}},

		{"a line after {", inBlock("record www { origin 192.0.2.1\n}"), 2, []string{"'origin'", "'{'"}},
		{"a block on a line", inBlock("record www { }"), 2, []string{"'}'"}},
		{"a word after }", inBlock("record www {\norigin 192.0.2.1\n} ttl 5"), 4, []string{"'ttl'", "'}'"}},
		{"a } after a word", inBlock("record www {\norigin 192.0.2.1 }"), 3, []string{"'}'"}},
		{"a { on its own line", inBlock("record www\n{\norigin 192.0.2.1\n}"), 2, []string{"'{'"}},
		{"a { on its own line", inBlock("ttl 5\n{\n}"), 3, []string{"'{'"}},
		{"a { without its blank", inBlock("record www{\norigin 192.0.2.1\n}"), 2, []string{"'www{'"}},
		{"a block where none goes", inBlock("ttl 5 {\n}"), 2, []string{"'ttl'", "'{'"}},
		{"a block where none goes", inRecord("origin 192.0.2.2 {\n}"), 4, []string{"'origin'", "'{'"}},
		{"no block", inBlock("record www"), 2, []string{"'record'", "'{'"}},
		{"no block", inBlock("check c"), 2, []string{"'check'", "'{'"}},
		{"no block", inBlock("probes"), 2, []string{"'probes'", "'{'"}},
		{"not closed", "gslb {\nrecord www {\norigin 192.0.2.1\n}\n", 1, []string{"'}'"}},
		{"not closed", "gslb {\nrecord www {\norigin 192.0.2.1\n", 2, []string{"'}'"}},
		{"an import that is left", inBlock("import x"), 2, []string{"'import'"}},
		{"a snippet twice in a row", inRecord("origin 192.0.2.2 origin 192.0.2.2"), 4, []string{"'origin'"}},
	})
}

func TestFormAccepted(t *testing.T) {
	testTaken(t, []taken{
		{"an empty block", "gslb {\n}", func(c *config) any { return c.blocks[0].zones }, []string{"example.org."}},
		{"no block", "gslb", func(c *config) any { return c.blocks[0].zones }, []string{"example.org."}},
		{"ZONES", "gslb Example.NET 10.in-addr.arpa {\n}", func(c *config) any { return c.blocks[0].zones }, []string{"example.net.", "10.in-addr.arpa."}},
		{"a comment", inBlock("ns ns1.example.org # the first\n# and the last"), func(c *config) any { return c.blocks[0].ns }, []string{"ns1.example.org."}},
		{"a brace at the end of a text", inKind("http", `body "status: {"`), func(c *config) any { return len(c.blocks) }, 1},
		{"a text over two lines", inKind("http", "body \"a\nb\"\ninterval 5s"), func(c *config) any { return len(c.blocks) }, 1},
		{"a check below its use", inBlock("record www {\norigin 192.0.2.1\ncheck c\n}\ncheck C {\ntcp 80\n}"),
			func(c *config) any { return len(firstOrigin(c).Checks) }, 1},
		{"a default below its use", inBlock("record www {\norigin 192.0.2.1\n}\nttl 7\npolicy random"),
			func(c *config) any { return words(firstRecord(c).TTL, firstRecord(c).Policy) }, "7 random"},
		{"a region below its use", inBlock("node region X\nregion x"), func(c *config) any { return atNode(c.blocks[0])[:1] }, "1"},
		{"min-interval below its use", inBlock("check c {\ntcp 80\ninterval 1s\n}\nprobes {\nmin-interval 1s\n}"), func(c *config) any { return len(c.blocks) }, 1},
	})
}

// Files are real ones here: the tokens of an imported file carry its name and its own lines.
func TestImportedLines(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("records", "record www {\norigin 192.0.2.1\n}\n# a comment\nrecord app {\norigin 192.0.2.1\nttl fast\n}\n")
	write("more", "record www {\norigin 192.0.2.1\n}\n")
	write("one", "origin 192.0.2.1")
	tests := []struct {
		id, text string
		words    []string
	}{
		{"H-42 a fault in an imported file", "example.org {\ngslb {\nimport records\n}\n}", []string{filepath.Join(dir, "records") + ":7 - ", "'fast'"}},
		{"H-43 a record in two files", "example.org {\ngslb {\nimport mo*\nrecord WWW {\norigin 192.0.2.2\n}\n}\n}",
			[]string{"Corefile:4 - ", "'www.example.org.'", filepath.Join(dir, "more") + ":1"}},
		{"a file of one line twice in a row", "example.org {\ngslb {\nrecord www {\nimport one\nimport one\n}\n}\n}", []string{filepath.Join(dir, "one") + ":1 - ", "'origin'"}},
		{"a snippet twice in a row", "(snip) {\norigin 192.0.2.1\n}\nexample.org {\ngslb {\nrecord www {\nimport snip\nimport snip\n}\n}\n}", []string{"Corefile:2 - ", "'origin'"}},
		{"a line after two faults", "example.org {\ngslb {\nimport mo*\nttl slow\n}\n}", []string{"Corefile:4 - ", "'slow'"}},
	}
	for i, tc := range tests {
		blocks, err := caddyfile.Parse(filepath.Join(dir, "Corefile"), strings.NewReader(tc.text), []string{"gslb"})
		if err != nil {
			t.Fatalf("Test %d (%s): expected no error from caddy, got %q", i, tc.id, err)
		}
		c := caddy.NewTestController("dns", "")
		c.Dispenser = caddyfile.NewDispenserTokens(filepath.Join(dir, "Corefile"), blocks[len(blocks)-1].Tokens["gslb"])
		c.ServerBlockKeys = []string{"example.org."}
		_, err = parse(c)
		if err == nil {
			t.Errorf("Test %d (%s): expected a refusal, got none", i, tc.id)
			continue
		}
		for _, w := range tc.words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("Test %d (%s): expected %q in the message, got %q", i, tc.id, w, err)
			}
		}
	}
}
