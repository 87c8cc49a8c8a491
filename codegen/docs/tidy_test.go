package docs

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen/check"
	"github.com/opgen/opgen/codegen/grad"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/pass"
	"github.com/opgen/opgen/dsl"
)

// TestTidy compares derivatives as they are shown with those that they are of, at points with zeros and equal numbers, and wants them shorter.
func TestTidy(t *testing.T) {
	for _, text := range []string{
		"(x: T[N]) -> (y: T[N]) { y = if isnan(x) then x else if x > 0 then -x*log(x) else if x == 0 then 0 else -x }",
		"(x: T[N]) -> (y: T[N]) { y[t] = prod[s in 0..=t](x[s]) }",
		"(x: T[N]) -> (y: T[N]) { y = xlogy(x, x) - 2*x }",
		"(x: T[N]) -> (y: T[N]) { y = if x > 0 then (if x > 1 then x^2 else x) else 0 }",
		"(x: T[N]) -> (y: T[N]) { y[t] = x[t]*(y[t - 1] ?? 1) + (x[t + 1] ?? 0) }",
	} {
		f, diags := dsl.Parse("p.op", []byte("package p\nop f[T: float]"+text))
		if err := diags.Err(); err != nil {
			t.Fatal(err)
		}
		p, diags := check.Package([]*dsl.File{f})
		if err := diags.Err(); err != nil {
			t.Fatal(err)
		}
		inputs := map[string]*ir.Array{"x": {Shape: []int{6}, Data: make([]float64, 6)}}
		b, err := ir.Bind(p.Ops[0], ir.ShapesOf(inputs), nil)
		if err != nil {
			t.Fatal(err)
		}
		back, err := grad.Reverse(b.Func)
		if err == nil {
			back, err = pass.Run(back, "")
		}
		if err != nil {
			t.Fatal(err)
		}
		tidied := *back
		tidied.Defs = nil
		for _, d := range back.Defs {
			tidied.Defs = append(tidied.Defs, tidy(d))
		}
		if strings.Count(tidied.String(), "if ") > strings.Count(back.String(), "if ") {
			t.Errorf("%s: more choices than before:\n%v\n%v", text, back, &tidied)
		}
		r := rand.New(rand.NewPCG(1, 2))
		for range 50 {
			x, c := inputs["x"].Data, make([]float64, 6)
			for i := range x {
				x[i], c[i] = []float64{0, 1, -1, 0.5, 2, r.NormFloat64()}[r.IntN(6)], r.NormFloat64()
			}
			y := map[string]*ir.Array{"y": {Shape: []int{6}, Data: c}}
			want, err := grad.EvalBackward(b, back, inputs, y, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := grad.EvalBackward(b, &tidied, inputs, y, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i, w := range want["x"].Data {
				if g := got["x"].Data[i]; !(g == w || g != g && w != w || math.Abs(g-w) <= 1e-13*(1+math.Abs(w))) {
					t.Errorf("%s at %v: %v, want %v\n%v", text, x, g, w, &tidied)
				}
			}
		}
	}
}
