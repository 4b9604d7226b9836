package gslb

import (
	"os"
	"strings"
	"testing"

	"github.com/coredns/caddy"
	"github.com/coredns/caddy/caddyfile"
)

// TestManual loads every example of the manual: all but the probing, since their servers are not ours.
func TestManual(t *testing.T) {
	manual, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	policies := map[string]bool{}
	for n, example := range fences(string(manual)) {
		blocks, err := caddyfile.Parse("README.md", strings.NewReader(example), nil)
		if err != nil {
			t.Errorf("Expected example %d to be a Corefile, got %v", n+1, err)
			continue
		}
		for _, b := range blocks {
			c := caddy.NewTestController("dns", "")
			c.Dispenser = caddyfile.NewDispenserTokens("README.md", b.Tokens["gslb"])
			c.ServerBlockKeys = b.Keys
			cfg, err := parse(c)
			if err != nil {
				t.Errorf("Expected example %d to load, got %v", n+1, err)
				continue
			}
			for _, r := range cfg.policy.Records {
				policies[r.Policy.String()] = true
				policies["affinity"] = policies["affinity"] || r.Affinity.On
			}
		}
	}
	for _, want := range []string{"round-robin", "failover", "region", "geo-failover", "latency", "weighted", "affinity"} {
		if !policies[want] {
			t.Errorf("Expected DTM-LB-44 an example of %s", want)
		}
	}
	for id, words := range map[string]string{
		"DTM-LB-32 forwarders":                "give each client region a forwarder of its own",
		"DTM-LB-36 reach":                     "has to reach the origins of every region that it may fail over to",
		"DTM-LB-28 caches":                    "A `ttl` of 5 to 30\nseconds",
		"DTM-HC-31 the size of the interval":  "Size the interval by that",
		"H-23 a weighted policy answers with": "A weighted policy answers with one address",
		"DTM-LB-41 DTM-LB-42 detection":       "15 seconds and 45 in all",
	} {
		if !strings.Contains(string(manual), words) {
			t.Errorf("Expected the manual to say %q (%s)", words, id)
		}
	}
}
