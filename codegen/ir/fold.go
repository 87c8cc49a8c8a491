package ir

import "math/big"

// ConstOf is the number that v is, also where it was cast to a dtype; nil if it isn't a constant.
func ConstOf(v *Value) *big.Rat {
	for v.Op == OpCast && v.Type.Kind != Bool {
		v = v.Args[0]
	}
	return v.Const
}

// IsConst tells whether v is the whole number n, also where it was cast to a dtype.
func IsConst(v *Value, n int64) bool {
	c := ConstOf(v)
	return c != nil && c.IsInt() && c.Num().IsInt64() && c.Num().Int64() == n
}

// IsWhole tells whether an exact value is known to be a whole number.
func IsWhole(v *Value) bool {
	switch v.Op {
	case OpConst:
		return v.Const.IsInt()
	case OpIndex, OpExtent, OpFloor, OpCeil, OpTrunc, OpRound, OpSign:
		return true
	case OpScalar:
		return v.Type.Kind == Exact
	case OpAdd, OpSub, OpMul, OpNeg, OpAbs, OpMax, OpMin, OpMod, OpRem:
		for _, a := range v.Args {
			if !IsWhole(a) {
				return false
			}
		}
		return v.Type.Kind == Exact
	case OpSelect:
		return IsWhole(v.Args[1]) && IsWhole(v.Args[2])
	}
	return false
}

// fold computes an op of exact constants, and drops ops that don't change exact values. It is nil where nothing folds.
func fold(op Op, args []*Value) (*Value, error) {
	consts := make([]*big.Rat, len(args))
	all := true
	for i, a := range args {
		consts[i] = a.Const
		all = all && a.Const != nil
	}
	if all {
		r, err := Facts[op].Exact(consts)
		if err != nil {
			return nil, err
		}
		return Const(r), nil
	}
	a := args[0]
	b := args[len(args)-1]
	switch op {
	case OpAdd:
		if IsConst(a, 0) {
			return b, nil
		}
		if IsConst(b, 0) {
			return a, nil
		}
	case OpSub:
		if IsConst(b, 0) {
			return a, nil
		}
	case OpMul:
		if IsConst(a, 1) || IsConst(b, 0) {
			return b, nil
		}
		if IsConst(b, 1) || IsConst(a, 0) {
			return a, nil
		}
	case OpDiv, OpPow:
		if IsConst(b, 1) {
			return a, nil
		}
	case OpNeg:
		if a.Op == OpNeg {
			return a.Args[0], nil
		}
	case OpFloor, OpCeil, OpTrunc, OpRound:
		if IsWhole(a) {
			return a, nil
		}
	}
	return nil, nil
}
