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

// Lowest terms are those of rational numbers.
func TestLowest(t *testing.T) {
	list := []int{math.MinInt, math.MinInt + 1, -12, -3, -1, 0, 1, 2, 18, math.MaxInt - 1, math.MaxInt}
	for _, n := range list {
		for _, d := range list {
			if d == 0 {
				continue
			}
			want := new(big.Rat).Quo(new(big.Rat).SetInt64(int64(n)), new(big.Rat).SetInt64(int64(d)))
			if !want.Num().IsInt64() || !want.Denom().IsInt64() {
				continue
			}
			if top, bottom := Lowest(n, d); int64(top) != want.Num().Int64() || int64(bottom) != want.Denom().Int64() {
				t.Errorf("%d/%d is %d/%d, want %v", n, d, top, bottom, want)
			}
		}
	}
}

// Powers of quotients are those of rational numbers, where ints hold numerator and denominator.
func TestPowerQuo(t *testing.T) {
	for _, n := range []int{math.MinInt, -7, -2, -1, 0, 1, 2, 3, 10, math.MaxInt} {
		for _, d := range []int{1, 2, 5, math.MaxInt} {
			for _, e := range []int{math.MinInt, -64, -63, -3, -1, 0, 1, 2, 5, 62, 63, 64, math.MaxInt} {
				top, bottom, ok := PowerQuo(n, d, e)
				if n == 0 && e < 0 {
					if bottom != 0 || !ok {
						t.Errorf("(%d/%d)^%d is %d/%d, %v", n, d, e, top, bottom, ok)
					}
					continue
				}
				if !ok {
					if m := max(magnitudeOf(n), uint(d)); n != math.MinInt && e != math.MinInt && (m == 1 || m <= 10 && e > -19 && e < 19) {
						t.Errorf("(%d/%d)^%d is held", n, d, e)
					}
					continue
				}
				x, y, k := int64(n), int64(d), int64(e)
				if e < 0 {
					x, y, k = y, x, -k
				}
				if y != 1 || x > 1 || x < -1 {
					k = min(k, 64)
				} else {
					k = k&1 + 2 // of these, parity counts
				}
				want := new(big.Rat).SetFrac(new(big.Int).Exp(big.NewInt(x), big.NewInt(k), nil), new(big.Int).Exp(big.NewInt(y), big.NewInt(k), nil))
				if got := big.NewRat(int64(top), int64(bottom)); bottom <= 0 || got.Cmp(want) != 0 && e != 0 {
					t.Errorf("(%d/%d)^%d is %d/%d, want %v", n, d, e, top, bottom, want)
				}
			}
		}
	}
}
