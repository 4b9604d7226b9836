package policy

import "sync/atomic"

// memo remembers what was worked out for some of the keys asked for of late: a small cache without a lock, in which a
// key may push another one out but is never answered with what is another's. The zero value is empty.
type memo[K comparable, V any] struct {
	slots atomic.Pointer[[memoSlots]atomic.Pointer[memoized[K, V]]]
}

type memoized[K comparable, V any] struct {
	key K
	is  V
}

// memoSlots is for how many keys something is remembered: most records see clients of fewer than a thousand places at a
// time, and the table, 8 KiB, is made only where there is something to remember.
const memoSlots = 1024

// get gives what was worked out for key, whose hash the caller knows, or works it out. The common case neither calls
// work nor allocates.
func (m *memo[K, V]) get(key K, hash uint64, work func() V) V {
	slots := m.slots.Load()
	if slots == nil {
		m.slots.CompareAndSwap(nil, new([memoSlots]atomic.Pointer[memoized[K, V]]))
		slots = m.slots.Load()
	}
	slot := &slots[hash%memoSlots]
	if known := slot.Load(); known != nil && known.key == key {
		return known.is
	}
	fresh := &memoized[K, V]{key, work()}
	slot.Store(fresh)
	return fresh.is
}
