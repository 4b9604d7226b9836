package probe

import (
	"fmt"
	"math"
	"net/netip"
	"strings"
	"time"
)

// Spec is a check of one subject, whole: two checks of the same Key are one probe with one verdict (G-55). It holds no
// secrets.
type Spec struct {
	Schedule
	Thresholds
	Target Target
	Kind   Kind
	// Source is the local address to probe from, for the target's family; the zero Addr leaves it to the system.
	Source [2]netip.Addr // IPv4, IPv6
	// Isolation lets the check profit from the node's suspicion of itself (G-60).
	Isolation bool
}

// Schedule says when a check probes.
type Schedule struct {
	Interval time.Duration
	Timeout  time.Duration // above 0, at most Interval
}

// Target is what is probed: an address, or a name that the system looks up at each probe.
type Target struct {
	Addr netip.Addr // unmapped; zero for a name
	Name string     // the name to look up, or with Addr the name that the address was found under
	Port uint16     // replaces the kind's; 0 for none
}

// String is the target as an operator wrote it, with the port only where it has one of its own.
func (t Target) String() string {
	host := t.Name
	if t.Addr.IsValid() {
		host = t.Addr.String()
	}
	if t.Port == 0 {
		return host
	}
	if t.Addr.IsValid() {
		return netip.AddrPortFrom(t.Addr, t.Port).String()
	}
	return fmt.Sprintf("%s:%d", host, t.Port)
}

// host is the name that stands for the target in Host, SNI and certificates: the name if there is one.
func (t Target) host() string {
	if t.Name != "" {
		return strings.TrimSuffix(t.Name, ".")
	}
	return t.Addr.String()
}

// Kind is a protocol with its options. Its String must hold every option: it is part of the Key.
type Kind interface {
	fmt.Stringer
	// Probe makes the probe of one subject.
	Probe(Spec) Func
}

// Key is the identity of the check with all its options.
func (s Spec) Key() string {
	return fmt.Sprintf("%s %s/%s every %s within %s, %+v, from %v, isolation %t",
		s.Kind, s.Target, s.Target.Name, s.Interval, s.Timeout, s.Thresholds, s.Source, s.Isolation)
}

// The bounds of a check's properties, and its defaults.
const (
	DefaultInterval  = 15 * time.Second
	DefaultTimeout   = 5 * time.Second
	DefaultFailures  = 3
	DefaultSuccesses = 2
	// MinInterval is the least interval, unless `probes { min-interval }` lowers it, to LeastMinInterval at least.
	MinInterval      = 5 * time.Second
	LeastMinInterval = time.Second
	// MaxSamples is the longest window.
	MaxSamples = 255
)

// lifetime is how old a verdict may get (G-49).
func (s Schedule) lifetime() time.Duration {
	const most = math.MaxInt64 / 4 // three of it and a timeout are still a duration
	return 3*min(s.Interval, most) + min(s.Timeout, most)
}
