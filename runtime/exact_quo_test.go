package runtime

import (
	"math"
	"math/big"
	"testing"
)

// Quotients are compared as rational numbers, also of the least int, whose opposite is none.
func TestCompareQuoEnds(t *testing.T) {
	list := []int{math.MinInt, math.MinInt + 1, -3, -2, -1, 0, 1, 2, 3, math.MaxInt - 1, math.MaxInt}
	quo := func(x, d int) *big.Rat {
		return new(big.Rat).Quo(new(big.Rat).SetInt64(int64(x)), new(big.Rat).SetInt64(int64(d)))
	}
	for _, x := range list {
		for _, d := range list {
			for _, y := range list {
				for _, e := range list {
					if d == 0 || e == 0 {
						continue
					}
					if got, want := CompareQuo(x, d, y, e), quo(x, d).Cmp(quo(y, e)); got != want {
						t.Fatalf("%d/%d and %d/%d: %d, want %d", x, d, y, e, got, want)
					}
				}
			}
		}
	}
}
