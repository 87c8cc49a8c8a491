package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
)

// optimGoldens is what PyTorch's optimizers and functions that clip gradients give.
type optimGoldens struct {
	Runs []struct {
		Op    string
		Attrs map[string]any
		Start []float64
		Grads [][]float64
		Steps []struct {
			P     []float64
			State map[string]any
		}
	}
	Clips []struct {
		Op, Attr      string
		Value         float64
		Before, After [][]float64
	}
}

func readOptimGoldens(t *testing.T) (g optimGoldens, ops func(name string) *ir.OpDecl) {
	t.Helper()
	data, err := os.ReadFile("testdata/torch/optim.json")
	if err == nil {
		err = json.Unmarshal(data, &g)
	}
	if err != nil {
		t.Fatal(err)
	}
	return g, func(name string) *ir.OpDecl {
		_, op, err := findOp("optim." + name)
		if err != nil {
			t.Fatal(err)
		}
		return op
	}
}

// nearOptim is a tolerance of numbers that differ by the order of roundings alone.
var nearOptim = within(1e-13, 1e-13)

// TestTorchOptimizers holds eight steps of each optimizer of the specs that PyTorch has to its parameters and states, on the
// evaluator. What is generated of them is held to the same beside the generator.
func TestTorchOptimizers(t *testing.T) {
	goldens, ops := readOptimGoldens(t)
	seen := map[string]bool{}
	for i, run := range goldens.Runs {
		seen[run.Op] = true
		t.Run(fmt.Sprint(run.Op, i), func(t *testing.T) {
			op := ops(run.Op)
			var attrs []ir.ExampleAttr
			for _, name := range slices.Sorted(maps.Keys(run.Attrs)) {
				if b, ok := run.Attrs[name].(bool); ok {
					attrs = append(attrs, ir.ExampleAttr{Name: name, Word: fmt.Sprint(b)})
				} else {
					attrs = append(attrs, ir.ExampleAttr{Name: name, Number: run.Attrs[name].(float64)})
				}
			}
			state := map[string]*ir.Array{"p": vec(run.Start...)}
			for k, want := range run.Steps {
				state["g"] = vec(run.Grads[k]...)
				out, err := ir.EvalOp(op, state, append(attrs, ir.ExampleAttr{Name: "step", Number: float64(k + 1)}), nil)
				if err != nil {
					t.Fatal(err)
				}
				state = map[string]*ir.Array{}
				for name, a := range out {
					state[name[:len(name)-1]] = a // without its prime
				}
				same(t, fmt.Sprintf("p of step %d", k+1), state["p"], vec(want.P...), nearOptim)
				for name, v := range want.State {
					if list, ok := v.([]any); ok {
						var x []float64
						for _, e := range list {
							x = append(x, e.(float64))
						}
						same(t, fmt.Sprintf("%s of step %d", name, k+1), state[name], vec(x...), nearOptim)
					} else {
						same(t, fmt.Sprintf("%s of step %d", name, k+1), state[name], &ir.Array{Shape: state[name].Shape, Data: []float64{v.(float64)}}, nearOptim)
					}
				}
			}
		})
	}
	for _, op := range []string{"sgd", "adam", "adamax", "nadam", "radam", "rmsprop", "adagrad", "adadelta"} {
		if !seen[op] {
			t.Errorf("%s isn't tested", op)
		}
	}
}

// TestTorchClipping holds gradients that are clipped in one call to PyTorch's.
func TestTorchClipping(t *testing.T) {
	goldens, ops := readOptimGoldens(t)
	for _, c := range goldens.Clips {
		var inputs []map[string]*ir.Array
		var attrs [][]ir.ExampleAttr
		for _, g := range c.Before {
			inputs = append(inputs, map[string]*ir.Array{"g": vec(g...)})
			attrs = append(attrs, []ir.ExampleAttr{{Name: c.Attr, Number: c.Value}})
		}
		out, err := ir.EvalCalls(ops(c.Op), inputs, attrs, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range out {
			same(t, fmt.Sprintf("%s to %v, tensor %d", c.Op, c.Value, i), out[i]["g'"], vec(c.After[i]...), nearOptim)
		}
	}
}
