package nest

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// float32s draws floats with exponents close to each other, where roundings meet, and any others.
func float32s(t *rapid.T, name string) float32 {
	bits := rapid.Uint32().Draw(t, name)
	switch rapid.IntRange(0, 3).Draw(t, name+" kind") {
	case 0: // few bits
		bits &^= 0xfff
	case 1: // around 1
		bits = bits&0x80ffffff | 0x3f000000
	case 2: // tiny
		bits = bits&0x81ffffff | 0x0a000000
	}
	return math.Float32frombits(bits)
}

func TestFma32(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := float32s(t, "a"), float32s(t, "b"), float32s(t, "c")
		got := fma32(a, b, c)
		if x := float64(a)*float64(b) + float64(c); math.IsNaN(x) || math.IsInf(x, 0) {
			if float32(x) != got && !(x != x && got != got) {
				t.Fatalf("fma(%v, %v, %v) = %v, want %v", a, b, c, got, x)
			}
			return
		}
		exact := new(big.Float).SetPrec(700).SetFloat64(float64(a) * float64(b))
		exact.Add(exact, new(big.Float).SetFloat64(float64(c)))
		if want, _ := exact.Float32(); got != want {
			t.Fatalf("fma(%v, %v, %v) = %v, want %v", a, b, c, got, want)
		}
	})
}

// TestFma32DoubleRounding has a case in which the sum rounded to float64 is halfway between two float32.
func TestFma32DoubleRounding(t *testing.T) {
	a, b, c := float32(1+0x1p-12), float32(1-0x1p-12), float32(0x1p24+2)
	// a*b = 1 - 2^-24: the sum lies just below the middle of c and c+2.
	if got := fma32(a, b, c); got != c {
		t.Errorf("got %v, want %v", got, c)
	}
	// And just beyond the middle of -c and -c+2.
	if got := fma32(a, b, -c); got != -c {
		t.Errorf("got %v, want %v", got, -c)
	}
	a, b, c = (1-0x1p-23)*0x1p-75, (1+0x1p-23)*0x1p-75, 0x1p-127+0x1p-149
	if got := fma32(a, b, c); got != c {
		t.Errorf("subnormal: got %v, want %v", got, c)
	}
}

func TestMaxMin(t *testing.T) {
	nan, zero, minus := math.NaN(), 0.0, math.Copysign(0, -1)
	for _, c := range []struct{ a, b, max, min float64 }{
		{1, 2, 2, 1}, {2, 1, 2, 1}, {nan, 1, nan, nan}, {1, nan, nan, nan}, {zero, minus, minus, minus}, {minus, zero, zero, zero},
		{math.Inf(-1), nan, nan, nan}, {math.Inf(1), 1, math.Inf(1), 1},
	} {
		same := func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b }
		if got := maxNaN(c.a, c.b); !same(got, c.max) {
			t.Errorf("max(%v, %v) = %v", c.a, c.b, got)
		}
		if got := minNaN(c.a, c.b); !same(got, c.min) {
			t.Errorf("min(%v, %v) = %v", c.a, c.b, got)
		}
	}
}
