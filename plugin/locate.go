package gslb

import (
	"net/netip"

	"github.com/miekg/dns"

	"github.com/coredns/gslb/policy"
	"github.com/coredns/gslb/region"
)

// locate finds the client of a query, and tells whether its client subnet option is well formed where it counts.
func (g *GSLB) locate(x *exchange, w dns.ResponseWriter, l *locating) bool {
	from := source(w)
	x.Client = from
	if l.mode == region.ECS && l.trusts(from) {
		x.subnet = clientSubnet(x.opt)
		if x.subnet.bad {
			return false
		}
		x.echoes = x.subnet.option != nil
	}
	c := l.block.locator.Locate(l.mode, from, x.subnet.prefix)
	x.Region = policy.Region(c.Region)
	x.Place = l.block.node // nobody's country is known otherwise (G-41)
	if c.BySubnet {
		x.Client = x.subnet.prefix.Addr()
		x.regionScope, x.addressScope = c.Scope+x.subnet.mapped, uint8(x.subnet.prefix.Bits())+x.subnet.mapped
	}
	return true
}

// trusts tells whether the client subnet of queries from an address counts.
func (l *locating) trusts(from netip.Addr) bool {
	if len(l.trusted) == 0 {
		return true
	}
	for _, p := range l.trusted {
		if p.Contains(from) {
			return true
		}
	}
	return false
}

// scope is the ECS scope of an answer: the longest of the prefixes over which its inputs are constant (G-29). Where the
// subnet had no part in locating the client, all of them are 0.
func (x *exchange) scope(inputs policy.Inputs) uint8 {
	scope := uint8(0)
	if inputs&policy.InputRegion != 0 {
		scope = x.regionScope
	}
	if inputs&policy.InputAddress != 0 {
		scope = max(scope, x.addressScope)
	}
	return scope
}
