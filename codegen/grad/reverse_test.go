package grad

import (
	"math"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/ir/irtest"
)

func backward(t *testing.T, f *ir.Func) *ir.Func {
	t.Helper()
	if err := ir.Verify(f); err != nil {
		t.Fatalf("%v\n%v", err, f)
	}
	b, err := Reverse(f)
	if err != nil {
		t.Fatalf("%v\n%v", err, f)
	}
	return b
}

func TestGradientsAgainstDifferences(t *testing.T) {
	for _, c := range irtest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			b := backward(t, c.Func)
			for seed := range uint64(3) {
				in := irtest.WithOutputs(t, c.Func, c.Random(c.Func, seed))
				irtest.Cotangents(b, in, seed)
				irtest.CheckGrad(t, c.Func, b, in, 1e-8)
			}
		})
	}
}

// The solver is an optimisation: the equations left as they are give the same.
func TestUnsolvedIsTheSame(t *testing.T) {
	for _, c := range irtest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			f := c.Func
			b := backward(t, f)
			u, err := reverse(f, false)
			if err != nil {
				t.Fatal(err)
			}
			in := irtest.WithOutputs(t, f, c.Random(f, 7))
			irtest.Cotangents(b, in, 7)
			for i, x := range u.Inputs {
				if x.Role == ir.Cotangent {
					in.Arrays[x] = in.Arrays[b.Inputs[i]]
				}
			}
			irtest.CheckSame(t, u, b, in, 1e-12)
		})
	}
}

func TestSecondOrder(t *testing.T) {
	for _, c := range irtest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			first := Close(backward(t, c.Func))
			second := backward(t, first)
			in := c.Random(c.Func, 3)
			irtest.Cotangents(first, in, 3)
			in = irtest.WithOutputs(t, first, in)
			irtest.Cotangents(second, in, 4)
			irtest.CheckGrad(t, first, second, in, 2e-7)
		})
	}
}

// at evaluates the gradient of the first input for a cotangent of ones.
func at(t *testing.T, f *ir.Func, extents map[string]int, inputs ...[]float64) [][]float64 {
	t.Helper()
	b := backward(t, f)
	c := irtest.Case{Extents: extents, Classes: 1}
	in := c.Random(f, 1)
	for i, data := range inputs {
		copy(in.Arrays[f.Inputs[i]].Data, data)
	}
	in = irtest.WithOutputs(t, f, in)
	irtest.Cotangents(b, in, 1)
	for x, a := range in.Arrays {
		if x.Role == ir.Cotangent {
			for i := range a.Data {
				a.Data[i] = 1
			}
		}
	}
	g, err := ir.Eval(b, in)
	if err != nil {
		t.Fatalf("%v\n%v", err, b)
	}
	var r [][]float64
	for _, o := range b.Outputs {
		r = append(r, g[o].Data)
	}
	return r
}

func same(t *testing.T, got []float64, want ...float64) {
	t.Helper()
	for i, w := range want {
		if got[i] != w && !(got[i] != got[i] && w != w) {
			t.Errorf("got %v, want %v", got, want)
			return
		}
	}
}

func unary(op ir.Op) *ir.Func {
	b := irtest.New(op.String())
	B := b.Pack("B")
	x := b.In("x", B)
	v := irtest.Over("b", B)
	b.Out("y", ir.Assign, irtest.Vars(v), nil, ir.Call(op, irtest.At(x, v)))
	return b.F
}

func binary(op ir.Op) *ir.Func {
	b := irtest.New(op.String())
	B := b.Pack("B")
	x, z := b.In("x", B), b.In("z", B)
	v := irtest.Over("b", B)
	b.Out("y", ir.Assign, irtest.Vars(v), nil, ir.Call(op, irtest.At(x, v), irtest.At(z, v)))
	return b.F
}

// The conventions at kinks and at the edges of domains.
func TestConventions(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	n := func(k int) map[string]int { return map[string]int{"B": k, "D": k, "R": k} }
	same(t, at(t, unary(ir.OpAbs), n(3), []float64{-2, 0, 2})[0], -1, 0, 1)
	same(t, at(t, unary(ir.OpSqrt), n(2), []float64{0, 4})[0], inf, 0.25)

	relu := irtest.New("relu")
	B := relu.Pack("B")
	x := relu.In("x", B)
	v := irtest.Over("b", B)
	relu.Out("y", ir.Assign, irtest.Vars(v), nil, ir.Call(ir.OpMax, irtest.At(x, v), ir.Int(0)))
	same(t, at(t, relu.F, n(4), []float64{-1, 0, 3, nan})[0], 0, 0, 1, 1)

	tie := at(t, binary(ir.OpMax), n(3), []float64{1, 2, 3}, []float64{2, 2, 2})
	same(t, tie[0], 0, 0.5, 1)
	same(t, tie[1], 1, 0.5, 0)
	tie = at(t, binary(ir.OpMin), n(3), []float64{1, 2, 3}, []float64{2, 2, 2})
	same(t, tie[0], 1, 0.5, 0)

	// x^0 has derivative 0, also at 0 and infinity.
	pow := at(t, binary(ir.OpPow), n(4), []float64{0, inf, 2, 0}, []float64{0, 0, 3, 2})
	same(t, pow[0], 0, 0, 12, 0)
	same(t, pow[1], 0, inf, 8*math.Log(2), 0)

	// A reduction shares its gradient among ties; NaN wins and matches NaN.
	max := irtest.Maximum()
	same(t, at(t, max, map[string]int{"B": 3, "D": 3}, []float64{1, -2, 2, 3, 3, 3, nan, 1, nan})[0],
		0, -2, 2, 2, 2, 2, nan, 0, nan)

	// Products with zeros don't divide.
	same(t, at(t, irtest.Product(), map[string]int{"B": 3, "D": 3}, []float64{2, 3, 4, 0, 3, 4, 0, 0, 4})[0],
		12, 8, 6, 12, 0, 0, 0, 0, 0)
	same(t, at(t, irtest.Cumprod(), map[string]int{"B": 1, "L": 4}, []float64{2, 0, 3, 4})[0], 1, 2*(1+3+3*4), 0, 0)
}

// A branch that isn't taken never touches the gradient.
func TestBranches(t *testing.T) {
	same(t, at(t, irtest.SafeRoot(), map[string]int{"B": 3}, []float64{0, -1, 4})[0], 1, 1, 0.25)
	// Nothing flows to the roots, whose derivative is infinite at 0.
	g := at(t, irtest.MaskedRoot(), map[string]int{"B": 2, "D": 2}, []float64{0, 4}, []float64{-1, -1})
	same(t, g[0], 0, 0)
	// A row that is ignored may hold anything.
	c := irtest.CrossEntropy()
	b := backward(t, c)
	in := irtest.Case{Extents: map[string]int{"N": 2, "C": 2}, Scalars: map[string]float64{"ignore_index": -100}, Classes: 2}.Random(c, 1)
	copy(in.Arrays[c.Inputs[0]].Data, []float64{math.Inf(1), math.NaN(), 0, 0})
	copy(in.Arrays[c.Inputs[1]].Data, []float64{-100, 1})
	copy(in.Arrays[c.Inputs[2]].Data, []float64{1, 1})
	in = irtest.WithOutputs(t, c, in)
	irtest.Cotangents(b, in, 1)
	out, err := ir.Eval(b, in)
	if err != nil {
		t.Fatal(err)
	}
	same(t, out[b.Outputs[0]].Data[:2], 0, 0)
	if x := out[b.Outputs[0]].Data[2]; x == 0 || x != x {
		t.Errorf("the other row has gradient %v", x)
	}
}

func TestEveryOpHasARow(t *testing.T) {
	for op := ir.OpConst; int(op) < len(ir.Facts); op++ {
		row, err := RowOf(op)
		if err != nil {
			t.Error(err)
			continue
		}
		f := ir.Facts[op]
		if n := len(row.D); !row.None && !row.Walked && n != f.Arity {
			t.Errorf("%v has %d arguments and %d derivatives", op, f.Arity, n)
		}
	}
}
