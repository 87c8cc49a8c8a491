package general

import (
	"maps"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// linear is a sum of whole multiples of atoms, which are values by number, and a constant.
type linear struct {
	of   map[int]int64
	rest int64
	atom map[int]*ir.Value
}

// plus is l + by*m.
func (l *linear) plus(m *linear, by int64) *linear {
	r := &linear{of: maps.Clone(l.of), rest: l.rest + by*m.rest, atom: maps.Clone(l.atom)}
	for k, c := range m.of {
		if r.of[k] += by * c; r.of[k] == 0 {
			delete(r.of, k)
		}
		r.atom[k] = m.atom[k]
	}
	return r
}

func constantForm(n int64) *linear {
	return &linear{of: map[int]int64{}, rest: n, atom: map[int]*ir.Value{}}
}

// linear is the form of a whole exact value or of an integer; nil where it has none.
func (g *gen) linear(v *ir.Value) *linear {
	if k := g.kindOf(v); k != whole && !k.int() || !g.isWhole(v) {
		return nil
	}
	switch v.Op {
	case ir.OpConst:
		if v.Const.IsInt() && v.Const.Num().IsInt64() {
			return constantForm(v.Const.Num().Int64())
		}
		return nil
	case ir.OpCast:
		if k := g.kindOf(v.Args[0]); k == whole || k.int() {
			return g.linear(v.Args[0])
		}
	case ir.OpAdd, ir.OpSub, ir.OpNeg, ir.OpMul:
		if g.kindOf(v) == whole {
			return g.combined(v)
		}
	}
	id := g.num.ID(v)
	return &linear{of: map[int]int64{id: 1}, atom: map[int]*ir.Value{id: v}}
}

func (g *gen) combined(v *ir.Value) *linear {
	var a []*linear
	for _, x := range v.Args {
		l := g.linear(x)
		if l == nil {
			return nil
		}
		a = append(a, l)
	}
	switch {
	case v.Op == ir.OpNeg:
		return constantForm(0).plus(a[0], -1)
	case v.Op == ir.OpAdd:
		return a[0].plus(a[1], 1)
	case v.Op == ir.OpSub:
		return a[0].plus(a[1], -1)
	case len(a[0].of) == 0:
		return constantForm(0).plus(a[1], a[0].rest)
	case len(a[1].of) == 0:
		return constantForm(0).plus(a[0], a[1].rest)
	}
	id := g.num.ID(v)
	return &linear{of: map[int]int64{id: 1}, atom: map[int]*ir.Value{id: v}}
}

// isWhole tells whether a value is a whole number, or is tested to be one where it is computed.
func (g *gen) isWhole(v *ir.Value) bool {
	switch {
	case g.kindOf(v).int():
		return true
	case g.kindOf(v) != whole:
		return false
	}
	switch v.Op {
	case ir.OpCast:
		return g.kindOf(v.Args[0]) != whole || g.isWhole(v.Args[0])
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpNeg, ir.OpAbs, ir.OpMax, ir.OpMin, ir.OpMod, ir.OpRem:
		for _, a := range v.Args {
			if !g.isWhole(a) {
				return false
			}
		}
		return true
	case ir.OpSelect:
		return g.isWhole(v.Args[1]) && g.isWhole(v.Args[2])
	}
	return ir.IsWhole(v)
}

// factsOf are forms that are at least 0 where a condition holds, or where it doesn't.
func (g *gen) factsOf(c *ir.Value, holds bool) []*linear {
	switch c.Op {
	case ir.OpNot:
		return g.factsOf(c.Args[0], !holds)
	case ir.OpAnd, ir.OpOr:
		var r []*linear
		if (c.Op == ir.OpAnd) == holds {
			for _, a := range c.Args {
				r = append(r, g.factsOf(a, holds)...)
			}
		}
		return r
	case ir.OpLt, ir.OpLe, ir.OpEq, ir.OpNe:
		a, b := g.linear(c.Args[0]), g.linear(c.Args[1])
		if a == nil || b == nil {
			return nil
		}
		less := b.plus(a, -1)
		more := a.plus(b, -1)
		switch {
		case c.Op == ir.OpLe && holds:
			return []*linear{less}
		case c.Op == ir.OpLt && holds:
			return []*linear{less.plus(constantForm(1), -1)}
		case c.Op == ir.OpLe:
			return []*linear{more.plus(constantForm(1), -1)}
		case c.Op == ir.OpLt:
			return []*linear{more}
		case (c.Op == ir.OpEq) == holds:
			return []*linear{less, more}
		}
	}
	return nil
}

// within tells whether an index is known to lie within an axis.
func (g *gen) within(index *ir.Value, axis *ir.Axis, s *block) bool {
	if index.Op == ir.OpIndex && index.Var.Axis == axis {
		return true
	}
	l := g.linear(index)
	if l == nil {
		return false
	}
	end := g.linear(ir.Extent(axis)).plus(l, -1).plus(constantForm(1), -1)
	return g.proves(l, s) && g.proves(end, s)
}

// maxProof bounds how many facts are added up.
const maxProof = 4

// proves tells whether l is known to be at least 0 in s: it is a sum of forms that are.
func (g *gen) proves(l *linear, s *block) bool {
	var known []*linear
	for ; s != nil; s = s.up {
		known = append(known, s.facts...)
	}
	return g.search(l, known, maxProof)
}

func (g *gen) search(l *linear, known []*linear, depth int) bool {
	worst := -1
	for _, k := range slices.Sorted(maps.Keys(l.of)) {
		if l.of[k] < 0 || l.atom[k].Op != ir.OpExtent {
			if worst < 0 || l.of[k] < 0 && l.of[worst] > 0 {
				worst = k
			}
		}
	}
	if worst < 0 {
		if l.rest >= 0 {
			return true
		}
		return g.by(l, known, depth, func(f *linear) bool { return f.rest < 0 })
	}
	facts := append(g.atomFacts(l.atom[worst]), known...)
	return g.by(l, facts, depth, func(f *linear) bool { return f.of[worst] != 0 && (f.of[worst] > 0) == (l.of[worst] > 0) })
}

// by takes away one of the facts that use accepts.
func (g *gen) by(l *linear, facts []*linear, depth int, use func(*linear) bool) bool {
	if depth == 0 {
		return false
	}
	for _, f := range facts {
		if use(f) && g.search(l.plus(f, -1), facts, depth-1) {
			return true
		}
	}
	return false
}

// atomFacts are what is known of an atom by what it is.
func (g *gen) atomFacts(v *ir.Value) []*linear {
	id := g.num.ID(v)
	self := &linear{of: map[int]int64{id: 1}, atom: map[int]*ir.Value{id: v}}
	var r []*linear
	form := func(l *linear) {
		if l != nil {
			r = append(r, l)
		}
	}
	switch v.Op {
	case ir.OpExtent:
		form(self)
	case ir.OpIndex:
		r = append(r, g.rangeOf[v.Var]...)
	case ir.OpMin, ir.OpMax:
		for _, a := range v.Args {
			l := g.linear(a)
			switch {
			case l == nil:
			case v.Op == ir.OpMin:
				form(l.plus(self, -1))
			default:
				form(self.plus(l, -1))
			}
		}
	case ir.OpMod:
		m := g.linear(v.Args[1])
		if m != nil && g.isWhole(v.Args[0]) && g.search(m, nil, 1) { // a divisor of 0 was tested
			form(self)
			form(m.plus(self, -1).plus(constantForm(1), -1))
		}
	case ir.OpFloor:
		q := v.Args[0]
		if q.Op != ir.OpDiv || g.kindOf(q) != whole {
			break
		}
		c := ir.ConstOf(q.Args[1])
		n := g.linear(q.Args[0])
		if n != nil && c != nil && c.IsInt() && c.Sign() > 0 && c.Num().IsInt64() {
			k := c.Num().Int64()
			form(n.plus(self, -k))
			form(self.plus(self, k-1).plus(constantForm(k-1), 1).plus(n, -1))
		}
	}
	return r
}

// ranges notes what is known of a variable whose loop is opened.
func (g *gen) ranges(v *ir.Var) {
	self := g.linear(ir.Index(v))
	if v.Axis != nil {
		g.rangeOf[v] = []*linear{self, g.linear(ir.Extent(v.Axis)).plus(self, -1).plus(constantForm(1), -1)}
		return
	}
	var r []*linear
	from, to := g.limits(v)
	for _, lo := range ends(from, ir.OpMax) {
		if l := g.linear(lo); l != nil {
			r = append(r, self.plus(l, -1))
		}
	}
	for _, hi := range ends(to, ir.OpMin) {
		if l := g.linear(hi); l != nil {
			r = append(r, l.plus(self, -1).plus(constantForm(1), -1))
		}
	}
	g.rangeOf[v] = r
}

// ends are the values that all bound what v bounds: the arguments of a minimum.
func ends(v *ir.Value, op ir.Op) []*ir.Value {
	if v.Op != op {
		return []*ir.Value{v}
	}
	return append(ends(v.Args[0], op), ends(v.Args[1], op)...)
}
