package region

import "math/bits"

// An index narrows a search among ascending keys (the upper halves of the runs of a spans) as a radix tree does: a
// node cuts the numbers behind a prefix that its keys share into equal slots, about as many as there are keys, and a
// slot that still holds many has a node of its own. However the keys cluster, two or three nodes are enough, and the
// whole takes a few words for each key. Immutable after construction.
type index struct {
	nodes []node // the first is the root
}

type node struct {
	low, high uint64 // the numbers that share its prefix
	skip      uint8  // the length of that prefix
	shift     uint8  // 64 less the bits that choose the slot
	slots     []slot // and one more, of which only at counts
}

// slot i is for the numbers from low + i<<(shift-skip) on.
type slot struct {
	at   uint32 // the position of the last key below all of them, or 0
	node uint32 // the node that tells more, 0 for none
}

// crowd is how many keys a slot may hold without a node of its own: as many as a search with three steps can tell.
const crowd = 8

// newIndex returns an index of ascending keys, of which the first is 0; equal ones are allowed.
func newIndex(keys []uint64) *index {
	x := new(index)
	x.add(keys, 0, len(keys)-1)
	return x
}

// add makes a node of the keys after position from, up to position to, and returns its number. The root has all keys
// and all numbers.
func (x *index) add(keys []uint64, from, to int) uint32 {
	first, last := uint64(0), ^uint64(0)
	if len(x.nodes) > 0 {
		first, last = keys[from+1], keys[to]
	}
	skip := bits.LeadingZeros64(first ^ last)
	width := min(bits.Len(uint(to-from)), 64-skip)
	n := node{skip: uint8(skip), shift: uint8(64 - width), slots: make([]slot, 1<<width+1)}
	n.low = first &^ (^uint64(0) >> skip)
	n.high = n.low | ^uint64(0)>>skip
	number := uint32(len(x.nodes))
	x.nodes = append(x.nodes, n)

	step := uint64(1) << (int(n.shift) - skip)
	at := from
	for i := range n.slots[:1<<width] {
		for at < to && keys[at+1] < n.low+uint64(i)*step {
			at++
		}
		n.slots[i].at = uint32(at)
	}
	n.slots[1<<width].at = uint32(to)
	for i := range n.slots[:1<<width] {
		a, b := int(n.slots[i].at), int(n.slots[i+1].at)
		if b-a > crowd && keys[a+1] != keys[b] {
			n.slots[i].node = x.add(keys, a, b)
		}
	}
	return number
}

// search returns the ends of the shortest stretch known that has the last key below k and all keys equal to it.
func (x *index) search(k uint64) (from, to int) {
	for number := uint32(0); ; {
		n := &x.nodes[number]
		s := n.slots[k<<n.skip>>n.shift:]
		from, to, number = int(s[0].at), int(s[1].at), s[0].node
		if number == 0 {
			return from, to
		}
		if next := &x.nodes[number]; k < next.low {
			return from, from
		} else if k > next.high {
			return to, to
		}
	}
}
