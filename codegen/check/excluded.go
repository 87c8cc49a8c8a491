package check

import (
	"math"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// excluded is a requirement that no call meets for which the choices of this function are made, as p >= 0 beside the choice p == -inf; nil: none is
// known. Conditions count that compare one attribute, or one extent, with constants: these are decided by its values at the constants, between
// them and beyond them.
func (l *lowering) excluded() *ir.Require {
	var conds []*ir.Value
	for _, c := range l.choose.choices() {
		switch {
		case c.Cond == nil:
		case c.Holds:
			conds = append(conds, c.Cond)
		default:
			conds = append(conds, ir.Not(c.Cond))
		}
	}
	for k := range l.fn.Requires {
		r := &l.fn.Requires[k]
		conds = append(conds, ir.Conjuncts(r.Cond)...)
		if contradict(conds) {
			return r
		}
	}
	return nil
}

// contradict tells whether conditions are known not to hold together.
func contradict(conds []*ir.Value) bool {
	about := map[string][]*ir.Value{}
	leaves := map[string]*ir.Value{}
	for _, c := range conds {
		if x := comparedAlone(c); x != nil {
			about[x.String()] = append(about[x.String()], c)
			leaves[x.String()] = x
		}
	}
	for key, list := range about {
		met := slices.ContainsFunc(candidates(leaves[key], list), func(x float64) bool {
			return !slices.ContainsFunc(list, func(c *ir.Value) bool { return !holdsAt(c, x) })
		})
		if !met {
			return true
		}
	}
	return false
}

// comparedAlone is the attribute or extent that a condition compares with constants, if it is made of such comparisons of one alone; else nil.
func comparedAlone(c *ir.Value) *ir.Value {
	var x *ir.Value
	alone := true
	ir.Walk(c, func(v *ir.Value) bool {
		switch v.Op {
		case ir.OpAnd, ir.OpOr, ir.OpNot, ir.OpTrue, ir.OpFalse:
			return alone
		case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe:
			for k, a := range v.Args {
				leaf := a.Op == ir.OpScalar && a.Type.Kind != ir.Typed || a.Op == ir.OpExtent && a.Axis.Size == nil
				if _, ok := constantValue(v.Args[1-k]); leaf && ok && (x == nil || ir.Equal(x, a)) {
					x = a
					return false
				}
			}
		}
		alone = false
		return false
	})
	if !alone {
		return nil
	}
	return x
}

// constantValue is the number that a constant is, also as a real one.
func constantValue(v *ir.Value) (float64, bool) {
	switch {
	case v.Op == ir.OpCast && v.Type.Kind == ir.Real && v.Args[0].Op == ir.OpConst:
		x, _ := v.Args[0].Const.Float64() // what it is compared as
		return x, true
	case v.Op == ir.OpNeg:
		x, ok := constantValue(v.Args[0])
		return -x, ok
	case v.Op == ir.OpInf:
		return math.Inf(1), true
	case v.Op == ir.OpNaN:
		return math.NaN(), true
	case v.Op == ir.OpConst:
		x, exactly := v.Const.Float64()
		return x, exactly
	}
	return 0, false
}

// candidates are values of an attribute or extent among which there is one for each outcome that comparisons with constants can have.
func candidates(x *ir.Value, conds []*ir.Value) []float64 {
	var at []float64
	for _, c := range conds {
		ir.Walk(c, func(v *ir.Value) bool {
			if f, ok := constantValue(v); ok && !math.IsNaN(f) {
				at = append(at, f)
			}
			return true
		})
	}
	slices.Sort(at)
	at = slices.Compact(at)
	if x.Type.Kind == ir.Exact {
		return wholeCandidates(x, at)
	}
	list := []float64{math.NaN(), math.Inf(-1), -math.MaxFloat64, math.MaxFloat64, math.Inf(1)}
	for k, f := range at {
		list = append(list, f, math.Nextafter(f, math.Inf(-1)), math.Nextafter(f, math.Inf(1)))
		if k > 0 {
			list = append(list, at[k-1]/2+f/2)
		}
	}
	return list
}

// wholeCandidates are candidates of a whole number, of which extents are not negative.
func wholeCandidates(x *ir.Value, at []float64) []float64 {
	const most = 1 << 53
	list := []float64{-most, 0, most}
	for _, f := range at {
		if math.Abs(f) < most {
			list = append(list, math.Floor(f)-1, math.Floor(f), math.Ceil(f), math.Ceil(f)+1)
		}
	}
	return slices.DeleteFunc(list, func(f float64) bool { return x.Op == ir.OpExtent && (f < 0 || f > ir.MaxPoints) })
}

// holdsAt evaluates a condition that compares one attribute or extent with constants.
func holdsAt(c *ir.Value, value float64) bool {
	switch c.Op {
	case ir.OpNot:
		return !holdsAt(c.Args[0], value)
	case ir.OpAnd:
		return !slices.ContainsFunc(c.Args, func(a *ir.Value) bool { return !holdsAt(a, value) })
	case ir.OpOr:
		return slices.ContainsFunc(c.Args, func(a *ir.Value) bool { return holdsAt(a, value) })
	case ir.OpTrue, ir.OpFalse:
		return c.Op == ir.OpTrue
	}
	var x [2]float64
	for k, a := range c.Args {
		number, is := constantValue(a)
		if x[k] = number; !is {
			x[k] = value
		}
	}
	switch c.Op {
	case ir.OpEq:
		return x[0] == x[1]
	case ir.OpNe:
		return x[0] != x[1]
	case ir.OpLt:
		return x[0] < x[1]
	}
	return x[0] <= x[1]
}
