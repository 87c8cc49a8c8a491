package ir

import (
	"math"
	"testing"
)

// Known-answer vectors of Philox4x32-10, from kat_vectors of Random123 1.14.
func TestPhilox(t *testing.T) {
	for _, c := range []struct {
		counter [4]uint32
		key     [2]uint32
		want    [4]uint32
	}{
		{[4]uint32{}, [2]uint32{}, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{[4]uint32{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, [2]uint32{0xffffffff, 0xffffffff},
			[4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]uint32{0xa4093822, 0x299f31d0},
			[4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	} {
		if got := philox(c.counter, c.key); got != c.want {
			t.Errorf("philox(%x, %x) = %x, want %x", c.counter, c.key, got, c.want)
		}
	}
}

// The moments of many numbers are those of the distributions.
func TestRandomMoments(t *testing.T) {
	const n = 200000
	for _, dtype := range []string{"f32", "f64"} {
		for name, f := range map[string]struct {
			of                       func([4]uint32, string) float64
			mean, variance, kurtosis float64
		}{"uniform": {uniformOf, 0.5, 1. / 12, 1.8}, "normal": {normalOf, 0, 1, 3}} {
			sum, sq, fourth := 0.0, 0.0, 0.0
			for i := range uint32(n) {
				x := f.of(philox([4]uint32{i, 0, 3, 0}, [2]uint32{42, 7}), dtype)
				sum += x
				d := x - f.mean
				sq += d * d
				fourth += d * d * d * d
			}
			sum, sq, fourth = sum/n, sq/n, fourth/n
			if math.Abs(sum-f.mean) > 0.01 || math.Abs(sq-f.variance) > 0.02 || math.Abs(fourth/sq/sq-f.kurtosis) > 0.1 {
				t.Errorf("%s in %s: mean %v, variance %v, kurtosis %v", name, dtype, sum, sq, fourth/sq/sq)
			}
		}
	}
}

// Values of Wolfram's and of Abramowitz and Stegun's tables.
func TestPolygamma(t *testing.T) {
	const euler = 0.57721566490153286
	zeta3 := 1.2020569031595943
	for _, c := range []struct{ n, x, want float64 }{
		{0, 1, -euler}, {0, 0.5, -euler - 2*math.Ln2}, {0, 2, 1 - euler}, {0, 1e6, 13.815510057964191}, {0, -0.5, 0.03648997397857652},
		{0, 0, math.Inf(-1)}, {0, math.Copysign(0, -1), math.Inf(1)}, {0, -3, math.NaN()}, {0, math.Inf(1), math.Inf(1)},
		{0, math.Inf(-1), math.NaN()}, {1, 1, math.Pi * math.Pi / 6}, {1, 0.5, math.Pi * math.Pi / 2}, {1, -0.5, math.Pi*math.Pi/2 + 4},
		{1, 0, math.Inf(1)}, {1, -2, math.Inf(1)}, {2, 1, -2 * zeta3}, {2, 0.5, -14 * zeta3}, {3, 1, math.Pow(math.Pi, 4) / 15},
		{3, 0.5, math.Pow(math.Pi, 4)}, {3, -0.5, math.Pow(math.Pi, 4) + 96}, {4, 1, -24 * 1.0369277551433699}, {1, math.Inf(1), 0},
		{1.5, 1, math.NaN()}, {-1, 1, math.NaN()},
	} {
		got := polygamma(c.n, c.x)
		if got != c.want && !(got != got && c.want != c.want) && !(math.Abs(got-c.want) <= 1e-14*math.Abs(c.want)+2e-16) {
			t.Errorf("polygamma(%v, %v) = %v, want %v", c.n, c.x, got, c.want)
		}
	}
	// Each is the derivative of the one before, on both sides of the seams at 1/2 and at the shift.
	for n := range 6 {
		for _, x := range []float64{-2.3, -0.1, 0.2, 0.4999, 0.5001, 1.4616, 3, 9.9, 10.1, 15, 40} {
			const h = 1e-3
			o := float64(n)
			d := func(h float64) float64 { return (polygamma(o, x+h) - polygamma(o, x-h)) / (2 * h) }
			want := (4*d(h/2) - d(h)) / 3
			if got := polygamma(o+1, x); math.Abs(got-want) > 1e-6*math.Abs(want) {
				t.Errorf("polygamma(%d, %v) = %v, differences give %v", n+1, x, got, want)
			}
		}
	}
}

// The values at the edges of domains.
func TestSpecialValues(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"log2(8)", log2(8), 3}, {"log2(0x1p-1074)", log2(0x1p-1074), -1074}, {"log2(0)", log2(0), -inf}, {"log2(-1)", log2(-1), nan},
		{"log10(1000)", log10(1000), 3}, {"log10(1e22)", log10(1e22), 22}, {"log10(0)", log10(0), -inf}, {"log10(inf)", log10(inf), inf},
		{"asin(1)", asin(1), math.Pi / 2}, {"asin(-0)", asin(zero), zero}, {"asin(2)", asin(2), nan},
		{"acos(1)", acos(1), 0}, {"acos(-1)", acos(-1), math.Pi}, {"acos(0)", acos(0), math.Pi / 2}, {"acos(-2)", acos(-2), nan},
		{"sinh(-0)", sinh(zero), zero}, {"sinh(710)", sinh(710), 1.1169973830808557e308}, {"sinh(-inf)", sinh(-inf), -inf}, {"sinh(nan)", sinh(nan), nan},
		{"cosh(0)", cosh(0), 1}, {"cosh(-710)", cosh(-710), 1.1169973830808557e308}, {"cosh(-inf)", cosh(-inf), inf},
		{"lgamma(0)", lgamma(0), inf}, {"lgamma(-1)", lgamma(-1), inf}, {"lgamma(-inf)", lgamma(-inf), inf}, {"lgamma(1)", lgamma(1), 0},
		{"xlogy(0, 0)", xlogy(0, 0), 0}, {"xlogy(0, inf)", xlogy(0, inf), 0}, {"xlogy(0, nan)", xlogy(0, nan), nan}, {"xlogy(2, 0)", xlogy(2, 0), -inf},
		{"logaddexp(inf, inf)", logaddexp(inf, inf), inf}, {"logaddexp(-inf, -inf)", logaddexp(-inf, -inf), -inf},
		{"logaddexp(-inf, 3)", logaddexp(-inf, 3), 3}, {"logaddexp(0, 0)", logaddexp(0, 0), math.Ln2}, {"logaddexp(nan, 0)", logaddexp(nan, 0), nan},
		{"logaddexp(inf, -inf)", logaddexp(inf, -inf), inf},
	} {
		if math.Float64bits(c.got) != math.Float64bits(c.want) && !(c.got != c.got && c.want != c.want) && math.Abs(c.got-c.want) > 1e-15*math.Abs(c.want) {
			t.Errorf("%s = %v, want %v", c.name, c.got, c.want)
		}
	}
}

// Limits are those of the dtype that is stored, also where f16 computes as f32.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		op    Op
		dtype string
		want  float64
	}{
		{OpHighest, "f16", 65504}, {OpLowest, "f32", -math.MaxFloat32}, {OpEpsilon, "f64", 0x1p-52}, {OpEpsilon, "bf16", 0x1p-7},
	} {
		if got := limit(c.op, c.dtype); got.f != c.want {
			t.Errorf("%v of %s is %v, want %v", c.op, c.dtype, got.f, c.want)
		}
	}
	for dtype, want := range map[string][2]int64{"i8": {-128, 127}, "u8": {0, 255}, "i32": {math.MinInt32, math.MaxInt32},
		"u32": {0, math.MaxUint32}, "i64": {math.MinInt64, math.MaxInt64}} {
		if lo, hi := limit(OpLowest, dtype).n.i, limit(OpHighest, dtype).n.i; lo != want[0] || hi != want[1] {
			t.Errorf("%s is from %d to %d", dtype, lo, hi)
		}
	}
}
