package pass

import (
	"fmt"
	"slices"

	"github.com/opgen/opgen/codegen/grad"
	"github.com/opgen/opgen/codegen/ir"
)

// Linear rewrites derived definitions as what they are, linear in cotangents: sums of products, each with one
// cotangent. It
//   - inlines pointwise cotangents into what reads them, where that costs little,
//   - takes what doesn't change along the reduced axes out of sums, and sums that have it in common together,
//   - takes a sum over c of what is there for one c only at that c (one-hot targets),
//   - reads an output where its formula occurs as a factor: exp(x - max)/sum is softmax's y, so that its gradient
//     y*(@y - sum(@y*y)) needs nothing else,
//   - adds like terms and takes out common factors.
//
// Formulas of specs are not touched: they round as written. Gradients round differently by these rewrites, by a few
// units in the last place.
func Linear(f *ir.Func) *ir.Func {
	l := &linear{f: f, linear: map[*ir.Tensor]bool{}, flows: map[*ir.Value]bool{}, inline: map[*ir.Tensor]*ir.Def{}, sums: map[*ir.Tensor]bool{}, uses: map[*ir.Tensor]int{}, names: map[string]bool{}, defined: byTarget(f.Defs)}
	for _, t := range f.Inputs {
		if t.Role == ir.Cotangent {
			l.mark(t)
		}
		l.names[t.Name] = true
	}
	for _, d := range f.Defs {
		l.names[d.Target.Name] = true
		for t := range d.Reads() {
			l.uses[t]++
		}
	}
	l.known = outputFormulas(f)
	given := byTarget(f.Given)
	for _, d := range f.Defs {
		if !d.Derived || given[d.Target] != nil || d.Group != 0 || !l.depends(d.Body) {
			l.sums[d.Target] = d.Derived && d.Group != 0 // what runs in order adds up, too
			l.defs = append(l.defs, d)
			continue
		}
		l.mark(d.Target)
		switch {
		case d.IsPointwise():
			n := *d
			n.Body = l.rebuild(d, d.Body)
			l.add(&n)
		case d.Monoid == ir.Sum && d.IsPlain():
			l.sum(d)
		default:
			l.add(d)
		}
	}
	return with(f, l.defs)
}

// maxTerms bounds the terms of one definition: beyond it values are kept as they are.
const maxTerms = 16

// inlineCost bounds the cost of what is inlined in several places.
const inlineCost = 40

type linear struct {
	f      *ir.Func
	num    ir.Numbering
	linear map[*ir.Tensor]bool    // tensors linear in the cotangents
	flows  map[*ir.Value]bool     // what depends tells of values, as long as no tensor is added to linear
	levels map[*ir.Value]int      // what the builder of a definition tells of values
	of     *ir.Def                // and that definition
	inline map[*ir.Tensor]*ir.Def // derived pointwise definitions, rewritten
	sums   map[*ir.Tensor]bool    // derived reductions, what is derived in groups, and what may be zero since one of them or a guard is
	uses   map[*ir.Tensor]int
	names  map[string]bool
	known  []formula
	wanted map[wantedOf]*wanted
	// defined finds the definitions of the function.
	defined map[*ir.Tensor]*ir.Def
	defs    []*ir.Def
}

func (l *linear) add(d *ir.Def) {
	l.defs = append(l.defs, d)
	l.mark(d.Target)
	if d.Target.Role != ir.Local {
		return
	}
	if !d.IsPointwise() {
		l.sums[d.Target] = true
		return
	}
	l.inline[d.Target] = d
	// Where it is not inlined, its guards are not there to see.
	l.sums[d.Target] = grad.Presence(d.Body).Op != ir.OpTrue
	for t := range ir.Reads(d.Body) {
		l.sums[d.Target] = l.sums[d.Target] || l.sums[t]
	}
}

// depends tells whether a value is linear in cotangents, rather than free of them.
func (l *linear) depends(v *ir.Value) bool {
	r, ok := l.flows[v]
	if !ok {
		r = l.linear[v.Tensor] || slices.ContainsFunc(v.Args, l.depends)
		l.flows[v] = r
	}
	return r
}

// mark adds a tensor to those that are linear in the cotangents.
func (l *linear) mark(t *ir.Tensor) {
	l.linear[t], l.flows = true, map[*ir.Value]bool{}
}

// cost is what a pointwise definition costs at each point of its innermost variable.
func cost(d *ir.Def) int {
	inner := map[*ir.Var]bool{}
	if n := len(d.Vars); n > 0 {
		inner[d.Vars[n-1]] = true
	}
	c := 0
	ir.Walk(d.Body, func(v *ir.Value) bool {
		if !ir.DependsOn(v, inner) {
			return false
		}
		if v.Type.Kind == ir.Typed || v.Type.Kind == ir.Bool {
			c += ir.Facts[v.Op].Cost
		}
		return v.Op != ir.OpRead
	})
	return c
}

// inlined is the formula of a read of a derived pointwise tensor, if it pays to compute it here.
func (l *linear) inlined(d *ir.Def, read *ir.Value) *ir.Value {
	p := l.inline[read.Tensor]
	if p == nil {
		return nil
	}
	if d.Monoid == ir.Assign {
		if cost(p) > inlineCost && l.uses[read.Tensor] > 1 {
			return nil
		}
		return at(p, read.Args)
	}
	free := ir.FreeVars(read.Args...)
	varies := slices.ContainsFunc(d.Reduced(), func(v *ir.Var) bool { return free[v] })
	covers := !slices.ContainsFunc(d.Vars, func(v *ir.Var) bool { return !free[v] })
	if varies && !covers && p.Body.Op != ir.OpRead {
		return nil // it would be computed again for each point of the other axes
	}
	return at(p, read.Args)
}

func (l *linear) builder(d *ir.Def, v *ir.Value) *builder {
	if l.of != d {
		l.of, l.levels = d, map[*ir.Value]int{}
	}
	b := &builder{depth: map[*ir.Var]int{}, levels: l.levels, num: &l.num, zero: ir.Cast(ir.Int(0), v.Type), linear: l.depends, tame: l.tame, given: given}
	for i, x := range d.Vars {
		b.depth[x] = i
	}
	return b
}

// tame tells whether the reciprocal of a value is finite unless the value is zero: of roots, and of what is made of
// constants and extents.
func (l *linear) tame(v *ir.Value) bool {
	switch v.Op {
	case ir.OpSqrt:
		return true
	case ir.OpRead:
		d := l.defined[v.Tensor]
		return d != nil && d.IsPointwise() && l.tame(d.Body)
	}
	known := true
	ir.Walk(v, func(v *ir.Value) bool {
		switch v.Op {
		case ir.OpScalar, ir.OpRead, ir.OpIndex, ir.OpUniform, ir.OpNormal:
			known = false
		}
		return known
	})
	return known
}

// given tells whether a value is made of what the caller gave alone.
func given(v *ir.Value) bool {
	for t := range ir.Reads(v) {
		if t.Role != ir.Input {
			return false
		}
	}
	return true
}

// rebuild rewrites a value of definition d.
func (l *linear) rebuild(d *ir.Def, v *ir.Value) *ir.Value {
	if !l.depends(v) {
		return v
	}
	return l.builder(d, v).sum(l.terms(d, v))
}

// terms takes a linear value apart.
func (l *linear) terms(d *ir.Def, v *ir.Value) []term {
	if grad.IsZero(v) {
		return nil
	}
	ts := l.split(d, v)
	if len(ts) > maxTerms {
		return []term{{coef: unit().coef, num: []*ir.Value{v}}}
	}
	for i := range ts {
		ts[i] = l.reuse(ts[i])
	}
	return ts
}

func (l *linear) split(d *ir.Def, v *ir.Value) []term {
	opaque := func(v *ir.Value) []term { return []term{{coef: unit().coef, num: []*ir.Value{l.num.First(v)}}} }
	each := func(v *ir.Value, f func(term) term) []term {
		ts := l.terms(d, v)
		r := make([]term, len(ts))
		for i, t := range ts {
			r[i] = f(t)
		}
		return r
	}
	negated := func(t term) term { return t.negated() }
	switch v.Op {
	case ir.OpAdd, ir.OpSub:
		a, b := v.Args[0], v.Args[1]
		if !l.depends(a) || !l.depends(b) {
			return opaque(v)
		}
		second := l.terms(d, b)
		if v.Op == ir.OpSub {
			second = each(b, negated)
		}
		return append(slices.Clone(l.terms(d, a)), second...)
	case ir.OpNeg:
		return each(v.Args[0], negated)
	case ir.OpMul:
		for i, a := range v.Args {
			if b := v.Args[1-i]; l.depends(a) && !l.depends(b) {
				o := factors(b)
				return each(a, func(t term) term { return t.times(o) })
			}
		}
	case ir.OpDiv:
		if a, b := v.Args[0], v.Args[1]; l.depends(a) && !l.depends(b) {
			o := factors(b)
			return each(a, func(t term) term { return t.over(o) })
		}
	case ir.OpRead:
		if body := l.inlined(d, v); body != nil {
			return l.terms(d, body)
		}
	case ir.OpSelect:
		if u := grad.Unguarded(v); u != nil {
			return l.terms(d, u) // Empty puts guards again where they are needed
		}
		c, a, b := v.Args[0], v.Args[1], v.Args[2]
		n := grad.Choose(c, l.rebuild(d, a), l.rebuild(d, b))
		if grad.IsZero(n) {
			return nil
		}
		return opaque(n)
	case ir.OpAbsorb:
		return l.absorb(d, v, opaque)
	}
	return opaque(v)
}

// absorb rewrites an absorbing product. What may vanish in it is a reduction; where none is left, its guards are there
// to see and the product goes inside them.
func (l *linear) absorb(d *ir.Def, v *ir.Value, opaque func(*ir.Value) []term) []term {
	g, x := v.Args[0], v.Args[1]
	if !l.depends(g) || l.depends(x) {
		return opaque(v)
	}
	g = l.rebuild(d, g)
	for t := range ir.Reads(g) {
		if l.sums[t] {
			return opaque(ir.Call(ir.OpAbsorb, g, x))
		}
	}
	n := grad.Times(g, x)
	if n.Op == ir.OpSelect || n.Op == ir.OpAbsorb {
		return opaque(n)
	}
	return l.terms(d, n)
}

// sum rewrites a reduction: one sum for each combination of what doesn't change along the reduced axes.
func (l *linear) sum(d *ir.Def) {
	reduced := map[*ir.Var]bool{}
	for _, v := range d.Reduced() {
		reduced[v] = true
	}
	// A sum whose conditions or ranges may leave it no points is zero there, whatever its factors are.
	filtered := slices.ContainsFunc(d.Where, func(c *ir.Value) bool { return ir.DependsOn(c, reduced) }) ||
		slices.ContainsFunc(d.Reduced(), func(v *ir.Var) bool { return v.Axis == nil })
	type part struct {
		outer term   // doesn't change; its coefficient is 1
		inner []term // changes
	}
	var parts []*part
	byKey := map[string]*part{}
	var direct []*ir.Value // what one-hot sums come to
	for _, t := range collect(l.terms(d, d.Body), &l.num) {
		if v := l.onePoint(d, t, reduced); v != nil {
			direct = append(direct, v)
			continue
		}
		outer, inner := unit(), term{coef: t.coef}
		for _, v := range t.num {
			if ir.DependsOn(v, reduced) || filtered && l.mayFail(v) {
				inner.num = append(inner.num, v)
			} else {
				outer.num = append(outer.num, v)
			}
		}
		for _, v := range t.den {
			if ir.DependsOn(v, reduced) || filtered && l.mayFail(v) {
				inner.den = append(inner.den, v)
			} else {
				outer.den = append(outer.den, atLeastOne(v, reduced))
			}
		}
		k := outer.key(&l.num)
		if byKey[k] == nil {
			byKey[k] = &part{outer: outer}
			parts = append(parts, byKey[k])
		}
		byKey[k].inner = append(byKey[k].inner, inner)
	}
	b := l.builder(d, d.Body)
	if len(parts) == 1 && len(direct) == 0 && len(parts[0].outer.num)+len(parts[0].outer.den) == 0 {
		n := *d
		n.Body = b.sum(parts[0].inner)
		l.add(&n)
		return
	}
	var total []term
	for _, v := range direct {
		total = append(total, l.terms(d, v)...)
	}
	for i, p := range parts {
		t := p.outer
		// A common coefficient is left to the outer part.
		if len(p.inner) == 1 {
			t.coef = p.inner[0].coef
			p.inner[0].coef = unit().coef
		}
		part := &ir.Tensor{Name: l.name(fmt.Sprintf("%s.sum%d", d.Target.Name, i+1)), Role: ir.Local, Elem: d.Target.Elem, Axes: d.Target.Axes}
		n := *d
		n.Target, n.Body = part, b.sum(p.inner)
		n.Where = slices.Clone(d.Where)
		own := n.Copy(part)
		l.add(own)
		read := ir.Read(part, d.Dest...)
		if filtered && slices.ContainsFunc(t.num, l.mayOverflow) {
			read = ir.Call(ir.OpAbsorb, read, l.builder(d, d.Body).product(term{unit().coef, t.num, t.den}))
			t.num, t.den = nil, nil
		}
		t.num = append([]*ir.Value{read}, t.num...)
		total = append(total, t)
	}
	p := &ir.Def{Target: d.Target, Dest: d.Dest, Monoid: ir.Assign, Derived: true, Span: d.Span}
	for _, e := range d.Dest {
		p.Vars = append(p.Vars, e.Var)
	}
	p.Body = l.builder(p, d.Body).sum(total)
	// What was taken out stands where the sum had no points too, unless its conditions go with it: there it may read out of range, or
	// be no number.
	var outside []*ir.Value
	for _, c := range d.Where {
		if !ir.DependsOn(c, reduced) {
			outside = append(outside, c)
		}
	}
	p.Body = grad.Choose(ir.And(outside...), p.Body, ir.Cast(ir.Int(0), p.Body.Type))
	l.add(p)
}

// atLeastOne is a denominator with extents of at least 1, if it is made of these: a sum over no points is zero, also where it is then
// divided by their number.
func atLeastOne(v *ir.Value, reduced map[*ir.Var]bool) *ir.Value {
	if len(ir.Reads(v)) > 0 {
		return v
	}
	return ir.Map(v, func(v *ir.Value) *ir.Value {
		for r := range reduced {
			if v.Op == ir.OpExtent && v.Axis == r.Axis {
				return ir.Call(ir.OpMax, v, ir.Int(1))
			}
		}
		return v
	})
}

// mayFail tells whether a factor may be infinite or no number: anything but constants and what is linear in cotangents.
func (l *linear) mayFail(v *ir.Value) bool {
	if v.Op == ir.OpRead {
		return !l.linear[v.Tensor]
	}
	return ir.ConstOf(v) == nil
}

// mayOverflow tells whether a cotangent may be infinite or no number: one that is computed here.
func (l *linear) mayOverflow(v *ir.Value) bool {
	return l.linear[v.Tensor] && v.Tensor.Role == ir.Local
}

// name is a name that no tensor has yet.
func (l *linear) name(name string) string {
	for l.names[name] {
		name += "'"
	}
	l.names[name] = true
	return name
}

// onePoint computes a term of a sum over one axis that is there for one index only: a factor if c == e && … then … else
// 0, with the summed c. It is nil where the term isn't so.
func (l *linear) onePoint(d *ir.Def, t term, reduced map[*ir.Var]bool) *ir.Value {
	if len(reduced) != 1 || len(d.Where) > 0 {
		return nil
	}
	for i, s := range t.num {
		if s.Op != ir.OpSelect || !grad.IsZero(s.Args[2]) {
			continue
		}
		conds := ir.Conjuncts(s.Args[0])
		for k, q := range conds {
			c, e := grad.Fixes(q, reduced)
			if c == nil || c.Axis == nil {
				continue
			}
			at := map[*ir.Var]*ir.Value{c: e}
			rest := slices.Delete(slices.Clone(conds), k, k+1)
			rest = append(rest, grad.OnAxis(e, c.Axis)...)
			o := term{t.coef, slices.Delete(slices.Clone(t.num), i, i+1), t.den}
			body := grad.Times(s.Args[1], l.builder(d, s).product(o))
			if o.coef.Sign() < 0 {
				body = ir.Neg(body)
			}
			return grad.Choose(ir.Subst(ir.And(rest...), at), ir.Subst(body, at), ir.Cast(ir.Int(0), body.Type))
		}
	}
	return nil
}
