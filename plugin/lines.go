package gslb

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coredns/caddy/caddyfile"

	"github.com/coredns/gslb/policy"
)

// reader walks the tokens of one gslb directive line by line. It is the only thing that opens a nested block: caddy's
// own NextBlock cannot look ahead, so that a property without a block would swallow the next one.
type reader struct{ tokens *caddyfile.Dispenser }

// line is one line: a word, its arguments, and whether it ends in "{".
type line struct {
	pos  policy.Pos
	word string
	args []string
	open bool
	r    *reader
}

// A table is what may stand in a block that fills a T.
type table[T any] map[string]property[T]

// property reads one line into a T.
type property[T any] struct {
	read    func(*T, *line) error
	repeats bool // may stand more than once
	opens   bool // may end its line in "{"
}

// fault is a refusal, in the form that caddy gives its own.
func fault(pos policy.Pos, format string, args ...any) error {
	return fmt.Errorf("%s - Error during parsing: %s", pos, fmt.Sprintf(format, args...))
}

func (l *line) errf(format string, args ...any) error { return fault(l.pos, format, args...) }

// refuse says what is wrong with one word of the line.
func (l *line) refuse(err error) error { return l.errf("%s: %s", l.word, err) }

func (r *reader) here() policy.Pos { return policy.Pos{File: r.tokens.File(), Line: r.tokens.Line()} }

// rest reads the remainder of the present line, whose first word is the current token.
func (r *reader) rest() (*line, error) {
	l := &line{pos: r.here(), word: r.tokens.Val(), r: r}
	for r.tokens.NextArg() {
		switch v := r.tokens.Val(); {
		case v == "{":
			if r.tokens.NextArg() {
				return nil, l.errf("'%s' after '{': want '{' at the end of its line", r.tokens.Val())
			}
			l.open = true
			return l, nil
		case v == "}":
			return nil, l.errf("'}' after '%s': want it on a line of its own", l.word)
		case v == "":
			return nil, l.errf("an empty word after '%s': want a value (an environment variable that is not set?)", l.word)
		default:
			l.args = append(l.args, v)
		}
	}
	return l, nil
}

// readBlock reads the block that l opened into target. what names the block in errors, as in "check 'web'".
func readBlock[T any](l *line, what string, t table[T], target *T) error {
	type seen struct {
		word string
		pos  policy.Pos
	}
	var once []seen
	r := l.r
	for r.tokens.Next() {
		switch v := r.tokens.Val(); v {
		case "}":
			if r.tokens.NextArg() {
				return fault(r.here(), "'%s' after '}': want '}' alone on its line", r.tokens.Val())
			}
			return nil
		case "{":
			return fault(r.here(), "'{' begins a line in %s: want it at the end of the line before", what)
		case "":
			return fault(r.here(), "an empty word in %s: want a property (an environment variable that is not set?)", what)
		case "import":
			return fault(r.here(), "'import' in %s was not expanded: an import that is the first word of a snippet does not work", what)
		}
		next, err := r.rest()
		if err != nil {
			return err
		}
		p, ok := t[next.word]
		if !ok {
			return next.errf("unknown property '%s' in %s%s", next.word, what, suggest(next.word, t))
		}
		if next.open && !p.opens {
			return next.errf("'%s' takes no block: want no '{' here", next.word)
		}
		if !p.repeats {
			for _, s := range once {
				if s.word == next.word {
					return next.errf("'%s' stands twice in %s, first at %s", next.word, what, s.pos)
				}
			}
			once = append(once, seen{next.word, next.pos})
		}
		if err := p.read(target, next); err != nil {
			return err
		}
	}
	return fault(l.pos, "the block of %s is not closed: want a '}'", what)
}

// suggest names the word of a table that is nearest to one that is not in it, or all of them where none is near.
func suggest[T any](word string, t table[T]) string {
	words := make([]string, 0, len(t))
	for w := range t {
		words = append(words, w)
	}
	if len(words) == 0 {
		return ""
	}
	slices.Sort(words)
	best, least := "", 3
	for _, w := range words {
		if d := distance(word, w); d < least {
			best, least = w, d
		}
	}
	if len(words) == 0 {
		return ""
	}
	if best != "" {
		return fmt.Sprintf(": did you mean '%s'?", best)
	}
	return ": want one of " + strings.Join(words, ", ")
}

// distance is the number of letters to insert, delete or change that turns a into b (Levenshtein 1965).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}

// arguments demands from least to most of them; most below 0 is any number.
func (l *line) arguments(least, most int, want string) error {
	switch {
	case len(l.args) < least:
		return l.errf("'%s' lacks an argument: want %s", l.word, want)
	case most >= 0 && len(l.args) > most:
		return l.errf("'%s' has a surplus argument '%s': want %s", l.word, l.args[most], want)
	}
	return nil
}

// one gives the only argument.
func (l *line) one(want string) (string, error) {
	if err := l.arguments(1, 1, want); err != nil {
		return "", err
	}
	return l.args[0], nil
}

// name gives the only argument, which names a thing, as it was written and as it is compared.
func (l *line) name() (written, name string, err error) {
	if written, err = l.one("one NAME"); err != nil {
		return "", "", err
	}
	if name, err = thing(written); err != nil {
		return "", "", l.refuse(err)
	}
	return written, name, nil
}
