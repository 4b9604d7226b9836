package probe

import "time"

// Verdict is what a check says of its subject.
type Verdict int8

// The verdicts.
const (
	Unknown Verdict = iota
	Healthy
	Unhealthy
)

func (v Verdict) String() string { return [...]string{"unknown", "healthy", "unhealthy"}[v] }

// Thresholds say when results become a verdict.
type Thresholds struct {
	Failures  int // consecutive, at least 1; without a window
	Successes int

	Samples  int // 0: no window; up to 255
	Required int // of the last Samples; from 1 to Samples
}

// judge turns results into a verdict. It is pure: the zero value has seen nothing.
type judge struct {
	verdict Verdict
	passes  int    // consecutive
	fails   int    // consecutive
	window  []bool // the last results, oldest first, under a window
}

// next takes one result. patience is how many failures more than usual turn a healthy verdict (G-60).
func (j judge) next(t Thresholds, passed bool, patience int) judge {
	if passed {
		j.passes, j.fails = j.passes+1, 0
	} else {
		j.passes, j.fails = 0, j.fails+1
	}
	if t.Samples > 0 {
		return j.nextWindow(t, passed, patience)
	}
	switch {
	case passed && (j.verdict == Unknown || j.passes >= t.Successes): // the first success is a verdict at once
		j.verdict = Healthy
	case !passed && j.verdict == Healthy && j.fails >= t.Failures+patience:
		j.verdict = Unhealthy
	case !passed && j.verdict == Unknown && j.fails >= t.Failures:
		j.verdict = Unhealthy
	}
	return j
}

// nextWindow judges by the last samples (G-23): healthy while enough of them passed; the first success is healthy, and
// before the window is full unhealthy as soon as it can no longer be.
func (j judge) nextWindow(t Thresholds, passed bool, patience int) judge {
	window := append(j.window[:len(j.window):len(j.window)], passed)
	if len(window) > t.Samples {
		window = window[1:]
	}
	j.window = window
	good := 0
	for _, ok := range window {
		if ok {
			good++
		}
	}
	bad := len(window) - good
	allowed := t.Samples - t.Required
	if j.verdict == Healthy {
		allowed += patience
	}
	switch {
	case bad > allowed:
		j.verdict = Unhealthy
	case good >= t.Required, passed && j.verdict == Unknown:
		j.verdict = Healthy
	}
	return j
}

// forget makes an old verdict none (G-49). What was counted is forgotten too: the next success is a verdict at once.
func (j judge) forget() judge { return judge{} }

// smoothed is the latency after one more sample: the newest has weight 0.3, the first seeds (G-03).
func smoothed(former time.Duration, measured bool, sample time.Duration) time.Duration {
	if !measured {
		return sample
	}
	return time.Duration(0.7*float64(former) + 0.3*float64(sample))
}
