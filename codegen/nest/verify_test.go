package nest

import (
	"strings"
	"testing"
)

// TestVerifyChanges breaks a right nest in one place each.
func TestVerifyChanges(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(n *Nest)
	}{
		{"the name is no identifier", func(n *Nest) { n.Name = "a b" }},
		{"the float dtype is i32", func(n *Nest) { n.Float = I32 }},
		{"48 lanes", func(n *Nest) { n.Lanes = 48 }},
		{"17 operands: more than 16", func(n *Nest) { n.Operands = append(n.Operands, make([]Operand, 13)...) }},
		{"17 scalars: more than 16", func(n *Nest) { n.Scalars = append(n.Scalars, make([]Scalar, 16)...) }},
		{"operand 0: f64 in a nest of f32", func(n *Nest) { n.Operands[0].DType = F64 }},
		{"operand 3: i32 but not an input", func(n *Nest) { n.Operands[3].DType = I32 }},
		{"operand 3: in place of operand 1, which is no input of the same shape", func(n *Nest) { n.Operands[3].InPlace = []int{1} }},
		{"operand 3: in place, but not an output", func(n *Nest) { n.Operands[3].Mode = InOut }},
		{"operand 1: an accumulator that moves along grid", func(n *Nest) { n.Operands[1].Mode = Acc }},
		{"operand 3 is an input", func(n *Nest) { n.Operands[3].Mode, n.Operands[3].InPlace = In, nil }},
		{"slot 0: wide, but over serial", func(n *Nest) { n.Slots[0].Wide = true }},
		{"slot 0: operand 0 is no accumulator", func(n *Nest) { n.Slots[0].Over = Grid }},
		{"a product into slot 0", func(n *Nest) { n.Slots[0].Monoid = MaxOf }},
		{"slot 0 is over vector, but the loop is serial", func(n *Nest) { n.Slots[0].Over = Vector }},
		{"slot 1: nothing is reduced into it", func(n *Nest) { n.Slots = append(n.Slots, Slot{Over: Serial}) }},
		{"statements after the grid loop", func(n *Nest) { n.Body = append(n.Body, &Value{}) }},
		{"a vector loop in a vector loop", func(n *Nest) {
			n.Walk(func(s Stmt, _ []*For) {
				if l, ok := s.(*For); ok && l.Depth == Serial {
					l.Depth = Vector
				}
			})
		}},
		{"neither a value nor a loop", func(n *Nest) { n.Body = append([]Stmt{nil}, n.Body...) }},
		{"is value number", func(n *Nest) { find(n, Sqrt).ID = 9 }},
		{"stands in two places", func(n *Nest) { n.Body = append([]Stmt{n.Body[0]}, n.Body...) }},
		{"v2 = sqrt: 0 arguments", func(n *Nest) { find(n, Sqrt).Args = nil }},
		{"v2 = sqrt: argument 0 is not defined here", func(n *Nest) { find(n, Sqrt).Args[0] = find(n, Add) }},
		{"v2 = lt: 1 arguments", func(n *Nest) { find(n, Sqrt).Op = Lt }},
		{"v2 = not: argument 0 is float, not mask", func(n *Nest) { find(n, Sqrt).Op = Not }},
		{"v3 = lt: is marked float, not mask", func(n *Nest) { find(n, Mul).Op = Lt }},
		{"v2 = sqrt: marked as a lane value: true", func(n *Nest) { find(n, Sqrt).Lane = true }},
		{"v1 = load: operand 0 moves along vector, but there is no such loop here", func(n *Nest) { find(n, Load).Operand = 0 }},
		{"v1 = loadint: operand 1 is f32", func(n *Nest) { find(n, Load).Op = LoadInt }},
		{"v1 = load: no operand 9", func(n *Nest) { find(n, Load).Operand = 9 }},
		{"no scalar 5", func(n *Nest) { find(n, ScalarOf).Scalar = 5 }},
		{"scalar 0 is of the other kind", func(n *Nest) { n.Scalars[0].Int = true }},
		{"no slot 4", func(n *Nest) { find(n, Reduce).Slot = 4 }},
		{"0.1 is no float32", func(n *Nest) { *find(n, ScalarOf) = Value{Op: Const, Imm: 0.1} }},
	} {
		n := layered(t)
		c.change(n)
		if err := n.Verify(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

// TestVerifyMemory has nests whose loads and stores are in a wrong order or place.
func TestVerifyMemory(t *testing.T) {
	for _, c := range []struct {
		want  string
		build func(b *Builder, x, y int)
	}{
		{"", func(b *Builder, x, y int) {
			b.For(Vector, func() { b.Store(y, b.Load(x)) })
		}},
		{"operand 1 (out) is never stored", func(b *Builder, x, y int) {}},
		{"operand 1 is stored a second time", func(b *Builder, x, y int) {
			b.For(Vector, func() { b.Store(y, b.Load(x)) })
			b.For(Vector, func() { b.Store(y, b.Load(x)) })
		}},
		{"operand 0 is loaded after the store to its memory, operand 1", func(b *Builder, x, y int) {
			z := b.Operand(Operand{Name: "z", Mode: Out, Grid: true, Vector: true})
			b.For(Vector, func() { b.Store(y, b.Load(x)) })
			b.For(Vector, func() { b.Store(z, b.Load(x)) })
		}},
		{"operand 1 is loaded before a later stage than its store", func(b *Builder, x, y int) {
			z := b.Operand(Operand{Name: "z", Mode: Out, Grid: true, Vector: true})
			b.For(Vector, func() {
				b.Store(y, b.Load(x))
				b.Store(z, b.Load(y))
			})
		}},
		{"operand 2 doesn't move along vector: stored more than once", func(b *Builder, x, y int) {
			z := b.Operand(Operand{Name: "z", Mode: Out, Grid: true})
			b.For(Vector, func() {
				b.Store(y, b.Load(x))
				b.Store(z, b.Const(1))
			})
		}},
		{"operand 2 is loaded after the store to its memory, operand 2", func(b *Builder, x, y int) {
			z := b.Operand(Operand{Name: "z", Mode: InOut, Grid: true, Vector: true})
			b.For(Vector, func() {
				b.Store(z, b.Load(x))
				b.Store(y, b.Load(z))
			})
		}},
		{"operand 2: integers that move along vector", func(b *Builder, x, y int) {
			b.Operand(Operand{Name: "z", DType: I32, Grid: true, Vector: true})
		}},
		{"a product into slot 0", func(b *Builder, x, y int) {
			s := b.Slot(Slot{Over: Vector})
			b.For(Vector, func() { b.ReduceProduct(s, b.Load(x), b.Load(x)) })
		}},
		{"v2 = reduce: slot 0 has another reduce", func(b *Builder, x, y int) {
			s := b.Slot(Slot{Over: Vector})
			b.For(Vector, func() {
				b.Reduce(s, b.Load(x))
				b.Reduce(s, b.Load(x))
			})
		}},
		{"of lanes; indices are selected in uniform code", func(b *Builder, x, y int) {
			b.For(Vector, func() {
				n := b.Iota()
				b.Store(y, b.Op(Select, b.Op(IntLt, b.Op(IntSelect, b.Mask(true), n, n), n), b.Load(x), b.Load(x)))
			})
		}},
		{"slot 0 is over grid: its result is operand 2", func(b *Builder, x, y int) {
			s := b.Slot(Slot{Over: Grid, Acc: b.Operand(Operand{Name: "a", Mode: Acc})})
			var n *Value
			b.For(Vector, func() {
				b.Reduce(s, b.Load(x))
				n = &Value{Op: Result, Slot: s}
			})
			b.place(b.current(), n)
			b.For(Vector, func() { b.Store(y, n) })
		}},
	} {
		b := NewBuilder("memory", F32)
		x := b.Operand(Operand{Name: "x", Grid: true, Vector: true})
		y := b.Operand(Operand{Name: "y", Mode: Out, Grid: true, Vector: true, InPlace: []int{x}})
		b.For(Grid, func() { c.build(b, x, y) })
		_, err := b.Done()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}
