package conformance

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// maker makes calls of an op that have an axis of length n. Choices are digits of turn.
type maker func(r *rand.Rand, turn, n int) *call

// makers make calls of the ops of the specs.
var makers = map[string]maker{
	"activation.relu":    makeRelu,
	"linalg.linear":      makeLinear,
	"linalg.matmul":      makeMatmul,
	"loss.mse":           makeMse,
	"loss.smooth_l1":     makeSmoothL1,
	"loss.cross_entropy": makeCrossEntropy,
	"norm.layer_norm":    makeLayerNorm,
	"optim.momentum_sgd": makeMomentumSGD,
	"reduce.softmax":     makeSoftmax,
}

// normal is an array of random numbers, some of them whole so that ties and kinks are met.
func normal(r *rand.Rand, shape ...int) *ir.Array {
	a := ir.NewArray(shape...)
	for i := range a.Data {
		x := 1.5 * r.NormFloat64()
		if r.IntN(8) == 0 {
			x = math.Round(x)
		}
		a.Data[i] = float64(float32(x))
	}
	return a
}

// pick takes from a list by the last digit of turn, and drops the digit.
func pick[T any](turn *int, list ...T) T {
	x := list[*turn%len(list)]
	*turn /= len(list)
	return x
}

// around puts the length n at a place among axes of small extents.
func around(r *rand.Rand, place, n int) []int {
	switch place {
	case 0:
		return []int{n}
	case 1:
		return []int{1 + r.IntN(4), n}
	case 2:
		return []int{n, 1 + r.IntN(4)}
	default:
		return []int{1 + r.IntN(2), n, 1 + r.IntN(3)}
	}
}

func makeRelu(r *rand.Rand, turn, n int) *call {
	return &call{op: "activation.relu", inputs: arrays{"x": normal(r, around(r, turn%4, n)...)}}
}

func makeLinear(r *rand.Rand, turn, n int) *call {
	in, out := 1+r.IntN(5), 1+r.IntN(5)
	batch := []int{1 + r.IntN(4)}
	switch pick(&turn, 0, 1, 2) {
	case 0:
		in = n
	case 1:
		out = n
	case 2:
		batch = []int{n}
	}
	if pick(&turn, false, true) {
		batch = append(batch, 2)
	}
	c := &call{op: "linalg.linear", inputs: arrays{"x": normal(r, append(batch, in)...), "w": normal(r, out, in)}}
	if r.IntN(2) == 0 {
		c.inputs["b"] = normal(r, out)
	}
	return c
}

// makeMatmul makes products with batches of any shape, that one of the factors, or both, may have once.
func makeMatmul(r *rand.Rand, turn, n int) *call {
	dims := [...]int{1 + r.IntN(5), 1 + r.IntN(5), 1 + r.IntN(5)} // rows, steps, lanes
	batch := []int{1 + r.IntN(3)}
	switch place := pick(&turn, 0, 1, 2, 3); place {
	case 3:
		batch[0] = n
	default:
		dims[place] = n
	}
	switch pick(&turn, 0, 1, 2) {
	case 1:
		batch = append(batch, 1+r.IntN(3))
	case 2:
		batch = append([]int{1 + r.IntN(3)}, batch...)
	}
	x, z := slices.Clone(batch), slices.Clone(batch)
	switch pick(&turn, 0, 1, 2, 3, 4) {
	case 1:
		z = nil
	case 2:
		x = nil
	case 3:
		z[r.IntN(len(z))] = 1
	case 4:
		x[0], z[len(z)-1] = 1, 1
	}
	return &call{op: "linalg.matmul", inputs: arrays{"x": normal(r, append(x, dims[0], dims[1])...), "z": normal(r, append(z, dims[1], dims[2])...)}}
}

// pairOf are two shapes that expand to one.
func pairOf(r *rand.Rand, place, n int) (x, t []int) {
	x = around(r, place%4, n)
	t = slices.Clone(x)
	switch place / 4 % 4 {
	case 1:
		t = t[len(t)-1:]
	case 2:
		t[r.IntN(len(t))] = 1
	case 3:
		x[0], t[len(t)-1] = 1, 1
	}
	if r.IntN(2) == 0 {
		x, t = t, x
	}
	return x, t
}

var reductions = []string{"none", "mean", "sum"}

func makeMse(r *rand.Rand, turn, n int) *call {
	how := pick(&turn, reductions...)
	x, t := pairOf(r, turn, n)
	return &call{op: "loss.mse", inputs: arrays{"x": normal(r, x...), "t": normal(r, t...)}, attrs: []ir.ExampleAttr{word("reduction", how)}}
}

func makeSmoothL1(r *rand.Rand, turn, n int) *call {
	how, beta := pick(&turn, reductions...), pick(&turn, 1, 0, 0.5, 2)
	x, t := pairOf(r, turn, n)
	return &call{op: "loss.smooth_l1", inputs: arrays{"x": normal(r, x...), "t": normal(r, t...)},
		attrs: []ir.ExampleAttr{word("reduction", how), number("beta", beta)}}
}

func makeCrossEntropy(r *rand.Rand, turn, n int) *call {
	c := &call{op: "loss.cross_entropy", inputs: arrays{}, index: pick(&turn, "i64", "i32")}
	how, smoothing, weighted := pick(&turn, reductions...), pick(&turn, 0, 0.25, 1), pick(&turn, true, false)
	classes, axis := 1+r.IntN(5), 1
	shape := []int{1 + r.IntN(4), classes}
	switch pick(&turn, 0, 1, 2, 3) {
	case 0: // many classes
		classes = n
		shape[1] = n
	case 1: // many rows
		shape[0] = n
	case 2: // classes in the middle
		shape = []int{2, classes, n}
	case 3:
		shape, axis = []int{n, 2, classes}, -1
	}
	c.inputs["x"] = normal(r, shape...)
	at := axis
	if at < 0 {
		at += len(shape)
	}
	t := ir.NewArray(slices.Delete(slices.Clone(shape), at, at+1)...)
	ignore := pick(&turn, -100.0, 0, 2)
	for i := range t.Data {
		if t.Data[i] = float64(r.IntN(max(classes, 1))); r.IntN(4) == 0 || classes == 0 {
			t.Data[i] = ignore
		}
	}
	c.inputs["t"] = t
	if ignore >= float64(classes) {
		ignore = -100
		for i := range t.Data {
			t.Data[i] = min(t.Data[i], float64(classes-1))
		}
		if classes == 0 {
			ignore = -1
		}
	}
	if weighted {
		c.inputs["weight"] = positive(normal(r, classes), 1)
	}
	c.attrs = []ir.ExampleAttr{word("reduction", how), number("label_smoothing", smoothing), number("ignore_index", ignore), number("axis", float64(axis))}
	return c
}

func makeLayerNorm(r *rand.Rand, turn, n int) *call {
	shape, axes := []int{1 + r.IntN(4), n}, []float64{-1}
	switch pick(&turn, 0, 1, 2, 3, 4) {
	case 1:
		shape, axes = []int{2, 3, n}, []float64{1, 2}
	case 2:
		shape, axes = []int{n, 1 + r.IntN(4)}, []float64{0}
	case 3:
		shape, axes = []int{n, 1 + r.IntN(4)}, []float64{-1}
	case 4:
		shape, axes = []int{2, n, 3}, []float64{2, 0}
	}
	c := &call{op: "norm.layer_norm", inputs: arrays{"x": normal(r, shape...)}, attrs: []ir.ExampleAttr{list("axes", axes...)}}
	var row []int
	for _, a := range axes {
		row = append(row, shape[(int(a)+len(shape))%len(shape)])
	}
	if pick(&turn, true, false) {
		c.inputs["weight"] = normal(r, row...)
	}
	if pick(&turn, true, false) {
		c.inputs["bias"] = normal(r, row...)
	}
	c.attrs = append(c.attrs, number("eps", pick(&turn, 1e-5, 0.5)))
	return c
}

func makeMomentumSGD(r *rand.Rand, turn, n int) *call {
	shape := around(r, turn%4, n)
	return &call{op: "optim.momentum_sgd", inputs: arrays{"p": normal(r, shape...), "g": normal(r, shape...), "buf": normal(r, shape...)},
		attrs: []ir.ExampleAttr{number("step", float64(1+turn%2*2)), number("lr", 0.1), number("momentum", 0.9),
			number("dampening", 0.25*float64(r.IntN(3))), number("weight_decay", 0.3*float64(r.IntN(2)))}}
}

func makeSoftmax(r *rand.Rand, turn, n int) *call {
	place := pick(&turn, 0, 1, 2, 3)
	shape := around(r, place, n)
	axis := []float64{-1, -1, 0, 1}[place]
	if turn%2 == 1 {
		axis = float64(r.IntN(len(shape)))
	}
	return &call{op: "reduce.softmax", inputs: arrays{"x": normal(r, shape...)}, attrs: []ir.ExampleAttr{number("axis", axis)}}
}

// rounds is how often all lengths are taken.
func rounds() int {
	if heavy() {
		return 20
	}
	return 1
}
