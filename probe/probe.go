// Package probe looks at the world on a timer. It knows nothing of DNS answers or policies.
//
// A probe is a function from a context to a reading. A Monitor runs the probes of all checks of the process, shares
// those that are the same, and turns their results into verdicts.
package probe

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// Func is one probe of one subject. It must end soon after ctx does; a nil error is a pass. It is called by one
// goroutine at a time.
type Func func(ctx context.Context) (Reading, error)

// Reading is what a probe learnt beside that it passed.
type Reading struct {
	// Latency is from just before the request to the last byte, connection and handshake included (G-03).
	Latency time.Duration
	// Measured tells that Latency counts; a probe that measures nothing leaves it false.
	Measured bool
}

// Reason is why a probe failed, as one of few words: what may stand in a metric's label.
type Reason string

// The reasons.
const (
	Refused     Reason = "refused"
	Unreachable Reason = "unreachable"
	Timeout     Reason = "timeout"
	Lookup      Reason = "lookup"   // the target's name could not be looked up
	TLS         Reason = "tls"      // handshake or certificate
	Status      Reason = "status"   // another status than wanted
	Body        Reason = "body"     // the text is missing
	Protocol    Reason = "protocol" // no sensible reply
	Internal    Reason = "internal" // the probe itself is broken
)

// Failure is an error of a probe with its reason.
type Failure struct {
	Reason Reason
	Err    error
}

func (f *Failure) Error() string { return f.Err.Error() }
func (f *Failure) Unwrap() error { return f.Err }

func failed(reason Reason, format string, args ...any) error {
	return &Failure{reason, fmt.Errorf(format, args...)}
}

// reasonOf gives the reason of an error, Protocol for one that does not say.
func reasonOf(err error) Reason {
	var f *Failure
	switch {
	case err == nil:
		return ""
	case errors.As(err, &f):
		return f.Reason
	case errors.Is(err, context.DeadlineExceeded):
		return Timeout
	}
	return Protocol
}

// text makes an error one short printable line: it is shown to people, and targets are not trusted.
func text(err error) string {
	if err == nil {
		return ""
	}
	s := strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, err.Error())
	const most = 200
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}
