package region

import "testing"

func TestCodes(t *testing.T) {
	for in, want := range map[string]string{"DE": "DE", "de": "DE", "gB": "GB", "": "", "D": "", "DEU": "", "D1": "", "12": "", "@[": "", "`{": "", "ß": "", "D\xc5": "", "D\r": ""} {
		c, err := ParseCountry(in)
		if c.String() != want || (err == nil) != (want != "") {
			t.Errorf("country %q: got %q, %v, want %q", in, c, err, want)
		}
	}
	for in, want := range map[string]string{"AF": "AF", "an": "AN", "As": "AS", "eU": "EU", "NA": "NA", "OC": "OC", "SA": "SA", "DE": "", "EUR": "", "": ""} {
		c, err := ParseContinent(in)
		if c.String() != want || (err == nil) != (want != "") {
			t.Errorf("continent %q: got %q, %v, want %q", in, c, err, want)
		}
	}
}
