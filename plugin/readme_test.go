package gslb

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/coredns/caddy"
	"github.com/coredns/coredns/core/dnsserver"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/hosts"
	_ "github.com/coredns/coredns/plugin/metrics"

	"github.com/coredns/gslb/internal/directive"
)

func init() { directive.Insert() } // as cmd/coredns does

// fences gives the Corefiles of a manual.
func fences(manual string) []string {
	var list []string
	for _, part := range strings.Split(manual, "~~~ corefile\n")[1:] {
		text, _, _ := strings.Cut(part, "~~~\n")
		list = append(list, text)
	}
	return list
}

// Every example of the manual is a Corefile that a server starts with, here on ports of its own choice (DTM-LB-44).
func TestManualStarts(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	manual := string(text)
	caddy.Quiet, dnsserver.Quiet = true, true
	port := regexp.MustCompile(`:(1053|9153)\b`)
	// Their servers are not ours to probe: loopback addresses stand in for them.
	local := strings.NewReplacer("192.0.2.", "127.0.2.", "198.51.100.", "127.51.100.", "203.0.113.", "127.0.113.", "10.1.0.", "127.1.0.", "10.2.0.", "127.2.0.", "db.example.org database", "127.0.0.1 database")
	examples := fences(manual)
	if len(examples) < 9 {
		t.Errorf("Expected an example for each policy to pick and more, got %d", len(examples))
	}
	for i, example := range examples {
		server, err := caddy.Start(caddy.CaddyfileInput{
			Filepath: "Corefile", Contents: []byte(local.Replace(port.ReplaceAllString(example, ":0"))), ServerTypeName: "dns",
		})
		if err != nil {
			t.Errorf("Test %d: expected the example to start, got %q:\n%s", i, err, example)
			continue
		}
		for _, err := range server.ShutdownCallbacks() {
			t.Errorf("Test %d: expected no error at shutdown, got %q", i, err)
		}
		server.Stop()
	}
	section := 0
	for _, name := range []string{"Name", "Description", "Syntax", "Examples", "Metrics", "Metadata", "Ready", "Bugs", "See Also"} {
		at := strings.Index(manual, "\n## "+name+"\n")
		if at < section {
			t.Errorf("Expected the section '%s' after the one before", name)
		}
		section = max(section, at)
	}
}

// The manual names every word that the parser takes.
func TestManualIsComplete(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for w := range blockProperties {
		words = append(words, w)
	}
	for w := range recordProperties {
		words = append(words, w)
	}
	for w := range checkProperties {
		words = append(words, w)
	}
	for w := range probesProperties {
		words = append(words, w)
	}
	for w := range attributes {
		words = append(words, w)
	}
	for _, w := range words {
		if !strings.Contains(string(text), "`"+w) && !strings.Contains(string(text), "\n"+w) {
			t.Errorf("Expected the manual to explain `%s`", w)
		}
	}
}
