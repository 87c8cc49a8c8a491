package ir

import (
	"errors"
	"fmt"
	"slices"
)

// Total is a reduction over all tensors of a call. Each tensor gives a partial result, and these meet in the order of the
// tensors; variants that don't compute it give none.
type Total struct {
	Monoid Monoid
	Elem   Elem
	Phase  int    // in which partial results are computed
	Part   string // the output of that phase: the partial result of one tensor
	Name   string // the input of later phases: the result
}

// Split takes the functions of an update apart for a call with several tensors. Variant.Phases are what is run for each
// tensor, one after the other for all tensors: first partial results of totals, then what is required of elements or extents, at last what
// stores. Phases that have nothing to do in a variant are nil. An update whose call with several tensors is just several
// calls has no phases. In Variant.Forward, which is a call with one tensor, a total is a reduction like any other.
func Split(d *OpDecl) error {
	if !d.Update {
		return nil
	}
	s := &splitter{decl: d, level: map[string]int{}, total: map[string]int{}, keys: map[*Def]string{}}
	if err := s.levels(); err != nil {
		return err
	}
	s.name()
	checks := s.checks()
	if len(d.Totals) > 0 || checks {
		for _, v := range d.Variants {
			if v.Refused == nil {
				s.split(v, checks)
			}
		}
	}
	for def := range s.keys {
		def.Across = ""
	}
	return nil
}

type splitter struct {
	decl  *OpDecl
	order []string        // keys of totals, by first appearance
	level map[string]int  // the phase of a total by its key
	total map[string]int  // its number
	keys  map[*Def]string // of the definitions of totals
	last  int             // the number of phases that compute totals
	names map[string]bool // of tensors
	first map[string]*Def // a definition of a total
	store map[*Variant]*Func
}

// levels finds the totals, and in which phase each can be computed: behind those that it depends on, in every variant.
func (s *splitter) levels() error {
	s.first = map[string]*Def{}
	for _, v := range s.decl.Variants {
		seen := map[string]int{}
		for _, d := range Live(v.Forward) {
			if d.Across == "" {
				continue
			}
			key := fmt.Sprint(d.Across, d.Monoid, d.Target.Elem)
			seen[key]++
			key = fmt.Sprint(key, " ", seen[key])
			s.keys[d] = key
			if s.first[key] == nil {
				s.first[key] = d
				s.order = append(s.order, key)
			}
		}
		for _, d := range v.Forward.Defs {
			if _, known := s.keys[d]; !known {
				d.Across = "" // nothing needs it
			}
		}
	}
	for round := 0; ; round++ {
		if round > len(s.order)+1 {
			return errors.New("totals depend on each other")
		}
		changed := false
		for _, v := range s.decl.Variants {
			at := map[*Tensor]int{} // the phase in which a tensor can be computed
			for _, d := range v.Forward.Defs {
				n := at[d.Target]
				for t := range d.Reads() {
					n = max(n, at[t])
				}
				if key := s.keys[d]; key != "" {
					if n > s.level[key] {
						s.level[key], changed = n, true
					}
					n = s.level[key] + 1
				}
				at[d.Target] = n
			}
		}
		if !changed {
			break
		}
	}
	return nil
}

// name lists the totals of the op.
func (s *splitter) name() {
	s.names = map[string]bool{}
	for _, v := range s.decl.Variants {
		for _, t := range v.Forward.Inputs {
			s.names[t.Name] = true
		}
		for _, d := range v.Forward.Defs {
			s.names[d.Target.Name] = true
		}
	}
	for _, a := range s.decl.Attrs {
		s.names[a.Name] = true
	}
	for _, key := range s.order {
		d := s.first[key]
		s.total[key] = len(s.decl.Totals)
		s.last = max(s.last, s.level[key]+1)
		s.decl.Totals = append(s.decl.Totals, Total{Monoid: d.Monoid, Elem: d.Target.Elem, Phase: s.level[key],
			Part: s.unique("part_of_" + d.Target.Name), Name: s.unique("all_" + d.Target.Name)})
	}
}

func (s *splitter) unique(want string) string {
	name := want
	for k := 2; s.names[name]; k++ {
		name = fmt.Sprint(want, k)
	}
	s.names[name] = true
	return name
}

// checks tells whether something is required that attributes alone don't decide for all variants: then it is tested for
// all tensors before anything is stored.
func (s *splitter) checks() bool {
	s.store = map[*Variant]*Func{}
	for _, v := range s.decl.Variants {
		if v.Refused == nil {
			s.store[v] = s.phase(v, s.last, nil, true)
		}
	}
	for v, store := range s.store {
		if len(NeedsPoints(store)) > 0 || len(Fits(store)) > 0 {
			return true
		}
		for _, r := range v.Forward.Requires {
			if !ofAttributes(r.Cond) || !s.common(r) {
				return true
			}
		}
	}
	return false
}

// ofAttributes tells whether a value depends on attributes alone.
func ofAttributes(v *Value) bool {
	only := true
	Walk(v, func(v *Value) bool {
		only = only && v.Op != OpRead && v.Op != OpExtent && v.Op != OpPresent && !(v.Op == OpScalar && v.Name == "step")
		return only
	})
	return only
}

// common tells whether a requirement stands in every variant.
func (s *splitter) common(r Require) bool {
	for _, v := range s.decl.Variants {
		if !slices.ContainsFunc(v.Forward.Requires, func(q Require) bool { return q.Cond.String() == r.Cond.String() && q.Message == r.Message }) {
			return false
		}
	}
	return true
}

// split makes the phases of a variant.
func (s *splitter) split(v *Variant, checks bool) {
	for n := range s.last {
		var parts []*Def
		for _, d := range v.Forward.Defs {
			if key := s.keys[d]; key != "" && s.level[key] == n {
				parts = append(parts, d)
			}
		}
		var f *Func
		if parts != nil {
			f = s.phase(v, n, parts, false)
		}
		v.Phases = append(v.Phases, f)
	}
	store := s.store[v]
	if checks {
		f := s.phase(v, s.last, nil, false)
		f.Requires = append(f.Requires, NeedsPoints(store)...)
		f.Bounded = Fits(store)
		if len(f.Requires) == 0 && len(f.Bounded) == 0 {
			f = nil
		}
		v.Phases = append(v.Phases, f)
	}
	v.Phases = append(v.Phases, store)
}

// phase makes the function of phase n of a variant: one that computes partial results, one that stores or, where it does
// neither, one that requires. What it needs of earlier phases but for totals it computes again.
func (s *splitter) phase(v *Variant, n int, parts []*Def, stores bool) *Func {
	f := *v.Forward
	f.Outputs, f.Defs, f.Requires = nil, nil, nil
	if stores {
		f.Outputs = slices.Clone(v.Forward.Outputs)
	}
	f.Inputs = slices.Clone(f.Inputs)
	become := map[*Tensor]*Tensor{}
	for _, d := range v.Forward.Defs {
		key, t := s.keys[d], d.Target
		switch {
		case key != "" && s.level[key] < n:
			in := &Tensor{Name: s.decl.Totals[s.total[key]].Name, Role: Input, Elem: t.Elem, Span: t.Span}
			become[t] = in
			f.Inputs = append(f.Inputs, in)
			continue
		case slices.Contains(parts, d):
			out := &Tensor{Name: s.decl.Totals[s.total[key]].Part, Role: Output, Elem: t.Elem, Span: t.Span}
			become[t] = out
			f.Outputs = append(f.Outputs, out)
		case key != "":
			continue // of a later phase: nothing here needs it
		case !stores && t.Role == Output:
			become[t] = &Tensor{Name: t.Name, Role: Local, Elem: t.Elem, Axes: t.Axes, Span: t.Span}
		}
		f.Defs = append(f.Defs, d)
	}
	replace := func(v *Value) *Value {
		if t := become[v.Tensor]; t != nil {
			w := *v
			w.Tensor = t
			return &w
		}
		return v
	}
	for i, d := range f.Defs {
		n := *MapDef(d, replace)
		if t := become[d.Target]; t != nil {
			n.Target = t
		}
		f.Defs[i] = &n
	}
	if parts == nil && !stores {
		for _, r := range v.Forward.Requires {
			r.Cond = Map(r.Cond, replace)
			f.Requires = append(f.Requires, r)
		}
	}
	f.Defs = Live(&f)
	used := map[*Tensor]bool{}
	for _, d := range f.Defs {
		for t := range d.Reads() {
			used[t] = true
		}
	}
	for _, r := range f.Requires {
		for t := range Reads(r.Cond) {
			used[t] = true
		}
	}
	f.Inputs = slices.DeleteFunc(f.Inputs, func(t *Tensor) bool {
		return !used[t] && !slices.Contains(v.Forward.Inputs, t)
	})
	return &f
}
