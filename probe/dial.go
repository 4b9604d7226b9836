package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"time"
)

// addresses gives what to dial for a target: its address, or those that the system finds for its name now.
func (s Spec) addresses(ctx context.Context) ([]netip.Addr, error) {
	if s.Target.Addr.IsValid() {
		return []netip.Addr{s.Target.Addr}, nil
	}
	list, err := net.DefaultResolver.LookupNetIP(ctx, "ip", s.Target.Name)
	if err != nil {
		return nil, failed(Lookup, "looking up '%s': %w", s.Target.Name, err)
	}
	for i := range list {
		list[i] = list[i].Unmap()
	}
	return list, nil
}

// port is the target's own, else the kind's.
func (s Spec) port(kinds uint16) uint16 {
	if s.Target.Port != 0 {
		return s.Target.Port
	}
	return kinds
}

// dial opens a connection to the first of the addresses that accepts one, and to nothing else. It gives the time just
// before the attempt that succeeded.
func (s Spec) dial(ctx context.Context, addrs []netip.Addr, port uint16) (net.Conn, time.Time, error) {
	var errs []error
	for _, a := range addrs {
		d := net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: false}, KeepAlive: -1}
		if from := s.Source[family(a)]; from.IsValid() {
			d.LocalAddr = net.TCPAddrFromAddrPort(netip.AddrPortFrom(from, 0))
		}
		began := time.Now()
		conn, err := d.DialContext(ctx, "tcp", netip.AddrPortFrom(a, port).String())
		if err == nil {
			return conn, began, nil
		}
		errs = append(errs, dialFailure(err, netip.AddrPortFrom(a, port)))
	}
	if len(errs) == 1 {
		return nil, time.Time{}, errs[0]
	}
	return nil, time.Time{}, &Failure{reasonOf(errs[len(errs)-1]), errors.Join(errs...)}
}

func family(a netip.Addr) int {
	if a.Is4() {
		return 0
	}
	return 1
}

func dialFailure(err error, to netip.AddrPort) error {
	reason, what := networkReason(err)
	return failed(reason, "connecting to %s: %s", to, what)
}

// networkReason sorts an error of a connection, and gives its cause without the addresses that the net package puts
// around it.
func networkReason(err error) (Reason, string) {
	var errno syscall.Errno
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return Timeout, "no answer in time"
	case errors.Is(err, syscall.ECONNREFUSED):
		return Refused, "connection refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return Protocol, "connection reset"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return Protocol, "connection closed without a reply"
	case errors.As(err, &errno):
		return Unreachable, errno.Error()
	}
	var op *net.OpError
	if errors.As(err, &op) {
		return Unreachable, fmt.Sprint(op.Err)
	}
	return Protocol, strings.TrimPrefix(err.Error(), "net/http: ")
}
