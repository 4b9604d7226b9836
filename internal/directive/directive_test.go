package directive

import (
	"slices"
	"testing"

	"github.com/coredns/coredns/core/dnsserver"
)

func TestInsert(t *testing.T) {
	upstream := slices.Clone(dnsserver.Directives)
	Insert()
	at := slices.Index(dnsserver.Directives, "gslb")
	if at < 1 || dnsserver.Directives[at-1] != "transfer" {
		t.Fatalf("Expected gslb directly after transfer, got %v", dnsserver.Directives)
	}
	if without := slices.Delete(slices.Clone(dnsserver.Directives), at, at+1); !slices.Equal(without, upstream) {
		t.Errorf("Expected upstream's list without gslb, got %v", without)
	}
	if _, err := after([]string{"file"}, "transfer"); err == nil {
		t.Error("Expected a CoreDNS without transfer to be refused")
	}
}
