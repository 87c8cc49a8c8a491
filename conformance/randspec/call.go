package randspec

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// call is a call while it is made.
type call struct {
	r     *rand.Rand
	ext   map[*axis][]int
	attrs map[string]ir.ExampleAttr
	lie   func(t *tensor, shape []int) []int // where the caller's axes lie; nil: as in the spec
}

// one is the extent of a single axis.
func (c *call) one(a *axis) int { return c.ext[a][0] }

// call draws a call: extents, attributes, then the elements of inputs. Most extents are small; in some calls one axis is
// longer than a vector, and now and then one has no elements where formulas allow it.
func (g *gen) call() Case {
	r := rand.New(rand.NewPCG(g.r.Uint64(), g.r.Uint64()))
	c := &call{r: r, ext: map[*axis][]int{}, attrs: map[string]ir.ExampleAttr{}}
	long := -1
	if r.IntN(2) == 0 && len(g.axes) > 0 {
		long = r.IntN(len(g.axes))
	}
	for i, a := range g.axes {
		switch {
		case a.computed:
		case a.pack:
			for range r.IntN(3) {
				c.ext[a] = append(c.ext[a], 1+r.IntN(3))
			}
			if i == long && len(c.ext[a]) > 0 {
				c.ext[a][0] = 5 + r.IntN(20)
			}
		case i == long && a.most > 8:
			c.ext[a] = []int{9 + r.IntN(a.most-8)}
		case a.least == 0 && r.IntN(8) == 0:
			c.ext[a] = []int{0}
		default:
			c.ext[a] = []int{max(a.least, 1) + r.IntN(3)}
		}
	}
	g.limit(c)
	for _, f := range g.frees {
		f(r, c)
	}
	for _, a := range g.attrs {
		if _, set := c.attrs[a.name]; !set && a.value != nil {
			if v := a.value(r); v.Name != "" {
				c.attrs[a.name] = v
			}
		}
	}
	for _, a := range g.axes { // in order: a computed one may follow from another
		if a.computed {
			c.ext[a] = a.extent(c)
		}
	}
	k := Case{Inputs: map[string]*ir.Array{}}
	for _, a := range g.attrs {
		if v, ok := c.attrs[a.name]; ok {
			k.Attrs = append(k.Attrs, v)
		}
	}
	if g.update {
		k.Attrs = append(k.Attrs, ir.ExampleAttr{Name: "step", Number: float64(1 + r.IntN(3))})
	}
	for _, t := range g.ins {
		if t.optional && r.IntN(2) == 0 {
			continue
		}
		k.Inputs[t.name] = g.array(c, t)
	}
	return k
}

// volume bounds the points of all axes of a call.
const volume = 160

// limit makes axes shorter until there are few enough points.
func (g *gen) limit(c *call) {
	for {
		points := 1
		var wide []*int
		for _, a := range g.axes {
			for i := range c.ext[a] {
				e := &c.ext[a][i]
				points *= max(*e, 1)
				if *e > 1 {
					wide = append(wide, e)
				}
			}
		}
		if points <= volume || len(wide) == 0 {
			return
		}
		e := wide[c.r.IntN(len(wide))]
		*e = (*e + 1) / 2
	}
}

// array draws the elements of an input.
func (g *gen) array(c *call, t *tensor) *ir.Array {
	shape := []int{}
	front := true // nothing stands before that can't be left out
	for i, s := range t.slots {
		var part []int
		switch {
		case s.product != nil:
			n := 1
			for _, a := range flat(s.product) {
				for _, e := range c.ext[a] {
					n *= e
				}
			}
			part = []int{n}
		default:
			part = slices.Clone(c.ext[s.axis])
		}
		switch {
		case t.mode != "" || s.product != nil:
			front = false
		case c.lie != nil && s.axis.pack:
			front = false
		case s.optional && c.r.IntN(3) == 0:
			part = []int{1}
			if front && i == 0 && c.r.IntN(2) == 0 {
				part = nil
			} else {
				front = false
			}
		case s.axis.pack && c.r.IntN(3) == 0:
			for k := range part {
				if c.r.IntN(2) == 0 {
					part[k] = 1
				}
			}
			if front && i == 0 && c.r.IntN(3) == 0 && len(part) > 0 {
				part = part[1:]
			}
			front = false
		default:
			front = false
		}
		shape = append(shape, part...)
	}
	if c.lie != nil {
		shape = c.lie(t, shape)
	}
	a := ir.NewArray(shape...)
	for k := range a.Data {
		switch {
		case t.of != nil:
			n := 1
			for _, e := range c.ext[t.of] {
				n *= e
			}
			a.Data[k] = float64(c.r.IntN(max(n, 1)))
		case t.only != nil:
			a.Data[k] = t.only(c.r)
		case t.kind == truth:
			a.Data[k] = float64(c.r.IntN(2))
		case t.kind == whole:
			a.Data[k] = float64(c.r.IntN(9))
			if t.elem[0] == 'i' && c.r.IntN(3) == 0 { // what may be unsigned is not negative
				a.Data[k] = -a.Data[k]
			}
		default:
			x := c.r.NormFloat64()
			if c.r.IntN(6) == 0 {
				x = math.Round(x)
			}
			a.Data[k] = math.Round(64*max(-3, min(x, 3))) / 64 // which every float dtype holds
		}
	}
	return a
}
