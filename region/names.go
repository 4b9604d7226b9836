package region

import (
	"fmt"
	"math"
	"strings"
	"sync"
)

// ID stands for a region. The zero ID is no region: unknown, or none.
type ID uint16

// Names gives region names dense IDs, counted from 1 in the order of first use, and never takes one back: an ID means
// the same region for as long as its Names lives, however often a subnets file changes. Names are compared without
// case; the first spelling is kept for display. The zero value is ready, and safe for concurrent use.
type Names struct {
	mu    sync.RWMutex
	ids   map[string]ID // by lower-case name
	spelt []string      // spelt[id-1], as first written
}

// Intern returns the ID of name and gives it one if it has none. It refuses a name that is not [A-Za-z0-9_.-]+, and
// the 65536th region.
func (n *Names) Intern(name string) (ID, error) {
	if err := CheckName(name); err != nil {
		return 0, err
	}
	key := strings.ToLower(name)
	n.mu.Lock()
	defer n.mu.Unlock()
	if id, ok := n.ids[key]; ok {
		return id, nil
	}
	if len(n.spelt) == math.MaxUint16 {
		return 0, fmt.Errorf("region %q is one too many: at most %d can be named", name, math.MaxUint16)
	}
	if n.ids == nil {
		n.ids = make(map[string]ID)
	}
	n.spelt = append(n.spelt, name)
	id := ID(len(n.spelt))
	n.ids[key] = id
	return id, nil
}

// ID returns the ID of name, 0 if it was never interned.
func (n *Names) ID(name string) ID {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.ids[strings.ToLower(name)]
}

// Name returns the name of id as it was first written, "" for 0 and for an ID that n never gave.
func (n *Names) Name(id ID) string {
	n.mu.RLock()
	defer n.mu.RUnlock()
	if id == 0 || int(id) > len(n.spelt) {
		return ""
	}
	return n.spelt[id-1]
}

// Len is the number of names, and so the highest ID given out.
func (n *Names) Len() int {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return len(n.spelt)
}

// CheckName holds a name to the grammar's [A-Za-z0-9_.-]+.
func CheckName(name string) error {
	ok := name != ""
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '.', c == '-':
		default:
			ok = false
		}
	}
	if !ok {
		return fmt.Errorf("'%s' is not a name: want letters, digits, '_', '.' and '-'", name)
	}
	return nil
}

// All returns every name as it was first written, by ID; that of 0 is "".
func (n *Names) All() []string {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return append([]string{""}, n.spelt...)
}
