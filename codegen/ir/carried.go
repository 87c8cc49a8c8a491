package ir

import "slices"

// Moving is the reduced variable whose range grows along what a definition is carried along, and whether that is the lower end of the range,
// which falls, rather than the upper one, which rises.
func (d *Def) Moving() (s *Var, lower bool) {
	s = d.Reduced()[0]
	return s, DependsOn(s.Lo, map[*Var]bool{d.Carried: true})
}

// Gates are the conditions of a definition that hang on what it is carried along and on nothing that is reduced: without them an element gets nothing.
// The others are conditions on points; where a running extreme is followed, all are.
func (d *Def) Gates() (gates, points []*Value) {
	if d.Kept != nil || d.Scaled != nil {
		return nil, d.Where
	}
	along, reduced := map[*Var]bool{d.Carried: true}, own(d.Reduced())
	for _, c := range d.Where {
		if DependsOn(c, along) && !DependsOn(c, reduced) {
			gates = append(gates, c)
		} else {
			points = append(points, c)
		}
	}
	return gates, points
}

func own(vars []*Var) map[*Var]bool {
	r := map[*Var]bool{}
	for _, v := range vars {
		r[v] = true
	}
	return r
}

// IsFilled tells whether each element is reduced over points that are known to be there: a range such as 0..t + 1.
func (d *Def) IsFilled() bool {
	if !d.IsPlain() || len(d.Where) > 0 || d.Group != 0 {
		return false
	}
	for _, v := range d.Reduced() {
		if v.Axis != nil || !AtMost(Int(1), Sub(v.Hi, v.Lo), d.Vars) {
			return false
		}
	}
	return len(d.Reduced()) > 0
}

// carriedWrong says why a definition can't be carried along what it says; "" where it can, or where it isn't.
func (d *Def) carriedWrong() string {
	if d.Carried == nil {
		return ""
	}
	along, reduced := map[*Var]bool{d.Carried: true}, own(d.Reduced())
	kept := false
	for _, e := range d.Dest {
		kept = kept || e.Op == OpIndex && e.Var == d.Carried
	}
	switch {
	case d.Group != 0 || d.Monoid == Assign || !d.IsPlain() || !kept:
		return "it is no variable that a reduction keeps"
	case len(reduced) == 0 || d.Reduced()[0].Axis != nil:
		return "nothing is reduced over a range"
	case DependsOn(d.Body, along) && d.Scaled == nil:
		return "the body hangs on it"
	case d.Kept != nil && d.Kept.Type != BoolType || d.Scaled != nil && (d.Scaled.Type != TypedAs(Elem{Name: "f64"}) || d.Monoid != Sum):
		return "what becomes of the points so far is neither a condition nor a factor of a sum"
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
	gates, points := d.Gates()
	for _, c := range gates {
		for t := range Reads(c) {
			if t.Role != Input {
				return "a condition hangs on it and on what is computed"
			}
		}
	}
	for _, c := range points {
		if DependsOn(c, along) && d.Kept == nil {
			return "a condition hangs on it and on what is reduced"
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
			u.Carried, u.Kept, u.Scaled, u.Reverse = nil, nil, nil, false
			n.Defs[i] = &u
		}
	}
	return &n
}
