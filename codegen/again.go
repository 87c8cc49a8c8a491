package codegen

import (
	"slices"

	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/ir"
)

// again finds what can't be kept for a derivative, and gives the functions that are to be lowered again without. What a call
// keeps has a place in the signature of the op: it has all axes of a pack or none, and the same in all variants that a
// call chooses among by the extents and numbers of axes of its tensors.
func again(all []*Function) []*Function {
	var list []*Function
	mark := func(f *Function, name string) {
		if f.again(name) && !slices.Contains(list, f) {
			list = append(list, f)
		}
	}
	byOp := map[*ir.OpDecl][]*Function{}
	for _, f := range all {
		byOp[f.Op] = append(byOp[f.Op], f)
	}
	for _, f := range all {
		for _, t := range f.saved() {
			if !emit.WholePacks(f.Op, f.Variant, t) {
				mark(f, t.Name)
			}
		}
		for _, g := range byOp[f.Op] {
			if g == f || apart(f.Variant, g.Variant) {
				continue
			}
			for _, t := range f.saved() {
				for _, u := range g.saved() {
					if t.Name == u.Name && emit.Fuller(emit.AxisRefs(t.Axes), emit.AxisRefs(u.Axes)) == nil {
						mark(f, t.Name)
					}
				}
			}
		}
	}
	return list
}

// saved are the tensors that a function keeps for its derivative.
func (f *Function) saved() []*ir.Tensor {
	r := slices.Clone(f.Kept)
	for _, p := range f.Pairs {
		if p.Forward != nil {
			r = append(r, p.Forward.Saved...)
		}
	}
	return r
}

// apart tells whether two variants are for different choices that are made before tensors are bound.
func apart(v, w *ir.Variant) bool {
	return slices.ContainsFunc(v.Choices, func(a ir.Choice) bool {
		return !emit.Late(a) && slices.ContainsFunc(w.Choices, func(b ir.Choice) bool {
			switch {
			case a.Attr != "":
				return b.Attr == a.Attr && b.Word != a.Word
			case a.Present != "":
				return b.Present == a.Present && b.Holds != a.Holds
			}
			return a.Cond != nil && b.Cond != nil && ir.Equal(a.Cond, b.Cond) && a.Holds != b.Holds
		})
	})
}
