package gocpu

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/emit/general"
	"github.com/opgen/opgen/codegen/ir"
)

// When extents that the spec gives are computed: those that attributes and the axes of inputs tell before products are taken
// apart, where inputs have some, and others when the inputs are bound.
var dimStages = [...]struct{ name, doc string }{
	{"Factors", "finds extents that attributes and axes tell, before products are taken apart"},
	{"Extents", "finds extents that follow from attributes and those of the inputs"},
}

// dims are the extents of a stage that the spec gives, of axes that tensors have.
func (g *opGen) dims(f *ir.Func, stage int) []ir.Dim {
	known := map[string]bool{}
	products := false
	for _, p := range g.decl.Inputs {
		for _, a := range p.Axes {
			products = products || a.Product != nil
			known[a.Name] = known[a.Name] || a.Product == nil && !a.Optional && !p.Optional
		}
	}
	var stages [len(dimStages)][]ir.Dim
	for _, d := range f.Dims {
		name := packOf(d.Axis)
		if g.axis(name) < 0 {
			continue
		}
		k := 1
		if products && ofKnown(d.Value, known) {
			k = 0
			known[name] = true
		}
		stages[k] = append(stages[k], d)
	}
	return stages[stage]
}

// packOf is the name in the signature of an axis, or of the pack that it is of.
func packOf(a *ir.Axis) string {
	if a.Of != "" {
		return a.Of
	}
	return a.Name
}

// ofKnown reports whether a number is made of attributes and extents that are known.
func ofKnown(v *ir.Value, known map[string]bool) bool {
	ok := true
	ir.Walk(v, func(v *ir.Value) bool {
		ok = ok && (v.Op != ir.OpExtent || known[packOf(v.Axis)] || v.Axis.Of != "" && v.Axis.At == ir.RankOf)
		return ok
	})
	return ok
}

// like are packs of outputs that are written as other packs, with these, by number.
func (g *opGen) like(gr *group) [][2]int {
	var r [][2]int
	for _, f := range gr.live() {
		for _, p := range g.decl.Outputs {
			for _, t := range f.Variant.Forward.Outputs {
				refs := emit.AxisRefs(t.Axes)
				if t.Name != p.Name || len(refs) != len(p.Axes) {
					continue
				}
				for k, a := range p.Axes {
					pair := [2]int{g.axis(a.Name), g.axis(refs[k].Name)}
					if a.Pack && refs[k].Pack && a.Name != refs[k].Name && !slices.Contains(r, pair) {
						r = append(r, pair)
					}
				}
			}
		}
	}
	return r
}

// rankCase is the variants of a group for some numbers of axes.
type rankCase struct {
	choices []ir.Choice
	all     []*emit.Function
}

// byRank sorts the variants of a group by numbers of axes.
func (gr *group) byRank() []rankCase {
	var r []rankCase
	seen := map[string]int{}
	for _, f := range gr.live() {
		c := rankCase{all: []*emit.Function{f}}
		key := ""
		for _, ch := range f.Variant.Choices {
			if ch.Rank != "" {
				c.choices = append(c.choices, ch)
				key += choiceKey(ch) + choiceValue(ch)
			}
		}
		if i, known := seen[key]; known {
			r[i].all = append(r[i].all, f)
		} else {
			seen[key] = len(r)
			r = append(r, c)
		}
	}
	return r
}

// firstRequires are the requirements of a case on attributes alone, entries of lists too. They are tested before extents are computed of these
// attributes, which would otherwise fail first, and say less.
func (g *opGen) firstRequires(c rankCase) []*ir.Require {
	var r []*ir.Require
	requires := c.all[0].Variant.Forward.Requires
	for i := range requires {
		q := &requires[i]
		ofEntries, others := false, false
		ir.Walk(q.Cond, func(v *ir.Value) bool {
			ofEntries = ofEntries || emit.IsEntry(v)
			others = others || v.Op == ir.OpRead || v.Op == ir.OpExtent || v.Op == ir.OpPresent || v.Type.Kind == ir.Typed
			return true
		})
		everywhere := !slices.ContainsFunc(c.all, func(f *emit.Function) bool {
			return !slices.ContainsFunc(f.Variant.Forward.Requires, q.Same)
		})
		known := slices.ContainsFunc(g.tested[c.all[0].Variant.Forward], func(e *ir.Require) bool { return e.Same(*q) }) // in an earlier stage
		if ofEntries && !others && everywhere && !known {
			r = append(r, q)
		}
	}
	return r
}

// earlyText is the code that tests them.
func (g *opGen) earlyText(list []*ir.Require) (string, error) {
	text := ""
	for _, q := range list {
		code, err := g.require(q, g.host(jen.Id("b")), func(e jen.Code) jen.Code { return jen.Return(e) })
		if err != nil {
			return "", err
		}
		text += jen.Add(code).GoString() + "\n"
	}
	return text, nil
}

// makeDims writes the functions that compute extents; they are in the file of portable functions.
func (g *opGen) makeDims() error {
	for stage, st := range dimStages {
		texts := map[string]string{}
		var cases []string
		for _, gr := range g.groups {
			text, err := g.dimsOf(gr, stage, texts)
			if err != nil {
				return err
			}
			if text != "" {
				cases = append(cases, fmt.Sprintf("case %d:\n%s", gr.index, text))
			}
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

// dimsOf is the calls of the functions that compute the extents of a group, by number of axes; "" where there are none.
// names are the functions that are written, by what they compute.
func (g *opGen) dimsOf(gr *group, stage int, names map[string]string) (string, error) {
	var like [][2]int
	if stage == 1 {
		like = g.like(gr)
	}
	text := ""
	list := gr.byRank()
	for _, c := range list {
		dims, own := g.shared(c.all, stage)
		if dims == nil && like == nil && own == nil {
			continue
		}
		calls := ""
		for _, of := range own {
			name, err := g.dimsFunc(stage, "", of, nil, names)
			if err != nil {
				return "", err
			}
			calls += fmt.Sprintf("_ = %s(%s) // what can't be computed is of a variant that isn't taken\n", name, g.argNames())
		}
		if dims == nil && like == nil {
			calls += "return nil\n"
		} else {
			early := g.firstRequires(c)
			checks, err := g.earlyText(early)
			if err != nil {
				return "", err
			}
			for _, f := range c.all {
				g.tested[f.Variant.Forward] = append(g.tested[f.Variant.Forward], early...)
			}
			name, err := g.dimsFunc(stage, checks, dims, like, names)
			if err != nil {
				return "", err
			}
			calls = fmt.Sprintf("%sreturn %s(%s)\n", calls, name, g.argNames())
		}
		if len(list) == 1 {
			return calls, nil
		}
		var conds []string
		for _, ch := range c.choices {
			conds = append(conds, fmt.Sprintf("b.HasRank(%d, %d)", g.axis(ch.Rank), ch.N))
		}
		text += fmt.Sprintf("case %s:\n%s", strings.Join(conds, " && "), calls)
	}
	if text == "" {
		return "", nil
	}
	return "switch {\n" + text + "}\n", nil
}

// shared are the extents that several functions have in common, and those that only some of them have: of axes that no tensor of
// the signature has.
func (g *opGen) shared(fs []*emit.Function, stage int) (all []ir.Dim, own [][]ir.Dim) {
	count := map[string]int{}
	for _, f := range fs {
		for _, d := range g.dims(f.Variant.Forward, stage) {
			count[dimText(d)]++
		}
	}
	seen := map[string]bool{}
	for i, f := range fs {
		var only []ir.Dim
		for _, d := range g.dims(f.Variant.Forward, stage) {
			switch text := dimText(d); {
			case count[text] == len(fs) || !f.Variant.Forward.Owns(d.Axis):
				if i == 0 {
					all = append(all, d)
				}
			case !seen[text]:
				seen[text] = true
				only = append(only, d)
			}
		}
		if only != nil {
			own = append(own, only)
		}
	}
	return all, own
}

func dimText(d ir.Dim) string { return d.Axis.Name + " = " + d.Value.String() + "\n" }

// dimsFunc is the name of the function that tests and computes extents, which is written where there is none yet.
func (g *opGen) dimsFunc(stage int, checks string, dims []ir.Dim, like [][2]int, names map[string]string) (string, error) {
	key := fmt.Sprintln(like) + checks
	for _, d := range dims {
		key += dimText(d)
	}
	if names[key] == "" {
		name := fmt.Sprintf("%s%s%d", g.low, dimStages[stage].name, len(names))
		k := g.kernel(name)
		k.Doc = fmt.Sprintf("%s %s.", name, dimStages[stage].doc)
		if f := g.firstForward(); f != nil {
			k.Func = &ir.Func{Inputs: f.Inputs, Scalars: f.Scalars}
		}
		code, err := general.Extents(k, dims, like)
		if err != nil {
			return "", g.errorf("an extent: %v", err)
		}
		names[key] = name
		head, body, _ := strings.Cut(code, "error {\n")
		g.portable = append(g.portable, head+"error {\n"+checks+body)
	}
	return names[key], nil
}

// bind binds tensors: those given, or with fresh the inputs alone.
func (f *apiFunc) bind(back, fresh bool, vals, place jen.Code, tensors []jen.Code) {
	g := f.g
	f.count()
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
	derive := func(stage int) {
		if g.dimmed[stage] {
			f.try(jen.Id(g.low+dimStages[stage].name).Call(append(g.runArgs(bound, vals), variant)...),
				func(err jen.Code) jen.Code { return jen.Id("bound").Dot("Fail").Call(err) })
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
	how := "BindInputs"
	if g.dimmed[0] {
		how = "BindAxes"
	}
	f.try(f.signature(back).Dot(how).Call(append([]jen.Code{bound, place}, tensors[:inputs]...)...), nil)
	if g.dimmed[0] {
		derive(0)
		f.try(f.signature(back).Dot("BindProducts").Call(bound), nil)
	}
	derive(1)
	f.try(f.signature(back).Dot("BindOutputs").Call(append([]jen.Code{bound}, slices.Clone(tensors[inputs:])...)...), nil)
}
