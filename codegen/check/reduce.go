package check

import (
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

// reduction is a reducer with its variables bound.
type reduction struct {
	l     *lowering
	name  string
	at    site
	inner *env
	where []*ir.Value
	body  *ir.Value
	args  []*dsl.Item
	all   bool // over all tensors of the call
	exact bool // what it gives is an exact number
}

// reduce lowers a reducer: a definition of its own, and a read of it.
func (l *lowering) reduce(x *dsl.Call, e *env) *ir.Value {
	at := site{x.Span, e}
	if len(x.Args) == 0 {
		return l.reported()
	}
	if x.Args[0].Pack {
		return l.fold(x, e)
	}
	all, ok := l.overAll(x, e)
	if !ok {
		return bad
	}
	inner := e.inside(x.Index == nil || all).with(func(n *env) { n.guard = nil })
	r := &reduction{l: l, name: x.Name.Name, at: at, inner: inner, args: x.Args, all: all}
	if x.Index != nil {
		exprs := []dsl.Expr{}
		for _, a := range x.Args {
			exprs = append(exprs, a.Value)
		}
		if x.Index.Where != nil {
			exprs = append(exprs, x.Index.Where)
		}
		if !all && !l.binders(x.Index.Items, exprs, inner) {
			return bad
		}
		for _, f := range filtersOf(x.Index, inner) {
			c := l.condition(f.expr, f.env.with(func(n *env) {
				n.levels, n.guard, n.path, n.host, n.comp = inner.levels, nil, inner.path, inner.host, inner.comp
			}))
			if isBad(c) {
				l.expr(x.Args[0].Value, inner)
				return bad
			}
			r.where = append(r.where, ir.Conjuncts(c)...)
			inner = inner.with(func(n *env) { n.path = append(slices.Clip(e.path), r.where...) }) // a filter itself stands outside
			r.inner = inner
		}
	}
	r.body = l.expr(x.Args[0].Value, inner)
	if isBad(r.body) || all && !r.acrossOnly() {
		return bad
	}
	if inner.levels.open {
		slices.SortStableFunc(inner.levels.list, func(a, b *binding) int { return l.sig.rankOf(a.axis) - l.sig.rankOf(b.axis) })
	}
	return reducing[r.name](r)
}

// filtersOf are the filters of a reduction: those of axes that a caller has handed over, then its own.
func filtersOf(b *dsl.Bracket, e *env) []filter {
	var list []filter
	var look func(items []*dsl.Item)
	look = func(items []*dsl.Item) {
		for _, i := range items {
			switch v := i.Value.(type) {
			case *dsl.Tuple:
				look(v.Items)
			case *dsl.Paren:
				look([]*dsl.Item{{Value: v.X}})
			case *dsl.Ref:
				if given := e.axisArgs[v.Name.Name]; given != nil && bareName(v) != nil {
					list = append(list, given.where...)
				}
			}
		}
	}
	look(b.Items)
	if b.Where != nil {
		list = append(list, filter{b.Where, e})
	}
	return list
}

var reducing map[string]func(*reduction) *ir.Value

func init() {
	reducing = map[string]func(*reduction) *ir.Value{
		"sum": (*reduction).sum, "prod": (*reduction).prod, "mean": (*reduction).mean,
		"max": (*reduction).extreme, "min": (*reduction).extreme,
		"any": (*reduction).test, "all": (*reduction).test,
		"argmax": (*reduction).place, "argmin": (*reduction).place,
		"logsumexp": (*reduction).logSumExp, "norm": (*reduction).norm,
	}
}

// list are the indices that are reduced, those of packs that are computed with one by one.
func (r *reduction) list() []*binding {
	var list []*binding
	for _, b := range r.inner.levels.list {
		list = append(list, b.each()...)
	}
	return list
}

// vars are the variables that are reduced.
func (r *reduction) vars() []*ir.Var {
	var list []*ir.Var
	for _, b := range r.list() {
		list = append(list, b.v)
	}
	return list
}

func (r *reduction) number() bool { return r.l.number(r.at, quote(r.name), r.body) }

func (r *reduction) sum() *ir.Value {
	if !r.number() {
		return bad
	}
	if r.body.Type.Kind != ir.Typed && isUniform(r.body) && len(r.where) == 0 && !r.all {
		if n := r.count(); n != nil {
			return r.l.apply(r.at, ir.OpMul, "`sum`", r.body, n)
		}
	}
	return r.collect(ir.Sum)
}

func (r *reduction) prod() *ir.Value {
	if !r.number() {
		return bad
	}
	return r.collect(ir.Prod)
}

// collect is a sum or product; integers are kept in sum(T).
func (r *reduction) collect(m ir.Monoid) *ir.Value {
	if r.body.Type.Kind != ir.Typed {
		return r.numbers(m, r.body, r.where)
	}
	e := r.l.sumOf(r.body.Type.Elem)
	body := r.body
	if body.Type.Elem != e && (body.Type.Elem.Name != e.Name || r.l.class(e) != ir.ClassFloat) {
		body = ir.Cast(body, ir.ElemType(e))
	}
	return r.hoist(r.name, m, body, r.where, e)
}

// mean is the sum over the number of elements.
func (r *reduction) mean() *ir.Value {
	if !r.number() {
		return bad
	}
	if r.body.Type.Kind != ir.Typed && isUniform(r.body) && len(r.where) == 0 && !r.all {
		return r.body
	}
	var n *ir.Value
	if len(r.where) == 0 && !r.all {
		n = r.count()
	}
	if n == nil {
		n = r.numbers(ir.Sum, ir.Int(1), r.where)
	}
	s := r.collect(ir.Sum)
	if isBad(s, n) {
		return bad
	}
	return r.l.apply(r.at, ir.OpDiv, "`mean`", s, n)
}

// count is the number of points, where their ranges tell it.
func (r *reduction) count() *ir.Value {
	n := ir.Int(1)
	for _, v := range r.vars() {
		m := extentOf(v)
		if m == nil {
			return nil
		}
		n = ir.Mul(n, m)
	}
	return n
}

// extentOf is the number of values of a variable; nil: it differs from point to point.
func extentOf(v *ir.Var) *ir.Value {
	if v.Axis != nil {
		return ir.Extent(v.Axis)
	}
	n := ir.Sub(v.Hi, v.Lo)
	if !isUniform(n) {
		return nil
	}
	return ir.Call(ir.OpMax, n, ir.Int(0))
}

// extreme is max or min, which is absent where it runs over nothing.
func (r *reduction) extreme() *ir.Value {
	if !r.number() {
		return bad
	}
	r.needsPoints()
	return r.most(r.body)
}

// most is the greatest or smallest value.
func (r *reduction) most(v *ir.Value) *ir.Value {
	m := ir.Max
	if strings.HasSuffix(r.name, "min") {
		m = ir.Min
	}
	if v.Type.Kind != ir.Typed {
		return r.numbers(m, v, r.where)
	}
	return r.hoist(strings.TrimPrefix(r.name, "arg"), m, v, r.where, r.l.storedAs(v.Type))
}

// needsPoints notes for a ?? around the reduction that there must be points.
func (r *reduction) needsPoints() {
	if g := r.at.env.guard; g != nil {
		if c := r.points(); c.Op != ir.OpTrue {
			g.conds = append(g.conds, c)
		}
	}
}

// points is the condition that there is anything to reduce.
func (r *reduction) points() *ir.Value {
	if r.all {
		return r.anywhere()
	}
	if len(r.where) > 0 || r.dependent() {
		return r.hoist("any", ir.Any, ir.True, r.where, ir.Elem{Name: "bool"})
	}
	conds := []*ir.Value{}
	for _, b := range r.list() {
		// A reduction along an axis whose index is known outside has that index, if nothing else.
		if b.v.Axis != nil && r.at.env.isBound(b.axis) {
			continue
		}
		if n := extentOf(b.v); n != nil {
			conds = append(conds, ir.Call(ir.OpLt, ir.Int(0), n))
		} else {
			conds = append(conds, ir.Call(ir.OpLt, b.v.Lo, b.v.Hi))
		}
	}
	return ir.And(conds...)
}

// dependent tells whether the range of an index depends on another one that is reduced.
func (r *reduction) dependent() bool {
	own := map[*ir.Var]bool{}
	for _, v := range r.vars() {
		if v.Axis == nil && (ir.DependsOn(v.Lo, own) || ir.DependsOn(v.Hi, own)) {
			return true
		}
		own[v] = true
	}
	return false
}

func (r *reduction) test() *ir.Value {
	if r.body.Type.Kind != ir.Bool {
		r.l.errorf(r.at, "type-condition", "%s takes conditions, not %s", quote(r.name), r.l.typeText(r.body)).WithHint("compare it: … != 0")
		return bad
	}
	if r.all {
		return r.truth()
	}
	m := ir.All
	if r.name == "any" {
		m = ir.Any
	}
	return r.hoist(r.name, m, r.body, r.where, ir.Elem{Name: "bool"})
}

// place is argmax or argmin: the first index whose key is the extreme one, and what stands there.
func (r *reduction) place() *ir.Value {
	if !r.number() {
		return bad
	}
	list := r.list()
	r.needsPoints()
	key := r.body
	own := map[*ir.Var]bool{}
	for _, b := range list {
		own[b.v] = true
	}
	top := key // where all keys are the same, the first one is it, and nothing is asked for that isn't there where there is no key
	if ir.DependsOn(key, own) {
		top = r.most(key)
	}
	if isBad(top) {
		return bad
	}
	hit := r.l.compare(r.at, ir.OpEq, quote(r.name), key, top)
	if t := key.Type; t.Kind == ir.Real || t.Kind == ir.Typed && r.l.class(t.Elem) != ir.ClassInt {
		hit = ir.Or(hit, ir.And(ir.Call(ir.OpIsNaN, key), ir.Call(ir.OpIsNaN, top)))
	}
	if isBad(hit) {
		return bad
	}
	first := *r
	first.name = "argmin" // the first is the smallest index
	where := slices.Clone(r.where)
	if hit.Op != ir.OpTrue {
		where = append(where, hit)
	}
	sizes := r.sizes(list)
	if sizes == nil {
		return r.placeByIndex(&first, list, where)
	}
	flat := ir.Int(0)
	for k, b := range list {
		i := b.value
		if len(list) > 1 && b.v.Axis == nil {
			i = ir.Sub(i, b.v.Lo)
		}
		flat = ir.Add(ir.Mul(flat, sizes[k]), i)
	}
	at := first.numbers(ir.Min, flat, where)
	if isBad(at) || len(r.args) < 2 {
		return at
	}
	return r.l.expr(r.args[1].Value, r.found(func(k int, b *binding) *ir.Value {
		if len(sizes) == 1 {
			return at
		}
		digit := r.l.digit(r.at, at, sizes, k)
		if b.v.Axis == nil {
			digit = ir.Add(digit, b.v.Lo)
		}
		return digit
	}))
}

// placeByIndex is place where the ranges of indices depend on each other, so that no product of their sizes numbers their points: the first
// index is the smallest one that has a hit, the second the smallest beside it, and so on. The flat index is the number of points before.
func (r *reduction) placeByIndex(first *reduction, list []*binding, where []*ir.Value) *ir.Value {
	var at []*ir.Value
	before := ir.False // of two points the one with the smaller index, where they begin to differ
	same := ir.True
	for _, b := range list {
		i := first.numbers(ir.Min, b.value, slices.Clip(where))
		if isBad(i) {
			return bad
		}
		at = append(at, i)
		where = append(slices.Clip(where), ir.Call(ir.OpEq, b.value, i))
		before = ir.Or(before, ir.And(same, ir.Call(ir.OpLt, b.value, i)))
		same = ir.And(same, ir.Call(ir.OpEq, b.value, i))
	}
	if len(r.args) < 2 {
		count := *first
		count.name = "before"
		n := count.numbers(ir.Sum, ir.Int(1), []*ir.Value{r.points(), before})
		if isBad(n) {
			return bad
		}
		return first.numbers(ir.Min, n, where) // of one point: where there is none, there is no number
	}
	return r.l.expr(r.args[1].Value, r.found(func(k int, _ *binding) *ir.Value { return at[k] }))
}

// sizes are the numbers of values of several indices, for a flat index of them; of one, nothing is needed. Nil: the range of one
// depends on another.
func (r *reduction) sizes(list []*binding) []*ir.Value {
	sizes := make([]*ir.Value, len(list))
	if len(list) == 1 {
		sizes[0] = ir.Int(0)
		return sizes
	}
	own := map[*ir.Var]bool{}
	for _, b := range list {
		own[b.v] = true
	}
	for k, b := range list {
		n := extentOf(b.v)
		if n == nil {
			n = ir.Call(ir.OpMax, ir.Sub(b.v.Hi, b.v.Lo), ir.Int(0))
		}
		for v := range ir.FreeVars(n) {
			if own[v] {
				return nil
			}
		}
		sizes[k] = n
	}
	return sizes
}

// found is where the indices of the reduction are those that were found.
func (r *reduction) found(value func(k int, b *binding) *ir.Value) *env {
	e := r.at.env.inside(false)
	k := 0
	at := func(b *binding) *binding {
		c := *b
		c.value = value(k, b)
		k++
		return &c
	}
	for _, b := range r.inner.levels.list {
		c := *b
		if c.parts = nil; !b.spread {
			c = *at(b)
		}
		for _, p := range b.parts {
			c.parts = append(c.parts, at(p))
		}
		e.bind(&c)
	}
	return e
}

// logSumExp is m + log(sum(exp(x - m))) with the greatest m, or 0 where that is infinite. The shift has no derivative:
// what it adds to that of the sum cancels.
func (r *reduction) logSumExp() *ir.Value {
	if !r.number() {
		return bad
	}
	l := r.l
	x := r.body
	if x.Type.Kind != ir.Typed {
		return r.inF64((*reduction).logSumExp)
	}
	if l.class(x.Type.Elem) != ir.ClassFloat {
		l.errorf(r.at, "type-float", "`logsumexp` takes floats, not %s", l.elemText(x.Type.Elem))
		return bad
	}
	elem := l.storedAs(x.Type)
	m := r.hoist("max", ir.Max, x, r.where, elem)
	zero := l.push(ir.Int(0), m.Type)
	usable := ir.Not(ir.Call(ir.OpIsInf, m))
	if !r.all { // the greatest of nothing in all tensors is -inf
		usable = ir.And(r.points(), usable)
	}
	shift := ir.Call(ir.OpStop, ir.Select(usable, m, zero))
	shift = r.outside("shift", shift, elem)
	total := r.hoist("sum", ir.Sum, ir.Call(ir.OpExp, l.build(r.at, ir.OpSub, x, shift)), r.where, elem)
	return ir.Add(shift, ir.Call(ir.OpLog, total))
}

// norm is m * sqrt(sum((x/m)^2)) with the greatest magnitude m, and 0 with derivative 0 where all is 0. The scale has
// no derivative: what it adds cancels.
func (r *reduction) norm() *ir.Value {
	if !r.number() {
		return bad
	}
	l := r.l
	x := r.body
	if x.Type.Kind != ir.Typed {
		return r.inF64((*reduction).norm)
	}
	if l.class(x.Type.Elem) != ir.ClassFloat {
		l.errorf(r.at, "type-float", "`norm` takes floats, not %s", l.elemText(x.Type.Elem))
		return bad
	}
	elem := l.storedAs(x.Type)
	m := r.hoist("max", ir.Max, ir.Call(ir.OpAbs, x), r.where, elem)
	zero := l.push(ir.Int(0), m.Type)
	one := l.push(ir.Int(1), m.Type)
	some := ir.Not(ir.Call(ir.OpLe, m, zero)) // of nothing in all tensors the greatest is -inf
	if !r.all {
		some = ir.And(r.points(), ir.Not(ir.Call(ir.OpEq, m, zero)))
	}
	scale := ir.Select(ir.And(some, ir.Not(ir.Call(ir.OpIsInf, m))), m, one)
	scale = r.outside("scale", ir.Call(ir.OpStop, scale), elem)
	ratio := l.build(r.at, ir.OpDiv, x, scale)
	total := r.hoist("sum", ir.Sum, ir.Mul(ratio, ratio), r.where, elem)
	return ir.Select(some, ir.Mul(scale, ir.Call(ir.OpSqrt, total)), zero)
}

// inF64 reduces numbers that have no dtype as elements of f64; the result is real.
func (r *reduction) inF64(reduce func(*reduction) *ir.Value) *ir.Value {
	typed := *r
	typed.body = r.l.settle(ir.Cast(r.body, ir.ElemType(ir.Elem{Name: "f64"})))
	if isBad(typed.body.Args...) {
		return bad
	}
	v := reduce(&typed)
	if isBad(v) {
		return bad
	}
	return ir.Cast(v, ir.RealType)
}

// numbers reduces numbers that have no dtype until one is asked for.
func (r *reduction) numbers(m ir.Monoid, body *ir.Value, where []*ir.Value) *ir.Value {
	s := &exactSum{r: *r, monoid: m, body: body, where: where, whole: r.l.isWhole(body)}
	s.outer = r.outerVars(slices.Concat([]*ir.Value{body}, where, r.at.env.path)) // see define
	t := &ir.Tensor{Name: r.name, Role: ir.Local, Span: r.at.span}
	args := []*ir.Value{}
	for _, o := range s.outer {
		args = append(args, ir.Index(o))
	}
	r.l.exact[t] = s
	return &ir.Value{Op: ir.OpRead, Type: body.Type, Tensor: t, Args: args, Span: r.at.span}
}
