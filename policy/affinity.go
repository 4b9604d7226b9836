package policy

import (
	"encoding/binary"
	"net/netip"
	"time"

	"github.com/coredns/gslb/internal/splitmix"
)

// rendezvous picks one member for a client by highest random weight (Thaler and Ravishankar 1998): the same on every
// node, after every restart and in any order of the list, and a member that goes moves only its own clients (G-05).
func rendezvous(list []*Member, client uint64) *Member {
	best, top := list[0], splitmix.Mix(client^list[0].key)
	for _, m := range list[1:] {
		if score := splitmix.Mix(client ^ m.key); score > top || score == top && m.Addr.Less(best.Addr) {
			best, top = m, score
		}
	}
	return best
}

// clientKey is what the hash knows of a client.
func clientKey(a netip.Addr) uint64 {
	raw := a.As16()
	return splitmix.Mix(binary.BigEndian.Uint64(raw[:8])) ^ splitmix.Mix(binary.BigEndian.Uint64(raw[8:])+0x9e3779b97f4a7c15)
}

// pin is what a pin remembers of a member. Two members of one record share one in a case of 2^27; a client pinned to
// either then stays with one of the two.
func (m *Member) pin() uint32 { return uint32(m.key & (1<<pinBits - 1)) }

// expiry is the end of a pin that begins now, both in the table's unit, rounded up.
func (a Affinity) expiry(now int64) uint64 {
	if a.Window == 0 {
		return pinForever
	}
	return uint64((now + int64(a.Window/time.Millisecond) + pinUnit - 1) / pinUnit)
}
