package gocpu

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// temps are the axes, by number, of values on the way that may have more elements than each of the tensors: what binding has to test that
// memory holds. Those whose axes the signature doesn't have are left out.
func (g *opGen) temps(s *signature) [][]int {
	var r [][]int
	for _, prog := range s.group.programs(s.back) {
		var list []*ir.Tensor
		if prog.Nests != nil {
			list = prog.Nests.Temps
		} else {
			for _, d := range prog.Func.Defs {
				if d.Target.Role == ir.Local && s.index(d.Target) < 0 {
					list = append(list, d.Target)
				}
			}
		}
		for _, t := range list {
			var axes []int
			for _, a := range t.Axes {
				if k := g.axis(packOf(a)); !slices.Contains(axes, k) {
					axes = append(axes, k)
				}
			}
			slices.Sort(axes)
			if len(axes) > 0 && axes[0] >= 0 && !g.bounded(s, axes) && !slices.ContainsFunc(r, func(o []int) bool { return within(axes, o) }) {
				r = slices.DeleteFunc(r, func(o []int) bool { return within(o, axes) })
				r = append(r, axes)
			}
		}
	}
	return r
}

// bounded tells whether a tensor of the signature has all of some axes, at their whole extents.
func (g *opGen) bounded(s *signature, axes []int) bool {
	return slices.ContainsFunc(s.params, func(p *param) bool {
		if p.optional || p.mode == "Gradient" {
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
		return whole && within(axes, have)
	})
}

// within tells whether all of some numbers are among others.
func within(some, others []int) bool {
	return !slices.ContainsFunc(some, func(x int) bool { return !slices.Contains(others, x) })
}
