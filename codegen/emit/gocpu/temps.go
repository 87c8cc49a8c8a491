package gocpu

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// temps are the axes, by number, of values on the way that may need more memory than each of the tensors: what binding has to test that
// memory holds. An axis that a value has twice is there twice. Those whose axes the signature doesn't have are left out: code tests them.
func (g *opGen) temps(s *signature) [][]int {
	var r [][]int
	for _, t := range g.onTheWay(s) {
		axes := g.axesOf(t)
		if len(axes) > 0 && axes[0] >= 0 && !g.bounded(s, axes) && !slices.ContainsFunc(r, func(o []int) bool { return within(axes, o) }) {
			r = slices.DeleteFunc(r, func(o []int) bool { return within(o, axes) })
			r = append(r, axes)
		}
	}
	return r
}

// onTheWay are the tensors that calls with a signature take memory for.
func (g *opGen) onTheWay(s *signature) []*ir.Tensor {
	var list []*ir.Tensor
	for _, p := range s.group.pairs(s.back) {
		prog := p.Forward
		if s.back {
			prog = p.Backward
		}
		switch {
		case prog == nil:
		case prog.Nests == nil:
			for _, d := range prog.Func.Defs {
				if d.Target.Role == ir.Local && s.index(d.Target) < 0 {
					list = append(list, d.Target)
				}
			}
		default:
			list = append(list, prog.Nests.Temps...)
			for _, t := range prog.Func.Inputs {
				if p.Calls()[t.Elem.Name] == ir.AnyInt || t.Elem.Resolve(p.DTypes) == "bool" && prog.Takes(t) { // elements become i64, or floats
					list = append(list, t)
				}
			}
		}
	}
	return list
}

// axesOf is the axes of a tensor by number, in order: a pack as often as one of its axes is there.
func (g *opGen) axesOf(t *ir.Tensor) []int {
	counts, most := map[string]int{}, map[int]int{}
	for _, a := range ofCall(t.Axes) {
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

// bounded tells whether a tensor of floats in the signature has all of some axes, at their whole extents.
func (g *opGen) bounded(s *signature, axes []int) bool {
	return slices.ContainsFunc(s.params, func(p *param) bool {
		if p.optional || p.mode == "Gradient" || ir.ClassOf(g.decl.ElemVars, p.elem) != ir.ClassFloat {
			return false
		}
		var have []int
		whole := true
		var add func(list []ir.AxisRef)
		add = func(list []ir.AxisRef) {
			for _, a := range list {
				if a.Product != nil {
					add(a.Product)
					continue
				}
				whole = whole && (p.mode != "In" || !a.Pack && !a.Optional) // an input may be expanded to these
				have = append(have, g.axis(a.Name))
			}
		}
		add(p.dims)
		slices.Sort(have)
		return whole && within(axes, have)
	})
}

// within tells whether all of some numbers are among others, as often. Both are in order.
func within(some, others []int) bool {
	for _, x := range others {
		if len(some) > 0 && some[0] == x {
			some = some[1:]
		}
	}
	return len(some) == 0
}
