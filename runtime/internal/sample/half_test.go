package sample

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/opgen/opgen/runtime"
)

// halves draws a tensor of half precision and the same numbers as float32, both expanded, transposed or cut alike.
func halves(r *rapid.T, d runtime.DType, shape ...int) (half, single *runtime.Tensor) {
	n := 1
	for _, e := range shape {
		n *= e
	}
	half = runtime.Must(runtime.FromFloats(d, drawFloats(r, n), shape...))
	single = runtime.Must(runtime.FromFloats(runtime.F32, runtime.Must(half.Floats()), shape...))
	if len(shape) == 2 && rapid.Bool().Draw(r, "transposed") {
		flip := func(x *runtime.Tensor) *runtime.Tensor {
			x = runtime.Must(x.Transpose(0, 1)).Clone()
			return runtime.Must(x.Transpose(0, 1))
		}
		half, single = flip(half), flip(single)
	}
	return half, single
}

// rounded is numbers of float32 as those of a half-precision dtype.
func rounded(d runtime.DType, x *runtime.Tensor) []float64 {
	return runtime.Must(runtime.Must(runtime.FromFloats(d, runtime.Must(x.Floats()), x.Shape()...)).Floats())
}

// next is numbers of float32, each replaced by its neighbour towards an infinity.
func next(x *runtime.Tensor, sign int) *runtime.Tensor {
	v := runtime.Must(runtime.Values[float32](x))
	for i := range v {
		v[i] = math.Nextafter32(v[i], float32(math.Inf(sign)))
	}
	return runtime.Must(runtime.FromSlice(v, x.Shape()...))
}

// Half precision gives what float32 gives, rounded once; gradients have the dtype of their inputs.
func TestHalf(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := rapid.SampledFrom([]runtime.DType{runtime.F16, runtime.BF16}).Draw(r, "dtype")
		rows, n := rapid.IntRange(0, 4).Draw(r, "rows"), rapid.IntRange(0, 70).Draw(r, "n")
		attrs := &SmoothL1Attrs{Reduction: rapid.SampledFrom([]Reduction{0, ReductionNone, ReductionMean, ReductionSum}).Draw(r, "reduction")}
		x, x32 := halves(r, d, rows, n)
		u, u32 := halves(r, d, rapid.SampledFrom([]int{1, n}).Draw(r, "of u"))
		for _, v := range []*runtime.Tensor{x, x32, u, u32} {
			if err := v.RequireGrad(); err != nil {
				r.Fatal(err)
			}
		}
		y, y32 := runtime.Must(SmoothL1(x, u, attrs)), runtime.Must(SmoothL1(x32, u32, attrs))
		check := func(what string, got, want *runtime.Tensor) {
			if (got == nil) != (want == nil) {
				r.Fatalf("%s: %v, want %v", what, got, want)
			}
			if got == nil {
				return
			}
			if got.DType() != d {
				r.Fatalf("%s is %v", what, got.DType())
			}
			// A sum of float64 that is rounded once may be the neighbour of one that is rounded to float32 first.
			g, w := runtime.Must(got.Floats()), rounded(d, want)
			below, above := rounded(d, next(want, -1)), rounded(d, next(want, 1))
			for i := range w {
				if g[i] != w[i] && g[i] != below[i] && g[i] != above[i] && w[i] == w[i] {
					r.Fatalf("%s: element %d is %v, want %v", what, i, g[i], w[i])
				}
			}
		}
		check("result", y, y32)
		into := runtime.Must(runtime.New(d, y.Shape()...))
		if err := SmoothL1Into(into, x.Detach(), u.Detach(), attrs); err != nil {
			r.Fatal(err)
		}
		check("result of Into", into, y32)
		c, c32 := halves(r, d, y.Shape()...)
		if err := y.BackwardWith(c); err != nil {
			r.Fatal(err)
		}
		if err := y32.BackwardWith(c32); err != nil {
			r.Fatal(err)
		}
		check("gradient of x", x.Grad(), x32.Grad())
		check("gradient of u", u.Grad(), u32.Grad())
	})
}

// Slices of half precision are converted on their way, in place too.
func TestHalfSlices(t *testing.T) {
	x, u := make([]runtime.Float16, 100), make([]runtime.Float16, 100)
	want := make([]float32, 100)
	for i := range x {
		x[i], u[i] = runtime.ToFloat16(float32(i)/7), runtime.ToFloat16(float32(100-i)/9)
	}
	x32, u32 := make([]float32, 100), make([]float32, 100)
	for i := range x {
		x32[i], u32[i] = x[i].Float32(), u[i].Float32()
	}
	attrs := &SmoothL1Attrs{Reduction: ReductionNone}
	if err := SmoothL1Slice(want, x32, u32, attrs); err != nil {
		t.Fatal(err)
	}
	if err := SmoothL1Slice(x, x, u, attrs); err != nil { // in place
		t.Fatal(err)
	}
	for i := range x {
		if x[i] != runtime.ToFloat16(want[i]) {
			t.Fatalf("element %d is %v, want %v", i, x[i], want[i])
		}
	}
	if err := SmoothL1Slice(x[:50], x, u, attrs); err == nil {
		t.Error("slices of two lengths")
	}
}
