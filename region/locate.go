package region

import (
	"net/netip"
)

// A Mode is who counts as the client.
type Mode uint8

const (
	// Source is the query's source address, most often a resolver: all behind it share its place (DTM-LB-32, COR-14).
	Source Mode = iota
	// ECS is the EDNS Client Subnet (RFC 7871) where a query carries one from a trusted source, else the source.
	ECS
	// AtNode takes the client to be where the node is (COR-32); its address stays the source's (G-05).
	AtNode
)

// A Request is what a query says of its client.
type Request struct {
	Mode    Mode
	Trusted []netip.Prefix // under ECS: the sources whose option is honoured, as ParsePrefix gives them; empty: anyone
	Source  netip.Addr     // of the query; the zero Addr is an address that nothing knows
	ECS     netip.Prefix   // the option's subnet, in the family that it came in, if HasECS
	HasECS  bool           // the query carries a sound option; the caller has refused an unsound one

	// RegionOnly says that nothing reads the client's place and ASN, which may then be left unknown: it saves the
	// look-up in the databases where the mappings know the region.
	RegionOnly bool
}

// A Client is who asks and where. The three Bits are for the scope of an answer that an ECS option had a part in: each
// is the length of the block around the option's address that was consulted for that much, in the family that the
// option came in, and 0 if no subnet in its place could have made a difference. An answer's scope is the largest of
// those that its decision read (G-29); under affinity AddrBits is one of them.
type Client struct {
	Addr     netip.Addr // whose affinity counts: the source's or, if UsedECS, the first address of the subnet sent
	AddrBits uint8      // the length of the subnet sent if UsedECS, else 0

	Region     ID // 0 if neither a mapping nor the node knows one (G-36)
	RegionBits uint8

	Place     Place
	PlaceBits uint8

	ASN     uint32 // autonomous system number, 0 if unknown
	ASNBits uint8

	UsedECS bool // Addr is the option's; a private one that no mapping knows is located by the source all the same
	EchoECS bool // the reply carries the option; false if the query's is not honoured
}

// Locate finds out who asks and where. A region is that of the address in the mappings, then in the asn, country and
// continent lines, then the node's (DTM-LB-29, DTM-LB-31); the lines read what the databases say of the address itself,
// not the place that the node lent it.
func (l *Locator) Locate(q Request) Client {
	source := plain(q.Source)
	c := Client{Addr: source}
	if q.Mode == AtNode {
		c.Region, c.Place = l.node.Region, l.node.Place
		return c
	}
	v := l.view.Load()
	if q.Mode == ECS && q.HasECS && q.ECS.IsValid() && trusts(q.Trusted, source) {
		c.EchoECS = true
		// A subnet of no bits is a wish not to be located by it (RFC 7871, section 7.1.2).
		if q.ECS.Bits() > 0 {
			l.bySubnet(v, &c, q, source)
			return c
		}
	}
	f := v.find(source, v.table.Lookup(source), q.RegionOnly)
	l.set(&c, f, q.RegionOnly)
	return c
}

// bySubnet locates by an option's subnet, which has bits. A private network says where its owner is only if a mapping
// knows it; else the source does, and the block is as long as all of it is private and unknown (G-29).
func (l *Locator) bySubnet(v *view, c *Client, q Request, source netip.Addr) {
	subnet := q.ECS.Masked()
	addr, outer := subnet.Addr(), 0
	if addr.Is4In6() {
		addr, outer = addr.Unmap(), mappedBits
	}
	c.Addr, c.AddrBits, c.UsedECS = addr, uint8(subnet.Bits()), true

	region, bits, private := v.table.Block(addr)
	var f finding
	if private {
		f = v.find(source, v.table.Lookup(source), q.RegionOnly)
		f.regionBits, f.placeBits, f.asnBits = 0, 0, 0 // those are of the source's blocks
	} else {
		f = v.find(addr, region, q.RegionOnly)
	}
	l.set(c, f, q.RegionOnly)
	// What is the same for every address there is has no block.
	if v.table.Len() > 0 || v.lines.any() && len(v.databases) > 0 {
		c.RegionBits = uint8(outer + max(bits, f.regionBits))
	}
	if q.RegionOnly || v.gives == (gives{}) {
		return
	}
	_, usableBits := v.table.usable(addr)
	if v.gives.place() {
		c.PlaceBits = uint8(outer + max(usableBits, f.placeBits))
	}
	if v.gives.asn {
		c.ASNBits = uint8(outer + max(usableBits, f.asnBits))
	}
}

// A finding is what an address says for itself, with the lengths of the databases' blocks that were consulted.
type finding struct {
	region             ID
	regionBits         int
	info               info
	placeBits, asnBits int
}

// find locates a, which the mappings put into the region mapped.
func (v *view) find(a netip.Addr, mapped ID, regionOnly bool) finding {
	f := finding{region: mapped}
	byLines := mapped == 0 && v.lines.any()
	if len(v.databases) == 0 || regionOnly && !byLines {
		return f
	}
	f.info, f.placeBits, f.asnBits = v.databases.lookup(a)
	if !byLines {
		return f
	}
	if len(v.lines.asn) > 0 {
		f.regionBits = f.asnBits
		if f.region = v.lines.asn[f.info.asn]; f.region != 0 {
			return f
		}
	}
	if len(v.lines.country)+len(v.lines.continent) > 0 {
		f.regionBits = max(f.regionBits, f.placeBits)
		f.region = v.lines.ofPlace(f.info.country, f.info.continent)
	}
	return f
}

// set says in c what f found, and lets the node stand in for the rest: its region for a client without one, its whole
// place for one of unknown country (COR-36, G-41).
func (l *Locator) set(c *Client, f finding, regionOnly bool) {
	if c.Region = f.region; c.Region == 0 {
		c.Region = l.node.Region
	}
	if regionOnly {
		return
	}
	c.ASN = f.info.asn
	if f.info.country == (Code{}) {
		c.Place = l.node.Place
	} else {
		c.Place = Place{Country: f.info.country, Continent: f.info.continent, Location: f.info.location}
	}
}

func trusts(trusted []netip.Prefix, source netip.Addr) bool {
	for _, p := range trusted {
		if p.Contains(source) {
			return true
		}
	}
	return len(trusted) == 0
}
