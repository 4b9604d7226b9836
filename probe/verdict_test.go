package probe

import (
	"strings"
	"testing"
	"time"
)

// judged plays results, S and F, and gives the verdict after each.
func judged(t Thresholds, from Verdict, results string) []Verdict {
	j := judge{verdict: from}
	var verdicts []Verdict
	for _, r := range strings.ReplaceAll(results, " ", "") {
		j = j.next(t, r == 'S', 0)
		verdicts = append(verdicts, j.verdict)
	}
	return verdicts
}

func TestVerdicts(t *testing.T) {
	usual := Thresholds{Failures: 3, Successes: 2}
	window := Thresholds{Samples: 5, Required: 3}
	const u, h, d = Unknown, Healthy, Unhealthy
	for _, tt := range []struct {
		name    string
		t       Thresholds
		from    Verdict
		results string
		want    []Verdict
	}{
		{"V46 DTM-HC-26 failures must be consecutive", usual, h, "F F S F F", []Verdict{h, h, h, h, h}},
		{"V46 DTM-HC-26 DTM-HC-33 the third turns it", usual, h, "F F F", []Verdict{h, h, d}},
		{"V46 DTM-HC-27 one success is not enough", usual, d, "S", []Verdict{d}},
		{"V46 DTM-HC-27 successes must be consecutive", usual, d, "S F S", []Verdict{d, d, d}},
		{"V46 DTM-HC-27 DTM-HC-35 the second turns it", usual, d, "S S", []Verdict{d, h}},
		{"V47 COR-24 no verdict before failures", usual, u, "F F F", []Verdict{u, u, d}},
		{"V47 G-49 the first success is a verdict at once", usual, u, "S", []Verdict{h}},
		{"V47 G-49 also after a failure", usual, u, "F S", []Verdict{u, h}},
		{"G-37 every result is a verdict", Thresholds{Failures: 1, Successes: 1}, u, "F S F S", []Verdict{d, h, d, h}},
		{"V48 G-23 a window", window, u, "S F F F S S S", []Verdict{h, h, h, d, d, d, h}},
		{"G-23 a window that begins badly", window, u, "F F F", []Verdict{u, u, d}},
		{"G-23 a window of one", Thresholds{Samples: 1, Required: 1}, u, "F S F", []Verdict{d, h, d}},
		{"H-29 blips do not add up", usual, h, strings.Repeat("F F S F F S F F S", 5) + "F F F",
			append(repeat(h, 47), d)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := judged(tt.t, tt.from, tt.results)
			for i := range got {
				if got[i] != tt.want[i] {
					t.Fatalf("Expected %s after result %d of %s, got %s", tt.want[i], i+1, tt.results, got[i])
				}
			}
			if len(got) != len(tt.want) {
				t.Fatalf("Expected %d verdicts, got %d", len(tt.want), len(got))
			}
		})
	}
}

func repeat(v Verdict, n int) []Verdict {
	list := make([]Verdict, n)
	for i := range list {
		list[i] = v
	}
	return list
}

func TestSmoothing(t *testing.T) {
	t.Run("V107 G-03 the newest weighs 0.3, the first seeds", func(t *testing.T) {
		first := smoothed(0, false, 100*time.Millisecond)
		if got := smoothed(first, true, 200*time.Millisecond); got != 130*time.Millisecond {
			t.Errorf("Expected 130ms, got %s", got)
		}
	})
}
