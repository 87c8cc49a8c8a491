package ir

import (
	"fmt"
	"math"
	"slices"

	"github.com/opgen/opgen/dsl/diag"
	"github.com/opgen/opgen/internal/interval"
)

// Exact numbers are computed with int64, which hold what formulas usually make of attributes, extents and indices, but not all. What
// a call computes without data is bounded before it begins: see Fits. What data are part of is tested where it is computed.

// MaxPoints bounds the extents of axes and the lengths of ranges that are none: a tensor has at most as many elements.
const MaxPoints = 1 << 44

// indexBits bounds numbers that index variables are part of, and those that they are compared with: the rest of the range of int64 is
// left to the bounds of loops that follow from them.
const indexBits = 61

// Fit is a bound that must hold for a call: int64 hold an exact value, and all that is computed on the way to it, for all indices in the
// ranges of its variables, or, where Range is set, that variable has at most MaxPoints values.
type Fit struct {
	Value *Value
	Range *Var
	Index bool     // index variables are part of it, or it is compared with them
	If    []*Value // conditions of the call without which it isn't computed
	Span  diag.Span
}

// Message says what is wrong where the bound doesn't hold.
func (f Fit) Message() string {
	if f.Range != nil {
		return "the range " + rangeText(f.Range) + " has more than 2^44 numbers"
	}
	return Overflow(f.Value)
}

// Overflow is the message of an exact value that int64 don't hold.
func Overflow(v *Value) string { return v.Words() + " is out of the range of int64" }

// OverflowOf is the message of a sum or a product of exact values that int64 don't hold.
func OverflowOf(d *Def) string {
	return fmt.Sprintf("a %s of %s is out of the range of int64", d.Monoid.word(), d.Body.Words())
}

func (m Monoid) word() string {
	if m == Prod {
		return "product"
	}
	return "sum"
}

// SumHolds tells whether int64 are known to hold a sum of exact values, in any call.
func (l *Leaves) SumHolds(d *Def) bool {
	if d.Monoid != Sum || d.Body.Op != OpCast || d.Body.Args[0].Type.Kind != Exact || !d.IsPlain() {
		return false
	}
	points := Int(1)
	n := interval.Of(1)
	for _, v := range d.Reduced() {
		if v.Axis == nil {
			n = n.Mul(interval.Between(0, MaxPoints))
		} else {
			points = Mul(points, Extent(v.Axis))
		}
	}
	return l.Of(d.Body.Args[0]).Mul(n).Mul(l.Of(points)).Holds()
}

func rangeText(v *Var) string { return v.Lo.Words() + ".." + v.Hi.Words() }

// Bits are those of the greatest magnitude, without a sign: an interval of the value, or of the number of points, must lie inside.
func (f Fit) Bits() int {
	switch {
	case f.Range != nil:
		return 44
	case f.Index:
		return indexBits
	}
	return 63
}

// Fits are the bounds of the exact values that f computes without data which aren't known to hold, but for those of extents and of
// requirements without data.
func Fits(f *Func) []Fit {
	c := &fitter{known: map[string]bool{}, always: Always(f, nil)}
	c.list = append(c.list, f.Bounded...)
	root := &path{}
	for _, r := range f.Requires {
		if len(Reads(r.Cond)) > 0 {
			c.span = r.Span
			c.value(r.Cond, root)
		}
	}
	for _, d := range Live(f) {
		c.def(d, root)
	}
	return c.list
}

// FitsOf are the bounds of the exact values of a condition, or of an extent of f.
func FitsOf(f *Func, v *Value, span diag.Span) []Fit {
	c := &fitter{known: map[string]bool{}, span: span, always: Always(f, nil)}
	c.value(v, &path{})
	return c.list
}

// fitter finds bounds.
type fitter struct {
	list   []Fit
	known  map[string]bool
	always *Leaves
	span   diag.Span
}

// path is the conditions of the call under which values are computed, and the values that were seen under them.
type path struct {
	conds []*Value
	seen  visited
}

func (c *fitter) def(d *Def, at *path) {
	c.span = d.Span
	for _, v := range d.Vars {
		if v.Axis != nil {
			continue
		}
		c.value(v.Lo, at)
		c.value(v.Hi, at)
		if !HasData(v.Lo) && !HasData(v.Hi) {
			c.add(Fit{Range: v, Span: c.span})
		}
	}
	for _, w := range d.Where {
		c.value(w, at)
		at = at.under(w, true)
	}
	for _, e := range d.Dest {
		c.value(e, at)
	}
	c.value(d.Body, at)
}

// value finds the bounds of what v computes under the conditions of a path.
func (c *fitter) value(v *Value, at *path) {
	switch {
	case len(v.Args) == 0 || !at.seen.add(v): // nothing is computed, or nothing else
		return
	case v.Type.Kind == Exact && !HasData(v):
		c.exact(v, at)
		return
	case v.Op == OpCast && v.Args[0].Type.Kind == Exact && HasPower(v.Args[0]):
		return // computed with floats
	case v.Op == OpAnd || v.Op == OpOr:
		for _, a := range v.Args {
			c.value(a, at)
			at = at.under(a, v.Op == OpAnd)
		}
		return
	case v.Op == OpSelect:
		c.value(v.Args[0], at)
		c.value(v.Args[1], at.under(v.Args[0], true))
		c.value(v.Args[2], at.under(v.Args[0], false))
		return
	case v.Op == OpEq || v.Op == OpNe || v.Op == OpLt || v.Op == OpLe:
		c.compared(v, at)
	}
	for _, a := range v.Args {
		c.value(a, at)
	}
}

// compared finds the bounds of a comparison itself: quotients meet over one denominator, and from the comparison of indices with a
// number follow bounds of loops.
func (c *fitter) compared(v *Value, at *path) {
	a, b := exactOf(v.Args[0]), exactOf(v.Args[1])
	switch {
	case a.Type.Kind != Exact || b.Type.Kind != Exact || HasData(a) || HasData(b):
	case !IsWhole(a) || !IsWhole(b):
		c.exact(&Value{Op: OpSub, Type: ExactType, Args: []*Value{a, b}}, at)
	case len(FreeVars(a)) > 0:
		c.add(Fit{Value: b, Index: true, If: at.conds, Span: c.span})
	case len(FreeVars(b)) > 0:
		c.add(Fit{Value: a, Index: true, If: at.conds, Span: c.span})
	}
}

// exactOf is the exact value that was cast to an integer, or the value itself.
func exactOf(v *Value) *Value {
	if v.Op == OpCast && v.Args[0].Type.Kind == Exact && !HasPower(v.Args[0]) {
		return v.Args[0]
	}
	return v
}

// under is the path with one more condition that holds, or doesn't, if the call decides it.
func (p *path) under(cond *Value, holds bool) *path {
	if !OfCall(cond) {
		return p
	}
	if !holds {
		cond = Not(cond)
	}
	return &path{conds: append(slices.Clip(p.conds), cond)}
}

// maxArms bounds the choices of a value that are told apart: of one with more, all sides count.
const maxArms = 8

// exact adds the bound of an exact value: one for each side of its choices, since those that aren't taken aren't computed.
func (c *fitter) exact(v *Value, at *path) {
	arms := 0
	var choice *Value
	Walk(v, func(v *Value) bool {
		if v.Op == OpSelect {
			c.value(v.Args[0], at)
			if OfCall(v.Args[0]) {
				arms++
				choice = v
			}
		}
		return true
	})
	if choice == nil || arms > maxArms {
		if len(v.Args) > 0 { // else nothing is computed
			c.add(Fit{Value: v, Index: len(FreeVars(v)) > 0, If: at.conds, Span: c.span})
		}
		return
	}
	for i, holds := range []bool{true, false} {
		side := Map(v, func(v *Value) *Value {
			if v.Op == OpSelect && Equal(v.Args[0], choice.Args[0]) {
				return v.Args[i+1]
			}
			return v
		})
		c.exact(side, at.under(choice.Args[0], holds))
	}
}

// add notes a bound that isn't known to hold.
func (c *fitter) add(f Fit) {
	key := fmt.Sprint(f.Index, f.Value) // not in words, in which values that differ may read the same
	if f.Range != nil {
		key = f.Range.Lo.String() + ".." + f.Range.Hi.String()
	}
	for _, w := range f.If {
		key += "\n" + w.String()
	}
	if c.known[key] {
		return
	}
	c.known[key] = true
	if !f.Interval(c.always).Inside(f.Bits()) {
		c.list = append(c.list, f)
	}
}

// HasData tells whether data are part of an exact value: elements of tensors, random numbers, what is rounded of floats, and indices of
// ranges whose ends are data.
func HasData(v *Value) bool {
	found := false
	Walk(v, func(v *Value) bool {
		switch v.Op {
		case OpRead, OpUniform, OpNormal, OpPresent:
			found = true
		case OpCast:
			found = found || v.Type.Kind == Exact && v.Args[0].Type.Kind != Bool
		case OpIndex:
			found = found || v.Var.Axis == nil && (HasData(v.Var.Lo) || HasData(v.Var.Hi))
		}
		return !found
	})
	return found
}

// HasPower tells whether an exact value has a power in it, but for that of a whole number with an exponent that is written. These soon exceed
// an int64: where they become floats they are computed with floats.
func HasPower(v *Value) bool {
	found := false
	Walk(v, func(v *Value) bool {
		found = found || v.Op == OpPow && v.Type.Kind == Exact && (!IsWhole(v.Args[0]) || v.Args[1].Op != OpConst)
		whole := Facts[v.Op].Rule == RuleWhole || v.Op == OpMod || v.Op == OpRem || v.Op == OpSign // which needs the exact value
		return !found && v.Type.Kind == Exact && !whole
	})
	return found
}

// Interval bounds exact values.
type Interval = interval.Interval

// Leaves are what intervals of exact values are made of.
type Leaves struct {
	Scalar func(v *Value) Interval // an attribute, or the step
	Extent func(a *Axis) Interval
	Data   func(v *Value) Interval // what is cast to an exact value
	// Product is an interval of a product, if one is known better than that of the intervals of its factors.
	Product func(v *Value) (Interval, bool)
	// Tested tells whether values that int64 don't hold are errors where they are computed: what is computed of them then is in that range.
	Tested bool
}

// Interval is one of the value, or of the number of points of the range.
func (f Fit) Interval(l *Leaves) Interval {
	if f.Range != nil {
		return l.Of(f.Range.Lo).Width(l.Of(f.Range.Hi))
	}
	return l.Of(f.Value)
}

// Of is an interval of an exact value.
func (l *Leaves) Of(v *Value) Interval {
	r := l.of(v)
	if l.Tested && !r.Holds() {
		return l.tested(v)
	}
	return r
}

// tested is what int64 hold.
func (l *Leaves) tested(v *Value) Interval {
	r := interval.Between(math.MinInt64, math.MaxInt64)
	if !IsWhole(v) {
		r = interval.Of(1).Div(interval.Between(1, math.MaxInt64)).Or(r)
	}
	return r
}

func (l *Leaves) of(v *Value) Interval {
	switch v.Op {
	case OpConst:
		if !v.Const.Num().IsInt64() || !v.Const.Denom().IsInt64() {
			return interval.Unknown()
		}
		return interval.Ratio(v.Const.Num().Int64(), v.Const.Denom().Int64())
	case OpScalar:
		return l.Scalar(v)
	case OpExtent:
		return l.Extent(v.Axis)
	case OpIndex:
		if v.Var.Axis != nil {
			return l.Extent(v.Var.Axis).Indices()
		}
		return l.Of(v.Var.Lo).Until(l.Of(v.Var.Hi))
	case OpCast:
		if v.Args[0].Type.Kind == Bool {
			return interval.Between(0, 1)
		}
		return l.Data(v.Args[0])
	case OpSelect:
		return l.Of(v.Args[1]).Or(l.Of(v.Args[2]))
	case OpMul:
		if l.Product != nil {
			if r, ok := l.Product(v); ok {
				return r
			}
		}
	}
	var a [3]Interval
	for i, x := range v.Args {
		a[i] = l.Of(x)
	}
	if f := IntervalOps[v.Op]; f.Of != nil {
		return f.Of(a[0], a[1], a[2])
	}
	return interval.Unknown()
}

// IntervalOp is an op of exact values on intervals.
type IntervalOp struct {
	Name string // the method of an interval
	Of   func(a, b, c Interval) Interval
}

func unary(name string, f func(Interval) Interval) IntervalOp {
	return IntervalOp{name, func(a, _, _ Interval) Interval { return f(a) }}
}

func binary(name string, f func(a, b Interval) Interval) IntervalOp {
	return IntervalOp{name, func(a, b, _ Interval) Interval { return f(a, b) }}
}

// IntervalOps are those that there are.
var IntervalOps = map[Op]IntervalOp{
	OpNeg: unary("Neg", Interval.Neg), OpAbs: unary("Abs", Interval.Abs), OpSign: unary("Sign", Interval.Sign),
	OpFloor: unary("Floor", Interval.Floor), OpCeil: unary("Ceil", Interval.Ceil),
	OpTrunc: unary("Round", Interval.Round), OpRound: unary("Round", Interval.Round),
	OpAdd: binary("Add", Interval.Add), OpSub: binary("Sub", Interval.Sub), OpMul: binary("Mul", Interval.Mul),
	OpDiv: binary("Div", Interval.Div), OpMod: binary("Mod", Interval.Mod), OpRem: binary("Mod", Interval.Mod),
	OpPow: binary("Pow", Interval.Pow), OpMax: binary("Max", Interval.Max), OpMin: binary("Min", Interval.Min),
	OpFma: {"Fma", Interval.Fma},
}

// Always are the leaves of any call of f. An element of data is in the range of its dtype, which dtypes gives of variables, or
// what a definition of f makes it.
func Always(f *Func, dtypes map[string]string) *Leaves {
	l := &Leaves{
		Scalar: func(v *Value) Interval {
			if v.Name == "step" && !slices.ContainsFunc(f.Scalars, func(s *Scalar) bool { return s.Name == "step" }) {
				return interval.Between(1, MaxPoints)
			}
			return interval.Between(math.MinInt64, math.MaxInt64)
		},
		Extent:  func(*Axis) Interval { return interval.Between(0, MaxPoints) },
		Product: f.volume,
	}
	busy := map[*Tensor]bool{} // a definition may read itself
	l.Data = func(v *Value) Interval {
		if v.Op == OpRead && !busy[v.Tensor] {
			busy[v.Tensor] = true
			defer delete(busy, v.Tensor)
			if r := l.element(f, v.Tensor); r.Holds() {
				return r
			}
		}
		if v.Type.Kind == Typed {
			if lo, hi, ok := IntRange(v.Type.Elem.Resolve(dtypes)); ok && hi.Num().IsInt64() {
				return interval.Between(lo.Num().Int64(), hi.Num().Int64())
			}
		}
		return interval.Between(math.MinInt64, math.MaxInt64)
	}
	return l
}

// element is an interval of the elements of a tensor that is defined by exact values.
func (l *Leaves) element(f *Func, t *Tensor) Interval {
	i := slices.IndexFunc(f.Defs, func(d *Def) bool { return d.Target == t })
	if i < 0 {
		return interval.Unknown()
	}
	d := f.Defs[i]
	if d.Body.Op != OpCast || d.Body.Args[0].Type.Kind != Exact || t.Elem != (Elem{Name: "i64"}) || d.Monoid != Assign && d.Monoid != Max && d.Monoid != Min {
		return interval.Unknown()
	}
	return l.Of(d.Body.Args[0])
}

// volume is an interval of a product of extents of one tensor.
func (f *Func) volume(v *Value) (Interval, bool) {
	axes, ok := extentsOf(v, nil)
	if !ok {
		return Interval{}, false
	}
	holds := func(t *Tensor) bool {
		return !slices.ContainsFunc(axes, func(a *Axis) bool { return !slices.Contains(t.Axes, a) })
	}
	return interval.Between(0, MaxPoints), slices.ContainsFunc(f.Inputs, holds) || slices.ContainsFunc(f.Outputs, holds)
}

// extentsOf are the axes of a product of different extents.
func extentsOf(v *Value, axes []*Axis) ([]*Axis, bool) {
	switch v.Op {
	case OpExtent:
		return append(axes, v.Axis), !slices.Contains(axes, v.Axis)
	case OpMul:
		axes, ok := extentsOf(v.Args[0], axes)
		if !ok {
			return nil, false
		}
		return extentsOf(v.Args[1], axes)
	}
	return nil, false
}
