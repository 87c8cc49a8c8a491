package codegen

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl/diag"
)

// keep prepares what a spec says of the values between a function and its derivative: what is saved, forward writes beside its outputs
// and the derivative reads, however each of them runs; what is computed again isn't kept by the choice of nests either.
func (f *Function) keep() {
	f.Kept, f.Reader = nil, f.Backward
	if f.Backward == nil {
		return
	}
	for _, t := range f.Forward.Recompute {
		f.again(t.Name)
	}
	var saved []*ir.Tensor
	for _, t := range f.Forward.Save {
		if defines(f.Forward, t) && !f.Again[t.Name] {
			saved = append(saved, t)
		}
	}
	if len(saved) == 0 {
		return
	}
	r := *f.Backward
	r.Inputs = slices.Concat(r.Inputs, saved)
	r.Defs = slices.DeleteFunc(slices.Clone(r.Defs), func(d *ir.Def) bool { return slices.Contains(saved, d.Target) })
	r.Defs = ir.Live(&r)
	reads := map[*ir.Tensor]bool{}
	for _, d := range r.Defs {
		for t := range d.Reads() {
			reads[t] = true
		}
	}
	unread := func(t *ir.Tensor) bool { return slices.Contains(saved, t) && !reads[t] }
	r.Inputs = slices.DeleteFunc(r.Inputs, unread)
	f.Kept, f.Reader = slices.DeleteFunc(saved, unread), &r
}

// again notes that the derivative computes a tensor again. It tells whether that is new.
func (f *Function) again(name string) bool {
	if f.Again[name] {
		return false
	}
	if f.Again == nil {
		f.Again = map[string]bool{}
	}
	f.Again[name] = true
	return true
}

// defines tells whether a function has a definition of a tensor.
func defines(f *ir.Func, t *ir.Tensor) bool {
	return slices.ContainsFunc(f.Defs, func(d *ir.Def) bool { return d.Target == t })
}

// keepable reports what a spec wants saved and can't be: it has no place in the signature of the op.
func (b *Build) keepable(all []*Function) {
	seen := map[diag.Span]bool{}
	for _, f := range all {
		for _, t := range f.Forward.Save {
			if f.Again[t.Name] && !seen[t.Span] && !slices.Contains(f.Forward.Recompute, t) {
				seen[t.Span] = true
				b.Diags.Errorf(t.Span, "keep-axes", "%s can't be saved: its axes depend on the number of axes or the extents of a call", t.Name).
					Hint = "leave it out: the derivative computes it again from what it is made of"
			}
		}
	}
}
