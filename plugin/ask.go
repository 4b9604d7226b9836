package gslb

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/coredns/caddy"
	"github.com/coredns/caddy/caddyfile"
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/plugin/pkg/nonwriter"

	"github.com/miekg/dns"
)

// Names of aliases are looked up through a server of our own that listens nowhere and holds copies of every server block
// of the instance, our listener's first: so they reach forward, file, kubernetes and our own records alike, in whichever
// block they stand, and need no client's query.

// innerServer makes that server. It may be called only when all server blocks are made: in the last OnStartup.
func innerServer(c *caddy.Controller) (*dnsserver.Server, error) {
	own := dnsserver.GetConfig(c)
	var first, rest []*dnsserver.Config
	for _, cfg := range configs(c) {
		copied := *cfg // NewServer writes the compiled chain into it
		if cfg.Port == own.Port && cfg.Transport == own.Transport && slices.Equal(cfg.ListenHosts, own.ListenHosts) {
			first = append(first, &copied)
		} else {
			rest = append(rest, &copied)
		}
	}
	return dnsserver.NewServer(own.Transport+"://:"+own.Port, append(first, rest...))
}

// configs gives the configuration of every server block by the exported means: GetConfig finds one by two fields of the
// Controller, and makes an empty one past the end, by which the walk knows it.
func configs(c *caddy.Controller) (all []*dnsserver.Config) {
	walk := *c
	walk.Dispenser = caddyfile.Dispenser{}
	for block := 0; ; block++ {
		for key := 0; ; key++ {
			walk.ServerBlockIndex, walk.ServerBlockKeyIndex = block, key
			cfg := dnsserver.GetConfig(&walk)
			if cfg.Port != "" || cfg.Zone != "" {
				all = append(all, cfg)
				continue
			}
			if key == 0 {
				return all
			}
			break
		}
	}
}

// through looks names up in a server, and where it says REFUSED or SERVFAIL in the system's resolver.
func through(server *dnsserver.Server) lookup {
	return func(ctx context.Context, name string, qtype uint16) ([]netip.Addr, time.Duration, error) {
		addrs, ttl, err := chase(name, qtype, func(name string) *dns.Msg { return ask(ctx, server, name, qtype) })
		if errors.Is(err, errNotOurs) {
			return systemLookup(ctx, name, qtype)
		}
		return addrs, ttl, err
	}
}

// errNotOurs says that the server cannot tell: nobody in it knows the zone, or who does is in trouble.
var errNotOurs = errors.New("the server does not know")

// maxChain is how many steps a chain of CNAMEs may have (G-08).
const maxChain = 8

// chase follows CNAMEs to addresses. The TTL is the least on the way.
func chase(name string, qtype uint16, ask func(string) *dns.Msg) (addrs []netip.Addr, ttl time.Duration, err error) {
	least := uint32(1<<32 - 1)
	passed := map[string]bool{}
	for range maxChain {
		m := ask(name)
		if m == nil || m.Rcode == dns.RcodeRefused || m.Rcode == dns.RcodeServerFailure {
			return nil, 0, errNotOurs
		}
		next := name
		for range maxChain { // the answer may hold several steps, in any order
			target := ""
			for _, rr := range m.Answer {
				if !strings.EqualFold(rr.Header().Name, next) {
					continue
				}
				switch rr := rr.(type) {
				case *dns.CNAME:
					target = rr.Target
				case *dns.A:
					if a, ok := netip.AddrFromSlice(rr.A); ok && qtype == dns.TypeA {
						addrs = append(addrs, a.Unmap())
					}
				case *dns.AAAA:
					if a, ok := netip.AddrFromSlice(rr.AAAA); ok && qtype == dns.TypeAAAA {
						addrs = append(addrs, a)
					}
				default:
					continue
				}
				least = min(least, rr.Header().Ttl)
			}
			if target == "" || len(addrs) > 0 {
				break
			}
			if passed[strings.ToLower(next)] {
				return nil, 0, fmt.Errorf("'%s' leads back to itself", next)
			}
			passed[strings.ToLower(next)] = true
			next = target
		}
		switch {
		case len(addrs) > 0:
			return addrs, time.Duration(least) * time.Second, nil
		case m.Rcode == dns.RcodeNameError:
			return nil, 0, fmt.Errorf("'%s' does not exist", next)
		case next == name:
			return nil, negativeTTL(m, least), nil
		}
		name = next
	}
	return nil, 0, fmt.Errorf("a chain of more than %d names", maxChain)
}

// negativeTTL is how long it holds that a name has no address of a type (RFC 2308, section 5).
func negativeTTL(m *dns.Msg, least uint32) time.Duration {
	least = min(least, defaultTTL)
	for _, rr := range m.Ns {
		if soa, ok := rr.(*dns.SOA); ok {
			least = min(least, soa.Hdr.Ttl, soa.Minttl)
		}
	}
	return time.Duration(least) * time.Second
}

// ask sends one query into a server.
func ask(ctx context.Context, server *dnsserver.Server, name string, qtype uint16) *dns.Msg {
	m := new(dns.Msg)
	m.SetQuestion(name, qtype)
	ctx = context.WithValue(context.WithValue(ctx, dnsserver.Key{}, server), dnsserver.LoopKey{}, 0)
	w := nonwriter.New(nowhere{})
	server.ServeDNS(ctx, w, m)
	return w.Msg
}

// nowhere is the client of our own queries: the server itself, over TCP, so that nothing is cut.
type nowhere struct{ dns.ResponseWriter }

func (nowhere) LocalAddr() net.Addr  { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 53} }
func (nowhere) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 5353} }
func (nowhere) TsigStatus() error    { return nil }

// systemLookup asks the system's resolver, which tells no TTL: half a minute is assumed. A test puts its own here.
var systemLookup = func(ctx context.Context, name string, qtype uint16) ([]netip.Addr, time.Duration, error) {
	network := "ip4"
	if qtype == dns.TypeAAAA {
		network = "ip6"
	}
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, network, name)
	var e *net.DNSError
	switch {
	case errors.As(err, &e) && e.IsNotFound:
		// The system does not tell a name without addresses of one family from one that does not exist.
		if _, other := net.DefaultResolver.LookupNetIP(ctx, "ip", name); other != nil {
			return nil, 0, err
		}
		return nil, defaultTTL * time.Second, nil
	case err != nil:
		return nil, 0, err
	}
	for i := range addrs {
		addrs[i] = addrs[i].Unmap()
	}
	return addrs, defaultTTL * time.Second, nil
}
