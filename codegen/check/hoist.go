package check

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// exactSum is a reduction of numbers without a dtype. It becomes a definition where its value meets a dtype, in what
// that is computed in; whole numbers that meet none are kept in i64.
type exactSum struct {
	r      reduction
	monoid ir.Monoid
	body   *ir.Value
	where  []*ir.Value
	whole  bool
	outer  []*ir.Var
}

// realize makes the reduction in a type, read at the indices of v.
func (l *lowering) realize(s *exactSum, v *ir.Value, t ir.Type) *ir.Value {
	if t.Kind != ir.Typed {
		return ir.Cast(l.untyped(s, v, t.Kind == ir.Exact), t)
	}
	e := l.storedAs(t)
	if l.class(t.Elem) != ir.ClassFloat {
		if e = l.sumOf(t.Elem); !s.whole {
			return ir.Cast(l.untyped(s, v, true), t)
		}
	}
	return l.readAt(s, v, e, t)
}

// readAt reads a reduction at the indices of v.
func (l *lowering) readAt(s *exactSum, v *ir.Value, e ir.Elem, t ir.Type) *ir.Value {
	r := s.r
	r.exact = t.Kind == ir.Exact
	read := r.hoist(r.name, s.monoid, l.push(s.body, ir.ElemType(e)), s.where, e)
	if isBad(read) {
		return bad
	}
	m := map[*ir.Var]*ir.Value{}
	for k, o := range s.outer {
		m[o] = v.Args[k]
	}
	read = ir.Subst(read, m)
	if read.Type.Kind == ir.Typed && t.Kind == ir.Typed && read.Type.Elem.Name == t.Elem.Name && l.class(t.Elem) == ir.ClassFloat {
		return read
	}
	return ir.Cast(read, t)
}

// untyped makes a reduction that meets no dtype: of exact numbers in i64, of real ones in f64. Fractions without a common
// denominator that is a number are kept in f64 too, and what is computed of them is real, unless an exact number is asked for.
func (l *lowering) untyped(s *exactSum, v *ir.Value, exact bool) *ir.Value {
	switch n := l.commonNumber(s); {
	case v.Type.Kind == ir.Real:
		return l.readAt(s, v, ir.Elem{Name: "f64"}, ir.RealType)
	case s.whole:
		return l.readAt(s, v, ir.Elem{Name: "i64"}, ir.ExactType)
	case n != nil:
		return l.fractional(s, v, n)
	case exact:
		return l.rational(s, v)
	}
	return l.readAt(s, v, ir.Elem{Name: "f64"}, ir.RealType)
}

// settle replaces the reductions of exact numbers that are left in a value by definitions.
func (l *lowering) settle(v *ir.Value) *ir.Value {
	if isBad(v) {
		return v
	}
	exact := l.asksExact(v, v.Type.Kind == ir.Exact, map[asked]bool{})
	return ir.Map(v, func(v *ir.Value) *ir.Value {
		if v.Op == ir.OpRead {
			if s := l.exact[v.Tensor]; s != nil {
				return l.untyped(s, v, exact)
			}
		}
		return l.made(v)
	})
}

// asked is a value, and whether it is needed as an exact number.
type asked struct {
	v     *ir.Value
	exact bool
}

// asksExact tells whether a reduction of fractions stands in a value where an exact number is needed: where it is an exact number itself, as an index,
// or as an integer.
func (l *lowering) asksExact(v *ir.Value, exact bool, done map[asked]bool) bool {
	if done[asked{v, exact}] {
		return false
	}
	done[asked{v, exact}] = true
	if s := l.exact[v.Tensor]; v.Op == ir.OpRead && s != nil && exact && !s.whole && v.Type.Kind == ir.Exact && l.commonNumber(s) == nil {
		return true
	}
	for _, a := range v.Args {
		asks := exact
		switch v.Op {
		case ir.OpRead, ir.OpUniform, ir.OpNormal:
			asks = true
		case ir.OpCast:
			asks = v.Type.Kind == ir.Typed && l.class(v.Type.Elem) == ir.ClassInt
		case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe:
			asks = false
		case ir.OpSelect:
			asks = exact && a != v.Args[0]
		}
		if l.asksExact(a, asks, done) {
			return true
		}
	}
	return false
}

// made is a value some of whose arguments may have become real.
func (l *lowering) made(v *ir.Value) *ir.Value {
	real := func(a *ir.Value) bool { return a.Type.Kind == ir.Real }
	if isBad(v.Args...) {
		return bad
	}
	if v.Op == ir.OpRead || v.Op == ir.OpCast || v.Op == ir.OpUniform || v.Op == ir.OpNormal || v.Type.Kind == ir.Real || !slices.ContainsFunc(v.Args, real) {
		return v
	}
	return ir.Call(v.Op, v.Args...)
}

// settleIndex is settle for an index, which may be an element of integers.
func (l *lowering) settleIndex(v *ir.Value) *ir.Value {
	v = l.settle(v)
	if v.Op == ir.OpCast && v.Type.Kind == ir.Exact && v.Args[0].Type.Kind == ir.Typed {
		return v.Args[0]
	}
	return v
}

// outerVars are the variables of the places around a reduction that its values use.
func (r *reduction) outerVars(values []*ir.Value) []*ir.Var {
	own := r.vars()
	for _, v := range own {
		if v.Axis == nil {
			values = append(values, v.Lo, v.Hi)
		}
	}
	free := ir.FreeVars(values...)
	for more := true; more; { // and those that their ranges depend on, or what says that these are evaluated
		before := len(free)
		for v := range free {
			if v.Axis == nil {
				values = append(values, v.Lo, v.Hi)
				if r.l.rangesMayFail([]*ir.Var{v}) {
					values = append(values, r.l.paths[v]...)
				}
			}
		}
		free = ir.FreeVars(values...)
		more = len(free) > before
	}
	for _, v := range own {
		delete(free, v)
	}
	var list []*ir.Var
	for s := r.at.env.levels; s != nil; s = s.up {
		var here []*ir.Var
		for _, b := range s.list {
			for _, p := range b.each() {
				if free[p.v] {
					here = append(here, p.v)
					delete(free, p.v)
				}
			}
		}
		if s.open {
			slices.SortStableFunc(here, func(a, b *ir.Var) int { return r.l.sig.placeOf(a.Axis) - r.l.sig.placeOf(b.Axis) })
		}
		list = append(here, list...) // outer levels first
	}
	return list
}

// hoist makes a definition of a reduction and reads it here.
func (r *reduction) hoist(name string, m ir.Monoid, body *ir.Value, where []*ir.Value, e ir.Elem) *ir.Value {
	if isBad(body) {
		return bad
	}
	return r.define(name, r.vars(), m, body, where, e)
}

// outside makes a definition of a value that doesn't use the variables of the reduction, so that it is computed once.
func (r *reduction) outside(name string, body *ir.Value, e ir.Elem) *ir.Value {
	return r.define(name, nil, ir.Assign, body, nil, e)
}

// define makes a definition over its own variables and those around it that it uses. What was defined before is read
// again.
func (r *reduction) define(name string, own []*ir.Var, m ir.Monoid, body *ir.Value, where []*ir.Value, e ir.Elem) *ir.Value {
	l := r.l
	body, where = l.settle(body), l.settleAll(where)
	if isBad(body) || isBad(where...) {
		return bad
	}
	overflows := r.exact && (m == ir.Sum || m == ir.Prod)
	if overflows || l.mayFail(append(where, body)...) || l.rangesMayFail(own) {
		// Where this isn't evaluated, its reads may be out of range, also those of its filter, which is tested after.
		where = append(l.settleAll(r.at.env.path), where...)
	}
	probe := *r
	if own == nil {
		probe.inner = r.inner.inside(false)
	}
	outer := probe.outerVars(append([]*ir.Value{body}, where...))
	d := &ir.Def{Monoid: m, Body: body, Where: where, Span: r.at.span}
	if r.all && m != ir.Assign {
		d.Across = r.textPlace()
	}
	fresh := map[*ir.Var]*ir.Value{}
	index := []*ir.Value{}
	axes := []*ir.Axis{}
	var inside []*ir.Value
	for _, o := range outer {
		v, base, conds := r.outerAxis(o)
		if v == nil {
			return bad
		}
		axis := v.Axis
		fresh[o] = ir.Index(v)
		axes = append(axes, axis)
		d.Vars = append(d.Vars, v)
		d.Dest = append(d.Dest, ir.Index(v))
		at := ir.Index(o)
		if o.Axis == nil {
			fresh[o] = ir.Add(fresh[o], ir.Subst(base, fresh))
			at = ir.Sub(at, base)
			inside = append(inside, conds...)
		}
		index = append(index, at)
	}
	if isBad(inside...) {
		return bad
	}
	where = distinct(append(inside, where...))
	for _, o := range own {
		v := *o
		if v.Axis == nil {
			lo, hi := l.settle(v.Lo), l.settle(v.Hi)
			if isBad(lo, hi) {
				return bad
			}
			if l.rangesMayFail([]*ir.Var{o}) { // there are no values where this isn't evaluated
				if c := ir.And(known(where, outer)...); c.Op != ir.OpTrue {
					lo, hi = ir.Select(c, lo, ir.Int(0)), ir.Select(c, hi, ir.Int(0))
				}
			}
			v.Lo, v.Hi = ir.Subst(lo, fresh), ir.Subst(hi, fresh)
		}
		d.Vars = append(d.Vars, &v)
		fresh[o] = ir.Index(&v)
	}
	d.Body, d.Where = ir.Subst(body, fresh), ir.SubstAll(where, fresh)
	d.Target = &ir.Tensor{Role: ir.Local, Elem: e, Axes: axes, Exact: r.exact, Span: r.at.span}
	for _, known := range l.hoisted {
		if ir.EqualDefs(known, d) {
			return ir.Read(known.Target, index...)
		}
	}
	d.Target.Name = l.tensorName(name)
	if len(d.Where) > 0 && (m == ir.Max || m == ir.Min || m == ir.Assign) {
		l.partial[d.Target] = true
	}
	l.hoisted = append(l.hoisted, d)
	l.emit(d)
	return ir.Read(d.Target, index...)
}

// outerAxis makes the variable of a definition for one of the places around it. It runs over an axis: that of the place,
// or one that stands for its range, from base on. A range whose length differs from point to point has an axis for all of
// them together; inside are the conditions that a value is in the range of its point.
func (r *reduction) outerAxis(o *ir.Var) (v *ir.Var, base *ir.Value, inside []*ir.Value) {
	if o.Axis != nil {
		return &ir.Var{Name: o.Name, Axis: o.Axis}, nil, nil
	}
	l := r.l
	lo, hi := l.settle(o.Lo), l.settle(o.Hi)
	if isBad(lo, hi) {
		return nil, nil, nil
	}
	base, n := lo, ir.WithoutVars(ir.Sub(hi, lo))
	if n == nil {
		b := l.reach(o)
		if b.least == nil || b.most == nil || hasDType(b.least, b.most) {
			return r.raggedAxis(o, lo, hi)
		}
		base, n, inside = b.least, ir.Sub(b.most, b.least), l.within(r.at, o)
		if l.mayFail(lo, hi) {
			inside = append(l.settleAll(l.paths[o]), inside...)
		}
	}
	if hasDType(n) || l.root.totalled() {
		return r.raggedAxis(o, lo, hi)
	}
	a := l.ranges[o]
	if a == nil {
		a = l.unnamed(o.Name, ir.Call(ir.OpMax, n, ir.Int(0)), r.at.span)
		l.ranges[o] = a
	}
	return &ir.Var{Name: o.Name, Axis: a}, base, inside
}

// settleAll is settle for a list.
func (l *lowering) settleAll(vs []*ir.Value) []*ir.Value {
	r := make([]*ir.Value, len(vs))
	for k, v := range vs {
		r[k] = l.settle(v)
	}
	return r
}

// distinct leaves out what is in a list already.
func distinct(vs []*ir.Value) []*ir.Value {
	var r []*ir.Value
	for _, v := range vs {
		if !slices.ContainsFunc(r, func(x *ir.Value) bool { return ir.Equal(x, v) }) {
			r = append(r, v)
		}
	}
	return r
}

// known are the conditions that depend on no other variables than these.
func known(conds []*ir.Value, vars []*ir.Var) []*ir.Value {
	var r []*ir.Value
	for _, c := range conds {
		of := ir.FreeVars(c)
		for _, v := range vars {
			delete(of, v)
		}
		if len(of) == 0 {
			r = append(r, c)
		}
	}
	return r
}

// rangesMayFail tells whether the ends of ranges read anything at an index that may be out of range.
func (l *lowering) rangesMayFail(vars []*ir.Var) bool {
	return slices.ContainsFunc(vars, func(v *ir.Var) bool { return v.Axis == nil && l.mayFail(l.settle(v.Lo), l.settle(v.Hi)) })
}

// mayFail tells whether values can't be computed everywhere: they read something at an index that isn't just a variable, so that
// it may be out of range, or what has no value where a filter leaves nothing, or divide exact numbers or integers by what may be zero.
func (l *lowering) mayFail(vs ...*ir.Value) bool {
	may := false
	for _, v := range vs {
		ir.Walk(v, func(v *ir.Value) bool {
			switch v.Op {
			case ir.OpRead:
				may = may || l.partial[v.Tensor]
				for k, x := range v.Args {
					may = may || x.Op != ir.OpIndex || x.Var.Axis != v.Tensor.Axes[k]
				}
			case ir.OpDiv, ir.OpMod, ir.OpRem, ir.OpPow:
				by := v.Args[1]
				float := by.Type.Kind == ir.Real || by.Type.Kind == ir.Typed && l.class(by.Type.Elem) != ir.ClassInt
				may = may || !float && !isUniform(by)
			}
			return !may
		})
	}
	return may
}
