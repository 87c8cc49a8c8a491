package nest

import (
	"strings"
	"testing"
)

// layered is a nest whose values are all written in the innermost loop.
func layered(t *testing.T) *Nest {
	b := NewBuilder("layered", F32)
	x := b.Operand(Operand{Name: "x", Grid: true, Vector: true})
	row := b.Operand(Operand{Name: "row", Grid: true})
	w := b.Operand(Operand{Name: "w", Vector: true, Serial: true})
	y := b.Operand(Operand{Name: "y", Mode: Out, Grid: true, Vector: true, InPlace: []int{x}})
	a := b.Scalar("a")
	s := b.Slot(Slot{Over: Serial})
	b.For(Grid, func() {
		b.For(Vector, func() {
			b.For(Serial, func() {
				scale := b.Op(Mul, b.ScalarOf(a), b.Op(Sqrt, b.Load(row)))
				b.Op(Div, scale, b.Load(w)) // unused
				b.ReduceProduct(s, b.Op(Add, b.Load(x), scale), b.Op(Mul, b.Load(w), b.Load(w)))
			})
			b.Store(y, b.Op(Add, b.Result(s), b.Op(Sqrt, b.Load(row))))
		})
	})
	return done(t, b)
}

// TestBuilderPlacement checks that each value stands in the loop it depends on, once, and that unused ones are gone.
func TestBuilderPlacement(t *testing.T) {
	want := `nest layered f32 lanes 64
	in x f32 [grid vector]
	in row f32 [grid]
	in w f32 [vector serial]
	out y f32 [grid vector] in place of x
	scalar $a f32
	slot s0 sum over serial
	for r in grid {
		u1 = load row
		u2 = sqrt u1
		u3 = mul $a u2
		for n in vector {
			v4 = load x
			v5 = add v4 u3
			for k in serial {
				v6 = load w
				v7 = mul v6 v6
				reduce s0 v5 v7
			}
			v9 = result s0
			v10 = add v9 u2
			store y v10
		}
	}
`
	if got := layered(t).String(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// TestBuilderLoadsAfterStores checks that a load of an output isn't merged with one before a store.
func TestBuilderLoadsAfterStores(t *testing.T) {
	b := NewBuilder("reload", F32)
	x := b.Operand(Operand{Name: "x"})
	y := b.Operand(Operand{Name: "y", Mode: Out})
	z := b.Operand(Operand{Name: "z", Mode: Out})
	b.Store(y, b.Load(x))
	first := b.Load(y)
	b.Store(z, b.Op(Add, first, b.Load(x)))
	if b.Load(y) == first {
		t.Error("merged over a store")
	}
	if once, again := b.Load(x), b.Load(x); once != again {
		t.Error("loads of an input are not merged")
	}
	done(t, b)
}

func TestBuilderErrors(t *testing.T) {
	for _, c := range []struct {
		want  string
		build func(b *Builder, x, y int)
	}{
		{"add takes 2 arguments, not 1", func(b *Builder, x, y int) { b.Store(y, b.Op(Add, b.Load(x))) }},
		{"load of operand 7: there is none", func(b *Builder, x, y int) { b.Store(y, b.Load(7)) }},
		{"reduce into slot 0: there is none", func(b *Builder, x, y int) { b.Reduce(0, b.Load(x)) }},
		{"result of slot 3 before a reduce", func(b *Builder, x, y int) { b.Store(y, b.Result(3)) }},
		{"iota outside of a vector loop", func(b *Builder, x, y int) { b.Iota() }},
		{"load is not a function of values", func(b *Builder, x, y int) { b.Op(Load) }},
		{"bits 0x100000000 don't fit", func(b *Builder, x, y int) { b.BitsConst(1 << 32) }},
		{"argument 0 of store is not a value here", func(b *Builder, x, y int) {
			var v *Value
			b.For(Serial, func() { v = b.Op(Neg, b.Load(b.Operand(Operand{Name: "s", Serial: true}))) })
			b.Store(y, v)
		}},
		{"result of slot 0 within its loop", func(b *Builder, x, y int) {
			s := b.Slot(Slot{Over: Serial})
			b.For(Serial, func() {
				b.Reduce(s, b.Load(x))
				b.Store(y, b.Result(s))
			})
		}},
		{"reduce into slot 0 outside of a serial loop", func(b *Builder, x, y int) {
			b.Reduce(b.Slot(Slot{Over: Serial}), b.Load(x))
		}},
	} {
		b := NewBuilder("wrong", F32)
		x, y := b.Operand(Operand{Name: "x"}), b.Operand(Operand{Name: "y", Mode: Out})
		c.build(b, x, y)
		if _, err := b.Done(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

func TestChosenLanes(t *testing.T) {
	for _, c := range []struct {
		float        DType
		slots, lanes int
	}{{F32, 0, 64}, {F32, 1, 64}, {F32, 2, 32}, {F32, 3, 16}, {F32, 4, 16}, {F64, 1, 32}, {F64, 2, 16}, {F64, 4, 8}} {
		b := NewBuilder("lanes", c.float)
		x := b.Operand(Operand{Name: "x", DType: c.float, Vector: true})
		b.For(Vector, func() {
			for range c.slots {
				b.Reduce(b.Slot(Slot{Over: Vector}), b.Load(x))
			}
		})
		if n := done(t, b); n.Lanes != c.lanes {
			t.Errorf("%s, %d reductions: %d lanes, want %d", c.float, c.slots, n.Lanes, c.lanes)
		}
	}
}
