package randspec

import (
	"fmt"
	"strings"
)

// most bounds the size of formulas: what may be greater is squashed.
const most = 1e4

// float is a formula whose value has the dtype of floats.
func (g *gen) float(s *scope, deep int) expr {
	g.budget--
	if deep <= 0 || g.budget <= 0 {
		return g.floatLeaf(s, deep)
	}
	e := pick(g, forms())(g, s, deep)
	if e.size > most {
		return g.squash(e)
	}
	return e
}

// squash bounds a formula.
func (g *gen) squash(e expr) expr {
	switch g.r.IntN(4) {
	case 0:
		return prim(1, "sin("+e.s+")", e)
	case 1:
		return prim(2, "clamp("+e.s+", -2, 2)", e)
	}
	return prim(1, "tanh("+e.s+")", e)
}

// within is a formula bounded by a size.
func (g *gen) within(s *scope, deep int, size float64) expr {
	e := g.float(s, deep)
	if e.size > size {
		return prim(1, "tanh("+e.s+")", e)
	}
	return e
}

// positive is a formula that is at least a half.
func (g *gen) positive(s *scope, deep int) expr {
	e := g.float(s, deep)
	return join(precSum, e.size+0.5, "abs("+e.s+") + 0.5", e)
}

func (g *gen) floatLeaf(s *scope, deep int) expr {
	list := g.readable(s, float, "")
	if len(list) > 0 && g.chance(85) {
		// Later ones are more likely, so that definitions build on each other.
		k := max(g.r.IntN(len(list)), g.r.IntN(len(list)))
		return g.read(s, list[k], deep)
	}
	if ints := g.readable(s, whole, ""); len(ints) > 0 && g.chance(50) {
		t := g.read(s, pick(g, ints), deep)
		return prim(t.size, g.elem+"("+t.s+")", t)
	}
	if bools := g.readable(s, truth, ""); len(bools) > 0 && g.chance(50) {
		t := g.read(s, pick(g, bools), deep)
		return prim(1, g.elem+"("+t.s+")", t)
	}
	if len(list) > 0 {
		return g.read(s, pick(g, list), deep)
	}
	if len(s.vars) > 0 {
		return prim(8, g.elem+"("+pick(g, s.vars).name+")")
	}
	for _, t := range g.known {
		if t.kind == float && !t.optional && !s.noRead[t.name] && len(t.axes) > 0 && g.clear(s, t) {
			return prim(t.size*8, pick(g, []string{"sum", "mean"})+"("+t.name+")")
		}
	}
	return prim(2, g.elem+"("+pick(g, []string{"1/2", "3/4", "2"})+")")
}

// clear tells whether all axes of a tensor may be reduced without brackets: each is met once, and none is that of a variable.
func (g *gen) clear(s *scope, t *tensor) bool {
	n := s.copy()
	for _, a := range t.axes {
		n.bound[a] = ""
	}
	return n.bare(t)
}

// number is what isn't typed: exact or real.
func (g *gen) number(s *scope) expr {
	switch g.r.IntN(6) {
	case 0:
		for _, a := range g.attrs {
			if (a.kind == "float" || a.kind == "T") && !a.hidden && g.chance(60) {
				t := a.name
				if a.optional {
					return join(precIf, a.size, t+" ?? 0.5")
				}
				return prim(a.size, t)
			}
		}
	case 1:
		if len(s.vars) > 0 {
			v := pick(g, s.vars).name
			return join(precTerm, 8, fmt.Sprintf(pick(g, []string{"%s/2", "(%s + 1)/3", "(1 - %s)/4"}), v))
		}
	case 2:
		for _, a := range g.axes {
			if !a.pack && g.chance(40) {
				return join(precTerm, 1, "1/("+a.name+" + 1)")
			}
		}
	}
	return prim(3, pick(g, []string{"0.5", "2", "3", "0.25", "1.5", "1", "0.75"}))
}

// forms are the forms of formulas of floats, likely ones more than once.
func forms() []func(*gen, *scope, int) expr {
	return []func(*gen, *scope, int) expr{
		(*gen).floatLeaf, (*gen).floatLeaf, (*gen).arithmetic, (*gen).arithmetic, (*gen).arithmetic, (*gen).function, (*gen).function,
		(*gen).guarded, (*gen).pair, (*gen).choice, (*gen).choice, (*gen).trap, (*gen).reduction, (*gen).reduction, (*gen).reduction,
		(*gen).helped, (*gen).cast, (*gen).power, (*gen).stopped, (*gen).random,
	}
}

func (g *gen) arithmetic(s *scope, deep int) expr {
	a := g.float(s, deep-1)
	b := g.number(s)
	typed := g.chance(65)
	if typed {
		b = g.float(s, deep-1)
	}
	switch g.r.IntN(8) {
	case 0, 1:
		return join(precSum, a.size+b.size, a.at(precSum)+" + "+b.at(precTerm), a, b)
	case 2:
		return join(precSum, a.size+b.size, a.at(precSum)+" - "+b.at(precTerm), a, b)
	case 3, 4:
		return join(precTerm, a.size*b.size, a.at(precTerm)+" * "+b.at(precUnary), a, b)
	case 5:
		p := g.positive(s, deep-1)
		return join(precTerm, 2*a.size, a.at(precTerm)+" / ("+p.s+")", a, p)
	case 6:
		return join(precUnary, a.size, "-"+a.at(precPower), a)
	}
	if !typed {
		return join(precSum, a.size+b.size, b.at(precSum)+" - "+a.at(precTerm), a, b)
	}
	c := g.number(s)
	return prim(a.size*b.size+c.size, fmt.Sprintf("fma(%s, %s, %s)", a.s, b.s, c.s), a, b, c)
}

// functions take any number of moderate size, with a bound of the result.
var functions = []struct {
	name     string
	in, size float64
}{
	{"tanh", most, 1}, {"sigmoid", most, 1}, {"sin", 100, 1}, {"cos", 100, 1}, {"exp", 4, 60}, {"expm1", 4, 60}, {"exp2", 4, 16}, {"softplus", most, 0},
	{"log_sigmoid", most, 0}, {"erf", most, 1}, {"erfc", 3, 2}, {"atan", most, 2}, {"asinh", most, 12}, {"sinh", 3, 12}, {"cosh", 3, 12}, {"abs", most, 0},
	{"sign", most, 1}, {"floor", most, 0}, {"ceil", most, 0}, {"trunc", most, 0}, {"round", most, 0}, {"tan", 1.2, 3},
}

func (g *gen) function(s *scope, deep int) expr {
	f := pick(g, functions)
	e := g.within(s, deep-1, f.in)
	size := f.size
	if size == 0 {
		size = e.size + 1
	}
	return prim(size, f.name+"("+e.s+")", e)
}

// guarded is a function with a domain, of an argument in it.
func (g *gen) guarded(s *scope, deep int) expr {
	switch g.r.IntN(4) {
	case 0:
		e := g.float(s, deep-1)
		return prim(1.6, pick(g, []string{"asin", "acos", "atanh", "erfinv"})+"(0.9*tanh("+e.s+"))", e)
	case 1:
		p := g.positive(s, deep-1)
		return prim(p.size, pick(g, []string{"acosh(0.6 + ", "lgamma(0.25 + ", "digamma(0.25 + "})+p.s+")", p)
	}
	p := g.positive(s, deep-1)
	return prim(p.size+1, pick(g, []string{"sqrt", "rsqrt", "log", "log2", "log10", "log1p"})+"("+p.s+")", p)
}

func (g *gen) pair(s *scope, deep int) expr {
	a, b := g.float(s, deep-1), g.float(s, deep-1)
	big := max(a.size, b.size)
	switch g.r.IntN(9) {
	case 0, 1:
		return prim(big, fmt.Sprintf("%s(%s, %s)", pick(g, []string{"max", "min", "fmax", "fmin"}), a.s, b.s), a, b)
	case 2:
		return prim(3.2, fmt.Sprintf("atan2(%s, %s + 2)", a.s, b.at(precSum)), a, b)
	case 3:
		return prim(big*2, fmt.Sprintf("hypot(%s, %s)", a.s, b.s), a, b)
	case 4:
		return prim(a.size, fmt.Sprintf("copysign(%s, %s)", a.s, b.s), a, b)
	case 5:
		p := g.positive(s, deep-1)
		return prim(a.size*10, fmt.Sprintf("xlogy(%s, %s)", a.s, p.s), a, p)
	case 6:
		return prim(big+1, fmt.Sprintf("logaddexp(%s, %s)", a.s, b.s), a, b)
	case 7:
		return prim(2, fmt.Sprintf("clamp(%s, -2, %s)", a.s, pick(g, []string{"2", "1.5"})), a)
	}
	p := g.positive(s, deep-1)
	if g.chance(50) {
		return prim(p.size, fmt.Sprintf("rem(%s, %s)", a.s, p.s), a, p)
	}
	return join(precTerm, p.size, a.at(precTerm)+" % ("+p.s+")", a, p)
}

// choice is an if: of data, of attributes, of what is there.
func (g *gen) choice(s *scope, deep int) expr {
	if g.choices < 2 && g.chance(25) {
		return g.fixed(s, deep)
	}
	c := g.truth(s, deep-1)
	a, b := g.float(s, deep-1), g.float(s, deep-1)
	if g.chance(25) {
		b = g.number(s)
	}
	return join(precIf, max(a.size, b.size), fmt.Sprintf("if %s then %s else %s", c.at(precOr), a.at(precOr), b.s), c, a, b)
}

// fixed is a static or a uniform choice.
func (g *gen) fixed(s *scope, deep int) expr {
	g.choices++
	a, b := g.float(s, deep-1), g.float(s, deep-1)
	cond := ""
	switch g.r.IntN(5) {
	case 0:
		cond = g.newAttr("bool").name
	case 1:
		e := g.newAttr("enum")
		cond = e.name + pick(g, []string{" == ", " != "}) + pick(g, e.words)
	case 2:
		cond = g.newAttr("float").name + pick(g, []string{" > 0.5", " <= 1", " == 0"})
	case 3:
		for _, x := range g.axes {
			if !x.pack && !x.computed {
				cond = x.name + pick(g, []string{" > 2", " == 1", " <= 3"})
			}
		}
	case 4:
		for _, t := range g.ins {
			if t.optional && !s.present[t.name] {
				in := s.copy()
				in.present[t.name] = true
				if in.bare(t) || g.indexable(in, t) {
					cond, a = "has("+t.name+")", g.float(in, deep-1)
					if contains(b.s, t.name) { // which isn't there in the other branch, and so would read nothing
						in = s.copy()
						in.noRead[t.name] = true
						b = g.float(in, deep-1)
					}
				}
			}
		}
	}
	if cond == "" {
		g.choices--
		return g.float(s, deep-1)
	}
	return join(precIf, max(a.size, b.size), fmt.Sprintf("if %s then %s else %s", cond, a.at(precOr), b.s), a, b)
}

// trap is a function outside of whose domain a choice steers clear.
func (g *gen) trap(s *scope, deep int) expr {
	e := g.read1(s, deep)
	t := pick(g, []string{
		"if %[1]s > 0 then sqrt(%[1]s) else %[1]s", "if %[1]s > 0 then log(%[1]s) else 0", "if %[1]s == 0 then 1 else sin(%[1]s)/%[1]s",
		"if %[1]s <= 0 then 0 else %[1]s*log(%[1]s)", "if abs(%[1]s) < 1 then atanh(%[1]s) else 1/%[1]s", "if %[1]s < 0 then -%[1]s else sqrt(%[1]s)",
	})
	r := join(precIf, max(e.size, 12), fmt.Sprintf(t, e.s), e)
	if strings.Contains(t, "atanh") || strings.Contains(t, "log") {
		return prim(1, "tanh("+r.s+")", r)
	}
	return r
}

// read1 is a formula short enough to stand several times.
func (g *gen) read1(s *scope, deep int) expr {
	e := g.floatLeaf(s, 0)
	return expr{e.at(precPrim), precPrim, e.size, e.free}
}

func (g *gen) cast(s *scope, deep int) expr {
	if g.chance(40) {
		c := g.truth(s, deep-1)
		return prim(1, g.elem+"("+c.s+")", c)
	}
	i := g.whole(s, g.anyInt(), deep-1)
	return prim(i.size, g.elem+"("+i.s+")", i)
}

func (g *gen) power(s *scope, deep int) expr {
	switch g.r.IntN(3) {
	case 0:
		a := g.within(s, deep-1, 10)
		return join(precPower, a.size*a.size*a.size, a.at(precAlt+1)+"^"+pick(g, []string{"2", "3"}), a)
	case 1:
		p := g.positive(s, deep-1)
		return join(precPower, p.size*p.size, "("+p.s+")^"+pick(g, []string{"0.5", "1.5", "(-1)", "(1/3)"}), p)
	}
	p, q := g.positive(s, deep-1), g.within(s, deep-1, 1)
	return join(precPower, p.size+2, "("+p.s+")^"+q.at(precUnary+1), p, q)
}

func (g *gen) stopped(s *scope, deep int) expr {
	e := g.float(s, deep-1)
	if g.chance(60) {
		return e
	}
	g.smooth = false
	return prim(e.size, "stop("+e.s+")", e)
}

// random is a random number for each point of axes.
func (g *gen) random(s *scope, deep int) expr {
	var axes []*axis
	for a := range s.bound {
		axes = append(axes, a)
	}
	if len(axes) == 0 || !g.chance(20) {
		return g.float(s, deep-1)
	}
	var names []string
	e := expr{prec: precPrim, size: 5, free: map[*axis]bool{}}
	for _, a := range g.axes { // in the order of the signature
		if _, ok := s.bound[a]; ok && (len(names) == 0 || g.chance(60)) {
			names = append(names, a.text())
			e.free[a] = true
		}
	}
	e.s = fmt.Sprintf("%s[%s](%s)", pick(g, []string{"uniform", "normal"}), strings.Join(names, ", "), g.seed())
	return e
}
