package main

import (
	"fmt"
	"math"

	"github.com/opgen/opgen/runtime"
)

// load is what one contestant works on: inputs, which it shares with others, and outputs of its own.
type load struct {
	op      *op
	n       int // all elements
	rows    int // of width elements each; ops without rows have one
	width   int
	in, out []*runtime.Tensor
}

// newLoad makes the inputs for n elements, and outputs. Ops with rows get rows of width elements.
func newLoad(o *op, n, width int) *load {
	l := &load{op: o, n: n, rows: 1, width: n}
	if o.rows {
		l.rows, l.width = n/width, width
	}
	for k, e := range o.inputs {
		t := l.tensor(e)
		fill(data(t), k)
		l.in = append(l.in, t)
	}
	if o.derive != nil {
		o.derive(l)
	}
	l.outputs()
	return l
}

// another is the same inputs with outputs of their own.
func (l *load) another() *load {
	r := *l
	r.outputs()
	return &r
}

func (l *load) outputs() {
	l.out = nil
	for _, e := range l.op.outputs {
		l.out = append(l.out, l.tensor(e))
	}
	for k, i := range l.op.inPlace {
		copy(data(l.out[k]), data(l.in[i]))
	}
}

func (l *load) tensor(e extent) *runtime.Tensor {
	shape := []int{l.n}
	if l.op.rows {
		shape = []int{l.rows, l.width}
	}
	switch e {
	case wide:
		shape = []int{l.width}
	case tall:
		shape = []int{l.rows}
	case one:
		shape = nil
	}
	return runtime.Must(runtime.New(runtime.F32, shape...))
}

// values are those of input k.
func (l *load) values(k int) []float32 { return data(l.in[k]) }

// outputValues are what a contestant computed.
func (l *load) outputValues() [][]float32 {
	var r [][]float32
	for _, t := range l.out {
		r = append(r, data(t))
	}
	return r
}

func data(t *runtime.Tensor) []float32 { return runtime.Must(runtime.Data[float32](t)) }

// fill sets numbers between -3 and 3 that torch_bench.py makes too: a hash of the index and of the number of the input.
func fill(v []float32, input int) {
	for i := range v {
		h := (uint32(i) + uint32(input)*0x9E3779B9) * 2654435761
		h ^= h >> 15
		h *= 2246822519
		h ^= h >> 13
		v[i] = float32(float64(h>>8)*(6.0/(1<<24)) - 3)
	}
}

// round stores what was computed in float64.
func round(to []float32, from []float64) {
	for i, v := range from {
		to[i] = float32(v)
	}
}

// difference is how far values are from the reference, relative to the largest number of each output: the greatest of
// all. It is an error if that is more than the op allows.
func difference(o *op, got [][]float32, want [][]float64) (float64, error) {
	worst := 0.0
	for k, w := range want {
		top := 0.0
		for _, v := range w {
			top = max(top, math.Abs(v))
		}
		for i, v := range w {
			d := math.Abs(float64(got[k][i])-v) / top
			if !(d <= o.tolerance) {
				return d, fmt.Errorf("%s, n %d: element %d of output %d is %g, should be %g", o.name, len(want[0]), i, k, got[k][i], v)
			}
			worst = max(worst, d)
		}
	}
	return worst, nil
}
