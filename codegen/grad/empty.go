package grad

import (
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
)

// Nonempty keeps what is summed over nothing zero: where a factor that may be infinite or NaN stands outside of a sum, as 1/sqrt(v)
// in Σ(@y·d)/sqrt(v), the product is computed only where the sum has points. It gives the derived ones among the
// definitions of f with these guards. Sums whose results nobody reads where they are empty have none: a row of a softmax
// without elements has no gradients either.
func Nonempty(f *ir.Func) []*ir.Def {
	g := &guarding{over: map[*ir.Tensor]axisSet{}, derived: map[*ir.Tensor]bool{}}
	g.seen(f)
	r := make([]*ir.Def, len(f.Defs))
	for i, d := range f.Defs {
		r[i] = d
		if !d.Derived || !f.IsFloat(d.Target) {
			continue
		}
		if asked := g.asked[d.Target]; len(asked) > 0 {
			if body := g.guarded(d.Body, asked); body != d.Body {
				n := *d
				n.Body = body
				r[i] = &n
			}
		}
		g.derived[d.Target] = true
		if d.Group != 0 {
			continue
		}
		over := g.vanishes(r[i].Body).clone()
		if d.Monoid == ir.Sum {
			for _, v := range d.Reduced() {
				if v.Axis != nil {
					over[v.Axis] = true
				}
			}
		} else if d.Monoid != ir.Assign {
			continue
		}
		g.over[d.Target] = over
	}
	return r
}

// Unguarded is the value of a guard against sums over nothing without the guard; nil: v is none.
func Unguarded(v *ir.Value) *ir.Value {
	if v.Op != ir.OpSelect || !IsZero(v.Args[2]) {
		return nil
	}
	for _, c := range ir.Conjuncts(v.Args[0]) {
		if c.Op != ir.OpLt || !ir.IsConst(c.Args[0], 0) || c.Args[1].Op != ir.OpExtent {
			return nil
		}
	}
	return v.Args[1]
}

type axisSet map[*ir.Axis]bool

func (s axisSet) clone() axisSet {
	r := axisSet{}
	for a := range s {
		r[a] = true
	}
	return r
}

type guarding struct {
	// over are the axes without which a derived tensor is a sum of nothing.
	over    map[*ir.Tensor]axisSet
	derived map[*ir.Tensor]bool
	// asked are the axes that may be empty where an element of a tensor is needed for an output.
	asked map[*ir.Tensor]axisSet
}

// seen finds what outputs need of each tensor.
func (g *guarding) seen(f *ir.Func) {
	g.asked = map[*ir.Tensor]axisSet{}
	all := axisSet{}
	for _, d := range f.Defs {
		for _, v := range d.Vars {
			if v.Axis != nil {
				all[v.Axis] = true
			}
		}
	}
	note := func(t *ir.Tensor, axes axisSet, without []*ir.Axis) (changed bool) {
		if g.asked[t] == nil {
			g.asked[t] = axisSet{}
		}
		own := axisSet{}
		for _, a := range append(append([]*ir.Axis{}, t.Axes...), without...) {
			own[a] = true
		}
		for a := range axes {
			if !own[a] && !g.asked[t][a] {
				g.asked[t][a] = true
				changed = true
			}
		}
		return changed
	}
	for _, t := range f.Outputs {
		note(t, all, nil)
	}
	for changed := true; changed; { // definitions of a group read later ones
		changed = false
		for i := len(f.Defs) - 1; i >= 0; i-- {
			d := f.Defs[i]
			var runs []*ir.Axis
			for _, v := range d.Vars {
				if v.Axis != nil {
					runs = append(runs, v.Axis)
				}
			}
			for t := range d.Reads() {
				changed = note(t, g.asked[d.Target], runs) && d.Group != 0 || changed
			}
		}
	}
}

// vanishes are the axes without which a value is a sum of nothing, or a product with one.
func (g *guarding) vanishes(v *ir.Value) axisSet {
	switch v.Op {
	case ir.OpRead:
		return g.over[v.Tensor]
	case ir.OpNeg, ir.OpCast, ir.OpDiv, ir.OpAbsorb:
		return g.vanishes(v.Args[0])
	case ir.OpMul:
		r := g.vanishes(v.Args[0]).clone()
		for a := range g.vanishes(v.Args[1]) {
			r[a] = true
		}
		return r
	case ir.OpAdd, ir.OpSub, ir.OpSelect:
		a, b := v.Args[len(v.Args)-2], v.Args[len(v.Args)-1]
		switch {
		case IsZero(a):
			return g.vanishes(b)
		case IsZero(b):
			return g.vanishes(a)
		}
		r := axisSet{}
		other := g.vanishes(b)
		for x := range g.vanishes(a) {
			if other[x] {
				r[x] = true
			}
		}
		return r
	}
	return nil
}

// guarded puts the products of a value behind guards.
func (g *guarding) guarded(v *ir.Value, asked axisSet) *ir.Value {
	switch v.Op {
	case ir.OpMul, ir.OpDiv:
		if !g.mayFail(v) {
			return v
		}
		var conds []*ir.Value
		for a := range g.vanishes(v) {
			if asked[a] {
				conds = append(conds, ir.Call(ir.OpLt, ir.Int(0), ir.Extent(a)))
			}
		}
		if len(conds) == 0 {
			return g.inside(v, asked)
		}
		slices.SortFunc(conds, func(a, b *ir.Value) int { return strings.Compare(a.String(), b.String()) })
		return guard(ir.And(conds...), v)
	case ir.OpSelect:
		if Unguarded(v) != nil {
			return v
		}
		return ir.WithArgs(v, []*ir.Value{v.Args[0], g.guarded(v.Args[1], asked), g.guarded(v.Args[2], asked)})
	case ir.OpAdd, ir.OpSub, ir.OpNeg, ir.OpCast:
		return g.inside(v, asked)
	}
	return v
}

// inside puts the products in the arguments of a value behind guards.
func (g *guarding) inside(v *ir.Value, asked axisSet) *ir.Value {
	args := make([]*ir.Value, len(v.Args))
	for i, a := range v.Args {
		args[i] = a
		if a.Type.Kind == ir.Typed {
			args[i] = g.guarded(a, asked)
		}
	}
	return ir.WithArgs(v, args)
}

// mayFail tells whether a product has a factor that may be infinite or NaN: anything but constants that aren't zero, and
// what is derived and summed itself.
func (g *guarding) mayFail(v *ir.Value) bool {
	if c := ir.ConstOf(v); c != nil {
		return c.Sign() == 0
	}
	switch v.Op {
	case ir.OpMul, ir.OpDiv, ir.OpAdd, ir.OpSub:
		return g.mayFail(v.Args[0]) || g.mayFail(v.Args[1])
	case ir.OpNeg, ir.OpCast:
		return g.mayFail(v.Args[0])
	case ir.OpRead:
		return !g.derived[v.Tensor]
	}
	return true
}
