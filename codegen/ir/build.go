package ir

import (
	"fmt"
	"math/big"
	"slices"
)

// True and False are the constant conditions.
var (
	True  = &Value{Op: OpTrue, Type: BoolType}
	False = &Value{Op: OpFalse, Type: BoolType}
)

// Const is an exact constant.
func Const(r *big.Rat) *Value { return &Value{Op: OpConst, Type: ExactType, Const: r} }

// Int is an exact whole constant.
func Int(n int64) *Value { return Const(big.NewRat(n, 1)) }

// Frac is the exact constant a/b.
func Frac(a, b int64) *Value { return Const(big.NewRat(a, b)) }

// Inf is +∞, NaN is not a number, Pi is π: all Real.
func Inf() *Value { return &Value{Op: OpInf, Type: RealType} }

// NaN is not a number.
func NaN() *Value { return &Value{Op: OpNaN, Type: RealType} }

// Pi is π.
func Pi() *Value { return &Value{Op: OpPi, Type: RealType} }

// ScalarOf is the value of an attribute.
func ScalarOf(s *Scalar) *Value { return &Value{Op: OpScalar, Type: s.Type, Name: s.Name} }

// Extent is the extent of an axis.
func Extent(a *Axis) *Value { return &Value{Op: OpExtent, Type: ExactType, Axis: a} }

// Index is an index variable as a value.
func Index(v *Var) *Value { return &Value{Op: OpIndex, Type: ExactType, Var: v} }

// Indices are the variables as values.
func Indices(vars []*Var) []*Value {
	r := make([]*Value, len(vars))
	for i, v := range vars {
		r[i] = Index(v)
	}
	return r
}

// Read is an element of a tensor. An element of a bool tensor is a condition.
func Read(t *Tensor, index ...*Value) *Value {
	return &Value{Op: OpRead, Type: ElemType(t.Elem), Tensor: t, Args: index}
}

// ElemType is the type of an element as a value.
func ElemType(e Elem) Type {
	if e.Name == "bool" {
		return BoolType
	}
	return TypedAs(e)
}

// Limit is a number that a dtype sets: op is OpLowest, OpHighest or OpEpsilon.
func Limit(op Op, e Elem) *Value { return &Value{Op: op, Type: TypedAs(e)} }

// Present is the condition that an optional input was given.
func Present(t *Tensor) *Value { return &Value{Op: OpPresent, Type: BoolType, Tensor: t} }

// Cast converts to another type: exact or real numbers to a dtype (rounded once), or one dtype to another.
func Cast(v *Value, t Type) *Value {
	if v.Type == t {
		return v
	}
	return &Value{Op: OpCast, Type: t, Args: []*Value{v}, Span: v.Span}
}

// Call applies an op; see Build. It panics where types don't fit, so it is for values known to fit.
// Dtype variables count as floats.
func Call(op Op, args ...*Value) *Value {
	v, err := Build(nil, op, args...)
	if err != nil {
		panic(fmt.Sprintf("ir: %v", err))
	}
	return v
}

// Build applies an op of the table. Arguments of different kinds meet: exact and real ones are cast to the dtype of
// the others, exact ones to Real. Arithmetic of exact constants is folded, and so are identities that hold for all
// exact values. vars gives the classes of dtype variables.
func Build(vars []ElemVar, op Op, args ...*Value) (*Value, error) {
	if op == OpInvalid || op >= opCount || Facts[op].Rule == RuleNone {
		return nil, fmt.Errorf("%v is not an op that applies to values", op)
	}
	f := &Facts[op]
	if f.Arity == Variadic && len(args) < 1 || f.Arity != Variadic && len(args) != f.Arity {
		return nil, fmt.Errorf("%s takes %d arguments, not %d", f.Name, f.Arity, len(args))
	}
	switch f.Rule {
	case RuleLogic:
		for _, a := range args {
			if a.Type.Kind != Bool {
				return nil, fmt.Errorf("%s takes conditions, not %v", f.Name, a.Type)
			}
		}
		return logic(op, args), nil
	case RuleTest:
		if args[0].Type.Kind == Bool {
			return nil, fmt.Errorf("%s takes a number, not a condition", f.Name)
		}
		return testOf(vars, op, args[0]), nil
	case RuleSame:
		if k := args[0].Type.Kind; k == Exact || k == Real {
			return args[0], nil
		}
		return &Value{Op: op, Type: args[0].Type, Args: args}, nil
	case RuleChoose:
		return choose(vars, args)
	}
	args, t, err := meet(vars, args, f.Rule == RuleEqual)
	if err != nil {
		return nil, err
	}
	switch f.Rule {
	case RuleCompare, RuleEqual:
		return compare(op, args), nil
	case RuleFunc:
		if t.Kind == Typed && ClassOf(vars, t.Elem) == ClassInt {
			return nil, fmt.Errorf("%s of the integer dtype %v: cast it first", f.Name, t)
		}
		if t.Kind == Exact {
			t = RealType
			args = slices.Clone(args)
			for i := range args {
				args[i] = Cast(args[i], t)
			}
		}
		return &Value{Op: op, Type: t, Args: args}, nil
	}
	return arith(vars, op, args, t)
}

// arith applies an op whose arguments have met in type t.
func arith(vars []ElemVar, op Op, args []*Value, t Type) (*Value, error) {
	isInt := t.Kind == Typed && ClassOf(vars, t.Elem) == ClassInt
	switch {
	case isInt && op == OpDiv:
		// The quotient of integers is exact.
		return &Value{Op: op, Type: ExactType, Args: []*Value{Cast(args[0], ExactType), Cast(args[1], ExactType)}}, nil
	case isInt && Facts[op].Rule == RuleWhole:
		return args[0], nil
	case t.Kind == Exact && op == OpPow:
		if c := args[1].Const; c != nil && !c.IsInt() {
			t = RealType
			args = []*Value{Cast(args[0], t), Cast(args[1], t)}
		}
	}
	if t.Kind == Exact {
		if v, err := fold(op, args); v != nil || err != nil {
			return v, err
		}
	}
	return &Value{Op: op, Type: t, Args: args}, nil
}

// choose is if args[0] then args[1] else args[2].
func choose(vars []ElemVar, args []*Value) (*Value, error) {
	if args[0].Type.Kind != Bool {
		return nil, fmt.Errorf("if takes a condition, not %v", args[0].Type)
	}
	arms, t, err := meet(vars, args[1:], true)
	if err != nil {
		return nil, err
	}
	switch args[0].Op {
	case OpTrue:
		return arms[0], nil
	case OpFalse:
		return arms[1], nil
	}
	return &Value{Op: OpSelect, Type: t, Args: []*Value{args[0], arms[0], arms[1]}}, nil
}

// meet gives the arguments one type.
func meet(vars []ElemVar, args []*Value, conditions bool) ([]*Value, Type, error) {
	t := args[0].Type
	for _, a := range args[1:] {
		var err error
		if t, err = join(vars, t, a.Type); err != nil {
			return nil, t, err
		}
	}
	if t.Kind == Bool && !conditions {
		return nil, t, fmt.Errorf("a number is wanted, not a condition")
	}
	r := make([]*Value, len(args))
	for i, a := range args {
		r[i] = a
		if a.Type.Kind != t.Kind {
			r[i] = Cast(a, t)
		}
	}
	return r, t, nil
}

// join is the type in which two meet.
func join(vars []ElemVar, a, b Type) (Type, error) {
	if a == b {
		return a, nil
	}
	if a.Kind == Bool || b.Kind == Bool {
		return a, fmt.Errorf("a condition meets a number (%v and %v)", a, b)
	}
	if a.Kind == Typed && b.Kind == Typed {
		if a.Elem.Name == b.Elem.Name && ClassOf(vars, a.Elem) == ClassFloat {
			// T, acc(T) and sum(T) compute in one type; the widest name wins.
			if a.Elem.Wrap == "acc" || b.Elem.Wrap == "" {
				return a, nil
			}
			return b, nil
		}
		return a, fmt.Errorf("%v meets %v: cast one of them", a, b)
	}
	if b.Kind == Typed {
		a, b = b, a
	}
	if a.Kind == Typed {
		if b.Kind == Real && ClassOf(vars, a.Elem) == ClassInt {
			return a, fmt.Errorf("a real number meets the integer dtype %v: cast one of them", a)
		}
		return a, nil
	}
	return RealType, nil
}

// Add, Sub, Mul and Div are arithmetic, for values known to fit.
func Add(a, b *Value) *Value { return Call(OpAdd, a, b) }

// Sub is a - b.
func Sub(a, b *Value) *Value { return Call(OpSub, a, b) }

// Mul is a * b.
func Mul(a, b *Value) *Value { return Call(OpMul, a, b) }

// Div is a / b.
func Div(a, b *Value) *Value { return Call(OpDiv, a, b) }

// Neg is -a.
func Neg(a *Value) *Value { return Call(OpNeg, a) }

// Select is if cond then a else b.
func Select(cond, a, b *Value) *Value {
	if a.Type == b.Type && cond.Op != OpTrue && cond.Op != OpFalse {
		return &Value{Op: OpSelect, Type: a.Type, Args: []*Value{cond, a, b}}
	}
	return Call(OpSelect, cond, a, b)
}

// And is true where all are; of none it is true.
func And(conds ...*Value) *Value { return logic(OpAnd, conds) }

// Or is true where one is; of none it is false.
func Or(conds ...*Value) *Value { return logic(OpOr, conds) }

// Not is the opposite condition.
func Not(c *Value) *Value { return logic(OpNot, []*Value{c}) }

// Conjuncts are the conditions that must all hold for c to hold.
func Conjuncts(c *Value) []*Value {
	switch c.Op {
	case OpTrue:
		return nil
	case OpAnd:
		return c.Args
	}
	return []*Value{c}
}

// logic applies !, && or || to conditions: constants are folded, nested && and || flattened, what was said before is
// not said again.
func logic(op Op, args []*Value) *Value {
	if op == OpNot {
		switch a := args[0]; a.Op {
		case OpTrue:
			return False
		case OpFalse:
			return True
		case OpNot:
			return a.Args[0]
		default:
			return &Value{Op: op, Type: BoolType, Args: args}
		}
	}
	unit, zero := True, False
	if op == OpOr {
		unit, zero = zero, unit
	}
	var flat []*Value
	for _, a := range args {
		if a.Op == op {
			flat = append(flat, a.Args...)
		} else if a.Op != unit.Op {
			flat = append(flat, a)
		}
	}
	for _, a := range flat {
		if a.Op == zero.Op {
			return zero
		}
	}
	kept, contradict := distinct(flat)
	if contradict {
		return zero
	}
	switch len(kept) {
	case 0:
		return unit
	case 1:
		return kept[0]
	}
	return &Value{Op: op, Type: BoolType, Args: kept}
}

// distinct are the conditions of a list without those said before. contradict tells whether one denies another.
func distinct(conds []*Value) (kept []*Value, contradict bool) {
	if len(conds) == 1 {
		return conds, false
	}
	find := func(c *Value) bool { return slices.ContainsFunc(kept, func(k *Value) bool { return Equal(k, c) }) }
	note := func(*Value) {}
	if len(conds) > maxPairs {
		var num Numbering
		said := map[int]bool{}
		find = func(c *Value) bool { return said[num.ID(c)] }
		note = func(c *Value) { said[num.ID(c)] = true }
	}
	for _, c := range conds {
		if find(Not(c)) {
			return nil, true
		}
		if !find(c) {
			kept = append(kept, c)
			note(c)
		}
	}
	return kept, false
}

// maxPairs is how many conditions are compared with each other; more are numbered.
const maxPairs = 6

// testOf is isnan, isinf or signbit; exact numbers and integers are never NaN or infinite, and have one zero.
func testOf(vars []ElemVar, op Op, a *Value) *Value {
	if a.Type.Kind == Exact || a.Type.Kind == Typed && ClassOf(vars, a.Type.Elem) == ClassInt {
		if op == OpSignbit {
			return compare(OpLt, []*Value{a, Cast(Int(0), a.Type)})
		}
		return False
	}
	return &Value{Op: op, Type: BoolType, Args: []*Value{a}}
}

// compare compares values that have met.
func compare(op Op, args []*Value) *Value {
	if a, b := args[0].Const, args[1].Const; a != nil && b != nil {
		if Facts[op].CompareX(a.Cmp(b)) {
			return True
		}
		return False
	}
	return &Value{Op: op, Type: BoolType, Args: args}
}
