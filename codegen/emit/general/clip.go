package general

import (
	"maps"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// A loop over numbers a..b whose points count only where a condition holds, such as 0 <= c + j - 2 && c + j - 2 < |C|, runs over the numbers
// that fulfil it: a window that is much larger than the axis costs what the axis does.

// guards are conditions without which a definition adds nothing.
func guards(d *ir.Def) []*ir.Value {
	if d.Monoid != ir.Sum {
		return nil
	}
	var r []*ir.Value
	ir.Walk(d.Body, func(v *ir.Value) bool {
		if v.Op == ir.OpSelect {
			for _, c := range ir.Conjuncts(v.Args[0]) {
				if zeroWithout(d.Body, c) && !slices.ContainsFunc(r, func(o *ir.Value) bool { return ir.Equal(o, c) }) {
					r = append(r, c)
				}
			}
		}
		return true
	})
	return r
}

// zeroWithout tells whether a value is zero where a condition doesn't hold.
func zeroWithout(v, c *ir.Value) bool {
	switch v.Op {
	case ir.OpConst:
		return v.Const.Sign() == 0
	case ir.OpSelect:
		if slices.ContainsFunc(ir.Conjuncts(v.Args[0]), func(o *ir.Value) bool { return ir.Equal(o, c) }) {
			return zeroWithout(v.Args[2], c)
		}
		return zeroWithout(v.Args[1], c) && zeroWithout(v.Args[2], c)
	case ir.OpCast, ir.OpNeg, ir.OpAbs, ir.OpStop:
		return zeroWithout(v.Args[0], c)
	case ir.OpAdd, ir.OpSub, ir.OpMul: // not one of two factors: the other may be Inf
		return zeroWithout(v.Args[0], c) && zeroWithout(v.Args[1], c)
	}
	return false
}

// clip gives the bounds of a variable whose loop stands in s: those that it has, and those that conditions set whose points alone count.
// Conditions stand in the order in which they are tested: behind one that may be wrong to evaluate nothing is known.
func (g *gen) clip(v *ir.Var, where []*ir.Value, s *block) (lo, hi *ir.Value) {
	lo, hi = v.Lo, v.Hi
	safe := 0
	for safe < len(where) && g.isSafe(where[safe]) {
		safe++
	}
	self := g.linear(ir.Index(v))
	id := g.num.ID(ir.Index(v))
	for _, c := range slices.Concat(where[:safe], g.guards) {
		for _, l := range g.factsOf(c, true) {
			switch l.of[id] {
			case 1: // l >= 0, so v >= v - l
				if x := g.outside(self.plus(l, -1), s); x != nil {
					lo = ir.Call(ir.OpMax, lo, x)
				}
			case -1: // l >= 0, so v < v + l + 1
				if x := g.outside(self.plus(l, 1).plus(constantForm(1), 1), s); x != nil {
					hi = ir.Call(ir.OpMin, hi, x)
				}
			}
		}
	}
	return lo, hi
}

// outside is a form as a value, if it is known outside of the loop; else nil.
func (g *gen) outside(l *linear, s *block) *ir.Value {
	var sum *ir.Value
	add := func(a *ir.Value, by int64) {
		n := max(by, -by)
		if n != 1 {
			a = ir.Mul(ir.Int(n), a)
		}
		switch {
		case sum == nil && by < 0:
			sum = ir.Neg(a)
		case sum == nil:
			sum = a
		case by < 0:
			sum = ir.Sub(sum, a)
		default:
			sum = ir.Add(sum, a)
		}
	}
	ids := slices.Sorted(maps.Keys(l.of))
	for _, positive := range []bool{true, false} { // so that most begin with no sign
		for _, id := range ids {
			a, by := l.atom[id], l.of[id]
			if g.kindOf(a) != whole || !g.isSafe(a) || g.depth(a) > s.level {
				return nil
			}
			if by > 0 == positive {
				add(a, by)
			}
		}
	}
	switch {
	case sum == nil:
		return ir.Int(l.rest)
	case l.rest > 0:
		return ir.Add(sum, ir.Int(l.rest))
	case l.rest < 0:
		return ir.Sub(sum, ir.Int(-l.rest))
	}
	return sum
}
