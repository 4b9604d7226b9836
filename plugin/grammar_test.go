package gslb

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coredns/caddy"
	"github.com/coredns/coredns/core/dnsserver"

	"github.com/coredns/gslb/policy"
)

// What follows tests the grammar line by line, beside the vectors of refusals_test.go: forms, bounds and defaults.

// inOrigin makes the words the rest of line 3.
func inOrigin(words string) string { return inBlock("record www {\norigin 192.0.2.1 " + words + "\n}") }

// inKind makes the lines those from 4 on, in a check of the kind in line 3.
func inKind(kind, lines string) string { return inCheck(kind + "\n" + lines) }

// inProbes makes the lines those from 3 on.
func inProbes(lines string) string { return inBlock("probes {\n" + lines + "\n}") }

// refused is one fault, and what its message has to name.
type refused struct {
	id    string
	text  string
	line  int
	words []string
}

func testRefused(t *testing.T, tests []refused) {
	t.Helper()
	for i, tc := range tests {
		_, err := parsed(t, tc.text)
		if err == nil {
			t.Errorf("Test %d (%s): expected a refusal, got none:\n%s", i, tc.id, tc.text)
			continue
		}
		if at := fmt.Sprintf("Testfile:%d - Error during parsing: ", tc.line); !strings.HasPrefix(err.Error(), at) {
			t.Errorf("Test %d (%s): expected a message that begins with %q, got %q:\n%s", i, tc.id, at, err, tc.text)
		}
		for _, w := range tc.words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("Test %d (%s): expected %q in the message, got %q:\n%s", i, tc.id, w, err, tc.text)
			}
		}
	}
}

// taken is a text that loads, and what has to be true of the result.
type taken struct {
	id   string
	text string
	got  func(*config) any
	want any
}

func testTaken(t *testing.T, tests []taken) {
	t.Helper()
	for i, tc := range tests {
		cfg, err := parsed(t, tc.text)
		if err != nil {
			t.Errorf("Test %d (%s): expected it to be accepted, got %q:\n%s", i, tc.id, err, tc.text)
			continue
		}
		if got := fmt.Sprint(tc.got(cfg)); got != fmt.Sprint(tc.want) {
			t.Errorf("Test %d (%s): expected %v, got %v:\n%s", i, tc.id, tc.want, got, tc.text)
		}
	}
}

// words prints values with a blank between any two.
func words(values ...any) string { return strings.TrimSuffix(fmt.Sprintln(values...), "\n") }

func firstRecord(cfg *config) *policy.Record { return &cfg.policy.Records[0] }
func firstOrigin(cfg *config) *policy.Origin { return &firstRecord(cfg).Origins[0] }

func recordNames(cfg *config) any {
	var list []string
	for i := range cfg.policy.Records {
		list = append(list, cfg.policy.Records[i].Name)
	}
	return list
}

// parsedIn parses with a directory of the test's as the server's root.
func parsedIn(root, text string) (*config, error) {
	c := caddy.NewTestController("dns", text)
	c.ServerBlockKeys = []string{"example.org."}
	dnsserver.GetConfig(c).Root = root
	return parse(c)
}
