package pass

import (
	"maps"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// factored takes what doesn't change among the points of a derived sum out of it, if what is left can be carried:
//
//	z[l] += v[l]*g(t)*exp(x[l] - h[t])   for t in l..L
//
// is v[l] times a sum that is carried. Linear has done so where points have no conditions. Each sum must be known to have points, since nothing times a
// factor that is infinite is not nothing.
func (c *carrier) factored(d *ir.Def) []*ir.Def {
	if d.Monoid != ir.Sum || !d.Derived || !c.f.IsFloat(d.Target) {
		return nil
	}
	reduced := own(d.Reduced())
	all := factors(d.Body)
	in, out := term{coef: all.coef}, unit()
	split := func(from []*ir.Value, in, out *[]*ir.Value) {
		for _, v := range from {
			if ir.DependsOn(v, reduced) || len(ir.FreeVars(v)) == 0 {
				*in = append(*in, v)
			} else {
				*out = append(*out, v)
			}
		}
	}
	split(all.num, &in.num, &out.num)
	split(all.den, &in.den, &out.den)
	if len(in.num) == 0 || len(out.num)+len(out.den) == 0 {
		return nil
	}
	names := maps.Clone(c.names)
	sum := *d
	sum.Target = &ir.Tensor{Name: c.fresh(d.Target.Name + ".sum"), Role: ir.Local, Elem: d.Target.Elem, Axes: d.Target.Axes, Span: d.Target.Span}
	sum.Body = ir.Cast(in.value(ir.Const(in.coef)), d.Body.Type)
	for _, way := range []func(*ir.Def) []*ir.Def{plainly, c.following, c.scaled, c.back} {
		if parts := way(&sum); parts != nil && parts[0].IsFilled() {
			return append(slices.Clone(parts), pointwise(d, out.value(ir.Read(sum.Target, d.Dest...))))
		}
	}
	c.names = names
	return nil
}

// value is the product of v with the factors of a term, without its coefficient.
func (t term) value(v *ir.Value) *ir.Value {
	if ir.IsConst(v, 1) {
		v = t.num[0]
		t.num = t.num[1:]
	}
	for _, x := range t.num {
		v = ir.Mul(v, x)
	}
	for _, x := range t.den {
		v = ir.Div(v, x)
	}
	return v
}
