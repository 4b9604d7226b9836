package probe

import (
	"context"
	"fmt"
	"time"
)

// TCP passes when the port accepts a connection, and with TLS when the handshake then succeeds.
type TCP struct {
	Port       uint16
	TLS        *Credentials // nil: no TLS
	ServerName string
}

func (k TCP) String() string {
	return fmt.Sprintf("tcp %d tls(%s) servername(%s)", k.Port, k.TLS, k.ServerName)
}

// Probe implements Kind.
func (k TCP) Probe(s Spec) Func {
	return func(ctx context.Context) (Reading, error) {
		addrs, err := s.addresses(ctx)
		if err != nil {
			return Reading{}, err
		}
		conn, began, err := s.dial(ctx, addrs, s.port(k.Port))
		if err != nil {
			return Reading{}, err
		}
		defer conn.Close()
		if k.TLS != nil {
			if _, err := handshake(ctx, conn, k.TLS, serverName(k.ServerName, "", s.Target)); err != nil {
				return Reading{}, err
			}
		}
		return Reading{Latency: time.Since(began), Measured: true}, nil
	}
}

// Files gives the files that the check reads again when they change; nil for none.
func (k TCP) Files() *Credentials { return k.TLS }
