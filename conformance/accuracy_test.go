package conformance

import (
	"math"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// u is the greatest relative error of rounding to float32.
const u = 0x1p-24

// singleBounds bounds the error of each element of the results of a call in float32: that of rounding the inputs, and
// that of every operation, to first order, as in Higham, Accuracy and Stability of Numerical Algorithms, chapter 3. A sum of n
// terms in any order has the error n·u·Σ|terms|; a function of the library has 2 u of its value. Results are named as
// arrays are, gradients @name. Where one bound is enough for all elements, it has one element.
func singleBounds(c *call, g *ir.Array) map[string][]float64 {
	x := c.inputs["x"]
	switch c.op {
	case "activation.relu":
		return map[string][]float64{"y": scaled(u, x), "@x": scaled(u, g)}
	case "linalg.linear":
		return boundLinear(c, g)
	case "linalg.matmul":
		return boundMatmul(c, g, u)
	case "loss.mse":
		return boundMse(c, g)
	case "loss.smooth_l1":
		return boundSmoothL1(c, g)
	case "reduce.softmax":
		return boundSoftmax(c, g)
	case "loss.cross_entropy":
		return boundCrossEntropy(c, g)
	case "norm.layer_norm":
		return boundLayerNorm(c, g)
	}
	return nil
}

// scaled is k·|a|.
func scaled(k float64, a *ir.Array) []float64 {
	if a == nil {
		return nil
	}
	r := make([]float64, len(a.Data))
	for i, x := range a.Data {
		r[i] = k * math.Abs(x)
	}
	return r
}

// magnitude is the greatest absolute value.
func magnitude(all ...*ir.Array) float64 {
	m := 0.0
	for _, a := range all {
		if a != nil {
			for _, x := range a.Data {
				m = max(m, math.Abs(x))
			}
		}
	}
	return m
}

// positive is the array with absolute values, times sign.
func positive(a *ir.Array, sign float64) *ir.Array {
	if a == nil {
		return nil
	}
	return &ir.Array{Shape: a.Shape, Data: scaled(sign, a)}
}

// exact evaluates a call in float64, forward and, with a cotangent, backward.
func exact(c *call, g *ir.Array) arrays {
	e := evaluator("f64")
	r, err := e.forward(c)
	if err != nil {
		panic(err)
	}
	if g != nil {
		grads, err := e.gradient(c, g)
		if err != nil {
			panic(err)
		}
		for name, a := range grads {
			r["@"+name] = a
		}
	}
	return r
}

// boundLinear: sums of products. With absolute values the op gives the sums of the magnitudes; the longest sum counts, and two
// roundings of inputs and one of the product a term.
func boundLinear(c *call, g *ir.Array) map[string][]float64 {
	abs := &call{op: c.op, inputs: arrays{}, attrs: c.attrs}
	terms := 4.0
	for name, a := range c.inputs {
		abs.inputs[name] = positive(a, 1)
		for _, e := range a.Shape {
			terms = max(terms, float64(e)+4)
		}
	}
	r := map[string][]float64{}
	for name, a := range exact(abs, positive(g, 1)) {
		r[name] = scaled(terms*u, a)
	}
	return r
}

// boundMatmul: as boundLinear; a gradient of what is the same for several matrices of the batch is one sum over all of them.
func boundMatmul(c *call, g *ir.Array, unit float64) map[string][]float64 {
	abs := &call{op: c.op, inputs: arrays{}}
	matrices, most := 1, 0
	for name, a := range c.inputs {
		abs.inputs[name] = positive(a, 1)
		most = max(most, slices.Max(a.Shape))
	}
	if g != nil {
		for _, e := range g.Shape[:len(g.Shape)-2] {
			matrices *= e
		}
	}
	r := map[string][]float64{}
	for name, a := range exact(abs, positive(g, 1)) {
		r[name] = scaled(float64(matrices*most+4)*unit, a)
	}
	return r
}

// boundMse: with x and -t positive the difference is the magnitude of its terms. Each has six roundings at most (two inputs,
// difference, square, which doubles the relative errors, and scale), then come those of the sum.
func boundMse(c *call, g *ir.Array) map[string][]float64 {
	abs := &call{op: c.op, attrs: c.attrs, inputs: arrays{"x": positive(c.inputs["x"], 1), "t": positive(c.inputs["t"], -1)}}
	n := float64(max(len(c.inputs["x"].Data), len(c.inputs["t"].Data)))
	r := map[string][]float64{}
	for name, a := range exact(abs, positive(g, 1)) {
		r[name] = scaled((n+8)*u, a)
	}
	return r
}

// boundSmoothL1: the loss of an element moves no more than the difference does, and is no larger than |x|+|t|, which the op
// gives with beta 0. Its derivative is clamp(d/beta, -1, 1).
func boundSmoothL1(c *call, g *ir.Array) map[string][]float64 {
	x, t := c.inputs["x"], c.inputs["t"]
	abs := &call{op: c.op, inputs: arrays{"x": positive(x, 1), "t": positive(t, -1)}}
	beta := 1.0
	for _, a := range c.attrs {
		if a.Name == "beta" {
			beta = a.Number
		} else {
			abs.attrs = append(abs.attrs, a)
		}
	}
	abs.attrs = append(abs.attrs, number("beta", 0))
	n := float64(max(len(x.Data), len(t.Data)))
	slope := 0.0 // of d/beta
	if beta > 0 {
		slope = (magnitude(x) + magnitude(t)) / beta
	}
	r := map[string][]float64{}
	for name, a := range exact(abs, positive(g, 1)) {
		if name == "y" {
			r[name] = scaled((n+8)*u, a)
		} else {
			r[name] = scaled(4*u*(1+slope), a)
		}
	}
	return r
}

// power is the relative error of exp(x - m) over a sum of such: x and m are rounded and their difference is, which is as much
// as an absolute error of 4 u max|x|; exp, the sum of n terms and the quotient follow.
func power(x *ir.Array, n int) float64 { return (4*magnitude(x) + float64(n) + 8) * u }

// boundSoftmax: the gradient is y_i g_i - y_i Σ y_j g_j. Σ y_j |g_j| comes from the gradient for |g|.
func boundSoftmax(c *call, g *ir.Array) map[string][]float64 {
	x := c.inputs["x"]
	n := longest(x.Shape)
	rho := power(x, n)
	r := exact(c, positive(g, 1))
	b := map[string][]float64{"y": scaled(rho, r["y"])}
	if g != nil {
		terms := make([]float64, len(x.Data))
		for i, y := range r["y"].Data {
			product := y * math.Abs(g.Data[i])
			terms[i] = (2*rho + float64(n+4)*u) * (2*product - r["@x"].Data[i])
		}
		b["@x"] = terms
	}
	return b
}

func longest(shape []int) int {
	n := 1
	for _, e := range shape {
		n = max(n, e)
	}
	return n
}

// boundCrossEntropy: l is the sum of q_c (lse - x_c), with q the weights of the classes in the element, and lse - x has the
// absolute error of a power and its own roundings. The mean is S/W, where both are sums with errors. The gradient of an
// element is G (Q p_i - q_i) with Q = Σ q and G = g, or g/W.
func boundCrossEntropy(c *call, g *ir.Array) map[string][]float64 {
	x, t, weight := c.inputs["x"], c.inputs["t"], c.inputs["weight"]
	n := longest(x.Shape)
	axis, ignore, reduction := 1, -100.0, "mean"
	for _, a := range c.attrs {
		switch a.Name {
		case "axis":
			axis = int(a.Number)
		case "ignore_index":
			ignore = a.Number
		case "reduction":
			reduction = a.Word
		}
	}
	classes := x.Shape[(axis+len(x.Shape))%len(x.Shape)]
	of := func(class int) float64 {
		if weight == nil {
			return 1
		}
		return weight.Data[class]
	}
	most, sum, sumAbs := 0.0, 0.0, 0.0 // of weights
	for class := range classes {
		most = max(most, math.Abs(of(class)))
	}
	for _, class := range t.Data {
		if class != ignore {
			sum += of(int(class))
			sumAbs += math.Abs(of(int(class)))
		}
	}
	abs := c.with("weight", weight)
	if weight != nil {
		abs = c.with("weight", positive(weight, 1))
	}
	abs.attrs = append(without(c.attrs, "reduction"), word("reduction", "none"))
	logp := (6*magnitude(x) + float64(n) + 12) * u // absolute error of lse - x
	var each []float64                             // of the losses
	total, magnitudes := 0.0, 0.0
	for _, l := range exact(abs, nil)["y"].Data {
		each = append(each, most*logp+6*u*l)
		total += most*logp + float64(len(t.Data)+6)*u*l
		magnitudes += l
	}
	b := map[string][]float64{"y": each}
	scale := magnitude(g)
	relative := power(x, n) + float64(n+8)*u
	switch reduction {
	case "sum":
		b["y"] = []float64{total}
	case "mean":
		ofSum := float64(len(t.Data)+2) * u * sumAbs / math.Abs(sum) // relative error of W
		b["y"] = []float64{total/math.Abs(sum) + magnitudes/math.Abs(sum)*(ofSum+2*u)}
		scale /= math.Abs(sum)
		relative += ofSum
	}
	b["@x"] = []float64{relative * scale * 2 * most}
	// By the weight of a class: the losses of the elements that have it, less their mean where that is taken.
	greatest := 2*magnitude(x) + math.Log(float64(max(classes, 1)))
	b["@weight"] = []float64{float64(len(t.Data)) * scale * (logp + 2*relative*greatest + slices.Max(append(b["y"], 0)))}
	return b
}

// without drops an attribute.
func without(attrs []ir.ExampleAttr, name string) []ir.ExampleAttr {
	var r []ir.ExampleAttr
	for _, a := range attrs {
		if a.Name != name {
			r = append(r, a)
		}
	}
	return r
}

// boundLayerNorm: with n elements in a row, s their deviation and z = (x - mean)/s, the difference has the absolute error
// (n+3) u max|x|, so z has that over s twice (numerator and variance) and n+6 roundings of its own. The gradient by x is
// (w g - mean(w g) - z mean(w g z))/s, a sum of terms of at most |w g| (2 + z²)/s.
func boundLayerNorm(c *call, g *ir.Array) map[string][]float64 {
	x, w, bias := c.inputs["x"], c.inputs["weight"], c.inputs["bias"]
	all := float64(len(x.Data)) // also the most that a gradient of weight or bias adds up
	z := magnitude(exact(&call{op: c.op, inputs: arrays{"x": x}, attrs: c.attrs}, nil)["y"])
	inverse := c.inverseDeviation()
	ofZ := 2*(all+3)*u*magnitude(x)*inverse*(1+z) + (all+6)*u*z
	weight := 1.0
	if w != nil {
		weight = magnitude(w)
	}
	return map[string][]float64{
		"y":       {weight*ofZ + 4*u*(weight*z+magnitude(bias))},
		"@x":      {(3*ofZ + (all+12)*u) * weight * magnitude(g) * inverse * (2 + z*z)},
		"@weight": {all * magnitude(g) * (ofZ + (all+4)*u*z)},
		"@bias":   {all * (all + 2) * u * magnitude(g)},
	}
}

// inverseDeviation is the greatest 1/sqrt(variance + eps) of a row of a call of layer_norm.
func (c *call) inverseDeviation() float64 {
	eps, x := 1e-5, c.inputs["x"]
	reduced := map[int]bool{}
	for _, a := range c.attrs {
		switch a.Name {
		case "eps":
			eps = a.Number
		case "axes":
			for _, at := range a.List {
				reduced[(int(at)+len(x.Shape))%len(x.Shape)] = true
			}
		}
	}
	if len(reduced) == 0 {
		reduced[len(x.Shape)-1] = true
	}
	rows := map[int][]float64{}
	for i, v := range x.Data {
		row, rest, scale := 0, i, 1
		for at := len(x.Shape) - 1; at >= 0; at-- {
			if !reduced[at] {
				row += rest % x.Shape[at] * scale
			}
			scale *= x.Shape[at]
			rest /= x.Shape[at]
		}
		rows[row] = append(rows[row], v)
	}
	most := 0.0
	for _, row := range rows {
		mean, variance := 0.0, 0.0
		for _, v := range row {
			mean += v / float64(len(row))
		}
		for _, v := range row {
			variance += (v - mean) * (v - mean) / float64(len(row))
		}
		most = max(most, 1/math.Sqrt(variance+eps))
	}
	return most
}
