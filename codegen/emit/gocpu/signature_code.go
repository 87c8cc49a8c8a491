package gocpu

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/ir"
)

// dtypeSet is a set of dtypes, for runtime.Var.
func dtypeSet(names []string) jen.Code {
	var or *jen.Statement
	add := func(c jen.Code) {
		if or == nil {
			or = jen.Add(c)
		} else {
			or = or.Op("|").Add(c)
		}
	}
	left := slices.Clone(names)
	for _, s := range dtypeSets { // the largest first
		if !slices.ContainsFunc(s.names, func(n string) bool { return !slices.Contains(left, n) }) {
			add(jen.Qual(runtimePath, s.name))
			left = slices.DeleteFunc(left, func(n string) bool { return slices.Contains(s.names, n) })
		}
	}
	for _, n := range left {
		add(jen.Lit(1).Op("<<").Qual(runtimePath, runtimeName[n]))
	}
	return or
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

// nameSignatures writes the signatures of all groups, once their programs are written. Equal ones have one name.
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
		f := []jen.Code{field("Name", jen.Lit(p.shown())), field("Mode", jen.Qual(runtimePath, p.mode))}
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
		if kept := g.kept(p); kept != nil {
			f = append(f, field("Kept", jen.Index().Qual(runtimePath, "Kept").Values(kept...)))
		}
		if share := s.shares(i); share != nil {
			f = append(f, field("InPlace", share))
		}
		if n := s.batched(i); n > 0 {
			f = append(f, field("Batch", jen.Lit(n)))
		}
		params = append(params, jen.Line().Lit(i).Op(":").Values(f...))
	}
	f := []jen.Code{
		jen.Line().Add(field("Op", jen.Lit(g.fullName()))),
		field("Vars", jen.Id(g.varsName(s.back))),
		field("Axes", jen.Id(g.low+"Axes")),
	}
	if g.placed() != nil || g.keep() != nil {
		f = append(f, field("Placed", jen.Op("&").Id(g.low+"Placed")))
	}
	if s.outer() && g.placed() == nil && g.keep() == nil {
		f = append(f, field("Outer", jen.True()))
	}
	if len(g.alike()) > 0 {
		f = append(f, field("Alike", jen.Id(g.low+"Alike")))
	}
	scratch, err := g.scratch(s)
	if err != nil {
		return nil, err
	}
	if scratch != nil {
		f = append(f, jen.Line().Add(field("Scratch", jen.Index().Qual(runtimePath, "Scratch").Values(scratch...))))
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
	vars := func(dtypes func(name string) []string) jen.Code {
		return jen.Index().Qual(runtimePath, "Var").ValuesFunc(func(v *jen.Group) {
			for _, e := range g.decl.ElemVars {
				v.Values(field("Name", jen.Lit(e.Name)), field("DTypes", dtypeSet(dtypes(e.Name))))
			}
		})
	}
	axes := jen.Index().Qual(runtimePath, "Axis").ValuesFunc(func(v *jen.Group) {
		for _, a := range g.axes {
			f := []jen.Code{field("Name", jen.Lit(a.Name))}
			if a.Pack {
				f = append(f, field("Pack", jen.True()))
			}
			if r := g.ranks(a.Name); r != 0 {
				f = append(f, field("Ranks", jen.Lit(int(r))))
			}
			v.Values(f...)
		}
	})
	defs := []jen.Code{jen.Id(g.low + "Vars").Op("=").Add(vars(g.varDTypes)), jen.Id(g.low + "Axes").Op("=").Add(axes)}
	if slices.ContainsFunc(g.groups, func(gr *group) bool { return gr.backward != nil }) && g.varsName(true) != g.varsName(false) {
		defs = append(defs, jen.Id(g.varsName(true)).Op("=").Add(vars(g.gradDTypes)))
	}
	numbers := func(names []string) jen.Code {
		return jen.Index().Int().ValuesFunc(func(v *jen.Group) {
			for _, n := range names {
				v.Lit(g.axis(n))
			}
		})
	}
	if alike := g.alike(); len(alike) > 0 {
		defs = append(defs, jen.Id(g.low+"Alike").Op("=").Index().Index().Int().ValuesFunc(func(v *jen.Group) {
			for _, packs := range alike {
				v.ValuesFunc(func(v *jen.Group) {
					for _, n := range packs {
						v.Lit(g.axis(n))
					}
				})
			}
		}))
	}
	if at, k := g.placed(), g.keep(); at != nil || k != nil {
		var f []jen.Code
		if at != nil {
			f = append(f, field("Attr", jen.Lit(at.decl.Name)), field("Axes", numbers(at.decl.Axes)))
		}
		defs = append(defs, jen.Id(g.low+"Placed").Op("=").Qual(runtimePath, "Placed").Values(f...))
	}
	return jen.Var().Defs(defs...)
}

// alike are packs that have one number of axes, and packs that a list has an entry for each axis of.
func (g *opGen) alike() [][]string {
	var r [][]string
	for _, x := range g.decl.Ranks {
		if len(x.Packs) > 1 || slices.ContainsFunc(g.attrs, func(a *attr) bool { return slices.Contains(x.Packs, a.decl.List) }) {
			r = append(r, x.Packs)
		}
	}
	return r
}

// ranks are the numbers of axes (bits) that a pack may have; 0: any.
func (g *opGen) ranks(pack string) uint16 {
	for _, x := range g.decl.Ranks {
		if !x.Spread || !slices.Contains(x.Packs, pack) {
			continue
		}
		set := uint16(0)
		for _, f := range g.op.Functions {
			k := slices.IndexFunc(f.Variant.Choices, func(c ir.Choice) bool { return c.Rank == x.Packs[0] })
			if k < 0 {
				return 0 // some variants take any
			}
			set |= 1 << f.Variant.Choices[k].N
		}
		return set
	}
	return 0
}

// kept are the places of the axes that keepdims keeps, in a tensor that is shaped as an output: behind those that they follow in the
// first input that has one. Where another axis takes the place of one, nothing is kept.
func (g *opGen) kept(p *param) []jen.Code {
	k := g.keep()
	if k == nil || p.saved || p.mode != "Out" && p.mode != "Back" {
		return nil
	}
	keeps := func(a ir.AxisRef) bool { return a.Product == nil && slices.Contains(k.decl.Axes, a.Name) }
	i := slices.IndexFunc(g.decl.Inputs, func(q *ir.Param) bool { return slices.ContainsFunc(q.Axes, keeps) })
	if i < 0 {
		return nil
	}
	var r []jen.Code
	at := 0
	for _, a := range g.decl.Inputs[i].Axes {
		j := slices.IndexFunc(p.dims, func(d ir.AxisRef) bool { return g.alikePlaced(a, d) })
		switch {
		case j >= 0:
			at = max(at, j+1)
		case keeps(a):
			r = append(r, jen.Values(field("At", jen.Lit(at)), field("Axis", jen.Lit(g.axis(a.Name)))))
		}
	}
	return r
}

// alikePlaced tells whether two axes are the same, products of the same, or placed by one attribute.
func (g *opGen) alikePlaced(a, b ir.AxisRef) bool {
	if a.Product != nil || b.Product != nil {
		return slices.EqualFunc(a.Product, b.Product, g.alikePlaced)
	}
	at := g.placed()
	both := at != nil && slices.Contains(at.decl.Axes, a.Name) && slices.Contains(at.decl.Axes, b.Name)
	return a.Name == b.Name || both
}
