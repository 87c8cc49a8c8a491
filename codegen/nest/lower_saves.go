package nest

import (
	"fmt"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// savePlan is what a forward function keeps for its derivative.
type savePlan struct {
	saved    []*ir.Tensor // of the forward function
	backward *ir.Func     // reads what is kept instead of computing it
	trace    []string
}

// planSaves decides which definitions of the forward function the backward one reads instead of computing them again.
// Both functions have the same definition where their targets have the same name and axes. Outputs are there anyway;
// with reductions, results of reductions are kept as well, but for those that are larger than every input and output:
// those, and maps, are computed again.
func planSaves(forward, backward *ir.Func, opt Options, reductions bool) savePlan {
	p := savePlan{}
	scratch := newLowering(forward, opt, nil)
	reductions = reductions && scratch.chooseFloat() == nil && scratch.define() == nil
	defs := map[*ir.Tensor]*ir.Def{}
	for _, d := range backward.Defs {
		defs[d.Target] = d
	}
	given := map[*ir.Tensor]bool{}
	seen := map[*ir.Tensor]bool{}
	var visit func(t *ir.Tensor)
	visit = func(t *ir.Tensor) {
		d := defs[t]
		if d == nil || seen[t] {
			return
		}
		seen[t] = true
		u := sameTarget(forward, t)
		switch {
		case u == nil:
		case slices.Contains(forward.Outputs, u):
			given[t] = true
			p.trace = append(p.trace, fmt.Sprintf("%s is read: it is an output of the forward function", t.Name))
			return
		case reductions && !opt.Again[u.Name] && scratch.of[u] != nil && fits(forward, u):
			given[t] = true
			p.saved = append(p.saved, u)
			p.trace = append(p.trace, fmt.Sprintf("%s is saved by the forward function", t.Name))
			return
		default:
			p.trace = append(p.trace, fmt.Sprintf("%s is computed again", t.Name))
		}
		for _, r := range inOrder(d.Reads(), backward) {
			visit(r)
		}
	}
	for _, t := range backward.Outputs {
		visit(t)
	}
	f := *backward
	f.Inputs = slices.Clone(backward.Inputs)
	f.Defs = nil
	for _, d := range backward.Defs {
		if given[d.Target] {
			f.Inputs = append(f.Inputs, d.Target)
		} else if seen[d.Target] {
			f.Defs = append(f.Defs, d)
		}
	}
	p.backward = &f
	return p
}

// inOrder lists the tensors of a set that f defines, in the order of their definitions.
func inOrder(set map[*ir.Tensor]bool, f *ir.Func) []*ir.Tensor {
	var r []*ir.Tensor
	for _, d := range f.Defs {
		if set[d.Target] {
			r = append(r, d.Target)
		}
	}
	return r
}

// sameTarget is the tensor that forward defines and that stands for t, or nil.
func sameTarget(forward *ir.Func, t *ir.Tensor) *ir.Tensor {
	for _, d := range forward.Defs {
		if u := d.Target; u == t || u.Name == t.Name && t.Role == u.Role && slices.Equal(u.Axes, t.Axes) {
			return u
		}
	}
	return nil
}

// fits says whether t isn't larger than every input and output: one of them has all its axes.
func fits(f *ir.Func, t *ir.Tensor) bool {
	return slices.ContainsFunc(slices.Concat(f.Inputs, f.Outputs), func(u *ir.Tensor) bool {
		for _, a := range t.Axes {
			if !slices.Contains(u.Axes, a) {
				return false
			}
		}
		return true
	})
}
