package conformance

import (
	"math"
	"slices"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
)

func relu(x *ir.Array) *call { return &call{op: "activation.relu", inputs: arrays{"x": x}} }

func mse(x, t *ir.Array, how string) *call {
	return &call{op: "loss.mse", inputs: arrays{"x": x, "t": t}, attrs: []ir.ExampleAttr{word("reduction", how)}}
}

func smoothL1(x, t *ir.Array, beta float64, how string) *call {
	return &call{op: "loss.smooth_l1", inputs: arrays{"x": x, "t": t}, attrs: []ir.ExampleAttr{word("reduction", how), number("beta", beta)}}
}

func softmax(x *ir.Array, axis int) *call {
	return &call{op: "reduce.softmax", inputs: arrays{"x": x}, attrs: []ir.ExampleAttr{number("axis", float64(axis))}}
}

func crossEntropy(x, t *ir.Array, attrs ...ir.ExampleAttr) *call {
	return &call{op: "loss.cross_entropy", inputs: arrays{"x": x, "t": t}, attrs: attrs}
}

func layerNorm(x *ir.Array, attrs ...ir.ExampleAttr) *call {
	return &call{op: "norm.layer_norm", inputs: arrays{"x": x}, attrs: attrs}
}

func linear(x, w, b *ir.Array) *call {
	c := &call{op: "linalg.linear", inputs: arrays{"x": x, "w": w}}
	if b != nil {
		c.inputs["b"] = b
	}
	return c
}

// smooth L1 with beta = 0 equals L1.
func zeroBetaRow(t *testing.T) {
	x, to := vec(0, -2, 3, 1e30, -1e-30, inf), vec(0, 0, 0, 0, 0, 0)
	hold(t, []expected{
		{name: "none", call: smoothL1(x, to, 0, "none"), y: vec(0, 2, 3, 1e30, 1e-30, inf), grads: arrays{"x": vec(0, -1, 1, 1, -1, 1)}},
		{name: "sum", call: smoothL1(vec(0, -2, 3), vec(0, 0, 0), 0, "sum"), y: scalar(5), grads: arrays{"x": vec(0, -1, 1)}},
		{name: "mean", call: smoothL1(vec(0, -2, 3, 1), vec(0, 0, 0, 1), 0, "mean"), y: scalar(1.25), grads: arrays{"x": vec(0, -0.25, 0.25, 0)}},
	})
}

// a branch not taken touches neither the result nor the gradient.
func branchRow(t *testing.T) {
	x := array([]int{4, 3}, 1, 2, 3, nan, inf, -inf, 0, 0, 0, nan, nan, nan)
	to := vec(2, -100, 1, -100)
	plain := crossEntropy(array([]int{2, 3}, 1, 2, 3, 0, 0, 0), vec(2, 1), word("reduction", "sum"))
	everywhere(t, func(t *testing.T, b backend) {
		want, grads := run(t, "without ignored rows", b, plain, scalar(1))
		for _, how := range []string{"sum", "mean"} {
			g := map[string]float64{"sum": 1, "mean": 2}[how]
			c := crossEntropy(x, to, word("reduction", how))
			got, gotGrads := run(t, how, b, c, scalar(g))
			same(t, how+" with ignored rows", got["y"], scalar(want["y"].Data[0]/g), bits)
			rows := ir.NewArray(4, 3)
			copy(rows.Data[:3], grads["x"].Data[:3])
			copy(rows.Data[6:9], grads["x"].Data[3:])
			same(t, how+" gradient with ignored rows", gotGrads["x"], rows, within(0, 0))
		}
	})
	hold(t, []expected{
		// The quadratic piece would give 0/0 and Inf/0, the linear one Inf.
		{name: "smooth_l1", call: smoothL1(vec(0, 1e300), vec(0, 0), 0, "none"), grads: arrays{"x": vec(0, 1)}},
		// A cotangent that is no number goes nowhere.
		{name: "relu", call: relu(vec(-1, 0, 1)), cotangent: vec(nan, inf, 2), grads: arrays{"x": vec(0, 0, 2)}},
	}, "f64")
	everywhere(t, func(t *testing.T, b backend) { // the buffer before the first step is not read
		out, err := b.forward(&call{op: "optim.momentum_sgd", inputs: arrays{"p": vec(1, 2), "g": vec(0.5, -1), "buf": vec(nan, inf)},
			attrs: []ir.ExampleAttr{number("lr", 1), number("step", 1)}})
		if err != nil {
			t.Fatal(err)
		}
		sameAll(t, "first step", out, arrays{"p'": vec(0.5, 3), "buf'": vec(0.5, -1)}, bits)
	})
}

// variance takes two passes. The means are exact, so that nothing is left of 1e4 but the differences.
func varianceRow(t *testing.T) {
	x, z := ir.NewArray(2, 64), ir.NewArray(2, 64)
	for i := range 64 {
		x.Data[i] = 1e4 + float64(i-32)/64 + 1.0/128
		x.Data[64+i] = -1e4 + float64(i-32)/4 + 1.0/8
	}
	for row := range 2 {
		mean, variance := 1e4, 0.0
		if row == 1 {
			mean = -1e4
		}
		for i := range 64 {
			d := x.Data[64*row+i] - mean
			variance += d * d / 64
		}
		for i := range 64 {
			z.Data[64*row+i] = (x.Data[64*row+i] - mean) / math.Sqrt(variance+1e-5)
		}
	}
	hold(t, []expected{{name: "layer_norm", call: layerNorm(x), y: z, near: 16}}, "f32")
	hold(t, []expected{{name: "layer_norm", call: layerNorm(x), y: z, near: 256}}, "f64")
}

// exp is shifted by the maximum.
func shiftRow(t *testing.T) {
	e := math.Exp(-1)
	half := vec(0.5, 0.5)
	cross := func(x *ir.Array, class float64) *call {
		return crossEntropy(array([]int{1, len(x.Data)}, x.Data...), vec(class), word("reduction", "sum"))
	}
	row := func(x ...float64) *ir.Array { return array([]int{1, len(x)}, x...) }
	hold(t, []expected{
		{name: "large", call: softmax(vec(1e4, 1e4), 0), y: half, grads: arrays{"x": vec(0, 0)}},
		{name: "small", call: softmax(vec(-1e4, -1e4), 0), y: half},
		{name: "far", call: softmax(vec(1e4, -1e4, 0), 0), y: vec(1, 0, 0)},
		{name: "near", call: softmax(vec(1e4, 1e4-1), 0), y: vec(1/(1+e), e/(1+e)), near: 4},
		{name: "masked", call: softmax(vec(0, -inf, 0), 0), y: vec(0.5, 0, 0.5), grads: arrays{"x": vec(0, 0, 0)}},
		{name: "all masked", call: softmax(array([]int{2, 2}, -inf, -inf, 3, 3), 1), y: array([]int{2, 2}, nan, nan, 0.5, 0.5)},
		{name: "infinite", call: softmax(array([]int{2, 2}, inf, 0, 3, 3), 1), y: array([]int{2, 2}, nan, nan, 0.5, 0.5)},
		{name: "NaN", call: softmax(array([]int{2, 2}, nan, 0, 3, 3), 1), y: array([]int{2, 2}, nan, nan, 0.5, 0.5)},

		{name: "large", call: cross(vec(1e4, 1e4-1), 0), y: scalar(math.Log1p(e)), near: 1 << 15}, // x - logsumexp(x) of 1e4
		{name: "far", call: cross(vec(1e4, -1e4), 1), y: scalar(2e4), grads: arrays{"x": row(1, -1)}},
		{name: "right", call: cross(vec(1e4, -1e4), 0), y: scalar(0), grads: arrays{"x": row(0, 0)}},
		{name: "masked", call: cross(vec(0, -inf), 0), y: scalar(0), grads: arrays{"x": row(0, 0)}},
		{name: "masked class", call: cross(vec(0, -inf), 1), y: scalar(inf), grads: arrays{"x": row(1, -1)}},
		{name: "all masked", call: cross(vec(-inf, -inf), 1), y: scalar(nan)},
		{name: "NaN", call: cross(vec(0, nan, 0), 0), y: scalar(nan)},
	})
}

// empty reductions, and empty tensors.
func emptyTensorsRow(t *testing.T) {
	zeros := func(shape ...int) *ir.Array { return ir.NewArray(shape...) }
	none := vec()
	cross := func(n, c int, how string) *call { return crossEntropy(zeros(n, c), zeros(n), word("reduction", how)) }
	weighted := func(x *ir.Array, n int) *call {
		c := layerNorm(x)
		c.inputs["weight"], c.inputs["bias"] = zeros(n), zeros(n)
		return c
	}
	hold(t, []expected{
		{name: "mse mean", call: mse(none, none, "mean"), y: scalar(nan), grads: arrays{"x": none, "t": none}},
		{name: "mse sum", call: mse(none, none, "sum"), y: scalar(0), grads: arrays{"x": none}},
		{name: "mse none", call: mse(none, none, "none"), y: none, grads: arrays{"x": none}},
		{name: "mse expanded to nothing", call: mse(none, vec(3), "sum"), y: scalar(0), grads: arrays{"x": none, "t": vec(0)}},
		{name: "smooth_l1 mean", call: smoothL1(none, none, 1, "mean"), y: scalar(nan), grads: arrays{"x": none}},
		{name: "smooth_l1 sum", call: smoothL1(none, none, 0, "sum"), y: scalar(0), grads: arrays{"x": none}},
		{name: "smooth_l1 none", call: smoothL1(zeros(3, 0), zeros(0), 1, "none"), y: zeros(3, 0), grads: arrays{"x": zeros(3, 0), "t": zeros(0)}},
		{name: "relu", call: relu(none), y: none, grads: arrays{"x": none}},
		{name: "relu in three axes", call: relu(zeros(3, 0, 4)), y: zeros(3, 0, 4), grads: arrays{"x": zeros(3, 0, 4)}},
		{name: "softmax of nothing", call: softmax(zeros(4, 0), 1), y: zeros(4, 0), grads: arrays{"x": zeros(4, 0)}},
		{name: "softmax without rows", call: softmax(zeros(4, 0), 0), y: zeros(4, 0), grads: arrays{"x": zeros(4, 0)}},
		{name: "layer_norm of nothing", call: weighted(zeros(3, 0), 0), y: zeros(3, 0), grads: arrays{"x": zeros(3, 0), "weight": none, "bias": none}},
		{name: "layer_norm without rows", call: weighted(zeros(0, 3), 3), y: zeros(0, 3),
			grads: arrays{"x": zeros(0, 3), "weight": zeros(3), "bias": zeros(3)}},
		{name: "linear without rows", call: linear(zeros(0, 2), zeros(3, 2), zeros(3)), y: zeros(0, 3),
			grads: arrays{"x": zeros(0, 2), "w": zeros(3, 2), "b": zeros(3)}},
		{name: "linear of nothing", call: linear(zeros(2, 0), zeros(3, 0), vec(1, 2, 3)), y: array([]int{2, 3}, 1, 2, 3, 1, 2, 3),
			grads: arrays{"x": zeros(2, 0), "w": zeros(3, 0), "b": vec(2, 2, 2)}},
		{name: "linear to nothing", call: linear(zeros(2, 3), zeros(0, 3), zeros(0)), y: zeros(2, 0),
			grads: arrays{"x": zeros(2, 3), "w": zeros(0, 3), "b": zeros(0)}},
		{name: "cross_entropy mean", call: cross(0, 3, "mean"), y: scalar(nan), grads: arrays{"x": zeros(0, 3)}},
		{name: "cross_entropy sum", call: cross(0, 3, "sum"), y: scalar(0), grads: arrays{"x": zeros(0, 3)}},
		{name: "cross_entropy none", call: cross(0, 3, "none"), y: none, grads: arrays{"x": zeros(0, 3)}},
		{name: "cross_entropy of no classes", call: crossEntropy(zeros(2, 0), vec(-100, -100), word("reduction", "none")), y: vec(0, 0),
			grads: arrays{"x": zeros(2, 0)}},
	})
	everywhere(t, func(t *testing.T, b backend) {
		out, err := b.forward(&call{op: "optim.momentum_sgd", inputs: arrays{"p": none, "g": none, "buf": none},
			attrs: []ir.ExampleAttr{number("lr", 1), number("step", 2)}})
		if err != nil {
			t.Fatal(err)
		}
		sameAll(t, "momentum_sgd", out, arrays{"p'": none, "buf'": none}, bits)
	})
}

// 0-d tensors are not the same as shape [1].
func scalarsRow(t *testing.T) {
	one := vec(3)
	hold(t, []expected{
		{name: "relu of 0-d", call: relu(scalar(3)), y: scalar(3), grads: arrays{"x": scalar(1)}},
		{name: "relu of 1", call: relu(one), y: one, grads: arrays{"x": vec(1)}},
		{name: "mse of 0-d", call: mse(scalar(3), scalar(1), "none"), y: scalar(4), grads: arrays{"x": scalar(4), "t": scalar(-4)}},
		{name: "mse of both", call: mse(scalar(3), vec(1), "none"), y: vec(4), grads: arrays{"x": scalar(4), "t": vec(-4)}},
		{name: "mse reduced", call: mse(vec(3), vec(1), "mean"), y: scalar(4)},
		{name: "softmax of 0-d, last axis", call: softmax(scalar(7), -1), y: scalar(1), grads: arrays{"x": scalar(0)}},
		{name: "softmax of 0-d, first axis", call: softmax(scalar(7), 0), y: scalar(1), grads: arrays{"x": scalar(0)}},
		{name: "softmax of 1", call: softmax(vec(7), 0), y: vec(1)},
		{name: "linear of one row", call: linear(vec(1, 2), array([]int{1, 2}, 3, 4), nil), y: vec(11), grads: arrays{"x": vec(3, 4), "w": array([]int{1, 2}, 1, 2)}},
		{name: "cross_entropy of one row", call: crossEntropy(vec(0, 0), scalar(1), number("axis", 0), word("reduction", "none")),
			y: scalar(math.Ln2), grads: arrays{"x": vec(0.5, -0.5)}, near: 2},
	})
	everywhere(t, func(t *testing.T, b backend) {
		for _, axis := range []int{1, -2} {
			if _, err := b.forward(softmax(scalar(7), axis)); err == nil {
				t.Errorf("axis %d of a 0-d tensor is no error", axis)
			}
		}
	})
}

// layer norm far from zero. An ulp of the mean is 8, and the standard deviation of a row is about as much; for
// differences of 1000 it no longer matters.
func farRow(t *testing.T) {
	for _, step := range []float64{8, 1000} {
		x, z := vec(1e8, 1e8+step, 1e8+2*step, 1e8+3*step), ir.NewArray(4)
		deviation := step * math.Sqrt(1.25)
		for i := range z.Data {
			z.Data[i] = (float64(i) - 1.5) * step / deviation
		}
		everywhere(t, func(t *testing.T, b backend) {
			out, err := b.forward(layerNorm(x))
			if err != nil {
				t.Fatal(err)
			}
			same(t, "layer_norm", out["y"], z, within(0, 2*8/deviation))
		}, "f32")
	}
}

// divisors of derivatives don't overflow, and zero divided by a tiny one is zero. The evaluator goes by the chain rule
// as it stands, so it is no witness.
func tinyBetas(t *testing.T) {
	for float, tiny := range map[string]float64{"f32": 0x1p-149, "f64": 0x1p-1074} {
		for _, how := range []string{"none", "sum"} {
			x, c := vec(0, tiny, -2*tiny, 4*tiny, -1), scalar(1e20)
			if how == "none" {
				c = vec(1e20, 1e20, 1e20, 1e20, 1e20)
			}
			g := vec(0, 0.25e20, -0.5e20, 1e20, -1e20)
			e := expected{name: "smooth_l1 " + how, call: smoothL1(x, vec(0, 0, 0, 0, 0), 4*tiny, how), cotangent: c, grads: arrays{"x": g}, near: 4}
			compiled(t, e.check, float)
			e.check(t, nests(float))
		}
	}
}

// subnormal numbers are kept.
func subnormalsRow(t *testing.T) {
	for float, tiny := range map[string]float64{"f32": 0x1p-149, "f64": 0x1p-1074} {
		normal := map[string]float64{"f32": 0x1p-126, "f64": 0x1p-1022}[float]
		logs := map[string]float64{"f32": -129 * math.Ln2, "f64": -1025 * math.Ln2}
		x := vec(tiny, 3*tiny, normal/2)
		hold(t, []expected{
			{name: "relu", call: relu(x), y: x, cotangent: x, grads: arrays{"x": x}},
			{name: "linear", call: linear(array([]int{1, 1}, normal), array([]int{2, 1}, 0.5, 0.25), nil), y: array([]int{1, 2}, normal/2, normal/4)},
			{name: "smooth_l1", call: smoothL1(x, vec(0, 0, 0), 0, "none"), y: x, cotangent: x, grads: arrays{"x": x}},
			{name: "mse", call: mse(vec(1), vec(0), "mean"), y: scalar(1), cotangent: scalar(normal / 4), grads: arrays{"x": vec(normal / 2)}},
			{name: "softmax", call: softmax(vec(0, logs[float]), 0), y: vec(1, normal/8), near: 0x1p11}, // |x| roundings
		}, float)
		everywhere(t, func(t *testing.T, b backend) {
			out, err := b.forward(&call{op: "optim.momentum_sgd", inputs: arrays{"p": vec(tiny), "g": vec(4 * tiny), "buf": vec(8 * tiny)},
				attrs: []ir.ExampleAttr{number("lr", 1), number("momentum", 0.5), number("step", 2)}})
			if err != nil {
				t.Fatal(err)
			}
			sameAll(t, "momentum_sgd", out, arrays{"p'": vec(-7 * tiny), "buf'": vec(8 * tiny)}, bits)
		}, float)
	}
}

// Broadcasting follows NumPy, and gradients are summed back to the shapes of the inputs.
func broadcastingRow(t *testing.T) {
	hold(t, []expected{
		{name: "column and row", call: mse(array([]int{2, 1}, 1, 2), array([]int{1, 3}, 0, 1, 3), "none"),
			y:     array([]int{2, 3}, 1, 0, 4, 4, 1, 1),
			grads: arrays{"x": array([]int{2, 1}, 2+0-4, 4+2-2), "t": array([]int{1, 3}, -2-4, 0-2, 4+2)}},
		{name: "0-d and matrix", call: mse(scalar(1), array([]int{2, 2}, 0, 1, 2, 3), "sum"), y: scalar(6),
			grads: arrays{"x": scalar(-4), "t": array([]int{2, 2}, -2, neg, 2, 4)}},
		{name: "missing axes", call: smoothL1(array([]int{2, 2}, 5, 5, 5, 5), vec(0, 9), 0, "none"), y: array([]int{2, 2}, 5, 4, 5, 4),
			grads: arrays{"x": array([]int{2, 2}, 1, -1, 1, -1), "t": vec(-2, 2)}},
	})
	everywhere(t, func(t *testing.T, b backend) {
		if _, err := b.forward(mse(vec(1, 2), vec(1, 2, 3), "none")); err == nil {
			t.Error("extents 2 and 3 are no error")
		}
	})
}

// division of many elements by one number: no divisor overflows, also one whose reciprocal does, and the error is at
// most 1.5 ulp. TestFaults shows it for a plain quotient.
func divisionRow(t *testing.T) {
	for float, least := range map[string]float64{"f32": 0x1p-149, "f64": 0x1p-1074} {
		beta := 0x1p20 * least
		small := expected{name: "small divisor", call: smoothL1(vec(beta/2, -beta/4, 3*beta), vec(0, 0, 0), beta, "none"),
			grads: arrays{"x": vec(0.5, -0.25, 1)}}
		for _, b := range append(paths(float), nests(float)) { // the evaluator takes derivatives as they were derived
			t.Run(b.name, func(t *testing.T) { small.check(t, b) })
		}
		everywhere(t, func(t *testing.T, b backend) {
			for n := 1; n <= 200; n++ {
				x := vec(make([]float64, n)...)
				x.Data[n-1] = 1
				out, err := b.forward(mse(x, vec(0), "mean"))
				if err != nil {
					t.Fatal(err)
				}
				want := 1 / float64(n)
				ulp := math.Ldexp(1, math.Ilogb(want)-52)
				if b.float == "f32" {
					ulp = math.Ldexp(1, math.Ilogb(want)-23)
				}
				if got := out["y"].Data[0]; math.Abs(got-want) > 1.5*ulp {
					t.Errorf("1/%d = %v, off by %v ulp", n, got, math.Abs(got-want)/ulp)
				}
			}
		}, float)
	}
}

// momentum_sgd takes the gradient itself as its first buffer, without damping.
func firstStepRow(t *testing.T) {
	everywhere(t, func(t *testing.T, b backend) {
		p, buf := vec(1), vec(0)
		for step, want := range []float64{1, 1.4} {
			out, err := b.forward(&call{op: "optim.momentum_sgd", inputs: arrays{"p": p, "g": vec(1), "buf": buf},
				attrs: []ir.ExampleAttr{number("lr", 0.1), number("momentum", 0.9), number("dampening", 0.5), number("step", float64(step+1))}})
			if err != nil {
				t.Fatal(err)
			}
			p, buf = out["p'"], out["buf'"]
			same(t, "buf", buf, vec(want), within(2*u, 0))
		}
		same(t, "p", p, vec(1-0.1-0.14), within(4*u, 0))
	})
}

// an index out of range is an error that names op, argument, position and value.
func indicesRow(t *testing.T) {
	x := ir.NewArray(4, 3)
	everywhere(t, func(t *testing.T, b backend) {
		for _, index := range []string{"i32", "i64"} {
			for _, bad := range []float64{3, -1, math.MaxInt32, math.MinInt32} {
				c := crossEntropy(x, vec(0, 2, bad, 1), word("reduction", "none"))
				if c.index = index; index == "i64" && bad > 3 {
					c.inputs["t"].Data[2] = 1 << 40
				}
				if _, err := b.forward(c); err == nil {
					t.Errorf("%s: class %v of 3 is no error", index, c.inputs["t"].Data[2])
				}
			}
			// What is ignored may be any number, and only that number is ignored.
			for _, ignore := range []float64{-100, 1 << 20, math.MinInt32} {
				c := crossEntropy(x, vec(0, 2, ignore, 1), word("reduction", "none"), number("ignore_index", ignore))
				c.index = index
				out, err := b.forward(c)
				if err != nil {
					t.Fatal(err)
				}
				l := math.Log(3)
				same(t, "ignored", out["y"], vec(l, l, 0, l), within(2*u, 0))
			}
			c := crossEntropy(x, vec(0, 2, 1, 1), word("reduction", "none"), number("ignore_index", 1<<32+1))
			c.index = index
			if _, err := b.forward(c); err != nil && index == "i32" {
				continue // refusing it is right as well
			}
			out, grads := run(t, "ignore_index beyond 32 bits", b, c, vec(1, 1, 1, 1))
			if out["y"].Data[2] == 0 || slices.Equal(grads["x"].Data[6:9], []float64{0, 0, 0}) {
				t.Errorf("%s: class 1 is ignored for ignore_index 2^32 + 1", index)
			}
		}
	})
}
