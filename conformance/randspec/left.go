package randspec

import (
	"slices"
	"strings"
)

// left makes the left side of what is set by index: the indices, and the scope of the right side.
func (g *gen) left(s *scope, slots []slot, in bool) (string, *scope) {
	var parts []string
	var one func(sl slot) string
	one = func(sl slot) string {
		if sl.product != nil {
			var p []string
			for _, f := range sl.product {
				p = append(p, one(f))
			}
			return "(" + strings.Join(p, ", ") + ")"
		}
		v := g.name("j")
		s = s.with(sl.axis, v)
		t := v
		if sl.axis.pack {
			t = ".." + v
		}
		if in {
			t += " in " + sl.axis.name
		}
		return t
	}
	for _, sl := range slots {
		parts = append(parts, one(sl))
	}
	return "[" + strings.Join(parts, ", ") + "]", s
}

// useVars sees to it that each variable of a left side is used.
func (g *gen) useVars(s *scope, slots []slot, k kind, elem string, e expr) (expr, bool) {
	for _, a := range flat(slots) {
		v := s.bound[a]
		// What stands in a branch that depends on whether an input is there may be left out in all variants.
		if contains(e.s, v) && (a.pack || !strings.Contains(e.s, "has(")) {
			continue
		}
		if a.pack {
			var fits []*tensor
			for _, t := range g.readable(s, k, elem) {
				if slices.Contains(t.axes, a) && g.indexable(s, t) && !t.optional && t.mode == "" {
					fits = append(fits, t)
				}
			}
			if k != float || len(fits) == 0 {
				return e, false
			}
			t := fits[0]
			var parts []string
			for _, sl := range t.slots {
				p, ok := g.straight(s, sl)
				if !ok {
					return e, false
				}
				parts = append(parts, p)
			}
			e = join(precSum, e.size+t.size, e.at(precSum)+" + "+t.name+"["+strings.Join(parts, ", ")+"]", e)
			if !contains(e.s, v) {
				return e, false
			}
			continue
		}
		switch k {
		case float:
			e = join(precSum, e.size+2, e.at(precSum)+" + "+v+"/8", e)
		case whole:
			e = join(precSum, e.size+8, e.at(precSum)+" + "+elem+"("+v+")", e)
		case truth:
			e = join(precOr, 1, e.at(precAnd)+" || "+v+" == 1", e)
		}
	}
	return e, true
}

// straight is the index of the point itself.
func (g *gen) straight(s *scope, sl slot) (string, bool) {
	if sl.product != nil {
		var p []string
		for _, f := range sl.product {
			t, ok := g.straight(s, f)
			if !ok {
				return "", false
			}
			p = append(p, t)
		}
		return "(" + strings.Join(p, ", ") + ")", true
	}
	v := s.bound[sl.axis]
	if sl.axis.pack {
		return ".." + v, v != ""
	}
	if v == "" {
		sl.axis.least = max(sl.axis.least, 1)
		return "0", true
	}
	return v, true
}
