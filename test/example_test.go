package test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	_ "github.com/coredns/coredns/plugin/health"
)

// TestExample runs Corefile.example on free ports, with its checks.
func TestExample(t *testing.T) {
	text, err := os.ReadFile("../Corefile.example")
	if err != nil {
		t.Fatal(err)
	}
	corefile := string(text)
	for _, port := range []string{"1053", "8080", "8181", "9153"} {
		corefile = strings.ReplaceAll(corefile, port, fmt.Sprint(freePort(t)))
	}
	s := start(t, corefile)
	if got := s.a("www.example.org."); got != "127.0.0.1 127.0.0.2 127.0.0.3" && got != "127.0.0.1 127.0.0.2" {
		t.Errorf("Expected the servers, got %s", got)
	}
	eventually(t, "the dead server to leave", func() bool { return s.a("www.example.org.") == "127.0.0.1 127.0.0.2" })
	counts := map[string]int{}
	for range 100 {
		counts[s.a("canary.example.org.")]++
	}
	if counts["127.0.0.1"] != 90 || counts["127.0.0.2"] != 10 {
		t.Errorf("Expected DTM-LB-21 90 and 10, got %v", counts)
	}
	for net, want := range map[string]string{"10.1.0.0/16": "127.0.0.1", "10.2.0.0/16": "127.0.0.2"} {
		if got := s.a("sites.example.org.", subnet(net)); got != want {
			t.Errorf("Expected %s for %s, got %s", want, net, got)
		}
	}
	if got := s.a("app.example.org.", subnet("10.2.0.0/16")); got != "127.0.0.2" {
		t.Errorf("Expected the east, got %s", got)
	}
}
