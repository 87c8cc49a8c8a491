package nest

import (
	"testing"

	"github.com/opgen/opgen/codegen/ir"
)

func TestProgramString(t *testing.T) {
	rows, cols := &ir.Axis{Name: "B"}, &ir.Axis{Name: "D"}
	x := &ir.Tensor{Name: "x", Axes: []*ir.Axis{rows, cols}}
	y := &ir.Tensor{Name: "y", Role: ir.Output, Axes: []*ir.Axis{rows, cols}}
	b := NewBuilder("double", F32)
	in := b.Operand(Operand{Name: "x", Grid: true, Vector: true})
	out := b.Operand(Operand{Name: "x", Mode: Out, Grid: true, Vector: true, InPlace: []int{in}})
	b.For(Grid, func() {
		b.For(Vector, func() {
			v := b.Load(in)
			odd := b.Op(BitAnd, b.Shl(b.Op(AsBits, v), 3), b.BitsConst(16))
			b.Store(out, b.Op(Select, b.Mask(true), b.Op(Add, v, b.Const(0.1)), b.Op(AsFloat, odd)))
		})
	})
	b.Scalar("s")
	bind := func(t *ir.Tensor) Bind {
		return Bind{Tensor: t, Grid: Stride{Moves: true, Axes: []*ir.Axis{cols}}, Vector: Stride{Moves: true}}
	}
	p := &Program{
		Name: "f",
		Launches: []*Launch{{
			Nest: done(t, b), Grid: []*ir.Axis{rows}, Vector: []*ir.Axis{cols}, Operands: []Bind{bind(x), bind(y)},
			Scalars: []*ir.Value{{Op: ir.OpScalar, Type: ir.RealType, Name: "eps"}}, Wanted: []*ir.Tensor{y},
		}},
		Saved:  []*ir.Tensor{y},
		Checks: []*Check{{Index: x, Of: y, Axis: cols}},
	}
	want := `program f
	saved y[B D]
	check 0 <= x < |D| of y
	launch double grid B vector D if wanted y
		0: x grid by D vector by 1
		1: y grid by D vector by 1
		scalar 0 = eps
	nest double f32 lanes 64
		in x#0 f32 [grid vector]
		out x#1 f32 [grid vector] in place of x#0
		scalar $s f32
		for r in grid {
			for n in vector {
				v3 = load x#0
				v4 = asbits v3
				v5 = shl v4 3
				v6 = bitand v5 0x10
				v7 = add v3 0.1
				v8 = asfloat v6
				v9 = select true v7 v8
				store x#1 v9
			}
		}
`
	if got := p.String(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
