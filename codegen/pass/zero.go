package pass

import (
	"math"
	"slices"

	"github.com/opgen/opgen/codegen/grad"
	"github.com/opgen/opgen/codegen/grad/prove"
	"github.com/opgen/opgen/codegen/ir"
)

// Zero drops derived definitions that are zero, and what flows from them: the gradient through the maximum that shifts
// a softmax, the sum of deviations from a mean. That a definition is zero is proved by its normal form, with the
// formulas of the forward function, so it holds for all inputs where they are finite.
func Zero(f *ir.Func) *ir.Func {
	if !slices.ContainsFunc(f.Defs, func(d *ir.Def) bool { return d.Derived }) {
		return f
	}
	f = Dead(f)
	known := append([]*ir.Def{}, f.Given...)
	have := byTarget(known)
	candidate := mayBeZero(f)
	zero := map[*ir.Tensor]bool{}
	r := eachDef(f, func(d *ir.Def) *ir.Def {
		if !d.Derived {
			if have[d.Target] == nil {
				known = append(known, d)
			}
			return d
		}
		n := ir.MapDef(d, func(v *ir.Value) *ir.Value { return withoutZeros(v, zero) })
		known = append(known, n)
		if !provable(d) {
			return n
		}
		if grad.IsZero(n.Body) || candidate[n.Target] && prove.Zero(f.ElemVars, known, n.Target) {
			zero[n.Target] = true
			return zeroDef(n)
		}
		return n
	})
	if len(zero) == 0 {
		return r
	}
	return Dead(r)
}

// maxTrial bounds the work of one trial, in values computed.
const maxTrial = 1 << 15

// trials are arbitrary points: extents are alternately least and least+1, whole and real are attributes that are and that
// aren't whole numbers, elements are spread between low and low+1. Where a function can't be evaluated at one (an extent of
// zero, a divisor), it may be at another.
var trials = []struct{ least, whole, real, low, spread float64 }{
	{2, 1, 0.125, 0.1, 0.6180339887498949},
	{3, 2, 0.375, -0.55, 0.7548776662466927},
	{2, 3, 1.75, -0.45, 0.5698402909980532},
}

// mayBeZero gives the derived definitions that are zero, but for rounding, at all points of trial, so that few are tried to
// be proved to be. What can't be evaluated may be zero. What the function requires of a call is left out, as the proof does: few
// arbitrary points would meet it.
func mayBeZero(f *ir.Func) map[*ir.Tensor]bool {
	r := map[*ir.Tensor]bool{}
	for _, d := range f.Defs {
		if provable(d) {
			r[d.Target] = true
		}
	}
	c := *grad.Close(f)
	c.Requires = nil
	for i := range trials {
		if len(r) == 0 {
			break
		}
		for t, a := range trial(&c, i) {
			if !small(a) {
				delete(r, t)
			}
		}
	}
	return r
}

// provable tells whether a definition is of the kind that is proved to be zero.
func provable(d *ir.Def) bool {
	return d.Derived && d.Group == 0 && (d.Monoid == ir.Assign || d.Monoid == ir.Sum)
}

// trial evaluates a function at one point; nil where that is not possible, or costs too much.
func trial(c *ir.Func, at int) map[*ir.Tensor]*ir.Array {
	p := trials[at]
	in := ir.Binding{Extents: map[*ir.Axis]int{}, Arrays: map[*ir.Tensor]*ir.Array{}, Scalars: map[string]float64{"step": p.least}}
	for i, a := range c.Axes {
		in.Extents[a] = int(p.least) + i%2
	}
	for _, s := range c.Scalars {
		in.Scalars[s.Name] = p.whole
		if s.Type.Kind != ir.Exact {
			in.Scalars[s.Name] = p.real
		}
	}
	fits := place(c, in)
	for _, a := range c.Axes { // the outer ones give way
		if fits {
			break
		}
		in.Extents[a] = 1
		fits = place(c, in)
	}
	if !fits {
		return nil
	}
	k := 0
	for _, t := range c.Inputs {
		shape := make([]int, len(t.Axes))
		for i, a := range t.Axes {
			shape[i] = in.Extents[a]
		}
		x := ir.NewArray(shape...)
		for i := range x.Data {
			k++
			switch {
			case c.IsFloat(t):
				x.Data[i] = math.Mod(float64(k)*p.spread, 1) + p.low
			case t.Elem.Name == "bool" && k%3 > 0:
				x.Data[i] = 1
			case at > 0: // indices, and ends of ranges, which are empty at the first point
				x.Data[i] = float64(k % 2)
			}
		}
		in.Arrays[t] = x
	}
	all, err := ir.EvalAll(c, in)
	if err != nil {
		return nil
	}
	return all
}

// place computes the extents that follow from others, and tells whether the function can be evaluated with them at a cost
// within maxTrial.
func place(c *ir.Func, in ir.Binding) bool {
	for _, d := range c.Dims {
		x, err := ir.EvalScalar(c, d.Value, in)
		if err != nil || x < 0 || x != math.Floor(x) || x > maxTrial {
			return false
		}
		in.Extents[d.Axis] = int(x)
	}
	work := 0
	for _, d := range c.Defs {
		n := 1
		ir.Walk(d.Body, func(*ir.Value) bool { n++; return true })
		for _, v := range d.Vars {
			if n *= points(c, v, in); n > maxTrial {
				return false
			}
		}
		work += n
	}
	return work <= maxTrial
}

// points is how many values a variable has; those whose range depends on others have a few.
func points(c *ir.Func, v *ir.Var, in ir.Binding) int {
	if v.Axis != nil && v.Axis.Size == nil {
		return in.Extents[v.Axis]
	}
	if v.Axis != nil {
		return few
	}
	if len(ir.FreeVars(v.Lo, v.Hi)) == 0 && len(ir.Reads(v.Lo, v.Hi)) == 0 {
		lo, err1 := ir.EvalScalar(c, v.Lo, in)
		hi, err2 := ir.EvalScalar(c, v.Hi, in)
		if err1 == nil && err2 == nil && math.Abs(hi-lo) <= maxTrial {
			return int(hi - lo)
		}
	}
	return few
}

// few stands for a number of values that depends on data or on other indices.
const few = 3

// small tells whether an array, evaluated with numbers of order one, may be zero but for rounding. One that isn't a number
// tells nothing.
func small(a *ir.Array) bool {
	return !slices.ContainsFunc(a.Data, func(x float64) bool { return math.Abs(x) > 1e-8 })
}

// zeroDef defines a target as zero everywhere.
func zeroDef(d *ir.Def) *ir.Def {
	n := &ir.Def{Target: d.Target, Monoid: ir.Assign, Derived: true, Span: d.Span}
	for _, a := range d.Target.Axes {
		v := &ir.Var{Name: "z" + a.Name, Axis: a}
		n.Vars = append(n.Vars, v)
		n.Dest = append(n.Dest, ir.Index(v))
	}
	n.Body = ir.Cast(ir.Int(0), ir.ElemType(d.Target.Elem))
	return n
}

// withoutZeros simplifies a value one of whose arguments may be an element of a zero tensor.
func withoutZeros(v *ir.Value, zero map[*ir.Tensor]bool) *ir.Value {
	none := func() *ir.Value { return ir.Cast(ir.Int(0), v.Type) }
	if v.Op == ir.OpRead && zero[v.Tensor] {
		return none()
	}
	if v.Type.Kind != ir.Typed {
		return v
	}
	z := func(i int) bool { return grad.IsZero(v.Args[i]) }
	switch v.Op {
	case ir.OpAdd:
		if z(0) {
			return v.Args[1]
		}
		if z(1) {
			return v.Args[0]
		}
	case ir.OpSub:
		if z(1) {
			return v.Args[0]
		}
		if z(0) {
			return ir.Neg(v.Args[1])
		}
	case ir.OpMul, ir.OpAbsorb:
		// A product with a cotangent that is zero is zero: 0*Inf doesn't arise.
		if z(0) || z(1) {
			return none()
		}
	case ir.OpDiv, ir.OpNeg:
		if z(0) {
			return none()
		}
	case ir.OpSelect:
		if z(1) && z(2) {
			return none()
		}
	}
	return v
}
