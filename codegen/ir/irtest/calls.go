package irtest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// Call is a call of an op.
type Call struct {
	Inputs map[string]*ir.Array
	Attrs  []ir.ExampleAttr
}

// Numbers says how those of a random call are drawn.
type Numbers struct {
	Lo, Hi float64 // range of floats
	Empty  bool    // extents may be 0
}

// RandomCall makes a random call of an op. It may be one that the op refuses. Integers are 0 or 1, which are mostly good indices.
// Axes are placed where they are written.
func RandomCall(r *rand.Rand, op *ir.OpDecl, n Numbers) *Call {
	c := &caller{r: r, op: op, ranks: map[string]int{}, extents: map[string]int{}, least: 1, most: 2 + r.IntN(3)}
	if n.Empty {
		c.least, c.most = 0, 2
	}
	call := &Call{Inputs: map[string]*ir.Array{}}
	for _, p := range op.Inputs {
		if p.Optional && r.IntN(2) == 0 {
			continue
		}
		a := ir.NewArray(c.shape(p.Axes)...)
		if p.Mode == ir.Input && len(p.Axes) > 0 && p.Axes[0].Pack && r.IntN(6) == 0 {
			for i := range c.ranks[p.Axes[0].Name] { // expanded
				if r.IntN(2) == 0 {
					a.Shape[i] = 1
				}
			}
			a = ir.NewArray(a.Shape...)
		}
		for i := range a.Data {
			if Float(op, p.Elem) {
				a.Data[i] = n.Lo + (n.Hi-n.Lo)*r.Float64()
			} else {
				a.Data[i] = float64(r.IntN(2))
			}
		}
		call.Inputs[p.Name] = a
	}
	for _, d := range op.Attrs {
		if x, given := c.attr(d); given {
			call.Attrs = append(call.Attrs, x)
		}
	}
	return call
}

// Float tells whether elements are floats where dtype variables that may be are.
func Float(op *ir.OpDecl, e ir.Elem) bool {
	c := ir.ClassOf(op.ElemVars, e)
	return c == ir.ClassFloat || c == ir.ClassUnknown
}

type caller struct {
	r       *rand.Rand
	op      *ir.OpDecl
	ranks   map[string]int
	extents map[string]int
	least   int
	most    int
}

// shape draws the extents of axes; those with one name have one.
func (c *caller) shape(refs []ir.AxisRef) []int {
	shape := []int{}
	for _, a := range refs {
		switch {
		case a.Product != nil:
			n := 1
			for _, e := range c.shape(a.Product) {
				n *= e
			}
			shape = append(shape, n)
		case a.Pack:
			for i := range c.rank(a.Name) {
				shape = append(shape, c.extent(fmt.Sprint(a.Name, i)))
			}
		case a.Optional && c.r.IntN(3) == 0:
			shape = append(shape, 1)
		default:
			shape = append(shape, c.extent(a.Name))
		}
	}
	return shape
}

// rank is the number of axes of a pack, one for all packs of a group.
func (c *caller) rank(pack string) int {
	for _, g := range c.op.Ranks {
		if slices.Contains(g.Packs, pack) {
			pack = g.Packs[0]
			if _, ok := c.ranks[pack]; !ok && g.Spread {
				c.ranks[pack] = 1 + c.r.IntN(2)
			}
		}
	}
	if _, ok := c.ranks[pack]; !ok {
		c.ranks[pack] = c.r.IntN(3)
	}
	return c.ranks[pack]
}

func (c *caller) extent(name string) int {
	if _, ok := c.extents[name]; !ok {
		c.extents[name] = c.least + c.r.IntN(c.most)
	}
	return c.extents[name]
}

// attr is a random value of an attribute; false leaves it to its default.
func (c *caller) attr(d *ir.AttrDecl) (x ir.ExampleAttr, given bool) {
	x.Name = d.Name
	switch d.Kind {
	case ir.AttrAxis:
		x.Number = -1
		if p := c.op.Inputs[0]; len(p.Axes) > 1 && p.Axes[1].Name == d.Axes[0] && p.Axes[0].Pack {
			x.Number = 1 // one written behind the first
		}
		if c.r.IntN(2) == 0 {
			return x, d.Default == nil && d.Word == ""
		}
		return x, true
	case ir.AttrAxes:
		n := c.rank(d.Axes[0])
		x.List = []float64{}
		for i := range n {
			x.List = append(x.List, float64(i-n))
		}
		return x, true
	case ir.AttrBool, ir.AttrKeep:
		x.Word = []string{"false", "true"}[c.r.IntN(2)]
		return x, true
	case ir.AttrEnum:
		x.Word = d.Enum.Words[c.r.IntN(len(d.Enum.Words))]
		return x, true
	case ir.AttrRNG:
		x.Number = float64(c.r.IntN(100))
		return x, true
	}
	if (d.Optional || d.Default != nil) && c.r.IntN(2) == 0 {
		return x, false
	}
	value := func() float64 {
		if d.Kind == ir.AttrInt {
			return float64(c.r.IntN(4))
		}
		return []float64{0.25, 0.5, 1, 2, 0, 0.1}[c.r.IntN(6)]
	}
	if d.List == "" {
		x.Number = value()
		return x, true
	}
	n := 0
	if _, err := fmt.Sscan(d.List, &n); err != nil {
		n = c.rank(d.List)
	}
	x.List = []float64{}
	for range n {
		x.List = append(x.List, value())
	}
	return x, true
}
