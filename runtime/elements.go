package runtime

import (
	"math"
	"unsafe"
)

// loadElement is the element at p as a float64.
func loadElement(d DType, p unsafe.Pointer) float64 {
	switch d {
	case F16:
		return float64((*Float16)(p).Float32())
	case BF16:
		return float64((*BFloat16)(p).Float32())
	case F32:
		return float64(*(*float32)(p))
	case F64:
		return *(*float64)(p)
	case I8:
		return float64(*(*int8)(p))
	case I16:
		return float64(*(*int16)(p))
	case I32:
		return float64(*(*int32)(p))
	case I64:
		return float64(*(*int64)(p))
	case U8:
		return float64(*(*uint8)(p))
	case U16:
		return float64(*(*uint16)(p))
	case U32:
		return float64(*(*uint32)(p))
	case U64:
		return float64(*(*uint64)(p))
	case Bool:
		if *(*bool)(p) {
			return 1
		}
	}
	return 0
}

// storeElement sets the element at p to v: floats are rounded once, integers saturate, and booleans are whether v is not 0.
func storeElement(d DType, p unsafe.Pointer, v float64) {
	switch d {
	case F16, BF16:
		*(*uint16)(p) = roundHalf(d, v)
	case F32:
		*(*float32)(p) = float32(v)
	case F64:
		*(*float64)(p) = v
	case I8:
		*(*int8)(p) = Saturate[int8](v)
	case I16:
		*(*int16)(p) = Saturate[int16](v)
	case I32:
		*(*int32)(p) = Saturate[int32](v)
	case I64:
		*(*int64)(p) = Saturate[int64](v)
	case U8:
		*(*uint8)(p) = Saturate[uint8](v)
	case U16:
		*(*uint16)(p) = Saturate[uint16](v)
	case U32:
		*(*uint32)(p) = Saturate[uint32](v)
	case U64:
		*(*uint64)(p) = Saturate[uint64](v)
	case Bool:
		*(*bool)(p) = v != 0
	}
}

// Least is the smallest number of an integer type.
func Least[T Integer]() T { return ^Greatest[T]() }

// Greatest is the greatest number of an integer type.
func Greatest[T Integer]() T {
	var zero T
	if ^zero < 0 {
		return T(uint64(math.MaxInt64) >> (64 - 8*unsafe.Sizeof(zero)))
	}
	return ^zero
}

// Saturate is x as an integer: towards zero, the nearest end of the range where it doesn't fit, 0 for NaN.
func Saturate[T Integer](x float64) T {
	least, greatest := Least[T](), Greatest[T]()
	switch {
	case x != x:
		return 0
	case x <= float64(least):
		return least
	case x >= float64(greatest):
		return greatest
	}
	return T(x)
}

// Elements of two bytes are converted in chunks, on several threads where that pays.

// widenHalf writes n half-precision elements at src to dst as float32.
func widenHalf(dst, src unsafe.Pointer, d DType, n int) {
	a := Args{Rows: 1, N: n}
	a.Ptr[0], a.Ptr[1] = dst, src
	a.Step[0], a.Step[1] = 1, 1
	k, p := Kernel(widenF16), &widenF16Plan
	if d == BF16 {
		k, p = widenBF16, &widenBF16Plan
	}
	Launch(k, &a, p)
}

// narrowHalf rounds n float32 at src to half-precision elements at dst.
func narrowHalf(dst unsafe.Pointer, d DType, src unsafe.Pointer, n int) {
	a := Args{Rows: 1, N: n}
	a.Ptr[0], a.Ptr[1] = dst, src
	a.Step[0], a.Step[1] = 1, 1
	k, p := Kernel(narrowF16), &narrowF16Plan
	if d == BF16 {
		k, p = narrowBF16, &narrowBF16Plan
	}
	Launch(k, &a, p)
}

var (
	widenF16Plan   = halfPlan("runtime.widen_f16", F32, F16)
	widenBF16Plan  = halfPlan("runtime.widen_bf16", F32, BF16)
	narrowF16Plan  = halfPlan("runtime.narrow_f16", F16, F32)
	narrowBF16Plan = halfPlan("runtime.narrow_bf16", BF16, F32)
)

func halfPlan(name string, to, from DType) Plan {
	return Plan{Name: name, Rows: true, Lanes: true, Operands: []Operand{{DType: to, Use: Writes}, {DType: from}}}
}

func widenF16(a *Args) {
	dst, src := Slice[float32](a.Ptr[0], 0, a.N), Slice[Float16](a.Ptr[1], 0, a.N)
	for i, x := range src {
		dst[i] = x.Float32()
	}
}

func widenBF16(a *Args) {
	dst, src := Slice[float32](a.Ptr[0], 0, a.N), Slice[BFloat16](a.Ptr[1], 0, a.N)
	for i, x := range src {
		dst[i] = x.Float32()
	}
}

func narrowF16(a *Args) {
	dst, src := Slice[Float16](a.Ptr[0], 0, a.N), Slice[float32](a.Ptr[1], 0, a.N)
	for i, x := range src {
		dst[i] = ToFloat16(x)
	}
}

func narrowBF16(a *Args) {
	dst, src := Slice[BFloat16](a.Ptr[0], 0, a.N), Slice[float32](a.Ptr[1], 0, a.N)
	for i, x := range src {
		dst[i] = ToBFloat16(x)
	}
}
