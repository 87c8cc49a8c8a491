package randspec

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// axesBody has two packs, of which the caller says where the axes of the second one lie.
func (g *gen) axesBody() {
	b, r := g.newAxis("B", true), g.newAxis("R", true)
	x := g.input("x", float, g.elem, slot{axis: b}, slot{axis: r})
	at := &attr{name: g.name("axes"), kind: "axes", hidden: true}
	at.text = fmt.Sprintf("%s: axes(R) = %s", at.name, pick(g, []string{"all", "all", "-1"}))
	g.attrs = append(g.attrs, at)
	if g.chance(50) {
		g.keep(r)
	}
	g.frees = append(g.frees, func(rnd *rand.Rand, c *call) {
		if len(c.ext[r]) == 0 { // an empty list is the default
			c.ext[r] = []int{1 + rnd.IntN(3)}
		}
		n := len(c.ext[b]) + len(c.ext[r])
		if rnd.IntN(4) == 0 { // all axes are those of R
			c.ext[r] = append(c.ext[b], c.ext[r]...)
			c.ext[b] = nil
			c.attrs[at.name] = ir.ExampleAttr{Name: at.name, Word: "all"}
			return
		}
		list := []float64{}
		places := make([]int, n)
		for i, p := range rnd.Perm(n)[:len(c.ext[r])] {
			places[p] = i + 1
			q := float64(p)
			if rnd.IntN(2) == 0 {
				q -= float64(n)
			}
			list = append(list, q)
		}
		c.attrs[at.name] = ir.ExampleAttr{Name: at.name, List: list}
		c.lie = func(t *tensor, shape []int) []int {
			if t != x {
				return shape
			}
			rest := shape[:len(c.ext[b])]
			moved := make([]int, 0, n)
			for _, k := range places {
				if k > 0 {
					moved = append(moved, shape[len(c.ext[b])+k-1])
				} else {
					moved, rest = append(moved, rest[0]), rest[1:]
				}
			}
			return moved
		}
	})
	if g.chance(50) {
		g.input("x", float, g.elem, slot{axis: b})
	}
	d := g.newAxis("D", false)
	g.input("x", float, g.elem, slot{axis: d})
	bs, rs, ds := slot{axis: b}, slot{axis: r}, slot{axis: d}
	g.lay = [][]slot{{bs, rs}, {bs, rs}, {bs, rs}, {bs}, {bs}, nil, {bs, rs, ds}, {bs, ds, rs}, {ds, bs, rs}, {bs, ds}, {ds}}
}

// keep lets outputs without an axis keep it with extent 1.
func (g *gen) keep(a *axis) {
	at := &attr{name: g.name("keep"), kind: "keep", hidden: true}
	at.text = fmt.Sprintf("%s: keep(%s)", at.name, a.name)
	if g.chance(50) {
		at.text += " = " + pick(g, []string{"true", "false"})
	}
	at.value = func(r *rand.Rand) ir.ExampleAttr {
		return ir.ExampleAttr{Name: at.name, Word: []string{"true", "false"}[r.IntN(2)]}
	}
	g.attrs = append(g.attrs, at)
}

// placed lets the caller say where the last axis lies.
func (g *gen) placed(b, a *axis) {
	at := &attr{name: g.name("axis"), kind: "axis", hidden: true}
	at.text = fmt.Sprintf("%s: axis(%s) = -1", at.name, a.name)
	g.attrs = append(g.attrs, at)
	g.lay = [][]slot{{{axis: b}, {axis: a}}, {{axis: b}, {axis: a}}, {{axis: b}}, {{axis: a}}, nil}
	g.frees = append(g.frees, func(r *rand.Rand, c *call) {
		n := len(c.ext[b])
		if r.IntN(2) == 0 {
			return
		}
		back := r.IntN(n + 1) // how many axes of the pack lie behind
		place := float64(n - back)
		if r.IntN(2) == 0 {
			place = float64(-1 - back)
		}
		c.attrs[at.name] = ir.ExampleAttr{Name: at.name, Number: place}
		c.lie = func(t *tensor, shape []int) []int {
			if k := len(shape) - 1; len(t.slots) == 2 && k == n && t.axes[0] == b && t.axes[1] == a {
				return slices.Insert(slices.Clone(shape[:k]), k-back, shape[k])
			}
			return shape
		}
	})
}

// requires adds conditions of the call, which few calls break.
func (g *gen) requires() {
	if !g.chance(12) {
		return
	}
	switch g.r.IntN(4) {
	case 0:
		for _, a := range g.axes {
			if !a.pack {
				g.emit(fmt.Sprintf("require %s", fmt.Sprintf(pick(g, []string{"(%[1]s + 1)/2*2 - 1 == %[1]s || %[1]s < 30", "%s <= 35 else \"too long\"", "%s %% 7 != 6"}), a.name)))
				return
			}
		}
	case 1, 2:
		a := g.newAttr(pick(g, []string{"float", "int"}))
		g.emit(fmt.Sprintf("require "+pick(g, []string{"%[1]s > -0.9", "%[1]s/3*3 == %[1]s else \"exact\"", "cos(%[1]s) > -2 && sigmoid(%[1]s) < 0.96"}), a.name))
	case 3:
		for _, t := range g.ins {
			if t.kind == float && !t.optional && t.mode == "" && len(t.slots) > 0 {
				g.emit(fmt.Sprintf("require all(%s < 2.9) else \"large\"", t.name))
				return
			}
		}
	}
}

// handGradient adds an input with an output of its own and the gradient by hand.
func (g *gen) handGradient(base []*axis) {
	var slots []slot
	for _, a := range base {
		if a.pack || g.chance(70) {
			slots = append(slots, slot{axis: a})
		}
	}
	z := &tensor{name: g.name("z"), kind: float, elem: g.elem, slots: slots, axes: flat(slots), size: 3}
	y := &tensor{name: g.name("y"), kind: float, elem: g.elem, slots: slices.Clone(slots), axes: flat(slots), size: 20}
	f := pick(g, [][2]string{
		{"tanh(%[1]s)", "@%[2]s*(1 - %[2]s^2)"}, {"%[1]s*exp(-%[1]s)", "@%[2]s*exp(-%[1]s)*(1 - %[1]s)"}, {"3*%[1]s - sin(%[1]s)", "@%[2]s*(3 - cos(%[1]s))"},
		{"if %[1]s > 0 then %[1]s else %[1]s/4", "if %[1]s > 0 then @%[2]s else @%[2]s/4"}, {"sum(%[1]s*%[1]s)", "2*%[1]s*@%[2]s"}, {"sum(%[1]s)/4", "@%[2]s/4"},
	})
	if f[0][:3] == "sum" {
		if len(slots) == 0 {
			return
		}
		y.slots, y.axes = nil, nil
	}
	g.ins, g.outs = append(g.ins, z), append(g.outs, y)
	g.emit(y.name+" = "+fmt.Sprintf(f[0], z.name), y.name)
	g.emit("grad " + z.name + " = " + fmt.Sprintf(f[1], z.name, y.name))
}
