package randspec

import (
	"fmt"
	"strings"
)

// anyInt is a dtype of integers that the spec has.
func (g *gen) anyInt() string {
	if len(g.ints) == 0 {
		return "i64"
	}
	return pick(g, g.ints)
}

// whole is a formula of integers of a dtype.
func (g *gen) whole(s *scope, elem string, deep int) expr {
	g.budget--
	if deep <= 0 || g.budget <= 0 {
		return g.wholeLeaf(s, elem, deep)
	}
	e := g.wholeOf(s, elem, deep)
	if e.size > 1000 {
		return join(precTerm, 7, e.at(precTerm)+" % 7", e)
	}
	return e
}

func (g *gen) wholeOf(s *scope, elem string, deep int) expr {
	a := g.whole(s, elem, deep-1)
	switch g.r.IntN(14) {
	case 0:
		b := g.whole(s, elem, deep-1)
		return join(precSum, a.size+b.size, a.at(precSum)+pick(g, []string{" + ", " - "})+b.at(precTerm), a, b)
	case 1:
		b := g.whole(s, elem, deep-1)
		return join(precTerm, a.size*b.size, a.at(precTerm)+" * "+b.at(precUnary), a, b)
	case 2:
		return join(precTerm, 5, a.at(precTerm)+" % "+pick(g, []string{"2", "3", "5"}), a)
	case 3:
		return prim(5, "rem("+a.s+", "+pick(g, []string{"2", "3", "5"})+")", a)
	case 4:
		b := g.whole(s, elem, deep-1)
		return prim(max(a.size, b.size), fmt.Sprintf("%s(%s, %s)", pick(g, []string{"max", "min"}), a.s, b.s), a, b)
	case 5:
		return prim(a.size, pick(g, []string{"abs", "sign"})+"("+a.s+")", a)
	case 6:
		return prim(a.size, fmt.Sprintf("%s(%s(%s / %s))", elem, pick(g, []string{"floor", "ceil", "trunc", "round"}), a.at(precTerm), pick(g, []string{"2", "3", "4"})), a)
	case 7:
		e := g.within(s, deep-1, 50)
		return prim(e.size, fmt.Sprintf("%s(%s(%s))", elem, pick(g, []string{"floor", "ceil", "trunc", "round"}), e.s), e)
	case 8:
		c := g.truth(s, deep-1)
		return prim(1, elem+"("+c.s+")", c)
	case 9:
		c, b := g.truth(s, deep-1), g.whole(s, elem, deep-1)
		return join(precIf, max(a.size, b.size), fmt.Sprintf("if %s then %s else %s", c.at(precOr), a.at(precOr), b.s), c, a, b)
	case 10:
		r := pick(g, []string{"sum", "sum", "max", "min"})
		body := func(in *scope) expr { return g.whole(in, elem, deep-1) }
		e, ok := g.reduce(s, deep, r, whole, body)
		if !ok {
			return a
		}
		if r == "sum" {
			return prim(e.size*10, elem+"("+e.s+")", e)
		}
		return join(precIf, e.size, e.at(precPrim)+" ?? "+elem+"(0)", e)
	case 11:
		return join(precSum, a.size+2, a.at(precSum)+pick(g, []string{" + 1", " + 2", " - 1"}), a)
	case 12:
		if e, ok := g.place(s, deep); ok {
			return prim(20, elem+"("+e.s+")", e)
		}
	}
	return a
}

func (g *gen) wholeLeaf(s *scope, elem string, deep int) expr {
	list := g.readable(s, whole, "")
	if len(list) > 0 && g.chance(80) {
		t := pick(g, list)
		e := g.read(s, t, deep)
		if t.elem != elem {
			return prim(e.size, elem+"("+e.s+")", e)
		}
		return e
	}
	if len(s.vars) > 0 && g.chance(60) {
		return prim(8, elem+"("+pick(g, s.vars).name+")")
	}
	return prim(3, elem+"("+pick(g, []string{"1", "2", "3"})+")")
}

// place is an argmax or argmin, as a number.
func (g *gen) place(s *scope, deep int) (expr, bool) {
	body := func(in *scope) expr { return g.float(in, deep-1) }
	e, ok := g.reduce(s, deep, pick(g, []string{"argmax", "argmin"}), float, body)
	if !ok {
		return e, false
	}
	return join(precIf, 20, e.at(precPrim)+" ?? 0", e), true
}

// truth is a condition.
func (g *gen) truth(s *scope, deep int) expr {
	g.budget--
	if deep <= 0 || g.budget <= 0 {
		return g.truthLeaf(s, deep)
	}
	switch g.r.IntN(10) {
	case 0:
		a, b := g.truth(s, deep-1), g.truth(s, deep-1)
		return join(precAnd, 1, a.at(precCompare)+" && "+b.at(precCompare), a, b)
	case 1:
		a, b := g.truth(s, deep-1), g.truth(s, deep-1)
		return join(precOr, 1, a.at(precAnd)+" || "+b.at(precAnd), a, b)
	case 2:
		a := g.truth(s, deep-1)
		return join(precUnary, 1, "!"+a.at(precPrim), a)
	case 3:
		e := g.float(s, deep-1)
		f := pick(g, []string{"isnan", "isinf", "isfinite", "signbit"})
		if f == "signbit" { // the sign of NaN may be either
			return join(precAnd, 1, "!isnan("+e.s+") && signbit("+e.s+")", e)
		}
		return prim(1, f+"("+e.s+")", e)
	case 4:
		body := func(in *scope) expr { return g.truth(in, deep-1) }
		if e, ok := g.reduce(s, deep, pick(g, []string{"any", "all"}), truth, body); ok {
			return e
		}
	case 5:
		elem := g.anyInt()
		a := g.whole(s, elem, deep-1)
		b := prim(3, pick(g, []string{"0", "1", "3"}))
		if g.chance(60) {
			b = g.whole(s, elem, deep-1)
		}
		return join(precCompare, 1, a.at(precSum)+g.comparison()+b.at(precSum), a, b)
	case 6:
		a, b := g.truth(s, deep-1), g.truth(s, deep-1)
		return join(precCompare, 1, a.at(precSum)+pick(g, []string{" == ", " != "})+b.at(precSum), a, b)
	}
	return g.compared(s, deep)
}

func (g *gen) comparison() string {
	return pick(g, []string{" < ", " <= ", " > ", " >= ", " == ", " != "})
}

// compared compares numbers.
func (g *gen) compared(s *scope, deep int) expr {
	a := g.float(s, deep-1)
	b := prim(1, pick(g, []string{"0", "0", "0.5", "-1", "inf"}))
	if g.chance(50) {
		b = g.float(s, deep-1)
	}
	return join(precCompare, 1, a.at(precSum)+g.comparison()+b.at(precSum), a, b)
}

func (g *gen) truthLeaf(s *scope, deep int) expr {
	if list := g.readable(s, truth, ""); len(list) > 0 && g.chance(60) {
		return g.read(s, pick(g, list), deep)
	}
	if len(s.vars) > 0 && g.chance(40) {
		v := pick(g, s.vars)
		if v.over != nil && g.chance(40) {
			return join(precCompare, 1, fmt.Sprintf("%s < %s - 1", v.name, v.over.name))
		}
		w := pick(g, s.vars)
		if w.name != v.name {
			return join(precCompare, 1, v.name+g.comparison()+w.name)
		}
		return join(precCompare, 1, v.name+pick(g, []string{" > 0", " != 1", " % 2 == 0"}))
	}
	e := g.floatLeaf(s, 0)
	return join(precCompare, 1, e.at(precSum)+pick(g, []string{" > 0", " < 0.5", " != 0", " <= 1"}), e)
}

// contains tells whether a word stands in a text.
func contains(text, word string) bool { return strings.Contains(text, word) && words(text)[word] > 0 }
