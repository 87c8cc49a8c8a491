package check

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl/diag"
)

// constantsFit reports constants that an element type can't hold: that are infinite in it, or 0 where they aren't, or beyond the
// range of its integers. It is an error where no dtype that the type may be holds one, which it tells, else a warning.
func (l *lowering) constantsFit(at site, v *ir.Value, e ir.Elem) bool {
	computed := ir.Elem{Wrap: "acc", Name: e.Name} // halves compute in f32
	if e.Wrap == "sum" {
		computed = e
	}
	return l.constantsFitIn(at, v, e, l.dtypesOf(computed))
}

// storedFits is constantsFit for the dtypes that a value is rounded to when it is stored, which are narrower than those that it is computed in.
func (l *lowering) storedFits(at site, v *ir.Value, e ir.Elem) bool {
	all := l.dtypesOf(e)
	if !slices.Contains(all, "f16") && !slices.Contains(all, "bf16") {
		return true
	}
	return l.constantsFitIn(at, v, e, all)
}

func (l *lowering) constantsFitIn(at site, v *ir.Value, e ir.Elem, all []string) bool {
	switch {
	case v.Op == ir.OpSelect:
		a, b := l.constantsFitIn(at, v.Args[1], e, all), l.constantsFitIn(at, v.Args[2], e, all)
		return a && b
	case v.Op == ir.OpCast && v.Args[0].Op == ir.OpConst:
		v = v.Args[0]
	}
	if v.Op != ir.OpConst {
		return true
	}
	if v.Span.Start.IsValid() {
		at.span = v.Span
	}
	m := misfitOf(v.Const, all)
	if d := m.report(l.rep, at.span, l.numberText(v, at), l.elemText(e)); d != nil {
		noted(d, at)
	}
	return !m.always
}

// misfits are the dtypes that don't hold a number.
type misfits struct {
	number *big.Rat
	not    []string
	why    string
	always bool // none of the dtypes in question holds it
}

// misfitOf finds the dtypes of a list that don't hold a number.
func misfitOf(c *big.Rat, all []string) misfits {
	m := misfits{number: c}
	for _, d := range all {
		if w := misfit(c, d); w != "" && !slices.Contains(m.not, d) {
			m.not, m.why = append(m.not, d), w
		}
	}
	m.always = len(m.not) > 0 && !slices.ContainsFunc(all, func(d string) bool { return !slices.Contains(m.not, d) })
	return m
}

// report says so of a number that is written as text; nil: there is nothing to say.
func (m misfits) report(rep *reporter, at diag.Span, text, elem string) *diag.Diagnostic {
	where := strings.Join(m.not, ", ")
	switch {
	case len(m.not) == 0:
		return nil
	case !m.always:
		return rep.warnf(at, "number-range", "%s %s %s", text, m.why, where).WithHint("write a number that %s can hold whatever it is", elem)
	}
	return rep.errorf(at, "number-range", "%s %s %s", text, m.why, where).WithHint("%s", m.hint())
}

// hint says what the dtypes hold, and what to write.
func (m misfits) hint() string {
	holds := ""
	if len(m.not) == 1 {
		holds = m.holds(m.not[0]) + "; "
	}
	switch {
	case slices.Contains(m.not, "bool"):
		return m.holds("bool")
	case m.why != beyond:
	case m.number.Sign() < 0 && strings.HasPrefix(m.not[0], "u"):
		return holds + "cast to a signed dtype"
	case slices.ContainsFunc(m.not, func(d string) bool { return strings.HasSuffix(d, "64") }):
		return holds + "cast to a float"
	}
	return holds + mended[m.why]
}

// holds says which numbers a dtype has instead.
func (m misfits) holds(dtype string) string {
	switch lo, hi, _ := ir.IntRange(dtype); m.why {
	case beyond:
		if dtype == "bool" {
			return "bool holds true and false"
		}
		return dtype + " holds " + lo.RatString() + " to " + hi.RatString()
	case vanished:
		return fmt.Sprintf("the smallest positive number of %s is %.3g", dtype, tiny[dtype])
	}
	most, _ := ir.LimitOf(ir.OpHighest, dtype)
	return fmt.Sprintf("%s holds numbers up to %.5g", dtype, most)
}

// tiny are the smallest positive numbers of floats.
var tiny = map[string]float64{"f16": 0x1p-24, "bf16": 0x1p-133, "f32": math.SmallestNonzeroFloat32, "f64": math.SmallestNonzeroFloat64}

// Why a dtype doesn't hold a number.
const (
	beyond   = "is out of the range of"
	infinite = "is infinite in"
	vanished = "is 0 in"
)

// mended are hints.
var mended = map[string]string{
	beyond:   "cast to a wider dtype",
	infinite: "write inf if you mean it, or use a wider dtype",
	vanished: "write 0 if you mean it, or scale by other numbers",
}

// misfit says why a dtype doesn't hold a number; "": it does, but for rounding.
func misfit(r *big.Rat, dtype string) string {
	lo, hi, isInt := ir.IntRange(dtype)
	if isInt {
		if r.Cmp(lo) < 0 || r.Cmp(hi) > 0 {
			return beyond
		}
		return ""
	}
	x, _ := r.Float64()
	if dtype == "f32" {
		y, _ := r.Float32()
		x = float64(y)
	}
	x = ir.Rounded(dtype, x)
	switch {
	case dtype == "bool" && r.Cmp(new(big.Rat)) != 0 && r.Cmp(big.NewRat(1, 1)) != 0:
		return beyond
	case dtype == "bool":
	case math.IsInf(x, 0):
		return infinite
	case x == 0 && r.Sign() != 0:
		return vanished
	}
	return ""
}

// numberText is a constant as it is written, or its value where the text says something else.
func (l *lowering) numberText(v *ir.Value, at site) string {
	text := l.op.in.textOf(v.Span)
	if at.env != nil && text == "" {
		text = at.env.in.textOf(v.Span)
	}
	return numberText(v.Const, text)
}

// numberText is a number in a message: as written, if it is written with signs and digits alone.
func numberText(c *big.Rat, text string) string {
	const most = 40
	switch {
	case text == "" || len(text) > most || strings.Trim(text, "0123456789.eE+-*/^() ") != "":
		if digits := c.RatString(); c.IsInt() && len(digits) <= 20 {
			return digits
		}
		return new(big.Float).SetRat(c).Text('g', 6)
	case strings.ContainsAny(text[1:], "*/^() "):
		return quote(text)
	}
	return text
}
