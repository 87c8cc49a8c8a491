package general_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/opgen/opgen/codegen/ir"
)

// shapes draws the shapes and attributes of a call. Packs that have one number of axes get one, extents that the op computes
// from attributes are what it says, and now and then something doesn't fit.
type shapes struct {
	r       *rand.Rand
	op      *ir.OpDecl
	ranks   map[string]int
	extents map[string]int // of axes by name, of packs by name and number
	most    int            // the greatest extent drawn
	cube    int            // the one extent of all axes; 0: they differ
	attrs   []ir.ExampleAttr
}

func newShapes(r *rand.Rand, op *ir.OpDecl) *shapes {
	s := &shapes{r: r, op: op, ranks: map[string]int{}, extents: map[string]int{}, most: 3 + r.IntN(2)}
	switch r.IntN(6) {
	case 0:
		s.most = 1 // empty axes are likely
	case 1:
		s.cube = 1 + r.IntN(3)
	}
	for _, g := range op.Ranks {
		n := r.IntN(4)
		if r.IntN(3) > 0 {
			n = s.madeFor(g.Packs[0], n)
		}
		for _, p := range g.Packs {
			s.ranks[p] = n
		}
	}
	for _, d := range op.Attrs {
		if a, ok := s.attr(d); ok {
			s.attrs = append(s.attrs, a)
		}
	}
	s.solve()
	return s
}

// madeFor is a number of axes that there are variants for.
func (s *shapes) madeFor(pack string, n int) int {
	var made []int
	for _, v := range s.op.Variants {
		for _, c := range v.Choices {
			if c.Rank == pack {
				made = append(made, c.N)
			}
		}
	}
	if len(made) == 0 {
		return n
	}
	return made[s.r.IntN(len(made))]
}

func (s *shapes) rank(pack string) int {
	if _, ok := s.ranks[pack]; !ok {
		s.ranks[pack] = s.r.IntN(3)
	}
	return s.ranks[pack]
}

func (s *shapes) extent(name string) int {
	if _, ok := s.extents[name]; !ok {
		s.extents[name] = s.r.IntN(s.most + 1)
		if s.cube > 0 {
			s.extents[name] = s.cube
		}
	}
	return s.extents[name]
}

// attr draws an attribute; false leaves it to its default. Mostly lists have an entry for each axis, or one for all.
func (s *shapes) attr(d *ir.AttrDecl) (ir.ExampleAttr, bool) {
	x, ok := attrOf(s.r, s.op, d, s)
	if d.List == "" || !ok {
		return x, ok
	}
	n, err := strconv.Atoi(d.List)
	if err != nil {
		n = s.rank(d.List)
	}
	switch s.r.IntN(12) {
	case 0:
		n++
	case 1, 2, 3:
		return x, true
	}
	if n == 0 {
		return x, true
	}
	y := ir.ExampleAttr{Name: d.Name}
	for len(y.List) < n {
		e, _ := attrOf(s.r, s.op, &ir.AttrDecl{Name: d.Name, Kind: d.Kind, List: d.List}, s)
		y.List = append(y.List, e.Number)
	}
	return y, true
}

// solve finds the extents that the op computes of its attributes alone.
func (s *shapes) solve() {
	scalars := map[string]float64{}
	for _, d := range s.op.Attrs {
		i := slices.IndexFunc(s.attrs, func(a ir.ExampleAttr) bool { return a.Name == d.Name })
		var number *float64
		var list []float64
		switch {
		case i >= 0:
			number, list = &s.attrs[i].Number, s.attrs[i].List
		case d.Default != nil && d.Default.Const != nil:
			x, _ := d.Default.Const.Float64()
			number = &x
		default:
			continue
		}
		scalars[d.Name] = *number
		for k := range 4 {
			x := *number
			if len(list) > 0 {
				x = list[k%len(list)]
			}
			scalars[ir.EntryName(d.Name, k)] = x
		}
	}
	for _, v := range s.op.Variants {
		if v.Refused != nil || !s.takes(v) {
			continue
		}
		known := map[*ir.Axis]int{}
		for _, d := range v.Forward.Dims {
			x, err := ir.EvalScalar(v.Forward, d.Value, ir.Binding{Extents: maps.Clone(known), Scalars: scalars})
			if err != nil || x < 0 || x != float64(int(x)) || x > 64 {
				continue
			}
			known[d.Axis] = int(x)
			if s.r.IntN(12) == 0 {
				continue
			}
			name := d.Axis.Name
			if d.Axis.Of != "" {
				name = fmt.Sprint(d.Axis.Of, d.Axis.At)
			}
			s.extents[name] = int(x)
		}
		return
	}
}

// takes tells whether a variant is for the attributes and numbers of axes drawn.
func (s *shapes) takes(v *ir.Variant) bool {
	for _, c := range v.Choices {
		i := slices.IndexFunc(s.attrs, func(a ir.ExampleAttr) bool { return a.Name == c.Attr || a.Name == c.Present })
		isAttr := slices.ContainsFunc(s.op.Attrs, func(a *ir.AttrDecl) bool { return a.Name == c.Present })
		switch {
		case c.Rank != "" && s.ranks[c.Rank] != c.N:
			return false
		case c.Attr != "" && i >= 0 && s.attrs[i].Word != c.Word:
			return false
		case c.Present != "" && isAttr && (i >= 0) != c.Holds:
			return false
		}
	}
	return true
}

// forms are the attributes of a call as the evaluator has them: there one number for a list and a list of one differ, in that only
// a list tells how many axes there are. In Go they are the same, which is a number where that makes a call. The second is nil
// where there are no such lists.
func forms(op *ir.OpDecl, attrs []ir.ExampleAttr) (number, list []ir.ExampleAttr) {
	number = slices.Clone(attrs)
	for i, a := range attrs {
		k := slices.IndexFunc(op.Attrs, func(d *ir.AttrDecl) bool { return d.Name == a.Name })
		if k < 0 || op.Attrs[k].List == "" || len(a.List) > 1 {
			continue
		}
		if list == nil {
			list = slices.Clone(attrs)
		}
		x := a.Number
		if a.List != nil {
			x = a.List[0]
		}
		number[i] = ir.ExampleAttr{Name: a.Name, Number: x}
		list[i] = ir.ExampleAttr{Name: a.Name, List: []float64{x}}
	}
	return number, list
}

// of draws a shape.
func (s *shapes) of(refs []ir.AxisRef) []int {
	shape := []int{}
	for _, a := range refs {
		switch {
		case a.Product != nil:
			n := 1
			for _, e := range s.of(a.Product) {
				n *= e
			}
			shape = append(shape, n)
		case a.Pack:
			for i := range s.rank(a.Name) {
				shape = append(shape, s.extent(fmt.Sprint(a.Name, i)))
			}
		case a.Optional && s.r.IntN(3) == 0:
			shape = append(shape, 1)
		default:
			shape = append(shape, s.extent(a.Name))
		}
	}
	return shape
}
