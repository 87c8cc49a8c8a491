package randspec

import (
	"fmt"
	"slices"
	"strings"
)

// body makes the inputs, the statements and the outputs of the op.
func (g *gen) body() {
	g.dtypes()
	switch n := g.r.IntN(100); {
	case n < 10:
		g.updateBody()
		return
	case n < 24:
		g.windowBody()
	case n < 30:
		g.axesBody()
	default:
		g.generalInputs()
	}
	g.library()
	for range g.r.IntN(g.size + 1) {
		g.let()
	}
	for range 1 + g.r.IntN(2) {
		g.output()
	}
	g.requires()
}

// dtypes chooses the dtypes of the spec.
func (g *gen) dtypes() {
	g.elem = "T"
	switch g.r.IntN(12) {
	case 0:
		g.elem = "f64"
	case 1:
		g.elem = "f32"
	case 2:
		g.elem = pick(g, []string{"f16", "bf16"})
	default:
		g.vars = append(g.vars, "T: "+pick(g, []string{"float", "float", "float", "f32|f64"}))
	}
	switch g.r.IntN(5) {
	case 0:
		g.vars, g.ints = append(g.vars, "I: "+pick(g, []string{"i32|i64", "i32|i64", "int"})), []string{"I"}
	case 1:
		g.ints = []string{pick(g, []string{"i8", "i16", "u8", "u16", "u32", "i32"}), "i64"}
	case 2:
		g.ints = []string{"i32"}
	default:
		g.ints = []string{"i64"}
	}
}

var axisNames = []string{"N", "K", "M", "C"}

// newAxis is a single axis or a pack.
func (g *gen) newAxis(name string, pack bool) *axis {
	a := &axis{name: name, pack: pack, most: 40}
	g.axes = append(g.axes, a)
	return a
}

// input adds an input.
func (g *gen) input(prefix string, k kind, elem string, slots ...slot) *tensor {
	t := &tensor{name: g.name(prefix), kind: k, elem: elem, slots: slots, axes: flat(slots), size: 3}
	if k == whole {
		t.size = 9
	}
	g.ins = append(g.ins, t)
	g.known = append(g.known, t)
	return t
}

// covered are the axes that inputs which are always there have.
func (g *gen) covered() map[*axis]bool {
	r := map[*axis]bool{}
	for _, t := range g.ins {
		if !t.optional {
			for _, s := range t.slots {
				if s.product == nil && !s.optional {
					r[s.axis] = true
				}
			}
		}
	}
	return r
}

func (g *gen) generalInputs() {
	var base []*axis
	if g.chance(45) {
		base = append(base, g.newAxis("B", true))
	}
	for _, n := range axisNames[:1+g.r.IntN(2+min(g.size, 2)/2)] {
		base = append(base, g.newAxis(n, false))
	}
	if len(base) == 1 && base[0].pack {
		base = append(base, g.newAxis("D", false))
	}
	main := make([]slot, len(base))
	for i, a := range base {
		main[i] = slot{axis: a}
	}
	if n := len(main); n >= 2 && !main[n-2].axis.pack && g.chance(15) {
		g.productInput(main)
	} else {
		g.input("x", float, g.elem, main...)
	}
	if g.chance(15) && base[0].pack && len(base) == 2 && g.ins[0].slots[1].product == nil {
		g.placed(base[0], base[1])
	}
	for range g.r.IntN(3) {
		g.input("x", float, g.elem, g.some(base)...)
	}
	if g.chance(35) {
		t := g.input("x", float, g.elem, g.some(base)...)
		covered := true
		for _, a := range t.axes {
			cov := g.covered()
			covered = covered && cov[a]
		}
		t.optional = covered
	}
	if g.chance(40) {
		var singles []*axis
		for _, a := range base {
			if !a.pack {
				singles = append(singles, a)
			}
		}
		t := g.input("t", whole, g.anyInt(), g.some(base)...)
		if g.chance(70) {
			t.of = pick(g, singles)
			t.of.least = max(t.of.least, 1)
			t.of.most = 40
		}
	}
	if g.chance(25) {
		g.input("b", truth, "bool", g.some(base)...)
	}
	if g.chance(20) {
		g.computedAxis()
	} else if g.chance(8) {
		for _, a := range base {
			if !a.pack && !a.computed {
				g.keep(a)
				break
			}
		}
	}
	if g.chance(8) {
		g.handGradient(slices.DeleteFunc(base, func(a *axis) bool { return a.computed }))
	}
	if g.chance(30) {
		g.newAttr("float")
	}
	if g.chance(15) {
		g.newAttr("T")
	}
	if g.chance(10) {
		g.optionalAttr()
	}
	g.spread()
}

// spread lets axes of some inputs have extent 1 where another input has them.
func (g *gen) spread() {
	for _, t := range g.ins[1:] {
		for i := range t.slots {
			s := &t.slots[i]
			if s.product != nil || s.axis.pack || t.of != nil || !g.chance(12) {
				continue
			}
			s.optional = true
			if !g.covered()[s.axis] {
				s.optional = false
			}
		}
	}
}

// some are slots of some of the axes.
func (g *gen) some(base []*axis) []slot {
	var r []slot
	for _, a := range base {
		if g.chance(60) {
			r = append(r, slot{axis: a})
		}
	}
	if len(r) > 1 && g.chance(20) && !r[0].axis.pack {
		g.r.Shuffle(len(r), func(i, j int) { r[i], r[j] = r[j], r[i] })
	}
	return r
}

// productInput has an axis that is a product; an attribute gives a factor.
func (g *gen) productInput(main []slot) {
	n := len(main)
	first := main[n-2].axis
	f := g.newAttr("int")
	f.hidden = true
	g.axes = slices.DeleteFunc(g.axes, func(a *axis) bool { return a == first })
	g.axes = append(g.axes, first)
	first.computed = true
	first.extent = func(c *call) []int { return []int{g.numberOf(c, f)} }
	g.dims = append(g.dims, fmt.Sprintf("dim %s = %s", first.name, f.name))
	g.emit(g.dims[0])
	slots := append(slices.Clone(main[:n-2]), slot{product: []slot{main[n-2], main[n-1]}})
	g.input("x", float, g.elem, slots...)
}

// numberOf is the number of an attribute in a call; one that the call leaves out has its default.
func (g *gen) numberOf(c *call, a *attr) int {
	if v, ok := c.attrs[a.name]; ok {
		return int(v.Number)
	}
	_, def, _ := strings.Cut(a.text, "= ")
	n := 0
	fmt.Sscan(def, &n)
	return n
}

// computedAxis is an axis with an extent of its own.
func (g *gen) computedAxis() {
	var of *axis
	for _, a := range g.axes {
		if !a.pack && !a.computed {
			of = a
		}
	}
	if of == nil {
		return
	}
	a := g.newAxis("P", false)
	a.computed = true
	text := ""
	switch g.r.IntN(4) {
	case 0:
		text = fmt.Sprintf("2*%s - 1", of.name)
		of.least = max(of.least, 1)
		a.extent = func(c *call) []int { return []int{2*c.one(of) - 1} }
	case 1:
		text = of.name + " + 2"
		a.extent = func(c *call) []int { return []int{c.one(of) + 2} }
	case 2:
		text = fmt.Sprintf("floor(%s/2) + 1", of.name)
		a.extent = func(c *call) []int { return []int{c.one(of)/2 + 1} }
	case 3:
		n := g.newAttr("int")
		n.hidden = true
		text = n.name
		a.extent = func(c *call) []int { return []int{g.numberOf(c, n)} }
	}
	g.emit("dim P = " + text)
}

// let adds a let, or several.
func (g *gen) let() {
	switch g.r.IntN(12) {
	case 0, 1, 2:
		g.looseLet()
	case 3, 4:
		g.namedLet()
	case 5, 6:
		g.indexedLet()
	case 7:
		g.scanLet()
	case 8:
		g.recurrence()
	case 9:
		g.placeLet()
	case 10:
		g.rangeLet()
	case 11:
		g.callLet()
	}
}

func (g *gen) start(n int) { g.budget = n }

// slots are random axes of a result, with the product of two of them now and then.
func (g *gen) slotsFor() []slot {
	if g.lay != nil {
		return slices.Clone(pick(g, g.lay))
	}
	var r []slot
	for _, a := range g.axes {
		if a.pack || g.chance(65) {
			r = append(r, slot{axis: a})
		}
	}
	if len(r) > 1 && g.chance(25) {
		g.r.Shuffle(len(r), func(i, j int) { r[i], r[j] = r[j], r[i] })
	}
	if n := len(r); n > 1 && g.chance(10) {
		r = append(r[:n-2], slot{product: []slot{r[n-2], r[n-1]}})
	}
	return r
}

// anyKind is a kind of results, mostly floats, with the dtype and a formula.
func (g *gen) anyKind(s *scope) (kind, string, expr) {
	deep := 1 + g.r.IntN(g.size+1)
	g.start(4 + 4*g.size)
	switch g.r.IntN(8) {
	case 0:
		elem := g.anyInt()
		return whole, elem, g.whole(s, elem, deep)
	case 1:
		return truth, "bool", g.truth(s, deep)
	}
	return float, g.elem, g.float(s, deep)
}

// looseLet is a let by name whose axes are those of its formula.
func (g *gen) looseLet() {
	s := newScope()
	for _, a := range g.axes {
		if g.chance(70) {
			s.bound[a] = ""
		}
	}
	k, elem, e := g.anyKind(s)
	t := &tensor{name: g.name("h"), kind: k, elem: elem, loose: true, size: e.size}
	for _, a := range g.axes {
		if e.free[a] {
			t.axes = append(t.axes, a)
		}
	}
	g.emit("let "+t.name+" = "+e.s, t.name)
	g.known = append(g.known, t)
}

// namedLet is a let by name whose axes are written.
func (g *gen) namedLet() {
	slots := g.slotsFor()
	s := newScope()
	for _, a := range flat(slots) {
		s.bound[a] = ""
	}
	k, elem, e := g.anyKind(s)
	t := &tensor{name: g.name("h"), kind: k, elem: elem, slots: slots, axes: flat(slots), size: e.size}
	g.emit("let "+t.name+brackets(slots)+" = "+e.s, t.name)
	g.known = append(g.known, t)
}

// indexedLet is a let by index.
func (g *gen) indexedLet() {
	slots := g.slotsFor()
	if len(slots) == 0 || slices.ContainsFunc(slots, func(s slot) bool { return s.product != nil }) {
		return
	}
	l, s := g.left(newScope(), slots, true)
	k, elem, e := g.anyKind(s)
	e, ok := g.useVars(s, slots, k, elem, e)
	if !ok {
		return
	}
	t := &tensor{name: g.name("h"), kind: k, elem: elem, slots: slots, axes: flat(slots), size: e.size}
	g.emit("let "+t.name+l+" = "+e.s, t.name)
	g.known = append(g.known, t)
}

// output adds an output: by name, or by index.
func (g *gen) output() {
	slots := g.slotsFor()
	name := g.name("y")
	if g.lay == nil && g.chance(10) {
		g.inferred(name)
		return
	}
	if g.chance(50) || len(slots) == 0 {
		s := newScope()
		for _, a := range flat(slots) {
			s.bound[a] = ""
		}
		k, elem, e := g.anyKind(s)
		g.result(name, k, elem, slots, e, "")
		return
	}
	l, s := g.left(newScope(), slots, false)
	k, elem, e := g.anyKind(s)
	e, ok := g.useVars(s, slots, k, elem, e)
	if !ok {
		s = newScope()
		for _, a := range flat(slots) {
			s.bound[a] = ""
		}
		k, elem, e = g.anyKind(s)
		l = ""
	}
	g.result(name, k, elem, slots, e, l)
}

// certain tells whether the axes of a formula are known without a call: no choice that is made in a call may leave some of them out.
func (g *gen) certain(e expr) bool {
	text := e.s
	for _, s := range g.stmts {
		text += s.text
	}
	for _, d := range g.decls {
		text += d
	}
	return !contains(text, "if")
}

// inferred adds an output that has the axes of its formula, where these don't depend on a call.
func (g *gen) inferred(name string) {
	s := newScope()
	for _, a := range g.axes {
		if g.chance(70) {
			s.bound[a] = ""
		}
	}
	k, elem, e := g.anyKind(s)
	t := &tensor{name: name, kind: k, elem: elem, loose: true, inferred: true, size: e.size}
	var slots []slot
	for _, a := range g.axes {
		if e.free[a] {
			t.axes = append(t.axes, a)
			slots = append(slots, slot{axis: a})
		}
	}
	if !g.certain(e) {
		g.result(name, k, elem, slots, e, "")
		return
	}
	g.emit(name+" = "+e.s, name)
	g.outs = append(g.outs, t)
	if g.chance(50) {
		g.known = append(g.known, t)
	}
}

// result writes an output.
func (g *gen) result(name string, k kind, elem string, slots []slot, e expr, left string) {
	if k == float && left == "" && g.choices < 2 && g.chance(10) {
		g.choices++
		m := g.newAttr("enum")
		var b strings.Builder
		fmt.Fprintf(&b, "match %s {\n", m.name)
		s := newScope()
		for _, a := range flat(slots) {
			s.bound[a] = ""
		}
		for i, w := range m.words {
			if i == len(m.words)-1 {
				w = "_"
			}
			g.start(4 * g.size)
			v := e
			if i > 0 {
				v = g.float(s, 2)
			}
			if g.chance(40) {
				h := g.name("h")
				fmt.Fprintf(&b, "    %s: {\n        let %s = %s\n        %s = %s + 1\n    }\n", w, h, v.s, name, h)
			} else {
				fmt.Fprintf(&b, "    %s: %s = %s\n", w, name, v.s)
			}
		}
		b.WriteString("}")
		g.emit(b.String(), name)
	} else {
		g.emit(name+left+" = "+e.s, name)
	}
	t := &tensor{name: name, kind: k, elem: elem, slots: slots, axes: flat(slots), size: e.size}
	g.outs = append(g.outs, t)
	if g.chance(50) {
		g.known = append(g.known, t)
	}
}
