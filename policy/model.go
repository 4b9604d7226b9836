// Package policy decides which origins answer a query, given where the client is and which origins are healthy.
//
// It knows no sockets and no clock: health comes in through Engine.Observe, the time of a query in Query.Now. A Config
// of plain structs is validated once (Validate), compiled for each record whenever configuration or observations
// change (Engine), and read through an immutable Snapshot whose Decide takes no lock and allocates nothing.
package policy

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/coredns/gslb/internal/globe"
)

// Pos is the place in the configuration that a thing was written at.
type Pos struct {
	File string
	Line int // from 1; 0 is unknown
}

func (p Pos) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// Config is everything that decisions rest on, for one or several gslb blocks that form one tree of names.
// It must not be changed once it was handed to New.
type Config struct {
	Records []Record
	Pools   []Pool

	// RegionOf gives the region of an origin that names none, by its address in the mappings of its record's or
	// pool's block. It may answer differently after a change of the mappings: Engine.Compile asks again. Nil gives
	// no origin a region.
	RegionOf func(o *Origin, block int) Region
}

// Region is a region's number; 0 is no region. Numbers are given out by whoever owns the names.
type Region uint16

// Family is an address family: that of A or that of AAAA.
type Family uint8

// The two families, usable as indices.
const (
	IPv4 Family = iota
	IPv6
	families = 2
)

// FamilyOf gives the family of an unmapped address.
func FamilyOf(a netip.Addr) Family {
	if a.Is4() {
		return IPv4
	}
	return IPv6
}

func (f Family) String() string {
	if f == IPv4 {
		return "IPv4"
	}
	return "IPv6"
}

// Record is a name that is answered. It has either Origins or Pools.
type Record struct {
	Name  string // absolute, lower case, final dot: the record's identity, also across reloads
	Block int    // of several blocks, the one that it stands in
	Pos   Pos

	Origins []Origin // the record's one unnamed pool

	Pools    []int  // indices into Config.Pools, in order
	When     []When // as written
	Steering Steering
	Select   int // how many pools contribute, from 1; All for every one
	Fallback int // index into Config.Pools, or None

	Failsafe []netip.Addr
	Fail     Fail

	Policy       Policy
	Within       int // whole milliseconds, 0 to 1000; None switches the band off
	Answers      int // from 1; All for every one; 0 leaves it to the policy
	Affinity     Affinity
	RegionFilter bool
	TTL          uint32 // seconds
	MinTTL       uint32 // seconds; only with Countdown
	Countdown    bool   // the TTL counts down to the next possible change (G-65)
	Disabled     bool
}

// Ordered tells whether the order of the record's answers carries a meaning.
func (r *Record) Ordered() bool {
	if r.Answers == 1 || r.Answers == 0 && !methods[r.Policy].all || r.Affinity.On {
		return false
	}
	return r.Policy != PolicyAll && r.Policy != ByRegion && r.Policy != Random
}

// Timed tells whether decisions for the record read Query.Now.
func (c *Config) Timed(r *Record) bool {
	is := func(o Origin) bool { return o.Alias != "" }
	return r.Affinity.On || slices.ContainsFunc(r.Origins, is) ||
		slices.ContainsFunc(r.uses(), func(p int) bool { return slices.ContainsFunc(c.Pools[p].Origins, is) })
}

// Placed tells whether decisions for the record read Query.Place.
func (c *Config) Placed(r *Record) bool {
	return r.Policy == Proximity || r.Steering == ByProximity ||
		slices.ContainsFunc(r.When, func(w When) bool {
			return w.ASN != nil || w.Pop != nil || w.Country != nil || w.Continent != nil
		}) ||
		slices.ContainsFunc(r.uses(), func(p int) bool { return c.Pools[p].Policy == Proximity })
}

// uses gives every pool that the record may use, each once.
func (r *Record) uses() []int {
	if len(r.Pools) == 0 && r.Fallback == None {
		return nil
	}
	list := slices.Clone(r.Pools)
	for i := range r.When {
		list = append(list, r.When[i].Pools...)
	}
	if r.Fallback != None {
		list = append(list, r.Fallback)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// All stands for every one in Record.Answers and Record.Select, None for an absent index or number.
const (
	All  = -1
	None = -1
)

// Pool is a named, ordered group of origins.
type Pool struct {
	Name       string // lower case
	Block      int    // of several blocks, the one that defines it: pools of two blocks may share a name
	Pos        Pos
	Origins    []Origin
	Policy     Policy
	Within     int // as in Record
	MinHealthy int // from 1
	Location   *Location
	Disabled   bool
}

// Origin is one server, or with Alias the servers that a name stands for.
type Origin struct {
	Addr     netip.Addr // unmapped; zero for an alias
	Alias    string     // absolute, lower case, final dot; empty for an address
	Pos      Pos
	Weight   Weight
	Priority uint16
	Region   Region // 0: by its address
	Location *Location
	Checks   []Check
	Need     int // how many of Checks must pass; 0 only without checks
	Disabled bool
}

// Weight is a share as written.
type Weight struct {
	Kind WeightKind
	N    int // relative 0 to 1000, percent 0 to 100
}

// WeightKind tells relative weights from percentages and from none.
type WeightKind uint8

// The kinds of weight. An origin without one shares what percentages leave, or counts as 1 where none has any.
const (
	NoWeight WeightKind = iota
	Relative
	Percent
)

// Check is one check that an origin's health rests on.
type Check struct {
	Subject Subject
	// Initial is how the check counts while it has no verdict.
	Initial bool
	// PerAddress tells that each address of an alias is a subject of its own (AddressSubject).
	PerAddress bool
	// Measures tells that the check's latency is the origin's, where no earlier check has measured (G-53).
	Measures bool
}

// Subject names what is observed: a check on what it probes. Equal subjects share one verdict.
type Subject struct {
	Check  string // the identity of the check, options included, as the observer names it
	Target string // what is probed; for an alias the observer derives one for each address (see Origin.Alias)
}

// Location is a place on the globe.
type Location = globe.Location

// Affinity ties clients to origins.
type Affinity struct {
	On       bool
	Window   time.Duration // 0: for as long as the origin is healthy
	ByPolicy bool          // the first pick is the policy's, not the hash's
}

// Policy chooses among healthy origins.
type Policy uint8

// The policies of the grammar.
const (
	PolicyAll Policy = iota
	RoundRobin
	Random
	Failover
	Latency
	ByRegion
	GeoFailover
	Weighted
	WeightedRandom
	Proximity
)

var policyNames = [...]string{
	PolicyAll: "all", RoundRobin: "round-robin", Random: "random", Failover: "failover", Latency: "latency",
	ByRegion: "region", GeoFailover: "geo-failover", Weighted: "weighted", WeightedRandom: "weighted random",
	Proximity: "proximity",
}

func (p Policy) String() string { return policyNames[p] }

// ParsePolicy reads a policy from the words of its line.
func ParsePolicy(words ...string) (Policy, error) {
	word := ""
	for i, w := range words {
		if i > 0 {
			word += " "
		}
		word += w
	}
	for p, name := range policyNames {
		if word == name {
			return Policy(p), nil
		}
	}
	return 0, fmt.Errorf("unknown policy '%s': want one of all, round-robin, random, failover, latency, region, "+
		"geo-failover, weighted [random], proximity", word)
}

// Fail is the last step of the ladder.
type Fail uint8

// What `fail` may say.
const (
	FailOpen Fail = iota
	FailAll
	FailNoData
	FailServFail
	FailNext
)

var failNames = [...]string{FailOpen: "open", FailAll: "all", FailNoData: "nodata", FailServFail: "servfail", FailNext: "next"}

func (f Fail) String() string { return failNames[f] }

// ParseFail reads the word after `fail`.
func ParseFail(word string) (Fail, error) {
	for f, name := range failNames {
		if word == name {
			return Fail(f), nil
		}
	}
	return 0, fmt.Errorf("unknown word '%s' after fail: want open, all, nodata, servfail or next", word)
}

// Steering orders the pools of a record.
type Steering uint8

// The steerings of records with pools.
const (
	Listed Steering = iota
	RandomOrder
	ByProximity
)

var steeringNames = [...]string{Listed: "listed", RandomOrder: "random", ByProximity: "proximity"}

func (s Steering) String() string { return steeringNames[s] }

// ParseSteering reads the word after `steering`.
func ParseSteering(word string) (Steering, error) {
	for s, name := range steeringNames {
		if word == name {
			return Steering(s), nil
		}
	}
	return 0, fmt.Errorf("unknown word '%s' after steering: want listed, random or proximity", word)
}

// When replaces a record's pools for the queries that meet all its conditions. An empty condition holds always.
type When struct {
	Pos       Pos
	CIDR      []netip.Prefix
	ASN       []uint32
	Pop       []string // lower case
	Country   []Code
	Continent []Code
	Region    []Region
	Family    []Family // of qtype
	Pools     []int
}

// WhenKind ranks `when` lines: lower first.
type WhenKind uint8

// The kinds of condition, in their order.
const (
	WhenCIDR WhenKind = iota
	WhenASN
	WhenPop
	WhenCountry
	WhenContinent
	WhenRegion
	WhenQtype
)

// Place is where a client is. Zero values are unknown.
type Place struct {
	Pop       string // lower case; only where the client is located by node
	Country   Code
	Continent Code
	ASN       uint32
	Location  *Location // shared: one place is one pointer
}

// Code is a country or a continent, in two upper-case letters.
type Code [2]byte
