package check

import "github.com/opgen/opgen/codegen/ir"

// interval are exact numbers, known before any element is read, that a value lies between: least ≤ value ≤ most.
// Nil: there is none.
type interval struct{ least, most *ir.Value }

// join is an interval of what lies in one of two.
func (a interval) join(b interval) interval {
	return interval{both(ir.OpMin, a.least, b.least), both(ir.OpMax, a.most, b.most)}
}

// both is a function of two bounds that needs both.
func both(op ir.Op, a, b *ir.Value) *ir.Value {
	if a == nil || b == nil {
		return nil
	}
	return ir.Call(op, a, b)
}

// either is a function of two bounds for which one of them is a bound too.
func either(op ir.Op, a, b *ir.Value) *ir.Value {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return ir.Call(op, a, b)
}

// each applies a function that doesn't decrease.
func (a interval) each(f func(*ir.Value) *ir.Value) interval {
	if a.least != nil {
		a.least = f(a.least)
	}
	if a.most != nil {
		a.most = f(a.most)
	}
	return a
}

// between bounds an exact number or an element of integers.
func (l *lowering) between(v *ir.Value) interval {
	exact := v.Type.Kind == ir.Exact
	if !exact && (v.Type.Kind != ir.Typed || l.class(v.Type.Elem) != ir.ClassInt) {
		return interval{}
	}
	if exact && isUniform(v) {
		return interval{v, v}
	}
	switch v.Op {
	case ir.OpCast:
		if a := v.Args[0]; exact != (a.Type.Kind == ir.Exact) {
			return l.between(a)
		}
	case ir.OpMax:
		a, b := l.between(v.Args[0]), l.between(v.Args[1])
		return interval{either(ir.OpMax, a.least, b.least), both(ir.OpMax, a.most, b.most)}
	case ir.OpMin:
		a, b := l.between(v.Args[0]), l.between(v.Args[1])
		return interval{both(ir.OpMin, a.least, b.least), either(ir.OpMin, a.most, b.most)}
	case ir.OpMod:
		return l.remainder(v)
	case ir.OpSelect:
		if neverFails(v.Args[1]) && neverFails(v.Args[2]) {
			return l.between(v.Args[1]).join(l.between(v.Args[2]))
		}
	}
	if !exact {
		return interval{} // arithmetic of integers wraps
	}
	switch v.Op {
	case ir.OpIndex:
		if v.Var.Axis != nil {
			return interval{ir.Int(0), ir.Sub(ir.Extent(v.Var.Axis), ir.Int(1))}
		}
		r := l.reach(v.Var)
		if r.most != nil {
			r.most = ir.Sub(r.most, ir.Int(1))
		}
		return r
	case ir.OpAdd:
		a, b := l.between(v.Args[0]), l.between(v.Args[1])
		return interval{both(ir.OpAdd, a.least, b.least), both(ir.OpAdd, a.most, b.most)}
	case ir.OpSub:
		a, b := l.between(v.Args[0]), l.between(v.Args[1])
		return interval{both(ir.OpSub, a.least, b.most), both(ir.OpSub, a.most, b.least)}
	case ir.OpNeg:
		a := l.between(v.Args[0])
		return interval{a.most, a.least}.each(ir.Neg)
	case ir.OpMul:
		if isUniform(v.Args[0]) {
			return l.scaled(ir.OpMul, v.Args[1], v.Args[0])
		}
		return l.scaled(ir.OpMul, v.Args[0], v.Args[1])
	case ir.OpDiv:
		return l.scaled(ir.OpDiv, v.Args[0], v.Args[1])
	case ir.OpFloor, ir.OpCeil, ir.OpTrunc, ir.OpRound:
		return l.between(v.Args[0]).each(func(x *ir.Value) *ir.Value { return ir.Call(v.Op, x) })
	}
	return interval{}
}

// scaled bounds a multiple or a part of a value; by must be the same for all points.
func (l *lowering) scaled(op ir.Op, v, by *ir.Value) interval {
	a := l.between(v)
	to := func(x *ir.Value) *ir.Value { return ir.Call(op, x, by) }
	switch {
	case by.Op == ir.OpConst && by.Const.Sign() > 0 || by.Op == ir.OpExtent:
		return a.each(to)
	case by.Op == ir.OpConst && by.Const.Sign() < 0:
		return interval{a.most, a.least}.each(to)
	case !isUniform(by) || a.least == nil || a.most == nil:
		return interval{}
	}
	a = a.each(to)
	return a.join(interval{a.most, a.least})
}

// remainder bounds whole numbers modulo a positive one.
func (l *lowering) remainder(v *ir.Value) interval {
	by := v.Args[1]
	if by.Op == ir.OpCast && by.Args[0].Type.Kind == ir.Exact {
		by = by.Args[0]
	}
	if by.Op != ir.OpExtent && (by.Op != ir.OpConst || by.Const.Sign() <= 0) || v.Type.Kind == ir.Exact && !l.isWhole(v) {
		return interval{}
	}
	return interval{ir.Int(0), ir.Sub(by, ir.Int(1))}
}

// reach bounds a variable that has no axis: least ≤ v < most.
func (l *lowering) reach(v *ir.Var) interval {
	r := interval{l.between(l.settle(v.Lo)).least, l.between(l.settle(v.Hi)).most}
	if r.least != nil && !l.isWhole(r.least) {
		r.least = ir.Call(ir.OpFloor, r.least)
	}
	if r.most != nil && !l.isWhole(r.most) {
		r.most = ir.Call(ir.OpCeil, r.most)
	}
	return r
}

// within are the conditions that a value of the bounds of a variable is in its range, those that aren't known to hold.
func (l *lowering) within(at site, v *ir.Var) []*ir.Value {
	if v.Axis != nil {
		return nil
	}
	var conds []*ir.Value
	if !isUniform(v.Lo) {
		conds = append(conds, l.compare(at, ir.OpLe, "`..`", l.settleIndex(v.Lo), ir.Index(v)))
	}
	if !isUniform(v.Hi) {
		conds = append(conds, l.compare(at, ir.OpLt, "`..`", ir.Index(v), l.settleIndex(v.Hi)))
	}
	return conds
}

// neverFails tells whether a value can be computed wherever it stands: it divides by constants only.
func neverFails(v *ir.Value) bool {
	sure := true
	ir.Walk(v, func(v *ir.Value) bool {
		switch v.Op {
		case ir.OpDiv, ir.OpMod, ir.OpRem, ir.OpPow:
			sure = sure && v.Args[1].Op == ir.OpConst && v.Args[1].Const.Sign() > 0
		}
		return sure
	})
	return sure
}
