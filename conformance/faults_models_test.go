package conformance

import (
	"testing"

	"github.com/opgen/opgen/codegen/ir"
)

// fault is a call of an op of testdata/faults.
func fault(name string, inputs arrays, attrs ...ir.ExampleAttr) *call {
	return &call{op: "faults." + name, inputs: inputs, attrs: attrs}
}

func adam(x arrays, attrs ...ir.ExampleAttr) *call {
	x["m"], x["v"] = vec(0), vec(0)
	return fault("adam", x, append(attrs, number("step", 1))...)
}

// modelFaults are those of layers, losses and optimizers. preciseFaults need more digits than float32 has, halfFaults are of half
// precision, wholeFaults of integers.
var modelFaults, preciseFaults, halfFaults, wholeFaults = []expected{
	{name: "K5", call: of("faults.cardinal", 0), y: vec(1), grads: arrays{"x": vec(0)}},
	{name: "K3 std", call: fault("spread", arrays{"x": array([]int{1, 2}, 3, 3)}), y: vec(0), grads: arrays{"x": array([]int{1, 2}, 0, 0)}},
	{name: "X1 unbiased", call: fault("var", arrays{"x": array([]int{1, 1}, 3)}), y: vec(nan), grads: arrays{"x": array([]int{1, 1}, nan)}},
	{name: "X1 biased", call: fault("var", arrays{"x": array([]int{1, 1}, 3)}, number("correction", 0)), y: vec(0), grads: arrays{"x": array([]int{1, 1}, 0)}},
	{name: "N3 zeros apart", call: fault("masked_softmax", arrays{"x": array([]int{2, 2}, -inf, -inf, nan, 0)}), y: array([]int{2, 2}, 0, 0, nan, nan)},
	{name: "S5 threshold", call: fault("bent_soft", arrays{"x": vec(90)}, number("threshold", 100)), y: vec(90), cotangent: vec(2), grads: arrays{"x": vec(2)}},
	{name: "C1", call: fault("bent_soft", arrays{"x": vec(0.2736)}, number("beta", 3), number("threshold", 1)),
		y: vec(0.39516609524487073), grads: arrays{"x": vec(0.6944061315105916)}, near: 8},
	{name: "D6 NaN and Inf", call: of("faults.odd", 1, -1), y: vec(nan, inf), grads: arrays{"x": vec(0, 0)}},

	// Places of the greatest.
	{name: "AM1", call: fault("top", arrays{"x": array([]int{2, 5}, 2, 3, 0, 3, 3, 1, 3, 1, 3, 1)}), y: vec(3, 3), out: arrays{"at": vec(1, 1)}},
	{name: "Z1 last axis", call: fault("top", arrays{"x": scalar(7)}), y: scalar(7), out: arrays{"at": scalar(0)}, grads: arrays{"x": scalar(1)}},
	{name: "Z1 first axis", call: fault("top", arrays{"x": scalar(7)}, number("axis", 0)), y: scalar(7), out: arrays{"at": scalar(0)}},
	{name: "Z1 no axis", call: fault("top", arrays{"x": scalar(7)}, number("axis", 1)), fails: "axis"},
	{name: "T1 with index", call: fault("top", arrays{"x": array([]int{1, 2}, 1, 1)}), grads: arrays{"x": array([]int{1, 2}, 1, 0)}},

	// Indices.
	{name: "G3", call: fault("embedding", arrays{"w": array([]int{2, 2}, 5, 6, 7, 8), "idx": ir.NewArray(769)}, number("padding_idx", 0)),
		grads: arrays{"w": ir.NewArray(2, 2)}},
	{name: "G3 lookup", call: fault("embedding", arrays{"w": array([]int{2, 2}, 5, 6, 7, 8), "idx": vec(0, 1, 1)}, number("padding_idx", 0)),
		y: array([]int{3, 2}, 5, 6, 7, 8, 7, 8), grads: arrays{"w": array([]int{2, 2}, 0, 0, 2, 2)}},
	{name: "ER3", call: fault("embedding", arrays{"w": ir.NewArray(10, 2), "idx": vec(3, 10)}), fails: "10"},
	{name: "U1 index_add", call: fault("index_add", arrays{"x": ir.NewArray(4), "idx": vec(1, 1, 3), "src": vec(1, 1, 1)}), y: vec(0, 2, 0, 1),
		grads: arrays{"x": vec(1, 1, 1, 1), "src": vec(1, 1, 1)}},
	{name: "U1 twice", call: fault("index_add", arrays{"x": vec(0), "idx": vec(0, 0), "src": vec(1, 2)}), y: vec(3)},

	// Windows.
	{name: "PL1", call: fault("avg_pool", arrays{"x": vec(1, 2, 3, 4, 5)}, list("kernel", 2), list("stride", 2)), y: vec(1.5, 3.5, 5)},
	{name: "PL1 pads", call: fault("avg_pool", arrays{"x": vec(2.0903, 4.6493, 1.6320, -3.2051, 4.6975, 4.7296, 3.3653, -1.5815, -2.3832)},
		list("kernel", 7), list("stride", 3), list("pad", 3)),
		y: vec(0.7380714285714287, 2.5655571428571426, 0.8032285714285712, -0.0999), near: 64},
	{name: "PL4", call: fault("avg_pool", arrays{"x": array([]int{2, 2}, 1, 2, 3, 4)}, list("kernel", 2, 2), list("stride", 2, 2), list("pad", 1, 1),
		word("count_include_pad", "false"), number("divisor", 3)), y: array([]int{2, 2}, 1./3, 2./3, 1, 4./3), near: 2},
	{name: "PL5", call: fault("conv_transpose", arrays{"x": vec(1, 2), "w": vec(-0.7767)}, number("stride", 2)), y: vec(-0.7767, 0, -1.5534),
		cotangent: vec(1.5, 0, 0.7), grads: arrays{"x": vec(-1.16505, -0.54369)}, near: 4},

	// Dropout.
	{name: "LS3", call: fault("dropout", arrays{"x": vec(1, 2)}, number("p", 1), number("seed", 3)), y: vec(0, 0), grads: arrays{"x": vec(0, 0)}},

	// First steps.
	{name: "O1", call: &call{op: "optim.momentum_sgd", inputs: arrays{"p": vec(1), "g": vec(1), "buf": vec(0)},
		attrs: []ir.ExampleAttr{number("lr", 0), number("momentum", 0.9), number("dampening", 0.5), number("step", 1)}}, out: arrays{"buf'": vec(1)}},
}, []expected{
	{name: "O1 second", call: &call{op: "optim.momentum_sgd", inputs: arrays{"p": vec(1), "g": vec(1), "buf": vec(1)},
		attrs: []ir.ExampleAttr{number("lr", 0), number("momentum", 0.9), number("dampening", 0.5), number("step", 2)}}, out: arrays{"buf'": vec(1.4)}, near: 2},
	{name: "WD1 decoupled", call: adam(arrays{"p": vec(1), "g": vec(1)}, number("lr", 0.1), number("weight_decay", 0.1), word("decoupled", "true")),
		out: arrays{"p'": vec(0.99 - 0.1/(1+1e-8))}, near: 16},
	{name: "WD1 within", call: adam(arrays{"p": vec(1), "g": vec(1)}, number("lr", 0.1), number("weight_decay", 0.1)),
		out: arrays{"p'": vec(1 - 0.11/(1.1+1e-8))}, near: 16},
}, []expected{
	{name: "H1", call: shown("total", arrays{"x": filled(1, 1, 4096)}), y: vec(4096)},
	{name: "H1 mean", call: shown("average", arrays{"x": filled(1, 1, 4096)}), y: vec(1)},
	{name: "H3", call: shown("total", arrays{"x": rowOf(32000, 32000, 32000, 32000, -32000, -32000, -32000, -32000)}), y: vec(0)},
	{name: "O3", call: adam(arrays{"p": vec(1), "g": vec(0)}), out: arrays{"p'": vec(1), "m'": vec(0), "v'": vec(0)}},
}, []expected{
	{name: "M1 floor", call: shown("divisions", arrays{"x": vec(-6, 6, -7), "z": vec(5, -5, 3)}), out: arrays{"floors": vec(-2, -2, -3), "mods": vec(4, -4, 2)}},
	{name: "M1 trunc", call: shown("divisions", arrays{"x": vec(-6, 6, -7), "z": vec(5, -5, 3)}), out: arrays{"truncs": vec(-1, -1, -2), "rems": vec(-1, 1, -1)}},
	{name: "M3", call: shown("divisions", arrays{"x": vec(7), "z": vec(0)}), fails: "division by zero"},
	{name: "M3 least by -1", call: shown("divisions", arrays{"x": vec(-1 << 31), "z": vec(-1)}), fails: "can't hold"},
	{name: "Y1", call: fault("scaled_count", arrays{"x": vec(7, 6)}), out: arrays{"times": vec(17.5, 15), "over": vec(14, 12)}},
}

// C3: the derivative of dropout draws the numbers of the call again, so an element that is 0 is told from one that was dropped.
func TestC3(t *testing.T) {
	everywhere(t, func(t *testing.T, b backend) {
		attrs := []ir.ExampleAttr{number("p", 0.5), number("seed", 7)}
		c := fault("dropout", arrays{"x": filled(1, 200)}, attrs...)
		out, err := b.forward(c)
		if portable(t, b, c, err) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		kept := 0
		for _, y := range out["y"].Data {
			if y == 2 {
				kept++
			} else if y != 0 {
				t.Fatalf("1 gives %v", y)
			}
		}
		if kept < 60 || kept > 140 {
			t.Errorf("%d of 200 are kept", kept)
		}
		grads, err := b.gradient(c.with("x", ir.NewArray(200)), filled(1, 200))
		if portable(t, b, c, err) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		same(t, "gradient at zeros", grads["x"], out["y"], bits)
	})
}

// ER3: an index out of range is named with op, argument, place and range.
func TestER3(t *testing.T) {
	for _, b := range paths("f32") {
		_, err := b.forward(fault("embedding", arrays{"w": ir.NewArray(10, 2), "idx": vec(3, 10)}))
		contains(t, err, "faults.embedding", "idx", "10 at element 1", "0 ≤ index < 10")
	}
}

// Y1: a number that isn't whole doesn't meet integers without a cast.
func TestY1(t *testing.T) {
	refuses(t, "op f[T: int](x: T[...B]) = x*2.5", "2:28", "a number that need not be whole", "`T`")
}

// D6: a number beyond the range of a dtype is reported with its place.
func TestD6(t *testing.T) {
	for _, c := range []struct{ text, message string }{{"x*1e39", "1e39 is infinite in f32"}, {"x*1e-50", "1e-50 is 0 in f32"}} {
		b := checked(t, "op f(x: f32[...B]) -> (y: f32[...B]) { y = "+c.text+" }")
		if len(b.Diags.All) != 1 {
			t.Errorf("%s: %d messages", c.text, len(b.Diags.All))
			continue
		}
		if d := b.Diags.All[0]; d.Code != "number-range" || d.Message != c.message || d.Span.Start.Line != 2 {
			t.Errorf("%s: %v: %s [%s]", c.text, d.Span.Start, d.Message, d.Code)
		}
	}
}

// Q1: 17·2²⁰ ones.
func TestQ1(t *testing.T) {
	hold(t, []expected{{name: "ones", call: shown("total", arrays{"x": filled(1, 1, 17<<20)}), y: vec(17 << 20)}}, "f32")
}

// G09: what there is no code for is refused when generating, at its place, and a dtype that an op doesn't take by the call.
func TestG09(t *testing.T) {
	refuses(t, "op f[T: int](x: T[N]) -> (y: T[N]) { y[n] = exp(x[n]) }", "2:45")
	for _, b := range paths("i32") {
		_, err := b.forward(fault("top", arrays{"x": vec(1, 2)}))
		if err != nil {
			t.Errorf("an op of numbers doesn't take i32: %v", err)
		}
		_, err = b.forward(of("faults.half", 1))
		contains(t, err, "faults.half", "x", "f16, bf16, f32 or f64", "i32")
	}
}
