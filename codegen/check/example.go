package check

import (
	"math"
	"math/big"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
)

// examples checks the examples of an op, wherever they stand in its body.
func (o *operation) examples(d *ir.OpDecl) {
	dsl.Inspect(o.decl.Body, func(n any) bool {
		if x, is := n.(*dsl.Example); is {
			if e := o.example(x); e != nil {
				d.Examples = append(d.Examples, e)
			}
		}
		return true
	})
}

func (o *operation) example(x *dsl.Example) *ir.Example {
	rep := o.in.unit.rep
	before := rep.errors
	e := &ir.Example{Span: x.Span}
	given := map[string]diag.Span{}
	twice := func(b dsl.Bind, name string) bool {
		if old, is := given[name]; is {
			rep.errorf(b.Name.Span, "name-twice", "%s is given twice", quote(name)).WithNote(old, "given here first")
			return true
		}
		given[name] = b.Name.Span
		return false
	}
	var known []string
	for _, t := range o.sig.inputs {
		known = append(known, t.param.Name)
	}
	for _, a := range o.sig.attrs {
		known = append(known, a.decl.Name)
	}
	if o.decl.Update {
		known = append(known, "step")
	}
	for _, b := range x.In {
		name := b.Name.Name
		t, a := o.sig.find(name), o.sig.attr(name)
		switch {
		case b.Prime:
			rep.errorf(b.Name.Span, "example-name", "%s is a result; it stands behind `=>`", quote(name+"'")).WithHint("the old value is %s", quote(name))
			given[name] = b.Name.Span
		case t != nil && t.dropped:
			o.notKept(b, t)
		case t != nil && t.in != nil && !twice(b, name):
			if v, ok := o.exampleTensor(t, b); ok {
				e.Inputs = append(e.Inputs, v)
			}
		case a != nil && !twice(b, name):
			o.exampleAttr(e, a, b)
		case t == nil && a == nil && name == "step" && o.decl.Update:
			if !twice(b, name) {
				o.exampleStep(e, b)
			}
		case t == nil && a == nil:
			suggest(rep.errorf(b.Name.Span, "name-unknown", "%s is neither an input nor an attribute", quote(name)), name, known)
		case t != nil && t.in == nil:
			rep.errorf(b.Name.Span, "example-name", "%s is an output; it stands behind `=>`", quote(name))
		}
	}
	for _, b := range x.Out {
		o.exampleResult(e, b, twice)
	}
	for _, t := range o.sig.inputs {
		if _, is := given[t.param.Name]; !is && !t.param.Optional && t.param.Mode != ir.State {
			rep.errorf(x.Span, "example-missing", "the example gives no %s", quote(t.param.Name)).WithNote(t.span, "declared here")
		}
	}
	for _, a := range o.sig.attrs {
		if _, is := given[a.decl.Name]; !is && a.syntax.Default == nil && !a.decl.Optional && a.decl.Kind != ir.AttrRNG {
			rep.errorf(x.Span, "example-missing", "the example gives no %s, which has no default", quote(a.decl.Name)).WithNote(a.decl.Span, "declared here")
		}
	}
	if len(x.Out) == 0 {
		rep.errorf(x.Span, "example-missing", "the example gives no result")
	}
	if rep.errors > before {
		return nil
	}
	return e
}

// notKept reports a state that there is none of in a call.
func (o *operation) notKept(b dsl.Bind, t *tensorDecl) {
	o.in.unit.rep.errorf(b.Name.Span, "example-name", "the state %s isn't kept, since no step reads what the one before left", quote(t.param.Name)).
		WithNote(t.span, "declared here")
}

// exampleStep reads the number of the step; without it an example is the first one.
func (o *operation) exampleStep(e *ir.Example, b dsl.Bind) {
	rep := o.in.unit.rep
	if b.Value.Expr == nil {
		rep.errorf(b.Value.Span, "example-number", "`step` is one number, not a list")
		return
	}
	if id := bareName(b.Value.Expr); id != nil && (id.Name == "true" || id.Name == "false") {
		rep.errorf(b.Value.Span, "example-number", "`step` is a number, not a condition")
		return
	}
	f, ok := o.exampleNumber(b.Value.Expr, ir.Elem{Name: "i64"})
	if ok && (f < 1 || f > math.MaxInt32 || f != math.Trunc(f)) {
		rep.errorf(b.Value.Span, "example-number", "a step is a whole number from 1 on").WithHint("without `step` an example is the first one")
		return
	}
	e.Attrs = append(e.Attrs, ir.ExampleAttr{Name: "step", Number: f})
}

// exampleResult reads a result.
func (o *operation) exampleResult(e *ir.Example, b dsl.Bind, twice func(dsl.Bind, string) bool) {
	name := b.Name.Name
	t := o.sig.find(name)
	if o.decl.Short != nil && name == "y" && !b.Prime {
		t = &tensorDecl{param: &ir.Param{Name: "y", Infer: true}}
	}
	if t == nil || b.Prime == (t.in == nil) || t.in != nil && t.param.Mode == ir.Input {
		d := o.in.unit.rep.errorf(b.Name.Span, "example-name", "%s is no result of this op", quote(name))
		var results []string
		for _, r := range o.sig.outputs {
			results = append(results, r.param.Name)
		}
		suggest(d, name, results)
		if t != nil && t.in != nil && t.param.Mode != ir.Input {
			d.Hint = "the new value is " + name + "'"
		}
		return
	}
	if t.dropped {
		o.notKept(b, t)
		return
	}
	if b.Prime {
		name += "'"
	}
	if twice(b, name+" =>") {
		return
	}
	if v, ok := o.exampleTensor(t, b); ok {
		v.Name = name
		e.Outputs = append(e.Outputs, v)
	}
}

// exampleTensor reads the elements of a tensor, written as nested lists.
func (o *operation) exampleTensor(t *tensorDecl, b dsl.Bind) (ir.ExampleValue, bool) {
	v := ir.ExampleValue{Name: t.param.Name, Shape: []int{}}
	for x := b.Value; x.Expr == nil; x = x.List[0] {
		v.Shape = append(v.Shape, len(x.List))
		if len(x.List) == 0 {
			break
		}
	}
	if !o.exampleData(&v, b.Value, 0, t.param.Elem) {
		return v, false
	}
	least, open := 0, t.param.Infer
	for _, a := range t.param.Axes {
		if a.Pack || a.Optional {
			open = true
		} else {
			least++
		}
	}
	if n := len(v.Shape); (n < least && (n > 0 || !o.placesAxes())) || n > least && !open {
		o.in.unit.rep.errorf(b.Value.Span, "example-shape", "%s has %s, the value has %s", quote(b.Name.Name), plural(least, "axis"), plural(n, "axis")).
			WithNote(t.span, "declared here")
		return v, false
	}
	return v, true
}

// placesAxes tells whether the caller says where some axes lie: then a tensor without axes counts as one of shape [1].
func (o *operation) placesAxes() bool {
	return slices.ContainsFunc(o.sig.attrs, func(a *attribute) bool { return a.decl.Kind == ir.AttrAxis || a.decl.Kind == ir.AttrAxes })
}

// exampleData adds the elements of a nested list.
func (o *operation) exampleData(v *ir.ExampleValue, x dsl.Val, depth int, elem ir.Elem) bool {
	if x.Expr != nil {
		if depth != len(v.Shape) {
			o.in.unit.rep.errorf(x.Span, "example-shape", "the lists nest to different depths")
			return false
		}
		f, ok := o.exampleNumber(x.Expr, elem)
		v.Data = append(v.Data, f)
		return ok
	}
	if depth >= len(v.Shape) {
		o.in.unit.rep.errorf(x.Span, "example-shape", "the lists nest to different depths")
		return false
	}
	if len(x.List) != v.Shape[depth] {
		o.in.unit.rep.errorf(x.Span, "example-shape", "this list has %s, others beside it have %d", plural(len(x.List), "entry"), v.Shape[depth])
		return false
	}
	for _, y := range x.List {
		if !o.exampleData(v, y, depth+1, elem) {
			return false
		}
	}
	return true
}

// exampleNumber reads one element of a dtype, the empty one where that isn't declared; conditions are 1 and 0. Numbers are kept as float64, so a whole
// one must be one of these.
func (o *operation) exampleNumber(x dsl.Expr, elem ir.Elem) (float64, bool) {
	if id := bareName(x); id != nil && (id.Name == "true" || id.Name == "false") {
		return map[string]float64{"true": 1, "false": 0}[id.Name], true
	}
	rep := o.in.unit.rep
	c := constantOf(x)
	if n, is := x.(*dsl.Number); is && c == nil {
		rep.errorf(x.Pos(), "number", "%s is out of reach", n.Text)
		return 0, false
	}
	if c == nil {
		rep.errorf(x.Pos(), "example-number", "an example holds numbers, true and false")
		return 0, false
	}
	f, err := ir.EvalScalar(&ir.Func{}, c, ir.Binding{})
	if err != nil || c.Const != nil && math.IsInf(f, 0) {
		rep.errorf(x.Pos(), "example-number", "this number is out of reach")
		return 0, false
	}
	if elem.Name == "" {
		return f, true
	}
	if ir.ClassOf(o.sig.vars, elem) == ir.ClassInt {
		switch exact := new(big.Rat); {
		case c.Const == nil || !c.Const.IsInt():
			rep.errorf(x.Pos(), "example-number", "this is no whole number, and %s is asked for", o.elemText(elem))
			return 0, false
		case exact.SetFloat64(f).Cmp(c.Const) != 0:
			rep.errorf(x.Pos(), "example-number", "an example can't hold the integer %s: it has integers up to 2^53, and greater ones that are numbers of float64", c.Const.RatString())
			return 0, false
		}
	}
	if c.Const != nil {
		if m := misfitOf(c.Const, dtypesOf(o.sig.vars, elem)); m.always {
			rep.errorf(x.Pos(), "example-number", "%s %s %s", numberText(c.Const, o.textOf(x.Pos())), m.why, joinWords(m.not)).WithHint("%s", m.hint())
			return 0, false
		}
	}
	return f, true
}

// exampleAttr reads an attribute.
func (o *operation) exampleAttr(e *ir.Example, a *attribute, b dsl.Bind) {
	v := ir.ExampleAttr{Name: a.decl.Name}
	rep := o.in.unit.rep
	elem := ir.Elem{Name: "i64"} // of ints, and of places of axes
	switch a.decl.Kind {
	case ir.AttrElem:
		elem = a.decl.Elem
	case ir.AttrFloat:
		elem = ir.Elem{Name: "f64"}
	}
	var words []string
	switch a.decl.Kind {
	case ir.AttrEnum:
		words = a.decl.Enum.Words
	case ir.AttrBool, ir.AttrKeep:
		words = []string{"false", "true"}
	case ir.AttrAxes:
		if id := bareName(b.Value.Expr); id != nil {
			words = []string{"all"}
		}
	}
	list := b.Value.List
	if t, is := b.Value.Expr.(*dsl.Tuple); is {
		for _, i := range t.Items {
			list = append(list, dsl.Val{Expr: i.Value, Span: i.Span})
		}
	}
	switch {
	case words != nil:
		id := bareName(b.Value.Expr)
		if id == nil || !slices.Contains(words, id.Name) {
			d := rep.errorf(b.Value.Span, "enum-word", "%s takes one of: %s", quote(a.decl.Name), joinWords(words))
			if id != nil {
				suggest(d, id.Name, words)
			}
			return
		}
		v.Word = id.Name
	case list != nil && (a.decl.List != "" || a.decl.Kind == ir.AttrAxes):
		for _, x := range list {
			f, ok := o.exampleNumber(x.Expr, elem)
			if !ok {
				return
			}
			v.List = append(v.List, f)
		}
	case b.Value.Expr == nil || list != nil:
		rep.errorf(b.Value.Span, "example-number", "%s is one value, not a list", quote(a.decl.Name)).WithNote(a.decl.Span, "declared here")
		return
	default:
		f, ok := o.exampleNumber(b.Value.Expr, elem)
		if !ok {
			return
		}
		if a.decl.Kind == ir.AttrInt && (f < math.MinInt64 || f >= -math.MinInt64) {
			rep.errorf(b.Value.Span, "example-number", "this number is out of reach of an int")
			return
		}
		v.Number = f
	}
	e.Attrs = append(e.Attrs, v)
}
