package gslb

import (
	"strings"
	"sync/atomic"
	"time"

	"github.com/coredns/gslb/probe"
)

// file counts how the re-reading of a file went. It belongs to the process.
type file struct {
	failures atomic.Uint64
	success  atomic.Int64 // Unix milliseconds
}

var files shared[file]

func (f *file) succeeded() { f.success.Store(time.Now().UnixMilli()) }

// fileReport logs and counts how files that changed were taken.
func fileReport(paths ...string) func(error) {
	return func(err error) {
		for _, p := range paths {
			if err != nil {
				files.of(p).failures.Add(1)
			} else {
				files.of(p).succeeded()
			}
		}
		if err != nil {
			log.Errorf("%s has changed and is not taken, the former content stays: %s", strings.Join(paths, ", "), err)
			return
		}
		log.Infof("%s has changed and was read again", strings.Join(paths, ", "))
	}
}

func logExpired(c probe.Info) {
	log.Warningf("no result of %s on %s for longer than %s: its verdict no longer counts", c.Spec.Kind, c.Spec.Target, 3*c.Spec.Interval+c.Spec.Timeout)
}

func logSuspicion(begins bool) {
	if begins {
		log.Warning("most healthy checks have begun to fail at once: this node suspects itself, and waits for one failure more of each")
		return
	}
	log.Info("this node no longer suspects itself")
}
