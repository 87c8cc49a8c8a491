package ir

import "slices"

// Moving is the reduced variable whose range grows along what a definition is carried along, and whether that is the lower end of the range,
// which falls, rather than the upper one, which rises.
func (d *Def) Moving() (s *Var, lower bool) {
	s = d.Reduced()[0]
	return s, DependsOn(s.Lo, map[*Var]bool{d.Carried: true})
}

// Gates are the conditions of a definition that hang on what it is carried along, without which an element gets nothing; rest are the others.
func (d *Def) Gates() (gates, rest []*Value) {
	along := map[*Var]bool{d.Carried: true}
	for _, c := range d.Where {
		if DependsOn(c, along) {
			gates = append(gates, c)
		} else {
			rest = append(rest, c)
		}
	}
	return gates, rest
}

// carriedWrong says why a definition can't be carried along what it says; "" where it can, or where it isn't.
func (d *Def) carriedWrong() string {
	if d.Carried == nil {
		return ""
	}
	along := map[*Var]bool{d.Carried: true}
	reduced := map[*Var]bool{}
	for _, v := range d.Reduced() {
		reduced[v] = true
	}
	kept := false
	for _, e := range d.Dest {
		kept = kept || e.Op == OpIndex && e.Var == d.Carried
	}
	switch {
	case d.Group != 0 || d.Monoid == Assign || !d.IsPlain() || !kept:
		return "it is no variable that a reduction keeps"
	case len(reduced) == 0 || d.Reduced()[0].Axis != nil:
		return "nothing is reduced over a range"
	case DependsOn(d.Body, along):
		return "the body hangs on it"
	}
	for i, v := range d.Reduced() {
		if v.Axis != nil {
			continue
		}
		lo, hi := DependsOn(v.Lo, along), DependsOn(v.Hi, along)
		switch {
		case i == 0 && lo == hi:
			return "not one end of the range hangs on it"
		case i == 0 && (DependsOn(v.Lo, reduced) || DependsOn(v.Hi, reduced)):
			return "the range hangs on what is reduced"
		case i > 0 && (lo || hi):
			return "two ranges hang on it"
		}
	}
	gates, _ := d.Gates()
	for _, c := range gates {
		if DependsOn(c, reduced) || len(Reads(c)) > 0 {
			return "a condition hangs on it and on what is reduced or read"
		}
	}
	return ""
}

// Uncarried is the function with each element of a reduction reduced for itself: as definitions are to be read that others are derived from.
func Uncarried(f *Func) *Func {
	if !slices.ContainsFunc(f.Defs, func(d *Def) bool { return d.Carried != nil }) {
		return f
	}
	n := *f
	n.Defs = make([]*Def, len(f.Defs))
	for i, d := range f.Defs {
		n.Defs[i] = d
		if d.Carried != nil {
			u := *d
			u.Carried, u.Reverse = nil, false
			n.Defs[i] = &u
		}
	}
	return &n
}
