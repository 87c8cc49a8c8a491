package conformance

import (
	"testing"

	"github.com/opgen/opgen/codegen/ir"
)

// filledBy gives an array whose elements are a function of their indices.
func filledBy(shape []int, f func(i []int) float64) *ir.Array {
	a := ir.NewArray(shape...)
	index := make([]int, len(shape))
	for n := range a.Data {
		rest := n
		for k := len(shape) - 1; k >= 0; k-- {
			index[k] = rest % shape[k]
			rest /= shape[k]
		}
		a.Data[n] = f(index)
	}
	return a
}

// digits is the number whose digits are indices.
func digits(i ...int) float64 {
	x := 0
	for _, d := range i {
		x = 10*x + d
	}
	return float64(x)
}

func coded(shape ...int) *ir.Array {
	return filledBy(shape, func(i []int) float64 { return digits(i...) })
}

func axesAt(at ...float64) ir.ExampleAttr { return ir.ExampleAttr{Name: "axes", List: at} }

var keepdims = ir.ExampleAttr{Name: "keepdims", Word: "true"}

// Results lie as the caller's axes do. Most are what NumPy gives for the formula behind them.
func outputLayoutRow(t *testing.T) {
	x, w := coded(2, 3, 4), vec(1, 7)
	times := func(i ...int) float64 { return digits(i...) }
	with := func(name string, in arrays, attrs ...ir.ExampleAttr) *call { return shown(name, in, attrs...) }
	by := func(name string, at ...float64) *call { return with(name, arrays{"x": x, "w": w}, axesAt(at...)) }
	last := func(i []int) float64 { return times(i[:3]...) * w.Data[i[3]] } // (x[..., None] * w)
	hold(t, []expected{
		{name: "behind", call: by("beside", 1), y: filledBy([]int{2, 3, 4, 2}, last), grads: arrays{"x": filled(8, 2, 3, 4)}},
		{name: "behind, from the right", call: by("beside", -2), y: filledBy([]int{2, 3, 4, 2}, last)},
		{name: "behind, two", call: by("beside", 2, 0), y: filledBy([]int{2, 3, 4, 2}, last)},
		{name: "behind, of no axes", call: with("beside", arrays{"x": scalar(3), "w": w}), y: vec(3, 21)},
		{name: "in front", call: by("in_front", 1), y: filledBy([]int{2, 2, 3, 4}, func(i []int) float64 { return times(i[1:]...) * w.Data[i[0]] })},
		{name: "between", call: by("between", 0), y: filledBy([]int{2, 3, 2, 4}, func(i []int) float64 { return times(i[0], i[1], i[3]) * w.Data[i[2]] })},
		{name: "between, as written", call: by("between", 2), y: filledBy([]int{2, 3, 2, 4}, func(i []int) float64 { return times(i[0], i[1], i[3]) * w.Data[i[2]] })},
		{name: "summed, axis 0", call: with("without", arrays{"x": x}, axesAt(0)), y: filledBy([]int{2, 3}, func(i []int) float64 { return 4*times(i[0], i[1], 0) + 6 })},
		{name: "summed, axis 1", call: with("without", arrays{"x": x}, axesAt(1)), y: filledBy([]int{2, 3}, func(i []int) float64 { return 4*times(i[0], i[1], 0) + 6 })},
		{name: "summed, axis 2", call: with("without", arrays{"x": x}, axesAt(2)), y: filledBy([]int{2, 4}, func(i []int) float64 { return 3*times(i[0], 0, i[1]) + 30 })},
		{name: "swapped", call: with("swapped", arrays{"x": x}, axesAt(0)), y: filledBy([]int{2, 4, 3}, func(i []int) float64 { return times(i[0], i[2], i[1]) }), grads: arrays{"x": filled(1, 2, 3, 4)}},
		{name: "a second input", call: with("weighted", arrays{"x": coded(2, 3), "z": x}, axesAt(0)),
			y: filledBy([]int{2, 3}, func(i []int) float64 { return times(i...) * (4*times(i[0], i[1], 0) + 6) })},
		{name: "a second input that lacks axes", call: with("weighted", arrays{"x": coded(2, 3), "z": coded(3, 4)}, axesAt(0)),
			y: filledBy([]int{2, 3}, func(i []int) float64 { return times(i...) * (4*times(i[1], 0) + 6) })},
		{name: "a second input, aligned at the right", call: with("scaled_by", arrays{"x": coded(2, 3), "z": vec(1, 2, 3)}, axesAt(0)),
			y: filledBy([]int{2, 3}, func(i []int) float64 { return times(i...) * float64(i[1]+1) }), grads: arrays{"z": vec(10, 12, 14)}},
		{name: "kept beside an axis", call: with("kept_axis", arrays{"x": x}, axesAt(0, 2), keepdims),
			y: filledBy([]int{1, 3, 1}, func(i []int) float64 { return 8*times(0, i[1], 0) + 4*100 + 2*6 }), grads: arrays{"x": filled(1, 2, 3, 4)}},
		{name: "not kept", call: with("kept_axis", arrays{"x": x}, axesAt(0, 2)), y: filledBy([]int{3}, func(i []int) float64 { return 8*times(0, i[0], 0) + 4*100 + 2*6 })},
		{name: "kept beside a product", call: with("kept_product", arrays{"x": coded(2, 6, 4)}, axesAt(0, -1), keepdims),
			y:   filledBy([]int{1, 6, 1}, func(i []int) float64 { return 8*times(0, i[1], 0) + 4*100 + 2*6 }),
			out: arrays{"top": filledBy([]int{1, 1, 3}, func(i []int) float64 { return 8*times(0, i[2], 0) + 4*100 + 2*6 })}},
		{name: "kept where nothing is placed", call: with("kept_alone", arrays{"x": coded(6, 2, 2)}, keepdims),
			y: filledBy([]int{6, 1, 1}, func(i []int) float64 { return 4*times(i[0], 0, 0) + 20 + 2 })},
		{name: "kept beside what is placed", call: with("kept_other", arrays{"x": x}, axesAt(0), keepdims),
			y: filledBy([]int{2, 3, 1}, func(i []int) float64 { return 4*times(i[0], i[1], 0) + 6 }), out: arrays{"n": array([]int{1}, 4)}},
		{name: "kept, where another axis is there instead", call: with("kept_place", arrays{"x": coded(3, 4)}, ir.ExampleAttr{Name: "axis", Number: 0}, keepdims), y: coded(2, 4)},
	}, "f32", "f64")
}
