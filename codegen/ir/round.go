package ir

import "math"

// Rounded is x as a tensor of a dtype holds it.
func Rounded(dtype string, x float64) float64 { return roundTo(dtype, x) }

// roundTo rounds a float to the dtype of a stored element.
func roundTo(dtype string, x float64) float64 {
	switch dtype {
	case "f32":
		return float64(float32(x))
	case "f16":
		return roundBits(x, 11, -14, 65504)
	case "bf16":
		return roundBits(x, 8, -126, 0x1.fep127)
	}
	return x
}

// computeIn is the dtype that elements of a float dtype are computed in.
func computeIn(dtype string) string {
	if dtype == "f16" || dtype == "bf16" {
		return "f32"
	}
	return dtype
}

// roundBits rounds to a binary format with the given bits of precision, smallest normal exponent and greatest number,
// to nearest even.
func roundBits(x float64, precision, minExp int, greatest float64) float64 {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return x
	}
	_, e := math.Frexp(x) // |x| is in [2^(e-1), 2^e)
	ulp := math.Ldexp(1, max(e-1, minExp)-precision+1)
	r := math.RoundToEven(x/ulp) * ulp
	if math.Abs(r) > greatest {
		return math.Inf(int(math.Copysign(1, x)))
	}
	return r
}

// intBits are the sizes of the integer dtypes; negative: signed.
var intBits = map[string]int{"i8": -8, "i16": -16, "i32": -32, "i64": -64, "u8": 8, "u16": 16, "u32": 32, "u64": 64}

// wrap reduces an integer to the range of its dtype, as the machine does. That of u64 has its bits.
func wrap(dtype string, x int64) int64 {
	switch intBits[dtype] {
	case -8:
		return int64(int8(x))
	case -16:
		return int64(int16(x))
	case -32:
		return int64(int32(x))
	case 8:
		return int64(uint8(x))
	case 16:
		return int64(uint16(x))
	case 32:
		return int64(uint32(x))
	}
	return x
}

// saturate converts a float to an integer dtype: towards zero, to the nearest end of the range, NaN to 0.
func saturate(dtype string, x float64) int64 {
	if x != x {
		return 0
	}
	x = math.Trunc(x)
	n := intBits[dtype]
	lo, hi := 0.0, math.Ldexp(1, n)
	if n < 0 {
		hi = math.Ldexp(1, -n-1)
		lo = -hi
	}
	switch {
	case x <= lo:
		return int64(lo)
	case x >= hi && n == -64:
		return math.MaxInt64
	case n == 64:
		if x >= hi {
			return -1 // all bits
		}
		return int64(uint64(x))
	case x >= hi:
		return int64(hi) - 1
	}
	return int64(x)
}

// integerOf is an element of an integer dtype as it is kept: of u64, its bits.
func integerOf(dtype string, x float64) int64 {
	if n := intBits[dtype]; n == 64 || n == -64 {
		return saturate(dtype, x)
	}
	return wrap(dtype, int64(x))
}

// elementOf is an integer as an element.
func elementOf(dtype string, i int64) float64 {
	if dtype == "u64" {
		return float64(uint64(i))
	}
	return float64(i)
}

// Holds tells whether a number is one of a dtype; of bool, 0 and 1 are.
func Holds(dtype string, x float64) bool {
	switch dtypes[dtype] {
	case ClassInt:
		return x == math.Trunc(x) && elementOf(dtype, integerOf(dtype, x)) == x
	case ClassBool:
		return x == 0 || x == 1
	}
	return x != x || roundTo(dtype, x) == x
}
