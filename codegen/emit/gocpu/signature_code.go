package gocpu

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/ir"
)

// dtypeSet is a set of dtypes, for runtime.Var.
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
