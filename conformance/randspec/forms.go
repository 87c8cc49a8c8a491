package randspec

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
)

// along is a single axis and a left side over it and others.
func (g *gen) along() (*axis, []slot, string, *scope) {
	slots := g.slotsFor()
	var a *axis
	for _, s := range slots {
		if s.product != nil {
			return nil, nil, "", nil
		}
		if !s.axis.pack {
			a = s.axis
		}
	}
	if a == nil {
		return nil, nil, "", nil
	}
	l, s := g.left(newScope(), slots, true)
	return a, slots, l, s
}

func (g *gen) define(l string, slots []slot, k kind, elem string, e expr) *tensor {
	t := &tensor{name: g.name("h"), kind: k, elem: elem, slots: slots, axes: flat(slots), size: e.size}
	g.emit("let "+t.name+l+" = "+e.s, t.name)
	g.known = append(g.known, t)
	return t
}

// scanLet is a reduction over all that lies before, or behind, along an axis.
func (g *gen) scanLet() {
	a, slots, l, s := g.along()
	if a == nil {
		return
	}
	v, i := s.bound[a], g.name("j")
	g.start(2 * g.size)
	in := s.ranged(i, a)
	in.bound[a] = i
	name := pick(g, []string{"sum", "sum", "prod", "max", "min", "logsumexp", "argmax"})
	size := 1000.0
	if name == "prod" {
		size = 1
	}
	e := g.within(in, 2, size)
	if !contains(e.s, i) {
		e = join(precSum, e.size+2, e.at(precSum)+" - "+i+"/4", e)
	}
	r := fmt.Sprintf(pick(g, []string{"0..=%[1]s", "0..=%[1]s", "%[1]s..%[2]s"}), v, a.name)
	e = prim(e.size*20, fmt.Sprintf("%s[%s in %s](%s)", name, i, r, e.s))
	if name == "argmax" {
		e, ok := g.useVars(s, slots, whole, "i64", prim(20, "i64("+e.s+")"))
		if ok {
			t := g.define(l, slots, whole, "i64", e)
			if !strings.Contains(e.s, "+ i64") {
				t.of = a
			}
		}
		return
	}
	e, ok := g.useVars(s, slots, float, g.elem, e)
	if ok {
		g.define(l, slots, float, g.elem, e)
	}
}

// recurrence reads itself at earlier points, or at later ones.
func (g *gen) recurrence() {
	a, slots, l, s := g.along()
	if a == nil {
		return
	}
	g.start(2 * g.size)
	name := g.name("h")
	sign := pick(g, []string{"-", "-", "+"})
	at := func(back int) string {
		var p []string
		for _, sl := range slots {
			v := s.bound[sl.axis]
			switch {
			case sl.axis.pack:
				v = ".." + v
			case sl.axis == a:
				v = fmt.Sprintf("%s %s %d", v, sign, back)
			}
			p = append(p, v)
		}
		return fmt.Sprintf("(%s[%s] ?? %s)", name, strings.Join(p, ", "), pick(g, []string{"0", "1", "0.5"}))
	}
	x := g.within(s, 2, 50)
	e := x
	k, elem := float, g.elem
	switch g.r.IntN(6) {
	case 5: // of conditions
		k, elem = truth, "bool"
		e = g.truth(s, 1)
		before := strings.Replace(at(1), "?? 0.5)", "?? true)", 1)
		before = strings.NewReplacer("?? 0)", "?? false)", "?? 1)", "?? true)").Replace(before)
		e = join(precOr, 1, fmt.Sprintf(pick(g, []string{"%s && !%s", "%s || %s", "%s != %s"}), e.at(precSum), before))
	case 0:
		e = prim(2, fmt.Sprintf("tanh(%s + %s)", x.at(precSum), at(1)))
	case 1:
		e = join(precSum, 2*x.size, fmt.Sprintf("%s + %s/2", x.at(precSum), at(1)))
	case 2:
		e = join(precSum, 2*x.size, fmt.Sprintf("%s - %s/3 + %s/4", x.at(precSum), at(1), at(2)))
	case 3:
		c := g.truth(s, 1)
		e = join(precIf, 100+x.size, fmt.Sprintf("if %s then %s else 0.5*%s", c.s, x.at(precOr), at(1)))
	case 4:
		e = prim(x.size+2, fmt.Sprintf("max(%s, %s)", x.s, at(1)))
	}
	for _, sl := range slots {
		if !contains(e.s, s.bound[sl.axis]) {
			return
		}
	}
	t := &tensor{name: name, kind: k, elem: elem, slots: slots, axes: flat(slots), size: e.size + 1}
	g.emit("let "+name+l+" = "+e.s, name)
	g.known = append(g.known, t)
}

// placeLet is an argmax along an axis, and the element there.
func (g *gen) placeLet() {
	for _, x := range g.known {
		if x.kind != float || x.loose || x.optional || len(x.slots) == 0 || !g.chance(50) {
			continue
		}
		last := x.slots[len(x.slots)-1]
		if last.product != nil || last.axis.pack || last.optional || !newFull(x).bare(x) {
			continue
		}
		a := last.axis
		a.least = max(a.least, 1)
		rest := x.slots[:len(x.slots)-1]
		for _, s := range rest {
			if s.product != nil || s.optional {
				return
			}
		}
		at := &tensor{name: g.name("h"), kind: whole, elem: "i64", slots: rest, axes: flat(rest), of: a, size: 40}
		g.emit(fmt.Sprintf("let %s%s = %s[%s](%s)", at.name, brackets(rest), pick(g, []string{"argmax", "argmin"}), a.name, x.name), at.name)
		g.known = append(g.known, at)
		l, s := g.left(newScope(), rest, true)
		var p []string
		for _, sl := range rest {
			i, _ := g.straight(s, sl)
			p = append(p, i)
		}
		p = append(p, at.name)
		if len(rest) == 0 {
			l = ""
		}
		g.define(l, rest, float, g.elem, prim(x.size, x.name+"["+strings.Join(p, ", ")+"]"))
		return
	}
}

// newFull binds the axes of a tensor.
func newFull(t *tensor) *scope {
	s := newScope()
	for _, a := range t.axes {
		s.bound[a] = ""
	}
	return s
}

// rangeLet is a let over a range, read by index.
func (g *gen) rangeLet() {
	for _, a := range g.shuffled() {
		if a.pack {
			continue
		}
		i := g.name("j")
		s := newScope().ranged(i, a)
		g.start(g.size)
		e := g.within(s, 2, 100)
		if !contains(e.s, i) {
			e = join(precSum, e.size+2, e.at(precSum)+" + "+i+"/4")
		}
		h := g.name("h")
		g.emit(fmt.Sprintf("let %s[%s in 1..%s] = %s", h, i, a.name, e.s), h)
		j := g.name("j")
		t := &tensor{name: g.name("h"), kind: float, elem: g.elem, size: e.size * 20, loose: true}
		g.emit(fmt.Sprintf("let %s = sum[%s in 1..%s](%s[%s])", t.name, j, a.name, h, j), t.name)
		g.known = append(g.known, t)
		return
	}
}

// windowBody is an op that computes with packs: windows, with hops, padding and dilation by lists.
func (g *gen) windowBody() {
	n := g.newAxis("N", true)
	sp := &axis{name: "S", pack: true}
	ks := &axis{name: "W", pack: true}
	x := &tensor{name: g.name("x"), kind: float, elem: g.elem, slots: []slot{{axis: n}, {axis: sp}}, size: 3}
	w := &tensor{name: g.name("x"), kind: float, elem: g.elem, slots: []slot{{axis: ks}}, size: 3}
	x.axes, w.axes = flat(x.slots), flat(w.slots)
	g.ins = append(g.ins, x, w)
	list := func(name, typ, def string) *attr {
		a := &attr{name: g.name(name), kind: "list", hidden: true}
		a.text = fmt.Sprintf("%s: %s[S] = %s", a.name, typ, def)
		g.attrs = append(g.attrs, a)
		return a
	}
	hop := list("hop", "int", "1")
	pad := list("pad", "int", "0")
	var weight *attr
	if g.chance(30) {
		weight = list("weight", "float", "0.5")
	}
	rank := 1 + g.r.IntN(2)
	g.frees = append(g.frees, func(r *rand.Rand, c *call) {
		rank := rank
		if r.IntN(3) == 0 {
			rank = 1 + r.IntN(2)
		}
		hops, pads := []float64{}, []float64{}
		c.ext[sp], c.ext[ks] = nil, nil
		for range rank {
			k := 1 + r.IntN(3)
			c.ext[ks] = append(c.ext[ks], k)
			c.ext[sp] = append(c.ext[sp], k+r.IntN(5))
			hops, pads = append(hops, float64(1+r.IntN(2))), append(pads, float64(r.IntN(2)))
		}
		if rank == 1 && r.IntN(2) == 0 {
			c.ext[sp][0] += 20
		}
		if weight != nil && r.IntN(3) > 0 {
			weights := []float64{}
			for range rank {
				weights = append(weights, []float64{0.5, 1, -1.5, 0.1}[r.IntN(4)])
			}
			c.attrs[weight.name] = ir.ExampleAttr{Name: weight.name, List: weights}
		}
		if r.IntN(3) > 0 {
			c.attrs[hop.name] = ir.ExampleAttr{Name: hop.name, List: hops}
		}
		if r.IntN(3) > 0 {
			c.attrs[pad.name] = ir.ExampleAttr{Name: pad.name, List: pads}
		}
	})
	p := &axis{name: "P", pack: true, computed: true, extent: func(*call) []int { return nil }}
	g.emit(fmt.Sprintf("dim ...P = floor((S + 2*%s - W)/%s) + 1", pad.name, hop.name))
	elem := fmt.Sprintf("%s[..n, ..p*%s + k - %s]", x.name, hop.name, pad.name)
	var e string
	switch g.r.IntN(6) {
	case 0, 1:
		e = fmt.Sprintf("sum[..k](%s * %s[..k])", pick(g, []string{"(" + elem + " ?? 0)", "(if has(" + elem + ") then sin(" + elem + ") else 1)"}), w.name)
	case 2:
		e = fmt.Sprintf("(max[..k in 0..W where has(%s)](%[1]s) ?? 0) + sum(%s)", elem, w.name)
	case 3:
		e = fmt.Sprintf("prod[..k](tanh((%s ?? 1) + %s[..k]))", elem, w.name)
	case 4:
		e = fmt.Sprintf("mean[..k in 0..W](abs(%s ?? 0)) * prod(..%s + P) + sum(%s)", elem, "p", w.name)
	case 5:
		e = fmt.Sprintf("logsumexp[..k in 0..W](%s ?? -1) - sum(..p)/4 + max[..k](%s[..k])", elem, w.name)
	}
	if weight != nil {
		e = fmt.Sprintf(pick(g, []string{"%s + prod(..%s)", "(%s)*sum(..p*%s)/4", "%s + max(..%s)"}), e, weight.name)
	}
	y := &tensor{name: g.name("y"), kind: float, elem: g.elem, slots: []slot{{axis: n}, {axis: p}}, size: 1e3}
	y.axes = flat(y.slots)
	g.emit(fmt.Sprintf("%s[..n, ..p] = %s", y.name, e), y.name)
	g.outs = append(g.outs, y)
	if g.chance(40) {
		z := &tensor{name: g.name("y"), kind: float, elem: g.elem, slots: []slot{{axis: n}, {axis: sp}}, size: 3}
		z.axes = flat(z.slots)
		body := pick(g, []string{"%s[..n, ..S - 1 - s]", "%s[..n, ..min(s + 1, S - 1)] * 2", "(%s[..n, ..s + 1] ?? 0) + ravel(..s, ..S)/10", "%s[..n, ..(s + 1) % S]"})
		g.emit(fmt.Sprintf("%s[..n, ..s] = %s", z.name, strings.Replace(body, "%s", x.name, 1)), z.name)
		g.outs = append(g.outs, z)
	}
	g.newAxis("D", false)
	g.input("x", float, g.elem, slot{axis: g.axes[len(g.axes)-1]})
}

// updateBody is an optimizer.
func (g *gen) updateBody() {
	g.update, g.smooth = true, false
	n := g.newAxis("N", true)
	slots := []slot{{axis: n}}
	p, d := g.input("p", float, g.elem, slots...), g.input("g", float, g.elem, slots...)
	p.mode = "inout"
	d.mode = "" // as large as p
	acc := "acc(" + g.elem + ")"
	if g.elem != "T" {
		acc = g.elem
	}
	var states []*tensor
	for range g.r.IntN(3) {
		t := g.input("s", float, acc, slots...)
		t.mode = "state"
		states = append(states, t)
	}
	g.newAttr("float")
	g.library()
	s := newScope()
	s.bound[n] = ""
	for range g.r.IntN(g.size + 1) {
		g.looseLet()
	}
	deep := 1 + g.r.IntN(g.size+1)
	for _, t := range states {
		g.start(3 * g.size)
		e := g.float(s, deep)
		text := fmt.Sprintf("0.5*%s + %s", t.name, e.at(precTerm))
		if g.chance(40) {
			text = fmt.Sprintf("if step == 1 then %s else 0.9*%s + %s", e.at(precOr), t.name, d.name)
		}
		g.emit(fmt.Sprintf("%s' = %s", t.name, text))
		g.known = append(g.known, &tensor{name: t.name + "'", kind: float, elem: t.elem, slots: slots, axes: t.axes, size: 100})
	}
	g.start(3 * g.size)
	e := g.float(s, deep)
	text := fmt.Sprintf("%s - 0.1*%s", p.name, e.at(precUnary))
	for _, t := range states {
		if g.chance(70) {
			text += fmt.Sprintf(" - %s'/(1 + step)", t.name)
		}
	}
	if g.chance(30) {
		text += " - 0.1*tanh(" + pick(g, []string{"sum[*](%s)", "norm[*](%s)", "mean[*](%s^2)", "logsumexp[*](%s) - 1", "sum[*](if %s > 0 then 1/4 else step/8)"})
		text = strings.Replace(text, "%s", d.name, 1) + ")"
	}
	if !contains(text, d.name) {
		text += " + " + d.name
	}
	g.emit(fmt.Sprintf("%s' = %s", p.name, text))
}
