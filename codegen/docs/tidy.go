package docs

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// Derivatives are tidied for readers: conditions that are known where they stand are dropped, a choice within a choice is one, and a factor that
// isn't 0 is cancelled in quotients. So values stay what they are as real numbers.

// tidy is a definition as it is shown.
func tidy(d *ir.Def) *ir.Def {
	t := &tidier{left: 20_000}
	n := *d
	var list []told
	n.Where = nil
	for _, c := range d.Where {
		c = t.value(c, list)
		list = also(list, c, true)
		if c.Op != ir.OpTrue {
			n.Where = append(n.Where, c)
		}
	}
	n.Body = t.value(d.Body, list)
	if t.left < 0 {
		return d // too large for readers, too
	}
	return &n
}

type tidier struct{ left int } // steps

// told is a condition that holds, or doesn't.
type told struct {
	c     *ir.Value
	holds bool
}

// also is what is known where a condition holds, or doesn't, too.
func also(list []told, c *ir.Value, holds bool) []told {
	switch {
	case c.Op == ir.OpNot:
		return also(list, c.Args[0], !holds)
	case c.Op == ir.OpAnd && holds, c.Op == ir.OpOr && !holds:
		for _, a := range c.Args {
			list = also(list, a, holds)
		}
		return list
	}
	return append(slices.Clip(list), told{c, holds})
}

// value is a value where something is known.
func (t *tidier) value(v *ir.Value, k []told) *ir.Value {
	if t.left--; t.left < 0 || len(v.Args) == 0 || v.Op == ir.OpRead {
		return v
	}
	switch v.Op {
	case ir.OpSelect:
		return t.choice(v, k)
	case ir.OpAnd, ir.OpOr:
		var parts []*ir.Value
		for _, a := range v.Args {
			a = t.value(a, k)
			k = also(k, a, v.Op == ir.OpAnd)
			parts = append(parts, a)
		}
		if v.Op == ir.OpAnd {
			return ir.And(parts...)
		}
		return ir.Or(parts...)
	}
	args := make([]*ir.Value, len(v.Args))
	for i, a := range v.Args {
		args[i] = t.value(a, k)
	}
	w := ir.WithArgs(v, args)
	switch {
	case v.Type.Kind == ir.Bool && v.Op == ir.OpNot:
		return ir.Not(args[0])
	case v.Type.Kind == ir.Bool:
		if holds, ok := decide(w, k); ok && holds {
			return ir.True
		} else if ok {
			return ir.False
		}
	case v.Op == ir.OpDiv && notZero(args[1], k):
		if x := without(args[0], args[1]); x != nil {
			return x
		}
	case v.Op == ir.OpAdd && zero(args[0]) && args[1].Type == v.Type:
		return args[1]
	case (v.Op == ir.OpAdd || v.Op == ir.OpSub) && zero(args[1]) && args[0].Type == v.Type:
		return args[0]
	}
	return w
}

// choice is a select.
func (t *tidier) choice(v *ir.Value, k []told) *ir.Value {
	c := t.value(v.Args[0], k)
	switch c.Op {
	case ir.OpTrue:
		return t.value(v.Args[1], k)
	case ir.OpFalse:
		return t.value(v.Args[2], k)
	}
	yes, no := t.value(v.Args[1], also(k, c, true)), t.value(v.Args[2], also(k, c, false))
	switch {
	case ir.Equal(yes, no):
		return yes
	case zero(no) && zero(t.value(yes, also(k, c, false))): // it is 0 by itself where the condition doesn't hold
		return yes
	case yes.Op == ir.OpSelect && ir.Equal(yes.Args[2], no):
		return ir.WithArgs(v, []*ir.Value{ir.And(c, yes.Args[0]), yes.Args[1], no})
	case yes.Op == ir.OpSelect && ir.Equal(yes.Args[1], no):
		return ir.WithArgs(v, []*ir.Value{ir.And(c, ir.Not(yes.Args[0])), yes.Args[2], no})
	}
	return ir.WithArgs(v, []*ir.Value{c, yes, no})
}

func zero(v *ir.Value) bool {
	return ir.IsConst(v, 0) || (v.Op == ir.OpCast || v.Op == ir.OpNeg) && zero(v.Args[0])
}

// notZero tells whether a number is known not to be 0.
func notZero(x *ir.Value, list []told) bool {
	return slices.ContainsFunc(list, func(k told) bool {
		if len(k.c.Args) != 2 || !(ir.Equal(k.c.Args[0], x) && zero(k.c.Args[1]) || ir.Equal(k.c.Args[1], x) && zero(k.c.Args[0])) {
			return false
		}
		return k.c.Op == ir.OpLt && k.holds || k.c.Op == ir.OpEq && !k.holds || k.c.Op == ir.OpNe && k.holds
	})
}

// without is a product without one of its factors; nil where it isn't one of them.
func without(v, x *ir.Value) *ir.Value {
	switch v.Op {
	case ir.OpNeg:
		if r := without(v.Args[0], x); r != nil {
			return ir.WithArgs(v, []*ir.Value{r})
		}
	case ir.OpMul:
		for i, a := range v.Args {
			other := v.Args[1-i]
			if ir.Equal(a, x) && other.Type == v.Type {
				return other
			}
			if r := without(a, x); r != nil {
				return ir.WithArgs(v, []*ir.Value{r, other})
			}
		}
	}
	return nil
}

// decide is the truth of a condition that follows from what is known.
func decide(c *ir.Value, list []told) (holds, ok bool) {
	for _, k := range list {
		if ir.Equal(k.c, c) {
			return k.holds, true
		}
		if !k.holds {
			continue
		}
		compares := k.c.Op == ir.OpLt || k.c.Op == ir.OpLe || k.c.Op == ir.OpEq
		if !compares {
			continue
		}
		a, b := k.c.Args[0], k.c.Args[1]
		if c.Op == ir.OpIsNaN && (ir.Equal(c.Args[0], a) || ir.Equal(c.Args[0], b)) {
			return false, true
		}
		if c.Op != ir.OpLt && c.Op != ir.OpLe && c.Op != ir.OpEq {
			continue
		}
		same := ir.Equal(c.Args[0], a) && ir.Equal(c.Args[1], b)
		swapped := ir.Equal(c.Args[0], b) && ir.Equal(c.Args[1], a)
		switch {
		case !same && !swapped:
		case k.c.Op == ir.OpEq:
			return c.Op != ir.OpLt, true
		case k.c.Op == ir.OpLt && (c.Op == ir.OpEq || swapped):
			return false, true
		case k.c.Op == ir.OpLt, k.c.Op == ir.OpLe && swapped && c.Op == ir.OpLt:
			return same, true
		}
	}
	if (c.Op == ir.OpLt || c.Op == ir.OpLe) && c.Args[0].Type.Kind == ir.Exact && c.Args[1].Type.Kind == ir.Exact {
		least, ok := atLeast(ir.Sub(c.Args[1], c.Args[0]))
		if ok && (least > 0 || least == 0 && c.Op == ir.OpLe) {
			return true, true
		}
	}
	return false, false
}

// atLeast is a whole number that a value is never below: indices and extents are not below 0, and an index is below its extent.
func atLeast(v *ir.Value) (least int64, ok bool) {
	ok = true
	vars, extents := map[*ir.Var]int64{}, map[*ir.Axis]int64{}
	var add func(v *ir.Value, sign int64)
	add = func(v *ir.Value, sign int64) {
		switch v.Op {
		case ir.OpConst:
			if !v.Const.IsInt() || v.Const.Num().BitLen() > 32 {
				ok = false
				return
			}
			least += sign * v.Const.Num().Int64()
		case ir.OpAdd:
			add(v.Args[0], sign)
			add(v.Args[1], sign)
		case ir.OpSub:
			add(v.Args[0], sign)
			add(v.Args[1], -sign)
		case ir.OpNeg:
			add(v.Args[0], -sign)
		case ir.OpIndex:
			vars[v.Var] += sign
		case ir.OpExtent:
			extents[v.Axis] += sign
		default:
			ok = false
		}
	}
	add(v, 1)
	for v, n := range vars {
		switch {
		case n < 0 && v.Axis != nil: // -v is at least 1 - extent
			extents[v.Axis] += n
			least -= n
		case n < 0, n > 0 && v.Axis == nil && !ir.IsConst(v.Lo, 0):
			ok = false
		}
	}
	for _, n := range extents {
		ok = ok && n >= 0
	}
	return least, ok
}
