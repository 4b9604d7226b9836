package gslb

import (
	"context"
	"strings"
	"time"

	"github.com/coredns/coredns/plugin"

	"github.com/miekg/dns"

	"github.com/coredns/gslb/policy"
)

// GSLB answers for all gslb blocks of one server block. It is immutable once started but for the engine's snapshot and
// the region mappings, both loaded atomically, and safe for concurrent use.
type GSLB struct {
	Next plugin.Handler

	*instance
}

// Name implements plugin.Handler.
func (g *GSLB) Name() string { return pluginName }

// ServeDNS implements plugin.Handler.
func (g *GSLB) ServeDNS(ctx context.Context, w dns.ResponseWriter, r *dns.Msg) (int, error) {
	question := &r.Question[0]
	f := g.names.find(strings.ToLower(question.Name), g.zoneOf)
	if f.zone == nil {
		if g.Next == nil {
			return dns.RcodeRefused, nil
		}
		return plugin.NextOrFailure(g.Name(), g.Next, ctx, w, r)
	}
	if question.Qclass != dns.ClassINET {
		return dns.RcodeRefused, nil
	}
	x := &exchange{request: r, opt: r.IsEdns0()}
	if f.record == noRecord {
		return g.serveOther(ctx, x, w, f, f.zone.block.locating)
	}
	switch question.Qtype {
	case dns.TypeA, dns.TypeAAAA:
		return g.serveRecord(ctx, x, w, f)
	case dns.TypeCNAME: // the record owns it (COR-37)
		if !g.locate(x, w, g.records[f.record].locating, false) {
			return dns.RcodeFormatError, nil
		}
		return g.own(x, w, f)
	}
	return g.serveOther(ctx, x, w, f, g.records[f.record].locating)
}

// serveRecord answers A and AAAA at a record's name.
func (g *GSLB) serveRecord(ctx context.Context, x *exchange, w dns.ResponseWriter, f found) (int, error) {
	rec := &g.records[f.record]
	if x.request.Question[0].Qtype == dns.TypeAAAA {
		x.Family = policy.IPv6
	}
	if !g.locate(x, w, rec.locating, rec.placed) {
		return dns.RcodeFormatError, nil
	}
	if rec.timed {
		x.Now = time.Now().UnixMilli()
	}
	g.regional.count(x.Region)
	d := g.engine.Snapshot().Decide(int(f.record), &x.Query, x.members[:0])
	if d.Unresolved && g.resolver != nil {
		g.resolver.await(g.hosts(f.record))
		x.Now = time.Now().UnixMilli()
		d = g.engine.Snapshot().Decide(int(f.record), &x.Query, x.members[:0])
	}
	if d.Outcome == policy.Next && g.Next != nil {
		g.label(ctx, f, d)
		return g.passOn(ctx, x, w, f)
	}
	f.zone.count(d.Outcome)
	g.label(ctx, f, d)
	switch {
	case d.Outcome.Answers():
		x.reply(dns.RcodeSuccess)
		x.answer(d.Members, d.TTL, g.signed)
		x.edns(x.scope(d.Inputs, rec.cidrs), dns.ExtendedErrorCodeStaleAnswer, stale(d))
		return dns.RcodeSuccess, w.WriteMsg(&x.msg)
	case d.Outcome == policy.ServFail:
		x.reply(dns.RcodeServerFailure)
		x.negative(f.zone, d.TTL)
		if d.Unresolved {
			x.edns(0, dns.ExtendedErrorCodeNoReachableAuthority, "an alias does not resolve")
		} else {
			x.edns(0, dns.ExtendedErrorCodeOther, "no healthy origin")
		}
		return dns.RcodeSuccess, w.WriteMsg(&x.msg)
	}
	return g.negative(x, w, f, dns.RcodeSuccess, d.TTL)
}

// serveOther answers names without a record, and types that no record has.
func (g *GSLB) serveOther(ctx context.Context, x *exchange, w dns.ResponseWriter, f found, l *locating) (int, error) {
	question := &x.request.Question[0]
	if g.Next != nil && f.zone.block.fall.Through(strings.ToLower(question.Name)) {
		return g.passOn(ctx, x, w, f)
	}
	if question.Qtype == dns.TypeAXFR || question.Qtype == dns.TypeIXFR {
		return dns.RcodeRefused, nil // there is no one truth to transfer
	}
	if !g.locate(x, w, l, false) {
		return dns.RcodeFormatError, nil
	}
	return g.own(x, w, f)
}

// own answers without an address: SOA and NS of an apex, NODATA for a name that exists, NXDOMAIN for one that does not.
func (g *GSLB) own(x *exchange, w dns.ResponseWriter, f found) (int, error) {
	if f.apex() && x.apexData(f.zone) { // also where the apex is a record
		x.edns(0, 0, "")
		f.zone.count(policy.Answer)
		return dns.RcodeSuccess, w.WriteMsg(&x.msg)
	}
	rcode, outcome, ttl := dns.RcodeSuccess, policy.NoData, g.negativeTTL(f)
	if !f.exists {
		rcode, outcome = dns.RcodeNameError, nxdomain
	}
	f.zone.count(outcome)
	return g.negative(x, w, f, rcode, ttl)
}

// negative writes a reply that holds the zone's SOA and nothing else.
func (g *GSLB) negative(x *exchange, w dns.ResponseWriter, f found, rcode int, ttl uint32) (int, error) {
	x.reply(rcode)
	x.negative(f.zone, ttl)
	x.edns(0, 0, "")
	return dns.RcodeSuccess, w.WriteMsg(&x.msg)
}

// passOn asks the next plugin. What it says of a name that exists here comes back without an NXDOMAIN.
func (g *GSLB) passOn(ctx context.Context, x *exchange, w dns.ResponseWriter, f found) (int, error) {
	through := w
	if f.exists {
		through = &existing{ResponseWriter: w, x: x, f: f, ttl: g.negativeTTL(f)}
	}
	rcode, err := plugin.NextOrFailure(g.Name(), g.Next, ctx, through, x.request)
	if rcode == dns.RcodeServerFailure && err != nil && strings.HasSuffix(err.Error(), noNextPlugin) {
		// The chain ended without anyone who knows the name.
		l := f.zone.block.locating
		if f.record != noRecord {
			l = g.records[f.record].locating
		}
		if !g.locate(x, w, l, false) {
			return dns.RcodeFormatError, nil
		}
		return g.own(x, w, f)
	}
	f.zone.count(policy.Next)
	return rcode, err
}

// noNextPlugin is how plugin.NextOrFailure's error ends, which has no value of its own to compare with.
const noNextPlugin = "no next plugin found"

func (g *GSLB) negativeTTL(f found) uint32 {
	if f.record != noRecord {
		return g.records[f.record].ttl
	}
	return f.zone.block.negativeTTL
}

// hosts gives the names that a record's aliases stand for.
func (g *GSLB) hosts(record int32) []string {
	var list []string
	for _, o := range g.aliasesOf(&g.policy.Records[record]) {
		list = append(list, o.Alias)
	}
	return list
}

// stale is the text of an extended error where addresses can no longer be confirmed (RFC 8914, section 4.4), else empty.
func stale(d policy.Decision) string {
	if d.Stale {
		return "an alias does not resolve at present"
	}
	return ""
}
