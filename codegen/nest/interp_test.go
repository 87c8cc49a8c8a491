package nest

import (
	"math"
	"math/rand"
	"strings"
	"testing"
)

func done(t *testing.T, b *Builder) *Nest {
	t.Helper()
	n, err := b.Done()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestLanes checks the order of a reduction against one written out.
func TestLanes(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 65, 1000} {
		b := NewBuilder("sum", F32)
		x := b.Operand(Operand{Name: "x", Grid: true, Vector: true})
		rows := b.Operand(Operand{Name: "rows", Mode: Out, Grid: true})
		all := b.Slot(Slot{Over: Grid, Acc: b.Operand(Operand{Name: "all", Mode: Acc})})
		row := b.Slot(Slot{Over: Vector})
		b.SetLanes(32)
		b.For(Grid, func() {
			b.For(Vector, func() {
				b.Reduce(row, b.Load(x))
				b.Reduce(all, b.Load(x))
			})
			b.Store(rows, b.Result(row))
		})
		r := rand.New(rand.NewSource(1))
		data := make([]float32, 2*n)
		for i := range data {
			data[i] = float32(r.NormFloat64())
		}
		got, total := make([]float32, 2), []float32{42}
		args := &Args{Rows: 2, N: n, Operands: []Buffer{{F32: data, Row: n, Step: 1}, {F32: got, Row: 1}, {F32: total}}}
		if err := done(t, b).Run(args); err != nil {
			t.Fatal(err)
		}
		tree := func(lanes [32]float32) float32 {
			for h := 16; h > 0; h /= 2 {
				for i := range h {
					lanes[i] += lanes[i+h]
				}
			}
			return lanes[0]
		}
		var both [32]float32
		for r := range 2 {
			var lanes [32]float32
			for i := range n {
				lanes[i%32] += data[r*n+i]
				both[i%32] += data[r*n+i]
			}
			if want := tree(lanes); got[r] != want {
				t.Errorf("n %d, row %d: %v, want %v", n, r, got[r], want)
			}
		}
		if want := tree(both); total[0] != want {
			t.Errorf("n %d: %v, want %v", n, total[0], want)
		}
	}
}

// TestSerialBlocks checks the blocks of sums over Serial, with and without products.
func TestSerialBlocks(t *testing.T) {
	for _, k := range []int{0, 1, 511, 512, 513, 1024, 1500} {
		b := NewBuilder("dot", F32)
		x := b.Operand(Operand{Name: "x", Serial: true})
		y := b.Operand(Operand{Name: "y", Serial: true})
		out := []int{b.Operand(Operand{Name: "dot", Mode: Out}), b.Operand(Operand{Name: "sum", Mode: Out})}
		dot, sum := b.Slot(Slot{Over: Serial}), b.Slot(Slot{Over: Serial})
		b.For(Serial, func() {
			b.ReduceProduct(dot, b.Load(x), b.Load(y))
			b.Reduce(sum, b.Load(x))
		})
		b.Store(out[0], b.Result(dot))
		b.Store(out[1], b.Result(sum))
		r := rand.New(rand.NewSource(1))
		xs, ys := make([]float32, 2*k+1), make([]float32, k)
		for i := range k {
			xs[2*i], ys[i] = float32(r.NormFloat64()), float32(r.NormFloat64())
		}
		d, s := []float32{0}, []float32{0}
		args := &Args{Rows: 1, N: 1, K: k, Operands: []Buffer{{F32: xs, KStep: 2}, {F32: ys, KStep: 1}, {F32: d}, {F32: s}}}
		if err := done(t, b).Run(args); err != nil {
			t.Fatal(err)
		}
		var dotOuter, dotBlock, sumOuter, sumBlock float32
		for i := range k {
			dotBlock = fma32(xs[2*i], ys[i], dotBlock)
			sumBlock += xs[2*i]
			if i%512 == 511 {
				dotOuter, dotBlock = dotOuter+dotBlock, 0
				sumOuter, sumBlock = sumOuter+sumBlock, 0
			}
		}
		if d[0] != dotOuter+dotBlock || s[0] != sumOuter+sumBlock {
			t.Errorf("k %d: %v and %v, want %v and %v", k, d[0], s[0], dotOuter+dotBlock, sumOuter+sumBlock)
		}
	}
}

// TestAccumulators checks that a wide accumulator goes on from what is there and a narrow one doesn't.
func TestAccumulators(t *testing.T) {
	b := NewBuilder("acc", F64)
	x := b.Operand(Operand{Name: "x", DType: F64, Grid: true, Vector: true})
	w := b.Operand(Operand{Name: "w", DType: F64, Mode: Acc, Vector: true})
	o := b.Operand(Operand{Name: "o", DType: F64, Mode: Acc})
	wide := b.Slot(Slot{Over: Grid, Wide: true, Acc: w})
	one := b.Slot(Slot{Monoid: MaxOf, Over: Grid, Acc: o})
	b.For(Grid, func() {
		b.For(Vector, func() {
			b.Reduce(wide, b.Load(x))
			b.Reduce(one, b.Load(x))
		})
	})
	n := done(t, b)
	data, columns, top := []float64{1, 2, 3, 4, 5, 6}, []float64{10, 20, 30}, []float64{100}
	ops := []Buffer{{F64: data, Row: 3, Step: 1}, {F64: columns, Step: 1}, {F64: top}}
	if err := n.Run(&Args{Rows: 2, N: 3, Operands: ops}); err != nil {
		t.Fatal(err)
	}
	if columns[0] != 15 || columns[1] != 27 || columns[2] != 39 || top[0] != 6 {
		t.Errorf("columns %v, top %v", columns, top)
	}
	if err := n.Run(&Args{Rows: 0, N: 3, Operands: ops}); err != nil {
		t.Fatal(err)
	}
	if top[0] != math.Inf(-1) {
		t.Errorf("of no rows: %v", top)
	}
	err := n.Run(&Args{Rows: 3, N: 3, Operands: ops})
	if err == nil || !strings.Contains(err.Error(), "element 6 of operand 0") {
		t.Errorf("a row too much: %v", err)
	}
	if err := n.Run(&Args{Rows: 1, N: 3, Operands: ops[:2]}); err == nil {
		t.Error("an operand too few: no error")
	}
}

// TestGatherBounds checks that an index beyond the vector axis is found, within the buffer or not.
func TestGatherBounds(t *testing.T) {
	b := NewBuilder("gather", F32)
	x := b.Operand(Operand{Name: "x", Grid: true, Vector: true})
	at := b.Operand(Operand{Name: "at", DType: I32, Grid: true})
	y := b.Operand(Operand{Name: "y", Mode: Out, Grid: true})
	b.For(Grid, func() { b.Store(y, b.Gather(x, b.LoadInt(at))) })
	n := done(t, b)
	out := make([]float32, 2)
	run := func(second int32) error {
		return n.Run(&Args{Rows: 2, N: 3, Operands: []Buffer{
			{F32: []float32{1, 2, 3, 4, 5, 6}, Row: 3, Step: 1}, {I32: []int32{2, second}, Row: 1}, {F32: out, Row: 1},
		}})
	}
	if err := run(1); err != nil || out[0] != 3 || out[1] != 5 {
		t.Errorf("%v, %v", out, err)
	}
	for _, bad := range []int32{3, -1} {
		if err := run(bad); err == nil || !strings.Contains(err.Error(), "at row 1") {
			t.Errorf("index %d: %v", bad, err)
		}
	}
}
