package gslb

import (
	"context"
	"testing"

	"github.com/coredns/coredns/plugin/test"
	"github.com/coredns/coredns/plugin/whoami"
)

// BenchmarkServeDNS is a reply on the test kit's writer, beside whoami's.
func BenchmarkServeDNS(b *testing.B) {
	h := newHandler(b, www, nil)
	w := &test.ResponseWriter{}
	b.Run("gslb", func(b *testing.B) {
		m := h.query("www.example.org.", "A").m
		b.ReportAllocs()
		for b.Loop() {
			h.ServeDNS(context.Background(), w, m)
		}
	})
	b.Run("gslb with a client subnet", func(b *testing.B) {
		h := ecsHandler(b, "", "", "")
		m := h.query("www.example.org.", "A").ecs("203.0.113.0/24").m
		b.ReportAllocs()
		for b.Loop() {
			h.ServeDNS(context.Background(), w, m)
		}
	})
	b.Run("whoami", func(b *testing.B) {
		m := h.query("www.example.org.", "A").m
		b.ReportAllocs()
		for b.Loop() {
			whoami.Whoami{}.ServeDNS(context.Background(), w, m)
		}
	})
}
