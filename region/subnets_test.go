package region

import (
	"strconv"
	"strings"
	"testing"
)

func TestParseSubnets(t *testing.T) {
	t.Run("CIDR,REGION a line", func(t *testing.T) {
		var names Names
		text := "# sites\n\n10.1.0.0/16,we\n \t 10.2.0.0/16 ,\tNE  \r\n   # indented\n\r\n::ffff:10.3.0.0/112,We\n2001:db8::/32,sa"
		ms, err := ParseSubnets("s.csv", []byte(text), &names)
		if err != nil {
			t.Fatal(err)
		}
		want := [][3]string{{"10.1.0.0/16", "we", "s.csv:3"}, {"10.2.0.0/16", "NE", "s.csv:4"}, {"10.3.0.0/16", "we", "s.csv:7"}, {"2001:db8::/32", "sa", "s.csv:8"}}
		if len(ms) != len(want) {
			t.Fatalf("got %d mappings, want %d", len(ms), len(want))
		}
		for i, m := range ms {
			if got := [3]string{m.Prefix.String(), names.Name(m.Region), m.At}; got != want[i] {
				t.Errorf("got %q, want %q", got, want[i])
			}
		}
	})
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"H-43 an empty file", "", []string{"s.csv", "no mapping"}},
		{"H-43 a file of comments", "# a\n\n  \n", []string{"s.csv", "no mapping"}},
		{"no comma", "10.1.0.0/16,we\n10.2.0.0/16 ne\n", []string{"s.csv:2", "10.2.0.0/16 ne"}},
		{"no region", "10.1.0.0/16,\n", []string{"s.csv:1", "'' is not a name"}},
		{"no network", ",we\n", []string{"s.csv:1", `''`}},
		{"an address", "10.1.0.1,we\n", []string{"s.csv:1", "10.1.0.1"}},
		{"host bits", "\n\n10.1.2.3/8,we\n", []string{"s.csv:3", "10.1.2.3/8", "10.0.0.0/8"}},
		{"a mapped prefix shorter than /96", "::ffff:0:0/64,we\n", []string{"s.csv:1", "/96"}},
		{"a bad name", "10.1.0.0/16,west europe\n", []string{"s.csv:1", "west europe"}},
		{"a third field", "10.1.0.0/16,we,x\n", []string{"s.csv:1", "we,x"}},
		{"a comment behind", "10.1.0.0/16,we # x\n", []string{"s.csv:1", "we # x"}},
		{"a bad line behind good ones", strings.Repeat("10.1.0.0/16,we\n", 9) + "x", []string{"s.csv:10", `'x'`}},
		{"an endless line", "10.1.0.0/16,we\n" + strings.Repeat("x", maxLine+1), []string{"s.csv:2", "1025", "xxxx"}},
	} {
		t.Run(tt.name+" is refused", func(t *testing.T) {
			var names Names
			ms, err := ParseSubnets("s.csv", []byte(tt.text), &names)
			if err == nil || ms != nil {
				t.Fatalf("got %v, %v", ms, err)
			}
			for _, w := range tt.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("got %q, want it to contain %q", err, w)
				}
			}
			if names.Len() != 0 {
				t.Errorf("got %d names of a file that is wrong, want none", names.Len())
			}
			if len(err.Error()) > 300 {
				t.Errorf("got an error of %d bytes", len(err.Error()))
			}
		})
	}
	t.Run("the longest line is read", func(t *testing.T) {
		var names Names
		text := "10.1.0.0/16," + strings.Repeat("x", maxLine-len("10.1.0.0/16,"))
		if ms, err := ParseSubnets("s.csv", []byte(text+"\n"), &names); err != nil || len(ms) != 1 {
			t.Errorf("got %d mappings, %v", len(ms), err)
		}
	})
	t.Run("one region too many", func(t *testing.T) {
		var names Names
		var text strings.Builder
		for i := range 70000 {
			text.WriteString("10.")
			text.WriteString(strings.Join([]string{strconv.Itoa(i >> 8 & 255), strconv.Itoa(i & 255), "0/24,r" + strconv.Itoa(i)}, "."))
			text.WriteString("\n")
		}
		if _, err := ParseSubnets("s.csv", []byte(text.String()), &names); err == nil || !strings.Contains(err.Error(), "s.csv:65536") {
			t.Errorf("got %v, want line 65536 refused", err)
		}
	})
}

func FuzzParseSubnets(f *testing.F) {
	for _, s := range []string{"10.1.0.0/16,we\n", "#\n\n::ffff:10.0.0.0/104 , a.b\n", "10.1.2.3/8,x", ",", "0.0.0.0/0,x\n0.0.0.0/0,x"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var names Names
		ms, err := ParseSubnets("f", text, &names)
		if (err == nil) != (len(ms) > 0) {
			t.Fatalf("got %d mappings and %v", len(ms), err)
		}
		table, err := Build(ms)
		if err != nil {
			return
		}
		for _, m := range ms {
			if table.Lookup(m.Prefix.Addr()) == 0 {
				t.Fatalf("%v is in no region", m.Prefix)
			}
		}
	})
}
