package gocpu

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/emit/general"
	"github.com/opgen/opgen/codegen/ir"
)

// When extents that the spec gives are known: of attributes alone before tensors are bound, others when inputs are.
var dimStages = [...]struct {
	name, doc string
	takes     func(d *ir.Dim) bool
}{
	{"Fix", "fixes extents that attributes tell, before tensors are bound", func(d *ir.Dim) bool { return ofAttrs(d) }},
	{"Extents", "finds extents that follow from those of the inputs", func(d *ir.Dim) bool { return !ofAttrs(d) }},
}

func ofAttrs(d *ir.Dim) bool {
	found := false
	ir.Walk(d.Value, func(v *ir.Value) bool {
		found = found || v.Op == ir.OpExtent
		return !found
	})
	return !found
}

// dims are the extents of a stage that the spec gives, of axes that tensors have.
func (g *opGen) dims(gr *group, stage int) []ir.Dim {
	if gr.refused != nil {
		return nil
	}
	var r []ir.Dim
	for _, d := range gr.variants[0].Variant.Forward.Dims {
		if g.axis(d.Axis.Name) >= 0 && dimStages[stage].takes(&d) {
			r = append(r, d)
		}
	}
	return r
}

// like are packs of outputs that are written as other packs, with these, by number.
func (g *opGen) like(gr *group) [][2]int {
	if gr.refused != nil {
		return nil
	}
	var r [][2]int
	for _, p := range g.decl.Outputs {
		for _, t := range gr.variants[0].Variant.Forward.Outputs {
			if t.Name != p.Name || len(t.Axes) != len(p.Axes) {
				continue
			}
			for k, a := range p.Axes {
				if x := t.Axes[k]; a.Pack && x.Pack && x.Of == "" && a.Name != x.Name {
					r = append(r, [2]int{g.axis(a.Name), g.axis(x.Name)})
				}
			}
		}
	}
	return r
}

// makeDims writes the functions that compute extents; they are in the file of portable functions.
func (g *opGen) makeDims() error {
	for stage, st := range dimStages {
		texts := map[string]string{}
		var cases []string
		for _, gr := range g.groups {
			dims := g.dims(gr, stage)
			var like [][2]int
			if stage == 1 {
				like = g.like(gr)
			}
			if dims == nil && like == nil {
				continue
			}
			key := fmt.Sprintln(like)
			for _, d := range dims {
				key += d.Axis.Name + " = " + d.Value.String() + "\n"
			}
			if texts[key] == "" {
				name := fmt.Sprintf("%s%s%d", g.low, st.name, len(texts))
				k := g.kernel(name)
				k.Doc = fmt.Sprintf("%s %s.", name, st.doc)
				text, err := general.Extents(k, dims, like)
				if err != nil {
					return g.errorf("an extent: %v", err)
				}
				texts[key] = name
				g.portable = append(g.portable, text)
			}
			cases = append(cases, fmt.Sprintf("case %d:\nreturn %s(%s)\n", gr.index, texts[key], g.argNames()))
		}
		if cases == nil {
			continue
		}
		g.dimmed[stage] = true
		k := g.kernel(g.low + st.name)
		text := fmt.Sprintf("// %s %s.\nfunc %[1]s(%[3]s, variant int) error {\nswitch variant {\n", k.Name, st.doc, k.Params)
		for _, c := range cases {
			text += c
		}
		g.portable = append(g.portable, text+"}\nreturn nil\n}\n")
	}
	return nil
}

// bind binds tensors: those given, or with fresh the inputs alone.
func (f *apiFunc) bind(back, fresh bool, vals, place jen.Code, tensors []jen.Code) {
	g := f.g
	bound := jen.Op("&").Id("bound")
	if g.dimmed == [len(dimStages)]bool{} {
		how := "Bind"
		if fresh {
			how = "BindNew"
		}
		f.try(f.signature(back).Dot(how).Call(append([]jen.Code{bound, place}, tensors...)...), nil)
		return
	}
	variant := jen.Code(jen.Id("variant"))
	if len(g.groups) == 1 {
		variant = jen.Lit(0)
	}
	derive := func(stage int, wrap func(jen.Code) jen.Code) {
		if g.dimmed[stage] {
			f.try(jen.Id(g.low+dimStages[stage].name).Call(append(g.runArgs(bound, vals), variant)...), wrap)
		}
	}
	inputs := len(g.decl.Inputs)
	if back {
		live := g.live().backward
		inputs = 0
		for inputs < len(live.params) && live.params[inputs].mode == "In" {
			inputs++
		}
	}
	derive(0, nil)
	f.try(f.signature(back).Dot("BindInputs").Call(append([]jen.Code{bound, place}, tensors[:inputs]...)...), nil)
	derive(1, func(err jen.Code) jen.Code { return jen.Id("bound").Dot("Fail").Call(err) })
	f.try(f.signature(back).Dot("BindOutputs").Call(append([]jen.Code{bound}, slices.Clone(tensors[inputs:])...)...), nil)
}
