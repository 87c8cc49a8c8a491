package gocpu

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/nest"
)

// signature is a runtime.Signature: the tensors of a function in the order in which it binds them.
type signature struct {
	name   string // the variable
	value  jen.Code
	run    string // the function that runs its programs
	params []*param
	group  *group
	back   bool // of the backward function
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

// list gives the parameters that a condition holds for.
func (s *signature) list(keep func(p *param) bool) []int {
	var r []int
	for i, p := range s.params {
		if keep(p) {
			r = append(r, i)
		}
	}
	return r
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
			for _, a := range f.Variant.Forward.Axes {
				add(a.Name, a.Pack)
			}
		}
	}
}

// axis is the number of an axis.
func (g *opGen) axis(name string) int {
	return slices.IndexFunc(g.axes, func(a *ir.Axis) bool { return a.Name == name })
}

// axisRefs are axes of a tensor as they would be written.
func axisRefs(axes []*ir.Axis) []ir.AxisRef {
	refs := []ir.AxisRef{}
	for _, a := range axes {
		refs = append(refs, ir.AxisRef{Name: a.Name, Pack: a.Pack})
	}
	return refs
}

// programs are all forward or backward programs of a group.
func (gr *group) programs(back bool) []*nest.Program {
	var r []*nest.Program
	for _, f := range gr.variants {
		for _, p := range f.Pairs {
			if back {
				r = append(r, p.Backward)
			} else {
				r = append(r, p.Forward)
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
	first := gr.variants[0].Variant.Forward
	for _, d := range g.decl.Outputs {
		p := &param{name: d.Name, mode: "Out", elem: d.Elem, dims: d.Axes}
		k := slices.IndexFunc(first.Outputs, func(t *ir.Tensor) bool { return t.Name == d.Name })
		if k < 0 {
			return g.errorf("output %s is not set in all variants", d.Name)
		}
		if d.Infer {
			p.dims = axisRefs(first.Outputs[k].Axes)
		}
		gr.forward.params = append(gr.forward.params, p)
	}
	saved, err := g.saved(gr)
	if err != nil {
		return err
	}
	gr.forward.params = append(gr.forward.params, saved...)
	if slices.Contains(gr.programs(true), nil) {
		if slices.ContainsFunc(gr.programs(true), func(p *nest.Program) bool { return p != nil }) {
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
	for _, prog := range gr.programs(false) {
		for _, t := range prog.Saved {
			k := slices.IndexFunc(list, func(p *param) bool { return p.name == t.Name })
			if k >= 0 {
				if !slices.EqualFunc(list[k].dims, axisRefs(t.Axes), func(a, b ir.AxisRef) bool { return a.Name == b.Name }) {
					return nil, g.errorf("%s is saved with different axes", t.Name)
				}
				continue
			}
			list = append(list, &param{name: t.Name, mode: "Out", elem: t.Elem, dims: axisRefs(t.Axes), optional: true, saved: true})
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
			for _, l := range prog.Launches {
				for _, b := range l.Operands {
					t := b.Tensor
					if t.Role == role && (t.Name == name || role == ir.Cotangent && t.Of.Name == name) && slices.Contains(prog.Func.Inputs, t) {
						return true
					}
				}
			}
		}
		return false
	}
	for _, p := range s.params {
		if p.mode == "Inout" && reads(ir.Inout, p.name) {
			return g.errorf("its derivative reads the value of %s from before the call, which changed it", p.name)
		}
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
		given := slices.ContainsFunc(gr.programs(true), func(prog *nest.Program) bool {
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
func (s *signature) tensorOf(prog *nest.Program, i int, written bool) *ir.Tensor {
	list := prog.Func.Inputs
	if written {
		list = slices.Concat(prog.Func.Outputs, prog.Saved)
	}
	for _, t := range list {
		if s.index(t) == i {
			return t
		}
	}
	return nil
}

// dtypeMode says which dtypes a set of names is, for runtime.Var.
func dtypeSet(names []string) jen.Code {
	sets := map[string]string{"f32 f64": "Floats", "i32 i64": "Ints"}
	slices.Sort(names)
	if len(names) == 2 && sets[names[0]+" "+names[1]] != "" {
		return jen.Qual(runtimePath, sets[names[0]+" "+names[1]])
	}
	var or *jen.Statement
	for _, n := range names {
		one := jen.Lit(1).Op("<<").Qual(runtimePath, runtimeName[n])
		if or == nil {
			or = one
		} else {
			or = or.Op("|").Add(one)
		}
	}
	return or
}

var runtimeName = map[string]string{"f32": "F32", "f64": "F64", "i32": "I32", "i64": "I64"}

// varDTypes are the dtypes of a variable that kernels exist for.
func (g *opGen) varDTypes(name string) []string {
	var r []string
	for _, f := range g.op.Functions {
		for _, p := range f.Pairs {
			if d := p.DTypes[name]; !slices.Contains(r, d) {
				r = append(r, d)
			}
		}
	}
	return r
}

// elemCode is an element type for runtime; variables have numbers.
func (g *opGen) elemCode(e ir.Elem) (jen.Code, error) {
	k := slices.IndexFunc(g.decl.ElemVars, func(v ir.ElemVar) bool { return v.Name == e.Name })
	var fields []jen.Code
	switch {
	case k < 0 && runtimeName[e.Name] == "":
		return nil, g.errorf("the dtype %s is not supported in Go", e.Name)
	case k < 0:
		fields = append(fields, field("Fixed", jen.Qual(runtimePath, runtimeName[e.Name])))
	case k > 0:
		fields = append(fields, field("Var", jen.Lit(k)))
	}
	switch e.Wrap {
	case "acc":
		fields = append(fields, field("Wrap", jen.Qual(runtimePath, "AccOf")))
	case "sum":
		fields = append(fields, field("Wrap", jen.Qual(runtimePath, "SumOfInts")))
	}
	if fields == nil {
		return nil, nil
	}
	return jen.Qual(runtimePath, "Elem").Values(fields...), nil
}

// dimsCode are dimensions of a parameter.
func (g *opGen) dimsCode(dims []ir.AxisRef) jen.Code {
	return jen.Index().Qual(runtimePath, "Dim").ValuesFunc(func(v *jen.Group) {
		for _, d := range dims {
			if d.Product == nil {
				f := []jen.Code{field("Axis", jen.Lit(g.axis(d.Name)))}
				if d.Optional {
					f = append(f, field("Optional", jen.True()))
				}
				v.Values(f...)
				continue
			}
			v.Values(field("Factors", jen.Index().Int().ValuesFunc(func(v *jen.Group) {
				for _, p := range d.Product {
					v.Lit(g.axis(p.Name))
				}
			})))
		}
	})
}

// outer reports whether every tensor has one and the same pack for all its axes, or none.
func (s *signature) outer() bool {
	pack := ""
	for _, p := range s.params {
		switch {
		case len(p.dims) == 0:
		case len(p.dims) > 1 || !p.dims[0].Pack || p.dims[0].Optional || pack != "" && p.dims[0].Name != pack:
			return false
		default:
			pack = p.dims[0].Name
		}
	}
	return pack != ""
}

// nameSignatures writes the signatures of all groups. Equal ones have one name.
func (g *opGen) nameSignatures() error {
	seen := map[string]string{}
	for _, gr := range g.groups {
		for _, s := range []*signature{gr.forward, gr.backward} {
			if s == nil {
				continue
			}
			v, err := g.signatureValue(s)
			if err != nil {
				return err
			}
			text := render1([]jen.Code{v})
			if name, ok := seen[text]; ok {
				s.name = name
				continue
			}
			seen[text], s.value = s.name, v
		}
	}
	return nil
}

// signatureValue is a signature as a literal.
func (g *opGen) signatureValue(s *signature) (jen.Code, error) {
	var params []jen.Code
	for i, p := range s.params {
		f := []jen.Code{field("Name", jen.Lit(p.name)), field("Mode", jen.Qual(runtimePath, p.mode))}
		elem, err := g.elemCode(p.elem)
		if err != nil {
			return nil, err
		}
		if elem != nil {
			f = append(f, field("Elem", elem))
		}
		if len(p.dims) > 0 {
			f = append(f, field("Dims", g.dimsCode(p.dims)))
		}
		if p.optional {
			f = append(f, field("Optional", jen.True()))
		}
		if p.splat() {
			f = append(f, field("Splat", jen.True()))
		}
		if p.fallback != 0 {
			e, _ := width64.literal(p.fallback)
			f = append(f, field("Default", e.code))
		}
		if p.mode == "Gradient" {
			f = append(f, field("Of", jen.Lit(p.of)))
		}
		if share := s.shares(i); share != nil {
			f = append(f, field("InPlace", share))
		}
		params = append(params, jen.Line().Lit(i).Op(":").Values(f...))
	}
	f := []jen.Code{
		jen.Line().Add(field("Op", jen.Lit(g.fullName()))),
		field("Vars", jen.Id(g.low+"Vars")),
		field("Axes", jen.Id(g.low+"Axes")),
	}
	if g.placed() != nil {
		f = append(f, field("Placed", jen.Op("&").Id(g.low+"Placed")))
	}
	if s.outer() && g.placed() == nil {
		f = append(f, field("Outer", jen.True()))
	}
	f = append(f, jen.Line().Add(field("Params", jen.Index().Qual(runtimePath, "Param").Values(append(params, jen.Line())...))), jen.Line())
	return jen.Qual(runtimePath, "Signature").Values(f...), nil
}

// shares is the set of inputs whose memory a written parameter may be, nil for none.
func (s *signature) shares(i int) jen.Code {
	if !s.params[i].written() {
		return nil
	}
	var or *jen.Statement
	for j, q := range s.params {
		if q.mode == "Out" || q.mode == "Gradient" || j == i || !s.inPlace(i, j) {
			continue
		}
		one := jen.Lit(1).Op("<<").Lit(j)
		if or == nil {
			or = one
		} else {
			or = or.Op("|").Add(one)
		}
	}
	if or == nil {
		return nil
	}
	return or
}

// placed is the attribute that places axes, and the one that keeps them.
func (g *opGen) placed() (at *attr) {
	for _, a := range g.attrs {
		if a.decl.Kind == ir.AttrAxis || a.decl.Kind == ir.AttrAxes {
			return a
		}
	}
	return nil
}

func (g *opGen) keep() *attr {
	for _, a := range g.attrs {
		if a.decl.Kind == ir.AttrKeep {
			return a
		}
	}
	return nil
}

// signatureParts declares what the signatures of an op share.
func (g *opGen) signatureParts() jen.Code {
	vars := jen.Index().Qual(runtimePath, "Var").ValuesFunc(func(v *jen.Group) {
		for _, e := range g.decl.ElemVars {
			v.Values(field("Name", jen.Lit(e.Name)), field("DTypes", dtypeSet(g.varDTypes(e.Name))))
		}
	})
	axes := jen.Index().Qual(runtimePath, "Axis").ValuesFunc(func(v *jen.Group) {
		for _, a := range g.axes {
			f := []jen.Code{field("Name", jen.Lit(a.Name))}
			if a.Pack {
				f = append(f, field("Pack", jen.True()))
			}
			v.Values(f...)
		}
	})
	defs := []jen.Code{jen.Id(g.low + "Vars").Op("=").Add(vars), jen.Id(g.low + "Axes").Op("=").Add(axes)}
	if at := g.placed(); at != nil {
		numbers := func(names []string) jen.Code {
			return jen.Index().Int().ValuesFunc(func(v *jen.Group) {
				for _, n := range names {
					v.Lit(g.axis(n))
				}
			})
		}
		f := []jen.Code{field("Attr", jen.Lit(at.decl.Name)), field("Axes", numbers(at.decl.Axes))}
		if k := g.keep(); k != nil {
			f = append(f, field("Keep", numbers(k.decl.Axes)))
		}
		defs = append(defs, jen.Id(g.low+"Placed").Op("=").Qual(runtimePath, "Placed").Values(f...))
	}
	return jen.Var().Defs(defs...)
}
