package grad

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// conditions puts the conditions of a solved flow in order: where are those that it had, ranges those of the variables that were
// replaced, moved, whose values are m. What stands in a condition may have a value only where those before it hold. So what reads
// nothing stands first, then ranges, behind the conditions that ask for nothing at a variable that was replaced; equations that
// read, or divide, stand last. It isn't ok where a range reads what may not be there, or ties a variable other than the keys by data.
func conditions(where, ranges, equations []*ir.Value, m map[*ir.Var]*ir.Value, moved map[*ir.Var]bool, keys []*ir.Var) (all []*ir.Value, ok bool) {
	inside := map[*ir.Var]*ir.Value{} // what is known to be in the range of a variable when ranges that read are asked for
	for v := range moved {
		if len(ir.Reads(m[v])) == 0 {
			inside[v] = m[v]
		}
	}
	var first, data, last []*ir.Value
	for _, q := range ranges {
		switch {
		case !defined(q, inside):
			return nil, false
		case len(ir.Reads(q)) == 0:
			first = append(first, q)
		case ties(q, keys):
			return nil, false
		default:
			data = append(data, q)
		}
	}
	for _, q := range equations {
		if len(ir.Reads(q)) == 0 && defined(q, inside) {
			first = append(first, q)
		} else {
			last = append(last, q)
		}
	}
	n := slices.IndexFunc(where, func(q *ir.Value) bool { return ir.DependsOn(q, moved) })
	if n < 0 {
		n = len(where)
	}
	where = ir.SubstAll(where, m)
	return slices.Concat(first, where[:n], data, where[n:], last), true
}

// ties tells whether variables other than keys occur in a condition.
func ties(q *ir.Value, keys []*ir.Var) bool {
	for v := range ir.FreeVars(q) {
		if !slices.Contains(keys, v) {
			return true
		}
	}
	return false
}

// defined tells whether a value has a number whatever its variables are, also out of their ranges: what it reads stands at the index
// itself, or at what is inside of the range of a variable, and nothing is divided by what may be zero at some point, or made exact
// that may not be.
func defined(v *ir.Value, inside map[*ir.Var]*ir.Value) bool {
	within := func(e *ir.Value, a *ir.Axis) bool {
		if e.Op == ir.OpIndex && e.Var.Axis == a {
			return true
		}
		for w, x := range inside {
			if w.Axis == a && ir.Equal(e, x) {
				return true
			}
		}
		return false
	}
	ok := true
	ir.Walk(v, func(v *ir.Value) bool {
		switch v.Op {
		case ir.OpRead:
			for k, e := range v.Args {
				ok = ok && within(e, v.Tensor.Axes[k])
			}
		case ir.OpDiv, ir.OpMod, ir.OpRem, ir.OpPow:
			by := v.Args[1]
			ok = ok && len(ir.FreeVars(by)) == 0 && len(ir.Reads(by)) == 0
		case ir.OpCast:
			ok = ok && !(v.Type.Kind == ir.Exact && v.Args[0].Type.Kind == ir.Real)
		}
		return ok
	})
	return ok
}

// callFirst puts the conditions that are the same for the whole call before those that ask for more: for what may not be there where
// an axis has no points.
func callFirst(where []*ir.Value) []*ir.Value {
	var call, rest []*ir.Value
	for _, q := range where {
		if ir.OfCall(q) && defined(q, nil) {
			call = append(call, q)
		} else {
			rest = append(rest, q)
		}
	}
	return append(call, rest...)
}
