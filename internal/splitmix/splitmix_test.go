package splitmix

import (
	"math/bits"
	"testing"
)

// G-05: the choice of a hash may not change from one release to the next.
func TestMix(t *testing.T) {
	for x, want := range map[uint64]uint64{0: 0, 1: 0x5692161d100b05e5} {
		if got := Mix(x); got != want {
			t.Errorf("Expected %#x for %d, got %#x", want, x, got)
		}
	}
	flipped := 0
	for bit := range 64 {
		flipped += bits.OnesCount64(Mix(12345) ^ Mix(12345^1<<bit))
	}
	if mean := float64(flipped) / 64; mean < 28 || mean > 36 {
		t.Errorf("Expected half of the bits to flip with each one, got %f of 64", mean)
	}
}
