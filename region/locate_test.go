package region

import (
	"net/netip"
	"testing"
)

func TestLocate(t *testing.T) {
	names := NewNames()
	a, _ := names.Intern("a")
	b, _ := names.Intern("b")
	n, _ := names.Intern("node")
	table := build(t, names, "203.0.113.0/24 a, 198.51.100.0/24 b, 10.9.0.0/16 b")
	bare := build(t, names, "203.0.113.0/24 a, 198.51.100.0/24 b")
	for _, tt := range []struct {
		name           string
		table          *Table
		node           ID
		mode           Mode
		source, subnet string
		want           Client
	}{
		{"DTM-LB-29 by the source", table, 0, Source, "203.0.113.9", "", Client{Region: a}},
		{"DTM-LB-32 under locate source the subnet is ignored", table, 0, Source, "203.0.113.9", "198.51.100.0/24", Client{Region: a}},
		{"V07 DTM-LB-31 the node's region stands in", table, n, Source, "172.16.0.1", "", Client{Region: n}},
		{"V07 G-36 none knows the client", table, 0, Source, "172.16.0.1", "", Client{}},
		{"COR-32 locate node", table, n, Node, "203.0.113.9", "198.51.100.0/24", Client{Region: n}},
		{"COR-14 all behind one resolver", table, 0, Source, "203.0.113.53", "", Client{Region: a}},
		{"V100 by the subnet", table, 0, ECS, "203.0.113.9", "198.51.100.0/24", Client{Region: b, Scope: 24, BySubnet: true}},
		{"V102 G-29 source prefix 0", table, 0, ECS, "203.0.113.9", "0.0.0.0/0", Client{Region: a}},
		{"V102 G-29 a private subnet that no mapping knows", bare, 0, ECS, "198.51.100.7", "10.8.0.0/24", Client{Region: b, Scope: 8, BySubnet: true}},
		{"H-13 no subnet, source in b", table, n, ECS, "198.51.100.7", "", Client{Region: b}},
		{"H-13 unmapped subnet: the node", table, n, ECS, "198.51.100.7", "100.64.0.0/24", Client{Region: n, Scope: 2, BySubnet: true}},
		{"H-13 a mapped private subnet", table, n, ECS, "198.51.100.7", "10.9.0.0/24", Client{Region: b, Scope: 16, BySubnet: true}},
		{"H-13 an unmapped private subnet: the source", table, n, ECS, "198.51.100.7", "10.8.0.0/24", Client{Region: b, Scope: 16, BySubnet: true}},
		{"H-13 and where the source is unknown too, the node", table, n, ECS, "192.0.2.1", "192.168.1.0/24", Client{Region: n, Scope: 16, BySubnet: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			subnet := netip.Prefix{}
			if tt.subnet != "" {
				subnet = netip.MustParsePrefix(tt.subnet)
			}
			got := NewLocator(tt.node, tt.table).Locate(tt.mode, netip.MustParseAddr(tt.source), subnet)
			if got != tt.want {
				t.Errorf("Expected %+v, got %+v", tt.want, got)
			}
		})
	}
	t.Run("DTM-LB-30 mappings change while queries run", func(t *testing.T) {
		l := NewLocator(0, table)
		l.Set(build(t, names, "203.0.113.0/24 b"))
		if got := l.Locate(Source, netip.MustParseAddr("203.0.113.9"), netip.Prefix{}); got.Region != b {
			t.Errorf("Expected the new mapping, got %+v", got)
		}
	})
}
