package policy

import (
	"fmt"
	"net/netip"
	"strings"
)

// Trace collects how a decision came about. A nil Trace collects nothing.
type Trace struct{ Steps []Step }

// Step is one stage: what it received, what it kept, and why.
type Step struct {
	Stage    string
	Received []netip.Addr
	Kept     []netip.Addr
	Why      string
}

func (s Step) String() string {
	return fmt.Sprintf("%s: %s of %s: %s", s.Stage, addrs(s.Kept), addrs(s.Received), s.Why)
}

func addrs(list []netip.Addr) string {
	if len(list) == 0 {
		return "none"
	}
	words := make([]string, len(list))
	for i, a := range list {
		words[i] = a.String()
	}
	return strings.Join(words, ", ")
}

// Explain decides for a record as Decide would now, and tells every stage. It moves no turn and stores no pin.
func (e *Engine) Explain(record int, q Query) (Decision, *Trace) {
	tr := &Trace{}
	q.Peek = true
	e.mu.Lock()
	r := &e.records[record]
	c := e.compiler(r)
	_, line := e.snapshot.Load().view(record).rules.plan(&q)
	c.trace, c.region = tr, q.Region
	pools := r.inForce
	if line != nil {
		tr.when(line)
		pools = line.Pools
	}
	v := e.bare(r)
	v.plans[q.Family] = e.plan(c, r, pools, q.Family)
	e.mu.Unlock()
	return v.decide(&q, nil, tr), tr
}

func (t *Trace) stage(name string, received, kept []candidate, why string) {
	if t != nil {
		t.Steps = append(t.Steps, Step{name, listed(received), listed(kept), why})
	}
}

func (t *Trace) policy(p Policy, list []candidate) {
	if t == nil {
		return
	}
	if !methods[p].weighs {
		t.Steps = append(t.Steps, Step{"policy", listed(list), listed(list), p.String()})
		return
	}
	parts := make([]string, len(list))
	for i := range list {
		parts[i] = fmt.Sprintf("%s %d", list[i].Addr, list[i].share)
	}
	t.Steps = append(t.Steps, Step{"policy", listed(list), listed(list), p.String() + ", shares " + strings.Join(parts, ", ")})
}

func (t *Trace) when(w *When) {
	if t != nil {
		t.Steps = append(t.Steps, Step{Stage: "when", Why: "the line at " + w.Pos.String() + " holds and replaces the pools"})
	}
}

func (t *Trace) pool(name, why string) {
	if t != nil {
		t.Steps = append(t.Steps, Step{Stage: "pool " + name, Why: why})
	}
}

func (t *Trace) note(why string) {
	if t != nil {
		t.Steps = append(t.Steps, Step{Stage: "note", Why: why})
	}
}

func (t *Trace) pin(m *Member) {
	if t != nil {
		t.Steps = append(t.Steps, Step{"affinity", nil, []netip.Addr{m.Addr}, "the client is pinned to it"})
	}
}

func (t *Trace) hash(list []*Member) {
	if t == nil {
		return
	}
	all := make([]netip.Addr, len(list))
	for i, m := range list {
		all[i] = m.Addr
	}
	t.Steps = append(t.Steps, Step{"affinity", all, all, "the hash of the client's address chooses"})
}

func listed(list []candidate) []netip.Addr {
	out := make([]netip.Addr, len(list))
	for i := range list {
		out[i] = list[i].Addr
	}
	return out
}
