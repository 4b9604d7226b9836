package region

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"net/netip"
	"slices"
)

// A spans cuts one family's address space into runs of addresses that share a value, and tells for an address the
// value and the largest aligned block around it that lies inside its run.
//
// Runs, not blocks, are stored: a lone /64 in an empty space is three runs, but sixty-four blocks. The block follows
// from the run's ends: it may hold neither the address below the run nor the one above it, so it is one bit longer
// than the longer of the two prefixes that the address has in common with them. Neighbouring runs never have equal
// values, so the block is the largest there is.
//
// Addresses are 128-bit numbers; IPv4 stands in the top 32 bits, so that prefix lengths count from the same end.
// Immutable after construction. A look-up does not allocate; among 100,000 random prefixes it costs less than one in a
// trie of prefixes, which would not know the block either.
type spans[V comparable] struct {
	runs  []run[V] // ascending; the first begins at 0
	index *index   // of the upper halves of the runs' first addresses
}

// A run is its first address and its value.
type run[V comparable] struct {
	hi, lo uint64
	val    V
}

// A layer gives the addresses of prefix a value.
type layer[V comparable] struct {
	prefix netip.Prefix
	val    V
}

// newSpans lays values over a space of zero values, all prefixes of one family. A longer prefix lies over a shorter
// one, and of two equal ones the later over the earlier; lay says what comes of a value over the one around it.
func newSpans[V comparable](over []layer[V], lay func(around, val V) V) *spans[V] {
	// A prefix sorts before what it contains, so one pass with a stack of what is open sees every change of value.
	over = slices.Clone(over)
	slices.SortStableFunc(over, func(a, b layer[V]) int {
		return cmp.Or(a.prefix.Addr().Compare(b.prefix.Addr()), a.prefix.Bits()-b.prefix.Bits())
	})
	type open struct {
		endHi, endLo uint64
		val          V
	}
	var zero V
	s := new(spans[V])
	s.begin(0, 0, zero)
	stack := []open{{^uint64(0), ^uint64(0), zero}} // the whole space: it ends at the last number and stays open
	closeBelow := func(hi, lo uint64) {
		for {
			top := stack[len(stack)-1]
			if !less(top.endHi, top.endLo, hi, lo) {
				return
			}
			stack = stack[:len(stack)-1]
			next, carry := bits.Add64(top.endLo, 1, 0)
			s.begin(top.endHi+carry, next, stack[len(stack)-1].val)
		}
	}
	for _, l := range over {
		hi, lo := number(l.prefix.Addr())
		closeBelow(hi, lo)
		endHi, endLo := lastOf(hi, lo, l.prefix.Bits())
		val := lay(stack[len(stack)-1].val, l.val)
		stack = append(stack, open{endHi, endLo, val})
		s.begin(hi, lo, val)
	}
	closeBelow(^uint64(0), ^uint64(0))
	s.buildIndex()
	return s
}

// project cuts the space of s by what of makes of its values.
func project[V, W comparable](s *spans[V], of func(V) W) *spans[W] {
	p := new(spans[W])
	for _, r := range s.runs {
		p.begin(r.hi, r.lo, of(r.val))
	}
	p.buildIndex()
	return p
}

// begin starts a run at an address that is not below the last run's.
func (s *spans[V]) begin(hi, lo uint64, val V) {
	if n := len(s.runs) - 1; n >= 0 && s.runs[n].hi == hi && s.runs[n].lo == lo {
		s.runs = s.runs[:n]
	}
	if n := len(s.runs) - 1; n >= 0 && s.runs[n].val == val {
		return
	}
	s.runs = append(s.runs, run[V]{hi, lo, val})
}

func (s *spans[V]) buildIndex() {
	keys := make([]uint64, len(s.runs))
	for i, r := range s.runs {
		keys[i] = r.hi
	}
	s.index = newIndex(keys)
}

// find returns the number of the run that holds hi, lo.
func (s *spans[V]) find(hi, lo uint64) int {
	at, to := s.index.search(hi)
	// Runs with the same upper half lie in one /64, and those that the index does not tell apart are few.
	for at < to {
		mid := int(uint(at+to+1) >> 1)
		if r := &s.runs[mid]; less(hi, lo, r.hi, r.lo) {
			to = mid - 1
		} else {
			at = mid
		}
	}
	return at
}

// get returns the value at a, an address of the family that s is of.
func (s *spans[V]) get(a netip.Addr) V { return s.runs[s.find(number(a))].val }

// block returns the value at a, and the length of the largest aligned block around a in which every address has it.
func (s *spans[V]) block(a netip.Addr) (V, int) {
	hi, lo := number(a)
	at, n := s.find(hi, lo), 0
	r := s.runs[at]
	if at > 0 {
		below, borrow := bits.Sub64(r.lo, 1, 0)
		n = common(hi, lo, r.hi-borrow, below) + 1
	}
	if at+1 < len(s.runs) {
		n = max(n, common(hi, lo, s.runs[at+1].hi, s.runs[at+1].lo)+1)
	}
	return r.val, n
}

// number turns an address into the number that spans count with.
func number(a netip.Addr) (hi, lo uint64) {
	if a.Is4() {
		b := a.As4()
		return uint64(binary.BigEndian.Uint32(b[:])) << 32, 0
	}
	b := a.As16()
	return binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])
}

// lastOf returns the last number of the block of n bits that begins at hi, lo. A shift by 64 or more gives 0 in Go.
func lastOf(hi, lo uint64, n int) (uint64, uint64) {
	if n >= 64 {
		return hi, lo | ^uint64(0)>>(n-64)
	}
	return hi | ^uint64(0)>>n, ^uint64(0)
}

func less(ahi, alo, bhi, blo uint64) bool { return ahi < bhi || ahi == bhi && alo < blo }

// common is the length of the prefix that two numbers share.
func common(ahi, alo, bhi, blo uint64) int {
	if x := ahi ^ bhi; x != 0 {
		return bits.LeadingZeros64(x)
	}
	return 64 + bits.LeadingZeros64(alo^blo)
}
