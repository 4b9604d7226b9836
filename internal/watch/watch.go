// Package watch has files read again when they change. It looks at them from time to time instead of asking the kernel
// to be told: that sees through the symlinks that orchestrators swap, network file systems and overlays alike.
package watch

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// Interval is how often files are looked at. A change is taken at the second look that finds the same, so that a file
// which is being rewritten in place is left alone: two intervals after the last write at most, within the ten seconds
// to twelve that users are promised.
const Interval = 4 * time.Second

// Watcher looks after files. Add before Start; Stop ends it and waits. Safe for concurrent use.
type Watcher struct {
	mu    sync.Mutex
	items []*item
	stop  chan struct{}
	done  chan struct{}
}

// item is a set of files that are read together.
type item struct {
	paths  []string
	reload func() error
	report func(error)
	taken  string // the signature that was last read
	seen   string // the one of the last look
}

// State is a state of a set of files, to be taken before they are read.
type State string

// Look gives the present state of files.
func Look(paths ...string) State { return State((&item{paths: paths}).signature()) }

// Add watches a set of files that are read together and were read in the state read, so that a change since then is not
// missed; "" stands for the present one. reload reads them again, and keeps what
// it had if it fails; report hears how that went, once for each change. Both are called by one goroutine.
func (w *Watcher) Add(paths []string, read State, reload func() error, report func(error)) {
	i := &item{paths: paths, reload: reload, report: report}
	i.seen = i.signature()
	if i.taken = string(read); read == "" {
		i.taken = i.seen
	}
	w.mu.Lock()
	w.items = append(w.items, i)
	w.mu.Unlock()
}

// Start begins to look, if there is something to look at.
func (w *Watcher) Start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.items) == 0 || w.stop != nil {
		return
	}
	w.stop, w.done = make(chan struct{}), make(chan struct{})
	go loop(w.items, w.stop, w.done)
}

// Stop ends the looking, and waits for a reload that runs. It may be called more than once.
func (w *Watcher) Stop() {
	w.mu.Lock()
	stop, done := w.stop, w.done
	w.stop, w.done = nil, nil
	w.mu.Unlock()
	if stop != nil {
		close(stop)
		<-done
	}
}

func loop(items []*item, stop, done chan struct{}) {
	defer close(done)
	ticker := time.NewTicker(Interval)
	defer ticker.Stop()
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
			for _, i := range items {
				i.look()
			}
		}
	}
}

func (i *item) look() {
	now := i.signature()
	settled := now == i.seen
	i.seen = now
	if !settled || now == i.taken {
		return
	}
	i.taken = now
	i.report(i.reload())
}

// signature tells one state of the files from another: which inode a path leads to, its size and time of change.
func (i *item) signature() string {
	s := ""
	for _, p := range i.paths {
		info, err := os.Stat(p)
		switch {
		case errors.Is(err, os.ErrNotExist):
			s += "missing;"
		case err != nil:
			s += err.Error() + ";"
		default:
			s += fmt.Sprintf("%d %d %s;", info.Size(), info.ModTime().UnixNano(), identity(info))
		}
	}
	return s
}
