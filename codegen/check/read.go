package check

import (
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

// ref lowers a name.
func (l *lowering) ref(x *dsl.Ref, e *env) *ir.Value {
	name, at := x.Name.Name, e.at(x)
	if isUpper(name) {
		return l.extent(x, e)
	}
	if c := constants[name]; c != nil {
		return c
	}
	if b := e.variable(name); b != nil {
		switch {
		case b.spread && e.comp > 0 && e.comp <= len(b.parts):
			return b.parts[e.comp-1].value
		case b.pack:
			l.errorf(at, "index-pack", "%s is the index of a pack", quote(name)).WithHint("it stands behind `..`, where it is taken component by component")
			return bad
		}
		return b.value
	}
	if c := e.params[name]; c != nil {
		return l.param(x, c, e)
	}
	if e.closed {
		l.errorf(at, "name-unknown", "%s is not declared", quote(name))
		return bad
	}
	if name == "step" && l.root.decl.Update {
		return ir.ScalarOf(&ir.Scalar{Name: "step", Type: ir.ExactType})
	}
	if a := l.sig.attr(name); a != nil {
		return l.attribute(a, x, e)
	}
	if x.Prime {
		name += "'"
	}
	v := l.table[name]
	if x.Cotangent {
		v = l.cotangent(name, at)
	}
	if v == nil && x.Index != nil && !x.Cotangent && !x.Prime {
		if v = l.ahead(name); v != nil {
			read := l.element(v, x.Index, at)
			if read.Op == ir.OpRead {
				read.Span = x.Span
			}
			return read
		}
	}
	if v == nil {
		return l.early(at, name, x.Index != nil)
	}
	return l.element(v, x.Index, at)
}

// early reports a read of what is defined further down, or on no path that was taken.
func (l *lowering) early(at site, name string, indexed bool) *ir.Value {
	_, set := l.setAt[name]
	later := l.declaredLater(name)
	switch {
	case indexed && (set || later):
		l.errorf(at, "recurrence", "%s is read where it is not yet defined, and its axes aren't known here", quote(name)).
			WithHint("a recurrence names them where it is defined, by a variable or an axis each: %s[t in L, n in N] = …", name)
	case later:
		l.errorf(at, "name-early", "%s has no value here", quote(name)).WithHint("definitions use earlier ones: move this one down")
	case l.sig.find(name) != nil || l.rep.errors == l.clean:
		l.errorf(at, "name-early", "%s has no value here: nothing sets it", quote(name))
	}
	// Else it is an index variable whose binding has failed, which has been said.
	return bad
}

// declaredLater tells whether a definition of the name stands anywhere in the op.
func (l *lowering) declaredLater(name string) bool {
	found := false
	dsl.Inspect(l.op.decl.Body, func(n any) bool {
		switch s := n.(type) {
		case *dsl.Let:
			for _, id := range s.Names {
				found = found || id.Name == name
			}
		case *dsl.Assign:
			set := s.Name.Name
			if s.Prime {
				set += "'"
			}
			found = found || set == name
		}
		return !found
	})
	return found
}

// param lowers a parameter: its argument, with the axes that are bound here.
func (l *lowering) param(x *dsl.Ref, c *closure, e *env) *ir.Value {
	at := e.at(x)
	if c.absent {
		return l.absence(at, x.Name.Name)
	}
	if x.Index != nil {
		return l.unsupported(at, "an input of a called op that is read by index")
	}
	inner := c.env.with(func(n *env) {
		n.levels, n.guard, n.path, n.host, n.calls, n.comp = e.levels, e.guard, e.path, e.host, e.calls, e.comp
	})
	v := l.expr(c.expr, inner)
	if c.typ != nil && !isBad(v) && v.Type.Kind == ir.Exact && c.typ.Kind == ir.Real {
		v = l.push(v, ir.RealType)
	}
	return v
}

// absence is a value that isn't there.
func (l *lowering) absence(at site, name string) *ir.Value {
	if at.env.guard != nil {
		at.env.guard.absent = true
		return bad
	}
	if _, said := l.root.said[fault{at.span, "type-condition"}]; said {
		return l.reported() // it was meant to be asked whether it is there
	}
	l.errorf(at, "absent", "%s may be absent here", quote(name)).WithHint("write `%s ?? …`, or test has(%s)", name, name)
	return bad
}

// attribute lowers an attribute.
func (l *lowering) attribute(a *attribute, x *dsl.Ref, e *env) *ir.Value {
	at, name := e.at(x), a.decl.Name
	switch a.decl.Kind {
	case ir.AttrBool:
		return boolean(l.word(a) == "true")
	case ir.AttrEnum:
		l.errorf(at, "enum-value", "%s is an enum: it is compared with one of its words, or matched", quote(name)).
			WithNote(a.syntax.Span, "declared here")
		return bad
	}
	if a.decl.List != "" {
		return l.listEntry(a, x, at)
	}
	if l.callee != nil && x.Index == nil && a.scalar != nil {
		if a.decl.Optional && !l.has(name) {
			return l.absence(at, name)
		}
		return l.callee.number(l, a, -1, at)
	}
	if x.Index != nil {
		l.errorf(at, "index-number", "%s is one number, so it has no indices", quote(name)).WithNote(a.syntax.Span, "declared here")
		return bad
	}
	if a.scalar == nil {
		return bad
	}
	if a.decl.Optional && !l.has(name) {
		return l.absence(at, name)
	}
	return ir.ScalarOf(a.scalar)
}

// isThere tells whether a tensor of the signature is there: an optional one without a fallback is a choice.
func (l *lowering) isThere(v *value) bool {
	d := l.sig.find(v.name)
	if l.callee != nil && d != nil && d.in != nil {
		return l.has(v.name)
	}
	return d == nil || !d.param.Optional || d.fallback != nil || l.has(v.name)
}

// element lowers the read of a tensor or let, bare or by index.
func (l *lowering) element(v *value, index *dsl.Bracket, at site) *ir.Value {
	if v.broken {
		return bad
	}
	if v.list != nil {
		return l.listLetEntry(v, index, at)
	}
	if !l.isThere(v) {
		return l.absence(at, v.name)
	}
	if index != nil && len(index.Items) != len(v.slots) {
		l.errorf(site{index.Span, at.env}, "index-count", "%s has %s, not %d", quote(v.name), plural(len(v.slots), "axis"), len(index.Items)).
			WithNote(v.span, "declared here")
		return bad
	}
	if index != nil && v.loose {
		l.errorf(site{index.Span, at.env}, "index-loose", "the axes of %s have no order, so it can't be read by index", quote(v.name)).
			WithHint("name them where it is defined: let %s[%s] = …", v.name, l.axisList(v.slots)).WithNote(v.span, "defined here")
		return bad
	}
	r := &reading{l: l, v: v, at: at}
	if index == nil {
		for _, s := range flat(v.slots) {
			r.bare(s)
		}
	} else {
		for k, i := range index.Items {
			r.slot(v.slots[k], i)
		}
	}
	if r.failed {
		return bad
	}
	if at.env.guard != nil {
		at.env.guard.conds = append(at.env.guard.conds, r.needs...)
	}
	if v.inlined != nil {
		if at.env.guard == nil {
			r.hold()
		}
		m := map[*ir.Var]*ir.Value{}
		for k, x := range v.vars {
			m[x] = exactIndex(r.index[k]) // elements of integers, too, are exact numbers as indices
		}
		x := ir.Subst(v.inlined, m)
		if l.isQuotient(x) && !l.isQuotient(v.inlined) { // an exact number at an index, which needn't be rounded
			x = ir.Mul(ir.Div(ir.Int(1), x.Args[1]), x.Args[0])
		}
		return x
	}
	return ir.Read(v.tensor, r.index...)
}

// axisList names the axes of slots.
func (l *lowering) axisList(slots []slot) string {
	text := ""
	for k, s := range flat(slots) {
		if k > 0 {
			text += ", "
		}
		text += l.axisText(s.axis)
	}
	return text
}

// reading collects the indices of one read.
type reading struct {
	l      *lowering
	v      *value
	at     site
	index  []*ir.Value
	needs  []*ir.Value // conditions under which the read is in range
	unsure []unsure    // the indices that they are of
	failed bool
}

func (r *reading) fail(at site, code, format string, args ...any) {
	r.failed = true
	r.l.errorf(at, code, format, args...)
}

// bare takes the index that is bound to the axis.
func (r *reading) bare(s slot) {
	if s.axis == "" {
		r.failed = true
		r.l.errorf(r.at, "axis-unnamed", "%s has an axis without a name", quote(r.v.name)).
			WithHint("write its indices").WithNote(r.v.span, "defined here")
		return
	}
	b := r.l.axisIndex(r.at, s.axis, r.v.name)
	if b == nil {
		r.failed = true
		return
	}
	r.bound(s, b, r.at)
}

// bound takes the index of a binding.
func (r *reading) bound(s slot, b *binding, at site) {
	if !s.spread {
		r.add(s, b.value, at)
		return
	}
	values := []*ir.Value{}
	for _, p := range b.parts {
		values = append(values, p.value)
	}
	r.all(s, values, at)
}

// all takes one index for each axis of a pack.
func (r *reading) all(s slot, values []*ir.Value, at site) {
	if len(values) != len(s.parts) {
		r.fail(at, "pack-rank", "this has %s, but %s has %s", plural(len(values), "component"), quote("..."+s.axis), plural(len(s.parts), "axis"))
		return
	}
	for k, x := range values {
		r.add(s.parts[k], x, at)
	}
}

// slot takes one written index.
func (r *reading) slot(s slot, i *dsl.Item) {
	at := site{i.Span, r.at.env}
	if s.factor != nil {
		r.product(s, i)
		return
	}
	if s.pack != i.Pack {
		r.failed = true
		if s.pack {
			r.l.errorf(at, "index-pack", "%s is a pack, so its index begins with `..`", quote("..."+s.axis)).WithNote(r.v.span, "declared here")
		} else {
			r.l.errorf(at, "index-pack", "%s is one axis, so its index is one number, without `..`", quote(s.axis)).WithNote(r.v.span, "declared here")
		}
		return
	}
	if i.Value == nil {
		r.failed = true
		return
	}
	if s.pack {
		r.pack(s, i)
		return
	}
	if t, is := i.Value.(*dsl.Tuple); is {
		r.fail(site{t.Span, r.at.env}, "index-product", "%s is one axis, not a product", quote(s.axis))
		return
	}
	r.add(s, r.l.indexValue(i.Value, r.at.env), at)
}

// pack takes the index of a pack: carried whole, or computed axis by axis.
func (r *reading) pack(s slot, i *dsl.Item) {
	e := r.at.env
	at := site{i.Span, e}
	if id := bareName(i.Value); id != nil {
		if b := e.variable(id.Name); b != nil {
			switch {
			case !b.pack:
				r.fail(at, "index-pack", "%s is one index, not that of a pack", quote(id.Name))
			case s.spread == b.spread && (s.spread || b.v.Axis == s.extent):
				r.bound(s, b, at)
			default:
				r.failed = true
				r.l.unsupported(at, "a pack that is read at the index of another")
			}
			return
		}
	}
	if !s.spread {
		r.failed = true
		r.l.unsupported(at, "an index of a pack that is computed")
		return
	}
	values, ok := r.l.components(i.Value, len(s.parts), e, r.l.indexValue)
	if !ok {
		r.failed = true
		return
	}
	r.all(s, values, at)
}

// product takes the index of a product: one for each factor, or one flat number.
func (r *reading) product(s slot, i *dsl.Item) {
	e := r.at.env
	at := site{i.Span, e}
	items := []*dsl.Item{}
	switch t := i.Value.(type) {
	case *dsl.Tuple:
		items = t.Items
	case *dsl.Paren:
		items = []*dsl.Item{{Value: t.X, Span: t.Span}}
	}
	switch {
	case len(items) == len(s.factor):
		for k, f := range s.factor {
			r.slot(f, items[k])
		}
	case len(items) > 1:
		r.fail(at, "index-count", "this axis is a product of %d, not of %d", len(s.factor), len(items))
	case i.Pack || i.Value == nil:
		r.fail(at, "index-pack", "a product of axes has one index in parentheses, or one flat number")
	default:
		r.flat(s, r.l.indexValue(i.Value, e), at)
	}
}

// flat takes a flat index of a product apart.
func (r *reading) flat(s slot, x *ir.Value, at site) {
	if isBad(x) {
		r.failed = true
		return
	}
	axes := extents([]slot{s})
	sizes := make([]*ir.Value, len(axes))
	for k, a := range axes {
		sizes[k] = ir.Extent(a)
	}
	y := exactIndex(x)
	var within []*ir.Value
	if x.Type.Kind == ir.Exact && !r.l.isWhole(x) {
		within = append(within, ir.Call(ir.OpEq, ir.Call(ir.OpFloor, y), y))
	}
	total := ir.Int(1)
	for _, n := range sizes {
		total = ir.Mul(total, n)
	}
	within = append(within, ir.Call(ir.OpLe, ir.Int(0), y), ir.Call(ir.OpLt, y, total))
	r.needs = append(r.needs, within...)
	for k := range sizes {
		r.index = append(r.index, r.l.digit(at, y, sizes, k))
	}
	if first := len(r.index) - len(sizes); r.v.inlined != nil && r.at.env.guard == nil {
		// The digits of a number that is out of range may be in theirs; the first one tells.
		r.index[first] = ir.Select(ir.And(within...), r.index[first], ir.Int(-1))
		r.unsure = append(r.unsure, unsure{first, axes[0], within})
	}
}

// listLetEntry is an entry of a list of a let.
func (l *lowering) listLetEntry(v *value, index *dsl.Bracket, at site) *ir.Value {
	k := at.env.comp - 1
	if index != nil {
		x := &dsl.Ref{Name: dsl.Ident{Name: v.name, Span: at.span}, Index: index, Span: at.span}
		var ok bool
		if k, ok = l.position(x, at); !ok {
			return bad
		}
	} else if k < 0 {
		l.errorf(at, "index-list", "%s is a list", quote(v.name)).WithNote(v.span, "defined here").
			WithHint("write an entry, %s[0], or ..%s where an index of a pack stands", v.name, v.name)
		return bad
	}
	if k < 0 || k >= len(v.list) {
		return l.absence(at, ir.EntryName(v.name, k))
	}
	return v.list[k]
}

// exactIndex is an index as an exact number, for comparing it with extents.
func exactIndex(x *ir.Value) *ir.Value { return ir.Cast(x, ir.ExactType) }

// indexValue lowers an index: an exact number, or an element of integers.
func (l *lowering) indexValue(x dsl.Expr, e *env) *ir.Value {
	v := l.expr(x, e)
	switch {
	case isBad(v):
		return bad
	case v.Type.Kind == ir.Exact:
		return l.settleIndex(v)
	case v.Type.Kind == ir.Typed && l.class(v.Type.Elem) == ir.ClassInt:
		return v
	}
	d := l.errorf(e.at(x), "index-type", "an index is a whole number, not %s", l.typeText(v))
	d.WithHint("round it with floor(…) and cast it to i64")
	return bad
}
