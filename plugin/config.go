package gslb

import (
	"net/netip"

	"github.com/coredns/coredns/plugin/pkg/fall"

	"github.com/coredns/gslb/internal/watch"
	"github.com/coredns/gslb/policy"
	"github.com/coredns/gslb/probe"
	"github.com/coredns/gslb/region"
)

// config is what all gslb blocks of one server block say. Nothing of it runs yet, and it holds no token of the Corefile.
type config struct {
	blocks   []*block
	policy   *policy.Config
	records  []recordInfo // beside policy.Records
	names    *names
	regions  *region.Names              // of all blocks
	subjects map[policy.Subject]subject // what is to be probed
	monitors []subject
	aliases  map[string][]aliasCheck // what is to be probed at each address of a name
	workers  int                     // 0: the default
	warnings []string                // to be logged once, at the start
}

// block is one gslb block.
type block struct {
	zones         []string
	fall          fall.F
	ns            []string
	negativeTTL   uint32
	serial        uint32
	locating      *locating // of names without a record
	locator       *region.Locator
	subnets       string        // path; empty for none
	databases     []string      // paths of geoip
	subnetsRead   watch.State   // in which it was read
	databasesRead []watch.State // beside databases
}

// locating is a `locate` line: who the client is.
type locating struct {
	mode    region.Mode
	trusted []netip.Prefix // whose ECS counts; none for anyone's
	block   *block
}

// recordInfo is what the handler needs of a record beside its policy.
type recordInfo struct {
	zone     *zone
	locating *locating
	ttl      uint32
	timed    bool          // its decisions read the clock
	placed   bool          // they read the client's place or ASN
	cidrs    *region.Table // the networks of its `when` lines; nil without
}

// subject is one check of one target.
type subject struct {
	zone  string // the first of its block: for metrics
	check string // the check's or monitor's name
	spec  probe.Spec
}
