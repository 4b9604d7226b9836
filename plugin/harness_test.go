package gslb

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"sort"
	"strings"
	"testing"

	"github.com/coredns/coredns/plugin"
	"github.com/coredns/coredns/plugin/pkg/dnstest"
	"github.com/coredns/coredns/plugin/test"
	"github.com/coredns/coredns/request"

	"github.com/miekg/dns"

	"github.com/coredns/gslb/policy"
)

// handler is a plugin that answers and does not probe: what is observed is what a test says.
type handler struct {
	*GSLB
	t testing.TB
}

func newHandler(t testing.TB, corefile string, next plugin.Handler) *handler {
	t.Helper()
	cfg, err := parsed(t, corefile)
	if err != nil {
		t.Fatalf("Expected no refusal, got %v", err)
	}
	i := &instance{config: cfg}
	i.prepare(nil)
	i.engine.Compile()
	return &handler{&GSLB{Next: next, instance: i}, t}
}

// down gives check 'web' of the first block a verdict of unhealthy on some targets.
func (h *handler) down(targets ...string) *handler { return h.observe(policy.Unhealthy, targets...) }

func (h *handler) observe(v policy.Verdict, targets ...string) *handler {
	for _, target := range targets {
		h.engine.Observe(policy.Subject{Check: "0/web", Target: target}, policy.Health{Verdict: v})
	}
	return h
}

// question is a query in the making.
type question struct {
	h    *handler
	m    *dns.Msg
	from string
}

func (h *handler) query(name, qtype string) *question {
	m := new(dns.Msg)
	m.SetQuestion(name, dns.StringToType[qtype])
	return &question{h, m, "172.16.0.1"}
}

func (q *question) by(from string) *question { q.from = from; return q }

func (q *question) edns() *question { q.m.SetEdns0(4096, false); return q }

func (q *question) do() *question { q.m.SetEdns0(4096, true); return q }

// ecs adds a client subnet; bits beyond its length stay.
func (q *question) ecs(subnet string) *question {
	if q.m.IsEdns0() == nil {
		q.edns()
	}
	host, length, _ := strings.Cut(subnet, "/")
	a := netip.MustParseAddr(host)
	e := &dns.EDNS0_SUBNET{Code: dns.EDNS0SUBNET, Family: 1, Address: net.IP(a.AsSlice())}
	if a.Is6() {
		e.Family = 2
	}
	fmt.Sscan(length, &e.SourceNetmask)
	opt := q.m.IsEdns0()
	opt.Option = append(opt.Option, e)
	return q
}

// ask sends the query as the server would hand it on, and gives what the client would see.
func (q *question) ask() (*dns.Msg, int) {
	q.h.t.Helper()
	rec := dnstest.NewRecorder(&test.ResponseWriter{RemoteIP: q.from})
	w := request.NewScrubWriter(q.m, rec)
	rcode, err := q.h.ServeDNS(context.Background(), w, q.m)
	if err != nil {
		q.h.t.Fatalf("Expected no error, got %v", err)
	}
	if plugin.ClientWrite(rcode) != (rec.Msg != nil) {
		q.h.t.Fatalf("Expected a message or a code that the server answers, got %s and %v", dns.RcodeToString[rcode], rec.Msg)
	}
	if rec.Msg != nil {
		rcode = rec.Msg.Rcode
	}
	return rec.Msg, rcode
}

// said puts a reply into few words: addresses in order, or NODATA, NXDOMAIN and the like with the SOA's owner and TTL.
func (q *question) said() string {
	q.h.t.Helper()
	m, rcode := q.ask()
	if m == nil {
		return dns.RcodeToString[rcode]
	}
	var words []string
	for _, rr := range m.Answer {
		switch rr := rr.(type) {
		case *dns.A:
			words = append(words, rr.A.String())
		case *dns.AAAA:
			words = append(words, rr.AAAA.String())
		default:
			words = append(words, strings.Join(strings.Fields(rr.String())[3:], " "))
		}
	}
	if len(words) > 0 {
		return strings.Join(words, " ")
	}
	name := dns.RcodeToString[rcode]
	if rcode == dns.RcodeSuccess {
		name = "NODATA"
	}
	for _, rr := range m.Ns {
		if soa, ok := rr.(*dns.SOA); ok {
			name += fmt.Sprintf(" %s %d", soa.Hdr.Name, soa.Hdr.Ttl)
		}
	}
	return name
}

func (q *question) is(want string) {
	q.h.t.Helper()
	if got := q.said(); got != want {
		q.h.t.Errorf("Expected %q, got %q", want, got)
	}
}

// zoneFile is a next plugin that serves a zone, and one that knows nothing of it.
func zoneFile(soaTTL, minimum uint32, records ...string) plugin.Handler {
	return plugin.HandlerFunc(func(_ context.Context, w dns.ResponseWriter, r *dns.Msg) (int, error) {
		m := new(dns.Msg)
		m.SetReply(r)
		m.Authoritative = true
		exists := false
		for _, text := range records {
			rr, err := dns.NewRR(text)
			if err != nil {
				panic(err)
			}
			exists = exists || rr.Header().Name == strings.ToLower(r.Question[0].Name)
			if rr.Header().Name == strings.ToLower(r.Question[0].Name) && rr.Header().Rrtype == r.Question[0].Qtype {
				m.Answer = append(m.Answer, rr)
			}
		}
		if len(m.Answer) == 0 {
			m.Ns = []dns.RR{test.SOA(fmt.Sprintf("example.org. %d IN SOA ns.next. host.next. 1 2 3 4 %d", soaTTL, minimum))}
			if !exists {
				m.Rcode = dns.RcodeNameError
			}
		}
		w.WriteMsg(m)
		return dns.RcodeSuccess, nil
	})
}

func sortedWords(s string) string {
	words := strings.Fields(s)
	sort.Strings(words)
	return strings.Join(words, " ")
}
