package runtime

import (
	"math"
	"testing"
)

// Values of closed forms: digamma at whole and half numbers, derivatives at 1 and 1/2 by zeta and powers of π.
func TestPolygamma(t *testing.T) {
	const euler, zeta3 = 0.57721566490153286, 1.2020569031595943
	for _, c := range []struct{ n, x, want float64 }{
		{0, 1, -euler}, {0, 0.5, -euler - 2*math.Ln2}, {0, 2, 1 - euler}, {0, -0.5, 0.03648997397857652},
		{0, 0, math.Inf(-1)}, {0, math.Copysign(0, -1), math.Inf(1)}, {0, -3, math.NaN()}, {0, math.Inf(1), math.Inf(1)},
		{1, 1, math.Pi * math.Pi / 6}, {1, -0.5, math.Pi*math.Pi/2 + 4}, {1, -2, math.Inf(1)}, {1, math.Inf(1), 0},
		{2, 1, -2 * zeta3}, {2, 0.5, -14 * zeta3}, {3, 0.5, math.Pow(math.Pi, 4)}, {3, -0.5, math.Pow(math.Pi, 4) + 96}, {1.5, 1, math.NaN()},
	} {
		got := Polygamma(c.n, c.x)
		if got != c.want && !(got != got && c.want != c.want) && !(math.Abs(got-c.want) <= 1e-14*math.Abs(c.want)+2e-16) {
			t.Errorf("Polygamma(%v, %v) = %v, want %v", c.n, c.x, got, c.want)
		}
	}
	if got := Polygamma(float32(1), float32(1)); math.Abs(float64(got)-math.Pi*math.Pi/6) > 1e-7 {
		t.Errorf("trigamma(1) is %v in float32", got)
	}
}
