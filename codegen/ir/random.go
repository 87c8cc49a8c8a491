package ir

import "math"

// Random numbers are a function of where they stand, not of the order in which they are made: Philox4x32-10 (Salmon,
// Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3, SC 2011) of
//
//	counter = (element, element >> 32, stream, 0)    key = (seed, seed >> 32)
//
// where element is the row-major number of the point among the axes named. So a point has the same number whatever the
// layout of tensors, the number of threads and the backend, and a backward function makes it again.

// philox is the block of four words that Philox4x32-10 makes of a counter and a key.
func philox(c [4]uint32, k [2]uint32) [4]uint32 {
	for range 10 {
		p0, p1 := uint64(c[0])*0xD2511F53, uint64(c[2])*0xCD9E8D57
		c = [4]uint32{uint32(p1>>32) ^ c[1] ^ k[0], uint32(p1), uint32(p0>>32) ^ c[3] ^ k[1], uint32(p0)}
		k[0] += 0x9E3779B9
		k[1] += 0xBB67AE85
	}
	return c
}

// uniformOf is a number in [0, 1): of the first word's 24 high bits in f32, of the first two words' 53 in f64. The first
// is the second rounded down, so that comparisons with a threshold go alike in almost all cases.
func uniformOf(w [4]uint32, dtype string) float64 {
	if dtype == "f32" {
		return float64(w[0]>>8) * 0x1p-24
	}
	return float64((uint64(w[0])<<32|uint64(w[1]))>>11) * 0x1p-53
}

// normalOf is a standard normal number by Box and Muller 1958: sqrt(-2 log u)·cos(2πv), with u of the first two words
// and v of the last two (of one word each in f32). u is in the middle of its interval, never 0.
func normalOf(w [4]uint32, dtype string) float64 {
	u, v := (float64(w[0])+0.5)*0x1p-32, float64(w[2])*0x1p-32
	if dtype != "f32" {
		u = (float64((uint64(w[0])<<32|uint64(w[1]))>>12) + 0.5) * 0x1p-52
		v = float64((uint64(w[2])<<32|uint64(w[3]))>>11) * 0x1p-53
	}
	return math.Sqrt(-2*math.Log(u)) * math.Cos(2*math.Pi*v)
}

// random is the random number at the counter of a value.
func (p *program) random(n *node) float64 {
	seed, ok := p.m.scalars[n.v.Name]
	if !ok {
		p.m.fail(n.v.Span, "the seed %s has no value", n.v.Name)
	}
	if seed != math.Trunc(seed) || math.Abs(seed) > 1<<53 {
		p.m.fail(n.v.Span, "the seed %s is %v, which isn't whole", n.v.Name, seed)
	}
	at, key := uint64(p.wholeAt(n.args[0])), uint64(int64(seed))
	w := philox([4]uint32{uint32(at), uint32(at >> 32), uint32(n.v.Stream), 0}, [2]uint32{uint32(key), uint32(key >> 32)})
	if n.v.Op == OpUniform {
		return uniformOf(w, n.dtype)
	}
	return roundTo(n.dtype, normalOf(w, n.dtype))
}
