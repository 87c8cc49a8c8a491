package ir

import (
	"math"
	"math/big"
)

// floatLimits are the greatest finite number and the distance from 1 to the next number of the float dtypes.
var floatLimits = map[string]struct{ highest, epsilon float64 }{
	"f16":  {65504, 0x1p-10},
	"bf16": {0x1.fep127, 0x1p-7},
	"f32":  {math.MaxFloat32, 0x1p-23},
	"f64":  {math.MaxFloat64, 0x1p-52},
}

// LimitOf is the value of OpLowest, OpHighest or OpEpsilon for a float dtype; ok is false for others.
func LimitOf(op Op, dtype string) (x float64, ok bool) {
	f, ok := floatLimits[dtype]
	switch op {
	case OpLowest:
		return -f.highest, ok
	case OpEpsilon:
		return f.epsilon, ok
	}
	return f.highest, ok
}

// IntRange is the range of an integer dtype; ok is false for others.
func IntRange(dtype string) (lo, hi *big.Rat, ok bool) {
	n := intBits[dtype]
	if n == 0 {
		return nil, nil, false
	}
	power := func(k int) *big.Rat { return new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(k))) }
	lo, hi = new(big.Rat), power(max(n, -n-1))
	if n < 0 {
		lo.Neg(hi)
	}
	return lo, hi.Sub(hi, big.NewRat(1, 1)), true
}

// limit is the value of a limit of any dtype.
func limit(op Op, dtype string) cell {
	if x, ok := LimitOf(op, dtype); ok {
		return cell{f: x}
	}
	n := intBits[dtype]
	lo, hi := int64(0), int64(-1)
	if n < 0 {
		lo, hi = math.MinInt64>>(64+n), math.MaxInt64>>(64+n)
	} else {
		hi = 1<<n - 1
	}
	if op == OpLowest {
		return cell{n: number{i: lo}}
	}
	return cell{n: number{i: hi}}
}
