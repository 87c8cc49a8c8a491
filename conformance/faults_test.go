package conformance

import (
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/codegen/emit/cuda/shimtest"
	"github.com/opgen/opgen/codegen/ir"
)

// The tests of faults are named after the identifiers of a list of faults that users of other libraries reported. Each has the right
// value, computed apart from any library.

func op(name string, inputs arrays) *call { return &call{op: name, inputs: inputs} }

func of(name string, x ...float64) *call { return op(name, arrays{"x": vec(x...)}) }

// faultCases are those that one call shows. Where only one dtype can show a fault, single or double holds it.
var faultCases, singleFaults, doubleFaults = []expected{
	// Formulas that overflow where the value doesn't.
	{name: "S1", call: op("faults.bce", arrays{"x": vec(100, -100), "t": vec(0, 1)}), y: vec(100, 100), grads: arrays{"x": vec(1, -1)}},
	{name: "S3", call: of("faults.logsig", -300, 300), grads: arrays{"x": vec(1, math.Exp(-300))}, near: 2},
	{name: "S5", call: of("faults.soft", 90), y: vec(90), cotangent: vec(2), grads: arrays{"x": vec(2)}},
	{name: "W1", call: of("faults.where_exp", 100, -1), y: vec(101, math.Exp(-1)), grads: arrays{"x": vec(1, math.Exp(-1))}, near: 2},
	{name: "W3", call: of("faults.elu", 100), y: vec(100), grads: arrays{"x": vec(1)}},

	// Differences of large numbers.
	{name: "V1", call: layerNorm(array([]int{1, 4}, 40000, 40001, 40002, 40003)),
		y: array([]int{1, 4}, -1.341635419968927, -0.447211806656309, 0.447211806656309, 1.341635419968927), near: 16},

	// NaN and infinities.
	{name: "N1 relu", call: relu(vec(nan)), y: vec(nan)},
	{name: "N1 max", call: of("faults.clamp_low", nan), y: vec(nan)},
	{name: "N1 clamp", call: of("faults.clip", nan), y: vec(nan)},
	{name: "N3 masked", call: softmax(vec(-inf, -inf, -inf), 0), y: vec(nan, nan, nan)},
	{name: "N3 NaN", call: softmax(vec(nan, 0), 0), y: vec(nan, nan)},
	{name: "N6", call: of("faults.no_nan", nan, 2), y: vec(0, 2), grads: arrays{"x": vec(0, 1)}},

	// Gradients at ties and kinks.
	{name: "T1 max", call: op("faults.row_max", arrays{"x": array([]int{1, 2}, 1, 1)}), y: vec(1), grads: arrays{"x": array([]int{1, 2}, 0.5, 0.5)}},
	{name: "T1 min", call: op("faults.row_min", arrays{"x": array([]int{1, 4}, 1, 1, 2, 3)}), y: vec(1), grads: arrays{"x": array([]int{1, 4}, 0.5, 0.5, 0, 0)}},
	{name: "T3", call: op("faults.larger", arrays{"a": vec(2, 1), "b": vec(2, 3)}), y: vec(2, 3), grads: arrays{"a": vec(0.5, 0), "b": vec(0.5, 1)}},
	{name: "K1 relu", call: relu(vec(0)), grads: arrays{"x": vec(0)}},
	{name: "K1 clamp", call: of("faults.clip", -1, 1, 0.5), y: vec(-1, 1, 0.5), grads: arrays{"x": vec(0, 0, 1)}},
	{name: "K3 norm", call: op("faults.length", arrays{"x": array([]int{2, 2}, 0, 0, 3, 4)}), y: vec(0, 5), grads: arrays{"x": array([]int{2, 2}, 0, 0, 0.6, 0.8)}, near: 4},
	{name: "K3 sqrt", call: of("faults.root", 0, 4), y: vec(0, 2), grads: arrays{"x": vec(inf, 0.25)}},
	{name: "PW3", call: of("faults.power", 0, 3), y: vec(1, 1), grads: arrays{"x": vec(0, 0)}},
	{name: "LS1", call: smoothL1(vec(0, -2, 3), vec(0, 0, 0), 0, "none"), y: vec(0, 2, 3), grads: arrays{"x": vec(0, -1, 1)}},

	// Broadcasting.
	{name: "B1", call: mse(vec(2), array([]int{2, 2}, 1, 2, 3, 4), "sum"), y: scalar(6), grads: arrays{"x": vec(-4), "t": array([]int{2, 2}, -2, neg, 2, 4)}},
	{name: "E3", call: mse(ir.NewArray(1, 3840), ir.NewArray(0, 3840), "none"), y: ir.NewArray(0, 3840), grads: arrays{"x": ir.NewArray(1, 3840)}},

	// Empty and 0-d tensors.
	{name: "E1", call: relu(ir.NewArray(3, 0, 4)), y: ir.NewArray(3, 0, 4)},
	{name: "E1 of one axis", call: of("faults.half"), y: vec()},
	{name: "Z1", call: softmax(scalar(7), 0), y: scalar(1)},

	// Formulas that divide by the input, and powers.
	{name: "F1 one zero", call: product(2, 0, 3, 4), y: vec(0), grads: arrays{"x": array([]int{1, 4}, 0, 24, 0, 0)}},
	{name: "F1 first zero", call: product(0, 2, 3), y: vec(0), grads: arrays{"x": array([]int{1, 3}, 6, 0, 0)}},
	{name: "F1 two zeros", call: product(0, 0, 5), y: vec(0), grads: arrays{"x": array([]int{1, 3}, 0, 0, 0)}},
	{name: "PW1", call: op("faults.power_of", arrays{"a": vec(0, 2), "b": vec(1, 1)}), y: vec(0, 2), grads: arrays{"b": vec(0, 1.3862943611198906)}, near: 4},
	{name: "M1 floor", call: op("faults.floored", arrays{"a": vec(-6, 6, -7), "b": vec(5, -5, 3)}), y: vec(4, -4, 2)},
	{name: "M1 trunc", call: op("faults.truncated", arrays{"a": vec(-6, 6, -7), "b": vec(5, -5, 3)}), y: vec(-1, 1, -1)},
	{name: "D3", call: op("faults.floored", arrays{"a": vec(-1, 2), "b": vec(1, -1)}), y: vec(0, neg)},

	// Memory.
	{name: "ST1", call: op("faults.column_sums", arrays{"x": array([]int{2, 2}, 1, 3, 2, 4)}), y: vec(3, 7)},
	{name: "I3", call: softmax(ir.NewArray(98304, 1), 1), y: filled(1, 98304, 1)},

	// Losses with classes that are ignored, and weights.
	{name: "G1 mean", call: crossEntropy(array([]int{2, 2}, 1, 2, 3, 4), vec(-100, -100)), y: scalar(nan), grads: arrays{"x": ir.NewArray(2, 2)}},
	{name: "G1 sum", call: crossEntropy(array([]int{2, 2}, 1, 2, 3, 4), vec(-100, -100), word("reduction", "sum")), y: scalar(0), grads: arrays{"x": ir.NewArray(2, 2)}},
	{name: "G1 none", call: crossEntropy(array([]int{2, 2}, 1, 2, 3, 4), vec(-100, -100), word("reduction", "none")), y: vec(0, 0), grads: arrays{"x": ir.NewArray(2, 2)}},
	{name: "G5 none", call: weighted("none"), y: vec(5.63898637, 4.95932424), near: 1e-8 / 0x1p-53},
	{name: "G5 sum", call: weighted("sum"), y: scalar(10.5983106), near: 1e-8 / 0x1p-53},
	{name: "G5 mean", call: weighted("mean"), y: scalar(1.05983106), near: 1e-8 / 0x1p-53},
	{name: "U1", call: op("faults.wide", arrays{"x": array([]int{3, 4}, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), "t": vec(1, 1, 3)}), y: vec(1, 5, 11),
		grads: arrays{"x": array([]int{3, 4}, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1)}},

	{name: "U1 scatter", call: op("faults.take", arrays{"x": vec(5, 6, 7, 8), "t": vec(1, 1, 3)}), y: vec(6, 6, 8), grads: arrays{"x": vec(0, 2, 0, 1)}},

	// Constants and what a generator makes of them.
	{name: "CG5", call: of("faults.third", 3), y: vec(1.5), near: 1},
	{name: "CG3 input not used", call: op("faults.unused", arrays{"x": vec(1), "z": vec(2)}), y: vec(3), grads: arrays{"x": vec(1), "z": vec(0)}},
	{name: "CG3 constant derivative", call: of("faults.constant", 5), y: vec(3), grads: arrays{"x": vec(0)}},
	{name: "GC3", call: of("faults.square2", 3), y: vec(36), grads: arrays{"x": vec(24)}},
	{name: "G19", call: of("faults.tangent", 0, 3), y: vec(0, 0.9950547536867305), near: 3},
}, []expected{
	{name: "S1", call: op("faults.bce", arrays{"x": vec(-100), "t": vec(0)}), y: vec(0x1.bp-145), grads: arrays{"x": vec(0x1.bp-145)}},
	{name: "D1", call: of("faults.half", 0x1p-126), y: vec(0x1p-127)},
	{name: "division by a subnormal", call: op("faults.ratio", arrays{"x": vec(0x1p-130, -0x1p-131), "d": scalar(0x1p-129)}), y: vec(0.5, -0.25)},
	{name: "division of a subnormal by a large number", call: op("faults.ratio", arrays{"x": vec(0x1p127), "d": scalar(0x1p127)}), y: vec(1)},
	{name: "G13", call: linear(array([]int{1, 1}, 0.6046603), array([]int{1, 1}, 0.9405091), vec(0.6645601)), y: array([]int{1, 1}, 1.2332485)},
	{name: "D6 small", call: of("faults.tiny", 1), y: vec(0)},
	{name: "S3 value", call: of("faults.logsig", -300, 300), y: vec(-300, neg)},
}, []expected{
	{name: "S1", call: op("faults.bce", arrays{"x": vec(-100), "t": vec(0)}), y: vec(3.720075976020836e-44), grads: arrays{"x": vec(3.720075976020836e-44)}, near: 4},
	{name: "division by a subnormal", call: op("faults.ratio", arrays{"x": vec(0x1p-1060), "d": scalar(0x1p-1059)}), y: vec(0.5)},
	{name: "D6 small", call: of("faults.tiny", 1), y: vec(1e-50)},
	{name: "S3 value", call: of("faults.logsig", -300, 300), y: vec(-300, -5.148200222412013e-131), near: 4},
}

func filled(x float64, shape ...int) *ir.Array {
	a := ir.NewArray(shape...)
	for i := range a.Data {
		a.Data[i] = x
	}
	return a
}

func product(x ...float64) *call {
	return op("faults.product", arrays{"x": array([]int{1, len(x)}, x...)})
}

// weighted is the loss of G5: the mean divides by the sum of the weights.
func weighted(how string) *call {
	c := crossEntropy(array([]int{2, 3}, 0.2, 0.3, 0.5, 0.5, 0.2, 0.3), vec(2, 1), word("reduction", how))
	c.inputs["weight"] = vec(2, 4, 6)
	return c
}

// TestFaults holds each case to its right value on every backend. Ops that no spec of the repository has are generated into a module
// of their own.
func TestFaults(t *testing.T) {
	for _, g := range faultGroups {
		hold(t, g.cases, g.dtypes...)
	}
}

// faultGroups are the cases by the dtypes that show them; none: f32 and f64.
var faultGroups = []struct {
	cases  []expected
	dtypes []string
}{
	{faultCases, nil}, {singleFaults, []string{"f32"}}, {doubleFaults, []string{"f64"}},
	{modelFaults, nil}, {preciseFaults, []string{"f64"}}, {halfFaults, []string{"f16"}}, {wholeFaults, []string{"i32"}},
}

// GC3: the second derivative of (2x)² is 8. K5: that of sin(πx)/(πx) at 0 is -π²/3.
func TestSecondDerivative(t *testing.T) {
	for _, c := range []struct {
		op      string
		x, want float64
	}{{"faults.square2", 3, 8}, {"faults.cardinal", 0, -math.Pi * math.Pi / 3}} {
		s := &sample{call: of(c.op, c.x), cotangent: vec(1), v: arrays{"x": vec(1)}, second: arrays{"x": vec(c.want)}}
		got, err := s.evalSecond()
		if err != nil {
			t.Fatal(err)
		}
		for simplified, g := range got {
			same(t, fmt.Sprint(c.op, ", simplified: ", simplified), g["x"], vec(c.want), within(0x1p-51, 0))
		}
	}
}

// CG1, CG3: names that are words of Go, C or CUDA C, or of generated code itself, and derivatives that use nothing, give code
// that compiles and vets on every target.
func TestGeneratedCodeCompiles(t *testing.T) {
	packages := []string{"conventions", "faults", "names"}
	var list []*codegen.Build
	for _, name := range packages {
		list = append(list, testBuild(t, name))
	}
	dir := module(t, list...)
	goCommand(t, dir, "vet", "./...")
	cxx, err := shimtest.Compiler()
	if err != nil {
		shimtest.Needed(t, err.Error())
	}
	shim, err := filepath.Abs("../codegen/emit/cuda/shim/cuda.h")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range packages {
		cu := filepath.Join(dir, name, name+"cuda", name+"_gen.cu")
		out, err := exec.Command(cxx, "-std=c++17", "-fsyntax-only", "-include", shim, "-x", "c++", cu).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%.4000s", filepath.Base(cu), err, out)
		}
	}
}
