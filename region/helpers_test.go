package region

import (
	"testing"

	"github.com/coredns/gslb/internal/globe"
)

// at makes a location that is known to be sound.
func at(t testing.TB, lat, lon float64) *Location {
	t.Helper()
	l, err := globe.NewLocation(lat, lon)
	if err != nil {
		t.Fatal(err)
	}
	return l
}
