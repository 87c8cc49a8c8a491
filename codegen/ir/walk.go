package ir

import (
	"maps"
	"slices"
	"sync"
)

// Walk visits v and what it is made of, each value once, arguments after the value. Where visit is false the
// arguments are left out.
func Walk(v *Value, visit func(*Value) bool) {
	if len(v.Args) == 0 {
		visit(v)
		return
	}
	w := newWalker(visit)
	w.walk(v)
	w.done()
}

// Walk visits all values of a definition: bounds, destination, conditions and body.
func (d *Def) Walk(visit func(*Value) bool) {
	w := newWalker(visit)
	for _, v := range d.Vars {
		if v.Axis == nil {
			w.walk(v.Lo)
			w.walk(v.Hi)
		}
	}
	for _, v := range d.Dest {
		w.walk(v)
	}
	for _, v := range d.Where {
		w.walk(v)
	}
	if d.Kept != nil {
		w.walk(d.Kept)
	}
	if d.Scaled != nil {
		w.walk(d.Scaled)
	}
	w.walk(d.Body)
	w.done()
}

// walkers are kept, since most of what is computed of a function is found by walks.
var walkers = sync.Pool{New: func() any { return new(walker) }}

type walker struct {
	visit func(*Value) bool
	seen  visited
}

func newWalker(visit func(*Value) bool) *walker {
	w := walkers.Get().(*walker)
	w.visit = visit
	return w
}

// done keeps the walker for another walk.
func (w *walker) done() {
	w.visit = nil
	w.seen.clear()
	walkers.Put(w)
}

func (w *walker) walk(v *Value) {
	if !w.seen.add(v) || !w.visit(v) {
		return
	}
	for _, a := range v.Args {
		w.walk(a)
	}
}

// visited is a set of values. Most walks see few, which are found sooner in a list.
type visited struct {
	few  [24]*Value
	n    int
	many map[*Value]struct{} // all, where they are more than few
}

// maxKept bounds the room that is kept for the next walk.
const maxKept = 1 << 12

// add tells whether v wasn't in the set, where it is now.
func (s *visited) add(v *Value) bool {
	if s.n <= len(s.few) {
		for _, x := range s.few[:s.n] {
			if x == v {
				return false
			}
		}
		if s.n < len(s.few) {
			s.few[s.n] = v
			s.n++
			return true
		}
		if s.n++; s.many == nil {
			s.many = make(map[*Value]struct{}, 4*len(s.few))
		}
		for _, x := range s.few {
			s.many[x] = struct{}{}
		}
	}
	before := len(s.many)
	s.many[v] = struct{}{}
	return len(s.many) > before
}

// clear makes the set empty.
func (s *visited) clear() {
	clear(s.few[:min(s.n, len(s.few))])
	switch {
	case len(s.many) > maxKept:
		s.many = nil
	case s.n > len(s.few):
		clear(s.many)
	}
	s.n = 0
}

// Map rebuilds v from its leaves up: f gets each value with its new arguments and gives what replaces it.
// Values that don't change are kept, and shared values stay shared.
func Map(v *Value, f func(*Value) *Value) *Value {
	m := keptMapper(f)
	defer m.keep()
	return m.Map(v)
}

// Mapper is a Map over several values, with what they share.
type Mapper struct {
	f    func(*Value) *Value
	memo map[*Value]*Value
}

// NewMapper returns a mapper; see Map.
func NewMapper(f func(*Value) *Value) *Mapper { return &Mapper{f: f, memo: map[*Value]*Value{}} }

// memos are those of mappers that are done.
var memos = sync.Pool{New: func() any { return map[*Value]*Value{} }}

// keptMapper is a mapper whose memo is kept for another one, by keep, when it is done.
func keptMapper(f func(*Value) *Value) *Mapper {
	return &Mapper{f: f, memo: memos.Get().(map[*Value]*Value)}
}

func (m *Mapper) keep() {
	if len(m.memo) <= maxKept {
		clear(m.memo)
		memos.Put(m.memo)
	}
	m.memo = nil
}

// Map rebuilds one value.
func (m *Mapper) Map(v *Value) *Value {
	if v == nil {
		return nil
	}
	if r, ok := m.memo[v]; ok {
		return r
	}
	r := m.f(WithArgs(v, m.All(v.Args)))
	m.memo[v] = r
	return r
}

// All rebuilds a list; it is the same slice where nothing changes.
func (m *Mapper) All(vs []*Value) []*Value {
	r := vs
	for i, v := range vs {
		n := m.Map(v)
		if n != v && &r[0] == &vs[0] {
			r = make([]*Value, len(vs))
			copy(r, vs)
		}
		r[i] = n
	}
	return r
}

// WithArgs is v with other arguments of the same types. Constants are folded as in Build.
func WithArgs(v *Value, args []*Value) *Value {
	same := true
	for i := range args {
		same = same && args[i] == v.Args[i]
	}
	if same {
		return v
	}
	n := *v
	n.Args = args
	switch f := &Facts[v.Op]; {
	case f.Rule == RuleLogic:
		return logic(v.Op, args)
	case v.Op == OpCast:
		return Cast(args[0], v.Type)
	case v.Op == OpSelect && args[0].Op == OpTrue:
		return args[1]
	case v.Op == OpSelect && args[0].Op == OpFalse:
		return args[2]
	case v.Op == OpEq || v.Op == OpNe || v.Op == OpLt || v.Op == OpLe:
		return compare(v.Op, args)
	case f.Rule != RuleNone && v.Type.Kind == Exact && f.Exact != nil:
		// An error of folding (a division by zero) is left for the evaluation.
		if r, err := fold(v.Op, args); r != nil && err == nil {
			return r
		}
	}
	return &n
}

// Subst replaces index variables by values.
func Subst(v *Value, m map[*Var]*Value) *Value {
	if len(m) == 0 {
		return v
	}
	s := substitution(m)
	defer s.keep()
	return s.Map(v)
}

// SubstAll replaces index variables in each value of a list.
func SubstAll(vs []*Value, m map[*Var]*Value) []*Value {
	if len(m) == 0 || len(vs) == 0 {
		return vs
	}
	s := substitution(m)
	defer s.keep()
	return s.All(vs)
}

func substitution(m map[*Var]*Value) *Mapper {
	return keptMapper(func(v *Value) *Value {
		if v.Op == OpIndex {
			if r, ok := m[v.Var]; ok {
				return r
			}
		}
		return v
	})
}

// FreeVars are the index variables that occur in the values.
func FreeVars(vs ...*Value) map[*Var]bool {
	r := map[*Var]bool{}
	for _, v := range vs {
		Walk(v, func(v *Value) bool {
			if v.Op == OpIndex {
				r[v.Var] = true
			}
			return true
		})
	}
	return r
}

// DependsOn tells whether one of the variables occurs in v.
func DependsOn(v *Value, vars map[*Var]bool) bool {
	found := false
	Walk(v, func(v *Value) bool {
		found = found || v.Op == OpIndex && vars[v.Var]
		return !found
	})
	return found
}

// Reads are the tensors that the values read or ask for, and those that hold extents that they have.
func Reads(vs ...*Value) map[*Tensor]bool {
	r := map[*Tensor]bool{}
	visit := addReads(r)
	for _, v := range vs {
		Walk(v, visit)
	}
	return r
}

// addReads adds what a value reads to a set.
func addReads(r map[*Tensor]bool) func(*Value) bool {
	return func(v *Value) bool {
		switch {
		case v.Tensor != nil:
			r[v.Tensor] = true
		case v.Op == OpExtent && v.Axis.Size != nil:
			r[v.Axis.Size] = true
		}
		return true
	}
}

// Values are all the values of a definition: bounds, destination, conditions and body.
func (d *Def) Values() []*Value {
	var r []*Value
	for _, v := range d.Vars {
		if v.Axis == nil {
			r = append(r, v.Lo, v.Hi)
		}
	}
	r = append(r, d.Dest...)
	r = append(r, d.Where...)
	for _, v := range []*Value{d.Kept, d.Scaled} {
		if v != nil {
			r = append(r, v)
		}
	}
	return append(r, d.Body)
}

// Reads are the tensors that the definition reads, with those that hold the extents of its axes.
func (d *Def) Reads() map[*Tensor]bool {
	r := map[*Tensor]bool{}
	d.Walk(addReads(r))
	for _, a := range d.Target.Axes {
		if a.Size != nil {
			r[a.Size] = true
		}
	}
	for _, v := range d.Vars {
		if v.Axis != nil && v.Axis.Size != nil {
			r[v.Axis.Size] = true
		}
	}
	return r
}

// IsPlain tells whether the destination is distinct variables that run over the axes of the target: each contribution
// has an element of its own, or the variables that are not in it are reduced.
func (d *Def) IsPlain() bool {
	seen := map[*Var]bool{}
	for i, e := range d.Dest {
		if e.Op != OpIndex || seen[e.Var] || e.Var.Axis != d.Target.Axes[i] {
			return false
		}
		seen[e.Var] = true
	}
	return true
}

// Reduced are the variables that are not in the destination.
func (d *Def) Reduced() []*Var {
	in := FreeVars(d.Dest...)
	var r []*Var
	for _, v := range d.Vars {
		if !in[v] {
			r = append(r, v)
		}
	}
	return r
}

// IsPointwise tells whether the definition is target[v] = body(v) for all v.
func (d *Def) IsPointwise() bool {
	return d.Monoid == Assign && d.Group == 0 && len(d.Where) == 0 && d.IsPlain() && len(d.Vars) == len(d.Dest)
}

// MapDef is the definition with f applied to each of its values from the leaves up; see Map. Variables with bounds
// that change are renewed. It is d itself where nothing changes.
func MapDef(d *Def, f func(*Value) *Value) *Def {
	m := keptMapper(f)
	defer m.keep()
	n := *d
	var fresh map[*Var]*Value
	for i, v := range d.Vars {
		if v.Axis != nil {
			continue
		}
		lo, hi := Subst(m.Map(v.Lo), fresh), Subst(m.Map(v.Hi), fresh) // renewed once: what hangs on a renewed one, too
		if lo != v.Lo || hi != v.Hi {
			if fresh == nil {
				fresh = map[*Var]*Value{}
				n.Vars = slices.Clone(d.Vars)
			}
			n.Vars[i] = &Var{Name: v.Name, Lo: lo, Hi: hi}
			fresh[v] = Index(n.Vars[i])
		}
	}
	n.Dest, n.Where, n.Body = m.All(d.Dest), m.All(d.Where), m.Map(d.Body)
	n.Kept, n.Scaled = m.Map(d.Kept), m.Map(d.Scaled)
	if fresh != nil {
		n.rename(fresh)
	} else if n.same(d) {
		return d
	}
	return &n
}

// same tells whether d and n, which has its variables, are made of the same values.
func (d *Def) same(n *Def) bool {
	return slices.Equal(d.Dest, n.Dest) && slices.Equal(d.Where, n.Where) && d.Body == n.Body && d.Kept == n.Kept && d.Scaled == n.Scaled
}

// rename replaces variables everywhere but in the list of variables.
func (d *Def) rename(m map[*Var]*Value) {
	for i, v := range d.Vars {
		if v.Axis == nil {
			lo, hi := Subst(v.Lo, m), Subst(v.Hi, m)
			if lo != v.Lo || hi != v.Hi {
				d.Vars[i] = &Var{Name: v.Name, Lo: lo, Hi: hi}
				m[v] = Index(d.Vars[i])
			}
		}
	}
	d.Dest, d.Where, d.Body = SubstAll(d.Dest, m), SubstAll(d.Where, m), Subst(d.Body, m)
	d.Kept, d.Scaled = Subst(d.Kept, m), Subst(d.Scaled, m)
	for _, v := range []**Var{&d.Along, &d.Carried} {
		if *v != nil && m[*v] != nil && m[*v].Op == OpIndex {
			*v = m[*v].Var
		}
	}
}

// Copy is the definition with variables of its own, into another target of the same axes.
func (d *Def) Copy(target *Tensor) *Def {
	n := *d
	n.Target = target
	m := map[*Var]*Value{}
	n.Vars = make([]*Var, len(d.Vars))
	for i, v := range d.Vars {
		w := *v
		n.Vars[i] = &w
		m[v] = Index(&w)
	}
	for _, v := range n.Vars {
		if v.Axis == nil {
			v.Lo, v.Hi = Subst(v.Lo, m), Subst(v.Hi, m)
		}
	}
	n.rename(maps.Clone(m))
	return &n
}
