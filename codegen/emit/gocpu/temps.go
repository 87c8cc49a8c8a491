package gocpu

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/ir"
)

// array is what the code of a function takes memory for beside its tensors: runtime.Scratch.
type array struct {
	axes   []int // numbers, in order; a pack as often as one of its axes is there
	elem   ir.Elem
	wanted uint64 // parameters of which one must be there; 0: always
	absent uint64 // a parameter that must not be there
	param  int    // a parameter, counted from 1, in place of axes
	spread uint64 // parameters, in place of these
}

func (a array) key() string { return fmt.Sprint(a) }

// taking is what the code for one choice of dtypes takes, in one variant.
type taking struct {
	variant int
	dtypes  map[string]string
	arrays  []array
}

// takes notes an array of a program.
func (s *signature) takes(variant int, dtypes map[string]string, a ...array) {
	i := slices.IndexFunc(s.taken, func(t taking) bool { return t.variant == variant && maps.Equal(t.dtypes, dtypes) })
	if i < 0 {
		i = len(s.taken)
		s.taken = append(s.taken, taking{variant: variant, dtypes: dtypes})
	}
	for _, x := range a {
		if x.elem.Wrap == "acc" {
			x.elem.Wrap = "" // which kernels have alike
		}
		if len(x.axes) > 0 || x.param > 0 || x.spread != 0 { // a single element is nothing
			s.taken[i].arrays = append(s.taken[i].arrays, x)
		}
	}
}

// axesOf is axes by number, in order: a pack as often as one of its axes is there.
func (g *opGen) axesOf(list []*ir.Axis) []int {
	counts, most := map[string]int{}, map[int]int{}
	for _, a := range ofCall(list) {
		k := g.axis(packOf(a))
		counts[a.Name]++
		most[k] = max(most[k], counts[a.Name])
	}
	var axes []int
	for k, n := range most {
		for range n {
			axes = append(axes, k)
		}
	}
	slices.Sort(axes)
	return axes
}

// scratch is runtime.Signature.Scratch: what calls take in some variant, with the dtypes for which they do.
func (g *opGen) scratch(s *signature) ([]jen.Code, error) {
	var all []map[string]string // choices of dtypes
	var order []array
	counts := map[string][]int{} // of an array: how many a call with such a choice takes
	for _, t := range s.taken {
		at := slices.IndexFunc(all, func(d map[string]string) bool { return maps.Equal(d, t.dtypes) })
		if at < 0 {
			at = len(all)
			all = append(all, t.dtypes)
		}
		here := map[string]int{}
		for _, a := range t.arrays {
			k := a.key()
			here[k]++
			if counts[k] == nil {
				order = append(order, a)
			}
			for len(counts[k]) <= at {
				counts[k] = append(counts[k], 0)
			}
			counts[k][at] = max(counts[k][at], here[k])
		}
	}
	var r []jen.Code
	var wide []array // parameters that are written out, with their dtypes
	var dtypes [][]jen.Code
	for _, a := range order {
		n := counts[a.key()]
		for from := 0; from < slices.Max(n); {
			some, to := atLeast(all, n, from+1), from+1
			for to < slices.Max(n) && len(atLeast(all, n, to+1)) == len(some) {
				to++
			}
			for _, sets := range g.dtypesFor(some, all) {
				if a.spread != 0 {
					k := slices.IndexFunc(dtypes, func(s []jen.Code) bool { return render1(s) == render1(sets) })
					if k < 0 {
						wide, dtypes = append(wide, a), append(dtypes, sets)
					} else {
						wide[k].spread |= a.spread
					}
					continue
				}
				c, err := g.scratchCode(a, to-from-1, sets)
				if err != nil {
					return nil, err
				}
				r = append(r, c)
			}
			from = to
		}
	}
	for k, a := range wide {
		c, err := g.scratchCode(a, 0, dtypes[k])
		if err != nil {
			return nil, err
		}
		r = append(r, c)
	}
	return r, nil
}

// atLeast are the choices that have so many.
func atLeast(all []map[string]string, counts []int, n int) []map[string]string {
	var r []map[string]string
	for i, c := range counts {
		if c >= n {
			r = append(r, all[i])
		}
	}
	return r
}

// dtypesFor writes some choices of dtypes among all of them as sets for each variable: one list of sets where that is possible, nil for all.
func (g *opGen) dtypesFor(some, all []map[string]string) [][]jen.Code {
	if len(some) == len(all) {
		return [][]jen.Code{nil}
	}
	if sets := g.setsOf(some); len(slices.DeleteFunc(slices.Clone(all), func(d map[string]string) bool { return !within(d, sets) })) == len(some) {
		return [][]jen.Code{g.setsCode(sets)}
	}
	var r [][]jen.Code
	for _, d := range some {
		r = append(r, g.setsCode(g.setsOf([]map[string]string{d})))
	}
	return r
}

// setsOf are the dtypes of each variable in some choices.
func (g *opGen) setsOf(some []map[string]string) map[string][]string {
	sets := map[string][]string{}
	for _, d := range some {
		for v, x := range d {
			if !slices.Contains(sets[v], x) {
				sets[v] = append(sets[v], x)
			}
		}
	}
	return sets
}

// within tells whether a choice of dtypes has them of sets.
func within(d map[string]string, sets map[string][]string) bool {
	for v, x := range d {
		if !slices.Contains(sets[v], x) {
			return false
		}
	}
	return true
}

// setsCode are sets of dtypes by variable.
func (g *opGen) setsCode(sets map[string][]string) []jen.Code {
	var r []jen.Code
	for _, v := range g.decl.ElemVars {
		var names []string
		for _, d := range dtypeOrder {
			if slices.Contains(sets[v.Name], d) || slices.Contains(sets[v.Name], ir.CodeDType(d)) && ir.CodeDType(d) == ir.AnyInt {
				names = append(names, d)
			}
		}
		r = append(r, dtypeSet(names))
	}
	return r
}

// scratchCode is a runtime.Scratch, of an array and some more of the kind.
func (g *opGen) scratchCode(a array, more int, sets []jen.Code) (jen.Code, error) {
	var f []jen.Code
	switch {
	case a.spread != 0:
		f = append(f, field("Spread", bits(a.spread)))
	case a.param > 0:
		f = append(f, field("Param", jen.Lit(a.param)))
	default:
		f = append(f, field("Axes", jen.Index().Int().ValuesFunc(func(v *jen.Group) {
			for _, x := range a.axes {
				v.Lit(x)
			}
		})))
	}
	if a.spread == 0 {
		elem, err := g.elemCode(a.elem)
		if err != nil {
			return nil, err
		}
		if elem != nil {
			f = append(f, field("Elem", elem))
		}
	}
	if more > 0 {
		f = append(f, field("More", jen.Lit(more)))
	}
	if sets != nil {
		f = append(f, field("For", jen.Index().Qual(runtimePath, "DTypes").Values(sets...)))
	}
	if a.wanted != 0 {
		f = append(f, field("Wanted", bits(a.wanted)))
	}
	if a.absent != 0 {
		f = append(f, field("Absent", bits(a.absent)))
	}
	return jen.Values(f...), nil
}

// bits is a set of numbers.
func bits(set uint64) jen.Code {
	var or *jen.Statement
	for i := range 64 {
		switch {
		case set>>i&1 == 0:
		case or == nil:
			or = jen.Lit(1).Op("<<").Lit(i)
		default:
			or = or.Op("|").Lit(1).Op("<<").Lit(i)
		}
	}
	return or
}
