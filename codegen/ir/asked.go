package ir

import "slices"

// Askable are the definitions of f with conditions and ranges that ask for nothing that isn't there. A definition doesn't run along all
// the axes of the place that it was taken from, so it may run where that place doesn't, since one of its axes is empty, and so may
// be an axis of a maximum or minimum. What a condition or the end of a range reads of one is 0 then. Nobody needs a result of it:
// what outputs need has points by NeedsPoints, which comes before. The gradient that has no results to come from is a sum over nothing,
// so it asks for 0 there, too; other definitions have no value where what they read has none.
func Askable(f *Func) []*Def {
	lacks := map[*Tensor][]*Axis{} // the axes without which the elements of a tensor have no value
	defs := make([]*Def, len(f.Defs))
	for i, d := range f.Defs {
		defs[i] = askable(d, lacks)
		if d.Group != 0 || slices.ContainsFunc(d.Where, OfCall) {
			continue
		}
		var over []*Axis
		for r := range mayRead(d.Body) {
			over = append(over, without(lacks[r], d.Vars)...)
		}
		if d.Monoid == Max || d.Monoid == Min {
			for _, v := range d.Reduced() {
				if v.Axis != nil && v.Axis.Size == nil {
					over = append(over, v.Axis)
				}
			}
		}
		if over != nil {
			lacks[d.Target] = over
		}
	}
	return defs
}

// askable is a definition with guards in its conditions and ranges.
func askable(d *Def, lacks map[*Tensor][]*Axis) *Def {
	if len(lacks) == 0 || slices.ContainsFunc(d.Where, OfCall) {
		return d
	}
	n := *d
	n.Vars, n.Where = slices.Clone(d.Vars), slices.Clone(d.Where)
	m := map[*Var]*Value{}
	changed := false
	guarded := func(v *Value, vars []*Var) *Value {
		r := Subst(guardReads(v, vars, lacks), m)
		changed = changed || r != v
		return r
	}
	for i, v := range d.Vars {
		if v.Axis != nil {
			continue
		}
		w := *v
		w.Lo, w.Hi = guarded(v.Lo, d.Vars[:i]), guarded(v.Hi, d.Vars[:i])
		if w.Lo != v.Lo || w.Hi != v.Hi {
			n.Vars[i], m[v] = &w, Index(&w)
		}
	}
	for i, c := range d.Where {
		n.Where[i] = guarded(c, d.Vars)
	}
	if d.Target.Role == Gradient {
		n.Body = guardReads(d.Body, d.Vars, lacks)
		changed = changed || n.Body != d.Body
	}
	if !changed {
		return d
	}
	n.Dest, n.Body = SubstAll(n.Dest, m), Subst(n.Body, m)
	return &n
}

// guardReads puts reads that may have no value, where vars run over what they run over, behind guards, but for what a condition of the
// call decides.
func guardReads(v *Value, vars []*Var, lacks map[*Tensor][]*Axis) *Value {
	reads := mayRead(v)
	var missing bool
	for r := range reads {
		missing = missing || len(without(lacks[r], vars)) > 0
	}
	if !missing {
		return v
	}
	switch v.Op {
	case OpRead:
		var some []*Value
		for _, a := range without(lacks[v.Tensor], vars) {
			some = append(some, Call(OpLt, Int(0), Extent(a)))
		}
		args := make([]*Value, len(v.Args))
		for i, a := range v.Args {
			args[i] = guardReads(a, vars, lacks)
		}
		read := WithArgs(v, args)
		if v.Type.Kind == Bool {
			return And(append(some, read)...)
		}
		return Select(And(some...), read, Cast(Int(0), v.Type))
	case OpSelect:
		if slices.ContainsFunc(Conjuncts(v.Args[0]), OfCall) {
			return Select(guardReads(v.Args[0], vars, lacks), v.Args[1], v.Args[2])
		}
	}
	args := make([]*Value, len(v.Args))
	for i, a := range v.Args {
		args[i] = guardReads(a, vars, lacks)
	}
	return WithArgs(v, args)
}

// without are the axes that no variable runs over.
func without(axes []*Axis, vars []*Var) []*Axis {
	var r []*Axis
	for _, a := range axes {
		if !slices.Contains(r, a) && !slices.ContainsFunc(vars, func(v *Var) bool { return v.Axis == a }) {
			r = append(r, a)
		}
	}
	return r
}
