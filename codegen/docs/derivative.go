package docs

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

// derived is the derivative in one or more variants that have the same.
type derived struct {
	names []string // of the choices, for people
	steps [][]equation
	uses  map[string]bool // signs that these use
}

// preferred tells whether a choice is the one of a call without attributes and with all inputs.
func preferred(op *ir.OpDecl, c ir.Choice) bool {
	switch {
	case c.Attr != "":
		for _, a := range op.Attrs {
			if a.Name == c.Attr {
				return c.Word == defaultWord(a)
			}
		}
	case c.Present != "":
		for _, a := range op.Attrs {
			if a.Name == c.Present {
				return !c.Holds
			}
		}
		return c.Holds
	case c.Rank != "":
		return c.N == 1
	case c.Cond != nil:
		if holds, known := byDefault(op, c.Cond); known {
			return holds == c.Holds
		}
		return !c.Holds
	}
	return true
}

// byDefault is the truth of a condition where attributes have their defaults and extents are usual; unknown where others decide.
func byDefault(op *ir.OpDecl, c *ir.Value) (holds, known bool) {
	switch c.Op {
	case ir.OpTrue, ir.OpFalse:
		return c.Op == ir.OpTrue, true
	case ir.OpNot:
		holds, known = byDefault(op, c.Args[0])
		return !holds, known
	case ir.OpAnd, ir.OpOr:
		all := true
		for _, a := range c.Args {
			h, k := byDefault(op, a)
			if k && h == (c.Op == ir.OpOr) {
				return h, true
			}
			all = all && k
		}
		return c.Op == ir.OpAnd, all
	case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe:
		a, known := defaultNumber(op, c.Args[0])
		b, also := defaultNumber(op, c.Args[1])
		return known && also && ir.Facts[c.Op].CompareF(a, b), known && also
	}
	return false, false
}

// usualExtent stands for the extents of a usual call: neither nothing nor one.
const usualExtent = 8

func defaultNumber(op *ir.OpDecl, v *ir.Value) (float64, bool) {
	switch v.Op {
	case ir.OpConst:
		f, _ := v.Const.Float64()
		return f, true
	case ir.OpInf:
		return math.Inf(1), true
	case ir.OpCast:
		return defaultNumber(op, v.Args[0])
	case ir.OpExtent:
		return usualExtent, true
	case ir.OpScalar:
		for _, a := range op.Attrs {
			if a.Name == v.Name && a.Default != nil {
				return defaultNumber(op, a.Default)
			}
		}
		return 0, false
	}
	f := ir.Facts[v.Op]
	var args []float64
	for _, a := range v.Args {
		x, known := defaultNumber(op, a)
		if !known {
			return 0, false
		}
		args = append(args, x)
	}
	switch {
	case len(args) == 1 && f.F1 != nil:
		return f.F1(args[0]), true
	case len(args) == 2 && f.F2 != nil:
		return f.F2(args[0], args[1]), true
	}
	return 0, false
}

func defaultWord(a *ir.AttrDecl) string {
	switch {
	case a.Word != "":
		return a.Word
	case a.Kind == ir.AttrBool:
		return "false"
	case a.Enum != nil && len(a.Enum.Words) > 0:
		return a.Enum.Words[0]
	}
	return ""
}

// shown are the variants whose derivative a page shows: that of a usual call, and those that differ from it in one choice of a
// word or by a condition.
func shown(op *ir.OpDecl, list []*codegen.Function) []*codegen.Function {
	off := func(f *codegen.Function) (n int, others bool) {
		for _, c := range f.Variant.Choices {
			if !preferred(op, c) {
				n++
				others = others || c.Present != "" || c.Rank != ""
			}
		}
		return n, others
	}
	var main *codegen.Function
	least := 0
	for _, f := range list {
		if n, _ := off(f); f.Backward != nil && (main == nil || n < least) {
			main, least = f, n
		}
	}
	if main == nil {
		return nil
	}
	r := []*codegen.Function{main}
	for _, f := range list {
		if n, others := off(f); f != main && f.Backward != nil && n == least+1 && !others {
			r = append(r, f)
		}
	}
	return r
}

// derivatives are the gradients that have no formula in the spec, as definitions in order.
func derivatives(op *ir.OpDecl, tree *dsl.Op, list []*codegen.Function, lets map[string]bool) (r []derived, more int) {
	byHand := map[string]bool{}
	dsl.Inspect(tree, func(n any) bool {
		if g, is := n.(*dsl.Grad); is {
			byHand[g.Name.Name] = true
		}
		return true
	})
	some := shown(op, list)
	for _, f := range some {
		d := derived{names: choiceNames(f.Variant), uses: map[string]bool{}}
		formulas := f.Formulas()
		w := newIRWriter(formulas, lets, d.uses)
		for _, def := range needed(formulas, func(t *ir.Tensor) bool { return t.Role == ir.Gradient && !byHand[t.Of.Name] }) {
			d.steps = append(d.steps, w.definition(tidy(def)))
		}
		if len(d.steps) == 0 {
			continue
		}
		if !slices.ContainsFunc(r, func(o derived) bool { return o.text() == d.text() }) {
			r = append(r, d)
		}
	}
	backward := 0
	for _, f := range list {
		if f.Backward != nil {
			backward++
		}
	}
	return r, backward - len(some)
}

func (d derived) text() string {
	var b strings.Builder
	for _, s := range d.steps {
		fmt.Fprintln(&b, aligned(s))
	}
	return b.String()
}

// needed are the definitions that the wanted outputs need, in order.
func needed(fn *ir.Func, want func(*ir.Tensor) bool) []*ir.Def {
	need := map[*ir.Tensor]bool{}
	for _, t := range fn.Outputs {
		if want(t) {
			need[t] = true
		}
	}
	for changed := true; changed; { // groups read later definitions too
		changed = false
		for i := len(fn.Defs) - 1; i >= 0; i-- {
			d := fn.Defs[i]
			if !need[d.Target] {
				continue
			}
			for _, v := range slices.Concat([]*ir.Value{d.Body}, d.Where, d.Dest) {
				for x := range ir.Reads(v) {
					if !need[x] {
						need[x], changed = true, true
					}
				}
			}
		}
	}
	var r []*ir.Def
	for _, d := range fn.Defs {
		if need[d.Target] {
			r = append(r, d)
		}
	}
	return r
}

// choiceNames say which choices make a variant.
func choiceNames(v *ir.Variant) []string {
	var r []string
	for _, c := range v.Choices {
		switch {
		case c.Attr != "":
			r = append(r, "`"+c.Attr+"` is "+c.Word)
		case c.Present != "" && c.Holds:
			r = append(r, "`"+c.Present+"` is given")
		case c.Present != "":
			r = append(r, "`"+c.Present+"` is left out")
		case c.Rank != "":
			r = append(r, axesOf(c.Rank, c.N))
		case c.Cond != nil && c.Holds:
			r = append(r, condition(c.Cond))
		case c.Cond != nil:
			r = append(r, condition(ir.Not(c.Cond)))
		}
	}
	return r
}

func axesOf(pack string, n int) string {
	if n == 1 {
		return "`" + pack + "` is one axis"
	}
	return fmt.Sprintf("`%s` are %d axes", pack, n)
}

// condition is a condition of a call as mathematics in a line of text.
func condition(c *ir.Value) string {
	return inlineMath(newIRWriter(&ir.Func{}, nil, map[string]bool{}).value(c))
}
