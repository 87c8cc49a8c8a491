package prove

import (
	"math"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// maxElements bounds the product of the extents of a point.
const maxElements = 1 << 12

// extents are the sizes to try, the smallest first: all ones, distinct ones, and larger. Extents that `dim` gives follow from these and
// from attributes: with larger ones there are points where these differences aren't negative, as L - k + 1 is for a small L.
func (p *points) extents() []map[*ir.Axis]int {
	var r []map[*ir.Axis]int
	for _, base := range []func(i int) int{
		func(int) int { return 1 },
		func(i int) int { return 2 + i%3 },
		func(i int) int { return 4 - i%3 },
		func(i int) int { return max(7-2*i, 2) },
	} {
		r = append(r, p.sized(base))
	}
	r = append(r, p.sized(func(int) int { return 0 }))
	if n := dimConst(p.f); n > 0 {
		r = append(r, p.sized(func(i int) int { return n + 5 - i%3 }), p.sized(func(i int) int { return n + 8 + 2*(i%3) }))
	}
	for _, n := range thresholds(p.f, p.choices) {
		all := p.sized(func(int) int { return n })
		r = append(r, all)
		for i, a := range p.f.Axes {
			if all[a] == 1 {
				r = append(r, p.sized(func(k int) int {
					if k == i {
						return n
					}
					return 1
				}))
			}
		}
	}
	return r
}

// sized are extents, of which those past maxElements are 1.
func (p *points) sized(base func(i int) int) map[*ir.Axis]int {
	m := map[*ir.Axis]int{}
	n := 1
	for i, a := range p.f.Axes {
		if slices.ContainsFunc(p.f.Dims, func(d ir.Dim) bool { return d.Axis == a }) {
			continue
		}
		if m[a] = base(i); n*m[a] > maxElements {
			m[a] = 1
		}
		n *= m[a]
	}
	return m
}

// dimConst is the largest whole number in what `dim` gives, also as the default of an attribute, at least 3; 0: there is no `dim`.
func dimConst(f *ir.Func) int {
	most := int64(0)
	note := func(root *ir.Value) {
		ir.Walk(root, func(v *ir.Value) bool {
			if v.Const != nil && v.Const.IsInt() && v.Const.Num().IsInt64() {
				if n := v.Const.Num().Int64(); n > -maxThreshold && n < maxThreshold {
					most = max(most, n, -n)
				}
			}
			return true
		})
	}
	for _, d := range f.Dims {
		most = max(most, 3)
		note(d.Value)
		ir.Walk(d.Value, func(v *ir.Value) bool {
			for _, s := range f.Scalars {
				if v.Op == ir.OpScalar && v.Name == s.Name && s.Default != nil {
					note(s.Default)
				}
			}
			return true
		})
	}
	return int(most)
}

// foremost puts the extents with which points were made before the others.
func foremost(extents []map[*ir.Axis]int, made []bool) []map[*ir.Axis]int {
	var yes, no []map[*ir.Axis]int
	for i, e := range extents {
		if made[i] {
			yes = append(yes, e)
		} else {
			no = append(no, e)
		}
	}
	return append(yes, no...)
}

// place computes the extents that follow from others and from attributes, and tells whether a call may have them.
func (p *points) place(b ir.Binding) bool {
	n := 1.0
	for _, d := range p.f.Dims {
		x, err := ir.EvalScalar(p.f, d.Value, b)
		if n *= max(x, 1); err != nil || x < 0 || x != math.Floor(x) || n > maxElements {
			return false
		}
		b.Extents[d.Axis] = int(x)
	}
	return true
}

// maxThreshold bounds the numbers of indices that points go past.
const maxThreshold = 2000

// thresholds are extents past the numbers that indices and extents are compared with, but for those that small extents reach, and
// those that extents must be equal to.
func thresholds(f *ir.Func, choices []ir.Choice) []int {
	least, most := maxThreshold, 0
	var exact []int
	look := func(root *ir.Value) {
		ir.Walk(root, func(v *ir.Value) bool {
			switch v.Op {
			case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe, ir.OpMax, ir.OpMin:
				for _, n := range placeConsts(v) {
					if (v.Op == ir.OpEq || v.Op == ir.OpNe) && uniformValue(v) {
						exact = append(exact, n)
					} else if n > 3 {
						least, most = min(least, n), max(most, n)
					}
				}
			}
			return true
		})
	}
	for _, d := range f.Defs {
		for _, v := range d.Values() {
			look(v)
		}
	}
	for _, c := range choices {
		if c.Cond != nil {
			look(c.Cond)
		}
	}
	slices.Sort(exact)
	exact = slices.Compact(exact)
	exact = exact[:min(len(exact), 4)]
	switch {
	case most == 0:
		return exact
	case least == most:
		return append(exact, most+3)
	}
	return append(exact, least+3, most+3)
}

// placeConsts are the sizes of the whole numbers in a comparison of indices or extents.
func placeConsts(v *ir.Value) []int {
	var r []int
	places := false
	ir.Walk(v, func(v *ir.Value) bool {
		switch {
		case v.Op == ir.OpIndex || v.Op == ir.OpExtent:
			places = true
		case v.Const != nil && v.Const.IsInt() && v.Const.Num().IsInt64():
			if n := v.Const.Num().Int64(); n != 0 && n < maxThreshold && n > -maxThreshold {
				r = append(r, int(max(n, -n)))
			}
		}
		return true
	})
	if !places {
		return nil
	}
	return r
}
