package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const module = "github.com/coredns/gslb/"

// TestArrows holds that imports run one way: cmd, plugin, the leaves, internal; and that the leaves know nothing of each
// other, of CoreDNS or of Prometheus.
func TestArrows(t *testing.T) {
	for pkg, forbidden := range map[string][]string{
		"policy":         {module + "plugin", module + "probe", module + "region", "github.com/coredns/coredns", "github.com/prometheus", "github.com/miekg/dns"},
		"probe":          {module + "plugin", module + "policy", module + "region", "github.com/coredns/coredns", "github.com/prometheus"},
		"region":         {module + "plugin", module + "policy", module + "probe", "github.com/coredns/coredns", "github.com/prometheus", "github.com/miekg/dns"},
		"internal/watch": {module},
		"internal/globe": {module},
		"plugin":         {module + "cmd", module + "test"},
	} {
		out, err := exec.Command("go", "list", "-deps", module+pkg).Output()
		if err != nil {
			t.Fatalf("Expected to list what %s imports, got %v", pkg, err)
		}
		for _, dep := range strings.Fields(string(out)) {
			for _, f := range forbidden {
				if strings.HasPrefix(dep, f) && dep != module+pkg {
					t.Errorf("Expected %s not to import %s", pkg, dep)
				}
			}
		}
	}
}

// TestNothingIsLeft holds that nothing in the sources was left for later.
func TestNothingIsLeft(t *testing.T) {
	filepath.WalkDir("..", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && (d.Name() == ".git" || d.Name() == "build" || d.Name() == "node_modules") {
				return filepath.SkipDir
			}
			return err
		}
		if strings.HasSuffix(path, "house_test.go") || !(strings.HasSuffix(path, ".go") || strings.HasSuffix(path, ".md") || strings.HasSuffix(path, "Makefile")) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, word := range []string{"TO" + "DO", "FIX" + "ME"} {
			if strings.Contains(string(text), word) {
				t.Errorf("Expected no %q in %s", word, path)
			}
		}
		return nil
	})
}
