package pass

import (
	"testing"

	"github.com/opgen/opgen/codegen/check"
	"github.com/opgen/opgen/codegen/grad"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

// TestFilteredSums takes factors out of sums that have no points at some elements: there the gradient is zero, although the factor
// is no number or is read out of range.
func TestFilteredSums(t *testing.T) {
	for _, c := range []struct {
		text  string
		x     *ir.Array
		y     *ir.Array // cotangent
		wants []float64
	}{
		// y[j] reads x[3 - j], so nothing reads the elements below 2.
		{"op f[T: float](x: T[N]) -> (y: T[N]) { y[j] = mean[k in N]((x[3 - j] ?? 1) + k) }",
			&ir.Array{Shape: []int{3}, Data: []float64{1, 2, 3}}, &ir.Array{Shape: []int{3}, Data: []float64{10, 20, 40}}, []float64{0, 40, 20}},
		{"op f[T: float](x: T[N]) -> (y: T[]) { y = if sum(x) > 0 then min[N where sum(x) > 0](sum(x)) else sum(x) }",
			&ir.Array{Shape: []int{2}, Data: []float64{-1, -2}}, &ir.Array{Shape: []int{}, Data: []float64{3}}, []float64{3, 3}},
		{"op f[T: float](x: T[N, K]; on: int = 0) -> (y: T[N]) { y = logsumexp[K where on > 0](x) }",
			&ir.Array{Shape: []int{1, 2}, Data: []float64{1, 2}}, &ir.Array{Shape: []int{1}, Data: []float64{1}}, []float64{0, 0}},
		// The condition goes over the reduced axis, and no point fulfils it: y is -inf, and the sum in it zero.
		{"op f[T: float](x: T[N, K]; on: int = 0) -> (y: T[N]) { y[n] = logsumexp[k in K where k < on](x[n, 1]) }",
			&ir.Array{Shape: []int{1, 2}, Data: []float64{1, 2}}, &ir.Array{Shape: []int{1}, Data: []float64{1}}, []float64{0, 0}},
		{"op f[T: float](x: T[N, K]; on: int = 0) -> (y: T[N]) { y[n] = logsumexp[k in 0..on](x[n, 1] - k) }",
			&ir.Array{Shape: []int{1, 2}, Data: []float64{1, 2}}, &ir.Array{Shape: []int{1}, Data: []float64{1}}, []float64{0, 0}},
	} {
		f, diags := dsl.Parse("p.op", []byte("package p\n"+c.text))
		if err := diags.Err(); err != nil {
			t.Fatal(err)
		}
		p, diags := check.Package([]*dsl.File{f})
		if err := diags.Err(); err != nil {
			t.Fatal(err)
		}
		inputs := map[string]*ir.Array{"x": c.x}
		b, err := ir.Bind(p.Ops[0], ir.ShapesOf(inputs), nil)
		if err != nil {
			t.Fatal(err)
		}
		back, err := grad.Reverse(b.Func)
		if err != nil {
			t.Fatal(err)
		}
		simple, err := Run(back, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range []*ir.Func{back, simple} {
			got, err := grad.EvalBackward(b, g, inputs, map[string]*ir.Array{"y": c.y}, nil)
			if err != nil {
				t.Errorf("%s: %v\n%v", c.text, err, g)
				continue
			}
			for i, w := range c.wants {
				if x := got["x"].Data[i]; x != w {
					t.Errorf("%s: gradient %v, want %v\n%v", c.text, got["x"].Data, c.wants, g)
					break
				}
			}
		}
	}
}
