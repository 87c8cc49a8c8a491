package check

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
)

func (l *lowering) stmts(list []dsl.Stmt, e *env) {
	for _, s := range list {
		if l.refused != nil {
			return
		}
		l.stmt(s, e)
	}
}

func (l *lowering) stmt(s dsl.Stmt, e *env) {
	switch s := s.(type) {
	case *dsl.Let:
		l.let(s, e)
	case *dsl.Assign:
		l.assign(s, e)
	case *dsl.Dim:
		l.dim(s, e)
	case *dsl.Require:
		l.require(s, e)
	case *dsl.Match:
		l.match(s, e)
	case *dsl.Grad:
		l.grads = append(l.grads, s)
	case *dsl.GradNone:
		l.nones = append(l.nones, s)
	case *dsl.Keep:
		l.keeps = append(l.keeps, s)
	case *dsl.Example:
		// See example.go.
	}
}

// match takes the arm of the choice.
func (l *lowering) match(s *dsl.Match, e *env) {
	a := l.sig.attr(s.Name.Name)
	if a == nil {
		return
	}
	if arm := armOf(s, l.word(a)); arm != nil {
		l.stmts(arm.Body, e)
	}
}

// armOf is the arm of a match for a word.
func armOf(s *dsl.Match, word string) *dsl.Arm {
	for _, arm := range s.Arms {
		if len(arm.Labels) == 0 || slices.ContainsFunc(arm.Labels, func(id dsl.Ident) bool { return id.Name == word }) {
			return arm
		}
	}
	return nil
}

// require adds a condition of the call.
func (l *lowering) require(s *dsl.Require, e *env) {
	host := e.with(func(n *env) { n.host = true })
	c := l.condition(s.Cond, host)
	if isBad(c) || c.Op == ir.OpTrue {
		return
	}
	r := ir.Require{Cond: l.settle(c), Message: s.Message, Span: s.Span}
	if r.Message == "" {
		r.Message = l.op.textOf(s.Cond.Pos()) + " must hold"
	}
	if c.Op == ir.OpFalse {
		l.refused = &r
		return
	}
	l.fn.Requires = append(l.fn.Requires, r)
}

// dim fixes an extent.
func (l *lowering) dim(s *dsl.Dim, e *env) {
	at := site{s.Name.Span, e}
	if l.callee != nil && l.callee.dims[s] {
		return
	}
	if old, twice := l.dimAt[s.Name.Name]; twice {
		l.errorf(at, "dim-twice", "the extent of %s is given twice", quote(s.Name.Name)).WithNote(old, "given here first")
		return
	}
	l.dimAt[s.Name.Name] = s.Span
	host := e.with(func(n *env) { n.host = true })
	if !s.Pack {
		l.dimOf(l.axis(s.Name.Name), l.expr(s.Value, host), s, e)
		return
	}
	parts, spread := l.parts(s.Name.Name)
	if !spread {
		return // it is another name of a pack
	}
	values, ok := l.components(s.Value, len(parts), host, l.expr)
	for k := 0; ok && k < len(parts); k++ {
		l.dimOf(parts[k], values[k], s, e)
	}
}

// dimOf fixes the extent of one axis.
func (l *lowering) dimOf(axis *ir.Axis, v *ir.Value, s *dsl.Dim, e *env) {
	if isBad(v) {
		return
	}
	switch {
	case v.Type.Kind != ir.Exact:
		l.errorf(e.at(s.Value), "dim-value", "an extent is a whole number, computed exactly; this is %s", l.typeText(v)).
			WithHint("of extents and int attributes; cast or round others")
	case !isUniform(v):
		l.errorf(e.at(s.Value), "dim-value", "an extent is known before the data: it can't depend on elements")
	case v.Const != nil && (!v.Const.IsInt() || v.Const.Sign() < 0):
		l.errorf(e.at(s.Value), "dim-value", "an extent is whole and not negative; this is %s", v.Const.RatString())
	case l.known[axis] && (ir.AtMost(ir.Add(v, ir.Int(1)), ir.Extent(axis), nil) || ir.AtMost(ir.Add(ir.Extent(axis), ir.Int(1)), v, nil)):
		l.errorf(e.at(s.Value), "dim-value", "no tensor has this extent along %s, which inputs give", quote(l.axisText(s.Name.Name))).
			WithHint("another extent is that of an axis with a name of its own")
	case isLong(v):
		l.errorf(e.at(s.Value), "dim-value", "an axis has at most 2^44 elements; this is %s", l.numberText(v, e.at(s.Value)))
	default:
		l.giveExtent(axis, v, site{s.Span, e})
	}
}

// let defines a value of the body.
func (l *lowering) let(s *dsl.Let, e *env) {
	if s.Pack {
		l.listLet(s, e)
		return
	}
	if o, x := l.sig.ranks.standsAlone(s.Value, len(s.Names)); o != nil {
		l.letCall(s, o, x, e)
		return
	}
	if len(s.Names) != 1 {
		l.errorf(site{s.Span, e}, "let-names", "only the call of an op gives several values")
		for _, id := range s.Names {
			l.table[id.Name] = &value{name: id.Name, span: id.Span, broken: true}
		}
		return
	}
	id := s.Names[0]
	v, body := l.definition(id, s.Left, nil, s.Value, e)
	l.table[id.Name] = v
	if v.broken {
		return
	}
	if body.Type.Kind == ir.Exact || body.Type.Kind == ir.Real || isUniform(body) {
		// Numbers that have no dtype stay exact where they are read.
		if v.inlined = body; l.written(body) > maxWritten {
			l.errorf(e.at(s.Value), "op-large", "%s has more than %d parts once the `let`s in it are written out", quote(v.name), maxWritten)
			v.broken = true
		}
		return
	}
	t := &ir.Tensor{Role: ir.Local, Elem: l.storedAs(body.Type), Span: id.Span}
	l.place(v, l.target(id.Name, t, e.at(s.Value)), body, s.Span)
}

// assign sets an output, or the new value of an inout or state.
func (l *lowering) assign(s *dsl.Assign, e *env) {
	name := s.Name.Name
	if s.Prime {
		name += "'"
	}
	if old, twice := l.setAt[name]; twice {
		l.errorf(site{s.Name.Span, e}, "output-twice", "%s is set twice", quote(name)).WithNote(old, "set here first")
		return
	}
	l.setAt[name] = s.Name.Span
	d := l.sig.find(s.Name.Name)
	if d == nil {
		return
	}
	if s.Prime && d.param.Optional && !l.has(d.param.Name) {
		return // what isn't there isn't renewed
	}
	t := &ir.Tensor{Role: ir.Output, Elem: l.elem(d.param.Elem), Span: s.Name.Span}
	if l.callee != nil {
		t.Role = ir.Local
	}
	var slots []slot
	if !d.param.Infer {
		slots = l.slotsOf(d.param.Axes)
	}
	if s.Prime && l.callee == nil {
		t.Of = l.table[s.Name.Name].tensor
	}
	if o, x := l.sig.ranks.standsAlone(s.Value, 1); o != nil && !s.Prime {
		l.assignCall(s, name, t, slots, o, x, e)
		return
	}
	v, body := l.definition(dsl.Ident{Name: name, Span: s.Name.Span}, s.Left, slots, s.Value, e)
	if s.Prime && l.callee == nil && body.Op == ir.OpRead && body.Tensor == t.Of && sameIndex(body.Args, v.vars) {
		l.table[name] = l.table[s.Name.Name] // set to itself: untouched
		return
	}
	if s.Prime && l.callee != nil {
		l.untouched(s, v, body, e)
		return
	}
	body = l.coerceTo(e.at(s.Value), body, t.Elem, quote(name))
	l.table[name] = v
	if v.broken = isBad(body) || !l.storedFits(e.at(s.Value), body, t.Elem); v.broken {
		return
	}
	l.place(v, l.target(name, t, e.at(s.Value)), body, s.Span)
}

// short is the body of `op f(..) = e`.
func (l *lowering) short(e *env) {
	id := dsl.Ident{Name: "y", Span: l.op.decl.Short.Pos()}
	v, body := l.definition(id, nil, nil, l.op.decl.Short, e)
	if isBad(body) {
		return
	}
	elem, ok := l.resultElem(e.at(l.op.decl.Short), body)
	if !ok {
		return
	}
	body = l.coerceTo(e.at(l.op.decl.Short), body, elem, "the result")
	if isBad(body) || !l.storedFits(e.at(l.op.decl.Short), body, elem) {
		return
	}
	l.table["y"] = v
	if l.callee != nil {
		l.place(v, &ir.Tensor{Name: l.localName("y"), Role: ir.Local, Elem: elem, Span: l.op.decl.Name.Span}, body, l.op.decl.Short.Pos())
		return
	}
	l.place(v, &ir.Tensor{Name: "y", Role: ir.Output, Elem: elem, Span: l.op.decl.Name.Span}, body, l.op.decl.Short.Pos())
	l.fn.Outputs = append(l.fn.Outputs, v.tensor)
}

// definition lowers a right side under its left side. Slots are those of a declared tensor; without them they follow
// from the left side, or from the axes that the right side has.
func (l *lowering) definition(id dsl.Ident, left *dsl.Bracket, slots []slot, right dsl.Expr, e *env) (*value, *ir.Value) {
	v := &value{name: id.Name, span: id.Span, slots: slots}
	inner := e.inside(left == nil && slots == nil)
	ok := true
	switch {
	case left != nil:
		v.slots, ok = l.leftSide(id, left, slots, right, inner)
	case slots != nil:
		for _, s := range flat(slots) {
			inner.bind(l.over(s.axis))
		}
	}
	if ok && left != nil {
		l.open[id.Name] = v
	}
	body := l.expr(right, inner)
	delete(l.open, id.Name)
	if !ok || isBad(body) {
		v.broken = true
		return v, bad
	}
	if inner.levels.open {
		slices.SortStableFunc(inner.levels.list, func(a, b *binding) int { return l.sig.rankOf(a.axis) - l.sig.rankOf(b.axis) })
		v.slots = []slot{}
		for _, b := range inner.levels.list {
			v.slots = append(v.slots, b.slot())
		}
		v.loose = len(v.slots) > 1
	}
	for _, b := range inner.levels.list {
		for _, p := range b.each() {
			v.vars = append(v.vars, p.v)
		}
	}
	return v, body
}

// place makes a definition of a value.
func (l *lowering) place(v *value, t *ir.Tensor, body *ir.Value, span diag.Span) {
	t.Axes = extents(v.slots)
	v.tensor = t
	dest := make([]*ir.Value, len(v.vars))
	for k, x := range v.vars {
		dest[k] = ir.Index(x)
	}
	l.emit(&ir.Def{Target: t, Vars: v.vars, Dest: dest, Body: l.settle(body), Span: span})
}

// localName is the name of a tensor that isn't visible outside: in the body of a called op, none of the caller's.
func (l *lowering) localName(name string) string {
	if l.callee == nil {
		return name
	}
	return l.tensorName(l.op.decl.Name.Name + "_" + name)
}

// sameIndex tells whether the indices are the variables.
func sameIndex(index []*ir.Value, vars []*ir.Var) bool {
	return slices.EqualFunc(index, vars, func(x *ir.Value, v *ir.Var) bool { return x.Op == ir.OpIndex && x.Var == v })
}
