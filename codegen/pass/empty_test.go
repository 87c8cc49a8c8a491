package pass

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"testing"

	"github.com/opgen/opgen/codegen/grad"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/ir/irtest"
	"github.com/opgen/opgen/internal/specs"
)

// Simplified functions and gradients are right where axes are empty: the values are those of the functions as they were
// written and derived, NaN for NaN, and so are the calls that fail.
func TestEmptyCalls(t *testing.T) {
	calls, grads := 0, 0
	for _, op := range specs.Ops(t) {
		made := map[*ir.Func][3]*ir.Func{} // of a variant: simplified, backward, and that simplified
		h := fnv.New64()
		h.Write([]byte(op.Package + "." + op.Name))
		r := rand.New(rand.NewPCG(h.Sum64(), 2))
		for range 25 {
			call := irtest.RandomCall(r, op, irtest.Numbers{Lo: -1.5, Hi: 1.5, Empty: true})
			b, err := ir.Bind(op, ir.ShapesOf(call.Inputs), call.Attrs)
			if err != nil {
				continue
			}
			in, err := b.Binding(call.Inputs, nil)
			if err != nil {
				continue
			}
			name := fmt.Sprintf("%s.%s %v %v", op.Package, op.Name, ir.ShapesOf(call.Inputs), call.Attrs)
			f := made[b.Func]
			if f[0] == nil {
				f[0] = simplified(t, b.Func)
				if f[1], err = grad.Reverse(b.Func); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				f[2] = simplified(t, f[1])
				made[b.Func] = f
			}
			out := checkPasses(t, name, b.Func, f[0], in)
			if out == nil {
				continue
			}
			calls++
			in = irtest.WithOutputs(t, b.Func, in)
			irtest.Cotangents(f[1], in, 3)
			if len(f[1].Outputs) == 0 {
				continue
			}
			g := checkPasses(t, name+": gradient", f[1], f[2], in)
			if g == nil {
				continue
			}
			grads++
			if empty(out) && !allZero(g) {
				t.Errorf("%s: nothing depends on the inputs, and the gradients are %v", name, g)
			}
		}
	}
	t.Logf("%d calls and %d gradients", calls, grads)
	if calls < 500 || grads < 300 {
		t.Errorf("only %d calls and %d gradients were right", calls, grads)
	}
}

func simplified(t *testing.T, f *ir.Func) *ir.Func {
	t.Helper()
	simple, err := Run(f, "")
	if err != nil {
		t.Fatalf("%v\n%v", err, f)
	}
	return simple
}

// empty tells whether no array has an element.
func empty(arrays map[*ir.Tensor]*ir.Array) bool {
	for _, a := range arrays {
		if len(a.Data) > 0 {
			return false
		}
	}
	return true
}

func allZero(arrays map[*ir.Tensor]*ir.Array) bool {
	for _, a := range arrays {
		for _, x := range a.Data {
			if x != 0 {
				return false
			}
		}
	}
	return true
}

// checkPasses checks that a function gives the same before and after simplification; nil: an error both times.
func checkPasses(t *testing.T, name string, f, simple *ir.Func, in ir.Binding) map[*ir.Tensor]*ir.Array {
	t.Helper()
	want, errWant := ir.Eval(f, in)
	_, errGot := ir.Eval(simple, in)
	if (errWant == nil) != (errGot == nil) {
		t.Errorf("%s: before: %v, after: %v\n%v\n%v", name, errWant, errGot, f, simple)
	}
	if errWant != nil || errGot != nil {
		return nil
	}
	irtest.CheckSame(t, f, simple, in, 1e-9)
	return want
}

// A mean over no elements is NaN, and what it hands on to its elements is nothing: 0, also where a quotient by their number leaves the sum.
func TestMeanOfNothing(t *testing.T) {
	f, err := ir.Parse(`func p.f
  dtype T: f64
  in x: T[N]
  in w: T[]
  sum[] += w[] * w[]   for n in N
  y[] = sum[] / T(|N|)
  z[] = w[] * w[]
  out y: T[]
  out z: T[]
`)
	if err != nil {
		t.Fatal(err)
	}
	back, err := Derivative(f)
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range []float64{2 * 3 * 5, 2 * 3 * (5 + 7)} {
		in := ir.Binding{Extents: map[*ir.Axis]int{f.Axes[0]: n}, Arrays: map[*ir.Tensor]*ir.Array{f.Inputs[0]: ir.NewArray(n), f.Inputs[1]: {Shape: []int{}, Data: []float64{3}}}}
		in = irtest.WithOutputs(t, f, in)
		for i, c := range []float64{7, 5} {
			for _, u := range back.Inputs {
				if u.Role == ir.Cotangent && u.Of == f.Outputs[i] {
					in.Arrays[u] = &ir.Array{Shape: []int{}, Data: []float64{c}}
				}
			}
		}
		out, err := ir.Eval(back, in)
		if err != nil {
			t.Fatal(err)
		}
		for g, a := range out {
			if len(g.Axes) == 0 && a.Data[0] != want {
				t.Errorf("N = %d: the gradient of w is %v, want %v\n%v", n, a.Data, want, back)
			}
		}
	}
}
