package sample

import (
	"math"
	"unsafe"

	"github.com/opgen/opgen/runtime"
)

var (
	smoothL1Plan1F32 = runtime.Plan{Name: importPath + ".smoothL1Kernel1F32", Lanes: true, Stream: true, Operands: []runtime.Operand{
		{DType: runtime.F32}, {DType: runtime.F32}, {DType: runtime.F32, Use: runtime.Writes}}}
	smoothL1Plan1F64 = runtime.Plan{Name: importPath + ".smoothL1Kernel1F64", Lanes: true, Stream: true, Operands: []runtime.Operand{
		{DType: runtime.F64}, {DType: runtime.F64}, {DType: runtime.F64, Use: runtime.Writes}}}
	smoothL1Plan2F32 = runtime.Plan{Name: importPath + ".smoothL1Kernel2F32", Lanes: true, Operands: []runtime.Operand{
		{DType: runtime.F32}, {DType: runtime.F32}, {DType: runtime.F32, Use: runtime.Acc, Monoid: runtime.SumOf}}}
	smoothL1Plan2F64 = runtime.Plan{Name: importPath + ".smoothL1Kernel2F64", Lanes: true, Operands: []runtime.Operand{
		{DType: runtime.F64}, {DType: runtime.F64}, {DType: runtime.F64, Use: runtime.Acc, Monoid: runtime.SumOf}}}
	smoothL1Plan4F32 = runtime.Plan{Name: importPath + ".smoothL1Kernel4F32", Lanes: true, Stream: true, Operands: []runtime.Operand{
		{DType: runtime.F32}, {DType: runtime.F32}, {DType: runtime.F32}, {DType: runtime.F32, Use: runtime.Writes}, {DType: runtime.F32, Use: runtime.Writes}}}
	smoothL1Plan4F64 = runtime.Plan{Name: importPath + ".smoothL1Kernel4F64", Lanes: true, Stream: true, Operands: []runtime.Operand{
		{DType: runtime.F64}, {DType: runtime.F64}, {DType: runtime.F64}, {DType: runtime.F64, Use: runtime.Writes}, {DType: runtime.F64, Use: runtime.Writes}}}
)

// Kernels of one dtype. Where there is assembly, these choose by runtime.Path.

func smoothL1Kernel1F32(a *runtime.Args) { smoothL1Forward[float32](a) }
func smoothL1Kernel1F64(a *runtime.Args) { smoothL1Forward[float64](a) }
func smoothL1Kernel2F32(a *runtime.Args) { smoothL1Sum[float32](a) }
func smoothL1Kernel2F64(a *runtime.Args) { smoothL1Sum[float64](a) }
func smoothL1Kernel3F32(a *runtime.Args) { smoothL1Divide[float32](a) }
func smoothL1Kernel3F64(a *runtime.Args) { smoothL1Divide[float64](a) }
func smoothL1Kernel4F32(a *runtime.Args) { smoothL1Gradients[float32](a) }
func smoothL1Kernel4F64(a *runtime.Args) { smoothL1Gradients[float64](a) }

// abs is |x|.
func abs[T float32 | float64](x T) T { return T(math.Abs(float64(x))) }

// smoothL1Value is the loss of one element: half is 1/(2 beta), sub is beta/2.
func smoothL1Value[T float32 | float64](x, t, beta, half, sub T) T {
	e := abs(x - t)
	if e < beta {
		return e * e * half
	}
	return e - sub
}

// smoothL1Forward: operands x, t, y; scalars beta, 1/(2 beta), beta/2.
func smoothL1Forward[T float32 | float64](a *runtime.Args) {
	beta, half, sub := T(a.F[0]), T(a.F[1]), T(a.F[2])
	for n := 0; n < a.N; n += runtime.Block {
		m := min(runtime.Block, a.N-n)
		x := runtime.Slice[T](a.Ptr[0], n*a.Step[0], m)
		t := runtime.Slice[T](a.Ptr[1], n*a.Step[1], m)
		y := runtime.Slice[T](a.Ptr[2], n, m)
		for i := range y {
			y[i] = smoothL1Value(x[i], t[i], beta, half, sub)
		}
	}
}

// smoothL1Sum: operands x, t, sum; scalars as above. Element n adds to lane n mod 64.
func smoothL1Sum[T float32 | float64](a *runtime.Args) {
	beta, half, sub := T(a.F[0]), T(a.F[1]), T(a.F[2])
	var lanes [runtime.Block]T
	for n := 0; n < a.N; n += runtime.Block {
		m := min(runtime.Block, a.N-n)
		x := runtime.Slice[T](a.Ptr[0], n*a.Step[0], m)
		t := runtime.Slice[T](a.Ptr[1], n*a.Step[1], m)
		for i := range x {
			lanes[i] += smoothL1Value(x[i], t[i], beta, half, sub)
		}
	}
	*(*T)(a.Ptr[2]) = runtime.LaneSum(lanes[:])
}

// smoothL1Divide: operands sum, y; scalar n.
func smoothL1Divide[T float32 | float64](a *runtime.Args) {
	*(*T)(a.Ptr[1]) = *(*T)(a.Ptr[0]) / T(a.F[0])
}

// smoothL1Gradients: operands x, t, gy, gx, gt; scalars beta, 1/beta, scale; integer 0: gy is one number. The gradient of
// either input may be unwanted.
func smoothL1Gradients[T float32 | float64](a *runtime.Args) {
	beta, inverse, scale := T(a.F[0]), T(a.F[1]), T(a.F[2])
	for n := 0; n < a.N; n += runtime.Block {
		m := min(runtime.Block, a.N-n)
		x := runtime.Slice[T](a.Ptr[0], n*a.Step[0], m)
		t := runtime.Slice[T](a.Ptr[1], n*a.Step[1], m)
		gy := runtime.Slice[T](a.Ptr[2], n*a.Step[2], 1)
		if a.I[0] == 0 {
			gy = runtime.Slice[T](a.Ptr[2], n, m)
		}
		gx, gt := part[T](a.Ptr[3], n, m), part[T](a.Ptr[4], n, m)
		for i := range x {
			d := x[i] - t[i]
			g := T(0)
			switch {
			case abs(d) < beta:
				g = d * inverse
			case d != 0:
				g = T(math.Copysign(1, float64(d)))
			}
			g *= scale * gy[min(i, len(gy)-1)]
			if gx != nil {
				gx[i] = g
			}
			if gt != nil {
				gt[i] = -g
			}
		}
	}
}

// part is m elements of an operand that may be absent.
func part[T any](p unsafe.Pointer, n, m int) []T {
	if p == nil {
		return nil
	}
	return runtime.Slice[T](p, n, m)
}
