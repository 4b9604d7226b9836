package region

import (
	"strings"
	"testing"
)

func TestParsePrefix(t *testing.T) {
	for _, tt := range []struct{ name, in, want, err string }{
		{"IPv4", "10.1.0.0/16", "10.1.0.0/16", ""},
		{"IPv6", "2001:db8::/32", "2001:db8::/32", ""},
		{"everything", "0.0.0.0/0", "0.0.0.0/0", ""},
		{"V98 IPv4-mapped counts as IPv4", "::ffff:10.1.0.0/112", "10.1.0.0/16", ""},
		{"V98 all of IPv4, mapped", "::ffff:0:0/96", "0.0.0.0/0", ""},
		{"a mapped prefix shorter than /96", "::ffff:0:0/95", "", "/96"},
		{"host bits", "10.1.2.3/8", "", "10.0.0.0/8"},
		{"host bits, IPv6", "2001:db8::1/32", "", "2001:db8::/32"},
		{"host bits, mapped", "::ffff:10.1.0.1/112", "", "10.1.0.0/16"},
		{"no length", "10.1.2.3", "", "10.1.2.3"},
		{"too long", "10.0.0.0/33", "", "10.0.0.0/33"},
		{"zone", "fe80::%eth0/64", "", "%eth0"},
		{"a word", "west", "", "west"},
		{"nothing", "", "", `''`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ParsePrefix(tt.in)
			if tt.err == "" {
				if err != nil || got.String() != tt.want {
					t.Errorf("got %v, %v, want %s", got, err, tt.want)
				}
			} else if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("got %v, %v, want an error with %s", got, err, tt.err)
			}
		})
	}
}
