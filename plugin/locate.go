package gslb

import (
	"net/netip"

	"github.com/miekg/dns"

	"github.com/coredns/gslb/policy"
	"github.com/coredns/gslb/region"
)

// locate finds the client of a query, and tells whether its client subnet option is well formed where it counts. placed
// says that its place and ASN matter, which costs a look-up in the databases.
func (g *GSLB) locate(x *exchange, w dns.ResponseWriter, l *locating, placed bool) bool {
	r := region.Request{Mode: l.mode, Source: source(w), RegionOnly: !placed}
	if l.mode == region.ECS && l.trusts(r.Source) {
		x.subnet = clientSubnet(x.opt)
		if x.subnet.bad {
			return false
		}
		x.echoes = x.subnet.option != nil
		r.ECS, r.HasECS = x.subnet.prefix, x.subnet.prefix.IsValid()
	}
	x.found = l.block.locator.Locate(r)
	x.Client = x.found.Addr
	x.Region = policy.Region(x.found.Region)
	x.Place = policy.Place{
		Pop: x.found.Place.Pop, Country: policy.Code(x.found.Place.Country), Continent: policy.Code(x.found.Place.Continent),
		ASN: x.found.ASN, Location: x.found.Place.Location,
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
// subnet had no part in locating the client, it is 0.
func (x *exchange) scope(inputs policy.Inputs, cidrs *region.Table) uint8 {
	if !x.found.UsedECS {
		return 0
	}
	scope := uint8(0)
	consulted := func(input policy.Inputs, bits uint8) {
		if inputs&input != 0 {
			scope = max(scope, bits)
		}
	}
	consulted(policy.InputRegion, x.found.RegionBits)
	consulted(policy.InputAddress, x.found.AddrBits)
	consulted(policy.InputPlace, x.found.PlaceBits)
	consulted(policy.InputASN, x.found.ASNBits)
	if inputs&policy.InputCIDR != 0 && cidrs != nil {
		_, bits, _ := cidrs.Block(x.Client)
		scope = max(scope, uint8(bits))
	}
	return scope
}
