package region

import (
	"fmt"
	"net/netip"
	"testing"
)

// asked are addresses to look up: half of them in a mapping, half anywhere.
func asked(ms []Mapping, six bool) []netip.Addr {
	addrs := make([]netip.Addr, 0, 4096)
	for i, m := range many(2048, six) {
		addrs = append(addrs, m.Prefix.Addr(), last(ms[i*7919%len(ms)].Prefix))
	}
	return addrs
}

// BenchmarkTable holds that a look-up among 100,000 prefixes costs at most 3 times one among 100 (H-12).
func BenchmarkTable(b *testing.B) {
	for _, six := range []bool{false, true} {
		family := map[bool]string{false: "IPv4", true: "IPv6"}[six]
		for _, n := range []int{100, 100_000} {
			ms := many(n, six)
			table, err := Build(ms)
			if err != nil {
				b.Fatal(err)
			}
			addrs := asked(ms, six)
			b.Run(fmt.Sprintf("Lookup/%s/%d", family, n), func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					table.Lookup(addrs[i%len(addrs)])
				}
			})
			b.Run(fmt.Sprintf("Block/%s/%d", family, n), func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					table.Block(addrs[i%len(addrs)])
				}
			})
		}
	}
}

func BenchmarkBuild(b *testing.B) {
	ms := many(100_000, false)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Build(ms); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLocate is a whole look-up, mappings and databases, for clients that both know.
func BenchmarkLocate(b *testing.B) {
	places, asns := nets{}, nets{}
	networks := many(20_000, false)
	for i, m := range networks {
		places[m.Prefix.String()] = city("DE", "EU", float64(i%90), float64(i%180))
		asns[m.Prefix.String()] = asn(uint32(i + 1))
	}
	l := geo(b, Config{Mappings: networks}, database(b, places))
	two := geo(b, Config{Mappings: networks}, database(b, places), database(b, asns))
	addrs := asked(networks, false)[:256] // few enough for the caches: memory is not what is measured
	for name, bench := range map[string]struct {
		l *Locator
		q Request
	}{
		"Source/region only":   {l, Request{RegionOnly: true}},
		"Source/one database":  {l, Request{}},
		"Source/two databases": {two, Request{}},
		"ECS/region only":      {l, Request{Mode: ECS, HasECS: true, RegionOnly: true}},
		"ECS/one database":     {l, Request{Mode: ECS, HasECS: true}},
		"a database by itself": {},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			db := l.view.Load().databases[0]
			for i := 0; b.Loop(); i++ {
				a := addrs[i%len(addrs)]
				if bench.l == nil {
					db.lookup(a)
					continue
				}
				bench.q.Source, bench.q.ECS = a, netip.PrefixFrom(a, 32)
				bench.l.Locate(bench.q)
			}
		})
	}
}
