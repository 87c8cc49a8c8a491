package runtime

import "math"

// Seed says which random numbers a call draws. Equal seeds draw equal numbers, whatever the layout of the tensors and the number
// of threads: a number is a function of the seed, the call in the formula that draws it, and its place (see [Uniform64]).
//
// So a derivative draws the numbers of its op again. A recorded call keeps its seed; a call of BackwardInto takes the seed that
// the forward call had. Calls that must not draw the same numbers need seeds that differ: one key for a program, or for each
// layer of a model, and an offset for each call.
type Seed struct {
	Key    uint64 // the key of the generator
	Offset uint32 // which of the calls with this key
}

// NewSeed is the seed of the first call with a key.
func NewSeed(key uint64) Seed { return Seed{Key: key} }

// Next is the seed of the next call with the same key.
func (s Seed) Next() Seed {
	s.Offset++
	return s
}

// words is the block of four words at a counter: Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy
// as 1, 2, 3, SC 2011) of
//
//	counter = (at, at >> 32, stream, offset)    key = (key, key >> 32)
func (s Seed) words(stream, at int) [4]uint32 {
	c0, c1, c2, c3 := uint32(at), uint32(uint64(at)>>32), uint32(stream), s.Offset
	k0, k1 := uint32(s.Key), uint32(s.Key>>32)
	for range 10 {
		p0, p1 := uint64(c0)*0xD2511F53, uint64(c2)*0xCD9E8D57
		c0, c1, c2, c3 = uint32(p1>>32)^c1^k0, uint32(p1), uint32(p0>>32)^c3^k1, uint32(p0)
		k0 += 0x9E3779B9
		k1 += 0xBB67AE85
	}
	return [4]uint32{c0, c1, c2, c3}
}

// Uniform64 is a number in [0, 1): number at of a stream, of the 53 high bits of two words. Streams tell the calls apart that a
// formula writes; at counts the points of its axes row-major.
func Uniform64(s Seed, stream, at int) float64 {
	w := s.words(stream, at)
	return float64((uint64(w[0])<<32|uint64(w[1]))>>11) * 0x1p-53
}

// Uniform32 is a number in [0, 1) of the 24 high bits of one word: [Uniform64] rounded down.
func Uniform32(s Seed, stream, at int) float32 {
	return float32(s.words(stream, at)[0]>>8) * 0x1p-24
}

// Normal64 is a standard normal number by Box and Muller 1958: sqrt(-2 log u)·cos(2πv), with u of two words and v of the two
// others. u is in the middle of its interval, never 0.
func Normal64(s Seed, stream, at int) float64 {
	w := s.words(stream, at)
	u := (float64((uint64(w[0])<<32|uint64(w[1]))>>12) + 0.5) * 0x1p-52
	return boxMuller(u, float64((uint64(w[2])<<32|uint64(w[3]))>>11)*0x1p-53)
}

// Normal32 is [Normal64] of one word for each of u and v, rounded once.
func Normal32(s Seed, stream, at int) float32 {
	w := s.words(stream, at)
	return float32(boxMuller((float64(w[0])+0.5)*0x1p-32, float64(w[2])*0x1p-32))
}

func boxMuller(u, v float64) float64 {
	return math.Sqrt(-2*math.Log(u)) * math.Cos(2*math.Pi*v)
}
