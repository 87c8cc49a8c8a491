package gocpu

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/ir"
)

// group is the variants of an op that have one signature: those that differ at most by conditions on extents, which
// are known when the tensors are bound.
type group struct {
	index    int
	choices  []ir.Choice // decided before
	suffix   string      // of Go names; "" where there is one group
	variants []*emit.Function
	refused  *ir.Require
	forward  *signature
	backward *signature // nil where there is no derivative
}

// late reports whether a choice is decided by extents.
func late(c ir.Choice) bool {
	found := false
	if c.Cond != nil {
		ir.Walk(c.Cond, func(v *ir.Value) bool {
			found = found || v.Op == ir.OpExtent
			return !found
		})
	}
	return found
}

// choiceKey says what a choice decides, choiceValue how.
func choiceKey(c ir.Choice) string {
	switch {
	case c.Attr != "":
		return "attr " + c.Attr
	case c.Present != "":
		return "has " + c.Present
	}
	return "if " + c.Cond.String()
}

func choiceValue(c ir.Choice) string {
	if c.Attr != "" {
		return c.Word
	}
	if c.Holds {
		return "true"
	}
	return "false"
}

// makeGroups sorts the variants into groups.
func (g *opGen) makeGroups() error {
	for _, f := range g.op.Functions {
		if slices.ContainsFunc(f.Variant.Choices, func(c ir.Choice) bool { return c.Rank != "" }) {
			return g.errorf("computing with a pack is not supported in Go")
		}
	}
	byKey := map[string]*group{}
	for _, f := range g.op.Functions {
		var early []ir.Choice
		key := ""
		for _, c := range f.Variant.Choices {
			if !late(c) {
				early = append(early, c)
				key += choiceKey(c) + "=" + choiceValue(c) + "\n"
			}
		}
		gr := byKey[key]
		if gr == nil {
			gr = &group{index: len(g.groups), choices: early}
			byKey[key] = gr
			g.groups = append(g.groups, gr)
		}
		gr.variants = append(gr.variants, f)
		if f.Variant.Refused != nil {
			gr.refused = f.Variant.Refused
		}
	}
	for i, a := range g.groups {
		if a.refused != nil && len(a.variants) > 1 {
			return g.errorf("a requirement that only some extents meet")
		}
		for _, b := range g.groups[:i] {
			if compatible(a.choices, b.choices) {
				return g.errorf("choices that are made only for some extents")
			}
		}
	}
	if len(g.groups) > 1 {
		names := namer{}
		for _, gr := range g.groups {
			gr.suffix = names.suffix(g.groupName(gr))
		}
	}
	return nil
}

// compatible reports whether both sets of choices can be made at once.
func compatible(a, b []ir.Choice) bool {
	for _, x := range a {
		for _, y := range b {
			if choiceKey(x) == choiceKey(y) && choiceValue(x) != choiceValue(y) {
				return false
			}
		}
	}
	return true
}

// groupName is what a group chooses, as a part of a Go name.
func (g *opGen) groupName(gr *group) string {
	var b strings.Builder
	conds := 0
	for _, c := range gr.choices {
		not := ""
		if choiceValue(c) == "false" {
			not = "No"
		}
		switch {
		case c.Attr != "" && (c.Word == "true" || c.Word == "false"):
			b.WriteString(not + g.goName(c.Attr))
		case c.Attr != "":
			b.WriteString(g.goName(c.Word))
		case c.Present != "":
			b.WriteString(not + g.goName(c.Present))
		default:
			conds++
			if not != "" {
				b.WriteString("Else")
			} else {
				b.WriteString("If")
			}
		}
	}
	return b.String()
}

// choicesText says in words what a group chooses.
func (g *opGen) choicesText(choices []ir.Choice) string {
	var parts []string
	for _, c := range choices {
		switch {
		case c.Attr != "":
			parts = append(parts, c.Attr+" "+c.Word)
		case c.Present != "" && c.Holds:
			parts = append(parts, c.Present+" given")
		case c.Present != "":
			parts = append(parts, c.Present+" absent")
		case c.Holds:
			parts = append(parts, c.Cond.String())
		default:
			parts = append(parts, "not "+c.Cond.String())
		}
	}
	if parts == nil {
		return ""
	}
	return " with " + strings.Join(parts, ", ")
}

// early is the condition of a group, in terms of the values vals and the inputs.
func (g *opGen) early(gr *group, h *host, input func(name string) jen.Code) (expr, error) {
	var all expr
	for i, c := range gr.choices {
		e, err := g.choice(c, h, input)
		if err != nil {
			return expr{}, err
		}
		if i == 0 {
			all = e
		} else {
			all = binary("&&", precAnd, all, e)
		}
	}
	return all, nil
}

// choice is the condition of one choice.
func (g *opGen) choice(c ir.Choice, h *host, input func(name string) jen.Code) (expr, error) {
	var e expr
	switch {
	case c.Attr != "":
		a := g.attr(c.Attr)
		if a == nil {
			return expr{}, g.errorf("a choice by %s, which is no attribute", c.Attr)
		}
		v := primary(jen.Id("v").Dot(a.name))
		switch {
		case a.decl.Kind == ir.AttrEnum:
			return binary("==", precCompare, v, ident(g.enumWord(a.decl.Enum, c.Word))), nil
		case c.Word == "true":
			return v, nil
		}
		return unary("!", v), nil
	case c.Present != "":
		if a := g.attr(c.Present); a != nil {
			e = primary(jen.Id("v").Dot(a.hasFlag()))
			if !c.Holds {
				e = unary("!", e)
			}
			return e, nil
		}
		op := "=="
		if c.Holds {
			op = "!="
		}
		return binary(op, precCompare, primary(input(c.Present)), ident("nil")), nil
	}
	e, err := h.cond(c.Cond)
	if err == nil && !c.Holds {
		e = unary("!", e)
	}
	return e, g.wrap(err)
}

// presence lists the optional inputs that choose among groups.
func (g *opGen) presence() []string {
	var names []string
	for _, gr := range g.groups {
		for _, c := range gr.choices {
			if c.Present != "" && g.attr(c.Present) == nil && !slices.Contains(names, c.Present) {
				names = append(names, c.Present)
			}
		}
	}
	return names
}

// usesStep reports whether groups are chosen by the step of an update.
func (g *opGen) usesStep() bool {
	found := false
	for _, gr := range g.groups {
		for _, c := range gr.choices {
			if c.Cond != nil {
				ir.Walk(c.Cond, func(v *ir.Value) bool {
					found = found || v.Op == ir.OpScalar && v.Name == "step" && g.attr("step") == nil
					return true
				})
			}
		}
	}
	return found
}

func (g *opGen) refuses() bool {
	return slices.ContainsFunc(g.groups, func(gr *group) bool { return gr.refused != nil })
}

// variantFunc writes the function that finds the group of a call.
func (g *opGen) variantFunc() (jen.Code, error) {
	if len(g.groups) == 1 {
		return nil, nil
	}
	names := newNamer("v", "step")
	inputs := map[string]string{}
	var params []jen.Code
	if g.hasValues() {
		params = append(params, jen.Id("v").Op("*").Id(g.valuesType()))
	}
	if g.usesStep() {
		params = append(params, jen.Id("step").Int())
	}
	for _, p := range g.presence() {
		inputs[p] = names.name(p)
		params = append(params, jen.Id(inputs[p]).Op("*").Qual(runtimePath, "Tensor"))
	}
	result := func(gr *group) jen.Code {
		if !g.refuses() {
			return jen.Return(jen.Lit(gr.index))
		}
		if r := gr.refused; r != nil {
			return jen.Return(jen.Lit(0), g.requireError(r, gr.choices...))
		}
		return jen.Return(jen.Lit(gr.index), jen.Nil())
	}
	h := g.host(nil)
	var cases []jen.Code
	last := g.groups[len(g.groups)-1]
	for _, gr := range g.groups[:len(g.groups)-1] {
		c, err := g.early(gr, h, func(name string) jen.Code { return jen.Id(inputs[name]) })
		if err != nil {
			return nil, err
		}
		cases = append(cases, jen.Case(c.code).Block(result(gr)))
	}
	f := jen.Comment(g.low + "Variant finds the variant of a call by what is known before its tensors are bound.").Line().
		Func().Id(g.low + "Variant").Params(params...)
	if g.refuses() {
		f = f.Params(jen.Int(), jen.Error())
	} else {
		f = f.Int()
	}
	return f.Block(jen.Switch().Block(cases...), result(last)), nil
}
