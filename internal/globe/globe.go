// Package globe measures great-circle distances between places.
package globe

import "math"

// Radius is the mean radius of the Earth in kilometres (IUGG).
const Radius = 6371.0088

// Location is a place on the globe in degrees: Lat from -90 to 90, Lon from -180 to 180.
type Location struct{ Lat, Lon float64 }

// Vector is a place as a unit vector from the centre of the Earth. Of two places the nearer one has the larger dot
// product, which costs a twentieth of a haversine.
type Vector [3]float64

// Vector gives the unit vector of l.
func (l Location) Vector() Vector {
	sinLat, cosLat := math.Sincos(l.Lat * math.Pi / 180)
	sinLon, cosLon := math.Sincos(l.Lon * math.Pi / 180)
	return Vector{cosLat * cosLon, cosLat * sinLon, sinLat}
}

// Dot is the cosine of the angle between v and w: the larger, the nearer.
func (v Vector) Dot(w Vector) float64 { return v[0]*w[0] + v[1]*w[1] + v[2]*w[2] }

// Kilometres is the great-circle distance. The arc tangent of cross and dot product is exact near 0 and near half the
// circumference alike, where the arc cosine is not.
func (v Vector) Kilometres(w Vector) float64 {
	x := v[1]*w[2] - v[2]*w[1]
	y := v[2]*w[0] - v[0]*w[2]
	z := v[0]*w[1] - v[1]*w[0]
	return Radius * math.Atan2(math.Sqrt(x*x+y*y+z*z), v.Dot(w))
}
