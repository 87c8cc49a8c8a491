package check

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// class is the kind of numbers that an element type holds; a variable may hold several.
func (l *lowering) class(e ir.Elem) ir.Class { return ir.ClassOf(l.vars, e) }

// dtypesOf are the dtypes that an element type may be.
func (l *lowering) dtypesOf(e ir.Elem) []string { return dtypesOf(l.vars, e) }

func dtypesOf(vars []ir.ElemVar, e ir.Elem) []string {
	for _, v := range vars {
		if v.Name == e.Name {
			r := make([]string, len(v.DTypes))
			for k, d := range v.DTypes {
				r[k] = ir.Elem{Wrap: e.Wrap, Name: v.Name}.Resolve(map[string]string{v.Name: d})
			}
			return r
		}
	}
	return []string{ir.Elem{Wrap: e.Wrap, Name: e.Name}.Resolve(nil)}
}

// mayBeBool tells whether an element type may hold conditions.
func (l *lowering) mayBeBool(e ir.Elem) bool { return slices.Contains(l.dtypesOf(e), "bool") }

// typeText is the type of a value in a message.
func (l *lowering) typeText(v *ir.Value) string {
	switch v.Type.Kind {
	case ir.Exact:
		return "an exact number"
	case ir.Real:
		return "a real number"
	case ir.Bool:
		return "a condition"
	}
	return l.elemText(v.Type.Elem)
}

// elemText is an element type in a message, with what a variable ranges over.
func (l *lowering) elemText(e ir.Elem) string { return l.root.elemText(e) }

func (o *operation) elemText(e ir.Elem) string {
	for _, v := range o.decl.Vars {
		if v.Name.Name == e.Name {
			text := quote(e.String()) + " (" + e.Name + ": "
			for k, a := range v.Alts {
				if k > 0 {
					text += "|"
				}
				text += a.Name
			}
			return text + ")"
		}
	}
	return quote(e.String())
}

// storedAs is the element type of a local that holds values of a type: floats keep what they are computed in.
func (l *lowering) storedAs(t ir.Type) ir.Elem {
	if t.Kind == ir.Bool {
		return ir.Elem{Name: "bool"}
	}
	return l.accOf(t.Elem)
}

// accOf is what sums of an element type are kept in.
func (l *lowering) accOf(e ir.Elem) ir.Elem {
	half := func(d string) bool { return d == "f16" || d == "bf16" }
	if !slices.ContainsFunc(l.dtypesOf(ir.Elem{Name: e.Name}), half) || e.Wrap == "sum" && l.class(e) != ir.ClassFloat {
		return e
	}
	return ir.Elem{Wrap: "acc", Name: e.Name}
}

// sumOf is the element type of sums and products.
func (l *lowering) sumOf(e ir.Elem) ir.Elem {
	switch {
	case l.class(e) == ir.ClassFloat:
		return l.accOf(e)
	case dtypes[e.Name]:
		return ir.Elem{Name: ir.Elem{Wrap: "sum", Name: e.Name}.Resolve(map[string]string{})}
	}
	return ir.Elem{Wrap: "sum", Name: e.Name}
}

// isQuotient tells whether a value is the quotient of integers, or may be: exact, and of use only where it is rounded,
// compared or cast.
func (l *lowering) isQuotient(v *ir.Value) bool {
	if v.Op != ir.OpDiv {
		return false
	}
	switch v.Type.Kind {
	case ir.Typed:
		return l.class(v.Type.Elem) != ir.ClassFloat
	case ir.Exact:
		return v.Args[0].Op == ir.OpCast && v.Args[0].Args[0].Type.Kind == ir.Typed
	}
	return false
}

// number checks that a value may stand in arithmetic.
func (l *lowering) number(at site, what string, v *ir.Value) bool {
	switch {
	case v.Type.Kind == ir.Bool:
		l.errorf(at, "type-number", "%s takes numbers, not conditions", what).WithHint("cast it to a dtype, or choose with `if`")
		return false
	case v.Type.Kind == ir.Typed && l.mayBeBool(v.Type.Elem):
		l.errorf(at, "type-number", "%s takes numbers; %s may be bool", what, l.elemText(v.Type.Elem)).WithHint("declare the dtype variable as num, or cast")
		return false
	case l.isQuotient(v):
		l.errorf(at, "type-quotient", "the quotient of integers (%s) is rounded or cast before it is used", l.elemText(quotientOf(v))).
			WithHint("floor(…), trunc(…), round(…), or a cast")
		return false
	}
	return true
}

func quotientOf(v *ir.Value) ir.Elem {
	if v.Type.Kind == ir.Typed {
		return v.Type.Elem
	}
	return v.Args[0].Args[0].Type.Elem
}

// use is what numbers meet for.
type use uint8

const (
	computed use = iota
	compared     // or rounded: quotients of integers may be
	chosen       // as the sides of a choice: nothing is computed
)

// meet gives numbers one type: exact and real ones take the dtype that they meet.
func (l *lowering) meet(at site, what string, purpose use, args ...*ir.Value) ([]*ir.Value, bool) {
	if isBad(args...) {
		return nil, false
	}
	var typed *ir.Value
	real := false
	for _, a := range args {
		free := l.isQuotient(a) == (purpose == compared) && purpose != computed
		if !free && !l.number(at, what, a) {
			return nil, false
		}
		switch a.Type.Kind {
		case ir.Typed:
			if typed == nil {
				typed = a
				continue
			}
			wide, ok := l.wider(typed.Type.Elem, a.Type.Elem)
			if !ok {
				l.errorf(at, "type-mixed", "%s: %s meets %s", what, l.elemText(typed.Type.Elem), l.elemText(a.Type.Elem)).
					WithHint("cast one of them: %s(…)", typed.Type.Elem)
				return nil, false
			}
			if wide != typed.Type.Elem {
				typed = a
			}
		case ir.Real:
			real = true
		}
	}
	r := slices.Clone(args)
	for k, a := range r {
		switch {
		case typed != nil:
			r[k] = l.coerce(at, a, typed.Type.Elem, what)
		case real:
			r[k] = l.real(at, a)
		}
	}
	return r, !isBad(r...)
}

// real is a number as a real one.
func (l *lowering) real(at site, v *ir.Value) *ir.Value {
	f64 := ir.Elem{Name: "f64"}
	if v.Type.Kind == ir.Exact && !l.constantsFitIn(at, v, f64, []string{"f64"}) {
		return bad
	}
	return l.push(v, ir.RealType)
}

// wider is the element type in which two meet: of one variable, acc(T) or sum(T) rather than T.
func (l *lowering) wider(a, b ir.Elem) (ir.Elem, bool) {
	if a == b {
		return a, true
	}
	if a.Name != b.Name || a.Wrap != "" && b.Wrap != "" && l.class(a) != ir.ClassFloat {
		return a, false
	}
	if a.Wrap == "" || a.Wrap == "sum" && b.Wrap == "acc" {
		return b, true
	}
	return a, true
}

// coerce gives a number the dtype that it meets in arithmetic.
func (l *lowering) coerce(at site, v *ir.Value, e ir.Elem, what string) *ir.Value {
	t := ir.ElemType(e)
	switch v.Type.Kind {
	case ir.Invalid:
		return bad
	case ir.Bool:
		if t.Kind == ir.Bool {
			return v
		}
		l.errorf(at, "type-number", "%s takes numbers, not conditions", what).WithHint("cast it: %s(…)", e)
		return bad
	case ir.Typed:
		if v.Type.Elem.Wrap != e.Wrap && l.class(e) != ir.ClassFloat {
			return ir.Cast(v, t)
		}
		return v
	}
	switch c := l.class(e); {
	case t.Kind == ir.Bool || l.mayBeBool(e):
		l.errorf(at, "type-mixed", "%s: %s meets %s", what, l.elemText(e), l.typeText(v)).WithHint("cast the number: %s(…)", e)
		return bad
	case c != ir.ClassFloat && v.Type.Kind == ir.Real:
		l.errorf(at, "type-mixed", "%s: a real number meets %s", what, l.elemText(e)).WithHint("round it, or cast one of them")
		return bad
	case c != ir.ClassFloat && !l.isWhole(v):
		l.errorf(at, "type-whole", "%s: a number that need not be whole meets %s", what, l.elemText(e)).
			WithHint("round it, declare the variable as float, or cast")
		return bad
	}
	if !l.constantsFit(at, v, e) {
		return bad
	}
	return l.push(v, t)
}

// coerceTo gives a value the element type that it is stored in.
func (l *lowering) coerceTo(at site, v *ir.Value, e ir.Elem, what string) *ir.Value {
	t := ir.ElemType(e)
	switch {
	case isBad(v):
		return bad
	case t.Kind == ir.Bool && v.Type.Kind != ir.Bool, t.Kind != ir.Bool && v.Type.Kind == ir.Bool:
		l.errorf(at, "type-stored", "%s is %s, but this is %s", what, l.elemText(e), l.typeText(v)).WithHint("cast it: %s(…)", e)
		return bad
	case l.isQuotient(v):
		l.number(at, what, v)
		return bad
	}
	if v.Type.Kind == ir.Typed && v.Type.Elem != e {
		if v.Type.Elem.Name != e.Name && !l.same(v.Type.Elem, e) {
			l.errorf(at, "type-stored", "%s is %s, but this is %s", what, l.elemText(e), l.elemText(v.Type.Elem)).WithHint("cast it: %s(…)", e)
			return bad
		}
		if v.Type.Elem.Name == e.Name && l.class(e) == ir.ClassFloat {
			return v // what is computed in acc(T) is rounded to T when it is stored
		}
		return ir.Cast(v, t)
	}
	return l.coerce(at, v, e, what)
}

// same tells whether two element types are always the same dtype.
func (l *lowering) same(a, b ir.Elem) bool {
	x, y := l.dtypesOf(a), l.dtypesOf(b)
	return len(x) == 1 && slices.Equal(x, y)
}

// isWhole tells whether an exact value is known to be whole.
func (l *lowering) isWhole(v *ir.Value) bool {
	switch v.Op {
	case ir.OpRead:
		s := l.exact[v.Tensor]
		return s != nil && s.whole
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpNeg, ir.OpAbs, ir.OpMax, ir.OpMin, ir.OpMod, ir.OpRem:
		return !slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return !l.isWhole(a) })
	case ir.OpSelect:
		return l.isWhole(v.Args[1]) && l.isWhole(v.Args[2])
	case ir.OpPow:
		n := v.Args[1].Const
		return n != nil && n.IsInt() && n.Sign() >= 0 && l.isWhole(v.Args[0])
	case ir.OpCast:
		a := v.Args[0]
		return a.Type.Kind == ir.Typed && l.class(a.Type.Elem) == ir.ClassInt || a.Type.Kind == ir.Real && ir.Facts[a.Op].Rule == ir.RuleWhole
	}
	return ir.IsWhole(v)
}

// push converts an exact or real value to another type. It goes through choices, signs and the like, which commute
// with rounding, so that only numbers are converted; a sum of exact numbers is then kept in that type.
func (l *lowering) push(v *ir.Value, t ir.Type) *ir.Value {
	if v.Type == t || isUniform(v) {
		return ir.Cast(v, t)
	}
	switch v.Op {
	case ir.OpRead:
		if s := l.exact[v.Tensor]; s != nil {
			return l.realize(s, v, t)
		}
	case ir.OpSelect:
		return l.rebuilt(v, ir.OpSelect, v.Args[0], l.push(v.Args[1], t), l.push(v.Args[2], t))
	case ir.OpAbs:
		return l.rebuilt(v, v.Op, l.push(v.Args[0], t))
	case ir.OpMax, ir.OpMin:
		return l.rebuilt(v, v.Op, l.push(v.Args[0], t), l.push(v.Args[1], t))
	}
	// An op of one choice and uniform numbers is a choice of ops.
	if f := ir.Facts[v.Op]; f.Rule == ir.RuleArith || f.Rule == ir.RuleFunc {
		choice := -1
		for k, a := range v.Args {
			switch {
			case isUniform(a):
			case a.Op == ir.OpSelect && choice < 0:
				choice = k
			default:
				return ir.Cast(v, t)
			}
		}
		if choice >= 0 {
			s := v.Args[choice]
			side := func(a *ir.Value) *ir.Value {
				args := slices.Clone(v.Args)
				args[choice] = a
				return l.push(l.rebuilt(v, v.Op, args...), t)
			}
			return l.rebuilt(v, ir.OpSelect, s.Args[0], side(s.Args[1]), side(s.Args[2]))
		}
	}
	return ir.Cast(v, t)
}

// rebuilt applies an op to arguments of types that are known to fit.
func (l *lowering) rebuilt(old *ir.Value, op ir.Op, args ...*ir.Value) *ir.Value {
	v, err := ir.Build(l.vars, op, args...)
	if err != nil {
		return ir.Cast(old, args[len(args)-1].Type)
	}
	return v
}

// build applies an op to arguments that have met.
func (l *lowering) build(at site, op ir.Op, args ...*ir.Value) *ir.Value {
	if isBad(args...) {
		return bad
	}
	v, err := ir.Build(l.vars, op, args...)
	if err != nil {
		l.errorf(at, "type-mixed", "%v", err)
		return bad
	}
	return v
}

// apply is arithmetic and functions of numbers.
func (l *lowering) apply(at site, op ir.Op, what string, args ...*ir.Value) *ir.Value {
	purpose := computed
	if ir.Facts[op].Rule == ir.RuleWhole {
		purpose = compared
	}
	args, ok := l.meet(at, what, purpose, args...)
	if !ok {
		return bad
	}
	if ir.Facts[op].Rule == ir.RuleFunc {
		if args[0].Type.Kind == ir.Exact {
			for k, a := range args {
				args[k] = l.real(at, a)
			}
			if isBad(args...) {
				return bad
			}
		}
		if t := args[0].Type; t.Kind == ir.Typed && l.class(t.Elem) != ir.ClassFloat {
			l.errorf(at, "type-float", "%s takes floats, not %s", what, l.elemText(t.Elem)).WithHint("declare the variable as float, or cast")
			return bad
		}
	}
	if op == ir.OpDiv && args[0].Type.Kind == ir.Exact && args[1].Const != nil && args[1].Const.Sign() == 0 {
		l.errorf(at, "divide-zero", "division by zero")
		return bad
	}
	v := l.build(at, op, args...)
	if purpose == compared && v.Type.Kind == ir.Real {
		v = ir.Cast(v, ir.ExactType) // a whole number is exact
	}
	return v
}

// power is a^b. Exact powers have whole exponents; others are real.
func (l *lowering) power(at site, a, b *ir.Value) *ir.Value {
	if a.Type.Kind == ir.Exact && b.Type.Kind == ir.Exact && !l.isWhole(b) {
		a, b = l.real(at, a), l.real(at, b)
	}
	return l.apply(at, ir.OpPow, "`^`", a, b)
}

// compare compares two numbers, or tests conditions for equality.
func (l *lowering) compare(at site, op ir.Op, what string, a, b *ir.Value) *ir.Value {
	if isBad(a, b) {
		return bad
	}
	if a.Type.Kind == ir.Bool && b.Type.Kind == ir.Bool && (op == ir.OpEq || op == ir.OpNe) {
		for _, p := range [][2]*ir.Value{{a, b}, {b, a}} {
			if c := p[0]; c.Op == ir.OpTrue || c.Op == ir.OpFalse {
				if (c.Op == ir.OpTrue) == (op == ir.OpEq) {
					return p[1]
				}
				return ir.Not(p[1])
			}
		}
		return l.build(at, op, a, b)
	}
	args, ok := l.meet(at, what, compared, a, b)
	if !ok {
		return bad
	}
	return l.build(at, op, args...)
}
