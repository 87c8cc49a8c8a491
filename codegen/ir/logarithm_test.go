package ir

import (
	"math"
	"testing"
)

func TestLogarithmOfSubnormals(t *testing.T) {
	for e := -1074; e <= -1020; e++ {
		got, want := natural(math.Ldexp(1, e)), float64(e)*math.Ln2
		if math.Abs(got-want) > 4e-16*-want {
			t.Errorf("log(2^%d) = %v, want %v", e, got, want)
		}
	}
	if !math.IsInf(natural(0), -1) || !math.IsNaN(natural(-0x1p-1074)) || natural(1) != 0 {
		t.Error("log of 0, of a negative number or of 1 is wrong")
	}
}
