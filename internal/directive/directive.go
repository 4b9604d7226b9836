// Package directive puts gslb into CoreDNS's list of directives.
package directive

import (
	"fmt"
	"slices"

	"github.com/coredns/coredns/core/dnsserver"
)

// Insert places gslb directly after transfer: below everything that must see its answers, above every source of data.
// It must be called once, before CoreDNS starts, and panics where it cannot be right.
func Insert() {
	list, err := after(dnsserver.Directives, "transfer")
	if err == nil {
		err = dnsserver.SetDirectives(list)
	}
	if err != nil {
		panic(fmt.Sprintf("gslb: %v", err))
	}
}

// after gives the list with gslb behind a neighbour.
func after(list []string, neighbour string) ([]string, error) {
	at := slices.Index(list, neighbour)
	if at < 0 {
		return nil, fmt.Errorf("this CoreDNS has no directive '%s', so there is no place for gslb", neighbour)
	}
	return slices.Insert(slices.Clone(list), at+1, "gslb"), nil
}
