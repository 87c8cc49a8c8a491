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
// call decides. One that says that an axis has points, as x ?? 0 has, says nothing of those that the place it was taken from runs over.
func guardReads(v *Value, vars []*Var, lacks map[*Tensor][]*Axis) *Value {
	missing := false
	for r := range Reads(v) {
		missing = missing || len(without(lacks[r], vars)) > 0
	}
	if !missing {
		return v
	}
	args := slices.Clone(v.Args)
	conds := 0 // arguments that are looked at
	switch v.Op {
	case OpAnd, OpOr:
		if slices.ContainsFunc(v.Args, OfCall) {
			return v
		}
	case OpSelect:
		if c := Conjuncts(v.Args[0]); slices.ContainsFunc(c, OfCall) {
			args[1] = guardReads(args[1], vars, restOf(lacks, c))
			conds = 1
		}
	}
	for i, a := range args {
		if conds == 0 || i < conds {
			args[i] = guardReads(a, vars, lacks)
		}
	}
	r := WithArgs(v, args)
	if v.Op != OpRead {
		return r
	}
	var some []*Value
	for _, a := range without(lacks[v.Tensor], vars) {
		some = append(some, Call(OpLt, Int(0), Extent(a)))
	}
	switch {
	case some == nil:
		return r
	case v.Type.Kind == Bool:
		return And(append(some, r)...)
	}
	return Select(And(some...), r, Cast(Int(0), v.Type))
}

// restOf are the axes that tensors lack, of those of which conditions say that some of these axes have points, without these.
func restOf(lacks map[*Tensor][]*Axis, conds []*Value) map[*Tensor][]*Axis {
	var some []*Var
	for _, c := range conds {
		if c.Op == OpLt && IsConst(c.Args[0], 0) && c.Args[1].Op == OpExtent {
			some = append(some, &Var{Axis: c.Args[1].Axis})
		}
	}
	r := map[*Tensor][]*Axis{}
	for t, axes := range lacks {
		if rest := without(axes, some); len(rest) < len(without(axes, nil)) {
			r[t] = rest
		}
	}
	return r
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
