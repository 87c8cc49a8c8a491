package conformance

import (
	"fmt"
	"math"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
)

// conventionRows are the tests of docs/conventions.md, by the identifiers of the rows.
var conventionRows = map[string]func(*testing.T){
	"kink":                kinkRow,
	"zero-beta":           zeroBetaRow,
	"tie":                 tieRow,
	"tie-reduction":       tieReductionRow,
	"tie-index":           tieIndexRow,
	"nan":                 nanRow,
	"nan-known":           nanKnownRow,
	"sqrt-zero":           sqrtRow,
	"norm-zero":           normRow,
	"power-zero":          powerRow,
	"xlogy-zero":          xlogyRow,
	"hypot-zero":          hypotRow,
	"sinc-zero":           sincRow,
	"empty-gradient":      emptyGradientRow,
	"copysign":            copysignRow,
	"gamma-poles":         gammaRow,
	"atan2-zero":          atan2Row,
	"random":              randomRow,
	"branch":              branchRow,
	"prod-zeros":          prodRow,
	"sums":                sumsRow,
	"variance":            varianceRow,
	"far-rows":            farRow,
	"shift":               shiftRow,
	"empty-reductions":    emptyReductionsRow,
	"empty-tensors":       emptyTensorsRow,
	"scalars":             scalarsRow,
	"broadcasting":        broadcastingRow,
	"subnormals":          subnormalsRow,
	"signed-zero":         signedZeroRow,
	"roundings":           roundingsRow,
	"division":            divisionsRow,
	"integers":            integersRow,
	"integer-division":    integerDivisionRow,
	"casts":               castsRow,
	"halves":              halvesRow,
	"infinite-times-zero": infiniteTimesZeroRow,
	"unasked-output":      unaskedRow,
	"empty-batch":         emptyBatchRow,
	"output-layout":       outputLayoutRow,
	"half-sums":           halfSumsRow,
	"same-bits":           sameBitsRow,
	"no-gradient":         noGradientRow,
	"failed-step":         failedStepRow,
	"totals":              totalsRow,
	"schedules":           schedulesRow,
	"first-step":          firstStepRow,
	"indices":             indicesRows,
}

// shown is a call of an op of testdata/conventions.
func shown(name string, inputs arrays, attrs ...ir.ExampleAttr) *call {
	return &call{op: "conventions." + name, inputs: inputs, attrs: attrs}
}

func shownOf(name string, x ...float64) *call { return shown(name, arrays{"x": vec(x...)}) }

// rowOf is an array with one row.
func rowOf(x ...float64) *ir.Array { return array([]int{1, len(x)}, x...) }

func kinkRow(t *testing.T) {
	hold(t, []expected{
		{name: "relu", call: relu(vec(0, neg, -1, 1)), y: vec(0, 0, 0, 1), grads: arrays{"x": vec(0, 0, 0, 1)}},
		{name: "abs", call: shownOf("magnitude", 0, neg, -2, 2), y: vec(0, 0, 2, 2), grads: arrays{"x": vec(0, neg, -1, 1)}},
		{name: "abs of a difference", call: smoothL1(vec(2), vec(2), 0, "none"), y: vec(0), grads: arrays{"x": vec(0)}},
		{name: "clamp", call: shownOf("clipped", -1, 1, 0.5, -2, 2), y: vec(-1, 1, 0.5, -1, 1), grads: arrays{"x": vec(0, 0, 1, 0, 0)}},
		// Pieces that meet smoothly have no kink.
		{name: "smooth_l1", call: smoothL1(vec(1, -1), vec(0, 0), 1, "none"), y: vec(0.5, 0.5), grads: arrays{"x": vec(1, -1), "t": vec(-1, 1)}},
		{name: "x*abs(x)", call: shownOf("bent", 0, -3, 3), y: vec(0, -9, 9), grads: arrays{"x": vec(0, 6, 6)}},
	})
}

func tieRow(t *testing.T) {
	a, b := vec(2, 1, 5), vec(2, 3, 4)
	hold(t, []expected{
		{name: "max", call: shown("greater", arrays{"a": a, "b": b}), y: vec(2, 3, 5), grads: arrays{"a": vec(0.5, 0, 1), "b": vec(0.5, 1, 0)}},
		{name: "min", call: shown("lesser", arrays{"a": a, "b": b}), y: vec(2, 1, 4), grads: arrays{"a": vec(0.5, 1, 0), "b": vec(0.5, 0, 1)}},
	})
}

func tieReductionRow(t *testing.T) {
	hold(t, []expected{
		{name: "max", call: shown("top", arrays{"x": array([]int{2, 4}, 1, 3, 3, 2, 4, 4, 4, 4)}), y: vec(3, 4), cotangent: vec(1, 2),
			grads: arrays{"x": array([]int{2, 4}, 0, 0.5, 0.5, 0, 0.5, 0.5, 0.5, 0.5)}},
		{name: "min", call: shown("bottom", arrays{"x": array([]int{2, 4}, 1, 1, 3, 2, 4, 4, 4, 4)}), y: vec(1, 4), cotangent: vec(1, 2),
			grads: arrays{"x": array([]int{2, 4}, 0.5, 0.5, 0, 0, 0.5, 0.5, 0.5, 0.5)}},
		{name: "infinite", call: shown("top", arrays{"x": rowOf(inf, 0, inf)}), y: vec(inf), grads: arrays{"x": rowOf(0.5, 0, 0.5)}},
	})
}

func tieIndexRow(t *testing.T) {
	hold(t, []expected{
		{name: "argmax", call: shown("first", arrays{"x": array([]int{2, 5}, 2, 3, 0, 3, 3, 1, 3, 1, 3, 1)}), y: vec(3, 3), out: arrays{"at": vec(1, 1)},
			grads: arrays{"x": array([]int{2, 5}, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0)}},
		{name: "argmin", call: shown("first_least", arrays{"x": rowOf(2, 0, 1, 0)}), y: vec(0), out: arrays{"at": vec(1)},
			grads: arrays{"x": rowOf(0, 1, 0, 0)}},
		{name: "NaN, greatest", call: shown("first", arrays{"x": rowOf(1, nan, inf, nan)}), y: vec(nan), out: arrays{"at": vec(1)}},
		{name: "NaN, least", call: shown("first_least", arrays{"x": rowOf(1, -inf, nan, nan)}), y: vec(nan), out: arrays{"at": vec(2)}},
		{name: "zeros", call: shown("first", arrays{"x": rowOf(neg, 0)}), out: arrays{"at": vec(0)}},
		{name: "all -Inf", call: shown("first", arrays{"x": rowOf(-inf, -inf)}), y: vec(-inf), out: arrays{"at": vec(0)}},
	})
	// Ties that lie in different blocks.
	x := ir.NewArray(1, 5000)
	x.Data[77], x.Data[78], x.Data[3000], x.Data[4999] = 1, 1, 1, 1
	hold(t, []expected{{name: "far", call: shown("first", arrays{"x": x}), y: vec(1), out: arrays{"at": vec(77)}}})
}

func nanRow(t *testing.T) {
	hold(t, []expected{
		{name: "relu", call: relu(vec(nan, 1, nan, -1, -inf, inf)), y: vec(nan, 1, nan, 0, 0, inf)},
		{name: "max", call: shown("greater", arrays{"a": vec(nan, 1, nan), "b": vec(1, nan, nan)}), y: vec(nan, nan, nan)},
		{name: "min", call: shown("lesser", arrays{"a": vec(nan, 1, nan), "b": vec(1, nan, nan)}), y: vec(nan, nan, nan)},
		{name: "clamp", call: shownOf("clipped", nan, 3, -3), y: vec(nan, 1, -1)},
		{name: "max of a row", call: shown("top", arrays{"x": array([]int{3, 2}, nan, 1, inf, nan, 2, 1)}), y: vec(nan, nan, 2)},
		{name: "min of a row", call: shown("bottom", arrays{"x": array([]int{3, 2}, nan, 1, -inf, nan, 2, 1)}), y: vec(nan, nan, 1)},
	})
	// At every position of a long row.
	var all []expected
	for _, at := range []int{0, 1, 63, 64, 127, 128, 130} {
		x := ir.NewArray(1, 131)
		x.Data[at] = nan
		all = append(all, expected{name: "long row", call: shown("top", arrays{"x": x}), y: vec(nan)})
	}
	hold(t, all)
}

func nanKnownRow(t *testing.T) {
	a, b := vec(nan, 1, nan, 3), vec(1, nan, nan, 2)
	hold(t, []expected{
		{name: "fmax", call: shown("greater_known", arrays{"a": a, "b": b}), y: vec(1, 1, nan, 3)},
		{name: "fmin", call: shown("lesser_known", arrays{"a": a, "b": b}), y: vec(1, 1, nan, 2)},
	})
}

func sqrtRow(t *testing.T) {
	hold(t, []expected{{name: "sqrt", call: shownOf("root", 0, 4), y: vec(0, 2), grads: arrays{"x": vec(inf, 0.25)}}})
}

func normRow(t *testing.T) {
	x := array([]int{2, 2}, 0, 0, 3, 4)
	hold(t, []expected{{name: "norm", call: shown("length", arrays{"x": x}), y: vec(0, 5), grads: arrays{"x": array([]int{2, 2}, 0, 0, 0.6, 0.8)}, near: 4}})
}

func powerRow(t *testing.T) {
	zeros := vec(0, 0, 0, 0, 0)
	hold(t, []expected{
		{name: "x^0", call: shownOf("zeroth", 0, 3, -2, inf, nan), y: vec(1, 1, 1, 1, 1), grads: arrays{"x": zeros}},
		{name: "x^p", call: shown("to_the", arrays{"x": vec(0, 3, -2, inf, nan), "p": zeros}), y: vec(1, 1, 1, 1, 1), grads: arrays{"x": zeros}},
		{name: "0^p", call: shown("to_the", arrays{"x": vec(0, 2), "p": vec(1, 1)}), y: vec(0, 2), grads: arrays{"p": vec(0, 2*math.Ln2)}, near: 4},
	})
}

func xlogyRow(t *testing.T) {
	hold(t, []expected{
		{name: "x = 0", call: shown("entropy", arrays{"x": vec(0, 0, 0, 0, 0, 0), "z": vec(0, -1, 1, inf, nan, 4)}), y: vec(0, 0, 0, 0, nan, 0)},
		{name: "its derivative", call: shown("entropy", arrays{"x": vec(0, 0, 0, 0, 0), "z": vec(0, -1, 1, inf, 4)}),
			grads: arrays{"x": vec(0, 0, 0, inf, math.Log(4)), "z": vec(0, 0, 0, 0, 0)}, near: 2},
		{name: "x > 0", call: shown("entropy", arrays{"x": vec(2, 2), "z": vec(0, 1)}), y: vec(-inf, 0), grads: arrays{"z": vec(inf, 2)}},
	})
}

func hypotRow(t *testing.T) {
	hold(t, []expected{{name: "hypot", call: shown("side", arrays{"x": vec(0, 3, -3), "z": vec(0, 4, 0)}), y: vec(0, 5, 3),
		grads: arrays{"x": vec(0, 0.6, -1), "z": vec(0, 0.8, 0)}, near: 4}})
}

func sincRow(t *testing.T) {
	hold(t, []expected{
		{name: "sinc", call: shownOf("cardinal_sine", 0, neg, 0.5), y: vec(1, 1, 2/math.Pi), grads: arrays{"x": vec(0, 0, -4/math.Pi)}, near: 8},
	})
}

func emptyGradientRow(t *testing.T) {
	none := vec()
	hold(t, []expected{
		{name: "divided by no elements", call: mse(none, vec(3), "mean"), y: scalar(nan), grads: arrays{"x": none, "t": vec(0)}},
		{name: "with an infinite cotangent", call: mse(none, vec(3), "sum"), cotangent: scalar(inf), grads: arrays{"x": none, "t": vec(0)}},
	})
}

func copysignRow(t *testing.T) {
	hold(t, []expected{{name: "copysign", call: shown("signed", arrays{"x": vec(2, -2, 0, 3), "s": vec(-1, -1, -1, neg)}), y: vec(-2, -2, neg, -3),
		grads: arrays{"x": vec(-1, 1, neg, -1), "s": vec(0, 0, 0, 0)}}})
}

func gammaRow(t *testing.T) {
	hold(t, []expected{
		{name: "lgamma", call: shownOf("log_factorial", 0, neg, -1, -7), y: vec(inf, inf, inf, inf)},
		{name: "digamma", call: shownOf("psi", 0, neg, -1, -7), y: vec(-inf, inf, nan, nan), grads: arrays{"x": vec(inf, inf, inf, inf)}},
	})
}

func atan2Row(t *testing.T) {
	hold(t, []expected{{name: "atan2", call: shown("angle", arrays{"z": vec(0, 0), "x": vec(0, 2)}), y: vec(0, 0),
		grads: arrays{"z": vec(nan, 0.5), "x": vec(nan, neg)}, near: 1}})
}

// Numbers don't depend on how many are drawn, on the dtype or on the backend, and two calls in one formula draw their own.
func randomRow(t *testing.T) {
	const n = 1000
	draw := func(t *testing.T, b backend, n int, seed float64) arrays {
		c := shown("noise", arrays{"x": filled(1, n)}, number("seed", seed))
		out, err := b.forward(c)
		if portable(t, b, c, err) {
			return nil
		}
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	everywhere(t, func(t *testing.T, b backend) {
		out := draw(t, b, n, 5)
		if out == nil {
			return
		}
		want, ones := draw(t, evaluator("f64"), n, 5), filled(1, n)
		equal, mean := 0, 0.0
		for i, a := range out["y"].Data {
			if math.Abs(a-want["y"].Data[i]) > 0x1p-24 {
				t.Fatalf("number %d is %v, want %v", i, a, want["y"].Data[i])
			}
			if mean += a / n; a < 0 || a >= 1 {
				t.Errorf("number %d is %v", i, a)
			}
			if a == out["z"].Data[i] {
				equal++
			}
		}
		if equal > n/100 || math.Abs(mean-0.5) > 0.05 {
			t.Errorf("%d of %d numbers of two calls are equal, the mean is %v", equal, n, mean)
		}
		same(t, "fewer", draw(t, b, 7, 5)["y"], vec(out["y"].Data[:7]...), bits)
		if other := draw(t, b, n, 6); other["y"].Data[0] == out["y"].Data[0] && other["y"].Data[1] == out["y"].Data[1] {
			t.Error("two seeds give the same numbers")
		}
		c := shown("noise", arrays{"x": ones}, number("seed", 5))
		grads, err := b.gradient(c, ones)
		if portable(t, b, c, err) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		same(t, "derivative by x: the numbers that the call drew", grads["x"], out["y"], bits)
	})
}

func prodRow(t *testing.T) {
	products := func(x ...float64) *call { return shown("product", arrays{"x": rowOf(x...)}) }
	hold(t, []expected{
		{name: "one zero", call: products(2, 0, 3, 4), y: vec(0), grads: arrays{"x": rowOf(0, 24, 0, 0)}},
		{name: "two zeros", call: products(0, 0, 5), y: vec(0), grads: arrays{"x": rowOf(0, 0, 0)}},
		{name: "no zero", call: products(2, 3, 4), y: vec(24), grads: arrays{"x": rowOf(12, 8, 6)}},
		{name: "running", call: shown("running_product", arrays{"x": rowOf(2, 0, 3, 4)}), y: rowOf(2, 0, 0, 0),
			grads: arrays{"x": rowOf(1, 2*(1+3+3*4), 0, 0)}},
	})
}

func emptyReductionsRow(t *testing.T) {
	nothing, none := ir.NewArray(2, 0), ir.NewArray(0, 0)
	hold(t, []expected{
		{name: "moments", call: shown("moments", arrays{"x": nothing}),
			out: arrays{"sums": vec(0, 0), "products": vec(1, 1), "means": vec(nan, nan), "logs": vec(-inf, -inf), "norms": vec(0, 0)}},
		{name: "tests", call: shown("tests", arrays{"x": nothing}), out: arrays{"some": vec(0, 0), "every": vec(1, 1)}},
		{name: "max", call: shown("top", arrays{"x": nothing}), fails: "max"},
		{name: "min", call: shown("bottom", arrays{"x": nothing}), fails: "min"},
		{name: "argmax", call: shown("first", arrays{"x": nothing}), fails: "at"},
		{name: "argmin", call: shown("first_least", arrays{"x": nothing}), fails: "at"},
		{name: "no rows", call: shown("top", arrays{"x": none}), y: vec(), grads: arrays{"x": none}},
		{name: "no rows, argmax", call: shown("first", arrays{"x": none}), y: vec(), out: arrays{"at": vec()}},
	})
}

func signedZeroRow(t *testing.T) {
	hold(t, []expected{
		{name: "-0.0", call: shownOf("inverse_of_zero", 1, -1), y: vec(inf, -inf)}, // exact numbers have one zero
		{name: "a negative zero", call: shownOf("inverse_of_negative_zero", 1, -1), y: vec(-inf, inf)},
		{name: "sum", call: shown("stored", arrays{"x": vec(neg, neg, 1), "z": vec(neg, 0, -1)}), y: vec(neg, 0, 0)},
		{name: "%", call: op("faults.floored", arrays{"a": vec(-1, 2), "b": vec(1, -1)}), y: vec(0, neg)},
		{name: "rem", call: op("faults.truncated", arrays{"a": vec(-1, 2), "b": vec(1, -1)}), y: vec(neg, 0)},
	})
}

// The product is not in float32: as it is rounded, the sum is 1.2332485, else 1.2332486.
func roundingsRow(t *testing.T) {
	in := arrays{"x": vec(0.6046603, 0.1), "z": vec(0.9405091, 10), "a": vec(0.6645601, -1)}
	hold(t, []expected{
		{name: "x*z + a", call: shown("two_roundings", in), y: vec(float64(float32(1.2332485)), 0)},
		{name: "fma", call: shown("one_rounding", in), y: vec(float64(float32(1.2332486)), 0x1p-26)},
	}, "f32")
	hold(t, []expected{
		{name: "x*z + a", call: shown("two_roundings", in), y: vec(0.6046603*float64(0.9405091)+0.6645601, 0), near: 1},
		{name: "fma", call: shown("one_rounding", arrays{"x": vec(0.1), "z": vec(10), "a": vec(-1)}), y: vec(0x1p-54)},
	}, "f64")
}

// divisionsRow has the quotients themselves; divisionRow those in losses.
func divisionsRow(t *testing.T) {
	t.Run("losses", divisionRow)
	t.Run("betas", tinyBetas)
	hold(t, []expected{
		{name: "by a subnormal", call: shown("quotient", arrays{"x": vec(0x1p-130, -0x1p-131), "d": scalar(0x1p-129)}), y: vec(0.5, -0.25)},
		{name: "of a large number", call: shown("quotient", arrays{"x": vec(0x1p127), "d": scalar(0x1p127)}), y: vec(1)},
		{name: "by zero", call: shown("quotient", arrays{"x": vec(1, -1, 0, nan), "d": scalar(0)}), y: vec(inf, -inf, nan, nan)},
		{name: "by infinity", call: shown("quotient", arrays{"x": vec(1, inf), "d": scalar(inf)}), y: vec(0, nan)},
	}, "f32")
}

func indicesRows(t *testing.T) {
	t.Run("message", indexError)
	indicesRow(t)
}

// The chain rule has 0·Inf and Inf - Inf here.
func infiniteTimesZeroRow(t *testing.T) {
	two := ir.ExampleAttr{Name: "correction", Number: 2}
	hold(t, []expected{
		{name: "0/x", call: shownOf("nothing_over", 0, 1, inf, nan), y: vec(nan, 0, 0, nan), grads: arrays{"x": vec(0, 0, 0, 0)}},
		{name: "variance over its correction", call: shown("corrected", arrays{"x": rowOf(1, 3)}, two), y: vec(inf), grads: arrays{"x": rowOf(-inf, inf)}},
		{name: "variance of equal numbers", call: shown("corrected", arrays{"x": rowOf(3, 3)}, two), y: vec(nan), grads: arrays{"x": rowOf(nan, nan)}},
		{name: "variance of one number", call: shown("corrected", arrays{"x": rowOf(3)}), y: vec(nan), grads: arrays{"x": rowOf(nan)}},
	}, "f32", "f64", "f16")
}

// The other outputs have no cotangent: nothing depends on them.
func unaskedRow(t *testing.T) {
	x := vec(1000, inf, 0, -inf)
	hold(t, []expected{
		{name: "element by element", call: shown("unasked", arrays{"x": x}), y: vec(2000, inf, 0, -inf), grads: arrays{"x": vec(2, 2, 2, 2)}},
		{name: "by hand", call: shown("unasked_by_hand", arrays{"x": x}), y: vec(3000, inf, 0, -inf), grads: arrays{"x": vec(3, 3, 3, 3)}},
		{name: "reductions", call: shown("unasked_total", arrays{"x": vec(1000, 2), "w": vec(2, 0)}), y: scalar(2000), cotangent: scalar(3),
			grads: arrays{"x": vec(6, 0), "w": vec(3000, 6)}},
	})
}

// A batch of nothing says nothing of a mean: running statistics stay what they are. One of one element is an error.
func emptyBatchRow(t *testing.T) {
	inputs := func(x *ir.Array) arrays {
		return arrays{"x": x, "running_mean": vec(1, 2), "running_var": vec(3, 4), "weight": vec(2, 2)}
	}
	training := []ir.ExampleAttr{word("training", "true")}
	kept := func(t *testing.T, b backend, c *call) {
		x := c.inputs["x"]
		name := fmt.Sprint(c.op, x.Shape)
		out, grads := run(t, name, b, c, x)
		same(t, name, out["y"], x, bits)
		same(t, name+": gradient of weight", grads["weight"], vec(0, 0), bits)
		for _, s := range []string{"running_mean", "running_var"} {
			if y := out[s+"'"]; y != nil { // else it isn't renewed
				same(t, name+": "+s, y, c.inputs[s], bits)
			}
		}
	}
	everywhere(t, func(t *testing.T, b backend) {
		for _, shape := range [][]int{{0, 2}, {3, 2, 0}, {0, 2, 4}} {
			kept(t, b, &call{op: "norm.batch_norm", inputs: inputs(ir.NewArray(shape...)), attrs: training})
		}
	})
	one := &call{op: "norm.batch_norm", inputs: inputs(rowOf(1, 2)), attrs: training}
	for _, b := range append(paths("f32"), evaluator("f32")) { // the derivative of instance_norm is a portable function
		for _, shape := range [][]int{{0, 2, 2}, {3, 2, 0}} {
			kept(t, b, &call{op: "norm.instance_norm", inputs: inputs(ir.NewArray(shape...))})
		}
		if _, err := b.forward(one); err == nil {
			t.Errorf("%s: one element for each channel is no error", b.name)
		}
	}
}
