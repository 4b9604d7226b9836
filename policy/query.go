package policy

import "net/netip"

// Query is what a decision is asked for: a family and a client. One value may serve many decisions, one at a time.
type Query struct {
	Family Family
	Client netip.Addr // whom affinity ties; unmapped
	Region Region
	Place  Place

	// Now is the time of the query in Unix milliseconds. Only records with affinity or aliases read it (Record.Timed).
	Now int64

	// Peek decides without leaving a trace: no turn is taken, no pin stored.
	Peek bool
}

// Decision is what a record answers to a query.
type Decision struct {
	Outcome Outcome
	Members []*Member // in order; empty unless Outcome.Answers(). Shared: the caller must not change it
	TTL     uint32    // seconds
	// Unresolved tells that a look-up of an alias that has never ended is why there is no answer.
	Unresolved bool
	Stale      bool // some addresses are those of an alias whose look-ups fail

	// Inputs tells which properties of the client the decision rests on: with any other value of these it could
	// have been another one.
	Inputs Inputs
}

// Member is one address that can be answered. It is immutable and may be kept.
type Member struct {
	Addr   netip.Addr
	IP     []byte // Addr as four or sixteen bytes; shared, not to be changed
	Origin string // as written: the address, or the alias's name
	Region Region
	key    uint64     // hash of Addr, the same on every node
	fresh  *Freshness // of the alias that it stands for; nil for an address
}

// Outcome is how a decision came about.
type Outcome uint8

// The outcomes, in the words of the metrics.
const (
	Answer   Outcome = iota // healthy origins
	Pinned                  // the client's pinned origin
	Drained                 // no positive share was left: origins of weight 0
	Fallback                // the fallback pool
	Failsafe                // the failsafe addresses
	Open                    // fail open
	Everyone                // fail all
	NoData
	ServFail
	Next // the next plugin's
)

var outcomeNames = [...]string{
	Answer: "answer", Pinned: "pinned", Drained: "drained", Fallback: "fallback", Failsafe: "failsafe", Open: "open",
	Everyone: "all", NoData: "nodata", ServFail: "servfail", Next: "next",
}

func (o Outcome) String() string { return outcomeNames[o] }

// Answers tells whether the decision holds addresses.
func (o Outcome) Answers() bool { return o < NoData }

// Inputs is a set of client properties.
type Inputs uint8

// The properties that a decision may rest on.
const (
	InputRegion  Inputs = 1 << iota // Query.Region
	InputAddress                    // Query.Client
	InputPlace                      // Query.Place, but its ASN
	InputASN                        // Query.Place.ASN
	InputCIDR                       // whether Query.Client is in the networks of `when` lines
)
