// Command coredns is CoreDNS with one more directive, gslb, directly after transfer:
// below everything that must see its answers, above every source of data.
package main

import (
	"slices"

	"github.com/coredns/coredns/core/dnsserver"
	_ "github.com/coredns/coredns/core/plugin" // every in-tree plugin
	"github.com/coredns/coredns/coremain"

	_ "github.com/coredns/gslb/plugin"
)

func init() {
	at := slices.Index(dnsserver.Directives, "transfer")
	if at < 0 {
		panic("coredns: no directive named transfer, so there is no place for gslb")
	}
	if err := dnsserver.SetDirectives(slices.Insert(slices.Clone(dnsserver.Directives), at+1, "gslb")); err != nil {
		panic(err)
	}
}

func main() { coremain.Run() }
