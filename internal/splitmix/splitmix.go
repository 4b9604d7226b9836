// Package splitmix scrambles numbers.
package splitmix

// Mix is the finaliser of splitmix64 (Steele, Lea and Flood 2014): a bijection in which every bit of x decides every bit
// of the result. It is the same everywhere and for ever: what is chosen by it stays chosen after a restart.
func Mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
