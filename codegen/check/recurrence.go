package check

import (
	"errors"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

// ahead is a value that is read by index where it isn't defined yet: an output, or a let with a left side. It stands for
// what its definition will give; that all such reads are of what was computed before is settled at the end, in recur.
func (l *lowering) ahead(name string) *value {
	if v := l.aheads[name]; v != nil {
		return v
	}
	v := l.open[name]
	elem := ir.Elem{}
	if d := l.sig.find(name); d != nil && d.in == nil {
		if d.param.Infer {
			return nil
		}
		v = &value{name: name, span: d.span, slots: l.slotsOf(d.param.Axes)}
		v.tensor = &ir.Tensor{Name: name, Role: ir.Output, Elem: l.elem(d.param.Elem), Span: d.span}
	} else {
		s := l.letOf(name, l.op.decl.Body)
		if s == nil || s.Left == nil || s.Pack || len(s.Names) != 1 {
			return nil
		}
		if v == nil {
			v = &value{name: name, span: s.Names[0].Span}
			for _, i := range s.Left.Items {
				if i.In && i.To != nil {
					return nil // its axis is made by the definition
				}
			}
			var ok bool
			if v.slots, ok = l.leftSide(s.Names[0], s.Left, nil, s.Value, (&env{in: l.op.in}).inside(false)); !ok {
				return nil
			}
		} else {
			v = &value{name: name, span: v.span, slots: v.slots}
		}
		if elem = l.guess(s.Value, map[string]bool{name: true}); elem == (ir.Elem{}) {
			return nil
		}
		v.tensor = &ir.Tensor{Name: name, Role: ir.Local, Elem: elem, Span: s.Names[0].Span}
	}
	v.tensor.Axes = extents(v.slots)
	if l.callee != nil {
		v.tensor.Name, v.tensor.Role = l.localName(name), ir.Local
	}
	if l.aheads == nil {
		l.aheads = map[string]*value{}
	}
	l.aheads[name] = v
	return v
}

// letOf finds the let of a name among the statements that the choices lead through.
func (l *lowering) letOf(name string, list []dsl.Stmt) *dsl.Let {
	for _, s := range list {
		switch s := s.(type) {
		case *dsl.Let:
			for _, id := range s.Names {
				if id.Name == name {
					return s
				}
			}
		case *dsl.Match:
			a := l.sig.attr(s.Name.Name)
			if a == nil {
				continue
			}
			if arm := armOf(s, l.word(a)); arm != nil {
				if found := l.letOf(name, arm.Body); found != nil {
					return found
				}
			}
		}
	}
	return nil
}

// guess is the element type of a let that reads itself: that of the first cast or tensor of numbers that its formula is made of. When
// the let is defined it must turn out to be so.
func (l *lowering) guess(x dsl.Expr, seen map[string]bool) ir.Elem {
	found := l.numbersOf(x, seen)
	if found == (ir.Elem{}) {
		return found
	}
	return l.storedAs(ir.ElemType(found))
}

// numbersOf is guess before it is stored. What stands in a condition or an index says nothing of the numbers of a formula.
func (l *lowering) numbersOf(x dsl.Expr, seen map[string]bool) ir.Elem {
	first := func(list ...dsl.Expr) ir.Elem {
		for _, x := range list {
			if e := l.numbersOf(x, seen); e != (ir.Elem{}) {
				return e
			}
		}
		return ir.Elem{}
	}
	switch x := x.(type) {
	case *dsl.Paren:
		return first(x.X)
	case *dsl.Unary:
		if x.Op == "-" {
			return first(x.X)
		}
	case *dsl.Binary:
		if slices.Contains([]string{"+", "-", "*", "/", "%", "^"}, x.Op) {
			return first(x.X, x.Y)
		}
	case *dsl.Alt:
		return first(x.Alts...)
	case *dsl.If:
		return first(x.Then, x.Else)
	case *dsl.Call:
		return l.numbersOfCall(x, first)
	case *dsl.Ref:
		if x.Package == nil && !x.Cotangent && !isUpper(x.Name.Name) {
			return l.numbersOfName(x.Name.Name, seen)
		}
	}
	return ir.Elem{}
}

// notNumbers are functions whose results don't have the dtype of their arguments: conditions and places.
var notNumbers = []string{"has", "isnan", "isinf", "isfinite", "signbit", "any", "all", "argmax", "argmin", "bool", "ravel"}

func (l *lowering) numbersOfCall(x *dsl.Call, first func(...dsl.Expr) ir.Elem) ir.Elem {
	name := x.Name.Name
	switch {
	case x.AccOf != nil:
		return l.elem(ir.Elem{Wrap: "acc", Name: x.AccOf.Name})
	case x.Package == nil && slices.Contains(notNumbers, name):
		return ir.Elem{}
	case x.Package == nil && (isUpper(name) || dtypes[name]):
		return l.elem(ir.Elem{Name: name})
	}
	var args []dsl.Expr
	for _, a := range x.Args {
		args = append(args, a.Value)
	}
	e := first(args...)
	if e != (ir.Elem{}) && (name == "sum" || name == "prod") {
		e = l.sumOf(e)
	}
	return e
}

// numbersOfName is the element type of what a name stands for.
func (l *lowering) numbersOfName(name string, seen map[string]bool) ir.Elem {
	if seen[name] {
		return ir.Elem{}
	}
	if v := l.table[name]; v != nil && v.tensor != nil && v.inlined == nil && v.tensor.Elem.Name != "bool" {
		return v.tensor.Elem
	}
	if d := l.sig.find(name); d != nil {
		if e := l.elem(d.param.Elem); e.Name != "bool" {
			return e
		}
		return ir.Elem{}
	}
	if s := l.letOf(name, l.op.decl.Body); s != nil {
		seen[name] = true
		return l.numbersOf(s.Value, seen)
	}
	return ir.Elem{}
}

// target gives the definition of a name its tensor: the one that was read ahead of it, or t, which gets the name.
func (l *lowering) target(name string, t *ir.Tensor, at site) *ir.Tensor {
	v := l.aheads[name]
	if v == nil {
		t.Name = l.localName(name)
		return t
	}
	if v.tensor.Elem != t.Elem {
		l.errorf(at, "recurrence", "%s, which is read before it is defined, was taken for %s and is %s", quote(name), l.elemText(v.tensor.Elem), l.elemText(t.Elem)).
			WithHint("cast what it is made of")
	}
	v.tensor.Span = t.Span
	return v.tensor
}

// allSet checks that what was read ahead is defined.
func (l *lowering) allSet() {
	for name, v := range l.aheads {
		l.recurs = true
		if l.table[name] == nil && l.rep.errors == l.clean {
			l.errorf(site{v.span, nil}, "name-early", "%s has no value here: nothing sets it", quote(name))
		}
	}
}

// recur puts definitions that read each other, also those of called ops, into groups that run along an axis.
func (l *lowering) recur() {
	if l.allSet(); !l.recurs || l.rep.errors > l.clean {
		return
	}
	var facts []*ir.Value
	for _, r := range l.fn.Requires {
		if len(ir.Reads(r.Cond)) == 0 {
			facts = append(facts, r.Cond)
		}
	}
	defs, err := ir.Order(l.fn.Defs, facts, 1)
	var fault *ir.Recurrence
	if errors.As(err, &fault) {
		d := l.errorf(site{fault.Span(), nil}, "recurrence", "%s", fault.Message)
		if fault.Hint != "" {
			d.WithHint("%s", fault.Hint)
		}
		return
	}
	l.fn.Defs = defs
}
