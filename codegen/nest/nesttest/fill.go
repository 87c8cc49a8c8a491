package nesttest

import (
	"math"
	"math/rand"

	"github.com/opgen/opgen/codegen/nest"
)

// noIndex fills the gaps of integer operands.
const noIndex = -1 << 30

// filler puts values into memory.
type filler struct {
	r     *rand.Rand
	spice bool
	index int // integers are below it
}

// alloc gives a buffer n elements that no operand covers.
func (f *filler) alloc(b *nest.Buffer, d nest.DType, n int) {
	switch d {
	case nest.F32:
		b.F32 = filled(n, float32(math.NaN()))
	case nest.F64:
		b.F64 = filled(n, math.NaN())
	case nest.I32:
		b.I32 = filled(n, int32(noIndex))
	case nest.I64:
		b.I64 = filled(n, int64(noIndex))
	}
}

func filled[T any](n int, x T) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = x
	}
	return s
}

// fill sets element at of an operand: data for what is read first; an output, and an accumulator of one number, keeps
// what must not be read.
func (f *filler) fill(b *nest.Buffer, o *nest.Operand, at int) {
	if o.Mode == nest.Out || o.Mode == nest.Acc && !o.Vector {
		return
	}
	x := f.float()
	switch o.DType {
	case nest.F32:
		b.F32[at] = float32(x)
	case nest.F64:
		b.F64[at] = x
	case nest.I32:
		b.I32[at] = int32(f.r.Intn(f.index))
	case nest.I64:
		b.I64[at] = int64(f.r.Intn(f.index))
	}
}

func (f *filler) copy(b *nest.Buffer, d nest.DType, to, from int) {
	switch d {
	case nest.F32:
		b.F32[to] = b.F32[from]
	case nest.F64:
		b.F64[to] = b.F64[from]
	}
}

func (f *filler) float() float64 {
	x := f.r.NormFloat64()
	switch f.r.Intn(8) {
	case 0:
		x = math.Round(2*x) / 2 // ties
	case 1:
		x *= math.Ldexp(1, f.r.Intn(40)-20)
	}
	if f.spice {
		return spiced(f.r, x)
	}
	return x
}

// spiced is x, or now and then a value of which there are few.
func spiced(r *rand.Rand, x float64) float64 {
	if r.Intn(24) > 0 {
		return x
	}
	special := []float64{
		0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1, 0.5,
		math.MaxFloat32, -math.MaxFloat32, 0x1p-149, -0x1p-130, 0x1p-126, 88.5, -88.5, -103.5, 0x1p127,
		math.MaxFloat64, 0x1p-1074, -0x1p-1030, 709.5, -745,
	}
	return special[r.Intn(len(special))]
}
