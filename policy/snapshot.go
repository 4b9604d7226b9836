package policy

import "slices"

// Snapshot is what every record answers in one state of the world. It is immutable: readers load one and use it without
// a lock, while the engine publishes the next.
//
// Views stand in chunks, so that a change of one record among a million copies two small arrays and shares the rest.
type Snapshot struct {
	generation uint64
	chunks     []*[chunkViews]*view
}

const chunkViews = 256

// view is one record in one state of the world.
type view struct {
	plans    [families]*plan
	rules    *rules // nil without `when` lines
	inputs   Inputs // of the rules
	aliased  bool   // some member has a Freshness
	record   uint64 // hash of the name, for pins
	affinity Affinity
	ttl      uint32
	status   Status
	pins     *pinTable
}

// Generation counts snapshots from 1.
func (s *Snapshot) Generation() uint64 { return s.generation }

// Status is the status of a record, by its index in Config.Records.
func (s *Snapshot) Status(record int) Status { return s.view(record).status }

func (s *Snapshot) view(record int) *view {
	return s.chunks[record/chunkViews][record%chunkViews]
}

// edited is a snapshot in the making.
type edited struct {
	Snapshot
	fresh map[int]bool // which chunks are our own already
}

// edit begins the next snapshot of s, which may be nil, for n records.
func (s *Snapshot) edit(n int) *edited {
	next := &edited{fresh: make(map[int]bool)}
	if s == nil {
		next.chunks = make([]*[chunkViews]*view, (n+chunkViews-1)/chunkViews)
	} else {
		next.chunks = slices.Clone(s.chunks)
	}
	return next
}

func (s *edited) set(record int, v *view) {
	c := record / chunkViews
	if !s.fresh[c] {
		own := new([chunkViews]*view)
		if s.chunks[c] != nil {
			*own = *s.chunks[c]
		}
		s.chunks[c], s.fresh[c] = own, true
	}
	s.chunks[c][record%chunkViews] = v
}
