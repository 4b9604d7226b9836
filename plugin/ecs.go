package gslb

import (
	"net"
	"net/netip"

	"github.com/miekg/dns"
)

// source gives the address that a query came from, unmapped and without a zone, without formatting it. A wrapper of
// the proxy protocol is taken off.
func source(w dns.ResponseWriter) netip.Addr {
	a := w.RemoteAddr()
	if u, ok := a.(interface{ Unwrap() net.Addr }); ok {
		a = u.Unwrap()
	}
	var ap netip.AddrPort
	switch a := a.(type) {
	case *net.UDPAddr:
		ap = a.AddrPort()
	case *net.TCPAddr:
		ap = a.AddrPort()
	case nil:
	default:
		ap, _ = netip.ParseAddrPort(a.String())
	}
	return ap.Addr().Unmap().WithZone("")
}

// subnet is the client subnet option of a query (RFC 7871).
type subnet struct {
	option *dns.EDNS0_SUBNET // nil: the query has none
	prefix netip.Prefix      // invalid for a family without addresses
	bad    bool              // address bits beyond the prefix: FORMERR (section 7.1.2 there, by way of section 6)
}

// clientSubnet reads the option out of a query's OPT, which may be nil. Families and lengths that do not exist have
// been refused by the DNS library before.
func clientSubnet(opt *dns.OPT) subnet {
	if opt == nil {
		return subnet{}
	}
	for _, o := range opt.Option {
		e, ok := o.(*dns.EDNS0_SUBNET)
		if !ok {
			continue
		}
		s := subnet{option: e}
		a, ok := netip.AddrFromSlice(e.Address)
		if !ok || e.Family == 0 {
			return s
		}
		if e.Family == 1 {
			a = a.Unmap() // the library keeps IPv4 in sixteen bytes
		}
		p, err := a.Prefix(int(e.SourceNetmask))
		s.bad = err != nil || p.Addr() != a || (e.Family == 1) != a.Is4()
		s.prefix = p
		return s
	}
	return subnet{}
}

// echo is the option that answers s: family, source prefix and address as sent (RFC 7871, 7.2.1), with our scope.
func (s subnet) echo(scope uint8) *dns.EDNS0_SUBNET {
	return &dns.EDNS0_SUBNET{
		Code: dns.EDNS0SUBNET, Family: s.option.Family, SourceNetmask: s.option.SourceNetmask, SourceScope: scope,
		Address: s.option.Address,
	}
}
