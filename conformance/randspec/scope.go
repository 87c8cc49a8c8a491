package randspec

import (
	"fmt"
	"slices"
	"strings"
)

// expr is a formula.
type expr struct {
	s    string
	prec int
	size float64        // no element is greater, as a rule
	free map[*axis]bool // axes of tensors that stand bare
}

// Levels of precedence.
const (
	precIf = iota
	precOr
	precAnd
	precCompare
	precSum
	precTerm
	precUnary
	precPower
	precAlt
	precPrim
)

// at is the formula where one of a precedence stands.
func (e expr) at(prec int) string {
	if e.prec < prec {
		return "(" + e.s + ")"
	}
	return e.s
}

func prim(size float64, s string, of ...expr) expr { return join(precPrim, size, s, of...) }

func join(prec int, size float64, s string, of ...expr) expr {
	e := expr{s: s, prec: prec, size: size, free: map[*axis]bool{}}
	for _, o := range of {
		for a := range o.free {
			e.free[a] = true
		}
	}
	return e
}

// variable is an index variable. Over an axis it is in range of that axis.
type variable struct {
	name string
	over *axis // nil: none
}

// scope is what a formula may use at its place.
type scope struct {
	bound   map[*axis]string // axes at this point, with the variable that stands for their index ("": none)
	vars    []variable
	present map[string]bool // optional inputs that are there
	noRead  map[string]bool // tensors that are not to be read here
}

func newScope() *scope {
	return &scope{bound: map[*axis]string{}, present: map[string]bool{}, noRead: map[string]bool{}}
}

func (s *scope) copy() *scope {
	n := newScope()
	for a, v := range s.bound {
		n.bound[a] = v
	}
	n.vars = slices.Clone(s.vars)
	for p := range s.present {
		n.present[p] = true
	}
	for p := range s.noRead {
		n.noRead[p] = true
	}
	return n
}

// with binds an axis, by a variable or without.
func (s *scope) with(a *axis, name string) *scope {
	n := s.copy()
	n.bound[a] = name
	if name != "" && !a.pack {
		n.vars = append(n.vars, variable{name, a})
	}
	return n
}

// ranged adds a variable over a range.
func (s *scope) ranged(name string, over *axis) *scope {
	n := s.copy()
	n.vars = append(n.vars, variable{name, over})
	return n
}

// bare tells whether a tensor can stand without an index.
func (s *scope) bare(t *tensor) bool {
	for i, a := range t.axes {
		if _, ok := s.bound[a]; !ok || slices.Contains(t.axes[:i], a) {
			return false
		}
	}
	return true
}

// readable are the tensors of a kind that can be read.
func (g *gen) readable(s *scope, k kind, elem string) []*tensor {
	var r []*tensor
	for _, t := range g.known {
		if t.kind != k || elem != "" && t.elem != elem || s.noRead[t.name] {
			continue
		}
		if s.bare(t) || g.indexable(s, t) {
			r = append(r, t)
		}
	}
	return r
}

// indexable tells whether a tensor can be read by indices.
func (g *gen) indexable(s *scope, t *tensor) bool {
	if t.loose || len(t.slots) == 0 {
		return false
	}
	for _, a := range t.axes {
		if a == nil || a.pack && s.bound[a] == "" {
			return false
		}
	}
	return len(s.vars) > 0
}

// read reads a tensor: bare, or by indices.
func (g *gen) read(s *scope, t *tensor, deep int) expr {
	if !g.indexable(s, t) || s.bare(t) && g.chance(40) {
		e := expr{s: t.name, prec: precPrim, size: t.size, free: map[*axis]bool{}}
		for _, a := range t.axes {
			e.free[a] = true
		}
		return g.given(s, t, e)
	}
	var parts []string
	safe := true
	g.across = nil
	for _, sl := range t.slots {
		p, ok := g.slotIndex(s, sl, deep)
		parts, safe = append(parts, p), safe && ok
	}
	e := prim(t.size, t.name+"["+strings.Join(parts, ", ")+"]")
	for _, a := range g.across {
		e.free[a] = true
	}
	if !safe {
		alt := g.literal(t)
		if g.chance(25) && !t.optional {
			return join(precIf, t.size, fmt.Sprintf("if has(%s) then %s else %s", e.s, e.s, alt), e)
		}
		return join(precIf, t.size, e.s+" ?? "+alt, e)
	}
	return g.given(s, t, e)
}

// given guards an optional input.
func (g *gen) given(s *scope, t *tensor, e expr) expr {
	if !t.optional || s.present[t.name] {
		return e
	}
	return join(precIf, e.size, e.s+" ?? "+g.literal(t), e)
}

// literal is a constant that fits a tensor.
func (g *gen) literal(t *tensor) string {
	switch t.kind {
	case truth:
		return pick(g, []string{"true", "false"})
	case whole:
		return t.elem + "(" + pick(g, []string{"0", "1", "2"}) + ")"
	}
	return pick(g, []string{"0", "1", "0.5", "-1"})
}

func (g *gen) slotIndex(s *scope, sl slot, deep int) (string, bool) {
	if sl.product != nil {
		var parts []string
		safe := true
		for _, p := range sl.product {
			t, ok := g.slotIndex(s, p, deep)
			parts, safe = append(parts, t), safe && ok
		}
		return "(" + strings.Join(parts, ", ") + ")", safe
	}
	return g.index(s, sl.axis, deep)
}

// index is an index of an axis, and whether it is always in range.
func (g *gen) index(s *scope, a *axis, deep int) (string, bool) {
	v := s.bound[a]
	if a.pack {
		return ".." + v, true
	}
	if v == "" {
		for _, w := range s.vars {
			if w.over == a {
				v = w.name
			}
		}
	}
	if v != "" && g.chance(60) {
		return v, true
	}
	var gathers []*tensor
	for _, t := range g.readable(s, whole, "") {
		if t.of == a && (!t.optional || s.present[t.name]) {
			gathers = append(gathers, t)
		}
	}
	if len(gathers) > 0 && deep > 0 && g.chance(60) {
		t := pick(g, gathers)
		if s.bare(t) {
			g.across = append(g.across, t.axes...)
			return t.name, true
		}
		in := s.copy()
		var parts []string
		safe := true
		for _, sl := range t.slots {
			p, ok := g.slotIndex(in, sl, 0)
			parts, safe = append(parts, p), safe && ok
		}
		return t.name + "[" + strings.Join(parts, ", ") + "]", safe
	}
	if v != "" && g.chance(20) {
		return fmt.Sprintf("%s - 1 - %s", a.name, v), true
	}
	if len(s.vars) == 0 || g.chance(10) {
		a.least = max(a.least, 1)
		return pick(g, []string{"0", a.name + " - 1"}), true
	}
	w := pick(g, s.vars).name
	u := pick(g, s.vars).name
	if u == w {
		return fmt.Sprintf(pick(g, []string{"%s + 1", "%s - 1", "2*%s", "%s/2", "2*%s - 1", "(%s + 1)/2", "3 - %s", "floor(%s/2)"}), w), false
	}
	return fmt.Sprintf(pick(g, []string{"%s + %s", "%s - %s", "2*%s + %s", "%s*2 - %s", "(%s - %s)/2", "%s + %s - 1"}), w, u), false
}
