// Package globe measures great-circle distances between places on the earth.
package globe

import (
	"fmt"
	"math"
	"strconv"
)

// earthRadius is the mean radius of the WGS 84 ellipsoid in kilometres, (2a+b)/3.
const earthRadius = 6371.0088

// A Location is a point on the earth. It is kept as a unit vector too: of two points the nearer to a third is the one
// with the larger dot product, which costs three multiplications and no trigonometry. Immutable; only NewLocation and
// ParseLocation make a sound one.
type Location struct {
	lat, lon float64 // degrees
	x, y, z  float64 // unit vector
}

// NewLocation makes a location of degrees north and east. It refuses a latitude outside -90 to 90 and a longitude
// outside -180 to 180, and NaN.
func NewLocation(lat, lon float64) (*Location, error) {
	if !(lat >= -90 && lat <= 90) {
		return nil, fmt.Errorf("got latitude %v, want -90 to 90", lat)
	}
	if !(lon >= -180 && lon <= 180) {
		return nil, fmt.Errorf("got longitude %v, want -180 to 180", lon)
	}
	sinLat, cosLat := math.Sincos(lat * math.Pi / 180)
	sinLon, cosLon := math.Sincos(lon * math.Pi / 180)
	return &Location{lat, lon, cosLat * cosLon, cosLat * sinLon, sinLat}, nil
}

// ParseLocation reads a location from two decimal numbers, as `location LAT LON` writes them.
func ParseLocation(lat, lon string) (*Location, error) {
	la, err := strconv.ParseFloat(lat, 64)
	if err != nil {
		return nil, fmt.Errorf("got latitude %q, want a number from -90 to 90", lat)
	}
	lo, err := strconv.ParseFloat(lon, 64)
	if err != nil {
		return nil, fmt.Errorf("got longitude %q, want a number from -180 to 180", lon)
	}
	return NewLocation(la, lo)
}

// Degrees returns the latitude and the longitude as they were given.
func (l *Location) Degrees() (lat, lon float64) { return l.lat, l.lon }

// Nearness is the cosine of the angle between l and m: -1 for antipodes to 1 for the same point. It falls strictly
// with the distance, but not below a few metres, where it is flat.
func (l *Location) Nearness(m *Location) float64 { return l.x*m.x + l.y*m.y + l.z*m.z }

// Kilometres is the great-circle distance between l and m on a sphere, 0 to 20016. It is exact to the sphere for near
// and for antipodal points alike, which the arc cosine of Nearness is not; the earth's flattening is worth 0.6 %.
func (l *Location) Kilometres(m *Location) float64 {
	x, y, z := l.y*m.z-l.z*m.y, l.z*m.x-l.x*m.z, l.x*m.y-l.y*m.x
	return earthRadius * math.Atan2(math.Sqrt(x*x+y*y+z*z), l.Nearness(m))
}

func (l *Location) String() string { return fmt.Sprintf("%g %g", l.lat, l.lon) }
