package runtime

import (
	"math"
	"strconv"
)

// Float16 is an IEEE 754 binary16 number: 1 bit of sign, 5 of exponent, 10 of significand.
type Float16 uint16

// BFloat16 is the upper half of a float32: 1 bit of sign, 8 of exponent, 7 of significand.
type BFloat16 uint16

// ToFloat16 is x rounded to the nearest number, the even one of two. What is too great becomes infinite; NaN stays NaN,
// quiet, with the upper bits of its payload.
func ToFloat16(x float32) Float16 {
	b := math.Float32bits(x)
	sign := Float16(b >> 16 & 0x8000)
	b &= 0x7fffffff
	switch {
	case b > 0x7f800000:
		return sign | 0x7e00 | Float16(b>>13&0x3ff)
	case b >= 0x477ff000: // 65520 and above
		return sign | 0x7c00
	case b < 0x38800000: // below 2^-14: multiples of 2^-24, of which the sum with 1/2 keeps as many bits
		return sign | Float16(math.Float32bits(math.Float32frombits(b)+0.5)-0x3f000000)
	}
	b += 0xfff + b>>13&1 // half, the odd ones more
	return sign | Float16(b>>13-112<<10)
}

// Float32 is the same number as a float32.
func (h Float16) Float32() float32 {
	sign, b := uint32(h&0x8000)<<16, uint32(h&0x7fff)
	switch {
	case b >= 0x7c00:
		if b > 0x7c00 {
			b |= 0x200
		}
		return math.Float32frombits(sign | 0x7f800000 | b&0x3ff<<13)
	case b < 0x400: // subnormal: an exact product
		return math.Float32frombits(sign | math.Float32bits(float32(b)*0x1p-24))
	}
	return math.Float32frombits(sign | b<<13 + 112<<23)
}

// String is the shortest decimal that gives the same number.
func (h Float16) String() string {
	return shortest(h.Float32(), func(x float32) bool { return ToFloat16(x) == h })
}

// ToBFloat16 is x rounded to the nearest number, the even one of two. What is too great becomes infinite; NaN stays NaN,
// quiet, with the upper bits of its payload.
func ToBFloat16(x float32) BFloat16 {
	b := math.Float32bits(x)
	if b&0x7fffffff > 0x7f800000 {
		return BFloat16(b>>16 | 0x40)
	}
	return BFloat16((b + 0x7fff + b>>16&1) >> 16)
}

// Float32 is the same number as a float32.
func (h BFloat16) Float32() float32 { return math.Float32frombits(uint32(h) << 16) }

// String is the shortest decimal that gives the same number.
func (h BFloat16) String() string {
	return shortest(h.Float32(), func(x float32) bool { return ToBFloat16(x) == h })
}

// shortest is x in as few digits as tell it from others.
func shortest(x float32, same func(float32) bool) string {
	for digits := 1; digits < 6; digits++ {
		s := strconv.FormatFloat(float64(x), 'g', digits, 32)
		if y, err := strconv.ParseFloat(s, 32); err == nil && same(float32(y)) {
			return strconv.FormatFloat(y, 'g', -1, 32)
		}
	}
	return strconv.FormatFloat(float64(x), 'g', -1, 32)
}

// roundHalf is x rounded once to a half-precision dtype.
func roundHalf(d DType, x float64) uint16 {
	y := float32(x)
	if float64(y) != x && y == y && !math.IsInf(float64(y), 0) {
		// The first rounding must not decide a tie of the second: go to the neighbour with an odd last bit.
		b := math.Float32bits(y)
		if b&1 == 0 {
			if math.Abs(float64(y)) < math.Abs(x) {
				b++
			} else {
				b--
			}
		}
		y = math.Float32frombits(b)
	}
	if d == F16 {
		return uint16(ToFloat16(y))
	}
	return uint16(ToBFloat16(y))
}
