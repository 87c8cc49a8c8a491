package prove

import (
	"fmt"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl/diag"
)

// How says how a derivative is known.
type How uint8

const (
	Derived    How = iota // by the reverse rule
	Proved                // a formula by hand, equal by normal form
	Tested                // a formula by hand, equal at points
	Unverified            // a deviation on purpose
	None                  // declared to have none
	Unneeded              // derived, and zero: no output depends on the input
)

// Status is what is known about one gradient.
type Status struct {
	Of     *ir.Tensor
	How    How
	Points int
	Kinks  int    // points on a kink where the formula takes another value between the one-sided ones
	Reason string // Unverified
}

// String is as `opgen check` prints it.
func (s Status) String() string {
	switch s.How {
	case Proved:
		return "proved"
	case Tested:
		if s.Kinks > 0 {
			return fmt.Sprintf("tested (%d points; another value on %d kinks)", s.Points, s.Kinks)
		}
		return fmt.Sprintf("tested (%d points)", s.Points)
	case Unverified:
		return fmt.Sprintf("unverified (%s)", s.Reason)
	case None:
		return "none"
	case Unneeded:
		return "zero"
	}
	return "derived"
}

// Gradients checks the derivatives by hand of forward against derived, its backward function made without them, and
// tells for each gradient how it is known. A wrong formula is a diagnostic, and has no status.
func Gradients(v *ir.Variant, derived *ir.Func) ([]Status, []diag.Diagnostic) {
	forward := v.Forward
	byHand := map[*ir.Tensor]ir.UserGrad{}
	for _, u := range forward.UserGrads {
		byHand[u.Of] = u
	}
	var r []Status
	var ds []diag.Diagnostic
	for _, g := range derived.Outputs {
		if g.Role != ir.Gradient {
			continue
		}
		u, ok := byHand[g.Of]
		s := Status{Of: g.Of}
		switch {
		case !ok:
			if isZeroIn(derived, g) {
				s.How = Unneeded
			}
		case u.Unverified:
			s.How, s.Reason = Unverified, u.Reason
		default:
			var d *diag.Diagnostic
			if s, d = byFormula(v, derived, g, u); d != nil {
				ds = append(ds, *d)
				continue
			}
		}
		r = append(r, s)
	}
	for _, u := range forward.UserGrads {
		if u.None {
			r = append(r, Status{Of: u.Of, How: None})
		}
	}
	return r, ds
}

// isZeroIn tells whether a gradient is defined as zero.
func isZeroIn(derived *ir.Func, g *ir.Tensor) bool {
	for _, d := range derived.Defs {
		if d.Target == g {
			return d.Monoid == ir.Assign && ir.IsConst(d.Body, 0)
		}
	}
	return false
}

// byFormula proves one formula.
func byFormula(variant *ir.Variant, derived *ir.Func, want *ir.Tensor, u ir.UserGrad) (Status, *diag.Diagnostic) {
	forward := variant.Forward
	f := joint(forward, derived, u)
	for i, d := range f.Defs {
		f.Defs[i] = substituteChoices(d, variant.Choices)
	}
	isFloat := func(v *ir.Value) bool { return v.Type.Kind == ir.Typed && f.Class(v.Type.Elem) == ir.ClassFloat }
	s := Status{Of: u.Of, How: Proved}
	known := unknown
	if ok, _ := Equal(f.ElemVars, f.Defs, u.Result, want, nil); ok {
		known = isEqual
	} else if ok, _ := Equal(f.ElemVars, f.Defs, u.Result, want, isFloat); ok {
		known = offKinks
	}
	f.Outputs = []*ir.Tensor{u.Result, want}
	op := *forward
	op.ElemVars, op.UserGrads = f.ElemVars, nil
	v := test(f, &op, u.Result, want, known, variant.Choices)
	s.Points, s.Kinks = v.Points, v.Kinks
	switch {
	case v.Counter == nil && known != unknown && v.Kinks == 0:
		return s, nil
	case v.Counter == nil && v.Unmet != "":
		return s, &diag.Diagnostic{Code: "grad-unknown", Span: u.Span,
			Message: fmt.Sprintf("cannot tell whether this is the gradient of %s: it was not proved, and no points were found on both sides of %s", u.Of.Name, v.Unmet),
			Hint:    "write the formula with the conditions of the op, leave it out, or mark it: unverified \"reason\""}
	case v.Counter == nil && v.Points > 0:
		s.How = Tested
		return s, nil
	case v.Counter == nil && !v.Taken:
		return s, &diag.Diagnostic{Code: "grad-unknown", Span: u.Span,
			Message: fmt.Sprintf("cannot tell whether this is the gradient of %s: it was not proved, and no attributes and extents were found with which a call takes this branch", u.Of.Name),
			Hint:    "drop the branch if no call can take it, leave the formula out, or mark it: unverified \"reason\""}
	case v.Counter == nil:
		return s, &diag.Diagnostic{Code: "grad-unknown", Span: u.Span,
			Message: fmt.Sprintf("cannot tell whether this is the gradient of %s: it was not proved, and no point was found at which the op can be evaluated", u.Of.Name),
			Hint:    "leave the formula out, or mark it: unverified \"reason\""}
	}
	d := &diag.Diagnostic{Code: "grad-wrong", Span: u.Span, Message: fmt.Sprintf("this is not the gradient of %s: with %s", u.Of.Name, v.Counter)}
	if known == offKinks {
		isFloat = nil // what is wrong is wrong where floats are equal
	}
	if cause := Cause(f.ElemVars, f.Defs, u.Result, want, isFloat); cause != "" {
		d.Hint = cause
	}
	for _, out := range forward.Outputs {
		for _, def := range forward.Defs {
			if def.Target == out && def.Span.Start.IsValid() {
				d.Notes = append(d.Notes, diag.Note{Span: def.Span, Message: fmt.Sprintf("the formula of %s that is differentiated", out.Name)})
				return s, d
			}
		}
	}
	return s, d
}

// joint is one function with all definitions: forward, derived and by hand, reading the same cotangents.
func joint(forward, derived *ir.Func, u ir.UserGrad) *ir.Func {
	f := *forward
	f.UserGrads = nil
	floats := []ir.Elem{u.Of.Elem} // else there is no gradient
	f.Inputs = append([]*ir.Tensor(nil), forward.Inputs...)
	cotangent := map[*ir.Tensor]*ir.Tensor{}
	for _, t := range derived.Inputs {
		if t.Role == ir.Cotangent {
			f.Inputs = append(f.Inputs, t)
			cotangent[t.Of] = t
			floats = append(floats, t.Elem)
		}
	}
	f.ElemVars = ir.Floats(forward.ElemVars, floats...)
	f.Defs = append([]*ir.Def(nil), forward.Defs...)
	have := map[*ir.Tensor]bool{}
	for _, d := range forward.Defs {
		have[d.Target] = true
	}
	for _, d := range derived.Defs {
		if !have[d.Target] {
			f.Defs = append(f.Defs, d)
		}
	}
	for _, d := range u.Defs {
		f.Defs = append(f.Defs, ir.MapDef(d, func(v *ir.Value) *ir.Value {
			if v.Op != ir.OpRead || v.Tensor.Role != ir.Cotangent || cotangent[v.Tensor.Of] == nil || cotangent[v.Tensor.Of] == v.Tensor {
				return v
			}
			return ir.Read(cotangent[v.Tensor.Of], v.Args...)
		}))
	}
	return &f
}
