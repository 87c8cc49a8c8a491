package general

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// carriedLast are the variables of a target in the order of the loops: one that its elements are carried along is the innermost.
func carriedLast(d *ir.Def, over []*ir.Var) []*ir.Var {
	i := slices.Index(over, d.Carried)
	if d.Carried == nil || i < 0 {
		return over
	}
	return append(slices.Delete(slices.Clone(over), i, i+1), d.Carried)
}

// carry writes a definition whose elements are carried along a variable: what is reduced is kept from one element to the next, and the points
// that the next one has more are added. Where the upper end of their range moves they come in the order of the definition, where the lower one does in
// the opposite order.
//
// A condition on the variable alone leaves an element as it is where nothing is contributed, and the points for later ones.
func (g *gen) carry(d *ir.Def, over, reduced []*ir.Var, s, outer *block) {
	t, v := d.Carried, reduced[0]
	rows := over[:len(over)-1]
	gates, where := d.Gates()
	first := 0 // conditions that are known before the reduction
	for first < len(where) && g.depth(where[first]) <= s.level+len(rows) && g.isSafe(where[first]) {
		first++
	}
	if first > 0 || len(gates) > 0 {
		g.nothing(d, outer)
	}
	g.nest(s, s.level, rows, where[:first], func(in *block) {
		r := g.running(d, in)
		point := g.nameIn(in, v.Name)
		g.vars[v].name = point
		from, to := v.Lo, v.Hi
		_, lower := d.Moving()
		if lower {
			from, to = v.Hi, v.Lo
		}
		start := g.bound(from, in).text
		in.printf("%s := %s\n", point, start)
		g.ranges(t)
		g.vars[t].name = g.nameIn(nil, t.Name)
		element := in.inner(true)
		for _, c := range gates {
			element.printf("if %s {\ncontinue\n}\n", not(g.cond(c, element)).text)
			element.facts = append(element.facts, g.factsOf(c, true)...)
		}
		r.renew(element, point+" = "+start)
		end := g.bound(to, element)
		g.ranges(v)
		deep := element.inner(true)
		g.nest(deep, element.level, reduced[1:], where[first:], r.add)
		if lower {
			element.printf("for %[1]s > %[2]s {\n%[1]s--\n%[3]s}\n", point, end.at(precCompare+1), deep.text.String())
		} else {
			element.printf("for ; %[1]s < %[2]s; %[1]s++ {\n%[3]s}\n", point, end.at(precCompare+1), deep.text.String())
		}
		r.store(element)
		g.loop(in, t, g.vars[t].name, d.Reverse, element)
	})
}

// running is what is reduced, in variables of a block: for one element, or for one after the other.
type running struct {
	g           *gen
	d           *ir.Def
	b           *buffer
	acc, start  string
	found, none string // that there are points, and points without a value; "": that needn't be known
}

// running declares the variables.
func (g *gen) running(d *ir.Def, in *block) *running {
	r := &running{g: g, d: d, b: g.buffers[d.Target]}
	acc, start := g.accumulator(d, r.b.kind, in)
	in.printf("%s := %s\n", acc, start)
	r.acc, r.start = acc, start
	if r.b.set != "" && !g.everyPoint(d) {
		r.found = g.nameIn(in, "found")
		in.printf("%s := false\n", r.found)
	}
	if g.mayLack(d) {
		r.none = g.nameIn(in, "none")
		in.printf("%s := false\n", r.none)
	}
	return r
}

// renew takes what was reduced so far to the next element of what is carried: none of it counts there, or all of it with a
// factor, or it is to be reduced anew.
// first is the statement that goes back to the first of its points.
func (r *running) renew(in *block, first string) {
	g := r.g
	if r.d.Kept != nil {
		in.printf("if %s {\n%s = %s\n", not(g.cond(r.d.Kept, in)).text, r.acc, r.start)
		for _, v := range []string{r.found, r.none} {
			if v != "" {
				in.printf("%s = false\n", v)
			}
		}
		in.printf("}\n")
	}
	if r.d.Scaled != nil {
		by := g.let(in, "scale", "float64", g.value(r.d.Scaled, in).term).text
		in.printf("if %s > 1 {\n%s = %s\n%s\n} else {\n%[2]s *= %[1]s\n}\n", by, r.acc, r.start, first)
	}
}

// add adds the body at a point.
func (r *running) add(in *block) {
	g := r.g
	g.guards = nil
	if r.none != "" {
		g.lacking, g.lacks = true, r.none+" = true\n"
	}
	g.join(r.d, r.b.kind, in, primary("%s", r.acc))
	g.lacking, g.lacks = false, ""
	if r.found != "" {
		in.printf("%s = true\n", r.found)
	}
}

// store stores what was reduced in the element of the target.
func (r *running) store(in *block) {
	g, d := r.g, r.d
	at := g.at(d.Target, d.Dest, d.Target.Name, in)
	in.printf("%s = %s\n", r.b.element(at).text, g.narrowed(d, r.b.kind, primary("%s", r.acc)).text)
	if r.b.set == "" {
		return
	}
	has := r.found
	switch {
	case r.none != "" && r.found != "":
		has += " && !" + r.none
	case r.none != "":
		has = "!" + r.none
	}
	in.printf("%s[%s] = %s\n", r.b.set, at, has)
}

// nothing sets all elements of a target to what they are where nothing is contributed.
func (g *gen) nothing(d *ir.Def, s *block) {
	b := g.buffers[d.Target]
	g.fill(d, b, s)
	if b.set != "" && g.everyPoint(d) && d.Monoid != ir.Assign {
		s.printf("for %[1]s := range %[2]s {\n%[2]s[%[1]s] = true\n}\n", g.nameIn(nil, "i"), b.set)
	}
}
