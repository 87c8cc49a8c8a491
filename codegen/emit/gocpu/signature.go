package gocpu

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/ir"
)

// signature is a runtime.Signature: the tensors of a function in the order in which it binds them.
type signature struct {
	name   string // the variable
	value  jen.Code
	run    string // the function that runs its programs
	params []*param
	group  *group
	back   bool     // of the backward function
	part   string   // which part of the op its programs compute; "": all
	taken  []taking // once its programs are written
}

// param is one tensor of a signature.
type param struct {
	name     string // as in the spec: x, y, @y, @x
	mode     string // runtime.Mode
	elem     ir.Elem
	dims     []ir.AxisRef
	optional bool
	fallback float64 // of an absent input
	saved    bool    // computed by forward for backward
	of       int     // Gradient: the input
}

// shown is how messages call the parameter.
func (p *param) shown() string {
	if of, ok := strings.CutPrefix(p.name, "@"); ok {
		return "gradient of " + of
	}
	return p.name
}

func (p *param) written() bool {
	return p.mode == "Inout" || p.mode == "Out" || p.mode == "Gradient"
}

// splat reports whether the parameter may be a page of equal elements.
func (p *param) splat() bool { return p.mode == "In" }

// index is the parameter for a tensor of a program, -1 where there is none.
func (s *signature) index(t *ir.Tensor) int {
	find := func(name string, modes ...string) int {
		return slices.IndexFunc(s.params, func(p *param) bool { return p.name == name && slices.Contains(modes, p.mode) })
	}
	switch t.Role {
	case ir.Input, ir.Inout, ir.State:
		return find(t.Name, "In", "Inout")
	case ir.Output:
		if t.Of != nil && t.Of.Role != ir.Output {
			return find(t.Of.Name, "Inout")
		}
		return find(t.Name, "Out", "Back")
	case ir.Cotangent:
		return find("@"+t.Of.Name, "Back")
	case ir.Gradient:
		return find("@"+t.Of.Name, "Gradient")
	}
	return slices.IndexFunc(s.params, func(p *param) bool { return p.name == t.Name && p.saved })
}

// renewed is the parameter that a new value of an inout or state belongs to, -1 for other tensors.
func (s *signature) renewed(t *ir.Tensor) int {
	if t.Role == ir.Output && t.Of != nil && t.Of.Role != ir.Output {
		return s.index(t)
	}
	return -1
}

// makeAxes numbers the axes of an op, in order of appearance.
func (g *opGen) makeAxes() {
	add := func(name string, pack bool) {
		if !slices.ContainsFunc(g.axes, func(a *ir.Axis) bool { return a.Name == name }) {
			g.axes = append(g.axes, &ir.Axis{Name: name, Pack: pack})
		}
	}
	var refs func(list []ir.AxisRef)
	refs = func(list []ir.AxisRef) {
		for _, r := range list {
			if r.Product != nil {
				refs(r.Product)
				continue
			}
			add(r.Name, r.Pack)
		}
	}
	for _, p := range slices.Concat(g.decl.Inputs, g.decl.Outputs) {
		refs(p.Axes)
	}
	for _, f := range g.op.Functions {
		if f.Variant.Forward != nil {
			refs(emit.AxisRefs(f.Variant.Forward.Axes))
			for _, t := range f.Variant.Forward.Outputs {
				refs(emit.AxisRefs(t.Axes))
			}
		}
	}
}

// axis is the number of an axis.
func (g *opGen) axis(name string) int {
	return slices.IndexFunc(g.axes, func(a *ir.Axis) bool { return a.Name == name })
}

// programs are all forward or backward programs of a group.
func (gr *group) programs(back bool) []*emit.Program {
	var r []*emit.Program
	for _, f := range gr.variants {
		for _, p := range f.Pairs {
			if back && p.NoGrad {
				continue
			}
			if back {
				r = append(r, p.Backward)
			} else {
				r = append(r, p.Forward)
			}
		}
	}
	return r
}

// pairs are the functions that calls with a signature run, of all variants, dtypes and phases.
func (gr *group) pairs(back bool) []*emit.Pair {
	var r []*emit.Pair
	add := func(list []emit.Pair) {
		for i := range list {
			r = append(r, &list[i])
		}
	}
	for _, f := range gr.variants {
		add(f.Pairs)
		for _, ph := range f.Phases {
			if !back {
				add(ph.Pairs)
			}
		}
	}
	return r
}

// makeSignatures makes the signatures of a group.
func (g *opGen) makeSignatures(gr *group) error {
	if gr.refused != nil {
		return nil
	}
	for _, p := range gr.programs(false) {
		if p == nil {
			return g.errorf("no program for one of its variants")
		}
	}
	gr.forward = &signature{name: g.low + gr.suffix + "Forward", group: gr}
	if err := g.inputs(gr.forward); err != nil {
		return err
	}
	for _, d := range g.decl.Outputs {
		p := &param{name: d.Name, mode: "Out", elem: d.Elem, dims: d.Axes}
		for i, f := range gr.live() {
			outs := f.Variant.Forward.Outputs
			k := slices.IndexFunc(outs, func(t *ir.Tensor) bool { return t.Name == d.Name })
			switch {
			case k < 0:
				return g.errorf("output %s is not set in all variants", d.Name)
			case !d.Infer:
			case i == 0:
				p.dims = emit.AxisRefs(outs[k].Axes)
			default:
				if p.dims = emit.Fuller(p.dims, emit.AxisRefs(outs[k].Axes)); p.dims == nil {
					return g.errorf("output %s has other axes where packs have other numbers of axes", d.Name)
				}
			}
		}
		gr.forward.params = append(gr.forward.params, p)
	}
	saved, err := g.saved(gr)
	if err != nil {
		return err
	}
	gr.forward.params = append(gr.forward.params, saved...)
	if len(gr.programs(true)) == 0 {
		return nil
	}
	if slices.Contains(gr.programs(true), nil) {
		if slices.ContainsFunc(gr.programs(true), func(p *emit.Program) bool { return p != nil }) {
			return g.errorf("a derivative for some dtypes or extents only")
		}
		return nil
	}
	return g.backwardSignature(gr, saved)
}

// inputs adds the inputs of the op.
func (g *opGen) inputs(s *signature) error {
	for _, d := range g.decl.Inputs {
		p := &param{name: d.Name, mode: "In", elem: d.Elem, dims: d.Axes, optional: d.Optional}
		if d.Mode != ir.Input {
			p.mode = "Inout"
		}
		if t := g.tensor(d.Name); t != nil && t.Default != nil {
			p.fallback, _ = t.Default.Float64()
		}
		s.params = append(s.params, p)
	}
	return nil
}

// tensor is an input of the first variant that has it.
func (g *opGen) tensor(name string) *ir.Tensor {
	for _, f := range g.op.Functions {
		if f.Variant.Forward == nil {
			continue
		}
		for _, t := range f.Variant.Forward.Inputs {
			if t.Name == name {
				return t
			}
		}
	}
	return nil
}

// saved are the parameters for what forward computes for backward alone, in any of the programs.
func (g *opGen) saved(gr *group) ([]*param, error) {
	var list []*param
	for _, f := range gr.variants {
		for _, t := range f.Saved() {
			if !emit.WholePacks(g.decl, f.Variant, t) {
				return nil, g.errorf("%s is saved with some of the axes of a pack", t.Name)
			}
			k := slices.IndexFunc(list, func(p *param) bool { return p.name == t.Name })
			if k >= 0 {
				if list[k].dims = emit.Fuller(list[k].dims, emit.AxisRefs(t.Axes)); list[k].dims == nil {
					return nil, g.errorf("%s is saved with different axes", t.Name)
				}
				continue
			}
			list = append(list, &param{name: t.Name, mode: "Out", elem: g.keptElem(t.Elem), dims: emit.AxisRefs(t.Axes), optional: true, saved: true})
		}
	}
	return list, nil
}

// backwardSignature takes all inputs of forward, what is read of its outputs and of what it saved, cotangents, and
// gradients.
func (g *opGen) backwardSignature(gr *group, saved []*param) error {
	s := &signature{name: g.low + gr.suffix + "Backward", group: gr, back: true}
	if err := g.inputs(s); err != nil {
		return err
	}
	reads := func(role ir.Role, name string) bool {
		for _, prog := range gr.programs(true) {
			for _, t := range prog.Func.Inputs {
				if t.Role == role && (t.Name == name || role == ir.Cotangent && t.Of.Name == name) && prog.Takes(t) {
					return true
				}
			}
		}
		return false
	}
	for _, p := range s.params {
		if p.mode != "Inout" || !reads(ir.Inout, p.name) {
			continue
		}
		if gr.changes(p.name) {
			return g.errorf("its derivative reads the value of %s from before the call, which changed it", p.name)
		}
		p.mode = "In" // it is as it was
	}
	s.params = slices.DeleteFunc(s.params, func(p *param) bool { return p.mode == "Inout" })
	outputs := gr.forward.params[len(g.decl.Inputs):]
	for _, p := range outputs {
		if !p.saved && reads(ir.Output, p.name) {
			s.params = append(s.params, &param{name: p.name, mode: "Back", elem: p.elem, dims: p.dims})
		}
	}
	for _, p := range saved {
		if reads(ir.Local, p.name) {
			s.params = append(s.params, &param{name: p.name, mode: "Back", elem: p.elem, dims: p.dims, saved: true})
		}
	}
	for _, p := range outputs {
		if !p.saved && reads(ir.Cotangent, p.name) {
			s.params = append(s.params, &param{name: "@" + p.name, mode: "Back", elem: p.elem, dims: p.dims})
		}
	}
	for _, d := range g.decl.Inputs {
		given := slices.ContainsFunc(gr.programs(true), func(prog *emit.Program) bool {
			return slices.ContainsFunc(prog.Func.Outputs, func(t *ir.Tensor) bool { return t.Role == ir.Gradient && t.Of.Name == d.Name })
		})
		of := slices.IndexFunc(s.params, func(p *param) bool { return p.name == d.Name && p.mode == "In" })
		if given && of >= 0 {
			s.params = append(s.params, &param{name: "@" + d.Name, mode: "Gradient", elem: d.Elem, dims: d.Axes, of: of})
		}
	}
	gr.backward = s
	return nil
}

// changes tells whether a forward function of the group gives an inout another value.
func (gr *group) changes(name string) bool {
	for _, prog := range gr.programs(false) {
		for _, t := range prog.Func.Outputs {
			if t.Of == nil || t.Of.Name != name {
				continue
			}
			same := false
			for _, d := range prog.Func.Defs {
				same = same || d.Target == t && d.IsPointwise() && ir.Equal(d.Body, ir.Read(t.Of, d.Dest...))
			}
			if !same {
				return true
			}
		}
	}
	return false
}

// inPlace reports whether parameter out may be given the memory of parameter in: in all programs.
func (s *signature) inPlace(out, in int) bool {
	for _, prog := range s.group.programs(s.back) {
		o, i := s.tensorOf(prog, out, true), s.tensorOf(prog, in, false)
		if o == nil || i == nil {
			continue
		}
		if !prog.MayShare(o, i) {
			return false
		}
	}
	return true
}

// tensorOf is the tensor of a program for a parameter: the one written, or the one read.
func (s *signature) tensorOf(prog *emit.Program, i int, written bool) *ir.Tensor {
	list := prog.Func.Inputs
	if written {
		list = slices.Concat(prog.Func.Outputs, prog.Saved())
	}
	for _, t := range list {
		if s.index(t) == i {
			return t
		}
	}
	return nil
}
