package prove_test

import (
	"testing"

	"github.com/opgen/opgen/codegen"
)

// TestHiddenMistakes puts mistakes where points drawn at random do not come: behind thresholds, in narrow bands, at one number, behind
// conditions on the cotangent, and in a variant that a number selects. Right formulas of the same kinds pass.
func TestHiddenMistakes(t *testing.T) {
	for _, c := range []struct{ op, right, wrong string }{
		{"(x: T[...B]) -> (y: T[...B]) { y = if x > 30 then x*x else x", "@y*(if x > 30 then 2*x else 1)", "@y*(if x > 30 then 3*x else 1)"},
		{"(x: T[...B]) -> (y: T[...B]) { y = if x < -1e6 then x*x else x", "@y*(if x < -1e6 then 2*x else 1)", "@y*(if x < -1e6 then 3*x else 1)"},
		{"(x: T[...B]) -> (y: T[...B]) { y = if x*x*x > 1000 then x*x else x", "@y*(if x*x*x > 1000 then 2*x else 1)", "@y*(if x*x*x > 1000 then 3*x else 1)"},
		{"(x: T[...B]; k: float = 100) -> (y: T[...B]) { y = if x > k && x < k + 0.001 then x*x else x",
			"@y*(if x > k && x < k + 0.001 then 2*x else 1)", "@y*(if x > k && x < k + 0.001 then 3*x else 1)"},
		{"(x: T[...B]) -> (y: T[...B]) { y = x*x", "@y*x + x*@y", "@y*2*x + (if x == 12345 then 1 else 0)"},
		{"(x: T[...B]) -> (y: T[...B]) { y = x*x", "if @y > 30 then @y*x + x*@y else @y*2*x", "if @y > 30 then @y*3*x else @y*2*x"},
		{"(x: T[...B, D]) -> (y: T[...B]) { let s = sum[D](x)\n    y = if s > 50 then 2*s else s", "@y*(if s > 50 then 2 else 1)", "@y*(if s > 50 then 3 else 1)"},
		{"(x: T[...B]; n: int = 3) -> (y: T[...B]) { y = x^2*n", "@y*2*x*(if n == 7 then 7 else n)", "@y*2*x*(if n == 7 then 8 else n)"},
		{"(x: T[...B]; n: int = 3) -> (y: T[...B]) { y = x^2*n", "@y*2*x*(if n == 7 then 7 else n)", "@y*2*x*(if n == 7 then n else 3)"},
		{"(x: T[...B]; k: float = 1) -> (y: T[...B]) { y = x*x", "@y*2*x*(if k > 250 then 1 else 1)", "@y*2*x*(if k > 250 then 2 else 1)"},
		{"(x: T[...B]; k: float = 1) -> (y: T[...B]) {\n    require k > 0 else \"k\"\n    y = x*x", "@y*2*x*(if k > 0 then 1 else 2)", "@y*2*x*(if k > 1 then 1 else 2)"},
		// A condition that has no value where a range is empty, since nothing asks for it there.
		{"(w: T[N], x: T[...B]) -> (z: T[N], y: T[...B]) {\n    z[n] = norm[k in 1..N](w + k) + n\n    y = x*x", "@y*2*x", "@y*3*x"},
		{"(x: T[...B]; k, n: int = 1) -> (y: T[...B]) { y = x*x", "@y*2*x*(if k == n then 1 else 1)", "@y*2*x*(if k == n then 1 else 2)"},
	} {
		for _, f := range []struct {
			formula string
			right   bool
		}{{c.right, true}, {c.wrong, false}} {
			text := "package p\n\nop f[T: float]" + c.op + "\n    grad x = " + f.formula + "\n}\n"
			b := codegen.New(codegen.Source{Dir: ".", ImportPath: "p", Files: []codegen.SourceFile{{Name: "f.op", Data: []byte(text)}}})
			if ok := b.Run("prove"); ok != f.right {
				t.Errorf("%s\naccepted = %v, want %v\n%s", text, ok, f.right, b.Diags.Format(nil))
			}
		}
	}
}
