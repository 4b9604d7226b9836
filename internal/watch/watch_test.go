package watch

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// reader reads one file and counts.
type reader struct {
	path string
	mu   sync.Mutex
	seen seen
}

type seen struct {
	content string
	reads   int
	errs    []error
}

func (r *reader) now() seen {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen
}

var errEmpty = errors.New("empty")

func (r *reader) reload() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen.reads++
	text, err := os.ReadFile(r.path)
	if err == nil && len(text) == 0 {
		err = errEmpty
	}
	if err == nil {
		r.seen.content = string(text)
	}
	return err
}

func (r *reader) report(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen.errs = append(r.seen.errs, err)
}

// watched runs a test with one watched file in virtual time. The times of files are real: every write has another size.
func watched(t *testing.T, test func(t *testing.T, r *reader)) {
	path := filepath.Join(t.TempDir(), "file")
	write(t, path, "first")
	watchedAt(t, path, test)
}

func watchedAt(t *testing.T, path string, test func(t *testing.T, r *reader)) {
	synctest.Test(t, func(t *testing.T) {
		r := &reader{path: path, seen: seen{content: "first"}}
		w := &Watcher{}
		w.Add([]string{path}, "", r.reload, r.report)
		w.Start()
		test(t, r)
		w.Stop()
		w.Stop()
		reads := r.now().reads
		time.Sleep(time.Hour)
		if r.now().reads != reads {
			t.Error("Expected nothing to be read after Stop")
		}
	})
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestWatcher(t *testing.T) {
	t.Run("G-50 a change is in use within ten seconds, and is read once", func(t *testing.T) {
		watched(t, func(t *testing.T, r *reader) {
			pass(time.Minute)
			if r.now().reads != 0 {
				t.Errorf("Expected an unchanged file to be left alone, got %d reads", r.now().reads)
			}
			pass(time.Second)
			write(t, r.path, "second one")
			pass(10 * time.Second)
			if r.now().content != "second one" {
				t.Errorf("Expected the new content, got %q", r.now().content)
			}
			pass(time.Minute)
			if r.now().reads != 1 || len(r.now().errs) != 1 || r.now().errs[0] != nil {
				t.Errorf("Expected one read that went well, got %d, %v", r.now().reads, r.now().errs)
			}
		})
	})
	t.Run("H-14 renamed over", func(t *testing.T) {
		watched(t, func(t *testing.T, r *reader) {
			write(t, r.path+".new", "fresh") // of the same size
			if err := os.Rename(r.path+".new", r.path); err != nil {
				t.Fatal(err)
			}
			pass(12 * time.Second)
			if r.now().content != "fresh" {
				t.Errorf("Expected the new content, got %q", r.now().content)
			}
		})
	})
	t.Run("H-14 the directory's symlink re-pointed", func(t *testing.T) {
		dir := t.TempDir()
		for _, d := range []string{"one", "two"} {
			os.Mkdir(filepath.Join(dir, d), 0o700)
		}
		write(t, filepath.Join(dir, "one", "file"), "first")
		write(t, filepath.Join(dir, "two", "file"), "other")
		link := filepath.Join(dir, "..data")
		if err := os.Symlink("one", link); err != nil {
			t.Fatal(err)
		}
		watchedAt(t, filepath.Join(link, "file"), func(t *testing.T, r *reader) {
			os.Symlink("two", link+".tmp")
			if err := os.Rename(link+".tmp", link); err != nil {
				t.Fatal(err)
			}
			pass(12 * time.Second)
			if r.now().content != "other" {
				t.Errorf("Expected the new content, got %q", r.now().content)
			}
		})
	})
	t.Run("H-14 rewritten in place, slowly: nothing half is taken", func(t *testing.T) {
		watched(t, func(t *testing.T, r *reader) {
			text := ""
			for range 10 {
				text += "slow "
				write(t, r.path, text)
				pass(2 * time.Second)
				if r.now().reads != 0 {
					t.Fatalf("Expected no read while it is written, got %q", r.now().content)
				}
			}
			pass(8 * time.Second)
			if r.now().content != text || r.now().reads != 1 {
				t.Errorf("Expected the whole in one read, got %q in %d", r.now().content, r.now().reads)
			}
		})
	})
	t.Run("G-50 H-43 a bad file keeps the former content and is reported once", func(t *testing.T) {
		watched(t, func(t *testing.T, r *reader) {
			write(t, r.path, "")
			pass(time.Hour)
			if r.now().content != "first" || len(r.now().errs) != 1 || !errors.Is(r.now().errs[0], errEmpty) {
				t.Errorf("Expected one error and the former content, got %v, %q", r.now().errs, r.now().content)
			}
			os.Remove(r.path)
			pass(time.Hour)
			if len(r.now().errs) != 2 || !errors.Is(r.now().errs[1], os.ErrNotExist) {
				t.Errorf("Expected another error, got %v", r.now().errs)
			}
			write(t, r.path, "good again")
			pass(12 * time.Second)
			if r.now().content != "good again" || r.now().errs[2] != nil {
				t.Errorf("Expected the good content, got %q, %v", r.now().content, r.now().errs)
			}
		})
	})
	t.Run("H-39 without files there is no goroutine", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := &Watcher{}
			w.Start()
			w.Stop()
		})
	})
}
