package gslb

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/coredns/gslb/probe"
)

// What checks of http and https say of requests and replies, and of TLS.

// checkPath holds what a path may be: a probe asks for all of it, and as it is written.
func checkPath(path string) error {
	if !strings.HasPrefix(path, "/") {
		return fmt.Errorf("path '%s' does not begin with a slash", path)
	}
	if strings.ContainsAny(path, " #") {
		return fmt.Errorf("path '%s' has a character in it that is not sent as such: write %%20 for a blank and %%23 for '#'", path)
	}
	if _, err := url.ParseRequestURI(path); err != nil {
		return fmt.Errorf("path '%s' is not one that can be asked for: want one like /healthz?full=1", path)
	}
	return nil
}

func text(field func(*checkDraft) *string) func(*checkDraft, *line) error {
	return func(c *checkDraft, l *line) error {
		c.give(l)
		w, err := l.one("one TEXT, in quotes where it has blanks")
		if err != nil {
			return err
		}
		*field(c) = w
		return nil
	}
}

// named is a host name or an address, with a port for `host` alone.
func named(field func(*checkDraft) *string) func(*checkDraft, *line) error {
	return func(c *checkDraft, l *line) error {
		c.give(l)
		w, err := l.one("one NAME")
		if err != nil {
			return err
		}
		t, err := target(w)
		if err != nil || l.word == "servername" && t.Port != 0 {
			return l.errf("%s: '%s' is not right: want a host name", l.word, w)
		}
		*field(c) = w
		return nil
	}
}

func (c *checkDraft) readExpect(l *line) error {
	c.give(l)
	if err := l.arguments(1, -1, "one or more statuses or ranges, as in 200 300-399"); err != nil {
		return err
	}
	for _, w := range l.args {
		first, last, isRange := strings.Cut(w, "-")
		if !isRange {
			last = first
		}
		a, err1 := integer(first, 100, 599)
		b, err2 := integer(last, 100, 599)
		if err1 != nil || err2 != nil || a > b {
			return l.errf("expect: '%s' is not right: want a status from 100 to 599, or a range like 300-399", w)
		}
		c.http.Expect = append(c.http.Expect, probe.Range{First: a, Last: b})
	}
	return nil
}

func (c *checkDraft) readMethod(l *line) error {
	c.give(l)
	w, err := l.one("GET or HEAD")
	if err != nil {
		return err
	}
	if w != "GET" && w != "HEAD" {
		return l.errf("method: '%s' is not right: want GET or HEAD", w)
	}
	c.http.Method = w
	return nil
}

func (c *checkDraft) readHeader(l *line) error {
	c.give(l)
	if err := l.arguments(2, 2, "NAME VALUE, the value in quotes where it has blanks"); err != nil {
		return err
	}
	name, value := l.args[0], l.args[1]
	if strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune("()<>@,;:\\\"/[]?={}", r)
	}) {
		return l.errf("header: '%s' is not the name of a header", name)
	}
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return l.errf("header: the value of '%s' has a control character in it", name)
	}
	if slices.Contains([]string{"host", "connection", "content-length", "transfer-encoding", "accept-encoding"}, strings.ToLower(name)) {
		want := "it is the probe's own"
		if strings.EqualFold(name, "host") {
			want = "use the property 'host'"
		}
		return l.errf("header: '%s' cannot be set: %s", name, want)
	}
	c.http.Header = append(c.http.Header, [2]string{name, value})
	return nil
}

// readTLS reads up to three files, as CoreDNS's own tls properties do: CA, or CERT KEY, or CERT KEY CA.
func (c *checkDraft) readTLS(l *line) error {
	c.give(l)
	if err := l.arguments(0, 3, "[CERT KEY] [CA]"); err != nil {
		return err
	}
	files := make([]string, len(l.args))
	for i, f := range l.args {
		files[i] = c.d.path(f)
	}
	var cert, key, ca string
	switch len(files) {
	case 1:
		ca = files[0]
	case 2:
		cert, key = files[0], files[1]
	case 3:
		cert, key, ca = files[0], files[1], files[2]
	}
	creds, err := probe.LoadCredentials(cert, key, ca)
	if err != nil {
		return l.refuse(err)
	}
	c.tls = creds
	return nil
}
