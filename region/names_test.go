package region

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
)

func TestNames(t *testing.T) {
	t.Run("names are compared without case and keep their first spelling", func(t *testing.T) {
		var n Names
		eu, err := n.Intern("West-Europe_1.a")
		if err != nil || eu != 1 {
			t.Fatalf("got %d, %v, want 1", eu, err)
		}
		us, _ := n.Intern("us")
		if us != 2 {
			t.Errorf("got %d for the second name, want 2", us)
		}
		if again, _ := n.Intern("WEST-europe_1.A"); again != eu {
			t.Errorf("got %d for the other casing, want %d", again, eu)
		}
		if got := n.ID("west-EUROPE_1.a"); got != eu {
			t.Errorf("ID: got %d, want %d", got, eu)
		}
		if got := n.Name(eu); got != "West-Europe_1.a" {
			t.Errorf("Name: got %q", got)
		}
		if n.Len() != 2 {
			t.Errorf("got %d names, want 2", n.Len())
		}
	})
	t.Run("what was never interned has no ID and no name", func(t *testing.T) {
		var n Names
		if n.ID("x") != 0 || n.Name(0) != "" || n.Name(1) != "" || n.Len() != 0 {
			t.Error("an empty Names knows something")
		}
	})
	for _, bad := range []string{"", "a b", "a,b", "grün", "a/b", "a\x00", "#a"} {
		t.Run(fmt.Sprintf("%q is refused", bad), func(t *testing.T) {
			var n Names
			if id, err := n.Intern(bad); err == nil || id != 0 || n.Len() != 0 {
				t.Errorf("got %d, %v", id, err)
			}
		})
	}
	t.Run("the 65536th region is refused, the 65535 before it work on", func(t *testing.T) {
		var n Names
		for i := range math.MaxUint16 {
			if _, err := n.Intern(fmt.Sprint("r", i)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := n.Intern("straw"); err == nil || !strings.Contains(err.Error(), "straw") {
			t.Errorf("got %v, want an error that names it", err)
		}
		if id, err := n.Intern("R65534"); err != nil || id != math.MaxUint16 {
			t.Errorf("got %d, %v for the last one", id, err)
		}
	})
	t.Run("concurrent use gives one ID a name", func(t *testing.T) {
		var n Names
		var wg sync.WaitGroup
		var got [8]ID
		for i := range got {
			wg.Go(func() {
				for j := range 100 {
					id, err := n.Intern(fmt.Sprint("r", j))
					if err != nil || n.Name(id) != fmt.Sprint("r", j) {
						t.Errorf("r%d: got %d %q, %v", j, id, n.Name(id), err)
					}
				}
				got[i] = n.ID("r50")
			})
		}
		wg.Wait()
		for _, id := range got {
			if id == 0 || id != got[0] {
				t.Errorf("got IDs %v for one name", got)
			}
		}
	})
}
