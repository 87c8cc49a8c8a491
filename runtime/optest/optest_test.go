package optest

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/opgen/opgen/runtime"
)

// pair is an op by hand: a is 2x, b is x^2, both for x at an index; its derivative of b is wrong by a factor where bad is set.
func pair(bad bool) *runtime.Op {
	sig := &runtime.Signature{Op: "optest.pair", Vars: []runtime.Var{{Name: "T", DTypes: runtime.Floats}, {Name: "I", DTypes: runtime.Ints}},
		Params: []runtime.Param{{Name: "x", Dims: []runtime.Dim{{Axis: 0}}}, {Name: "i", Elem: runtime.Elem{Var: 1}}}}
	return &runtime.Op{Path: "optest", Name: "pair", Signature: sig, Invoke: func(in []*runtime.Tensor, _ map[string]any) ([]*runtime.Tensor, error) {
		at, err := in[1].Item()
		if err != nil {
			return nil, err
		}
		x, err := in[0].At(int(at))
		if err != nil {
			return nil, err
		}
		a, err := runtime.New(in[0].DType(), 1)
		if err != nil {
			return nil, err
		}
		b := a.Clone()
		if err := a.Fill(2 * x); err != nil {
			return nil, err
		}
		if err := b.Fill(x * x); err != nil {
			return nil, err
		}
		if in[0].RequiresGrad() {
			runtime.Record("optest.pair", []*runtime.Tensor{a, b}, in, nil, func(back *runtime.Backprop) error {
				da, err := back.Cotangent(0).At(0)
				if err != nil {
					return err
				}
				db, err := back.Cotangent(1).At(0)
				if err != nil {
					return err
				}
				if bad {
					db *= 1.001
				}
				g, err := back.Grad(0).Slice(0, int(at), int(at)+1, 1)
				if err != nil {
					return err
				}
				return g.Fill(2*da + 2*x*db)
			})
		}
		return []*runtime.Tensor{a, b}, nil
	}}
}

var pairExample = Example{Inputs: []Value{{Shape: []int{2}, Data: []float64{1, 3}}, {Data: []float64{1}}},
	Outputs: []Value{{Shape: []int{1}, Data: []float64{6}}, {Shape: []int{1}, Data: []float64{9}}}}

// TestPair runs all checks on an op with two outputs and an index.
func TestPair(t *testing.T) {
	o := pair(false)
	runtime.Register(o)
	var names []string
	for _, d := range choices(o) {
		names = append(names, d.String())
		t.Run(d.String(), func(t *testing.T) { example(t, o, pairExample, d) })
	}
	if got := strings.Join(names, ", "); got != "f32 i32, f32 i64, f64 i32, f64 i64" {
		t.Errorf("dtypes: %s", got)
	}
	Run(t, "optest.pair", pairExample)
}

// TestCompare checks that shapes count, not only numbers.
func TestCompare(t *testing.T) {
	d := dtypes{runtime.F64, runtime.NoDType}
	x := runtime.Must(runtime.FromSlice([]float64{1, 2}, 2, 1))
	for _, c := range []struct {
		want Value
		ok   bool
	}{
		{Value{Shape: []int{2, 1}, Data: []float64{1, 2}}, true},
		{Value{}, true}, // not compared
		{Value{Shape: []int{1, 2}, Data: []float64{1, 2}}, false},
		{Value{Shape: []int{2}, Data: []float64{1, 2}}, false},
		{Value{Shape: []int{2, 1}, Data: []float64{1, 2.1}}, false},
	} {
		if err := compare(x, c.want, d); (err == nil) != c.ok {
			t.Errorf("%v: %v", c.want, err)
		}
	}
}

// wrong names, in the environment, the check that TestWrong runs in a process of its own, where it must fail.
const wrong = "OPTEST_WRONG"

// TestWrong checks that faults are found: also in the second output, and in what an input holds after the call.
func TestWrong(t *testing.T) {
	faults := map[string]func(t *testing.T){
		"gradient of the second output": func(t *testing.T) { gradient(t, pair(true), pairExample, dtypes{runtime.F64, runtime.I32}) },
		"shape": func(t *testing.T) {
			e := pairExample
			e.Outputs = []Value{{Data: []float64{6}}}
			example(t, pair(false), e, dtypes{runtime.F32, runtime.I64})
		},
		"after": func(t *testing.T) {
			e := pairExample
			e.After = []Value{{Shape: []int{2}, Data: []float64{1, 4}}}
			example(t, pair(false), e, dtypes{runtime.F32, runtime.I64})
		},
	}
	if name := os.Getenv(wrong); name != "" {
		faults[name](t)
		return
	}
	for name := range faults {
		cmd := exec.Command(os.Args[0], "-test.run=^TestWrong$")
		cmd.Env = append(os.Environ(), wrong+"="+name)
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "--- FAIL: TestWrong") {
			t.Errorf("%s: not found: %v\n%s", name, err, out)
		}
	}
}

// TestPaths checks that OPGEN_CPU limits the paths.
func TestPaths(t *testing.T) {
	if os.Getenv(wrong) == "paths" {
		if p := Paths(); len(p) != 1 || p[0] != runtime.Generic {
			t.Errorf("paths %v", p)
		}
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestPaths$")
	cmd.Env = append(os.Environ(), wrong+"=paths", runtime.EnvCPU+"=generic")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s", out)
	}
}
