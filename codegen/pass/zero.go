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
	trial := tried(f)
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
		if d.Group != 0 || d.Monoid != ir.Assign && d.Monoid != ir.Sum {
			return n
		}
		if grad.IsZero(n.Body) || small(trial[n.Target]) && prove.Zero(known, n.Target) {
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

// maxTrial bounds the extents of a trial evaluation.
const maxTrial = 1 << 12

// tried evaluates a function at one arbitrary point, to tell which definitions may be zero before any is proved to be. It is
// empty where the function can't be evaluated there.
func tried(f *ir.Func) map[*ir.Tensor]*ir.Array {
	c := grad.Close(f)
	in := ir.Binding{Extents: map[*ir.Axis]int{}, Arrays: map[*ir.Tensor]*ir.Array{}, Scalars: map[string]float64{"step": 2}}
	points := 1 // of all axes together: few, whatever their number
	for i, a := range c.Axes {
		if in.Extents[a] = 2 + i%2; points*in.Extents[a] > maxTrial {
			in.Extents[a] = 1
		}
		points *= in.Extents[a]
	}
	for _, s := range c.Scalars {
		in.Scalars[s.Name] = 1
		if s.Type.Kind != ir.Exact {
			in.Scalars[s.Name] = 0.875
		}
	}
	for _, d := range c.Dims {
		x, err := ir.EvalScalar(c, d.Value, in)
		if err != nil || x < 0 || x != math.Floor(x) {
			return nil
		}
		if x > maxTrial {
			return nil
		}
		in.Extents[d.Axis] = int(x)
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
			x.Data[i] = 0
			if c.IsFloat(t) {
				x.Data[i] = math.Mod(float64(k)*0.6180339887498949, 1) + 0.1
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

// small tells whether an array, evaluated with numbers of order one, may be zero but for rounding, or isn't known.
func small(a *ir.Array) bool {
	if a == nil {
		return true
	}
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
