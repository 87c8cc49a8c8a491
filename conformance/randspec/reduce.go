package randspec

import (
	"fmt"
	"strings"
)

// reducers of floats, with the greatest size that their arguments may have.
var reducers = []struct {
	name string
	in   float64
}{
	{"sum", 1000}, {"sum", 1000}, {"sum", 1000}, {"mean", 1000}, {"max", most}, {"min", most}, {"prod", 1.5}, {"logsumexp", 50}, {"norm", 1000},
}

// reduction reduces floats.
func (g *gen) reduction(s *scope, deep int) expr {
	r := pick(g, reducers)
	e, ok := g.reduce(s, deep, r.name, float, func(in *scope) expr { return g.within(in, deep-1, r.in) })
	if !ok {
		return g.floatLeaf(s, deep)
	}
	switch r.name {
	case "sum", "norm":
		e.size *= 20
	case "prod":
		e.size = 100
	case "max", "min":
		if strings.Contains(e.s, " where ") || strings.Contains(e.s, "..") || g.chance(30) {
			return join(precIf, e.size, e.at(precPrim)+" ?? "+pick(g, []string{"0", "1", "-2"}), e)
		}
	case "mean", "logsumexp":
		e.size += 5
	}
	return e
}

// reduce makes a reduction over axes or ranges of a body.
func (g *gen) reduce(s *scope, deep int, name string, k kind, body func(*scope) expr) (expr, bool) {
	if len(g.axes) == 0 {
		return expr{}, false
	}
	indexed := len(s.vars) > 0 && g.chance(70) || g.chance(35)
	if indexed {
		if e, ok := g.reduceOver(s, deep, name, k, body); ok {
			return e, true
		}
	}
	// By name: axes that something has.
	in := s.copy()
	var over []*axis
	var names []string
	for _, a := range g.shuffled() {
		if len(over) == 0 || len(over) < 2 && g.chance(30) {
			over, names = append(over, a), append(names, a.text())
			in.bound[a] = ""
		}
	}
	e := body(in)
	if !g.empty(name) {
		for _, a := range over {
			a.least = max(a.least, 1)
		}
	}
	bare := len(e.free) > 0 && len(s.vars) == 0 && g.chance(20)
	if bare { // all axes of the argument, so these are bound within
		for a := range e.free {
			bare = bare && in.bound[a] == ""
		}
	}
	where := ""
	if g.chance(20) && !bare {
		c := g.truth(in, deep-1)
		where = " where " + c.s
		e = join(e.prec, e.size, e.s, e, c)
	}
	if name[:3] == "arg" && (len(over) > 1 || bare) {
		for _, a := range over {
			if a.pack {
				return expr{}, false
			}
		}
	}
	r := prim(e.size, fmt.Sprintf("%s[%s%s](%s)", name, strings.Join(names, ", "), where, e.s), e)
	if bare {
		r = prim(e.size, name+"("+e.s+")")
		return r, true
	}
	for _, a := range over {
		delete(r.free, a)
	}
	return r, true
}

// empty tells whether a reducer has a value over nothing.
func (g *gen) empty(name string) bool { return name != "max" && name != "min" && name[:3] != "arg" }

func (g *gen) shuffled() []*axis {
	r := append([]*axis{}, g.axes...)
	g.r.Shuffle(len(r), func(i, j int) { r[i], r[j] = r[j], r[i] })
	return r
}

// reduceOver reduces over a variable: of an axis, or a range.
func (g *gen) reduceOver(s *scope, deep int, name string, k kind, body func(*scope) expr) (expr, bool) {
	var a *axis
	for _, x := range g.shuffled() {
		if !x.pack {
			a = x
		}
	}
	if a == nil {
		return expr{}, false
	}
	v := g.name("j")
	in := s.with(a, v)
	binder := v + " in " + a.name
	var ends []expr
	if g.chance(40) {
		lo, hi, over := "0", a.name, a
		outer := s.vars
		switch c := g.r.IntN(8); {
		case c == 0 && len(outer) > 0: // triangular
			w := pick(g, outer)
			hi, over = pick(g, []string{"=" + w.name, w.name}), w.over
		case c == 1 && len(outer) > 0:
			w := pick(g, outer)
			lo, over = w.name, a
			if w.over != a {
				over = nil
			}
		case c == 2:
			lo, hi, over = "-1", "=1", nil
		case c == 3:
			lo, hi, over = "0", pick(g, []string{"2", "3"}), nil
		case c == 4:
			lo, hi = "1", a.name
		case c >= 5: // data say how far, and maybe from where
			end := g.whole(s, g.anyInt(), 1)
			ends, hi, over = append(ends, end), "rem("+end.s+", 4)", nil
			if c == 6 {
				start := g.whole(s, g.anyInt(), 1)
				ends, lo = append(ends, start), "rem("+start.s+", 3)"
			}
		}
		in = s.ranged(v, over)
		binder = v + " in " + lo + ".." + hi
	}
	if !g.empty(name) {
		a.least = max(a.least, 1)
	}
	e := body(in)
	if !contains(e.s, v) {
		switch k {
		case float:
			e = join(precSum, e.size+2, e.at(precSum)+" + "+v+"/4", e)
		case whole:
			e = join(precSum, e.size+8, e.at(precSum)+" + "+v, e)
		case truth:
			e = join(precOr, 1, e.at(precAnd)+" || "+v+" == 1", e)
		}
	}
	where := ""
	if g.chance(20) {
		c := g.truth(in, deep-1)
		where = " where " + c.s
		e = join(e.prec, e.size, e.s, e, c)
	}
	args := e.s
	e = join(e.prec, e.size, e.s, append(ends, e)...)
	if name[:3] == "arg" && g.chance(30) {
		args += ", " + v + "*2"
	}
	r := prim(e.size, fmt.Sprintf("%s[%s%s](%s)", name, binder, where, args), e)
	if _, bound := in.bound[a]; bound && in.bound[a] == v {
		delete(r.free, a)
	}
	return r, true
}
