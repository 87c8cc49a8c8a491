package prove

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// atWindows draws points at which whole attributes that extents follow from, as strides and dilations do, are 2 and 3, while one axis is long
// and the others short: then the axes that follow have several elements, and a formula that forgets such an attribute differs.
func (p *points) atWindows() {
	if len(p.f.Dims) == 0 {
		return
	}
	limit := p.evals + maxEvals
	long := dimConst(p.f) + 6
	for _, s := range p.f.Scalars {
		if s.Type.Kind != ir.Exact || !p.decidesExtents(s) {
			continue
		}
		for i, a := range p.f.Axes {
			if p.follows(a) {
				continue
			}
			ext := p.sized(func(k int) int {
				if k == i {
					return long
				}
				return 2
			})
			for n := 2; n <= 3; n++ {
				p.fixed = map[string]float64{s.Name: float64(n)}
				at, r := p.make(ext, mixed[(i+n)%len(mixed)])
				p.fixed = nil
				if at != nil {
					p.compare(*at, r)
				}
				if p.verdict.Counter != nil || p.evals > limit {
					return
				}
			}
		}
	}
}

// follows tells whether the extent of an axis follows from others and from attributes.
func (p *points) follows(a *ir.Axis) bool {
	return slices.ContainsFunc(p.f.Dims, func(d ir.Dim) bool { return d.Axis == a })
}

// decidesExtents tells whether an attribute is part of what `dim` gives.
func (p *points) decidesExtents(s *ir.Scalar) bool {
	return slices.ContainsFunc(p.f.Dims, func(d ir.Dim) bool {
		part := false
		ir.Walk(d.Value, func(v *ir.Value) bool {
			part = part || v.Op == ir.OpScalar && v.Name == s.Name
			return !part
		})
		return part
	})
}
