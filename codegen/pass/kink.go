package pass

import "github.com/opgen/opgen/codegen/ir"

// Kink lets the sign in a derivative, that of an absolute value, select: at the kink it is 0, and what it would be multiplied with, which may
// be infinite, isn't asked. It comes when products are in their last order, since an absorbing product stays as it is. Conditions, which
// ask for values of the op itself, stay as they are.
func Kink(f *ir.Func) *ir.Func {
	return eachDef(f, func(d *ir.Def) *ir.Def {
		if !d.Derived {
			return d
		}
		body := selecting(d.Body, map[*ir.Value]*ir.Value{})
		if body == d.Body {
			return d
		}
		n := *d
		n.Body = body
		return &n
	})
}

// selects tells whether a value is a product that a sign selects.
func selects(v *ir.Value) bool { return v.Op == ir.OpAbsorb && v.Args[0].Op == ir.OpSign }

// selecting is a value with products that a sign selects; memo are those that were rewritten before.
func selecting(v *ir.Value, memo map[*ir.Value]*ir.Value) *ir.Value {
	if v.Type.Kind != ir.Typed || v.Op == ir.OpRead {
		return v
	}
	if r, ok := memo[v]; ok {
		return r
	}
	args := make([]*ir.Value, len(v.Args))
	for i, a := range v.Args {
		args[i] = selecting(a, memo)
	}
	r := ir.WithArgs(v, args)
	switch v.Op {
	case ir.OpMul:
		for i, a := range args {
			if a.Op == ir.OpSign {
				r = ir.Call(ir.OpAbsorb, a, args[1-i])
				break
			}
		}
	case ir.OpDiv:
		if a := args[0]; selects(a) {
			r = ir.Call(ir.OpAbsorb, a.Args[0], ir.WithArgs(v, []*ir.Value{a.Args[1], args[1]}))
		}
	}
	memo[v] = r
	return r
}
