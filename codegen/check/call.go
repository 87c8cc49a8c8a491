package check

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

// call lowers a call.
func (l *lowering) call(x *dsl.Call, e *env) *ir.Value {
	name, at := x.Name.Name, e.at(x)
	b, isBuilt := builtins[name]
	switch {
	case x.Package != nil:
	case x.AccOf != nil || isCastName(name):
		return l.cast(x, e)
	case isReducer(name) && !(isBuilt && x.Index == nil && len(x.Args) > 1):
		return l.reduce(x, e)
	case name == "has":
		return l.hasValue(x, e)
	case randoms[name] != ir.OpInvalid:
		return l.random(x, e)
	case limits[name] != ir.OpInvalid:
		return l.limit(x, e)
	case name == "ravel":
		return l.ravel(x, e)
	case name == "unravel":
		return l.unravel(x, e)
	case name == "rank":
		return l.packRank(x, e)
	case isBuilt:
		return l.builtin(b, x, e)
	}
	f, o := e.in.find(x.Package, name)
	switch {
	case f != nil:
		return l.inline(f, x, e)
	case o != nil:
		return l.inlineOp(o, x, e)
	case x.Package != nil && e.in.imports[x.Package.Name] != nil && e.in.imports[x.Package.Name].unit == nil:
		return l.reported() // with the import
	}
	l.errorf(at, "name-unknown", "there is no function %s", quote(name))
	return bad
}

// builtin applies a built-in function.
func (l *lowering) builtin(b builtin, x *dsl.Call, e *env) *ir.Value {
	at, what := e.at(x), quote(x.Name.Name)
	if b.op == ir.OpInvalid && b.expand == nil {
		return l.unsupported(at, what)
	}
	var args []*ir.Value
	for _, i := range x.Args {
		if i.Pack {
			l.errorf(site{i.Span, e}, "pack-arg", "%s takes numbers, not the index of a pack", what).WithHint("put the whole call behind `..`")
			return bad
		}
		args = append(args, l.expr(i.Value, e))
	}
	switch {
	case isBad(args...):
		return bad
	case len(args) < max(b.arity, 1):
		return l.reported() // with the names
	}
	if b.expand != nil {
		return b.expand(l, at, args)
	}
	switch b.op {
	case ir.OpStop:
		return l.build(at, b.op, args...)
	case ir.OpIsNaN, ir.OpIsInf, ir.OpSignbit:
		if !l.number(at, what, args[0]) {
			return bad
		}
		return l.build(at, b.op, args...)
	}
	if b.arity != more {
		return l.apply(at, b.op, what, args...)
	}
	v := args[0]
	for _, a := range args[1:] {
		v = l.apply(at, b.op, what, v, a)
	}
	return v
}

// expandClamp is min(max(x, lo), hi).
func expandClamp(l *lowering, at site, a []*ir.Value) *ir.Value {
	return l.apply(at, ir.OpMin, "`clamp`", l.apply(at, ir.OpMax, "`clamp`", a[0], a[1]), a[2])
}

// expandIsFinite is neither infinite nor NaN.
func expandIsFinite(l *lowering, at site, a []*ir.Value) *ir.Value {
	if !l.number(at, "`isfinite`", a[0]) {
		return bad
	}
	return ir.Not(ir.Or(l.build(at, ir.OpIsNaN, a[0]), l.build(at, ir.OpIsInf, a[0])))
}

// expandLogSigmoid is -softplus(-x).
func expandLogSigmoid(l *lowering, at site, a []*ir.Value) *ir.Value {
	const what = "`log_sigmoid`"
	return l.apply(at, ir.OpNeg, what, l.apply(at, ir.OpSoftplus, what, l.apply(at, ir.OpNeg, what, a[0])))
}

// expandDigamma is the first of the polygamma functions.
func expandDigamma(l *lowering, at site, a []*ir.Value) *ir.Value {
	return l.apply(at, ir.OpPolygamma, "`digamma`", ir.Int(0), a[0])
}

// expandSinc is sin(πx)/(πx).
func expandSinc(l *lowering, at site, a []*ir.Value) *ir.Value {
	const what = "`sinc`"
	return l.apply(at, ir.OpSincn, what, ir.Int(0), l.apply(at, ir.OpMul, what, ir.Pi(), a[0]))
}

// expandFmax is the greater of two, of which a NaN is ignored.
func expandFmax(l *lowering, at site, a []*ir.Value) *ir.Value {
	return ignoreNaN(l, at, ir.OpMax, "`fmax`", a)
}

// expandFmin is the smaller of two, of which a NaN is ignored.
func expandFmin(l *lowering, at site, a []*ir.Value) *ir.Value {
	return ignoreNaN(l, at, ir.OpMin, "`fmin`", a)
}

func ignoreNaN(l *lowering, at site, op ir.Op, what string, a []*ir.Value) *ir.Value {
	a, ok := l.meet(at, what, computed, a...)
	if !ok {
		return bad
	}
	rest := l.build(at, ir.OpSelect, l.build(at, ir.OpIsNaN, a[1]), a[0], l.build(at, op, a[0], a[1]))
	return l.build(at, ir.OpSelect, l.build(at, ir.OpIsNaN, a[0]), a[1], rest)
}

// cast converts to a dtype: T(x), i64(x), bool(x), acc(T)(x).
func (l *lowering) cast(x *dsl.Call, e *env) *ir.Value {
	at := e.at(x)
	if len(x.Args) != 1 {
		return l.reported()
	}
	to := ir.Elem{Name: x.Name.Name}
	if x.AccOf != nil {
		to = ir.Elem{Wrap: "acc", Name: x.AccOf.Name}
	}
	v := l.expr(x.Args[0].Value, e)
	to, ok := l.elemAt(at, to)
	if isBad(v) || !ok {
		return bad
	}
	t := ir.ElemType(to)
	if t.Kind == ir.Bool {
		switch {
		case v.Type.Kind == ir.Bool:
			return v
		case v.Type.Kind == ir.Typed && l.mayBeBool(v.Type.Elem):
			return ir.Cast(v, t)
		}
		return l.compare(at, ir.OpNe, "`bool`", v, ir.Int(0))
	}
	if v.Type.Kind == ir.Bool || v.Type.Kind == ir.Typed {
		return ir.Cast(v, t)
	}
	if l.class(to) != ir.ClassFloat && v.Type.Kind == ir.Exact && !l.isWhole(v) && !l.isQuotient(v) {
		if c := v.Const; c != nil && !c.IsInt() {
			l.errorf(at, "type-whole", "%s isn't whole, so it doesn't fit %s", l.numberText(v, at), l.elemText(to)).WithHint("round it first")
			return bad
		}
	}
	if v.Type.Kind == ir.Exact && !l.constantsFit(at, v, to) {
		return bad
	}
	return l.push(v, t)
}

// hasValue is has(e): whether e is there.
func (l *lowering) hasValue(x *dsl.Call, e *env) *ir.Value {
	if len(x.Args) != 1 {
		return l.reported()
	}
	arg := x.Args[0].Value
	if id := bareName(arg); id != nil {
		if c := e.params[id.Name]; c != nil {
			if c.absent {
				return ir.False
			}
			inner := *x
			inner.Args = []*dsl.Item{{Value: c.expr, Span: c.expr.Pos()}}
			return l.hasValue(&inner, c.env.with(func(n *env) { n.levels, n.guard, n.path = e.levels, e.guard, e.path }))
		}
		if !e.closed {
			if d := l.sig.find(id.Name); d != nil && d.in != nil {
				return boolean(!d.param.Optional || l.has(id.Name))
			}
			if a := l.sig.attr(id.Name); a != nil {
				return boolean(!a.decl.Optional || l.has(id.Name))
			}
			if l.sig.axes[id.Name] != nil {
				return boolean(l.axisThere(id.Name))
			}
		}
	}
	g := &guard{}
	v := l.expr(arg, e.with(func(n *env) { n.guard = g }))
	switch {
	case g.absent:
		return ir.False
	case isBad(v):
		return bad
	}
	return ir.And(g.conds...)
}

// inline lowers the body of a func in place of its call.
func (l *lowering) inline(f *function, x *dsl.Call, e *env) *ir.Value {
	at := e.at(x)
	if f.broken || len(x.Args) != len(f.decl.Params) || slices.Contains(e.inlined, any(f)) {
		return l.reported() // where f is declared or called
	}
	body := l.enter(f.in, f, x, e)
	for k, p := range f.decl.Params {
		if x.Args[k].Pack || x.Args[k].Value == nil {
			l.errorf(at, "pack-arg", "a func takes numbers, not the index of a pack").WithHint("put the whole call behind `..`")
			return bad
		}
		body.params[p.Name] = &closure{expr: x.Args[k].Value, env: e}
	}
	if f.decl.Axis != nil {
		axes, ok := l.axisArgs(x, e)
		if !ok {
			return bad
		}
		body.axisArgs = map[string]*axisArg{f.decl.Axis.Name: axes}
	}
	for _, s := range f.decl.Lets {
		if len(s.Names) == 1 {
			body.params[s.Names[0].Name] = &closure{expr: s.Value, env: body}
		}
	}
	return l.expr(f.decl.Result, body)
}

// enter is the environment of a body that is inlined: its names are its own, its axes those of the call.
func (l *lowering) enter(in *source, what any, x *dsl.Call, e *env) *env {
	return e.with(func(n *env) {
		n.in, n.closed, n.scopes, n.axisArgs = in, true, nil, nil
		n.params, n.op = map[string]*closure{}, nil
		n.calls = append(slices.Clip(e.calls), x.Span)
		n.text = append(slices.Clip(e.text), x.Span)
		n.inlined = append(slices.Clip(e.inlined), what)
	})
}

// axisArgs are the axes that a call hands to a func, and their filter.
func (l *lowering) axisArgs(x *dsl.Call, e *env) (*axisArg, bool) {
	if x.Index == nil {
		return nil, false
	}
	given, other := axisItems(x, e)
	if other != nil {
		l.errorf(site{other.Span, e}, "call-axes", "%s takes axes, not index variables or ranges", quote(x.Name.Name)).
			WithHint("name an axis; `where` chooses among its points, as in %s[N where x > 0](x)", x.Name.Name)
		return nil, false
	}
	if x.Index.Where != nil {
		given.where = append(given.where, filter{x.Index.Where, e})
	}
	return given, true
}

// axisItems are the axes that the brackets of a call name; other is the first item that is none.
func axisItems(x *dsl.Call, e *env) (given *axisArg, other *dsl.Item) {
	given = &axisArg{}
	for _, i := range x.Index.Items {
		id := bareName(i.Value)
		switch {
		case i.AxisPack != nil:
			given.names = append(given.names, i.AxisPack.Name)
		case id != nil && isUpper(id.Name) && !i.Pack && !i.In:
			if outer := e.axisArgs[id.Name]; outer != nil {
				given.names = append(given.names, outer.names...)
				given.where = append(given.where, outer.where...)
			} else {
				given.names = append(given.names, id.Name)
			}
		default:
			return nil, i
		}
	}
	return given, nil
}

// inlineOp lowers the body of an op whose tensors all have the axes ...B in place of its call.
func (l *lowering) inlineOp(o *operation, x *dsl.Call, e *env) *ir.Value {
	at := e.at(x)
	if isPointwiseOp(o.decl) && !isPlain(o.decl) {
		l.errorf(at, "call-alone", "the formula of %s names axes, or has indices or cases, so its call stands alone", quote(o.decl.Name.Name)).
			WithHint("name its result: let h[…] = %s(…)", o.decl.Name.Name).WithNote(o.decl.Name.Span, "declared here")
		return bad
	}
	if !isPointwiseOp(o.decl) {
		l.errorf(at, "call-alone", "the tensors of %s aren't all of axes [...B], so its call stands alone", quote(o.decl.Name.Name)).
			WithHint("name its result: let h[…] = %s(…)", o.decl.Name.Name).WithNote(o.decl.Name.Span, "declared here")
		return bad
	}
	if o == l.root || slices.Contains(e.inlined, any(o)) {
		l.errorf(at, "op-cycle", "ops are inlined, so %s can't call itself", quote(o.decl.Name.Name)).WithNote(o.decl.Name.Span, "declared here")
		return bad
	}
	if l.uncallable(o, at) {
		return bad
	}
	if o.sig == nil {
		o.sig = newSignature(o)
	}
	body := l.enter(o.in, o, x, e)
	body.op = &inlinedOp{op: o, call: x, env: e}
	for k, in := range o.decl.Inputs {
		c := &closure{env: e, absent: k >= len(x.Args)}
		if !c.absent {
			c.expr = x.Args[k].Value
		}
		body.params[in.Name.Name] = c
	}
	for _, a := range o.sig.attrs {
		body.params[a.decl.Name] = l.attrArg(a, x, e)
	}
	if l.probing == 0 && !l.argumentsFit(at, body.op) {
		return bad
	}
	return l.opBody(o, body)
}

// isPointwiseOp tells whether an op is called like a func.
func isPointwiseOp(o *dsl.Op) bool {
	pack := func(t *dsl.TensorType) bool { return len(t.Axes) == 1 && t.Axes[0].Pack }
	for _, in := range o.Inputs {
		if in.Mode != dsl.In || !pack(&in.Type) || in.Type.Axes[0].Name.Name != o.Inputs[0].Type.Axes[0].Name.Name {
			return false
		}
	}
	for _, out := range o.Outputs {
		if !out.Type.Infer && !pack(&out.Type) {
			return false
		}
	}
	return !o.Update && len(o.Inputs) > 0 && len(o.Outputs) <= 1
}

// attrArg is an attribute of a called op: what the call gives, or the default.
func (l *lowering) attrArg(a *attribute, x *dsl.Call, e *env) *closure {
	c := &closure{env: e, decl: a.decl}
	if a.decl.Kind == ir.AttrFloat {
		c.typ = &ir.RealType
	}
	for _, n := range x.Named {
		if n.Name.Name == a.decl.Name {
			c.expr = n.Value
			return c
		}
	}
	c.expr, c.absent = a.syntax.Default, a.syntax.Default == nil
	c.env = &env{in: e.in, closed: true}
	return c
}

// isPlain tells whether the body of an op is lets without indices and one result without, and doesn't name its pack: then it can
// stand in an expression.
func isPlain(o *dsl.Op) bool {
	results := 0
	if namesAxes(o, o.Short) || namesAxes(o, o.Body) {
		return false
	}
	for _, s := range o.Body {
		switch s := s.(type) {
		case *dsl.Let:
			if s.Pack || s.Left != nil || len(s.Names) != 1 {
				return false
			}
		case *dsl.Assign:
			results++
			if s.Left != nil {
				return false
			}
		case *dsl.Dim, *dsl.Match:
			return false
		}
	}
	return results <= 1
}

// namesAxes tells whether a formula names axes, or indexes elements: the caller's axes are others.
func namesAxes(o *dsl.Op, formula any) bool {
	found := false
	dsl.Inspect(formula, func(n any) bool {
		switch n := n.(type) {
		case *dsl.Item:
			found = found || n.AxisPack != nil
		case *dsl.Ref:
			list := slices.ContainsFunc(o.Attrs, func(a *dsl.Attr) bool { return a.Name.Name == n.Name.Name })
			found = found || isUpper(n.Name.Name) || n.Index != nil && !list
		case *dsl.Example:
			return false
		case *dsl.Call:
			if limits[n.Name.Name] != ir.OpInvalid && n.Package == nil {
				return false // its argument is a dtype
			}
		}
		return !found
	})
	return found
}

// opBody lowers lets, requirements and the one result of a called op.
func (l *lowering) opBody(o *operation, body *env) *ir.Value {
	if o.decl.Short != nil {
		return l.expr(o.decl.Short, body)
	}
	var result dsl.Expr
	for _, s := range o.decl.Body {
		switch s := s.(type) {
		case *dsl.Let:
			body.params[s.Names[0].Name] = &closure{expr: s.Value, env: body}
		case *dsl.Assign:
			result = s.Value
		case *dsl.Require:
			l.require(s, body.with(func(n *env) { n.levels = nil }))
		}
	}
	if result == nil {
		return bad
	}
	return l.expr(result, body)
}
