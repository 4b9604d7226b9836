package test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

// subnet adds a client subnet to a query.
func subnet(cidr string) func(*dns.Msg) {
	return func(m *dns.Msg) {
		ip, n, err := net.ParseCIDR(cidr)
		if err != nil {
			panic(err)
		}
		bits, _ := n.Mask.Size()
		m.SetEdns0(4096, false)
		m.IsEdns0().Option = []dns.EDNS0{&dns.EDNS0_SUBNET{Code: dns.EDNS0SUBNET, Family: 1, SourceNetmask: uint8(bits), Address: ip.To4()}}
	}
}

func TestNeighbours(t *testing.T) {
	t.Run("H-15 cache and loadbalance in front", func(t *testing.T) {
		port := freePort(t)
		a := newBackend(t, "127.0.0.11", port)
		newBackend(t, "127.0.0.12", port)
		mark := logs.mark()
		s := start(t, strings.Replace(zone(port, `locate ecs
region a 10.1.0.0/16
region b 10.2.0.0/16
record www {
	origin 127.0.0.11 region a
	origin 127.0.0.12 region b
	check web
}
record turn {
	origin 127.0.0.21
	origin 127.0.0.22
	origin 127.0.0.23
	origin 127.0.0.24
	policy round-robin
}
record list {
	origin 127.0.0.21
	origin 127.0.0.22
	policy failover
	answers 2
}`), "gslb {", "cache 3600\nloadbalance\ngslb {", 1))
		for range 100 {
			for net, want := range map[string]string{"10.1.0.0/24": "127.0.0.11", "10.2.0.0/24": "127.0.0.12"} {
				if got := s.a("www.example.org.", subnet(net)); got != want {
					t.Fatalf("Expected %s, got %s", want, got)
				}
			}
		}
		counts := map[string]int{}
		for range 400 {
			counts[s.a("turn.example.org.")]++
		}
		for a, n := range counts {
			if n != 100 || len(counts) != 4 {
				t.Errorf("Expected a hundred each, got %d of %s", n, a)
			}
		}
		eventually(t, "probes", func() bool { return a.hits.Load() > 2 })
		a.kill()
		eventually(t, "the dead one to leave its region", func() bool { return s.a("www.example.org.", subnet("10.1.0.0/24")) == "127.0.0.12" })
		if n := strings.Count(logs.since(mark), "loadbalance plugin shuffles"); n != 1 {
			t.Errorf("Expected one warning, got %d", n)
		}
	})
	t.Run("H-10 minimal in front is warned of where answers depend on the subnet", func(t *testing.T) {
		mark := logs.mark()
		start(t, strings.Replace(zone(1, "locate ecs\nrecord www {\norigin 127.0.0.11\n}"), "gslb {", "minimal\ngslb {", 1))
		if n := strings.Count(logs.since(mark), "the minimal plugin drops"); n != 1 {
			t.Errorf("Expected one warning, got %d", n)
		}
	})
	t.Run("H-07 H-09 a client without EDNS, and TCP", func(t *testing.T) {
		var lines strings.Builder
		for i := range 80 {
			fmt.Fprintf(&lines, "origin 127.0.1.%d\n", i+1)
		}
		s := start(t, zone(1, "record big {\n"+lines.String()+"}"))
		m := s.ask("big.example.org.", dns.TypeA)
		m.Compress = true // as it was on the wire
		if !m.Truncated || len(m.Answer) > 29 || m.IsEdns0() != nil || m.Len() > 512 {
			t.Errorf("Expected a truncated reply of at most 512 octets, got %d with %d", m.Len(), len(m.Answer))
		}
		m = s.exchange("tcp", s.tcp, "big.example.org.", dns.TypeA)
		if m.Truncated || len(m.Answer) != 80 {
			t.Errorf("Expected 80 addresses over TCP, got %d", len(m.Answer))
		}
	})
	t.Run("H-09 every query gets a reply", func(t *testing.T) {
		s := start(t, "example.org:0 example.net:0 {\nbind 127.0.0.1\ngslb example.org {\nrecord www {\norigin 127.0.0.11\n}\nrecord off {\norigin 127.0.0.11\ndisabled\n}\n}\n}")
		class := func(m *dns.Msg) { m.Question[0].Qclass = dns.ClassCHAOS }
		for _, tt := range []struct {
			name  string
			qtype uint16
			set   func(*dns.Msg)
			rcode int
			n     int
		}{
			{"www.example.org.", dns.TypeA, nil, dns.RcodeSuccess, 1}, {"www.example.org.", dns.TypeAAAA, nil, dns.RcodeSuccess, 0},
			{"www.example.org.", dns.TypeCNAME, nil, dns.RcodeSuccess, 0}, {"www.example.org.", dns.TypeTXT, nil, dns.RcodeSuccess, 0},
			{"x.example.org.", dns.TypeA, nil, dns.RcodeNameError, 0}, {"example.org.", dns.TypeA, nil, dns.RcodeSuccess, 0},
			{"www.example.net.", dns.TypeA, nil, dns.RcodeRefused, 0}, {"www.example.org.", dns.TypeA, class, dns.RcodeRefused, 0},
			{"off.example.org.", dns.TypeA, nil, dns.RcodeSuccess, 0},
		} {
			set := []func(*dns.Msg){}
			if tt.set != nil {
				set = append(set, tt.set)
			}
			if m := s.ask(tt.name, tt.qtype, set...); m.Rcode != tt.rcode || len(m.Answer) != tt.n {
				t.Errorf("Expected %s with %d, got %v", dns.RcodeToString[tt.rcode], tt.n, m)
			}
		}
	})
	t.Run("H-03 H-04 V111 COR-41 a file zone behind", func(t *testing.T) {
		dir := t.TempDir()
		db := filepath.Join(dir, "db")
		os.WriteFile(db, []byte("@ 3600 IN SOA ns.next. host.next. 1 2 3 4 300\n@ 3600 IN NS ns.next.\nmail 3600 IN TXT \"m\"\nwww 3600 IN A 192.0.2.99\n"), 0o600)
		s := start(t, "example.org:0 {\nbind 127.0.0.1\ngslb {\nfallthrough\nrecord www app.eu {\norigin 127.0.0.11\nttl 10\n}\n}\nfile "+db+"\n}")
		if got := s.a("www.example.org."); got != "127.0.0.11" {
			t.Errorf("Expected ours, got %s", got)
		}
		for name, want := range map[string]int{"www.example.org.": dns.RcodeSuccess, "eu.example.org.": dns.RcodeSuccess, "app.eu.example.org.": dns.RcodeSuccess, "us.example.org.": dns.RcodeNameError} {
			m := s.ask(name, dns.TypeMX)
			if m.Rcode != want || len(m.Answer) != 0 || len(m.Ns) != 1 || m.Ns[0].Header().Rrtype != dns.TypeSOA {
				t.Errorf("Expected %s with one SOA for %s, got %v", dns.RcodeToString[want], name, m)
			}
		}
		if m := s.ask("app.eu.example.org.", dns.TypeTXT); m.Ns[0].Header().Ttl != 10 {
			t.Errorf("Expected V97 the record's TTL, got %v", m.Ns)
		}
		if m := s.ask("mail.example.org.", dns.TypeTXT); len(m.Answer) != 1 {
			t.Errorf("Expected the zone's TXT, got %v", m)
		}
		if m := s.ask("example.org.", dns.TypeNS); len(m.Answer) != 1 || m.Answer[0].(*dns.NS).Ns != "ns.next." {
			t.Errorf("Expected the zone's NS, got %v", m)
		}
	})
	t.Run("DTM-LB-08 metadata for log, and for view", func(t *testing.T) {
		mark := logs.mark()
		s := start(t, `example.org:0 {
	bind 127.0.0.1
	metadata
	log . "said {/gslb/record} {/gslb/origin} {/gslb/region} {/gslb/policy} {/gslb/reason}"
	view west {
		expr metadata('gslb/region') == 'west'
	}
	gslb {
		region west 127.0.0.0/8
		record www {
			origin 127.0.0.11
			origin 127.0.0.12
			policy failover
		}
	}
}
example.org:0 {
	bind 127.0.0.1
	whoami
}`)
		if got := s.a("www.example.org."); got != "127.0.0.11" {
			t.Errorf("Expected the view of the west, got %s", got)
		}
		eventually(t, "a line in the log", func() bool {
			return strings.Contains(logs.since(mark), "said www.example.org. 127.0.0.11 west failover answer")
		})
	})
}
