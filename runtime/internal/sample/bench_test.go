package sample

import (
	"testing"

	"github.com/opgen/opgen/runtime"
)

func vector(n int) *runtime.Tensor {
	t := runtime.Must(runtime.New(runtime.F32, n))
	v, err := runtime.Data[float32](t)
	if err != nil {
		panic(err)
	}
	for i := range v {
		v[i] = float32(i%7) - 3
	}
	return t
}

func BenchmarkIntoNone16(b *testing.B) {
	x, t, y := vector(16), vector(16), vector(16)
	at := &SmoothL1Attrs{Reduction: ReductionNone}
	b.ReportAllocs()
	for b.Loop() {
		if err := SmoothL1Into(y, x, t, at); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkIntoMean16(b *testing.B) {
	x, t := vector(16), vector(16)
	y := runtime.Must(runtime.New(runtime.F32))
	b.ReportAllocs()
	for b.Loop() {
		if err := SmoothL1Into(y, x, t, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSlice16(b *testing.B) {
	x, t, y := make([]float32, 16), make([]float32, 16), make([]float32, 16)
	b.ReportAllocs()
	for b.Loop() {
		if err := SmoothL1Slice(y, x, t, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSoftmaxInto16(b *testing.B) {
	x := runtime.Must(vector(16).Reshape(2, 8))
	y := runtime.Must(vector(16).Reshape(2, 8))
	b.ReportAllocs()
	for b.Loop() {
		if err := SoftmaxInto(y, x, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBroadcast2x8(b *testing.B) {
	x := runtime.Must(vector(16).Reshape(2, 8))
	t := vector(8)
	y := runtime.Must(vector(16).Reshape(2, 8))
	at := &SmoothL1Attrs{Reduction: ReductionNone}
	b.ReportAllocs()
	for b.Loop() {
		if err := SmoothL1Into(y, x, t, at); err != nil {
			b.Fatal(err)
		}
	}
}

// The work of the kernel alone, beside BenchmarkIntoNone16.
func BenchmarkKernel16(b *testing.B) {
	x, t, y := vector(16), vector(16), vector(16)
	var bound runtime.Bound
	if err := smoothL1None.Bind(&bound, nil, x, t, y); err != nil {
		b.Fatal(err)
	}
	v := smoothL1Values{beta: 1, reduction: ReductionNone}
	var a runtime.Args
	a.Rows, a.N, a.K = 1, 16, 1
	a.Ptr[0], a.Ptr[1], a.Ptr[2] = bound.Ptr[0], bound.Ptr[1], bound.Ptr[2]
	a.F[0], a.F[1], a.F[2] = v.beta, 0.5/v.beta, v.beta/2
	b.ReportAllocs()
	for b.Loop() {
		smoothL1Kernel1F32(&a)
	}
}

func BenchmarkInto1e6(b *testing.B) {
	x, t, y := vector(1e6), vector(1e6), vector(1e6)
	at := &SmoothL1Attrs{Reduction: ReductionNone}
	b.ReportAllocs()
	for b.Loop() {
		if err := SmoothL1Into(y, x, t, at); err != nil {
			b.Fatal(err)
		}
	}
}
