package gslb

import (
	"context"
	"strings"

	"github.com/coredns/coredns/plugin/metadata"
	"github.com/coredns/coredns/request"

	"github.com/coredns/gslb/policy"
)

// Metadata implements metadata.Provider. Before a decision only the client's region is known; `view` may choose by it.
func (g *GSLB) Metadata(ctx context.Context, state request.Request) context.Context {
	metadata.SetValueFunc(ctx, "gslb/region", func() string {
		f := g.names.find(state.Name(), g.zoneOf)
		if f.zone == nil {
			return ""
		}
		l := f.zone.block.locating
		if f.record != noRecord {
			l = g.records[f.record].locating
		}
		x := &exchange{request: state.Req, opt: state.Req.IsEdns0()}
		if !g.locate(x, state.W, l, false) {
			return ""
		}
		return g.regionName(x.Region)
	})
	return ctx
}

// label says how a record was decided.
func (g *GSLB) label(ctx context.Context, f found, d policy.Decision) {
	if !g.labels {
		return
	}
	name := g.policy.Records[f.record].Name
	metadata.SetValueFunc(ctx, "gslb/record", func() string { return name })
	metadata.SetValueFunc(ctx, "gslb/policy", func() string { return g.policy.Records[f.record].Policy.String() })
	metadata.SetValueFunc(ctx, "gslb/reason", func() string { return d.Outcome.String() })
	members := append([]*policy.Member(nil), d.Members...)
	metadata.SetValueFunc(ctx, "gslb/origin", func() string {
		words := make([]string, len(members))
		for i, m := range members {
			words[i] = m.Origin
		}
		return strings.Join(words, ",")
	})
}

func (g *GSLB) regionName(r policy.Region) string {
	names := g.regions.All()
	if int(r) < len(names) {
		return names[r]
	}
	return ""
}
