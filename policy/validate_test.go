package policy

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
)

func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		name, origins string
		word          string // "" accepts
		lines         []int
	}{
		{"V20 DTM-LB-24 101 in all", "A:60% B:41%", "41%", []int{3}},
		{"V20 DTM-LB-24 a hundred in all", "A:60% B:40%", "", nil},
		{"V20 G-02 a disabled origin counts in the sum", "A:60%! B:50%", "50%", []int{3}},
		{"V20 DTM-LB-24 a hundred for each family", "A:60% C6:60%", "", nil},
		{"V67 DTM-LB-20 both kinds", "A:90% B:10", "10", []int{3, 2}},
		{"V67 DTM-LB-20 a relative weight on one only", "A:3 B", "192.0.2.2", []int{3, 2}},
		{"V112 G-48 an origin twice", "A B A", "192.0.2.1", []int{4, 2}},
		{"V112 no origin", "", "www.example.org.", []int{1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for p := range methods { // weights are validated under every policy
				cfg := &Config{Records: []Record{{
					Name: "www.example.org.", Pos: Pos{"Corefile", 1}, Origins: origins(tt.origins), Policy: Policy(p), Within: None, Fallback: None,
				}}}
				err := cfg.Validate()
				if tt.word == "" {
					if err != nil {
						t.Fatalf("Expected no error, got %v", err)
					}
					continue
				}
				var e *Error
				if !errors.As(err, &e) {
					t.Fatalf("Expected an *Error, got %v", err)
				}
				if e.Word != tt.word || !strings.Contains(e.Msg, tt.word) {
					t.Errorf("Expected the word %q, got %q in %q", tt.word, e.Word, e.Msg)
				}
				if e.Pos.Line != tt.lines[0] {
					t.Errorf("Expected line %d, got %d", tt.lines[0], e.Pos.Line)
				}
				for _, line := range tt.lines[1:] {
					if !strings.Contains(e.Msg, (Pos{"Corefile", line}).String()) {
						t.Errorf("Expected line %d in %q", line, e.Msg)
					}
				}
			}
		})
	}
	t.Run("V20 G-10 an alias counts in both families", func(t *testing.T) {
		list := append(origins("A:50%"), Origin{Alias: "x.example.org.", Weight: Weight{Percent, 60}, Pos: Pos{"Corefile", 9}})
		err := (&Config{Records: []Record{{Name: "a.", Origins: list, Within: None, Fallback: None}}}).Validate()
		if err == nil || !strings.Contains(err.Error(), "Corefile:9") {
			t.Errorf("Expected line 9 to be refused, got %v", err)
		}
	})
	t.Run("COR-38 a name twice, both lines named", func(t *testing.T) {
		cfg := &Config{Records: []Record{
			{Name: "a.example.org.", Pos: Pos{"Corefile", 3}, Origins: origins("A"), Within: None, Fallback: None},
			{Name: "a.example.org.", Pos: Pos{"more", 7}, Origins: origins("A"), Within: None, Disabled: true},
		}}
		err := cfg.Validate()
		if err == nil || !strings.Contains(err.Error(), "more:7") || !strings.Contains(err.Error(), "Corefile:3") {
			t.Errorf("Expected both lines, got %v", err)
		}
	})
	t.Run("V112 a failsafe address twice", func(t *testing.T) {
		a := netip.MustParseAddr("192.0.2.9")
		cfg := &Config{Records: []Record{{Name: "a.", Pos: Pos{"Corefile", 3}, Origins: origins("A"), Within: None, Fallback: None, Failsafe: []netip.Addr{a, a}}}}
		if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), "192.0.2.9") {
			t.Errorf("Expected a refusal, got %v", err)
		}
	})
	t.Run("DTM-LB-19 only the policies of the table", func(t *testing.T) {
		for p := range methods {
			got, err := ParsePolicy(strings.Fields(Policy(p).String())...)
			if err != nil || got != Policy(p) {
				t.Errorf("Expected %s, got %v, %v", Policy(p), got, err)
			}
		}
		for _, words := range []string{"fastest", "random weighted", "", "weighted random 3"} {
			if _, err := ParsePolicy(strings.Fields(words)...); err == nil || !strings.Contains(err.Error(), "'"+words+"'") {
				t.Errorf("Expected %q to be refused by name, got %v", words, err)
			}
		}
	})
}
