package randspec_test

import (
	"fmt"
	"math"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// probed is a function with a total, over all points of its definitions, of what probe makes of each value on their way: a number, or nil.
// Values in branches that aren't taken count nothing. Definitions that run in order are left out.
func probed(f *ir.Func, probe func(v *ir.Value) *ir.Value) *ir.Func {
	g := *f
	g.Defs, g.Outputs = nil, slices.Clone(f.Outputs)
	for _, d := range f.Defs {
		if d.Group == 0 {
			w := &parts{seen: map[part]bool{}}
			w.walk(d.Body, ir.True)
			for _, p := range w.list {
				if n := probe(p.v); n != nil {
					n = ir.Select(p.path, ir.Cast(n, ir.ElemType(ir.Elem{Name: "f64"})), ir.Int(0))
					t := &ir.Tensor{Name: fmt.Sprintf("part %d", len(g.Defs)), Role: ir.Output, Elem: n.Type.Elem, Axes: []*ir.Axis{}}
					g.Outputs = append(g.Outputs, t)
					g.Defs = append(g.Defs, (&ir.Def{Vars: d.Vars, Where: d.Where, Monoid: ir.Sum, Body: n}).Copy(t))
				}
			}
		}
		g.Defs = append(g.Defs, d)
	}
	return &g
}

// part is a value, and the condition under which it is asked for.
type part struct{ v, path *ir.Value }

// parts are the values that a value is made of.
type parts struct {
	list []part
	seen map[part]bool
}

func (w *parts) walk(v, path *ir.Value) {
	p := part{v, path}
	if w.seen[p] {
		return
	}
	w.seen[p] = true
	w.list = append(w.list, p)
	switch v.Op {
	case ir.OpSelect:
		w.walk(v.Args[0], path)
		w.walk(v.Args[1], ir.And(path, v.Args[0]))
		w.walk(v.Args[2], ir.And(path, ir.Not(v.Args[0])))
	case ir.OpAnd, ir.OpOr:
		for _, a := range v.Args {
			w.walk(a, path)
			if v.Op == ir.OpOr {
				a = ir.Not(a)
			}
			path = ir.And(path, a)
		}
	default:
		for _, a := range v.Args {
			w.walk(a, path)
		}
	}
}

// totals are those of a probed function; nil where it can't be evaluated.
func totals(f *ir.Func, in ir.Binding) []float64 {
	all, err := ir.EvalAll(f, in)
	if err != nil {
		return nil
	}
	var r []float64
	for _, t := range f.Outputs {
		if len(t.Axes) == 0 && len(t.Name) > 5 && t.Name[:5] == "part " {
			r = append(r, all[t].Data...)
		}
	}
	return r
}

// infinite tells whether something infinite arises in a derivative.
func infinite(b *ir.Bound, back *ir.Func, inputs, cot arrays, dtypes map[string]string) bool {
	in, err := b.Binding(inputs, dtypes)
	if err != nil {
		return false
	}
	forward, err := ir.EvalAll(b.Func, in)
	if err != nil {
		return false
	}
	probe := func(f *ir.Func) *ir.Func {
		return probed(f, func(v *ir.Value) *ir.Value {
			if !isFloat(f, v) {
				return nil
			}
			return ir.Select(ir.Call(ir.OpIsInf, v), ir.Cast(ir.Int(1), v.Type), ir.Int(0))
		})
	}
	some := func(x float64) bool { return x > 0 }
	if slices.ContainsFunc(totals(probe(b.Func), in), some) {
		return true
	}
	for _, t := range b.Func.Outputs {
		in.Arrays[t] = forward[t]
	}
	for _, t := range back.Inputs {
		if t.Role == ir.Cotangent {
			in.Arrays[t] = b.Views[t.Of].In(cot[t.Of.Name])
		}
	}
	return slices.ContainsFunc(totals(probe(back), in), some)
}

// jumps tells whether a rounding, or a conversion to integers, differs between calls: where they are steep, or large, differences don't
// tell that their derivative is 0.
func jumps(b *ir.Bound, dtypes map[string]string, calls ...arrays) bool {
	f := probed(b.Func, func(v *ir.Value) *ir.Value {
		switch v.Op {
		case ir.OpFloor, ir.OpCeil, ir.OpTrunc, ir.OpRound, ir.OpSign:
			if isFloat(b.Func, v) {
				return v
			}
		case ir.OpCast:
			if v.Type.Kind == ir.Typed && !isFloat(b.Func, v) && isFloat(b.Func, v.Args[0]) {
				return v
			}
		case ir.OpMod, ir.OpRem:
			if isFloat(b.Func, v) {
				whole := map[ir.Op]ir.Op{ir.OpMod: ir.OpFloor, ir.OpRem: ir.OpTrunc}[v.Op]
				return ir.Call(whole, ir.Div(v.Args[0], v.Args[1]))
			}
		}
		return nil
	})
	var first []float64
	for i, c := range calls {
		in, err := b.Binding(c, dtypes)
		if err != nil {
			return false
		}
		t := totals(f, in)
		if i == 0 {
			first = t
		} else if !slices.EqualFunc(first, t, func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) }) {
			return true
		}
	}
	return false
}

func isFloat(f *ir.Func, v *ir.Value) bool {
	return v.Type.Kind == ir.Real || v.Type.Kind == ir.Typed && f.Class(v.Type.Elem) == ir.ClassFloat
}

// moved is a call with an input moved along a direction.
func moved(call arrays, name string, v []float64, h float64) arrays {
	r := arrays{}
	for n, a := range call {
		r[n] = a
	}
	m := ir.NewArray(call[name].Shape...)
	for i, x := range call[name].Data {
		m.Data[i] = x + h*v[i]
	}
	r[name] = m
	return r
}
