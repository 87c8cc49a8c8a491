package runtime

import (
	"math"
	"testing"
)

// Known-answer vectors of Philox4x32-10, from kat_vectors of Random123 1.14.
func TestSeedWords(t *testing.T) {
	for _, c := range []struct {
		seed   Seed
		stream uint32
		at     int64
		want   [4]uint32
	}{
		{Seed{}, 0, 0, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{Seed{math.MaxUint64, math.MaxUint32}, 0xffffffff, -1, [4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{Seed{0x299f31d0a4093822, 0x03707344}, 0x13198a2e, -0x7a5cf72cdbc09578, [4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	} {
		if int64(int(c.at)) != c.at {
			continue // no tensor of a 32-bit machine has that many elements
		}
		if got := c.seed.words(int(c.stream), int(c.at)); got != c.want {
			t.Errorf("%v: %x, want %x", c.seed, got, c.want)
		}
	}
}

// Numbers of the next call, of another stream and of another place differ; those of equal seeds don't.
func TestSeedNumbers(t *testing.T) {
	s := NewSeed(7)
	seen := map[float64]bool{}
	for _, q := range []Seed{s, s.Next(), s.Next().Next(), NewSeed(8)} {
		for stream := range 3 {
			for at := range 100 {
				x := Uniform64(q, stream, at)
				if x < 0 || x >= 1 || seen[x] || x != Uniform64(q, stream, at) {
					t.Fatalf("%v, stream %d, number %d: %v", q, stream, at, x)
				}
				seen[x] = true
				if low := float64(Uniform32(q, stream, at)); low > x || x-low >= 0x1p-24 {
					t.Errorf("float32 has %v for %v", low, x)
				}
			}
		}
	}
}

// The mean and the variance of many normal numbers lie within five standard deviations of what they are for these.
func TestSeedNormal(t *testing.T) {
	const n = 40000
	var sum, squares float64
	for at := range n {
		x := Normal64(NewSeed(1), 0, at)
		sum += x
		squares += x * x
		if y := float64(Normal32(NewSeed(1), 0, at)); math.Abs(y-x) > 1e-4 && math.Abs(y-x) > 1e-4*math.Abs(x) {
			t.Errorf("float32 has %v for %v", y, x)
		}
	}
	if mean := sum / n; math.Abs(mean) > 5/math.Sqrt(n) {
		t.Errorf("mean %v", mean)
	}
	if v := squares / n; math.Abs(v-1) > 5*math.Sqrt2/math.Sqrt(n) {
		t.Errorf("mean square %v", v)
	}
}
