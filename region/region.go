// Package region answers where an address is: in which region, by subnet mappings, and at which place. It knows nothing
// of DNS messages or of health.
//
// A Table is immutable; a Locator reads one with an atomic load, so mappings can be replaced while queries run.
package region

import (
	"fmt"
	"strings"
	"sync"
)

// ID is a region's number. They are dense; 0 is no region.
type ID uint16

// None is no region.
const None ID = 0

// Names gives regions their numbers. A name that was once seen keeps its number, so that a change of the mappings at run
// time disturbs nothing that holds one. It is safe for concurrent use.
type Names struct {
	mu   sync.RWMutex
	ids  map[string]ID
	list []string // by ID
}

// NewNames makes an empty one.
func NewNames() *Names { return &Names{ids: map[string]ID{}, list: []string{""}} }

// Intern gives the number of a region by its name, compared without case, and remembers it as it was written first.
func (n *Names) Intern(name string) (ID, error) {
	if err := CheckName(name); err != nil {
		return None, err
	}
	key := strings.ToLower(name)
	n.mu.Lock()
	defer n.mu.Unlock()
	if id, ok := n.ids[key]; ok {
		return id, nil
	}
	if len(n.list) > maxRegions {
		return None, fmt.Errorf("region '%s' is one too many: want at most %d", name, maxRegions)
	}
	id := ID(len(n.list))
	n.ids[key] = id
	n.list = append(n.list, name)
	return id, nil
}

const maxRegions = 1<<16 - 1

// Find gives the number of a known name, None for another.
func (n *Names) Find(name string) ID {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.ids[strings.ToLower(name)]
}

// Name gives a region's name, "" for None.
func (n *Names) Name(id ID) string {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.list[id]
}

// All gives every name by its number; that of 0 is "".
func (n *Names) All() []string {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return append([]string(nil), n.list...)
}

// CheckName holds the rule for the names of pools, checks, monitors, metrics, regions and data centers:
// [A-Za-z0-9_.-]+.
func CheckName(name string) error {
	ok := name != ""
	for i := 0; i < len(name); i++ {
		c := name[i]
		ok = ok && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '-')
	}
	if !ok {
		return fmt.Errorf("'%s' is not a name: want letters, digits, '_', '.' and '-'", name)
	}
	return nil
}
