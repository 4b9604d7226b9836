package globe

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func at(t testing.TB, lat, lon float64) *Location {
	t.Helper()
	l, err := NewLocation(lat, lon)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestKilometres(t *testing.T) {
	for _, tt := range []struct {
		name                   string
		lat1, lon1, lat2, lon2 float64
		want                   float64
	}{
		{"V35 Frankfurt to London", 50.11, 8.68, 51.51, -0.13, 638},
		{"V35 Frankfurt to Paris", 50.11, 8.68, 48.86, 2.35, 478},
		{"V87 one degree over the date line", 0, 179.5, 0, -179.5, 111},
		{"pole to pole", 90, 0, -90, 123, 20015},
		{"antipodes on the equator", 0, -90, 0, 90, 20015},
		{"the same point", 12.3, 45.6, 12.3, 45.6, 0},
		{"all longitudes meet at a pole", 90, 10, 90, -170, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := at(t, tt.lat1, tt.lon1), at(t, tt.lat2, tt.lon2)
			if got := a.Kilometres(b); math.Abs(got-tt.want) > 0.5 || math.Abs(got-b.Kilometres(a)) > 1e-9 {
				t.Errorf("got %v km and %v km back, want %v", got, b.Kilometres(a), tt.want)
			}
		})
	}
	t.Run("V35 Paris is nearer than London", func(t *testing.T) {
		here := at(t, 50.11, 8.68)
		if here.Nearness(at(t, 48.86, 2.35)) <= here.Nearness(at(t, 51.51, -0.13)) {
			t.Error("it is not")
		}
	})
	t.Run("V87 the nearer one lies over the date line", func(t *testing.T) {
		here := at(t, 0, 179.5)
		if here.Nearness(at(t, 0, -179.5)) <= here.Nearness(at(t, 0, 170)) {
			t.Error("it does not")
		}
	})
	t.Run("a metre is a metre", func(t *testing.T) {
		if got := at(t, 50, 8).Kilometres(at(t, 50.00001, 8)); math.Abs(got-0.001112) > 1e-6 {
			t.Errorf("got %v km", got)
		}
	})
}

func TestDistanceAgainstOracle(t *testing.T) {
	draw := func(rt *rapid.T) *Location {
		l, err := NewLocation(rapid.Float64Range(-90, 90).Draw(rt, "lat"), rapid.Float64Range(-180, 180).Draw(rt, "lon"))
		if err != nil {
			rt.Fatal(err)
		}
		return l
	}
	// haversine is the textbook's way.
	haversine := func(a, b *Location) float64 {
		r := math.Pi / 180
		u, v := math.Sin((b.lat-a.lat)*r/2), math.Sin((b.lon-a.lon)*r/2)
		return 2 * earthRadius * math.Asin(math.Min(1, math.Sqrt(u*u+math.Cos(a.lat*r)*math.Cos(b.lat*r)*v*v)))
	}
	rapid.Check(t, func(rt *rapid.T) {
		a, b, c := draw(rt), draw(rt), draw(rt)
		if got, want := a.Kilometres(b), haversine(a, b); math.Abs(got-want) > 1e-3 {
			rt.Fatalf("%v to %v: got %v km, want %v", a, b, got, want)
		}
		if d, e := haversine(a, b), haversine(a, c); d+0.01 < e && a.Nearness(b) <= a.Nearness(c) {
			rt.Fatalf("%v is %v km from %v and %v km from %v, but not nearer", a, d, b, e, c)
		}
	})
}

func TestLocationRefuses(t *testing.T) {
	for _, tt := range [][2]string{{"90.1", "0"}, {"-91", "0"}, {"0", "180.5"}, {"0", "-181"}, {"nan", "0"}, {"0", "NaN"}, {"inf", "0"}, {"north", "0"}, {"0", "8,68"}, {"", ""}} {
		t.Run(tt[0]+" "+tt[1], func(t *testing.T) {
			if l, err := ParseLocation(tt[0], tt[1]); err == nil {
				t.Errorf("got %v", l)
			}
		})
	}
	l, err := ParseLocation("-90", "180")
	if err != nil || l.String() != "-90 180" {
		t.Errorf("got %v, %v", l, err)
	}
	if lat, lon := l.Degrees(); lat != -90 || lon != 180 {
		t.Errorf("got %v %v", lat, lon)
	}
}
