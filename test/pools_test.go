package test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/coredns/coredns/plugin/hosts"

	"github.com/miekg/dns"
)

func TestPools(t *testing.T) {
	t.Run("COR-06 COR-08 COR-29 COR-33 COR-36 V33 pools in order, rules of geography, a fallback pool, affinity", func(t *testing.T) {
		port := freePort(t)
		backends := map[string]*backend{}
		for _, host := range []string{"127.0.0.41", "127.0.0.42", "127.0.0.43", "127.0.0.44", "127.0.0.45"} {
			backends[host] = newBackend(t, host, port)
		}
		s := start(t, zone(port, `
node pop FRA country DE continent EU location 50.11 8.68
locate node
pool eu {
	origin 127.0.0.41 weight 20
	origin 127.0.0.42 weight 10
	policy weighted random
	check web
	location 50.11 8.68
}
pool us {
	origin 127.0.0.43 priority 1
	origin 127.0.0.44 priority 2
	policy failover
	check web
	location 39.04 -77.49
}
pool sorry {
	origin 127.0.0.45
}
record @ api {
	pools us eu
	when country DE,AT,CH pools eu us
	steering proximity
	fallback sorry
	affinity
}
record plain {
	pools us eu
	when continent NA pools us
	steering proximity
	locate node
	fallback sorry
}`))
		first := s.a("example.org.")
		if first != "127.0.0.41" && first != "127.0.0.42" {
			t.Errorf("Expected the near pool, got %s", first)
		}
		for range 20 {
			if got := s.a("example.org."); got != first {
				t.Fatalf("Expected to stay on %s, got %s", first, got)
			}
		}
		seen := map[string]int{}
		for range 300 {
			seen[s.a("plain.example.org.")]++
		}
		if seen["127.0.0.41"] == 0 || seen["127.0.0.42"] == 0 || len(seen) != 2 {
			t.Errorf("Expected both of the near pool, got %v", seen)
		}
		eventually(t, "probes", func() bool { return backends["127.0.0.41"].hits.Load() > 1 && backends["127.0.0.43"].hits.Load() > 1 })
		backends["127.0.0.41"].kill()
		backends["127.0.0.42"].kill()
		eventually(t, "the far pool", func() bool { return s.a("plain.example.org.") == "127.0.0.43" && s.a("example.org.") != first })
		backends["127.0.0.43"].kill()
		eventually(t, "its second origin", func() bool { return s.a("plain.example.org.") == "127.0.0.44" })
		backends["127.0.0.44"].kill()
		eventually(t, "the fallback pool", func() bool {
			return s.a("plain.example.org.") == "127.0.0.45" && s.a("api.example.org.") == "127.0.0.45"
		})
		backends["127.0.0.41"].revive()
		eventually(t, "the near pool again", func() bool { return s.a("plain.example.org.") == "127.0.0.41" })
	})
}

func TestAliases(t *testing.T) {
	t.Run("DTM-LB-45 G-08 G-09 G-10 names of another server block, probed and followed", func(t *testing.T) {
		port := freePort(t)
		west, north := newBackend(t, "127.0.0.51", port), newBackend(t, "127.0.0.52", port)
		hosts := filepath.Join(t.TempDir(), "hosts")
		write := func(text string) {
			if err := os.WriteFile(hosts, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write("127.0.0.51 app-weu.internal.test\n127.0.0.52 app-neu.internal.test\n")
		s := start(t, zone(port, `region westeurope 10.1.0.0/16
region northeurope 10.2.0.0/16
locate ecs
record app {
	alias app-weu.internal.test region westeurope
	alias app-neu.internal.test region northeurope
	policy geo-failover
	check web
	ttl 30s
}`)+fmt.Sprintf("\ninternal.test:0 {\nbind 127.0.0.1\nhosts %s {\nttl 2\nreload 200ms\n}\n}", hosts))
		for net, want := range map[string]string{"10.1.0.0/16": "127.0.0.51", "10.2.0.0/16": "127.0.0.52"} {
			m := s.ask("app.example.org.", dns.TypeA, subnet(net))
			if words(m) != want || m.Answer[0].Header().Ttl > 2 {
				t.Errorf("Expected %s with a TTL of at most 2, got %v", want, m.Answer)
			}
		}
		if m := s.ask("app.example.org.", dns.TypeAAAA); m.Rcode != dns.RcodeSuccess || len(m.Answer) != 0 {
			t.Errorf("Expected H-46 NODATA for the other family, got %v", m)
		}
		eventually(t, "the addresses to be probed", func() bool { return west.hits.Load() > 2 && north.hits.Load() > 2 })
		west.kill()
		eventually(t, "the dead address to leave", func() bool { return s.a("app.example.org.", subnet("10.1.0.0/16")) == "127.0.0.52" })
		west.revive()
		eventually(t, "it to come back", func() bool { return s.a("app.example.org.", subnet("10.1.0.0/16")) == "127.0.0.51" })
		newBackend(t, "127.0.0.53", port)
		write("127.0.0.53 app-weu.internal.test\n127.0.0.52 app-neu.internal.test\n")
		eventually(t, "a name's new address", func() bool { return s.a("app.example.org.", subnet("10.1.0.0/16")) == "127.0.0.53" })
		n := west.hits.Load()
		eventually(t, "the new address to be probed", func() bool {
			return metric(t, "coredns_gslb_check_results_total{check=web,result=pass,target=127.0.0.53") > 2
		})
		if got := west.hits.Load(); got > n+1 {
			t.Errorf("Expected the old address to be left alone, got %d more probes", got-n)
		}
	})
	t.Run("G-10 G-40 an alias of a record of our own, over a reload under load", func(t *testing.T) {
		corefile := func(comment string) string {
			return zone(1, "# "+comment+"\nrecord www {\nalias real.example.org\n}\nrecord real {\norigin 127.0.0.61\norigin 127.0.0.62\npolicy failover\nttl 3s\n}")
		}
		s := start(t, corefile("one"))
		if got := s.a("www.example.org."); got != "127.0.0.61" {
			t.Fatalf("Expected the name to be resolved before the first answer, got %s", got)
		}
		l := s.load(2, []string{"www.example.org."}, answered)
		for i := range 3 {
			if err := s.reload(corefile(fmt.Sprint(i))); err != nil {
				t.Fatal(err)
			}
		}
		l.judge(t)
	})
	t.Run("H-46 H-47 a name that does not exist, and a chain", func(t *testing.T) {
		db := filepath.Join(t.TempDir(), "db")
		var text strings.Builder
		text.WriteString("@ 60 IN SOA ns. host. 1 2 3 4 60\nend 60 IN A 127.0.0.71\n")
		for i := range 6 {
			fmt.Fprintf(&text, "c%d 60 IN CNAME c%d\n", i, i+1)
		}
		text.WriteString("c6 60 IN CNAME end\nloop1 60 IN CNAME loop2\nloop2 60 IN CNAME loop1\n")
		os.WriteFile(db, []byte(text.String()), 0o600)
		s := start(t, zone(1, "record @ gone {\nalias no.zone.test\n}\nrecord chain {\nalias c0.zone.test\n}\nrecord loop {\nalias loop1.zone.test\n}")+
			"\nzone.test:0 {\nbind 127.0.0.1\nfile "+db+"\n}")
		for _, name := range []string{"example.org.", "gone.example.org.", "loop.example.org."} {
			if got := s.a(name); got != "SERVFAIL" {
				t.Errorf("Expected SERVFAIL for %s, got %s", name, got)
			}
		}
		if m := s.ask("example.org.", dns.TypeSOA); len(m.Answer) != 1 {
			t.Errorf("Expected the SOA of the apex throughout, got %v", m)
		}
		if got := s.a("chain.example.org."); got != "127.0.0.71" {
			t.Errorf("Expected the end of the chain, got %s", got)
		}
	})
}
