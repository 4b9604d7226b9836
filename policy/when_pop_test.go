package policy

import "testing"

// TestPopScope holds that a `pop` condition counts as a use of the place: a client has a pop where its country is unknown.
func TestPopScope(t *testing.T) {
	t.Run("G-29 COR-36 a pop is an input of the decision", func(t *testing.T) {
		r := newRules([]When{{Pop: []string{"fra"}}}, func(*When) (p [families]*plan) { return p })
		if r.inputs&InputPlace == 0 {
			t.Error("Expected the place to be an input")
		}
	})
}
