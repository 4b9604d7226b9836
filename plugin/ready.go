package gslb

import "time"

// readyAfter is when a server is ready although some check has not had its first result: as long as the first round of
// probes may take with an unresponsive target, the spread of five seconds and the default timeout.
const readyAfter = 10 * time.Second

// Ready implements the ready plugin's Readiness. That plugin knows one of us for each name, so the answer is for the
// whole process: ready once every check has had its first result, or ten seconds after the start. A process that was
// ready once stays so: a reload carries the verdicts over.
func (g *GSLB) Ready() bool {
	process.mu.Lock()
	defer process.mu.Unlock()
	if process.ready {
		return true
	}
	for _, i := range process.running {
		if time.Since(i.began) < readyAfter && !i.probed() {
			return false
		}
	}
	process.ready = len(process.running) > 0
	return process.ready
}

// probed tells whether every check has had a result.
func (i *instance) probed() bool {
	for _, l := range i.leases {
		if l.State().Last.IsZero() {
			return false
		}
	}
	return true
}
