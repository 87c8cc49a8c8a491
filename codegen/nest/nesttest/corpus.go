// Package nesttest has nests, and data for them, on which emitters are compared with the interpreter bit for bit.
package nesttest

import (
	"fmt"

	"github.com/opgen/opgen/codegen/nest"
)

// Corpus builds the fixed nests, each in F32 and F64. Together they have every instruction, loop structure, kind of
// slot and mode of operand.
func Corpus() []*nest.Nest {
	var all []*nest.Nest
	for _, float := range []nest.DType{nest.F32, nest.F64} {
		for _, e := range corpus {
			k := &kit{nest.NewBuilder(e.name+"_"+float.String(), float)}
			e.build(k)
			all = append(all, k.done())
		}
	}
	return all
}

var corpus = []struct {
	name  string
	build func(k *kit)
}{
	{"map", buildMap},
	{"inplace", buildInPlace},
	{"scalars", buildScalars},
	{"smooth_l1", buildSmoothL1},
	{"smooth_l1_mean", buildSmoothL1Mean},
	{"smooth_l1_backward", buildSmoothL1Backward},
	{"momentum", buildMomentum},
	{"arith", buildArith},
	{"masks", buildMasks},
	{"bits", buildBits},
	{"functions", buildFunctions(0, 10)},
	{"functions_more", buildFunctions(10, 20)},
	{"functions_rest", buildFunctions(20, 30)},
	{"uniform_functions", buildUniformFunctions},
	{"spill", buildSpill},
	{"softmax", buildSoftmax},
	{"softmax_reload", buildSoftmaxReload},
	{"softmax_backward", buildSoftmaxBackward},
	{"layer_norm", buildLayerNorm},
	{"layer_norm_backward", buildLayerNormBackward},
	{"cross_entropy", buildCrossEntropy},
	{"cross_entropy_backward", buildCrossEntropyBackward},
	{"indices", buildIndices},
	{"linear", buildLinear},
	{"row_dot", buildRowDot},
	{"column_reductions", buildColumnReductions},
	{"row_reductions", buildRowReductions},
	{"grid_narrow", buildGridNarrow},
	{"grid_rows", buildGridRows},
	{"grid_wide", buildGridWide},
	{"vector_only", buildVectorOnly},
	{"rows_only", buildRowsOnly},
	{"once", buildOnce},
}

// kit is a Builder with short forms. A mistake in a nest of this package is a mistake in the package, so it panics.
type kit struct{ *nest.Builder }

func (k *kit) done() *nest.Nest {
	n, err := k.Done()
	if err != nil {
		panic(err)
	}
	return n
}

func (k *kit) fn(name string, x ...*nest.Value) *nest.Value {
	v, err := k.Math(name, x...)
	if err != nil {
		panic(err)
	}
	return v
}

// operand declares a tensor; moves has g, v and s for the loops along which it moves.
func (k *kit) operand(name string, mode nest.Mode, moves string, inPlace ...int) int {
	o := nest.Operand{Name: name, DType: k.Float(), Mode: mode, InPlace: inPlace}
	for _, c := range moves {
		switch c {
		case 'g':
			o.Grid = true
		case 'v':
			o.Vector = true
		case 's':
			o.Serial = true
		default:
			panic(fmt.Sprintf("no loop %c", c))
		}
	}
	return k.Operand(o)
}

func (k *kit) in(name, moves string) int { return k.operand(name, nest.In, moves) }

func (k *kit) out(name, moves string, inPlace ...int) int {
	return k.operand(name, nest.Out, moves, inPlace...)
}

func (k *kit) ints(name, moves string, d nest.DType) int {
	return k.Operand(nest.Operand{Name: name, DType: d, Grid: moves == "g"})
}

// acc declares an accumulator and its slot.
func (k *kit) acc(name string, m nest.Monoid, wide bool) int {
	o := k.Operand(nest.Operand{Name: name, DType: k.Float(), Mode: nest.Acc, Vector: wide})
	return k.Slot(nest.Slot{Monoid: m, Over: nest.Grid, Wide: wide, Acc: o})
}

func (k *kit) slot(m nest.Monoid, over nest.Depth) int {
	return k.Slot(nest.Slot{Monoid: m, Over: over})
}

func (k *kit) grid(f func())   { k.For(nest.Grid, f) }
func (k *kit) vector(f func()) { k.For(nest.Vector, f) }
func (k *kit) serial(f func()) { k.For(nest.Serial, f) }

// each is a vector loop in a grid loop.
func (k *kit) each(f func()) { k.grid(func() { k.vector(f) }) }

func (k *kit) add(x, y *nest.Value) *nest.Value    { return k.Op(nest.Add, x, y) }
func (k *kit) sub(x, y *nest.Value) *nest.Value    { return k.Op(nest.Sub, x, y) }
func (k *kit) mul(x, y *nest.Value) *nest.Value    { return k.Op(nest.Mul, x, y) }
func (k *kit) div(x, y *nest.Value) *nest.Value    { return k.Op(nest.Div, x, y) }
func (k *kit) fma(x, y, z *nest.Value) *nest.Value { return k.Op(nest.Fma, x, y, z) }
func (k *kit) abs(x *nest.Value) *nest.Value       { return k.Op(nest.Abs, x) }
func (k *kit) lt(x, y *nest.Value) *nest.Value     { return k.Op(nest.Lt, x, y) }
func (k *kit) sel(c, x, y *nest.Value) *nest.Value { return k.Op(nest.Select, c, x, y) }
