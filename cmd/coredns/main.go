// Command coredns is CoreDNS with one more plugin, gslb.
package main

import (
	_ "github.com/coredns/coredns/core/plugin" // every in-tree plugin
	"github.com/coredns/coredns/coremain"

	"github.com/coredns/gslb/internal/directive"
	_ "github.com/coredns/gslb/plugin"
)

func init() { directive.Insert() }

func main() { coremain.Run() }
