package nest

import (
	"fmt"
	"math"
)

// Identity is what a slot starts at.
func (m Monoid) Identity() float64 {
	switch m {
	case MaxOf:
		return math.Inf(-1)
	case MinOf:
		return math.Inf(1)
	case ProdOf:
		return 1
	default:
		return 0
	}
}

// alu computes single instructions. Floats are kept as float64; with f32 each is a float32, and so is each result.
type alu struct{ f32 bool }

func (u alu) round(x float64) float64 {
	if u.f32 {
		return float64(float32(x))
	}
	return x
}

// The basic operations are those of Go in the right width; the conversions keep Go from fusing them.

func (u alu) add(a, b float64) float64 {
	if u.f32 {
		return float64(float32(float32(a) + float32(b)))
	}
	return float64(a + b)
}

func (u alu) sub(a, b float64) float64 {
	if u.f32 {
		return float64(float32(float32(a) - float32(b)))
	}
	return float64(a - b)
}

func (u alu) mul(a, b float64) float64 {
	if u.f32 {
		return float64(float32(float32(a) * float32(b)))
	}
	return float64(a * b)
}

func (u alu) div(a, b float64) float64 {
	if u.f32 {
		return float64(float32(float32(a) / float32(b)))
	}
	return a / b
}

func (u alu) sqrt(a float64) float64 { return u.round(math.Sqrt(a)) }

func (u alu) fma(a, b, c float64) float64 {
	if u.f32 {
		return float64(fma32(float32(a), float32(b), float32(c)))
	}
	return math.FMA(a, b, c)
}

// fma32 is a*b + c rounded once. The product of two float32 is exact in float64; the sum is rounded to odd there
// (truncated, then the last bit set if anything was lost), after which rounding to float32 is right: float64 has
// more than two bits beyond any float32, subnormal or not.
func fma32(a, b, c float32) float32 {
	p, z := float64(a)*float64(b), float64(c)
	s := float64(p + z)
	if math.IsInf(s, 0) || math.IsNaN(s) {
		return float32(s)
	}
	// The error of the sum, exact (Knuth's two-sum).
	t := float64(s - p)
	e := float64(p-float64(s-t)) + float64(z-t)
	if e != 0 {
		bits := math.Float64bits(s)
		if e > 0 != (s > 0) {
			bits-- // was rounded away from zero
		}
		s = math.Float64frombits(bits | 1)
	}
	return float32(s)
}

func maxNaN(a, b float64) float64 {
	if a > b || a != a {
		return a
	}
	return b
}

func minNaN(a, b float64) float64 {
	if a < b || a != a {
		return a
	}
	return b
}

// combine is one step of a reduction.
func (u alu) combine(m Monoid, a, b float64) float64 {
	switch m {
	case MaxOf:
		return maxNaN(a, b)
	case MinOf:
		return minNaN(a, b)
	case ProdOf:
		return u.mul(a, b)
	default:
		return u.add(a, b)
	}
}

// mask keeps the bits of a float of the width.
func (u alu) mask(x uint64) uint64 {
	if u.f32 {
		return x & math.MaxUint32
	}
	return x
}

func (u alu) asBits(x float64) uint64 {
	if u.f32 {
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

func (u alu) asFloat(x uint64) float64 {
	if u.f32 {
		return float64(math.Float32frombits(uint32(x)))
	}
	return math.Float64frombits(x)
}

// apply computes an instruction that is a function of its arguments.
func (u alu) apply(v *Value, x [3]cell) (cell, error) {
	a, b := x[0], x[1]
	float := func(f float64) (cell, error) { return cell{f: f}, nil }
	bits := func(w uint64) (cell, error) { return cell{u: u.mask(w)}, nil }
	cond := func(c bool) (cell, error) { return cell{u: bit(c)}, nil }
	switch v.Op {
	case Add:
		return float(u.add(a.f, b.f))
	case Sub:
		return float(u.sub(a.f, b.f))
	case Mul:
		return float(u.mul(a.f, b.f))
	case Div:
		return float(u.div(a.f, b.f))
	case Fma:
		return float(u.fma(a.f, b.f, x[2].f))
	case Neg:
		return float(-a.f)
	case Abs:
		return float(math.Abs(a.f))
	case Sqrt:
		return float(u.sqrt(a.f))
	case Max:
		return float(maxNaN(a.f, b.f))
	case Min:
		return float(minNaN(a.f, b.f))
	case Floor:
		return float(math.Floor(a.f))
	case Ceil:
		return float(math.Ceil(a.f))
	case Trunc:
		return float(math.Trunc(a.f))
	case Round:
		return float(math.RoundToEven(a.f))
	case Lt:
		return cond(a.f < b.f)
	case Le:
		return cond(a.f <= b.f)
	case Eq:
		return cond(a.f == b.f)
	case Ne:
		return cond(a.f != b.f)
	case IntLt:
		return cond(int64(a.u) < int64(b.u))
	case IntLe:
		return cond(int64(a.u) <= int64(b.u))
	case IntEq:
		return cond(a.u == b.u)
	case IntNe:
		return cond(a.u != b.u)
	case And:
		return cell{u: a.u & b.u}, nil
	case Or:
		return cell{u: a.u | b.u}, nil
	case Not:
		return cell{u: a.u ^ 1}, nil
	case Select, IntSelect:
		if a.u != 0 {
			return b, nil
		}
		return x[2], nil
	case AsBits:
		return bits(u.asBits(a.f))
	case AsFloat:
		return float(u.asFloat(a.u))
	case BitAnd:
		return bits(a.u & b.u)
	case BitOr:
		return bits(a.u | b.u)
	case BitXor:
		return bits(a.u ^ b.u)
	case BitAdd:
		return bits(a.u + b.u)
	case BitSub:
		return bits(a.u - b.u)
	case BitShl:
		return bits(a.u << v.Shift)
	case BitShr:
		return bits(a.u >> v.Shift)
	}
	return cell{}, fmt.Errorf("%s is not a function of its arguments", v.Op)
}
