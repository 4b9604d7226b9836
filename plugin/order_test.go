package gslb

import "testing"

func TestOrderUnderDO(t *testing.T) {
	t.Run("V77 V78 DTM-LB-11 the order of an answer is the policy's, whether the client asks for signatures or not", func(t *testing.T) {
		h := newHandler(t, "gslb {\nrecord www {\norigin 192.0.2.2\norigin 192.0.2.1\npolicy failover\nanswers 2\n}\n}", nil)
		h.query("www.example.org.", "A").is("192.0.2.2 192.0.2.1")
		h.query("www.example.org.", "A").do().is("192.0.2.2 192.0.2.1")
	})
}
