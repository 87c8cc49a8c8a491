package check

import (
	"maps"
	"math/big"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// unsure is an index that may be out of range.
type unsure struct {
	k     int      // which one of the read it is
	axis  *ir.Axis // that it is an index of
	conds []*ir.Value
}

// add takes an index, and the condition that it is in range unless that is certain.
func (r *reading) add(s slot, x *ir.Value, at site) {
	if isBad(x) || r.outside(s, x, at) {
		r.failed = true
		return
	}
	inside := x.Op == ir.OpIndex && x.Var.Axis == s.extent && s.lo == nil
	if !inside {
		if s.lo != nil {
			x = r.l.rebuilt(x, ir.OpSub, exactIndex(x), s.lo)
		}
		if r.passes(s, x, at) {
			r.failed = true
			return
		}
		y := exactIndex(x)
		var conds []*ir.Value
		if x.Type.Kind == ir.Exact && !r.l.isWhole(x) {
			conds = append(conds, ir.Call(ir.OpEq, ir.Call(ir.OpFloor, y), y))
		}
		conds = append(conds, ir.Call(ir.OpLe, ir.Int(0), y), ir.Call(ir.OpLt, y, ir.Extent(s.extent)))
		r.needs = append(r.needs, conds...)
		r.unsure = append(r.unsure, unsure{len(r.index), s.extent, conds})
	}
	r.index = append(r.index, x)
}

// outside reports an index that no call can have in range: one that isn't whole, lies before the first, or not before an end that is a number.
func (r *reading) outside(s slot, x *ir.Value, at site) bool {
	c := x.Const
	if c == nil || r.at.env.guard != nil {
		return false
	}
	lo, n := new(big.Rat), r.l.extentNumber(s.extent)
	if s.lo != nil {
		if lo = s.lo.Const; lo == nil {
			return false
		}
	}
	of, text := r.of(s), r.l.numberText(x, at)
	switch {
	case !c.IsInt():
		r.l.errorf(at, "index-range", "%s isn't whole, so it is no index of %s", text, of).WithHint("round it: floor(…)")
	case n != nil && (c.Cmp(lo) < 0 || c.Cmp(new(big.Rat).Add(lo, n)) >= 0):
		last := new(big.Rat).Sub(new(big.Rat).Add(lo, n), big.NewRat(1, 1))
		r.l.errorf(at, "index-range", "%s is no index of %s, which has %s to %s", text, of, lo.RatString(), last.RatString()).WithNote(r.v.span, "declared here")
	case c.Cmp(lo) < 0:
		d := r.l.errorf(at, "index-range", "%s is no index of %s, which begins at %s", text, of, lo.RatString()).WithNote(r.v.span, "declared here")
		if lo.Sign() == 0 && s.axis != "" && !s.pack {
			d.WithHint("negative indices don't count from the end: the last one is %s - 1", s.axis)
		}
	default:
		return false
	}
	return true
}

// passes reports an index that runs past an end of its axis in every call that has elements: the index variable of that axis and a number, where
// nothing says that it isn't read at all points.
func (r *reading) passes(s slot, x *ir.Value, at site) bool {
	e := r.at.env
	free := slices.Collect(maps.Keys(ir.FreeVars(x)))
	if e.guard != nil || len(e.path) > 0 || x.Type.Kind != ir.Exact || len(free) != 1 || free[0].Axis != s.extent {
		return false
	}
	v := free[0]
	d := ir.WithoutVars(ir.Sub(x, ir.Index(v)))
	if d == nil || d.Const == nil || d.Const.Sign() == 0 || len(ir.Reads(x)) > 0 {
		return false
	}
	where := "is 0"
	if d.Const.Sign() > 0 {
		where = "is the last index"
	}
	r.l.errorf(at, "index-range", "this is no index of %s where %s %s", r.of(s), quote(v.Name), where).
		WithHint("say what stands there instead: (%s[…] ?? 0), or an if", r.v.name).WithNote(r.v.span, "declared here")
	return true
}

// of is what a slot is an index of, in a message.
func (r *reading) of(s slot) string {
	if s.axis == "" {
		return quote(r.v.name)
	}
	return "axis " + quote(r.l.axisText(s.axis)) + " of " + quote(r.v.name)
}

// extentNumber is the extent of an axis, where it is a number; nil: it is not.
func (l *lowering) extentNumber(a *ir.Axis) *big.Rat {
	for _, d := range l.fn.Dims {
		if d.Axis == a {
			return d.Value.Const
		}
	}
	return nil
}

// hold makes the indices of a let that is repeated where it is read ones that are tested, as those of a tensor are: of such a let nothing is stored,
// so that no read of it would find that an index is out of range. Where a call computes without elements that is a requirement. Else an index is
// read of its axis: what stands at each index is the index.
func (r *reading) hold() {
	l, e := r.l, r.at.env
	for _, u := range r.unsure {
		switch {
		case l.sureInside(u, r.index[u.k], e):
		case e.host && isUniform(ir.And(append(slices.Clone(e.path), u.conds...)...)):
			l.requireInside(r, u)
		default:
			r.index[u.k] = exactIndex(ir.Read(l.indicesOf(r.v, u.axis, r.at), r.index[u.k]))
		}
	}
}

// sureInside tells whether an index is known to be in range at all points.
func (l *lowering) sureInside(u unsure, x *ir.Value, e *env) bool {
	if x.Type.Kind != ir.Exact || !l.isWhole(x) {
		return false
	}
	var vars []*ir.Var
	for s := e.levels; s != nil; s = s.up {
		var here []*ir.Var
		for _, b := range s.list {
			for _, p := range b.each() {
				here = append(here, p.v)
			}
		}
		vars = append(here, vars...) // outer ones first
	}
	n := ir.Extent(u.axis)
	if c := l.extentNumber(u.axis); c != nil {
		n = ir.Const(c)
	}
	return ir.AtMost(ir.Int(0), x, vars) && ir.AtMost(ir.Add(x, ir.Int(1)), n, vars)
}

// requireInside makes a requirement of an index.
func (l *lowering) requireInside(r *reading, u unsure) {
	q := ir.Require{Cond: ir.Or(ir.Not(ir.And(r.at.env.path...)), ir.And(u.conds...)), Span: r.at.span}
	q.Message = "the indices of " + l.op.textOf(r.at.span) + " must be in range"
	if !slices.ContainsFunc(l.fn.Requires, func(p ir.Require) bool { return p.Same(q) }) {
		l.fn.Requires = append(l.fn.Requires, q)
	}
}

// indicesOf is the tensor of the indices of an axis of a let: t[n] = n.
func (l *lowering) indicesOf(v *value, a *ir.Axis, at site) *ir.Tensor {
	x := &ir.Var{Name: "i", Axis: a}
	i64 := ir.Elem{Name: "i64"}
	d := &ir.Def{Vars: []*ir.Var{x}, Dest: []*ir.Value{ir.Index(x)}, Body: ir.Cast(ir.Index(x), ir.TypedAs(i64)), Span: v.span}
	d.Target = &ir.Tensor{Role: ir.Local, Elem: i64, Axes: []*ir.Axis{a}, Exact: true, Span: at.span}
	for _, known := range l.hoisted {
		if l.indexed[known.Target] == v && ir.EqualDefs(known, d) {
			return known.Target
		}
	}
	d.Target.Name = v.name // which no tensor has, since the let is none
	taken := l.callee != nil
	for t := range l.indexed {
		taken = taken || t.Name == v.name
	}
	if taken {
		d.Target.Name = l.tensorName(v.name)
	}
	l.indexed[d.Target] = v
	l.hoisted = append(l.hoisted, d)
	l.emit(d)
	return d.Target
}
