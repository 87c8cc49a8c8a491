package check

import (
	"math/big"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl/diag"
)

// isLong tells whether an extent, or the length of a range, is known to be beyond what there may be.
func isLong(n *ir.Value) bool {
	return n.Op == ir.OpConst && n.Const.Cmp(big.NewRat(ir.MaxPoints, 1)) > 0
}

// exactFits reports constants that exact numbers are computed with and that int64 don't hold: in any call, what they are part of would be refused.
// Where an index variable is part of it too, constants are at most 2^61. One that becomes a float at once is another matter; see constantsFit.
func (l *lowering) exactFits() {
	f := &exactFitter{l: l, done: map[*ir.Value]bool{}, exact: [2]map[*ir.Value]bool{{}, {}}}
	for _, d := range l.fn.Defs {
		f.def(d)
	}
	for _, g := range l.fn.UserGrads {
		for _, d := range g.Defs {
			f.def(d)
		}
	}
	for _, d := range l.fn.Dims {
		f.value(d.Value, d.Span)
	}
	for _, r := range l.fn.Requires {
		f.value(r.Cond, r.Span)
	}
	for _, c := range l.choose.choices() {
		f.value(c.Cond, l.fn.Span)
	}
}

// exactFitter finds constants in exact values.
type exactFitter struct {
	l     *lowering
	done  map[*ir.Value]bool
	exact [2]map[*ir.Value]bool // without index variables, and with them
}

func (f *exactFitter) def(d *ir.Def) {
	for _, v := range d.Values() {
		f.value(v, d.Span)
	}
}

// value looks for exact values in one of any type.
func (f *exactFitter) value(v *ir.Value, span diag.Span) {
	if v == nil || f.done[v] {
		return
	}
	f.done[v] = true
	if v.Span.Start.IsValid() {
		span = v.Span
	}
	switch {
	case v.Type.Kind == ir.Exact:
		f.part(v, span, len(ir.FreeVars(v)) > 0)
		return
	case v.Op == ir.OpCast && v.Args[0].Type.Kind == ir.Exact && (v.Args[0].Op == ir.OpConst || ir.HasPower(v.Args[0])):
		return // it is a float, or an integer that holds it, at once
	case v.Op == ir.OpEq || v.Op == ir.OpNe || v.Op == ir.OpLt || v.Op == ir.OpLe:
		if a, b := v.Args[0], v.Args[1]; a.Type.Kind == ir.Exact {
			indexed := len(ir.FreeVars(a, b)) > 0
			f.part(a, span, indexed)
			f.part(b, span, indexed)
			return
		}
	}
	for _, a := range v.Args {
		f.value(a, span)
	}
}

// part looks at the constants of a part of an exact value.
func (f *exactFitter) part(v *ir.Value, span diag.Span, indexed bool) {
	done := f.exact[0]
	if indexed {
		done = f.exact[1]
	}
	if done[v] {
		return
	}
	done[v] = true
	if v.Span.Start.IsValid() {
		span = v.Span
	}
	if v.Op == ir.OpConst {
		f.constant(v, span, indexed)
	}
	for _, a := range v.Args {
		if a.Type.Kind == ir.Exact {
			f.part(a, span, indexed)
		} else {
			f.value(a, span)
		}
	}
}

// maxIndexed bounds constants where index variables are.
var maxIndexed = big.NewInt(1 << 61)

func (f *exactFitter) constant(v *ir.Value, span diag.Span, indexed bool) {
	wrong := ""
	switch c := v.Const; {
	case !c.Denom().IsInt64():
		wrong = "is a fraction whose denominator is out of the range of int64"
	case !c.Num().IsInt64():
		wrong = "is out of the range of int64"
	case indexed && c.Num().CmpAbs(maxIndexed) > 0:
		wrong = "is out of the range of numbers beside index variables, which ends at 2^61"
	default:
		return
	}
	text := f.l.numberText(v, site{span, nil})
	f.l.errorf(site{span, nil}, "number-range", "%s %s", text, wrong).WithHint("exact numbers are computed with int64; cast it, as in %s(%s), to compute with floats", f.float(), strings.Trim(text, "`"))
}

// float is a float dtype to cast to: the first that an input has.
func (f *exactFitter) float() string {
	for _, in := range f.l.root.sig.inputs {
		if e := in.param.Elem; ir.ClassOf(f.l.vars, e) == ir.ClassFloat {
			return e.String()
		}
	}
	return "f64"
}
