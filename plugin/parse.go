package gslb

import (
	"errors"
	"net/netip"
	"path/filepath"
	"slices"
	"time"

	"github.com/coredns/caddy"
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/plugin"

	"github.com/coredns/gslb/policy"
	"github.com/coredns/gslb/probe"
	"github.com/coredns/gslb/region"
)

// parse reads all gslb blocks of a server block. It reads the files that they name, and opens and starts nothing.
func parse(c *caddy.Controller) (*config, error) {
	cfg := &config{
		policy: &policy.Config{}, names: newNames(), regions: &region.Names{}, subjects: map[policy.Subject]subject{},
		aliases: map[string][]aliasCheck{},
	}
	root := dnsserver.GetConfig(c).Root
	serial := uint32(time.Now().Unix())
	r := &reader{&c.Dispenser}
	for c.Next() {
		l, err := r.rest()
		if err != nil {
			return nil, err
		}
		b := newDraft(cfg, root, serial)
		if b.zones, err = zones(l, c.ServerBlockKeys); err != nil {
			return nil, err
		}
		if l.open {
			if err := readBlock(l, "gslb", blockProperties, b); err != nil {
				return nil, err
			}
		}
		if err := b.finish(); err != nil {
			return nil, err
		}
	}
	if err := cfg.policy.Validate(); err != nil {
		return nil, refusal(err)
	}
	cfg.names.join()
	if err := cfg.loops(); err != nil {
		return nil, err
	}
	cfg.policy.RegionOf = cfg.regionOf
	return cfg, nil
}

// zones gives a block's zones; those of the server block where it names none.
func zones(l *line, keys []string) ([]string, error) {
	for _, arg := range l.args {
		names := plugin.Host(arg).NormalizeExact()
		if len(names) == 0 || slices.ContainsFunc(names, func(name string) bool { return checkName(name) != nil }) {
			return nil, l.errf("'%s' is not a zone: want a domain name or a reverse network", arg)
		}
	}
	var list []string
	for _, z := range plugin.OriginsFromArgsOrServerBlock(l.args, keys) {
		if !slices.Contains(list, z) {
			list = append(list, z)
		}
	}
	return list, nil
}

// refusal brings the faults that the policy package found into the form of the parser's own.
func refusal(err error) error {
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		var all []error
		for _, e := range joined.Unwrap() {
			all = append(all, refusal(e))
		}
		return errors.Join(all...)
	}
	var e *policy.Error
	if errors.As(err, &e) {
		return fault(e.Pos, "%s", e.Msg)
	}
	return err
}

// regionOf gives the region of an origin that names none (DTM-LB-06).
func (cfg *config) regionOf(o *policy.Origin, block int) policy.Region {
	return policy.Region(cfg.blocks[block].locator.Region(o.Addr))
}

// draft is one gslb block while it is read. A thing may be used above the line that defines it: what names another
// thing waits for finish.
type draft struct {
	*block
	cfg  *config
	root string

	zone        map[string]*zone // of this block, also where another block has the same zone
	subnetsPos  policy.Pos
	nodeRegion  word
	regionAt    map[region.ID]policy.Pos // by region lines
	defined     map[region.ID]bool       // by these and by the subnets file
	needed      map[region.ID]bool
	required    []region.ID // regions named elsewhere that only the subnets file defines
	mappings    []region.Mapping
	fromFile    []region.Mapping
	lines       []region.Line
	geoipPos    policy.Pos
	node        region.Place
	pools       map[string]*poolDraft
	poolOrder   []*poolDraft
	records     []*recordDraft
	checks      map[string]*checkDraft
	monitors    []monitorDraft
	monitorAt   map[string]policy.Pos
	policy      policy.Policy
	ttl         uint32
	minInterval time.Duration
	source      [2]netip.Addr
	workers     int
}

// word is a word with its place.
type word struct {
	text string
	pos  policy.Pos
}

func newDraft(cfg *config, root string, serial uint32) *draft {
	b := &block{negativeTTL: defaultTTL, serial: serial}
	b.locating = &locating{mode: region.Source, block: b}
	return &draft{
		block: b, cfg: cfg, root: root, zone: map[string]*zone{}, defined: map[region.ID]bool{}, needed: map[region.ID]bool{}, regionAt: map[region.ID]policy.Pos{}, checks: map[string]*checkDraft{}, pools: map[string]*poolDraft{},
		monitorAt: map[string]policy.Pos{}, ttl: defaultTTL, minInterval: probe.MinInterval,
	}
}

const defaultTTL = 30 // seconds; of answers and negative answers alike

// path makes a relative path one below the server's root.
func (d *draft) path(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(d.root, p)
}

// finish resolves what lines name, and adds the block to the configuration.
func (d *draft) finish() error {
	number := len(d.cfg.blocks)
	d.cfg.blocks = append(d.cfg.blocks, d.block)
	if err := d.defineRegions(); err != nil {
		return err
	}
	if err := d.finishChecks(number); err != nil {
		return err
	}
	for _, name := range d.zones {
		z := &zone{name: name, block: d.block, counters: zoneCounters.of(name)}
		d.zone[name] = z
		d.cfg.names.addZone(z)
	}
	if err := d.finishPools(number); err != nil {
		return err
	}
	if err := d.finishRecords(number); err != nil {
		return err
	}
	if err := d.makeLocator(); err != nil {
		return err
	}
	d.blind()
	d.cfg.workers = max(d.cfg.workers, d.workers)
	return nil
}
