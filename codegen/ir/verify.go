package ir

import (
	"fmt"

	"github.com/opgen/opgen/dsl/diag"
)

// Verify checks that f is well formed: every value has the arguments and the type that its op asks for, variables and
// attributes are in scope, each tensor has one definition and is defined before it is read (but for groups), and
// destinations fit their targets. Passes are checked with it, so what it finds is a fault of a pass.
func Verify(f *Func) error {
	v := verifier{f: f, ready: map[*Tensor]bool{}, defined: map[*Tensor]bool{}, scalars: map[string]Type{"step": ExactType}}
	for _, t := range f.Inputs {
		if v.ready[t] {
			return v.fault(t.Span, "input %s is listed twice", t.Name)
		}
		v.ready[t] = true
	}
	for _, s := range f.Scalars {
		v.scalars[s.Name] = s.Type
	}
	for _, d := range f.Dims {
		if err := v.value(d.Value, nil, ExactType); err != nil {
			return err
		}
	}
	if err := v.defs(f.Defs); err != nil {
		return err
	}
	for _, r := range f.Requires {
		if err := v.value(r.Cond, nil, BoolType); err != nil {
			return err
		}
	}
	for _, t := range f.Outputs {
		if !v.defined[t] {
			return v.fault(t.Span, "output %s has no definition", t.Name)
		}
	}
	for _, g := range f.UserGrads {
		if g.None {
			continue
		}
		w := verifier{f: f, ready: map[*Tensor]bool{}, defined: map[*Tensor]bool{}, scalars: v.scalars, cotangents: true}
		for t := range v.ready {
			w.ready[t] = true
		}
		if err := w.defs(g.Defs); err != nil {
			return err
		}
		if !w.defined[g.Result] {
			return v.fault(g.Span, "the gradient of %s has no definition", g.Of.Name)
		}
	}
	return nil
}

type verifier struct {
	f          *Func
	ready      map[*Tensor]bool // may be read
	defined    map[*Tensor]bool // has its definition
	scalars    map[string]Type
	cotangents bool // cotangents may be read
	where      string
}

func (v *verifier) fault(span diag.Span, format string, args ...any) error {
	return &Fault{Func: v.f.Name, Def: v.where, Span: span, Message: fmt.Sprintf(format, args...)}
}

// Fault is an error of a function, with its place.
type Fault struct {
	Func, Def string
	Span      diag.Span
	Message   string
}

// Error is the message with its place.
func (e *Fault) Error() string {
	s := e.Func
	if e.Def != "" {
		s += ": " + e.Def
	}
	if p := e.Span.Start; p.IsValid() {
		s = fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Col, s)
	}
	return s + ": " + e.Message
}

// defs checks definitions in order.
func (v *verifier) defs(defs []*Def) error {
	for i := 0; i < len(defs); {
		n := i + 1
		if g := defs[i].Group; g != 0 {
			for n < len(defs) && defs[n].Group == g {
				n++
			}
			for _, d := range defs[i:n] {
				v.ready[d.Target] = true
			}
		}
		for _, d := range defs[i:n] {
			v.where = d.Target.Name
			if v.defined[d.Target] {
				return v.fault(d.Span, "defined twice")
			}
			if d.Group == 0 && v.ready[d.Target] {
				return v.fault(d.Span, "the target is an input")
			}
			if err := v.def(d); err != nil {
				return err
			}
		}
		for _, d := range defs[i:n] {
			v.ready[d.Target], v.defined[d.Target] = true, true
		}
		i = n
	}
	v.where = ""
	return nil
}

func (v *verifier) def(d *Def) error {
	if len(d.Dest) != len(d.Target.Axes) {
		return v.fault(d.Span, "%s for %s", numberOf(len(d.Dest), "index", "indices"), axesText(len(d.Target.Axes)))
	}
	if d.Target.IsSize && (len(d.Dest) > 0 || v.f.Class(d.Target.Elem) != ClassInt) {
		return v.fault(d.Span, "an extent is one integer")
	}
	for t := range d.Reads() {
		if t.IsSize && !v.ready[t] {
			return v.fault(d.Span, "an extent, %s, is used before it is computed", t.Name)
		}
	}
	scope := map[*Var]bool{}
	for _, x := range d.Vars {
		if scope[x] {
			return v.fault(d.Span, "variable %s is listed twice", x.Name)
		}
		if x.Axis == nil {
			for _, e := range []*Value{x.Lo, x.Hi} {
				if e == nil {
					return v.fault(d.Span, "variable %s has neither an axis nor bounds", x.Name)
				}
				if err := v.index(e, scope); err != nil {
					return err
				}
			}
		}
		scope[x] = true
	}
	if d.Group != 0 && !scope[d.Along] {
		return v.fault(d.Span, "the group runs along no variable of the definition")
	}
	for _, e := range []*Value{d.Kept, d.Scaled} {
		if e == nil {
			continue
		}
		if err := v.value(e, scope, Type{}); err != nil {
			return err
		}
	}
	if why := d.carriedWrong(); why != "" {
		return v.fault(d.Span, "it can't be carried along %s: %s", d.Carried.Name, why)
	}
	for _, e := range d.Dest {
		if err := v.index(e, scope); err != nil {
			return err
		}
	}
	for _, c := range d.Where {
		if err := v.value(c, scope, BoolType); err != nil {
			return err
		}
	}
	want := ElemType(d.Target.Elem)
	if d.Monoid == Any || d.Monoid == All {
		want = BoolType
	}
	if err := v.value(d.Body, scope, Type{}); err != nil {
		return err
	}
	if t := d.Body.Type; t.Kind != want.Kind || t.Kind == Typed && t.Elem.Name != want.Elem.Name {
		return v.fault(d.Span, "the body is %v, the target %v", t, want)
	}
	return nil
}

// index checks a value that stands as an index or a bound.
func (v *verifier) index(e *Value, scope map[*Var]bool) error {
	if err := v.value(e, scope, Type{}); err != nil {
		return err
	}
	if e.Type.Kind == Exact || e.Type.Kind == Typed && v.f.Class(e.Type.Elem) != ClassFloat {
		return nil
	}
	return v.fault(e.Span, "%v is %v, which is no index", e, e.Type)
}

// value checks v and all that it is made of. A want of kind Invalid allows any type.
func (v *verifier) value(x *Value, scope map[*Var]bool, want Type) error {
	var err error
	Walk(x, func(x *Value) bool {
		if err == nil {
			err = v.node(x, scope)
		}
		return err == nil
	})
	if err == nil && want.Kind != Invalid && x.Type != want {
		err = v.fault(x.Span, "%v is %v, not %v", x, x.Type, want)
	}
	return err
}

func (v *verifier) node(x *Value, scope map[*Var]bool) error {
	bad := func(format string, args ...any) error { return v.fault(x.Span, format, args...) }
	if x.Op == OpInvalid || x.Op >= opCount {
		return bad("op %d is not in the table", x.Op)
	}
	f := &Facts[x.Op]
	if f.Arity >= 0 && len(x.Args) != f.Arity {
		return bad("%s has %d arguments, not %d", f.Name, len(x.Args), f.Arity)
	}
	if x.Type.Kind == Invalid || (x.Type.Kind == Typed) != (x.Type.Elem != Elem{}) {
		return bad("%s has no valid type", f.Name)
	}
	switch x.Op {
	case OpConst:
		if x.Const == nil || x.Type != ExactType {
			return bad("a constant without an exact value")
		}
	case OpScalar:
		if t, ok := v.scalars[x.Name]; !ok {
			return bad("attribute %s is unknown", x.Name)
		} else if t != x.Type {
			return bad("attribute %s is %v, not %v", x.Name, t, x.Type)
		}
	case OpLowest, OpHighest, OpEpsilon:
		if c := v.f.Class(x.Type.Elem); x.Type.Kind != Typed || c == ClassBool || x.Op == OpEpsilon && c == ClassInt {
			return bad("%s of %v", f.Name, x.Type)
		}
	case OpUniform, OpNormal:
		if t, ok := v.scalars[x.Name]; !ok || t.Kind != Exact {
			return bad("%s is no seed", x.Name)
		}
		if x.Type.Kind != Typed || v.f.Class(x.Type.Elem) == ClassInt || x.Args[0].Type.Kind != Exact {
			return bad("%v isn't a random float counted by an exact number", x)
		}
	case OpExtent:
		if x.Axis == nil {
			return bad("an extent of no axis")
		}
		if s := x.Axis.Size; s != nil && !v.ready[s] {
			return bad("the extent of %s is read before it is computed", x.Axis.Name)
		}
	case OpIndex:
		if !scope[x.Var] {
			return bad("variable %s is out of scope", x.Var.Name)
		}
	case OpRead:
		return v.read(x)
	case OpPresent:
		if x.Tensor == nil {
			return bad("has() of nothing")
		}
	default:
		return v.call(x, f)
	}
	return nil
}

func (v *verifier) read(x *Value) error {
	t := x.Tensor
	if t == nil {
		return v.fault(x.Span, "a read of nothing")
	}
	if !v.ready[t] && !(v.cotangents && t.Role == Cotangent) {
		return v.fault(x.Span, "%s is read before its definition", t.Name)
	}
	if len(x.Args) != len(t.Axes) {
		return v.fault(x.Span, "%s has %s, read with %s", t.Name, axesText(len(t.Axes)), numberOf(len(x.Args), "index", "indices"))
	}
	if x.Type != ElemType(t.Elem) {
		return v.fault(x.Span, "an element of %s is %v, not %v", t.Name, ElemType(t.Elem), x.Type)
	}
	for _, a := range x.Args {
		if a.Type.Kind != Exact && !(a.Type.Kind == Typed && v.f.Class(a.Type.Elem) != ClassFloat) {
			return v.fault(a.Span, "%v is %v, which is no index", a, a.Type)
		}
	}
	return nil
}

// call checks that the arguments of an op have met.
func (v *verifier) call(x *Value, f *Fact) error {
	bad := func() error {
		return v.fault(x.Span, "%v has arguments that don't fit %s of type %v", x, f.Name, x.Type)
	}
	args := x.Args
	switch f.Rule {
	case RuleLogic:
		for _, a := range args {
			if a.Type.Kind != Bool {
				return bad()
			}
		}
		if x.Type != BoolType || f.Arity == Variadic && len(args) < 2 {
			return bad()
		}
		return nil
	case RuleChoose:
		if args[0].Type != BoolType {
			return bad()
		}
		args = args[1:]
	case RuleNone, RuleSame, RuleTest:
		return nil
	}
	for _, a := range args {
		if a.Type.Kind != args[0].Type.Kind || a.Type.Kind == Typed && a.Type.Elem.Name != args[0].Type.Elem.Name {
			return bad()
		}
	}
	if f.Rule == RuleCompare || f.Rule == RuleEqual {
		if x.Type != BoolType {
			return bad()
		}
		return nil
	}
	if x.Type.Kind != args[0].Type.Kind {
		return bad()
	}
	return nil
}
