package region

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestIndexAgainstOracle(t *testing.T) {
	deep := 0
	rapid.Check(t, func(rt *rapid.T) {
		// Keys crowd at a few places, some of them many times over.
		keys := []uint64{0}
		for range rapid.IntRange(0, 6).Draw(rt, "crowds") {
			base := rapid.Uint64().Draw(rt, "base")
			width := rapid.IntRange(0, 63).Draw(rt, "width")
			for range rapid.IntRange(0, 60).Draw(rt, "keys") {
				keys = append(keys, base^rapid.Uint64Range(0, 1<<width-1+1).Draw(rt, "key"))
			}
		}
		slices.Sort(keys)
		x := newIndex(keys)
		deep = max(deep, len(x.nodes))

		asked := []uint64{0, ^uint64(0), rapid.Uint64().Draw(rt, "k")}
		for _, k := range keys {
			asked = append(asked, k, k-1, k+1)
		}
		for _, k := range asked {
			from, to := x.search(k)
			if from < 0 || to >= len(keys) || from > to {
				rt.Fatalf("%x: got %d to %d of %d keys", k, from, to, len(keys))
			}
			if from > 0 && keys[from] >= k {
				rt.Fatalf("%x: got a stretch from %d, where the key is %x: the ones before may be equal", k, from, keys[from])
			}
			if to+1 < len(keys) && keys[to+1] <= k {
				rt.Fatalf("%x: got a stretch to %d, but the key behind is %x", k, to, keys[to+1])
			}
			if distinct := len(slices.Compact(slices.Clone(keys[from : to+1]))); distinct > crowd+1 {
				rt.Fatalf("%x: got a stretch of %d keys", k, distinct)
			}
		}
	})
	if deep < 3 {
		t.Errorf("no index had more than %d nodes", deep)
	}
}
