package prove

import "github.com/opgen/opgen/codegen/ir"

// Elements of integer dtypes are numbers modulo a power of two, and casts to them drop fractions, so neither is what the ring does
// with rational numbers: a result that may have wrapped is an atom of its own, wrap(p), and so is what a cast to integers gives.

// whole tells whether a value is an element of an integer dtype.
func (n *normalizer) whole(t ir.Type) bool {
	return t.Kind == ir.Typed && ir.ClassOf(n.elems, t.Elem) == ir.ClassInt
}

// modular are the ops that compute modulo a power of two as they do with numbers.
var modular = map[ir.Op]bool{ir.OpAdd: true, ir.OpSub: true, ir.OpMul: true, ir.OpNeg: true, ir.OpFma: true, ir.OpAbsorb: true}

// arithmetic is an op whose result is an element of an integer dtype.
func (n *normalizer) arithmetic(v *ir.Value, args []*poly) *poly {
	switch {
	case modular[v.Op]:
		bare := make([]*poly, len(args))
		for i, p := range args {
			bare[i] = unwrapped(v.Type.Elem, p)
		}
		return n.wrapped(v.Type.Elem, n.apply(v.Op, bare))
	case v.Op == ir.OpPow, v.Op == ir.OpAbs:
		return n.wrapped(v.Type.Elem, n.apply(v.Op, args))
	}
	return n.apply(v.Op, args)
}

// cast is a value as an element of another type.
func (n *normalizer) cast(v *ir.Value, p *poly) *poly {
	from := v.Args[0]
	switch {
	case v.Type.Kind == ir.Bool || v.Type.Kind == ir.Typed && ir.ClassOf(n.elems, v.Type.Elem) == ir.ClassBool:
		if from.Type.Kind == ir.Bool {
			return p
		}
		return n.not(n.isZero(p))
	case !n.whole(v.Type) || from.Type.Kind == ir.Bool:
		return p
	case n.whole(from.Type), from.Type.Kind == ir.Exact && ir.IsWhole(from):
		return n.wrapped(v.Type.Elem, p)
	}
	return n.single(n.atom(kindFunc, "cast "+v.Type.Elem.String(), p), one)
}

// wrapped is p as an element of an integer dtype.
func (r *ring) wrapped(e ir.Elem, p *poly) *poly {
	if c, ok := p.number(); ok && c.IsInt() && c.Num().IsInt64() && c.Num().Int64() >= 0 && c.Num().Int64() < 1<<7 {
		return p // which every dtype holds
	}
	if only := factorOf(p); only != nil {
		switch {
		case only.kind == kindRead && only.elem == e.String(), only.kind == kindFunc && only.name == wrapName(e):
			return p
		case (only.kind == kindIndex || only.kind == kindSize) && e.Name == "i64":
			return p
		}
	}
	return r.single(r.atom(kindFunc, wrapName(e), p), one)
}

func wrapName(e ir.Elem) string { return "wrap " + e.String() }

// unwrapped is p without that it has wrapped, for what wraps again.
func unwrapped(e ir.Elem, p *poly) *poly {
	if only := factorOf(p); only != nil && only.kind == kindFunc && only.name == wrapName(e) {
		return only.args[0]
	}
	return p
}

// factorOf is the atom that p is; nil: it is none.
func factorOf(p *poly) *atom {
	if len(p.terms) != 1 {
		return nil
	}
	for _, t := range p.terms {
		if t.coef.Cmp(one) == 0 && len(t.mono) == 1 && t.mono[0].exp.Cmp(one) == 0 {
			return t.mono[0].atom
		}
	}
	return nil
}
