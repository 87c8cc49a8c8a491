package grad

import (
	"fmt"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl/diag"
)

// Cotangents are built with the functions below. They keep products inside selects: where a branch was not taken, its
// partial derivative, which may be infinite there, is not even computed. Multiplying by zero would give NaN.

// IsZero tells whether nothing flows.
func IsZero(v *ir.Value) bool { return ir.IsConst(v, 0) }

// zeroLike is the zero of a cotangent's type.
func zeroLike(v *ir.Value) *ir.Value { return ir.Cast(ir.Int(0), v.Type) }

// Presence is the condition under which a cotangent isn't zero for want of a branch: true unless it is guarded.
func Presence(v *ir.Value) *ir.Value {
	if IsZero(v) {
		return ir.False
	}
	if v.Op != ir.OpSelect {
		return ir.True
	}
	c, a, b := v.Args[0], Presence(v.Args[1]), Presence(v.Args[2])
	if a.Op == ir.OpTrue && b.Op == ir.OpTrue {
		return ir.True
	}
	if a.Op == ir.OpTrue {
		return ir.Or(c, b) // b is asked for only where c doesn't hold
	}
	return ir.Or(ir.And(c, a), ir.And(ir.Not(c), b))
}

// guarded tells whether Presence is a condition.
func guarded(v *ir.Value) bool {
	return IsZero(v) || v.Op == ir.OpSelect && (guarded(v.Args[1]) || guarded(v.Args[2]))
}

// mayVanish tells whether a cotangent may be zero for want of a branch, or of what depends on the output, in a way that no condition at the
// point tells: a product with it must be absorbing.
func mayVanish(v *ir.Value) bool {
	switch v.Op {
	case ir.OpRead:
		return v.Tensor.Unasked
	case ir.OpAbsorb:
		return true
	case ir.OpNeg, ir.OpCast:
		return IsZero(v) || mayVanish(v.Args[0])
	case ir.OpAdd, ir.OpSub:
		return mayVanish(v.Args[0]) && mayVanish(v.Args[1])
	case ir.OpMul: // finite factors keep a zero
		return ir.ConstOf(v.Args[0]) != nil && mayVanish(v.Args[1]) || ir.ConstOf(v.Args[1]) != nil && mayVanish(v.Args[0])
	case ir.OpSelect:
		return (IsZero(v.Args[1]) || mayVanish(v.Args[1])) && (IsZero(v.Args[2]) || mayVanish(v.Args[2]))
	}
	return IsZero(v)
}

// guard is g where c holds, else zero.
func guard(c, g *ir.Value) *ir.Value {
	if IsZero(g) {
		return g
	}
	return Choose(c, g, zeroLike(g))
}

// along is a cotangent on its way into an arm of a select, which is taken where c holds. What guards the cotangent is asked first, as
// the formula asks it, so that what flows to one value from the arms of nested selects meets, in Plus, as the same selects of the
// derivatives of the arms.
func along(c, g *ir.Value) *ir.Value {
	if g.Op == ir.OpSelect && guarded(g) {
		return Choose(g.Args[0], along(c, g.Args[1]), along(c, g.Args[2]))
	}
	return guard(c, g)
}

// Choose is a select of cotangents in a canonical form: negations swap the arms, a condition is not asked twice.
func Choose(c, a, b *ir.Value) *ir.Value {
	if c.Op == ir.OpNot {
		return Choose(c.Args[0], b, a)
	}
	if IsZero(a) && IsZero(b) {
		return zeroLike(a)
	}
	if a.Op == ir.OpSelect && ir.Equal(a.Args[0], c) {
		a = a.Args[1]
	}
	if b.Op == ir.OpSelect && ir.Equal(b.Args[0], c) {
		b = b.Args[2]
	}
	return ir.Select(c, a, b)
}

// Plus adds two cotangents. The sum of two guarded ones is guarded by either.
func Plus(a, b *ir.Value) *ir.Value {
	switch {
	case IsZero(a):
		return b
	case IsZero(b):
		return a
	case a.Op == ir.OpSelect && b.Op == ir.OpSelect && ir.Equal(a.Args[0], b.Args[0]):
		return Choose(a.Args[0], Plus(a.Args[1], b.Args[1]), Plus(a.Args[2], b.Args[2]))
	}
	s, pa, pb := sum(a, b), Presence(a), Presence(b)
	if pa.Op == ir.OpTrue || pb.Op == ir.OpTrue {
		return s
	}
	return ir.Select(ir.Or(pa, pb), s, zeroLike(s))
}

// sum is a+b, whatever guards them.
func sum(a, b *ir.Value) *ir.Value {
	if b.Op == ir.OpNeg {
		return ir.Sub(a, b.Args[0])
	}
	return ir.Add(a, b)
}

// minus is the negative of a cotangent.
func minus(g *ir.Value) *ir.Value {
	switch {
	case IsZero(g):
		return g
	case g.Op == ir.OpNeg:
		return g.Args[0]
	case g.Op == ir.OpSelect:
		return Choose(g.Args[0], minus(g.Args[1]), minus(g.Args[2]))
	}
	return ir.Neg(g)
}

// maxCases bounds the cases of what flows to one value of a formula. Maxima within maxima, each with its ties, have three times as many a level.
const maxCases = 1 << 13

// ManyCases says that a formula has a derivative with more than maxCases cases.
type ManyCases struct{ Span diag.Span }

func (e *ManyCases) Error() string {
	return fmt.Sprintf("a derivative has more than %d cases", maxCases)
}

// cases counts the branches of a cotangent, up to just beyond most.
func cases(v *ir.Value, most int) int {
	if v.Op != ir.OpSelect {
		return 1
	}
	n := cases(v.Args[1], most)
	if n <= most {
		n += cases(v.Args[2], most-n)
	}
	return n
}

// Times is a cotangent times a partial derivative.
func Times(g, d *ir.Value) *ir.Value {
	switch {
	case IsZero(g):
		return g
	case IsZero(d):
		return zeroLike(g)
	case ir.IsConst(d, 1):
		return g
	case ir.IsConst(d, -1):
		return minus(g)
	case g.Op == ir.OpSelect && guarded(g):
		return Choose(g.Args[0], Times(g.Args[1], d), Times(g.Args[2], d))
	case d.Op == ir.OpSelect && (ir.ConstOf(d.Args[1]) != nil || ir.ConstOf(d.Args[2]) != nil):
		// A derivative by cases selects the cotangent.
		return Choose(d.Args[0], Times(g, d.Args[1]), Times(g, d.Args[2]))
	case d.Op == ir.OpNeg:
		return minus(Times(g, d.Args[0]))
	case mayVanish(g) && ir.ConstOf(d) == nil:
		if g.Op == ir.OpAbsorb && ir.IsConst(g.Args[1], 1) {
			g = g.Args[0]
		}
		return ir.Call(ir.OpAbsorb, g, d)
	case d.Op == ir.OpDiv:
		return ir.Div(Times(g, d.Args[0]), d.Args[1])
	}
	return ir.Mul(g, d)
}

// absorbing is x·g, where a zero x absorbs whatever g is. What guards g guards x too.
func absorbing(x, g *ir.Value) *ir.Value {
	if g.Op == ir.OpSelect && guarded(g) {
		return Choose(g.Args[0], absorbing(x, g.Args[1]), absorbing(x, g.Args[2]))
	}
	if IsZero(g) {
		return g
	}
	return ir.Call(ir.OpAbsorb, x, g)
}

// quotient is a cotangent on its way through a definition: num / den[0] / den[1] …. Divisors wait until the partial
// derivatives are multiplied: in the derivative of e*e/2/beta, @y/beta may overflow where @y*e/beta doesn't.
type quotient struct {
	num *ir.Value
	den []*ir.Value
}

// times is the cotangent times a partial derivative.
func (q *quotient) times(d *ir.Value) quotient {
	switch {
	case mayVanish(q.num):
	case d.Op == ir.OpDiv:
		return quotient{Times(q.num, d.Args[0]), append(slices.Clone(q.den), d.Args[1])}
	case d.Op == ir.OpNeg:
		n := q.times(d.Args[0])
		n.num = minus(n.num)
		return n
	}
	return quotient{Times(q.num, d), q.den}
}

// value is the cotangent, divided where it isn't guarded.
func (q *quotient) value() *ir.Value {
	v := q.num
	if v.Op == ir.OpNeg {
		q = &quotient{v.Args[0], q.den}
		return minus(q.value())
	}
	for _, d := range q.den {
		v = Times(v, ir.Div(ir.Int(1), d))
	}
	return v
}
