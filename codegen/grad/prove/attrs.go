package prove

import (
	"math/rand/v2"

	"github.com/opgen/opgen/codegen/ir"
)

// attrCondition is a comparison of attributes in the formulas, and which sides of it points have met.
type attrCondition struct {
	cond    *ir.Value
	name    string // the attribute that is compared with at; "": the comparison is of another form
	at      *ir.Value
	guard   bool // of the derivative, for attributes at which its formula is another: x^0
	yes, no bool
}

// attrConditions are those of the formulas of f.
func attrConditions(f *ir.Func) []*attrCondition {
	var r []*attrCondition
	var num ir.Numbering
	seen := map[int]bool{}
	for _, d := range f.Defs {
		for _, root := range d.Values() {
			ir.Walk(root, func(v *ir.Value) bool {
				switch v.Op {
				case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe:
					if id := num.ID(v); ofAttrs(v) && !seen[id] {
						seen[id] = true
						c := &attrCondition{cond: v, guard: d.Derived && (v.Op == ir.OpEq || v.Op == ir.OpNe)}
						c.name, c.at = compared(v)
						r = append(r, c)
					}
				}
				return true
			})
		}
	}
	return r
}

// ofAttrs tells whether a comparison is of numbers that attributes decide.
func ofAttrs(v *ir.Value) bool {
	if v.Args[0].Type.Kind == ir.Bool {
		return false
	}
	attrs, only := false, uniformValue(v)
	ir.Walk(v, func(v *ir.Value) bool {
		attrs = attrs || v.Op == ir.OpScalar
		only = only && v.Op != ir.OpExtent
		return only
	})
	return attrs && only
}

// draw gives the attribute the number that it is compared with, or one beside it, unless it is fixed.
func (c *attrCondition) draw(f *ir.Func, r *rand.Rand, b ir.Binding, fixed map[string]float64) {
	if _, ok := fixed[c.name]; ok || c.name == "" {
		return
	}
	x, err := ir.EvalScalar(f, c.at, b)
	if err != nil {
		return
	}
	step := float64(r.IntN(3) - 1)
	for _, s := range f.Scalars {
		if s.Name == c.name && s.Type.Kind != ir.Exact {
			step *= []float64{1, 0.25, 1e-3}[r.IntN(3)]
		}
	}
	b.Scalars[c.name] = x + step
}

// note notes which side a point is on.
func (c *attrCondition) note(f *ir.Func, b ir.Binding) {
	if x, err := ir.EvalScalar(f, c.cond, b); err == nil {
		c.yes, c.no = c.yes || x != 0, c.no || x == 0
	}
}

// unmet tells whether a side was not met that points weren't made for. One that they were made for and didn't meet is
// excluded by what the op requires.
func (c *attrCondition) unmet() bool { return c.name == "" && !c.guard && !(c.yes && c.no) }
