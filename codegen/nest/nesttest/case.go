package nesttest

import (
	"fmt"
	"math"
	"math/rand"
	"slices"

	"github.com/opgen/opgen/codegen/nest"
)

// Size is the extents of a run.
type Size struct{ Rows, N, K int }

// Sizes are extents around the widths of machines and blocks, for a nest with the loops that it has.
func Sizes(n *nest.Nest) []Size {
	grid, vector, serial := loops(n)
	pick := func(has bool, all ...int) []int {
		if has {
			return all
		}
		return []int{1}
	}
	var sizes []Size
	rows, ks := pick(grid, 3, 1, 2, 5), pick(serial, 3, 1, nest.SerialBlock, nest.SerialBlock+1, 0, 2*nest.SerialBlock+9, 17)
	for i, n := range pick(vector, 1, 2, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 100, 128, 200, 0) {
		sizes = append(sizes, Size{rows[i%len(rows)], n, ks[i%len(ks)]})
	}
	if !vector {
		for _, k := range ks {
			sizes = append(sizes, Size{rows[0], 1, k})
		}
	}
	if grid {
		sizes = append(sizes, Size{0, 5, 3}, Size{67, 3, 2})
	}
	if vector {
		sizes = append(sizes, Size{1, 1000, 2})
	}
	return sizes
}

// loops says which loops a nest has.
func loops(n *nest.Nest) (grid, vector, serial bool) {
	n.Walk(func(s nest.Stmt, _ []*nest.For) {
		if l, ok := s.(*nest.For); ok {
			grid = grid || l.Depth == nest.Grid
			vector = vector || l.Depth == nest.Vector
			serial = serial || l.Depth == nest.Serial
		}
	})
	return grid, vector, serial
}

// SplatLanes is how many equal elements are readable at an input whose Step is 0.
const SplatLanes = 64

// guard is how many elements stand before and after the data of an operand.
const guard = SplatLanes + 16

// Case is a nest with data. Operands lie at odd places in memory, with gaps between rows, inputs may be broadcast, and
// outputs may share the memory of inputs where the nest allows it. What no operand covers is filled with NaN, or with
// numbers that are no index.
type Case struct {
	Nest *nest.Nest
	Size Size
	Args *nest.Args
	// Memory holds the memories; Of says in which each operand lies. Operands share the slices of their memory.
	Memory []nest.Buffer
	Of     []int
}

// NewCase makes data for a nest. Where the nest gathers, N is at least 1.
func NewCase(r *rand.Rand, n *nest.Nest, size Size) *Case {
	if size.N == 0 && indexes(n) {
		size.N = 1
	}
	c := &Case{Nest: n, Size: size, Args: &nest.Args{Rows: size.Rows, N: size.N, K: size.K}}
	c.Args.Operands = make([]nest.Buffer, len(n.Operands))
	c.Of = make([]int, len(n.Operands))
	spice := r.Intn(5) < 2
	shared := map[int]int{} // input: the output that shares its memory
	sharing := map[int]int{}
	for i, o := range n.Operands {
		for _, p := range o.InPlace {
			if _, taken := shared[p]; !taken && r.Intn(3) == 0 {
				shared[p], sharing[i] = i, p
				break
			}
		}
	}
	for i := range n.Operands {
		if _, later := sharing[i]; !later {
			_, pinned := shared[i]
			c.layout(r, i, pinned, spice)
		}
	}
	for i, p := range sharing {
		c.Args.Operands[i], c.Of[i] = c.Args.Operands[p], c.Of[p]
	}
	for _, s := range n.Scalars {
		f, index := r.NormFloat64(), 0
		if spice {
			f = spiced(r, f)
		}
		if size.N > 0 {
			index = r.Intn(size.N)
		}
		if s.Int {
			f = 0
		}
		c.Args.F, c.Args.I = append(c.Args.F, f), append(c.Args.I, index)
	}
	return c
}

// indexes says whether a nest reads at an index that is data, so that there must be an element.
func indexes(n *nest.Nest) bool {
	found := false
	n.Walk(func(s nest.Stmt, _ []*nest.For) {
		if v, ok := s.(*nest.Value); ok && v.Op == nest.Gather {
			found = true
		}
	})
	return found
}

// layout gives operand i a memory of its own. pinned: an output shares it, so no stride is 0.
func (c *Case) layout(r *rand.Rand, i int, pinned, spice bool) {
	o := &c.Nest.Operands[i]
	broadcast := func() bool { return o.Mode == nest.In && !pinned && r.Intn(5) == 0 }
	gap := func() int { return r.Intn(3) * r.Intn(9) }
	buf := nest.Buffer{Base: guard + r.Intn(17)}
	at, lanes := 1, 1
	if o.Vector {
		if buf.Step = 1; broadcast() {
			buf.Step, lanes = 0, SplatLanes
		} else {
			lanes = c.Size.N
		}
		at = lanes + gap()
	}
	serial := func() {
		if o.Serial && !broadcast() {
			buf.KStep = at + gap()
			at = buf.KStep*max(c.Size.K, 1) + gap()
		}
	}
	grid := func() {
		if o.Grid && !broadcast() {
			buf.Row = at + gap()
			at = buf.Row*max(c.Size.Rows, 1) + gap()
		}
	}
	if r.Intn(2) == 0 {
		serial()
		grid()
	} else {
		grid()
		serial()
	}
	f := filler{r: r, spice: spice, index: max(c.Size.N, 1)}
	f.alloc(&buf, o.DType, buf.Base+at+guard)
	rows, ks := 1, 1
	if o.Grid {
		rows = c.Size.Rows
	}
	if o.Serial {
		ks = c.Size.K
	}
	for row := range rows {
		for k := range ks {
			for lane := range lanes {
				first := buf.Base + row*buf.Row + k*buf.KStep
				if lane > 0 && buf.Step == 0 {
					f.copy(&buf, o.DType, first+lane, first)
				} else {
					f.fill(&buf, o, first+lane)
				}
			}
		}
	}
	c.Memory = append(c.Memory, nest.Buffer{F32: buf.F32, F64: buf.F64, I32: buf.I32, I64: buf.I64})
	c.Of[i] = len(c.Memory) - 1
	c.Args.Operands[i] = buf
}

// Clone is a case with a copy of the memory.
func (c *Case) Clone() *Case {
	d := &Case{Nest: c.Nest, Size: c.Size, Of: c.Of}
	args := *c.Args
	d.Args = &args
	for _, m := range c.Memory {
		d.Memory = append(d.Memory, nest.Buffer{
			F32: slices.Clone(m.F32), F64: slices.Clone(m.F64), I32: slices.Clone(m.I32), I64: slices.Clone(m.I64),
		})
	}
	d.Args.Operands = slices.Clone(c.Args.Operands)
	for i := range d.Args.Operands {
		b, m := &d.Args.Operands[i], &d.Memory[c.Of[i]]
		b.F32, b.F64, b.I32, b.I64 = m.F32, m.F64, m.I32, m.I64
	}
	return d
}

// Want runs the interpreter on a copy of the case.
func (c *Case) Want() (*Case, error) {
	w := c.Clone()
	if err := w.Nest.Run(w.Args); err != nil {
		return nil, err
	}
	return w, nil
}

// Diff compares all memory of two runs of one case, with the gaps and guards: bit for bit, but all NaN are one. The error
// names the first difference.
func (c *Case) Diff(want *Case) error {
	for i := range want.Memory {
		if at, got, exp, ok := firstDiff(&c.Memory[i], &want.Memory[i]); !ok {
			return fmt.Errorf("nest %s, rows %d, n %d, k %d: %s: got %s, want %s",
				c.Nest.Name, c.Size.Rows, c.Size.N, c.Size.K, c.place(i, at), got, exp)
		}
	}
	return nil
}

// place describes an element of a memory by the operands in it.
func (c *Case) place(memory, at int) string {
	text := fmt.Sprintf("element %d of memory %d", at, memory)
	for i, m := range c.Of {
		if m == memory {
			b := &c.Args.Operands[i]
			text += fmt.Sprintf(", operand %d (%s %s, base %d, strides %d %d %d)", i, c.Nest.Operands[i].Mode,
				c.Nest.Operands[i].Name, b.Base, b.Row, b.Step, b.KStep)
		}
	}
	return text
}

func firstDiff(got, want *nest.Buffer) (at int, g, w string, same bool) {
	for i, x := range want.F32 {
		if y := got.F32[i]; math.Float32bits(x) != math.Float32bits(y) && (x == x || y == y) {
			return i, fmt.Sprintf("%v (%#x)", y, math.Float32bits(y)), fmt.Sprintf("%v (%#x)", x, math.Float32bits(x)), false
		}
	}
	for i, x := range want.F64 {
		if y := got.F64[i]; math.Float64bits(x) != math.Float64bits(y) && (x == x || y == y) {
			return i, fmt.Sprintf("%v (%#x)", y, math.Float64bits(y)), fmt.Sprintf("%v (%#x)", x, math.Float64bits(x)), false
		}
	}
	for i, x := range want.I32 {
		if got.I32[i] != x {
			return i, fmt.Sprint(got.I32[i]), fmt.Sprint(x), false
		}
	}
	for i, x := range want.I64 {
		if got.I64[i] != x {
			return i, fmt.Sprint(got.I64[i]), fmt.Sprint(x), false
		}
	}
	return 0, "", "", true
}
