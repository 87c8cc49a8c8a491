package prove

import (
	"math"

	"github.com/opgen/opgen/codegen/ir"
)

// specials are numbers at which attributes do something else more often than beside them.
var specials = []float64{0, 1, -1, -2, 7, -0.5, 100}

// atSpecials draws points at which one attribute is special.
func (p *points) atSpecials(extents []map[*ir.Axis]int) {
	limit := p.evals + maxEvals
	for _, s := range p.f.Scalars {
		for i, x := range specials {
			if s.Type.Kind == ir.Exact && x != math.Trunc(x) {
				continue
			}
			p.fixed = map[string]float64{s.Name: x}
			a, r := p.make(extents[i%len(extents)], mixed[i%2])
			p.fixed = nil
			if a != nil {
				p.compare(*a, r)
			}
			if p.verdict.Counter != nil || p.evals > limit {
				return
			}
		}
	}
}

// scalar draws an attribute.
func (p *points) scalar(s *ir.Scalar, b ir.Binding, how spread) float64 {
	if x, ok := p.fixed[s.Name]; ok {
		return x
	}
	if s.Default != nil && p.random.IntN(3) == 0 {
		if x, err := ir.EvalScalar(p.f, s.Default, b); err == nil {
			return x
		}
	}
	switch {
	case s.Type.Kind == ir.Exact:
		return float64(1 + p.random.IntN(3))
	case how == lattice:
		return float64(1+p.random.IntN(4)) / 2
	case how == large:
		return 1 + 4*p.random.Float64()
	}
	return 0.1 + 0.8*p.random.Float64()
}

// drawing gives what draws the elements of one input. Integers may be indices, so most points have some that lie within all axes, and
// others have any, or those beside a number that they are compared with.
func (p *points) drawing(t *ir.Tensor, least int, how spread, b ir.Binding) func() float64 {
	switch {
	case p.f.Class(t.Elem) == ir.ClassBool:
		return func() float64 { return float64(p.random.IntN(2)) }
	case !p.f.IsFloat(t):
		return p.integers(t, least, b)
	case t.Role == ir.Cotangent:
		return p.random.NormFloat64
	}
	switch {
	case how == lattice && p.nonFinite:
		return func() float64 {
			if p.random.IntN(4) == 0 {
				return []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[p.random.IntN(3)]
			}
			return float64(p.random.IntN(9)-4) / 2
		}
	case how == lattice:
		return func() float64 { return float64(p.random.IntN(9)-4) / 2 }
	case how == small:
		return func() float64 { return p.random.NormFloat64() / 8 }
	case how == large:
		return func() float64 { return 4 * p.random.NormFloat64() }
	}
	return p.random.NormFloat64
}

func (p *points) integers(t *ir.Tensor, least int, b ir.Binding) func() float64 {
	index := func() float64 { return float64(p.random.IntN(max(least, 1))) }
	lo, hi := integerRange(p.f.ElemVars, t.Elem)
	fit := func(x float64) float64 { return max(lo, min(hi, x)) }
	switch beside := p.beside(t, b); {
	case len(beside) > 0 && p.random.IntN(2) == 0:
		return func() float64 {
			if p.random.IntN(3) == 0 {
				return index()
			}
			return fit(beside[p.random.IntN(len(beside))] + float64(p.random.IntN(3)-1))
		}
	case p.random.IntN(3) == 0:
		reach := []float64{4, 300}[p.random.IntN(2)]
		return func() float64 { return fit(math.Round((2*p.random.Float64() - 1) * reach)) }
	}
	return index
}

// integerRange are the least and the greatest number that points take from an integer dtype, or from all of a variable.
func integerRange(vars []ir.ElemVar, e ir.Elem) (lo, hi float64) {
	lo, hi = -1<<31, 1<<31-1
	names := []string{e.Name}
	for _, v := range vars {
		if v.Name == e.Name {
			names = v.DTypes
		}
	}
	for _, n := range names {
		switch n {
		case "i8":
			lo, hi = max(lo, -1<<7), min(hi, 1<<7-1)
		case "i16":
			lo, hi = max(lo, -1<<15), min(hi, 1<<15-1)
		case "u8":
			lo, hi = max(lo, 0), min(hi, 1<<8-1)
		case "u16":
			lo, hi = max(lo, 0), min(hi, 1<<16-1)
		case "u32", "u64":
			lo = max(lo, 0)
		}
	}
	return lo, hi
}

// integerBounds are the values that f compares elements of integer inputs with, and that don't depend on data.
func integerBounds(f *ir.Func) map[*ir.Tensor][]*ir.Value {
	r := map[*ir.Tensor][]*ir.Value{}
	for _, d := range f.Defs {
		for _, root := range d.Values() {
			ir.Walk(root, func(v *ir.Value) bool {
				switch v.Op {
				case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe, ir.OpMax, ir.OpMin:
					for i, a := range v.Args {
						for a.Op == ir.OpCast {
							a = a.Args[0]
						}
						if a.Op == ir.OpRead && f.Class(a.Tensor.Elem) == ir.ClassInt && uniformValue(v.Args[1-i]) {
							r[a.Tensor] = append(r[a.Tensor], v.Args[1-i])
						}
					}
				}
				return true
			})
		}
	}
	return r
}

// asksForNonFinite tells whether a formula does something else for NaN or infinities.
func asksForNonFinite(f *ir.Func) bool {
	asks := false
	for _, d := range f.Defs {
		for _, root := range d.Values() {
			ir.Walk(root, func(v *ir.Value) bool {
				asks = asks || v.Op == ir.OpIsNaN || v.Op == ir.OpIsInf || v.Op == ir.OpInf
				return !asks
			})
		}
	}
	return asks
}

// uniformValue tells whether a value is the same at all points of a call.
func uniformValue(v *ir.Value) bool {
	same := true
	ir.Walk(v, func(v *ir.Value) bool {
		same = same && v.Op != ir.OpRead && v.Op != ir.OpIndex && v.Op != ir.OpUniform && v.Op != ir.OpNormal
		return same
	})
	return same
}

// beside are the numbers that elements of t are compared with in a call.
func (p *points) beside(t *ir.Tensor, b ir.Binding) []float64 {
	var r []float64
	for _, v := range p.bounds[t] {
		if x, err := ir.EvalScalar(p.f, v, b); err == nil && x == math.Trunc(x) {
			r = append(r, x)
		}
	}
	return r
}
