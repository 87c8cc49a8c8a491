package check

import (
	"slices"
	"strconv"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

// opCall is the call of an op that stands alone: its body is lowered among the definitions of the caller, with its axes
// standing for those of the arguments.
type opCall struct {
	caller *lowering
	x      *dsl.Call
	env    *env
	at     site
	args   map[string]*argument
	align  *ir.Alignment
	elems  map[string]ir.Elem // what its dtype variables stand for
	dims   map[*dsl.Dim]bool  // lowered before the others
}

// argument is an input of a called op.
type argument struct {
	v     *value
	units []dimension
}

// dimension is one dimension of a tensor.
type dimension struct {
	axes []*ir.Axis // the factors of a product, or one
	name string     // of the axis or pack; "": it has none
	part int        // which axis of the pack
	of   int        // of how many; 0: not of a pack that is computed with
}

// callOp lowers a call and gives its results; nil is an error that has been reported.
func (l *lowering) callOp(o *operation, x *dsl.Call, e *env, targets []slot) []*result {
	at := e.at(x)
	if o == l.root || slices.Contains(e.inlined, any(o)) {
		l.errorf(at, "op-cycle", "ops are inlined, so %s can't call itself", quote(o.decl.Name.Name)).WithNote(o.decl.Name.Span, "declared here")
		return nil
	}
	if l.uncallable(o, at) {
		return nil
	}
	if !o.callable() {
		l.reported() // where it is declared
		return nil
	}
	c := &opCall{caller: l, x: x, env: e, at: at, args: map[string]*argument{}, elems: map[string]ir.Elem{}, dims: map[*dsl.Dim]bool{}}
	if !c.arguments(o) || !l.dtypeVars(at, o, c.elems, c.typeOf) || !c.aligned(o) {
		return nil
	}
	s := c.lowering(o)
	inner := (&env{in: o.in}).with(func(n *env) {
		n.calls, n.text = append(slices.Clip(e.calls), x.Span), append(slices.Clip(e.text), x.Span)
		n.inlined = append(slices.Clip(e.inlined), any(o))
	})
	c.earlyDims(s, inner)
	if !c.bind(s) {
		return nil
	}
	c.aim(s, targets)
	if o.decl.Short != nil {
		s.short(inner)
	}
	s.stmts(o.decl.Body, inner)
	if s.refused == nil {
		s.allSet()
		s.addKeeps(inner)
	}
	l.hoisted, l.ragged, l.refused, l.recurs = s.hoisted, s.ragged, s.refused, s.recurs
	if s.refused != nil {
		return nil
	}
	return c.results(s)
}

// callState is what is known of an op as one that others call.
type callState uint8

const (
	callUnknown callState = iota
	callBusy              // being found
	callFine
	callFaulty
)

// callable tells whether the heading and the names of an op are right, so that others can call it. One that calls itself
// isn't.
func (o *operation) callable() bool {
	if o.state == callUnknown {
		o.state = callBusy
		rep := o.in.unit.rep
		before := rep.errors
		sig := newSignature(o)
		if o.sig == nil {
			o.sig = sig
		}
		if rep.errors == before {
			checkOpNames(o)
		}
		o.state = callFine
		if rep.errors > before {
			o.state = callFaulty
		}
	}
	return o.state == callFine
}

// uncallable reports an op that has no place in a formula: one that renews tensors, or whose derivative isn't that of its formula.
func (l *lowering) uncallable(o *operation, at site) bool {
	name := quote(o.decl.Name.Name)
	if o.decl.Update {
		l.errorf(at, "call-update", "%s is an update, and the call of an op renews nothing", name).
			WithHint("put what both compute in a func, or in an op that both call").WithNote(o.decl.Name.Span, "declared here")
		return true
	}
	found := false
	dsl.Inspect(o.decl.Body, func(n any) bool {
		why := ""
		switch g := n.(type) {
		case *dsl.GradNone:
			why = "declares that it has none"
		case *dsl.Grad:
			if g.Unverified {
				why = "declares one that deviates"
			}
		}
		if why != "" && !found {
			found = true
			l.errorf(at, "call-grad", "the derivative of a call is that of the formula, and %s %s", name, why).
				WithHint("put the formula in a func or an op without that, and declare the derivative of this op").WithNote(o.decl.Name.Span, "declared here")
		}
		return !found
	})
	return found
}

// arguments reads the tensors of the call.
func (c *opCall) arguments(o *operation) bool {
	l := c.caller
	for k, in := range o.decl.Inputs {
		if k >= len(c.x.Args) {
			break
		}
		a := c.x.Args[k]
		if a.Pack || a.Value == nil {
			l.errorf(site{a.Span, c.env}, "pack-arg", "an op takes tensors, not the index of a pack")
			return false
		}
		v, there := l.tensorArg(in.Name.Name, a.Value, c.env)
		if v == nil {
			return false
		}
		if there {
			c.args[in.Name.Name] = &argument{v: v, units: unitsOf(v.slots)}
		}
	}
	for _, d := range o.sig.inputs {
		if c.args[d.param.Name] == nil && !d.param.Optional {
			l.errorf(c.at, "absent", "%s, which %s needs, may be absent here", quote(d.param.Name), quote(o.decl.Name.Name))
			return false
		}
	}
	return true
}

// tensorArg is the tensor that an argument names, or one that is made of the expression.
func (l *lowering) tensorArg(name string, x dsl.Expr, e *env) (v *value, there bool) {
	if r, is := x.(*dsl.Ref); is && r.Index == nil && r.Package == nil && !r.Cotangent && e.variable(r.Name.Name) == nil {
		n := r.Name.Name
		if r.Prime {
			n += "'"
		}
		if v := l.table[n]; v != nil && !v.loose && v.list == nil {
			if v.broken {
				return nil, false
			}
			return v, l.isThere(v)
		}
	}
	id := dsl.Ident{Name: name, Span: x.Pos()}
	v, body := l.definition(id, nil, nil, x, e)
	if isBad(body) {
		return nil, false
	}
	v.loose = false // the axes are in the order of the signature
	if body.Type.Kind == ir.Exact || body.Type.Kind == ir.Real || isUniform(body) {
		v.inlined = body
		return v, true
	}
	l.place(v, &ir.Tensor{Name: l.tensorName(name), Role: ir.Local, Elem: l.storedAs(body.Type), Span: x.Pos()}, body, x.Pos())
	return v, true
}

// unitsOf are the dimensions of a tensor.
func unitsOf(slots []slot) []dimension {
	var r []dimension
	for _, s := range slots {
		switch {
		case s.spread:
			for k, p := range s.parts {
				r = append(r, dimension{axes: []*ir.Axis{p.extent}, name: s.axis, part: k, of: len(s.parts)})
			}
		case s.factor != nil:
			r = append(r, dimension{axes: extents([]slot{s})})
		default:
			r = append(r, dimension{axes: []*ir.Axis{s.extent}, name: s.axis})
		}
	}
	return r
}

// aligned finds which dimensions are which axes of the called op.
func (c *opCall) aligned(o *operation) bool {
	l := c.caller
	ranks := map[string]int{}
	opaque := false
	for name, a := range c.args {
		ranks[name] = len(a.units)
		for _, u := range a.units {
			opaque = opaque || slices.ContainsFunc(u.axes, func(x *ir.Axis) bool { return x.Pack })
		}
	}
	var attrs []ir.ExampleAttr
	for _, a := range o.sig.attrs {
		x := c.named(a.decl.Name)
		isPlace := a.decl.Kind == ir.AttrAxis || a.decl.Kind == ir.AttrAxes
		if isPlace && opaque {
			l.unsupported(c.at, "a call that counts the axes of a pack whose number isn't known")
			return false
		}
		if a.decl.Kind == ir.AttrKeep {
			word, ok := c.keeps(a, x)
			if !ok {
				return false
			}
			attrs = append(attrs, ir.ExampleAttr{Name: a.decl.Name, Word: word})
			continue
		}
		if x == nil || !isPlace && a.decl.List == "" {
			continue
		}
		at, ok := c.places(a, x)
		if !ok {
			return false
		}
		attrs = append(attrs, at)
	}
	var err error
	if c.align, err = ir.Align(o.declaration(), ranks, attrs); err != nil {
		l.errorf(c.at, "call-shape", "the axes don't fit: %v", err)
		return false
	}
	return true
}

// keeps is the word of an attribute of the call that keeps axes.
func (c *opCall) keeps(a *attribute, x dsl.Expr) (string, bool) {
	if x == nil {
		return a.decl.Word, true
	}
	v := c.caller.condition(x, c.env)
	switch {
	case isBad(v):
		return "", false
	case v.Op == ir.OpTrue:
		return "true", true
	case v.Op == ir.OpFalse:
		return "false", true
	}
	c.caller.errorf(c.env.at(x), "call-placement", "whether a called op keeps axes must be known when generating").WithHint("write true or false, or a bool attribute")
	return "", false
}

// places is an attribute of the call that places axes, or a list, of which only the length counts.
func (c *opCall) places(a *attribute, x dsl.Expr) (ir.ExampleAttr, bool) {
	r := ir.ExampleAttr{Name: a.decl.Name}
	items := []dsl.Expr{x}
	if t, is := x.(*dsl.Tuple); is {
		items = nil
		for _, i := range t.Items {
			items = append(items, i.Value)
		}
		r.List = []float64{}
	}
	if a.decl.List != "" {
		if n, known := c.caller.countOf(x, c.env); known && r.List == nil {
			items, r.List = make([]dsl.Expr, n), []float64{}
		}
		for range items {
			if r.List != nil {
				r.List = append(r.List, 0)
			}
		}
		return r, true
	}
	if id := bareName(x); id != nil && id.Name == "all" && a.decl.Kind == ir.AttrAxes {
		r.Word = "all"
		return r, true
	}
	for _, i := range items {
		v := constantOf(i)
		if v == nil || v.Const == nil || !v.Const.IsInt() {
			c.caller.errorf(c.env.at(x), "call-placement", "where an axis of a called op lies must be known when generating: write a number")
			return r, false
		}
		n, _ := v.Const.Float64()
		if r.List != nil {
			r.List = append(r.List, n)
		}
		r.Number = n
	}
	return r, true
}

// named is what the call gives for an attribute; nil: nothing.
func (c *opCall) named(attr string) dsl.Expr {
	for _, n := range c.x.Named {
		if n.Name.Name == attr {
			return n.Value
		}
	}
	return nil
}

// lowering is that of the body: the caller's definitions, the called op's names.
func (c *opCall) lowering(o *operation) *lowering {
	s := *c.caller
	s.op, s.sig, s.callee = o, o.sig, c
	s.axes, s.spread, s.lists = map[string]*ir.Axis{}, map[string][]*ir.Axis{}, nil
	s.clear()
	return &s
}

// earlyDims lowers what attributes alone give, so that products can be taken apart with it.
func (c *opCall) earlyDims(s *lowering, e *env) {
	for _, st := range s.op.decl.Body {
		d, is := st.(*dsl.Dim)
		if !is || d.Pack {
			continue
		}
		early := true
		dsl.Inspect(d.Value, func(n any) bool {
			r, is := n.(*dsl.Ref)
			early = early && !(is && (isUpper(r.Name.Name) || s.sig.attr(r.Name.Name) == nil))
			return early
		})
		if early {
			s.dim(d, e)
			c.dims[d] = true
		}
	}
}

// freshAxis makes an axis of a called op.
func (l *lowering) freshAxis(name string) *ir.Axis {
	return &ir.Axis{Name: l.axisName(l.op.decl.Name.Name + "_" + name)}
}

// axisName gives an axis a name that no other has.
func (l *lowering) axisName(want string) string {
	name := want
	for k := 2; l.axisNames[name]; k++ {
		name = want + strconv.Itoa(k)
	}
	l.axisNames[name] = true
	return name
}
