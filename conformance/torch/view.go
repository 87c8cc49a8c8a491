package torch

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// view is how an input is made of a tensor of PyTorch's: its axes in another order, and copied along new ones.
type view struct {
	shape []int // of the input, before any reshape
	from  []int // the tensor's axis that each is; -1: copies
}

// permuted is a view with the axes of a shape in an order.
func permuted(shape, order []int) *view {
	v := &view{from: order}
	for _, k := range order {
		v.shape = append(v.shape, shape[k])
	}
	return v
}

// each tells for each element of the input, in order, the element of the tensor that it is.
func (v *view) each(shape []int, f func(k, at int)) {
	strides := make([]int, len(v.shape))
	for i, axis := range v.from {
		if axis < 0 || shape[axis] == 1 {
			continue
		}
		strides[i] = 1
		for _, n := range shape[axis+1:] {
			strides[i] *= n
		}
	}
	k := 0
	var walk func(i, at int)
	walk = func(i, at int) {
		if i == len(v.shape) {
			f(k, at)
			k++
			return
		}
		for j := range v.shape[i] {
			walk(i+1, at+j*strides[i])
		}
	}
	walk(0, 0)
}

// in is the input.
func (v *view) in(a *ir.Array) *ir.Array {
	r := ir.NewArray(v.shape...)
	v.each(a.Shape, func(k, at int) { r.Data[k] = a.Data[at] })
	return r
}

// out gives a gradient by the input as one by the tensor.
func (v *view) out(a *ir.Array, shape []int) *ir.Array {
	r := ir.NewArray(shape...)
	v.each(shape, func(k, at int) { r.Data[at] += a.Data[k] })
	return r
}

// look makes an input another view of its tensor.
func (a *arguments) look(input string, v *view) {
	a.g.inputs[input] = v.in(a.g.inputs[input])
	a.g.views[input] = v
}

// result says that our result is PyTorch's in another order of axes and another shape.
func (a *arguments) result(order, shape []int) {
	turn := func(t *Tensor) *Tensor {
		x := permuted(t.Shape, order).in(t.Array())
		r := &Tensor{DType: t.DType, Shape: slices.Clone(shape)}
		for _, e := range x.Data {
			r.Data = append(r.Data, Number(e))
		}
		return r
	}
	a.g.Out = []*Tensor{turn(a.g.Out[0])}
	if len(a.g.Cotangent) > 0 {
		a.g.Cotangent = []*Tensor{turn(a.g.Cotangent[0])}
	}
}

// lastAxes brings axes of an input to its end. The result lacks them, or has them as ones.
func (a *arguments) lastAxes(input string, axes []float64) {
	shape := a.tensor(input).Shape
	var order []int
	for i := range shape {
		order = append(order, i)
	}
	for _, x := range axes {
		i := (int(x) + len(shape)) % len(shape)
		order = append(slices.DeleteFunc(order, func(k int) bool { return k == i }), i)
	}
	a.look(input, permuted(shape, order))
	a.drop("keepdims")
	var same []int
	for i := range a.g.Out[0].Shape {
		same = append(same, i)
	}
	a.result(same, a.g.inputs[input].Shape[:len(shape)-len(axes)])
}
