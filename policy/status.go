package policy

// Status is how a record stands, judged for each family that it has; the worse one counts. Larger is worse, but for
// StatusDisabled, which stands alone.
type Status uint8

// The statuses of a record.
const (
	StatusOK          Status = iota
	StatusPartiallyOK        // some origin or pool has no healthy address
	StatusFallback           // the step of the ladder that answers
	StatusFailsafe
	StatusFailOpen
	StatusNoHealthy // no healthy records: nothing answers
	StatusDisabled
)

var statusNames = [...]string{
	StatusOK: "ok", StatusPartiallyOK: "partially ok", StatusFallback: "fallback", StatusFailsafe: "fail-safe",
	StatusFailOpen: "fail-open", StatusNoHealthy: "no healthy records", StatusDisabled: "disabled",
}

func (s Status) String() string { return statusNames[s] }

// Statuses lists every status, best first.
func Statuses() []Status {
	return []Status{StatusOK, StatusPartiallyOK, StatusFallback, StatusFailsafe, StatusFailOpen, StatusNoHealthy, StatusDisabled}
}

func worse(a, b Status) Status { return max(a, b) }

// familyStatus judges one family by who answers it. A family without an enabled origin does not count.
func familyStatus(pools []field, p *plan) Status {
	ready := each(pools, field.ready)
	switch p.anywhere.listed.outcome {
	case Fallback:
		return StatusFallback
	case Failsafe:
		return StatusFailsafe
	case Open, Everyone:
		return StatusFailOpen
	case Answer, Drained, Pinned:
		up := each(ready, func(p field) []candidate { return p.up(nil) })
		if len(up) < len(ready) || ready[0].Pool == nil && len(all(up)) < len(all(ready)) {
			return StatusPartiallyOK
		}
		return StatusOK
	}
	if len(ready) == 0 && p.anywhere.listed.outcome == NoData {
		return StatusOK
	}
	return StatusNoHealthy
}
