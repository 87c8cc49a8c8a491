package pass

import "github.com/opgen/opgen/codegen/ir"

// Collapse computes a result where it is wanted: an output that merely repeats a local, with its axes in any order,
// takes the local's definition.
func Collapse(f *ir.Func) *ir.Func {
	uses := map[*ir.Tensor]int{}
	count := func(reads map[*ir.Tensor]bool) {
		for t := range reads {
			uses[t]++
		}
	}
	for _, d := range f.Defs {
		count(d.Reads())
	}
	for _, r := range f.Requires {
		count(ir.Reads(r.Cond))
	}
	for _, g := range f.UserGrads {
		for _, d := range g.Defs {
			count(d.Reads())
		}
	}
	by := byTarget(f.Defs)
	into := map[*ir.Def]*ir.Def{} // a definition, and the copy that it replaces
	for _, d := range f.Defs {
		if d.Target.Role == ir.Local || !d.IsPointwise() || d.Body.Op != ir.OpRead {
			continue
		}
		t := d.Body.Tensor
		if l := by[t]; t.Role == ir.Local && uses[t] == 1 && l.Group == 0 && repeats(d) {
			into[l] = d
		}
	}
	var defs []*ir.Def
	skip := map[*ir.Def]bool{}
	for _, d := range f.Defs {
		if skip[d] {
			continue
		}
		if c := into[d]; c != nil {
			skip[c] = true
			d = moved(d, c)
		}
		defs = append(defs, d)
	}
	return with(f, defs)
}

// repeats tells whether a copy reads each element of a tensor once.
func repeats(d *ir.Def) bool {
	read := d.Body
	return len(read.Args) == len(d.Dest) && (&ir.Def{Target: read.Tensor, Dest: read.Args}).IsPlain()
}

// moved is the definition with the target of a copy of it.
func moved(d, c *ir.Def) *ir.Def {
	n := *d
	n.Target, n.Derived = c.Target, d.Derived && c.Derived
	at := map[*ir.Var]*ir.Value{} // of the copy's variables
	for i, a := range c.Body.Args {
		at[a.Var] = d.Dest[i]
	}
	n.Dest = make([]*ir.Value, len(c.Dest))
	for i, e := range c.Dest {
		n.Dest[i] = at[e.Var]
	}
	n.Vars = inOrder(d.Vars, n.Dest)
	return &n
}

// inOrder puts the variables of a destination first, in its order, where no range depends on another variable.
func inOrder(vars []*ir.Var, dest []*ir.Value) []*ir.Var {
	var r []*ir.Var
	first := map[*ir.Var]bool{}
	for _, e := range dest {
		if e.Op != ir.OpIndex || first[e.Var] {
			return vars
		}
		first[e.Var] = true
		r = append(r, e.Var)
	}
	for _, v := range vars {
		if v.Axis == nil {
			return vars
		}
		if !first[v] {
			r = append(r, v)
		}
	}
	return r
}
