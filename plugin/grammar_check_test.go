package gslb

import (
	"fmt"
	"github.com/coredns/gslb/policy"
	"github.com/coredns/gslb/probe"
	"testing"
)

// theSpec gives the one thing that is probed.
func theSpec(c *config) probe.Spec {
	if len(c.subjects) != 1 {
		panic(fmt.Sprintf("%d subjects, want 1", len(c.subjects)))
	}
	for _, s := range c.subjects {
		return s.spec
	}
	panic("unreachable")
}

// checkedOnly puts lines into a check of a record's one origin.
func checkedOnly(lines string) string {
	return inBlock("record www {\norigin 192.0.2.1\ncheck c\n}\ncheck c {\n" + lines + "\n}")
}

func TestCheckRefused(t *testing.T) {
	testRefused(t, []refused{
		{"V110, DTM-HC-24", inKind("tcp 80", "interval 4s"), 4, []string{"4s", "'web'", "5s"}},
		{"V110 below its own floor", inKind("tcp 80", "interval 1s\n}\nprobes {\nmin-interval 2s"), 4, []string{"1s", "2s"}},
		{"the default below its floor", inKind("tcp 80", "}\nprobes {\nmin-interval 20s"), 2, []string{"15s", "'web'", "20s"}},
		{"H-42, V53, DTM-HC-19", inKind("tcp 80", "timeout 16s"), 4, []string{"16s", "'web'", "15s"}},
		{"DTM-HC-19 interval below", inKind("tcp 80", "timeout 6s\ninterval 5s"), 4, []string{"6s", "5s"}},
		{"V110, DTM-HC-26", inKind("tcp 80", "failures 0"), 4, []string{"'0'"}},
		{"DTM-HC-26", inKind("tcp 80", "failures many"), 4, []string{"'many'"}},
		{"DTM-HC-27", inKind("tcp 80", "successes -1"), 4, []string{"'-1'"}},
		{"window", inKind("tcp 80", "window 3 0"), 4, []string{"'0'"}},
		{"window", inKind("tcp 80", "window 0 0"), 4, []string{"'0'"}},
		{"initial", inKind("tcp 80", "initial unknown"), 4, []string{"'unknown'"}},

		{"V110 without port", inBlock("check c {\ntcp\n}"), 3, []string{"'tcp'"}},
		{"H-42, V110", inBlock("check c {\ntcp 0\n}"), 3, []string{"'0'"}},
		{"tcp has no path", inBlock("check c {\ntcp /\n}"), 3, []string{"'/'"}},
		{"tcp has no path", inBlock("check c {\ntcp 80 /\n}"), 3, []string{"'/'"}},
		{"port", inBlock("check c {\nhttps 0\n}"), 3, []string{"'0'"}},
		{"path", inBlock("check c {\nhttp healthz\n}"), 3, []string{"'healthz'"}},
		{"path", inBlock("check c {\nhttp 80 healthz\n}"), 3, []string{"'healthz'"}},
		{"path before port", inBlock("check c {\nhttp /healthz 80\n}"), 3, []string{"'80'"}},
		{"path with a blank", inBlock("check c {\nhttp \"/a b\"\n}"), 3, []string{"'/a b'"}},
		{"path with a fragment", inBlock("check c {\nhttp \"/a#b\"\n}"), 3, []string{"'/a#b'"}},
		{"path with a bad escape", inBlock("check c {\nhttp /a%zz\n}"), 3, []string{"'/a%zz'"}},
		{"surplus", inBlock("check c {\nhttp 80 / x\n}"), 3, []string{"'x'"}},
		{"G-48 the kind twice", inKind("tcp 80", "tcp 81"), 4, []string{"'tcp'", "Testfile:3"}},

		{"expect", inKind("http", "expect 600"), 4, []string{"'600'"}},
		{"expect", inKind("http", "expect 200,204"), 4, []string{"'200,204'"}},
		{"expect", inKind("http", "expect 200-"), 4, []string{"'200-'"}},
		{"expect", inKind("http", "expect ok"), 4, []string{"'ok'"}},
		{"method", inKind("http", "method POST"), 4, []string{"'POST'"}},
		{"method", inKind("http", "method get"), 4, []string{"'get'"}},
		{"host", inKind("http", `host "a b"`), 4, []string{"'a b'"}},
		{"header's name", inKind("http", `header "X Name" v`), 4, []string{"'X Name'"}},
		{"header's name", inKind("http", `header X: v`), 4, []string{"'X:'"}},
		{"header's value", inKind("http", "header X \"a\nb\""), 4, []string{"'X'"}},
		{"header Host", inKind("http", "header Host www.example.org"), 4, []string{"'Host'", "'host'"}},
		{"servername", inKind("https", "servername www.example.org:443"), 4, []string{"'www.example.org:443'"}},
		{"only http", inKind("tcp 80", "expect 200"), 4, []string{"'expect'", "tcp", "'web'"}},
		{"only http", inKind("tcp 80", "body ok"), 4, []string{"'body'", "tcp"}},
		{"only http", inKind("tcp 80", "method GET"), 4, []string{"'method'", "tcp"}},
		{"only http", inKind("tcp 80", "host www.example.org"), 4, []string{"'host'", "tcp"}},
		{"only http", inKind("tcp 80", "header X y"), 4, []string{"'header'", "tcp"}},
		{"only http, whatever the order", inBlock("check c {\nbody ok\ntcp 80\n}"), 3, []string{"'body'", "tcp"}},
		{"only tls", inKind("http", "servername www.example.org"), 4, []string{"'servername'", "http"}},
		{"only tls", inKind("tcp 80", "servername www.example.org"), 4, []string{"'servername'", "tcp"}},

		{"a check's name", inBlock("check any {\ntcp 80\n}"), 2, []string{"'any'"}},
		{"a check's name", inBlock("check NONE {\ntcp 80\n}"), 2, []string{"'NONE'"}},
		{"a check's name", inBlock("check access {\ntcp 80\n}"), 2, []string{"'access'"}},
		{"a check's name", inBlock("check 2 {\ntcp 80\n}"), 2, []string{"'2'"}},
		{"a check's name", inBlock("check \"a b\" {\ntcp 80\n}"), 2, []string{"'a b'"}},
		{"a check's name", inBlock("check a/b {\ntcp 80\n}"), 2, []string{"'a/b'"}},
		{"G-48 a check twice", inBlock("check c {\ntcp 80\n}\ncheck C {\ntcp 80\n}"), 5, []string{"'C'", "Testfile:2"}},

		{"V112", inProbes("workers 0"), 3, []string{"'0'"}},
		{"workers", inProbes("workers all"), 3, []string{"'all'"}},
		{"V112 two of one family", inProbes("source 192.0.2.1 192.0.2.2"), 3, []string{"'192.0.2.2'"}},
		{"two of one family", inProbes("source 192.0.2.1 ::ffff:192.0.2.2"), 3, []string{"'::ffff:192.0.2.2'"}},
		{"source", inProbes("source eth0"), 3, []string{"'eth0'"}},
	})
}

func TestCheckAccepted(t *testing.T) {
	timing := func(c *config) any {
		s := theSpec(c)
		return words(s.Interval, s.Timeout, s.Thresholds, firstOrigin(c).Checks[0].Initial)
	}
	web := func(c *config) any { return fmt.Sprintf("%+v", theSpec(c).Kind) }
	plain := probe.HTTP{Port: 80, Path: "/", Method: "GET", Expect: []probe.Range{{First: 200, Last: 200}}}
	with := func(change func(*probe.HTTP)) string {
		k := plain
		change(&k)
		return fmt.Sprintf("%+v", k)
	}
	testTaken(t, []taken{
		{"V110 defaults", checkedOnly("tcp 80"), timing, "15s 5s {3 2 0 0} true"},
		{"V110 seconds", checkedOnly("tcp 80\ninterval 15"), timing, "15s 5s {3 2 0 0} true"},
		{"V110 min-interval", checkedOnly("tcp 80\ninterval 1s\n}\nprobes {\nmin-interval 1s"), timing, "1s 1s {3 2 0 0} true"},
		{"DTM-HC-19", checkedOnly("tcp 80\ntimeout 15s"), timing, "15s 15s {3 2 0 0} true"},
		{"DTM-HC-19 whatever the order", checkedOnly("tcp 80\ntimeout 60s\ninterval 60s"), timing, "1m0s 1m0s {3 2 0 0} true"},
		{"G-37", checkedOnly("tcp 80\nfailures 1\nsuccesses 1"), timing, "15s 5s {1 1 0 0} true"},
		{"window", checkedOnly("tcp 80\nwindow 255 255"), timing, "15s 5s {0 0 255 255} true"},
		{"initial", checkedOnly("tcp 80\ninitial unhealthy"), timing, "15s 5s {3 2 0 0} false"},
		{"initial", checkedOnly("tcp 80\ninitial healthy"), timing, "15s 5s {3 2 0 0} true"},

		{"tcp", checkedOnly("tcp 65535"), web, fmt.Sprintf("%+v", probe.TCP{Port: 65535})},
		{"http", checkedOnly("http"), web, with(func(*probe.HTTP) {})},
		{"http PORT", checkedOnly("http 8080"), web, with(func(k *probe.HTTP) { k.Port = 8080 })},
		{"http PATH", checkedOnly("http /a?b=c"), web, with(func(k *probe.HTTP) { k.Path = "/a?b=c" })},
		{"http PORT PATH", checkedOnly("http 1 /a%20b"), web, with(func(k *probe.HTTP) { k.Port, k.Path = 1, "/a%20b" })},
		{"https", checkedOnly("https"), web, with(func(k *probe.HTTP) { k.TLS, k.Port = true, 443 })},
		{"https PATH", checkedOnly("https /x"), web, with(func(k *probe.HTTP) { k.TLS, k.Port, k.Path = true, 443, "/x" })},
		{"DTM-HC-28", checkedOnly("http\nexpect 200 204 300-399 100-599"), web, with(func(k *probe.HTTP) {
			k.Expect = []probe.Range{{First: 200, Last: 200}, {First: 204, Last: 204}, {First: 300, Last: 399}, {First: 100, Last: 599}}
		})},
		{"DTM-HC-29", checkedOnly("http\nbody \"all is { well\""), web, with(func(k *probe.HTTP) { k.Body = "all is { well" })},
		{"method", checkedOnly("http\nmethod HEAD"), web, with(func(k *probe.HTTP) { k.Method = "HEAD" })},
		{"host", checkedOnly("http\nhost www.example.org"), web, with(func(k *probe.HTTP) { k.Host = "www.example.org" })},
		{"header", checkedOnly("http\nheader X-A \"b c\"\nheader x-a d"), web, with(func(k *probe.HTTP) { k.Header = [][2]string{{"X-A", "b c"}, {"x-a", "d"}} })},
		{"servername", checkedOnly("https\nservername www.example.org"), web, with(func(k *probe.HTTP) { k.TLS, k.Port, k.ServerName = true, 443, "www.example.org" })},
		{"V110 tls on tcp", checkedOnly("tcp 443\ntls\nservername www.example.org"), func(c *config) any {
			k := theSpec(c).Kind.(probe.TCP)
			return words(k.TLS != nil, k.ServerName)
		}, "true www.example.org"},
		{"tcp without tls", checkedOnly("tcp 443"), func(c *config) any { return theSpec(c).Kind.(probe.TCP).TLS == nil }, true},
		{"G-60 isolation", checkedOnly("tcp 443"), func(c *config) any { return theSpec(c).Isolation }, true},

		{"probes", inProbes("workers 1"), func(c *config) any { return c.workers }, 1},
		{"probes of several blocks", inProbes("workers 3") + "\n" + inProbes("workers 2"), func(c *config) any { return c.workers }, 3},
		{"source", checkedOnly("tcp 80\n}\nprobes {\nsource 2001:db8::1 192.0.2.7"), func(c *config) any { return theSpec(c).Source }, "[192.0.2.7 2001:db8::1]"},
	})
}

func TestCheckLists(t *testing.T) {
	checks := "\ncheck a {\ntcp 1\n}\ncheck b {\ntcp 2\n}\ncheck c {\ntcp 3\ninitial unhealthy\n}\nmonitor m 192.0.2.9 a"
	record := func(list string) string { return inBlock("record www {\norigin 192.0.2.1\n" + list + "\n}" + checks) }
	origin := func(list string) string {
		return inBlock("record www {\norigin 192.0.2.1 " + list + "\ncheck a\n}" + checks)
	}
	testRefused(t, []refused{
		{"V112", record("check 3 a b"), 4, []string{"'3'", "2"}},
		{"none needed", record("check 0 a b"), 4, []string{"'0'"}},
		{"V112 not defined", record("check d"), 4, []string{"'d'"}},
		{"V112 not defined", origin("check a bb"), 3, []string{"'bb'"}},
		{"not defined on a disabled origin", origin("disabled check d"), 3, []string{"'d'"}},
		{"none and more", record("check none a"), 4, []string{"'a'"}},
		{"any of nothing", record("check any"), 4, []string{"any"}},
		{"N of nothing", record("check 2"), 4, []string{"'2'"}},
		{"in the middle", record("check a any b"), 4, []string{"'any'"}},
		{"V57, G-48 a monitor", record("check m"), 4, []string{"'m'", "Testfile:16"}},
		{"a check twice", record("check a A"), 4, []string{"'A'"}},
		{"access without a data center", record("check access"), 4, []string{"'access'"}},
		{"an attribute after the list", origin("check a disabled"), 3, []string{"'disabled'"}},
		{"a name that is none", record("check a,b"), 4, []string{"'a,b'"}},
	})
	shown := func(c *config) any {
		o := firstOrigin(c)
		var list []string
		for _, k := range o.Checks {
			s := c.subjects[k.Subject]
			list = append(list, words(s.check, k.Initial, k.Measures, s.spec.Target))
		}
		return words(o.Need, list)
	}
	testTaken(t, []taken{
		{"all", record("check a b"), shown, "2 [a true true 192.0.2.1 b true true 192.0.2.1]"},
		{"any", record("check any A c"), shown, "1 [a true true 192.0.2.1 c false true 192.0.2.1]"},
		{"N of", record("check 2 a b c"), shown, "2 [a true true 192.0.2.1 b true true 192.0.2.1 c false true 192.0.2.1]"},
		{"none", record("check none"), shown, "0 []"},
		{"no check", inRecord(""), shown, "0 []"},
		{"DTM-HC-02 the record's", origin(""), shown, "1 [a true true 192.0.2.1]"},
		{"the origin's", origin("check c"), shown, "1 [c false true 192.0.2.1]"},
		{"the origin's none", origin("check none"), shown, "0 []"},
		{"COR-17 a disabled origin", origin("disabled check a"), func(c *config) any { return words(shown(c), len(c.subjects)) }, "0 [] 0"},
		{"its target", origin("target 192.0.2.7:81"), shown, "1 [a true true 192.0.2.7:81]"},
		{"its target", origin("target Db.example.org:81"), shown, "1 [a true true db.example.org:81]"},
		{"H-32 its target", origin("target [::1]:81"), shown, "1 [a true true [::1]:81]"},
		{"its target", origin("target ::1"), shown, "1 [a true true ::1]"},
		{"its target", origin("target [::1]"), shown, "1 [a true true ::1]"},
		{"its target", origin("target ::ffff:192.0.2.7"), shown, "1 [a true true 192.0.2.7]"},
		{"a port of its own", origin("target 192.0.2.1:1"), shown, "1 [a true true 192.0.2.1:1]"},
	})
}

// G-55: one check of one target is one subject, however many origins, names and zones use it.
func TestOneSubject(t *testing.T) {
	cfg := accepted(t, `gslb example.org example.net {
		check c {
			tcp 80
		}
		check d {
			tcp 80
		}
		record www app {
			origin 192.0.2.1
			origin 192.0.2.2 target 192.0.2.1
			check c
		}
		record api {
			origin ::ffff:192.0.2.1 check c d
		}
	}`)
	if len(cfg.subjects) != 2 {
		t.Errorf("Expected two subjects, got %v", cfg.subjects)
	}
	seen := map[policy.Subject]bool{}
	for i := range cfg.policy.Records {
		for _, o := range cfg.policy.Records[i].Origins {
			for _, k := range o.Checks {
				seen[k.Subject] = true
				if s, ok := cfg.subjects[k.Subject]; !ok || s.zone != "example.org." {
					t.Errorf("Expected every subject to be probed under the block's first zone, got %v", s)
				}
			}
		}
	}
	if len(seen) != 2 {
		t.Errorf("Expected two subjects in the records, got %v", seen)
	}
}

func TestMonitors(t *testing.T) {
	check := "\ncheck c {\ntcp 80\n}"
	testRefused(t, []refused{
		{"V112 a check's name", inBlock("monitor C 192.0.2.1 c" + check), 3, []string{"'c'", "Testfile:2"}},
		{"V112 a check's name", inBlock("check c {\ntcp 80\n}\nmonitor C 192.0.2.1 c"), 5, []string{"'C'", "Testfile:2"}},
		{"G-48 twice", inBlock("monitor m 192.0.2.1 c\nmonitor M 192.0.2.2 c" + check), 3, []string{"'M'", "Testfile:2"}},
		{"not defined", inBlock("monitor m 192.0.2.1 d" + check), 2, []string{"'d'"}},
		{"another monitor", inBlock("monitor m 192.0.2.1 c\nmonitor n 192.0.2.1 m" + check), 3, []string{"'m'", "Testfile:2"}},
		{"its target", inBlock("monitor m 192.0.2.1:0 c" + check), 2, []string{"'192.0.2.1:0'"}},
		{"its name", inBlock("monitor a/b 192.0.2.1 c" + check), 2, []string{"'a/b'"}},
	})
	shown := func(c *config) any {
		var list []string
		for _, m := range c.monitors {
			list = append(list, words(m.zone, m.check, m.spec.Target, m.spec.Kind.(probe.TCP).Port))
		}
		return words(len(c.subjects), list)
	}
	testTaken(t, []taken{
		{"DTM-HC-04", inBlock("monitor m 192.0.2.1 c\nmonitor n DB.example.org:81 C" + check), shown, "0 [example.org. m 192.0.2.1 80 example.org. n db.example.org:81 80]"},
	})
}
