package check

import (
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
)

// constantsFit reports constants that an element type can't hold: that are infinite in it, or 0 where they aren't, or beyond the
// range of its integers. It is an error where no dtype that the type may be holds one, which it tells, else a warning.
func (l *lowering) constantsFit(at site, v *ir.Value, e ir.Elem) bool {
	switch {
	case v.Type.Kind != ir.Exact:
		return true
	case v.Op == ir.OpSelect:
		return l.constantsFit(at, v.Args[1], e) && l.constantsFit(at, v.Args[2], e)
	case v.Const == nil:
		return true
	}
	var not []string
	why := ""
	all := l.dtypesOf(ir.Elem{Wrap: "acc", Name: e.Name}) // halves compute in f32
	if e.Wrap == "sum" {
		all = l.dtypesOf(e)
	}
	for _, d := range all {
		if w := misfit(v.Const, d); w != "" && !slices.Contains(not, d) {
			not, why = append(not, d), w
		}
	}
	if len(not) == 0 {
		return true
	}
	// Written as a number of the least precision: 1e39, not its digits.
	text := new(big.Float).SetRat(v.Const).Text('g', 6)
	where := strings.Join(not, ", ")
	if slices.ContainsFunc(all, func(d string) bool { return !slices.Contains(not, d) }) {
		l.warnf(at, "number-range", "%s %s %s", text, why, where).WithHint("write a number that %s can hold whatever it is", l.elemText(e))
		return true
	}
	l.errorf(at, "number-range", "%s %s %s", text, why, where).Hint = mended[why]
	return false
}

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
	switch {
	case dtype != "f32" && dtype != "f64":
	case math.IsInf(x, 0):
		return infinite
	case x == 0 && r.Sign() != 0:
		return vanished
	}
	return ""
}
