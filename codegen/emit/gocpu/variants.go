package gocpu

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/ir"
)

// group is the variants of an op that have one signature: those that differ at most by conditions on extents and by numbers
// of axes, which are known when the tensors are bound.
type group struct {
	index    int
	choices  []ir.Choice // decided before
	suffix   string      // of Go names; "" where there is one group
	variants []*emit.Function
	refused  *ir.Require // all of its variants are
	forward  *signature
	backward *signature // nil where there is no derivative
}

// choiceKey says what a choice decides, choiceValue how.
func choiceKey(c ir.Choice) string {
	switch {
	case c.Attr != "":
		return "attr " + c.Attr
	case c.Present != "":
		return "has " + c.Present
	case c.Rank != "":
		return "rank " + c.Rank
	}
	return "if " + c.Cond.String()
}

func choiceValue(c ir.Choice) string {
	switch {
	case c.Attr != "":
		return c.Word
	case c.Rank != "":
		return strconv.Itoa(c.N)
	case c.Holds:
		return "true"
	}
	return "false"
}

// makeGroups sorts the variants into groups.
func (g *opGen) makeGroups() {
	g.split(g.op.Functions, nil)
	if len(g.groups) > 1 {
		names := namer{}
		for _, gr := range g.groups {
			gr.suffix = names.suffix(g.groupName(gr))
		}
	}
}

// split makes the groups of variants under choices that are made. A variant that a choice doesn't matter for is in all of
// its branches.
func (g *opGen) split(variants []*emit.Function, made []ir.Choice) {
	next, ok := openChoice(variants, made)
	if !ok {
		gr := &group{index: len(g.groups), choices: made, variants: variants}
		if len(gr.live()) == 0 {
			gr.refused = variants[0].Variant.Refused
		}
		g.groups = append(g.groups, gr)
		return
	}
	var options []ir.Choice
	for _, f := range variants {
		for _, c := range f.Variant.Choices {
			if choiceKey(c) == choiceKey(next) && !slices.ContainsFunc(options, func(o ir.Choice) bool { return choiceValue(o) == choiceValue(c) }) {
				options = append(options, c)
			}
		}
	}
	for _, o := range options {
		g.split(slices.DeleteFunc(slices.Clone(variants), func(f *emit.Function) bool { return excludes(f, o) }), append(slices.Clone(made), o))
	}
}

// openChoice is the first choice of variants that is decided before tensors are bound, and isn't made.
func openChoice(variants []*emit.Function, made []ir.Choice) (ir.Choice, bool) {
	for _, f := range variants {
		for _, c := range f.Variant.Choices {
			if !emit.Late(c) && !slices.ContainsFunc(made, func(m ir.Choice) bool { return choiceKey(m) == choiceKey(c) }) {
				return c, true
			}
		}
	}
	return ir.Choice{}, false
}

// excludes reports whether a variant is for another option of a choice.
func excludes(f *emit.Function, o ir.Choice) bool {
	return slices.ContainsFunc(f.Variant.Choices, func(c ir.Choice) bool { return choiceKey(c) == choiceKey(o) && choiceValue(c) != choiceValue(o) })
}

// live are the variants that no requirement refuses.
func (gr *group) live() []*emit.Function {
	return slices.DeleteFunc(slices.Clone(gr.variants), func(f *emit.Function) bool { return f.Variant.Refused != nil })
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
		case c.Rank != "":
			parts = append(parts, fmt.Sprintf("rank(%s) = %d", c.Rank, c.N))
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
	case c.Rank != "":
		return primary(jen.Id("b").Dot("HasRank").Call(jen.Lit(g.axis(c.Rank)), jen.Lit(c.N))), nil
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
