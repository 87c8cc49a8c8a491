package check

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

// addKeeps notes what the author wants saved or computed again: definitions, for lets that are numbers of the call cost nothing.
func (l *lowering) addKeeps(e *env) {
	for _, save := range []bool{false, true} {
		for _, k := range l.keeps {
			for _, id := range k.Names {
				v := l.table[id.Name]
				switch {
				case k.Save != save || v == nil || v.broken || v.tensor == nil || v.tensor.Role != ir.Local:
				case !save:
					l.fn.Recompute = append(l.fn.Recompute, l.partsOf(v.tensor)...)
				case l.maySave(id, v.tensor, e):
					l.fn.Save = append(l.fn.Save, v.tensor)
				}
			}
		}
	}
	if l.callee == nil { // the axes of the signature are known now
		l.fn.Save = slices.DeleteFunc(l.fn.Save, func(t *ir.Tensor) bool { return l.placeless(t) >= 0 })
	}
}

// placeless is the first axis of a tensor that no tensor of the signature has; -1 where there is none.
func (l *lowering) placeless(t *ir.Tensor) int {
	return slices.IndexFunc(t.Axes, func(a *ir.Axis) bool { return a.Size != nil || l.fn.Owns(a) })
}

// maySave tells whether a call can keep a definition, and reports why not: but of an op that is called, which saves what the caller can. What axes the
// caller has isn't known there yet.
func (l *lowering) maySave(id dsl.Ident, t *ir.Tensor, e *env) bool {
	const hint = "leave it out: the derivative computes it again from what it is made of"
	k := l.placeless(t)
	at, name := site{id.Span, e}, quote(id.Name)
	twice, float := slices.Contains(l.fn.Recompute, t), l.fn.IsFloat(t)
	switch {
	case l.callee != nil:
	case twice:
		l.errorf(at, "keep-twice", "%s is saved and computed again", name).WithHint("leave one of the two out")
	case !float:
		l.errorf(at, "keep-type", "only floats are saved; the elements of %s are %s", name, t.Elem).WithHint(hint)
	case k >= 0:
		l.errorf(at, "keep-axes", "%s can't be saved: no tensor of the signature has its axis %s", name, t.Axes[k].Name).WithHint(hint)
	}
	return !twice && float && (k < 0 || l.callee != nil)
}

// partsOf are a definition and what its formula alone is made of: reductions in it, and what it calls.
func (l *lowering) partsOf(t *ir.Tensor) []*ir.Tensor {
	named := map[*ir.Tensor]bool{}
	for _, v := range l.table {
		named[v.tensor] = true
	}
	parts := map[*ir.Tensor]bool{t: true}
	for before := 0; before < len(parts); {
		before = len(parts)
		for _, d := range l.fn.Defs {
			for r := range d.Reads() {
				if parts[d.Target] && r.Role == ir.Local && !named[r] {
					parts[r] = true
				}
			}
		}
	}
	var list []*ir.Tensor
	for _, d := range l.fn.Defs {
		if parts[d.Target] {
			list = append(list, d.Target)
		}
	}
	return list
}
