package gslb

import (
	"slices"
	"strings"

	"github.com/miekg/dns"

	"github.com/coredns/gslb/policy"
	"github.com/coredns/gslb/region"
)

// exchange is one query and its reply: everything that a reply needs is one allocation, but for its records.
type exchange struct {
	policy.Query
	msg     dns.Msg
	request *dns.Msg
	opt     *dns.OPT // the query's; nil without EDNS
	subnet  subnet
	echoes  bool // the reply carries the client subnet

	found   region.Client
	members [8]*policy.Member
	asked   [1]dns.Question
}

// reply begins an authoritative reply with its own question section: plugins above may edit that in place.
func (x *exchange) reply(rcode int) *dns.Msg {
	x.asked[0] = x.request.Question[0]
	x.msg.MsgHdr = dns.MsgHdr{
		Id: x.request.Id, Response: true, Opcode: x.request.Opcode, Authoritative: true,
		RecursionDesired: x.request.RecursionDesired, CheckingDisabled: x.request.CheckingDisabled, Rcode: rcode,
	}
	x.msg.Question = x.asked[:]
	return &x.msg
}

// do tells whether the client wants signatures.
func (x *exchange) do() bool { return x.opt != nil && x.opt.Do() }

// answer puts addresses into the reply: the owner is the query's name as it was written, all TTLs are the same. For a
// signer above, names are in lower case where DO is set, and with signed the order does not change: its cache of
// signatures is keyed by both.
func (x *exchange) answer(members []*policy.Member, ttl uint32, signed bool) {
	owner := x.asked[0].Name
	if x.do() {
		owner = strings.ToLower(owner)
	}
	if x.do() && signed {
		members = slices.Clone(members)
		slices.SortFunc(members, func(a, b *policy.Member) int { return a.Addr.Compare(b.Addr) })
	}
	hdr := dns.RR_Header{Name: owner, Rrtype: x.asked[0].Qtype, Class: dns.ClassINET, Ttl: ttl}
	rrs := make([]dns.RR, len(members)) // capacity is length: a signer appends
	if x.Family == policy.IPv4 {
		records := make([]dns.A, len(members))
		for i, m := range members {
			records[i] = dns.A{Hdr: hdr, A: m.IP}
			rrs[i] = &records[i]
		}
	} else {
		records := make([]dns.AAAA, len(members))
		for i, m := range members {
			records[i] = dns.AAAA{Hdr: hdr, AAAA: m.IP}
			rrs[i] = &records[i]
		}
	}
	x.msg.Answer = rrs
}

// negative puts the zone's SOA into the authority section, with a TTL of at most the record's (RFC 2308, section 5).
func (x *exchange) negative(z *zone, ttl uint32) {
	x.msg.Ns = []dns.RR{z.soa(min(z.block.negativeTTL, ttl))}
}

// soa is the synthetic SOA of a zone (G-19).
func (z *zone) soa(ttl uint32) *dns.SOA {
	mname := "ns.dns." + z.name
	if z.name == "." {
		mname = "ns.dns."
	}
	if len(z.block.ns) > 0 {
		mname = z.block.ns[0]
	}
	return &dns.SOA{
		Hdr: dns.RR_Header{Name: z.name, Rrtype: dns.TypeSOA, Class: dns.ClassINET, Ttl: ttl},
		Ns:  mname, Mbox: strings.TrimSuffix("hostmaster."+z.name, ".") + ".", Serial: z.block.serial,
		Refresh: 7200, Retry: 1800, Expire: 86400, Minttl: z.block.negativeTTL,
	}
}

// nameservers are the NS of a zone; none without an `ns` line.
func (z *zone) nameservers() []dns.RR {
	rrs := make([]dns.RR, len(z.block.ns))
	for i, host := range z.block.ns {
		rrs[i] = &dns.NS{Hdr: dns.RR_Header{Name: z.name, Rrtype: dns.TypeNS, Class: dns.ClassINET, Ttl: z.block.negativeTTL}, Ns: host}
	}
	return rrs
}

// edns gives the reply an OPT where it has something to say in one and the query had one. The server sets its size and
// flags.
func (x *exchange) edns(scope uint8, errorCode uint16, errorText string) {
	if x.opt == nil || !x.echoes && errorText == "" {
		return
	}
	opt := &dns.OPT{Hdr: dns.RR_Header{Name: ".", Rrtype: dns.TypeOPT}}
	if x.echoes {
		opt.Option = append(opt.Option, x.subnet.echo(scope))
	}
	if errorText != "" {
		opt.Option = append(opt.Option, &dns.EDNS0_EDE{InfoCode: errorCode, ExtraText: errorText})
	}
	x.msg.Extra = []dns.RR{opt}
}

// existing passes on what the next plugin says of a name that exists here, but for what would take the name away
// (G-47): an NXDOMAIN without an answer becomes NODATA, and SOA and NS of an apex are ours where the next has none.
type existing struct {
	dns.ResponseWriter
	x   *exchange
	f   found
	ttl uint32 // the record's; beyond it no negative answer may live
}

func (w *existing) WriteMsg(m *dns.Msg) error {
	if len(m.Answer) > 0 || m.Rcode != dns.RcodeNameError && m.Rcode != dns.RcodeSuccess {
		return w.ResponseWriter.WriteMsg(m)
	}
	if w.f.apex() && w.x.apexData(w.f.zone) {
		return w.ResponseWriter.WriteMsg(&w.x.msg)
	}
	if m.Rcode != dns.RcodeNameError {
		return w.ResponseWriter.WriteMsg(m)
	}
	own := *m // the next plugin's message may be shared, by a cache for one
	own.Rcode = dns.RcodeSuccess
	own.Ns = make([]dns.RR, len(m.Ns))
	found := false
	for i, rr := range m.Ns {
		if soa, ok := rr.(*dns.SOA); ok {
			limited := *soa
			limited.Hdr.Ttl = min(soa.Hdr.Ttl, soa.Minttl, w.ttl)
			rr, found = &limited, true
		}
		own.Ns[i] = rr
	}
	if !found {
		own.Ns = append(own.Ns, w.f.zone.soa(min(w.f.zone.block.negativeTTL, w.ttl)))
	}
	return w.ResponseWriter.WriteMsg(&own)
}

// apexData answers SOA and NS of an apex, and tells whether there was something to answer.
func (x *exchange) apexData(z *zone) bool {
	var rrs []dns.RR
	switch x.request.Question[0].Qtype {
	case dns.TypeSOA:
		rrs = []dns.RR{z.soa(z.block.negativeTTL)}
	case dns.TypeNS:
		rrs = z.nameservers()
	}
	if len(rrs) == 0 {
		return false
	}
	x.reply(dns.RcodeSuccess).Answer = rrs
	return true
}
