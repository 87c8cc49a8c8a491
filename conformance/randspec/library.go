package randspec

import (
	"fmt"
	"slices"
	"strings"
)

// Library are packages that specs import, by name.
var Library = map[string]string{"lib": `package lib

func bump(x, c) = c*x/(1 + abs(x))
func soft[A](x) {
    let e = exp(x - max[A](x))
    e / sum[A](e)
}
op leaky[T: float](x: T[...B]; slope: float = 0.1) -> (y: T[...B]) { y = if x > 0 then x else slope*x }
op matvec[T: float](x: T[...B, I], w: T[O, I], b?: T[O]) -> (y: T[...B, O]) { y = sum[I](x*w) + (b ?? 0) }
op run[T: float](x: T[...B, L]) -> (y: T[...B, L]) { y[..b, t] = (y[..b, t - 1] ?? 0)/2 + x[..b, t] }
op best[T: float](x: T[...B, D]; axis: axis(D) = -1) -> (y: T[...B], at: i64[...B]) {
    at = argmax[D](x)
    y[..b] = x[..b, at]
}
`}

// helper is a func of the spec.
type helper struct {
	name   string
	params int
	axis   bool
	size   float64
	some   bool // its axis may be filtered: it has a value for no points
	dtype  bool // an op with a dtype variable, which an argument must tell
}

// library writes funcs and ops that formulas may call.
func (g *gen) library() {
	if g.chance(30) {
		f := helper{name: "g" + g.id + "a", params: 1 + g.r.IntN(2), size: 4}
		body := pick(g, []string{"%[1]s/(1 + abs(%[2]s))", "if %[1]s > %[2]s then tanh(%[1]s) else %[2]s/4", "sin(%[1]s)*cos(%[2]s)"})
		params := []string{"u", "v"}[:f.params]
		g.decls = append(g.decls, fmt.Sprintf("func %s(%s) = %s", f.name, strings.Join(params, ", "), fmt.Sprintf(body, params[0], params[len(params)-1])))
		g.funcs = append(g.funcs, f)
	}
	if g.chance(25) {
		f := helper{name: "g" + g.id + "b", params: 1, axis: true, size: 4}
		body := pick(g, []string{
			" {\n    let e = exp(tanh(u) - max[A](tanh(u)))\n    e / sum[A](e)\n}", " = tanh(u - mean[A](u))", " = u / (1 + norm[A](u))", " = sin(sum[A](u))"})
		f.some = strings.Contains(body, "norm[") || strings.Contains(body, "(sum[")
		g.decls = append(g.decls, "func "+f.name+"[A](u)"+body)
		g.funcs = append(g.funcs, f)
	}
	if g.chance(15) {
		f := helper{name: "g" + g.id + "c", params: 1 + g.r.IntN(2), size: 4, dtype: true}
		params := []string{"u", "v"}[:f.params]
		g.decls = append(g.decls, fmt.Sprintf("op %s[T: float](%s: T[...B]; k: float = 0.5) -> (r: T[...B]) { r = tanh(k*%s)%s }", f.name, strings.Join(params, ", "),
			params[0], pick(g, []string{"", " + k", "*2", " + T(" + params[0] + " > k)/4", " + max(" + params[0] + "/8, lowest(T))"})+map[bool]string{true: " - sin(v)"}[f.params == 2]))
		g.funcs = append(g.funcs, f)
	}
	if g.chance(15) {
		g.funcs = append(g.funcs, helper{name: "lib.bump", params: 2, size: 4}, helper{name: "lib.leaky", params: 1, dtype: true},
			helper{name: "lib.soft", params: 1, axis: true, size: 1})
	}
}

// helped calls a func, or an op as one.
func (g *gen) helped(s *scope, deep int) expr {
	if len(g.funcs) == 0 {
		return g.arithmetic(s, deep)
	}
	f := pick(g, g.funcs)
	var of *axis
	in := s
	if f.axis {
		for _, a := range g.shuffled() {
			if _, ok := s.bound[a]; ok {
				of = a
			}
		}
		if of == nil {
			return g.float(s, deep-1)
		}
		of.least = max(of.least, 1)
		in = s.copy()
		in.bound[of] = ""
		in.vars = slices.DeleteFunc(in.vars, func(v variable) bool { return v.over == of })
	}
	var args []string
	var list []expr
	size := f.size
	for range f.params {
		e := g.within(in, deep-1, 100)
		args, list = append(args, e.s), append(list, e)
		size = max(size, e.size)
	}
	if f.dtype && !slices.ContainsFunc(args, g.told) {
		args[0] = g.elem + "(" + args[0] + ")"
	}
	name := f.name
	if of != nil {
		filter := ""
		if f.some && g.chance(40) {
			e := g.within(in, 1, 100)
			filter = " where " + e.at(precSum) + " > 0"
			list = append(list, e)
		}
		name += "[" + of.text() + filter + "]"
	}
	return prim(size, name+"("+strings.Join(args, ", ")+")", list...)
}

// told tells whether a formula has a dtype whatever inputs are given, and whatever branch a call takes: x ?? 1 is a number without one
// where x is absent, if c then x else 1 where attributes and extents say so, and what is computed of them may be, too.
func (g *gen) told(text string) bool {
	untold := map[string]bool{}
	for _, t := range g.ins {
		untold[t.name] = t.optional
	}
	reads := func(text string) bool {
		for w := range words(text) {
			if untold[w] || w == "if" {
				return true
			}
		}
		return false
	}
	for _, s := range g.stmts {
		if reads(s.text) {
			for _, n := range s.names {
				untold[n] = true
			}
		}
	}
	return !reads(text)
}

// callLet calls an op that stands alone.
func (g *gen) callLet() {
	var xs []*tensor
	for _, t := range g.known {
		// A cast of a let would tell its dtype, and forget the order of its axes.
		ok := t.kind == float && t.elem == g.elem && !t.loose && !t.optional && len(t.slots) > 0 && t.mode == "" && g.told(t.name)
		for _, s := range t.slots {
			ok = ok && s.product == nil && !s.optional
		}
		for i, a := range t.axes {
			ok = ok && !slices.Contains(t.axes[:i], a)
		}
		if n := len(t.slots); ok && !t.slots[n-1].axis.pack {
			xs = append(xs, t)
		}
	}
	if len(xs) == 0 {
		return
	}
	x := pick(g, xs)
	n := len(x.slots)
	last, rest := x.slots[n-1].axis, x.slots[:n-1]
	if g.chance(25) {
		t := &tensor{name: g.name("h"), kind: float, elem: g.elem, slots: x.slots, axes: x.axes, size: 2 * x.size}
		g.emit(fmt.Sprintf("let %s%s = lib.run(%s)", t.name, brackets(x.slots), x.name), t.name)
		g.known = append(g.known, t)
		return
	}
	if g.chance(50) && !slices.ContainsFunc(rest, func(s slot) bool { return s.axis.pack }) {
		last.least = max(last.least, 1)
		a, b := g.name("h"), g.name("h")
		g.emit(fmt.Sprintf("let (%s, %s) = lib.best(%s; axis = -1)", a, b, x.name), a, b)
		g.known = append(g.known, &tensor{name: a, kind: float, elem: g.elem, slots: rest, axes: flat(rest), size: x.size},
			&tensor{name: b, kind: whole, elem: "i64", slots: rest, axes: flat(rest), of: last, size: 40})
		return
	}
	for _, w := range xs {
		if len(w.slots) != 2 || w.slots[1].axis != last || w.slots[0].axis.pack || slices.Contains(x.axes, w.slots[0].axis) {
			continue
		}
		slots := append(slices.Clone(rest), w.slots[0])
		t := &tensor{name: g.name("h"), kind: float, elem: g.elem, slots: slots, axes: flat(slots), size: x.size * w.size * 10}
		arg := x.name
		if g.chance(30) {
			arg = "2*" + arg
		}
		g.emit(fmt.Sprintf("let %s%s = lib.matvec(%s, %s)", t.name, brackets(slots), arg, w.name), t.name)
		g.known = append(g.known, t)
		return
	}
}
