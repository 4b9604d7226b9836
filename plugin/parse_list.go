package gslb

import (
	"fmt"
	"strconv"

	"github.com/coredns/gslb/policy"
)

// checkList is what stands after `check` on a record or an origin.
type checkList struct {
	pos   policy.Pos
	names []string
	need  int // how many must pass

	resolved []*checkDraft // once looked up: a list may be inherited by many origins
}

const wantCheckList = "NAME..., any NAME..., N NAME..., or none"

func readCheckList(l *line, args []string) (*checkList, error) {
	if len(args) == 0 {
		return nil, l.errf("'check' lacks an argument: want %s", wantCheckList)
	}
	list := &checkList{pos: l.pos, names: args}
	switch n, err := strconv.Atoi(args[0]); {
	case args[0] == "none":
		if len(args) > 1 {
			return nil, l.errf("check: '%s' after 'none': want nothing", args[1])
		}
		list.names = nil
		return list, nil
	case args[0] == "any":
		list.names, list.need = args[1:], 1
	case err == nil:
		list.names, list.need = args[1:], n
		if n < 1 || n > len(list.names) {
			return nil, l.errf("check: '%s' of %d checks is not right: want a number from 1 to as many as are listed", args[0], len(list.names))
		}
	default:
		list.need = len(args)
	}
	if len(list.names) == 0 {
		return nil, l.errf("'check %s' lacks the names of checks", args[0])
	}
	seen := map[string]bool{}
	for _, w := range list.names {
		name, err := thing(w)
		if err != nil {
			return nil, l.refuse(err)
		}
		if name == "any" || name == "none" {
			return nil, l.errf("check: '%s' in the middle of a list: want %s", w, wantCheckList)
		}
		if seen[name] {
			return nil, l.errf("check: '%s' stands twice in the list", w)
		}
		seen[name] = true
	}
	return list, nil
}

func (c *checkList) resolve(d *draft) ([]*checkDraft, error) {
	if c.resolved != nil {
		return c.resolved, nil
	}
	for _, w := range c.names {
		check, err := d.check(word{w, c.pos})
		if err != nil {
			return nil, err
		}
		c.resolved = append(c.resolved, check)
	}
	return c.resolved, nil
}

func wrong(word, want string) error { return fmt.Errorf("'%s' is not right: want %s", word, want) }
