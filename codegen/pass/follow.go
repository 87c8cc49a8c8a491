package pass

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// running is a running maximum or minimum, as m[t] = max over s in 0..t+1 of a(s), or from the other end, where it is read at the indices of another
// definition.
type running struct {
	def  *ir.Def   // which is carried
	read *ir.Value // of it, at t
	at   *ir.Var   // t, as a variable of the definition that reads
}

// runningAt reads a value as an element of a running extreme at variables of their own, at being that along which it runs; nil where it isn't one.
func (c *carrier) runningAt(v *ir.Value) *running {
	if v.Op != ir.OpRead {
		return nil
	}
	d := c.done[v.Tensor]
	if d == nil || d.Carried == nil || d.Kept != nil || d.Monoid != ir.Max && d.Monoid != ir.Min || !d.IsFilled() {
		return nil // one that may have no value isn't read where it isn't asked for
	}
	if !atOwnPoints(v) {
		return nil
	}
	for i, e := range d.Dest {
		if e.Var == d.Carried {
			return &running{d, v, v.Args[i].Var}
		}
	}
	return nil
}

// covers tells whether the extreme at t was taken of the values a at all points in the range of s.
func (m *running) covers(s *ir.Var, a *ir.Value) bool {
	d := m.def
	if len(d.Reduced()) != 1 {
		return false
	}
	at := map[*ir.Var]*ir.Value{}
	for i, e := range d.Dest {
		at[e.Var] = m.read.Args[i]
	}
	w := d.Reduced()[0]
	if !ir.Equal(ir.Ordered(ir.Subst(w.Lo, at)), ir.Ordered(s.Lo)) || !ir.Equal(ir.Ordered(ir.Subst(w.Hi, at)), ir.Ordered(s.Hi)) {
		return false
	}
	at[w] = ir.Index(s)
	return ir.Equal(bare(ir.Subst(d.Body, at)), bare(a))
}

// hangsOn tells whether the extreme is another one for different points of variables.
func (m *running) hangsOn(vars []*ir.Var) bool { return ir.DependsOn(m.read, own(vars)) }

func own(vars []*ir.Var) map[*ir.Var]bool {
	r := map[*ir.Var]bool{}
	for _, v := range vars {
		r[v] = true
	}
	return r
}

// bare is a value without casts that leave it the number that it is, T and acc(T).
func bare(v *ir.Value) *ir.Value {
	for v.Op == ir.OpCast && v.Type.Kind == ir.Typed && v.Args[0].Type.Kind == ir.Typed && v.Type.Elem.Name == v.Args[0].Type.Elem.Name {
		v = v.Args[0]
	}
	return v
}

// before is a value at the element that comes before that of t in a run up, or down, and the condition that there is one.
func before(v *ir.Value, t *ir.Var, down bool) (then, some *ir.Value) {
	at := ir.Sub(ir.Index(t), ir.Int(1))
	some = ir.Call(ir.OpLe, ir.Int(1), ir.Index(t))
	if down {
		at = ir.Add(ir.Index(t), ir.Int(1))
		some = ir.Call(ir.OpLt, at, ir.Extent(t.Axis))
	}
	return ir.Subst(v, map[*ir.Var]*ir.Value{t: at}), some
}

// same is the condition that two extremes are the same number, or NaN both.
func (c *carrier) same(a, b *ir.Value) *ir.Value {
	eq := ir.Call(ir.OpEq, a, b)
	if c.f.Class(a.Type.Elem) == ir.ClassInt {
		return eq
	}
	return ir.Or(eq, ir.And(ir.Call(ir.OpIsNaN, a), ir.Call(ir.OpIsNaN, b)))
}

// following carries a reduction over the points that reach a running maximum or minimum, as argmax and the number of ties are:
//
//	at[t] min= s   for s in 0..t+1 where x[s] == m[t]
//
// While the extreme stays as it is the points that reach it stay, too; when it moves none of those so far reaches it. The condition has to be
// x[s] == m[t], or that or both being NaN, and nothing else may hang on t. It is nil where d isn't such a reduction.
func (c *carrier) following(d *ir.Def) []*ir.Def {
	d = filtered(d)
	d.Where = ir.Conjuncts(ir.And(d.Where...))
	for _, w := range d.Where {
		a, m := c.reaches(w)
		if m == nil || m.hangsOn(d.Reduced()) || ir.DependsOn(d.Body, map[*ir.Var]bool{m.at: true}) {
			continue
		}
		for _, s := range d.Reduced() {
			n := grown(d, m.at, s, []*ir.Value{w})
			if n == nil || n.Reverse != m.def.Reverse {
				continue
			}
			v, _ := n.Moving()
			if !m.covers(v, ir.Subst(a, map[*ir.Var]*ir.Value{s: ir.Index(v)})) {
				continue
			}
			then, some := before(m.read, m.at, n.Reverse)
			n.Kept = ir.And(some, c.same(then, m.read))
			return []*ir.Def{n}
		}
	}
	return nil
}

// filtered is a sum of what stands behind a condition as one over the points where that holds.
func filtered(d *ir.Def) *ir.Def {
	n := *d
	if d.Monoid != ir.Sum || d.Body.Op != ir.OpSelect || !ir.IsConst(d.Body.Args[2], 0) {
		return &n
	}
	n.Where = append(slices.Clone(d.Where), d.Body.Args[0])
	n.Body = d.Body.Args[1]
	return &n
}

// reaches reads a condition as that a(s) is the running extreme m: a == m, or that or both being NaN, or that or a being NaN.
func (c *carrier) reaches(w *ir.Value) (a *ir.Value, m *running) {
	sides := []*ir.Value{w}
	if w.Op == ir.OpOr {
		sides = w.Args
	}
	if sides[0].Op != ir.OpEq {
		return nil, nil
	}
	for i, x := range sides[0].Args {
		if m = c.runningAt(bare(x)); m != nil {
			a = bare(sides[0].Args[1-i])
			break
		}
	}
	if m == nil || ir.DependsOn(a, map[*ir.Var]bool{m.at: true}) {
		return nil, nil
	}
	for _, side := range sides[1:] {
		for _, q := range ir.Conjuncts(side) {
			if q.Op != ir.OpIsNaN || !ir.Equal(bare(q.Args[0]), a) && !ir.Equal(bare(q.Args[0]), bare(m.read)) {
				return nil, nil
			}
		}
		if !slices.ContainsFunc(ir.Conjuncts(side), func(q *ir.Value) bool { return ir.Equal(bare(q.Args[0]), a) }) {
			return nil, nil // of the extreme alone
		}
	}
	return a, m
}
