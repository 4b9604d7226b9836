package region

import (
	"net/netip"
	"sync/atomic"
)

// Mode says who a record's client is.
type Mode uint8

// The modes of `locate`.
const (
	Source Mode = iota // the query's source address
	ECS                // the client subnet that the query carries, else its source
	Node               // the client is taken to be where this node is
)

// Locator finds clients. It is safe for concurrent use; Set may be called at any time.
type Locator struct {
	// NodeRegion stands in for clients that no mapping knows.
	NodeRegion ID

	table atomic.Pointer[Table]
}

// NewLocator makes a locator over a table.
func NewLocator(node ID, t *Table) *Locator {
	l := &Locator{NodeRegion: node}
	l.Set(t)
	return l
}

// Set replaces the mappings.
func (l *Locator) Set(t *Table) { l.table.Store(t) }

// Table gives the present mappings.
func (l *Locator) Table() *Table { return l.table.Load() }

// Client is where a client was found.
type Client struct {
	Region ID
	// Scope is the length of the shortest prefix around the client subnet over which Region is constant; 0 where the
	// subnet had no part in it.
	Scope uint8
	// BySubnet tells that the subnet, and not the source address, is the client.
	BySubnet bool
}

// Locate finds the client of a query that came from source. subnet is its ECS prefix, unmapped and masked, or the zero
// Prefix if it carries none that counts. Nothing is allocated.
func (l *Locator) Locate(mode Mode, source netip.Addr, subnet netip.Prefix) Client {
	if mode == Node {
		return Client{Region: l.NodeRegion}
	}
	t := l.table.Load()
	if mode == ECS && subnet.IsValid() && subnet.Bits() > 0 {
		b := t.Block(subnet.Addr())
		c := Client{Region: b.Region, Scope: b.Bits, BySubnet: true}
		switch {
		case b.Private: // it says nothing: the source does (G-29)
			c.Region = l.known(t.Lookup(source))
		default:
			c.Region = l.known(b.Region)
		}
		return c
	}
	return Client{Region: l.known(t.Lookup(source))}
}

func (l *Locator) known(id ID) ID {
	if id == None {
		return l.NodeRegion
	}
	return id
}
