package policy

import (
	"net/netip"
	"sync/atomic"

	"github.com/coredns/gslb/internal/splitmix"
)

// pinTable remembers which client was tied to which origin. Its size is fixed, since clients' addresses are in
// strangers' hands (H-25): in a full bucket a pin that has ended goes first, then one that was not asked for since it
// was last passed over. A client whose pin was pushed out falls back on the hash, which in an unchanged world is the
// same origin. Reading and writing take no lock; a write that meets another one in its bucket may be dropped.
type pinTable struct {
	slots []pinSlot // pinWays in a row form a bucket
}

type pinSlot struct {
	tag atomic.Uint64 // whose pin; 0 is free, 1 is being written
	val atomic.Uint64 // see pinValue
}

// A pin is one word: 27 bits of Member.pin, one bit "asked for", 36 bits of the end, in units of 100 ms since 1970,
// which lasts for 217 years. A million pins are 16 MiB.
const (
	pinBits    = 27
	pinEndBits = 36
	pinAsked   = uint64(1) << pinEndBits
	pinForever = pinAsked - 1
	pinUnit    = 100 // milliseconds
	pinWays    = 8
	pinSlots   = 1 << 20

	pinFree    = 0
	pinWriting = 1
)

// newPinTable makes a table of n pins, a multiple of pinWays.
func newPinTable(n int) *pinTable { return &pinTable{slots: make([]pinSlot, n)} }

func pinValue(member uint32, end uint64) uint64 { return uint64(member)<<(pinEndBits+1) | end }

func pinMember(val uint64) uint32 { return uint32(val >> (pinEndBits + 1)) }

func pinEnded(val uint64, now int64) bool {
	end := val & pinForever
	return end != pinForever && end*pinUnit <= uint64(now)
}

// pinTag names the pin of one client at one record and family.
func pinTag(record uint64, f Family, client netip.Addr) uint64 {
	tag := splitmix.Mix(record ^ clientKey(client) + uint64(f))
	if tag <= pinWriting {
		tag += 2
	}
	return tag
}

func (t *pinTable) bucket(tag uint64) []pinSlot {
	i := tag % uint64(len(t.slots)/pinWays) * pinWays
	return t.slots[i : i+pinWays]
}

// get gives the member that tag is pinned to at the time now, in Unix milliseconds.
func (t *pinTable) get(tag uint64, now int64) (member uint32, ok bool) {
	bucket := t.bucket(tag)
	for i := range bucket {
		slot := &bucket[i]
		if slot.tag.Load() != tag {
			continue
		}
		val := slot.val.Load()
		if slot.tag.Load() != tag || slot.val.Load() != val || pinEnded(val, now) { // changed hands while we read
			return 0, false
		}
		if val&pinAsked == 0 {
			slot.val.CompareAndSwap(val, val|pinAsked)
		}
		return pinMember(val), true
	}
	return 0, false
}

// put pins tag to member until end, in the table's unit.
func (t *pinTable) put(tag uint64, member uint32, end uint64, now int64) {
	slot, former := t.place(tag, now)
	if slot == nil || !slot.tag.CompareAndSwap(former, pinWriting) {
		return // somebody else is writing here
	}
	slot.val.Store(pinValue(member, end))
	slot.tag.Store(tag)
}

// place gives the slot for tag, and the tag that it has now: its own, or one that can go.
func (t *pinTable) place(tag uint64, now int64) (*pinSlot, uint64) {
	bucket := t.bucket(tag)
	for i := range bucket {
		if bucket[i].tag.Load() == tag {
			return &bucket[i], tag
		}
	}
	return victim(bucket, tag, now)
}

// victim chooses the slot for the new pin tag, and gives the tag that it had. It begins anywhere in the bucket, so that
// no place in it is safer than another.
func victim(bucket []pinSlot, tag uint64, now int64) (*pinSlot, uint64) {
	start := int(tag >> 32)
	for range 2 { // by the second time nobody has been asked for since the first
		for i := range bucket {
			slot := &bucket[i]
			switch old := slot.tag.Load(); {
			case old == pinFree:
				return slot, old
			case old != pinWriting && pinEnded(slot.val.Load(), now):
				return slot, old
			}
		}
		for i := range bucket {
			slot := &bucket[(start+i)%pinWays]
			old, val := slot.tag.Load(), slot.val.Load()
			if old != pinWriting && val&pinAsked == 0 {
				return slot, old
			}
			slot.val.CompareAndSwap(val, val&^pinAsked)
		}
	}
	return nil, 0
}
