package ir

import "math"

// natural is the natural logarithm, also of subnormal numbers: math.Log of amd64 takes these for normal ones.
func natural(x float64) float64 {
	if 0 < x && x < 0x1p-1022 {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}
