package runtime

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// exactFMA rounds x*y + z once, by arithmetic without rounding.
func exactFMA(x, y, z float32) float32 {
	wide := func(v float32) *big.Float { return new(big.Float).SetPrec(2000).SetFloat64(float64(v)) }
	s := new(big.Float).SetPrec(2000).Mul(wide(x), wide(y))
	s.Add(s, wide(z))
	if s.Sign() == 0 {
		return float32(float64(x)*float64(y) + float64(z)) // the sign of zero
	}
	f, _ := s.Float32()
	return f
}

// sparse is a number of which an eighth of the bits are set.
func sparse(r *rand.Rand) uint32 {
	x := r.Uint32()
	for range 2 {
		x &= r.Uint32()
	}
	return x
}

func TestFMA32(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	near := func(exponent int) float32 { // a float32 with few bits set, near 2^exponent
		m := uint32(1)<<23 | sparse(r)&(1<<23-1)
		f := float32(math.Ldexp(float64(m), exponent-23))
		if r.IntN(2) == 0 {
			return -f
		}
		return f
	}
	finite := func() float32 {
		for {
			if f := math.Float32frombits(r.Uint32()); !math.IsInf(float64(f), 0) && f == f {
				return f
			}
		}
	}
	check := func(x, y, z float32) {
		got, want := FMA32(x, y, z), exactFMA(x, y, z)
		if math.Float32bits(got) != math.Float32bits(want) {
			t.Fatalf("FMA32(%x, %x, %x) = %x, want %x", x, y, z, got, want)
		}
	}
	for range 100_000 {
		check(finite(), finite(), finite())
		// Half-way cases: the product reaches just below the last bit of z, or z just below that of the product.
		e := r.IntN(250) - 145
		check(near(e/2), near(e-e/2), near(e+22+r.IntN(30)))
		check(near(e/2), near(e-e/2), near(e-22-r.IntN(30)))
	}
	// Half-way between two subnormals, where the product decides.
	check(float32(math.Ldexp(1+1.0/(1<<23), -75)), float32(math.Ldexp(1, -75)), float32(math.Ldexp(1, -127)))
	check(float32(math.Ldexp(1-1.0/(1<<23), -75)), float32(math.Ldexp(1, -75)), float32(math.Ldexp(1, -127)))
}

func TestFMA32Special(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range []struct{ x, y, z, want float32 }{
		{inf, 1, 1, inf}, {inf, 0, 1, nan}, {inf, 1, -inf, nan}, {nan, 1, 1, nan}, {1, 1, nan, nan}, {1, 1, -inf, -inf},
		{math.MaxFloat32, 2, 0, inf}, {math.MaxFloat32, 2, -math.MaxFloat32, math.MaxFloat32},
	} {
		if got := FMA32(c.x, c.y, c.z); math.Float32bits(got) != math.Float32bits(c.want) && !(got != got && c.want != c.want) {
			t.Errorf("FMA32(%v, %v, %v) = %v, want %v", c.x, c.y, c.z, got, c.want)
		}
	}
}

func TestLanes(t *testing.T) {
	nan := math.NaN()
	if got := LaneMax([]float64{1, nan, 3, 2}); got == got {
		t.Errorf("maximum with NaN: %v", got)
	}
	if got := LaneMin([]float64{1, 4, nan, 2}); got == got {
		t.Errorf("minimum with NaN: %v", got)
	}
	if got := LaneMax([]float64{1, 5, 3, 2}); got != 5 {
		t.Errorf("maximum: %v", got)
	}
	// Pairs are one half apart.
	if got := LaneSum([]float32{1 << 24, 1, -(1 << 24), 1}); got != 2 {
		t.Errorf("sum: %v", got)
	}
	if got := LaneProd([]float32{2, 3, 4, 5}); got != 120 {
		t.Errorf("product: %v", got)
	}
}
