package grad

import (
	"math/big"

	"github.com/opgen/opgen/codegen/ir"
)

// scanned writes running products, y[t] = Π body(s) for s in lo..=t, as recurrences: y[t] = y[t-1]·body(t). The derivative
// of a recurrence runs back along t and never divides, and it costs a step an element instead of a product each.
func scanned(f *ir.Func) *ir.Func {
	f = ir.Uncarried(f)
	var defs []*ir.Def
	group := max(lastGroup(f.Defs), lastGroup(f.Given))
	for i, d := range f.Defs {
		s := scan(d, group+1)
		if s == nil {
			continue
		}
		if defs == nil {
			defs = append(defs, f.Defs...)
		}
		group++
		defs[i] = s
	}
	if defs == nil {
		return f
	}
	n := *f
	n.Defs = defs
	return &n
}

// scan is the recurrence of a running product; nil: d isn't one.
func scan(d *ir.Def, group int) *ir.Def {
	reduced := d.Reduced()
	if d.Monoid != ir.Prod || d.Group != 0 || !d.IsPlain() || len(reduced) != 1 || reduced[0].Axis != nil {
		return nil
	}
	s := reduced[0]
	for slot, a := range d.Target.Axes {
		t := d.Dest[slot].Var
		c, shift := ir.LinearIn(s.Hi, t)
		if c == nil || c.Cmp(big.NewRat(1, 1)) != 0 || shift.Const == nil || shift.Const.Cmp(big.NewRat(1, 1)) > 0 || ir.DependsOn(s.Lo, own(d.Vars)) {
			continue
		}
		if on := map[*ir.Var]bool{t: true}; ir.DependsOn(d.Body, on) || anyDepends(d.Where, on) {
			continue
		}
		// The last factor of y[t] stands at t + shift - 1.
		last := less(ir.Index(t), ir.Sub(ir.Int(1), shift))
		m := map[*ir.Var]*ir.Value{s: last}
		before := append([]*ir.Value{}, d.Dest...)
		before[slot] = ir.Sub(ir.Index(t), ir.Int(1))
		one := ir.Cast(ir.Int(1), d.Body.Type)
		y := ir.Select(ir.Call(ir.OpLe, ir.Int(1), ir.Index(t)), ir.Read(d.Target, before...), one)
		factor := ir.And(ir.SubstAll(d.Where, m)...)
		if last.Op != ir.OpIndex || !ir.IsConst(s.Lo, 0) {
			factor = ir.And(factor, ir.Call(ir.OpLe, s.Lo, last))
		}
		n := *d
		n.Vars = nil
		for _, v := range d.Vars {
			if v != s {
				n.Vars = append(n.Vars, v)
			}
		}
		n.Monoid, n.Where = ir.Assign, nil
		n.Body = ir.Mul(y, ir.Select(factor, ir.Subst(d.Body, m), one))
		n.Group, n.Along = group, t
		if t.Axis != a {
			return nil
		}
		return &n
	}
	return nil
}

func own(vars []*ir.Var) map[*ir.Var]bool {
	r := map[*ir.Var]bool{}
	for _, v := range vars {
		r[v] = true
	}
	return r
}

func anyDepends(values []*ir.Value, on map[*ir.Var]bool) bool {
	for _, v := range values {
		if ir.DependsOn(v, on) {
			return true
		}
	}
	return false
}
