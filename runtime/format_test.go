package runtime

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestString(t *testing.T) {
	gone := Scalar(2.0)
	gone.Release()
	half := ToFloat16
	for _, c := range []struct {
		t    *Tensor
		want string
	}{
		{nil, "nil"},
		{gone, "f64[] (released)"},
		{Scalar[int64](math.MaxInt64), "i64[] 9223372036854775807"},
		{Scalar[uint64](math.MaxUint64), "u64[] 18446744073709551615"},
		{Scalar[int32](-7), "i32[] -7"},
		{Scalar(1.0 / 3), "f64[] 0.3333333333333333"},
		{Scalar(1e300), "f64[] 1e+300"},
		{Scalar(half(0.1)), "f16[] 0.1"},
		{Scalar(math.NaN()), "f64[] NaN"},
		{Must(New(F64, 2, 0)), "f64[2 0] []"},
		{Must(New(Bool, 0)), "bool[0] []"},
		{Must(FromSlice([]bool{true, false}, 2)), "bool[2] [true false]"},
		{counting(F64, 0, 10), "f64[10] [0 1 2 … 7 8 9]"},
		{Must(counting(F64, 0, 3).Flip()), "f64[3] [2 1 0]"},
		{Must(FromSlice([]float32{0.1, 2, 3, -4}, 2, 2)), "f32[2 2]\n[[ 0.1  2.0]\n [ 3.0 -4.0]]"},
		{Must(FromSlice([]Float16{half(0.1), half(1000), half(-2.5), 0}, 2, 2)), "f16[2 2]\n[[   0.1 1000.0]\n [  -2.5    0.0]]"},
		{Must(FromSlice([]BFloat16{ToBFloat16(0.1), ToBFloat16(3)}, 2)), "bf16[2] [0.1 3.0]"},
		{Must(FromSlice([]float64{1.0 / 3, 2, math.NaN(), math.Inf(1), math.Inf(-1), 0}, 2, 3)),
			"f64[2 3]\n[[0.333333 2.000000      NaN]\n [     Inf     -Inf 0.000000]]"},
		{Must(FromSlice([]float64{0.5, 2e9}, 1, 2)), "f64[1 2]\n[[5e-01 2e+09]]"},
		{Must(FromSlice([]float64{1e-20, 0}, 2)), "f64[2] [1e-20 0e+00]"},
		{counting(U8, 8, 2, 1, 2), "u8[2 1 2]\n[[[ 8  9]]\n\n [[10 11]]]"},
		{counting(U8, 1, 2, 1, 2, 1), "u8[2 1 2 1]\n[[[[1]\n   [2]]]\n\n [[[3]\n   [4]]]]"},
		{Must(New(F32, 9, 9)), "f32[9 9]\n" + strings.Repeat("x[0 0 0 … 0 0 0]\n ", 3) + "…\n" + strings.Repeat(" [0 0 0 … 0 0 0]\n", 2) + " [0 0 0 … 0 0 0]]"},
	} {
		want := strings.Replace(strings.ReplaceAll(c.want, "x[", "["), "f32[9 9]\n[", "f32[9 9]\n[[", 1)
		if got := c.t.String(); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	x := Must(FromSlice([]float64{1.0 / 3, 200.0 / 3, 5}, 3))
	if got := fmt.Sprintf("%.2v", x); got != "f64[3] [0.33 66.67 5.00]" {
		t.Errorf("with a precision: %s", got)
	}
	for _, c := range []struct{ near, exact []float64 }{
		{[]float64{0.99999997, 2.00000001}, []float64{1, 2}},
		{[]float64{-1e-9, 0.49999999}, []float64{0, 0.5}}, // no minus, no exponent
		{[]float64{0.2500001, 1e-12}, []float64{0.25, 0}},
		{[]float64{1.00000001e-7}, []float64{1e-7}},
		{[]float64{9.9999999e8, math.NaN()}, []float64{1e9, math.NaN()}},
	} {
		a, b := Must(FromSlice(c.near, len(c.near))), Must(FromSlice(c.exact, len(c.exact)))
		if got, want := fmt.Sprintf("%.4v", a), b.String(); got != want {
			t.Errorf("rounded: %s, want %s", got, want)
		}
	}
	if got := fmt.Sprintf("%.4v", Scalar(float32(1)/3)); got != "f32[] 0.3333" {
		t.Errorf("a single element, rounded: %s", got)
	}
	if got := fmt.Sprintf("%d", x); got != "%!d(tensor f64[3])" {
		t.Errorf("with another verb: %s", got)
	}
}

// Text stays short, whatever the shape, as long as the elements are not few.
func TestStringOfLargeTensors(t *testing.T) {
	one := Scalar[int8](1)
	for _, shape := range [][]int{{1 << 26}, {1 << 13, 1 << 13}, {3, 3, 3, 3, 3, 3, 3, 3}, {10, 10, 10, 10, 10, 10, 10, 10}, {1, 1, 1, 1, 1, 1, 1, 1 << 20}} {
		if s := Must(one.Expand(shape...)).String(); len(s) > 20000 || !strings.Contains(s, "…") {
			t.Errorf("%v has a text of %d bytes", shape, len(s))
		}
	}
}
