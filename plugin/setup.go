// Package gslb is a CoreDNS plugin that answers A and AAAA from a policy engine over health-checked origins.
package gslb

import (
	"strings"
	"sync"

	"github.com/coredns/caddy"
	"github.com/coredns/caddy/caddyfile"
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/plugin"
	clog "github.com/coredns/coredns/plugin/pkg/log"

	"github.com/coredns/gslb/policy"
	"github.com/coredns/gslb/region"
)

const pluginName = "gslb"

var log = clog.NewWithPlugin(pluginName)

func init() { plugin.Register(pluginName, setup) }

// setup may run for a configuration that is then thrown away: it opens nothing and starts nothing.
func setup(c *caddy.Controller) error {
	cfg, err := parse(c)
	if err != nil {
		return plugin.Error(pluginName, err)
	}
	server := dnsserver.GetConfig(c)
	g := &GSLB{instance: &instance{config: cfg, key: strings.Join(c.ServerBlockKeys, " ")}}
	// Only what is needed of the Controller, which would keep every token of the block alive.
	place := *c
	place.Dispenser = caddyfile.Dispenser{}
	var last sync.Once
	server.AddPlugin(func(next plugin.Handler) plugin.Handler {
		g.Next = next
		// Called when every setup has run, so that this OnStartup is the last: the plugins below us have started.
		last.Do(func() { place.OnStartup(func() error { return g.startResolver(&place) }) })
		return g
	})

	c.Set(alive{g.instance}, true)
	c.OnStartup(func() error {
		sweepForOthers()
		g.key += " " + server.ViewName
		g.labels = server.Handler("metadata") != nil
		g.signed = server.Handler("dnssec") != nil
		g.neighbours(func(name string) bool { return server.Handler(name) != nil })
		return g.start()
	})
	c.OnShutdown(g.close)
	if c.Get(sweeper{}) == nil { // once for all blocks of the Corefile
		c.Set(sweeper{}, new(load))
		c.OnRestartFailed(sweep)
	}
	g.load, _ = c.Get(sweeper{}).(*load)
	return nil
}

// startResolver begins to look up aliases, when the plugins that may serve them are there.
func (i *instance) startResolver(c *caddy.Controller) error {
	if i.resolver == nil {
		return nil
	}
	server, err := innerServer(c)
	if err != nil {
		return plugin.Error(pluginName, err)
	}
	i.resolver.lookup = through(server)
	i.resolver.start()
	return nil
}

// alive is the key under which a caddy instance holds the proof that one of ours belongs to it.
type alive struct{ *instance }

type sweeper struct{}

// sweep runs when a reload has failed, and ends what the new configuration may have started: a new instance that fails
// after its OnStartup never gets an OnShutdown.
func sweep() error {
	refusedConfigurations.Inc()
	for _, i := range running() {
		if !i.belongs() {
			i.close()
		}
	}
	return nil
}

// sweepForOthers has the instance that is about to be replaced sweep as well where it has no block of ours, and therefore
// no callback: what brings the first block in may fail too. It is called where caddy itself starts.
func sweepForOthers() {
	for _, c := range caddy.Instances() {
		c.StorageMu.Lock()
		if _, ok := c.Storage[sweeper{}]; !ok {
			if c.Storage == nil {
				c.Storage = map[any]any{}
			}
			c.Storage[sweeper{}] = new(load)
			c.OnRestartFailed = append(c.OnRestartFailed, sweep)
		}
		c.StorageMu.Unlock()
	}
}

// belongs tells whether a caddy instance that lives holds i. caddy.Instances takes no lock: this may be called only
// where caddy itself restarts.
func (i *instance) belongs() bool {
	for _, c := range caddy.Instances() {
		c.StorageMu.RLock()
		_, ok := c.Storage[alive{i}]
		c.StorageMu.RUnlock()
		if ok {
			return true
		}
	}
	return false
}

// neighbours warns of plugins in the same server block that undo what records ask for.
func (i *instance) neighbours(present func(name string) bool) {
	for n := range i.policy.Records {
		if r := &i.policy.Records[n]; r.Ordered() && present("loadbalance") {
			log.Warningf("%s: the order of the answers of record '%s' carries a meaning, and the loadbalance plugin shuffles it", r.Pos, r.Name)
			break
		}
	}
	for n := range i.records {
		if i.records[n].locating.mode == region.ECS && present("minimal") {
			log.Warningf("%s: the answers of record '%s' depend on the client subnet, and the minimal plugin drops the option that says how far they reach",
				i.policy.Records[n].Pos, i.policy.Records[n].Name)
			break
		}
	}
}

// CacheBypassZones implements the cache plugin's ZoneBypasser: no cache knows that our answers differ by client. A
// root zone would switch the cache off for the whole world, so there the records' own names stand.
func (g *GSLB) CacheBypassZones() []string {
	var zones []string
	for _, b := range g.blocks {
		for _, z := range b.zones {
			if z != "." {
				zones = append(zones, z)
			}
		}
	}
	for n := range g.records {
		if g.records[n].zone.name == "." {
			zones = append(zones, strings.TrimPrefix(g.policy.Records[n].Name, "*."))
		}
	}
	return zones
}

func (i *instance) logStatus(record int, from, to policy.Status) {
	name := i.policy.Records[record].Name
	if to > policy.StatusPartiallyOK {
		log.Warningf("record '%s': %s, was %s", name, to, from)
		return
	}
	log.Infof("record '%s': %s, was %s", name, to, from)
}
