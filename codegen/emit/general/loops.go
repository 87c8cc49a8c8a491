package general

import (
	"fmt"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// group is the definitions that run along one axis.
type group struct {
	defs []*ir.Def
}

// runs tells whether a tensor is computed by the group.
func (r *group) runs(t *ir.Tensor) bool { return r.number(t) >= 0 }

func (r *group) number(t *ir.Tensor) int {
	if r == nil {
		return -1
	}
	return slices.IndexFunc(r.defs, func(d *ir.Def) bool { return d.Target == t })
}

// ready tells whether a read in a group is known to be of an element that was computed before: at an earlier index, or at
// the same one by an earlier definition.
func (r *group) ready(g *gen, v *ir.Value) bool {
	n := r.number(v.Tensor)
	if n < 0 {
		return false
	}
	d := r.defs[n]
	if !g.everyPoint(d) {
		return false
	}
	for k, e := range d.Dest {
		if e.Op != ir.OpIndex || e.Var != d.Along {
			continue
		}
		l := g.linear(v.Args[k])
		if l == nil {
			return false
		}
		for w := range g.vars {
			if g.vars[w].level == 1 { // that of the definition that reads
				diff := g.linear(ir.Index(w)).plus(l, -1)
				if len(diff.of) != 0 {
					return false
				}
				before := diff.rest
				if d.Reverse {
					before = -before
				}
				return before > 0 || before == 0 && g.doing > n
			}
		}
	}
	return false
}

// everyPoint tells whether a definition gives a value to every element of its target.
func (g *gen) everyPoint(d *ir.Def) bool {
	switch d.Monoid {
	case ir.Assign:
		return d.IsPlain() && len(d.Where) == 0 && len(d.Vars) == len(d.Dest)
	case ir.Max, ir.Min:
		return d.IsFilled()
	}
	return true
}

// definitions writes definitions: one, or those of a group.
func (g *gen) definitions(defs []*ir.Def) {
	s := g.root
	for _, d := range defs {
		s.printf("\n%s", formula(d))
	}
	only := g.onlyFor(defs)
	for _, d := range defs {
		g.prepare(d)
	}
	in := s
	if only != "" {
		in = s.inner(false)
	}
	if d := defs[0]; d.Group != 0 {
		g.along(defs, in)
	} else {
		g.definition(d, in)
	}
	if only != "" {
		s.printf("if %s {\n%s}\n", only, in.text.String())
	}
	for _, d := range defs {
		for _, v := range d.Vars {
			delete(g.vars, v)
			delete(g.rangeOf, v)
			delete(g.clipped, v)
		}
	}
	for _, n := range g.inner {
		delete(g.names, n)
		delete(g.types, n)
	}
	g.inner = nil
	clear(g.next)
}

// prepare makes the memory of a definition.
func (g *gen) prepare(d *ir.Def) {
	g.count(d.Values()...)
	b := g.define(d.Target)
	lacking := g.mayLack(d)
	if g.everyPoint(d) && !lacking && (d.Monoid != ir.Assign || d.Group == 0) {
		return
	}
	if d.Group == 0 && (d.Monoid == ir.Max || d.Monoid == ir.Min) && d.IsPlain() && len(d.Where) == 0 && len(d.Reduced()) > 0 && !lacking {
		// All elements have a value, or none.
		over := number(1)
		for _, v := range d.Reduced() {
			if v.Axis == nil {
				over = number(0)
				break
			}
			over = times(over, g.extent(v.Axis))
			b.over = append(b.over, v.Axis)
		}
		if over.text != "0" {
			b.empty = binary("==", precCompare, over, number(0)).text
			return
		}
	}
	b.set = g.name(d.Target.Name + " set")
	g.types[b.set] = "[]bool"
	g.root.printf("%s := %s\n", b.set, g.temp(boolElem, d.Target.Axes))
}

// mayLack tells whether elements of a local may have no value, since those that it reads may have none.
func (g *gen) mayLack(d *ir.Def) bool {
	if d.Target.Role != ir.Local || d.Group != 0 {
		return false
	}
	for t := range ir.Reads(d.Body) {
		b := g.buffers[t]
		switch {
		case b == nil:
		case b.set != "":
			return true
		case b.empty != "" && slices.ContainsFunc(b.over, func(a *ir.Axis) bool {
			return !slices.ContainsFunc(d.Vars, func(v *ir.Var) bool { return v.Axis == a })
		}): // else there are no points where it is empty
			return true
		}
	}
	return false
}

// along writes the definitions of a group.
func (g *gen) along(defs []*ir.Def, s *block) {
	g.group = &group{defs}
	clear(g.safe)
	first := defs[0].Along
	loop := s.inner(true)
	name := g.nameIn(nil, first.Name)
	for _, d := range defs {
		g.vars[d.Along] = &loopVar{name: name, level: 1}
	}
	var afters []func()
	for i, d := range defs {
		for w := range g.vars { // the variable of the definition that is written
			if slices.ContainsFunc(defs, func(o *ir.Def) bool { return o.Along == w && o.Along != d.Along }) {
				delete(g.vars, w)
			}
		}
		g.vars[d.Along] = &loopVar{name: name, level: 1}
		g.ranges(d.Along)
		g.doing = i
		rest := slices.DeleteFunc(slices.Clone(d.Vars), func(v *ir.Var) bool { return v == d.Along })
		if after := g.body(d, rest, loop, s); after != nil {
			afters = append(afters, after)
		}
	}
	g.vars[first] = &loopVar{name: name, level: 1}
	g.loop(s, first, name, defs[0].Reverse, loop)
	for _, after := range afters {
		after()
	}
	g.group = nil
	clear(g.safe) // what the group computed can now be read
	for _, d := range defs {
		if g.everyPoint(d) {
			g.buffers[d.Target].set = ""
		}
		g.buffers[d.Target].running = false
	}
}

// definition writes a definition that stands alone.
func (g *gen) definition(d *ir.Def, s *block) {
	if n := g.outer(d); n > 0 {
		g.inParts(d, n, s)
		return
	}
	if after := g.body(d, d.Vars, s, s); after != nil {
		after()
	}
}

// body writes the loops of a definition over vars in s; what is needed before stands in outer. It gives what has to be
// written behind all loops.
func (g *gen) body(d *ir.Def, vars []*ir.Var, s, outer *block) (after func()) {
	level := s.level
	open := func(vs []*ir.Var) {
		for _, v := range vs {
			level++
			g.vars[v] = &loopVar{level: level}
		}
	}
	inDest := func(v *ir.Var) bool {
		return slices.ContainsFunc(d.Dest, func(e *ir.Value) bool { return e.Op == ir.OpIndex && e.Var == v })
	}
	if !d.IsPlain() || d.Group != 0 && !inDest(d.Along) {
		open(vars)
		return g.scatter(d, vars, s, outer)
	}
	var over []*ir.Var
	for _, e := range d.Dest {
		if e.Var != d.Along || d.Group == 0 {
			over = append(over, e.Var)
		}
	}
	reduced := slices.DeleteFunc(slices.Clone(vars), inDest)
	if d.Monoid == ir.Assign && len(reduced) > 0 {
		open(vars)
		return g.scatter(d, vars, s, outer)
	}
	over = carriedLast(d, over)
	open(over)
	open(reduced)
	if d.Carried != nil {
		g.carry(d, over, reduced, s, outer)
	} else {
		g.gather(d, over, reduced, s, outer)
	}
	return nil
}

// gather writes a definition whose elements are computed one by one.
func (g *gen) gather(d *ir.Def, over, reduced []*ir.Var, s, outer *block) {
	b := g.buffers[d.Target]
	first := 0 // conditions that are known before the reduction
	for first < len(d.Where) && g.depth(d.Where[first]) <= s.level+len(over) && (len(reduced) == 0 || g.isSafe(d.Where[first])) {
		first++
	}
	if first > 0 {
		g.nothing(d, outer)
	}
	g.nest(s, s.level, over, d.Where[:first], func(in *block) {
		store := func(t term) {
			at := g.at(d.Target, d.Dest, d.Target.Name, in)
			in.printf("%s = %s\n", b.element(at).text, t.text)
			if b.set != "" && d.Monoid == ir.Assign {
				in.printf("%s[%s] = true\n", b.set, at)
			}
		}
		if d.Monoid == ir.Assign {
			g.lacking = g.mayLack(d)
			if g.lacking && len(over) == 0 {
				once := in.inner(false)
				x := g.stored(d, b.kind, once)
				in.printf("for range 1 {\n%s%s = %s\n%s[0] = true\n}\n", once.text.String(), b.element("0").text, x.text, b.set)
			} else {
				store(g.stored(d, b.kind, in))
			}
			g.lacking = false
			return
		}
		r := g.running(d, in)
		g.guards = guards(d)
		g.points(d, in, s.level+len(over), reduced, d.Where[first:], r.add)
		r.store(in)
	})
}

// points is nest for the points of one definition. Where an element that is read may have no value, they stand in a loop, even if
// there is but one: it is left there.
func (g *gen) points(d *ir.Def, s *block, base int, vars []*ir.Var, where []*ir.Value, inner func(*block)) {
	if len(vars) > 0 || !g.mayLack(d) {
		g.nest(s, base, vars, where, inner)
		return
	}
	once := s.inner(false)
	g.nest(once, base, vars, where, inner)
	s.printf("for range 1 {\n%s}\n", once.text.String())
}

// scatter writes a definition that adds to elements in the order of its variables.
func (g *gen) scatter(d *ir.Def, vars []*ir.Var, s, outer *block) (after func()) {
	b := g.buffers[d.Target]
	g.fill(d, b, outer)
	into := *b
	wide := b.kind == f32 && (d.Monoid == ir.Sum || d.Monoid == ir.Prod)
	if wide {
		into.name, into.kind = g.nameIn(outer, d.Target.Name+" acc"), f64
		g.types[into.name] = "[]float64"
		if b.variable {
			outer.printf("var %s float64\n", into.name)
		} else {
			outer.printf("%s := %s\n", into.name, g.temp(f64Elem, d.Target.Axes))
		}
		g.fill(d, &into, outer)
	}
	b.running = d.Group != 0
	none := ""
	if g.mayLack(d) {
		none = g.nameIn(outer, d.Target.Name+" none")
		g.types[none] = "[]bool"
		outer.printf("%s := %s\n", none, g.temp(boolElem, d.Target.Axes))
	}
	g.guards = guards(d)
	g.points(d, s, s.level, vars, d.Where, func(in *block) {
		g.guards = nil
		at := g.let(in, "at", "int", typed(primary("%s", g.at(d.Target, d.Dest, d.Target.Name, in)))).text
		if len(d.Dest) == 0 {
			at = "0"
		}
		to := into.element(at)
		if none != "" {
			g.lacking, g.lacks = true, fmt.Sprintf("%s[%s] = true\n", none, at)
		}
		if b.set != "" && d.Monoid == ir.Assign {
			g.test(in, primary("%s[%s]", b.set, at), fmt.Sprintf("runtime.FaultError(%q, %q)", g.k.Op, "a second value for an element of "+d.Target.Name))
		}
		if d.Monoid == ir.Assign {
			in.printf("%s = %s\n", to.text, g.stored(d, b.kind, in).text)
		} else {
			g.join(d, b.kind, in, to)
		}
		g.lacking, g.lacks = false, ""
		if b.set != "" && (none == "" || !g.everyPoint(d)) {
			in.printf("%s[%s] = true\n", b.set, at)
		}
		if wide && d.Group != 0 {
			in.printf("%s = float32(%s)\n", b.element(at).text, to.text)
		}
	})
	if d.Group != 0 || !wide && none == "" {
		return nil
	}
	return func() {
		if none != "" {
			i, has := g.nameIn(nil, "i"), fmt.Sprintf("%s[%%[1]s] && ", b.set)
			if g.everyPoint(d) {
				has = ""
			}
			outer.printf("for %[1]s := range %[2]s {\n%[2]s[%[1]s] = "+has+"!%[3]s[%[1]s]\n}\n", i, b.set, none)
		}
		if !wide {
			return
		}
		if b.variable {
			outer.printf("%s = float32(%s)\n", b.name, into.name)
			return
		}
		i, x := g.nameIn(nil, "i"), g.nameIn(nil, "sum")
		outer.printf("for %[1]s, %[2]s := range %[3]s {\n%[4]s[%[1]s] = float32(%[2]s)\n}\n", i, x, into.name, b.name)
	}
}

// fill sets all elements to what they are where nothing is contributed.
func (g *gen) fill(d *ir.Def, b *buffer, s *block) {
	unit := ""
	switch d.Monoid {
	case ir.Assign:
		return
	case ir.Prod:
		unit = "1"
	case ir.All:
		unit = "true"
	case ir.Max:
		unit = b.kind.least
	case ir.Min:
		unit = b.kind.greatest
	}
	switch {
	case unit == "" && !b.variable:
		s.printf("runtime.Clear(%s)\n", b.name)
	case unit == "":
	case b.variable:
		s.printf("%s = %s\n", b.name, unit)
	default:
		i := g.nameIn(nil, "i")
		s.printf("for %[1]s := range %[2]s {\n%[2]s[%[1]s] = %[3]s\n}\n", i, b.name, unit)
	}
}

// accumulator is a variable for what is reduced, and what it starts at.
func (g *gen) accumulator(d *ir.Def, k kind, s *block) (name, start string) {
	typ := k.sum
	switch d.Monoid {
	case ir.Sum:
		return g.nameIn(s, "sum"), typ + "(0)"
	case ir.Prod:
		return g.nameIn(s, "prod"), typ + "(1)"
	case ir.Any:
		return g.nameIn(s, "any"), "false"
	case ir.All:
		return g.nameIn(s, "all"), "true"
	case ir.Max:
		return g.nameIn(s, "most"), k.least
	}
	return g.nameIn(s, "least"), k.greatest
}

// narrowed is what an accumulator holds, as an element.
func (g *gen) narrowed(d *ir.Def, k kind, acc term) term {
	if k == f32 && (d.Monoid == ir.Sum || d.Monoid == ir.Prod) {
		return call("float32", acc)
	}
	return acc
}

// stored is the body as an element.
func (g *gen) stored(d *ir.Def, k kind, s *block) term {
	v := g.value(d.Body, s)
	switch {
	case v.kind == whole:
		g.bail("the body of %s is exact", d.Target.Name)
	case v.kind == k:
		return v.term
	}
	return call(k.goType(), v.term)
}

// join adds the body to an accumulator.
func (g *gen) join(d *ir.Def, k kind, s *block, acc term) {
	x := g.stored(d, k, s)
	width := map[kind]string{f32: "32", f64: "64"}[k]
	if k == f32 && (d.Monoid == ir.Sum || d.Monoid == ir.Prod) && !x.lit {
		x = call("float64", x)
	}
	if d.Target.Exact && (d.Monoid == ir.Sum || d.Monoid == ir.Prod) && !g.leaves().SumHolds(d) {
		g.joinExact(d, k, s, acc, x)
		return
	}
	switch d.Monoid {
	case ir.Sum:
		s.printf("%s += %s\n", acc.text, x.text)
	case ir.Prod:
		s.printf("%s *= %s\n", acc.text, x.text)
	case ir.Any, ir.All:
		x = g.let(s, "c", "bool", x)
		op := map[ir.Monoid]string{ir.Any: "||", ir.All: "&&"}[d.Monoid]
		s.printf("%[1]s = %[1]s %[2]s %[3]s\n", acc.text, op, x.text)
	case ir.Max, ir.Min:
		f := map[ir.Monoid]string{ir.Max: "Max", ir.Min: "Min"}[d.Monoid]
		if k.float() {
			s.printf("%[1]s = runtime.%[2]s%[3]s(%[1]s, %[4]s)\n", acc.text, f, width, x.text)
		} else {
			s.printf("%[1]s = %[2]s(%[1]s, %[3]s)\n", acc.text, map[ir.Monoid]string{ir.Max: "max", ir.Min: "min"}[d.Monoid], x.text)
		}
	}
}

// nest writes loops over vars. Each condition stands in the outermost loop where it is known, in their order. One that may be
// wrong to evaluate is evaluated only where there are points.
func (g *gen) nest(s *block, base int, vars []*ir.Var, where []*ir.Value, inner func(*block)) {
	for len(where) > 0 && g.depth(where[0]) <= s.level {
		if open := slices.DeleteFunc(slices.Clone(vars), func(v *ir.Var) bool { return g.filled[v] }); len(open) > 0 && !g.isSafe(where[0]) {
			if slices.ContainsFunc(open, func(v *ir.Var) bool { return v.Axis == nil }) {
				break // in the innermost loop
			}
			some := primary("true")
			for _, v := range open {
				some = joined("&&", precAnd, some, binary(">", precCompare, g.extent(v.Axis), number(0)))
				g.filled[v] = true
				defer delete(g.filled, v)
			}
			if s.level == base {
				in := s.inner(false)
				g.nest(in, base, vars, where, inner)
				s.printf("if %s {\n%s}\n", some.text, in.text.String())
				return
			}
			s.printf("if %s {\ncontinue\n}\n", not(some).text)
		}
		c := g.cond(where[0], s)
		facts := g.factsOf(where[0], true)
		if s.level == base {
			in := s.inner(false)
			in.facts = facts
			g.nest(in, base, vars, where[1:], inner)
			s.printf("if %s {\n%s}\n", c.text, in.text.String())
			return
		}
		s.printf("if %s {\ncontinue\n}\n", not(c).text)
		s.facts = append(s.facts, facts...)
		where = where[1:]
	}
	if len(vars) == 0 {
		inner(s)
		return
	}
	v := vars[0]
	if v.Axis == nil {
		lo, hi := g.clip(v, where, s)
		g.clipped[v] = [2]*ir.Value{lo, hi}
	}
	g.ranges(v)
	l := g.vars[v]
	l.name = g.nameIn(nil, v.Name)
	in := s.inner(true)
	if s.level-base < g.flat && base == 0 {
		g.flattened = append(g.flattened, flatVar{l.name, g.extent(v.Axis)})
		g.nest(in, base, vars[1:], where, inner)
		s.text.WriteString(in.text.String())
		return
	}
	g.nest(in, base, vars[1:], where, inner)
	g.loop(s, v, l.name, false, in)
}

// loop writes a loop whose body is there.
func (g *gen) loop(s *block, v *ir.Var, name string, reverse bool, body *block) {
	lo, hi := number(0), term{}
	if v.Axis != nil {
		hi = g.extent(v.Axis)
	} else {
		l, h := g.limits(v)
		if v.Lo != l || v.Hi != h {
			g.limited(v, g.bound(v.Lo, s), g.bound(v.Hi, s), s)
		}
		lo, hi = g.bound(l, s), g.bound(h, s)
		if v.Lo == l && v.Hi == h {
			g.limited(v, lo, hi, s)
		}
	}
	text := body.text.String()
	switch {
	case reverse:
		s.printf("for %[1]s := %[2]s; %[1]s >= %[3]s; %[1]s-- {\n%[4]s}\n", name, minus(hi, number(1)).text, lo.text, text)
	case lo.text != "0":
		if !hi.simple() {
			hi = g.let(s, "end", "int", hi)
		}
		s.printf("for %[1]s := %[2]s; %[1]s < %[3]s; %[1]s++ {\n%[4]s}\n", name, lo.text, hi.text, text)
	case !hasWord(text, name):
		s.printf("for range %s {\n%s}\n", hi.text, text)
	default:
		s.printf("for %s := range %s {\n%s}\n", name, hi.text, text)
	}
}

// limits are the bounds of a variable, clipped where its loop is.
func (g *gen) limits(v *ir.Var) (lo, hi *ir.Value) {
	if c, ok := g.clipped[v]; ok {
		return c[0], c[1]
	}
	return v.Lo, v.Hi
}

// bound is a bound of a variable.
func (g *gen) bound(v *ir.Value, s *block) term {
	x := g.value(v, s)
	if x.kind != whole {
		return call("int", x.term)
	}
	return g.integral(v, x, s)
}
