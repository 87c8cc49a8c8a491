package lint_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/opgen/opgen/codegen/check"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/lint"
)

// shapes are formulas with A and B in the place of others; half of them are such as rules look for.
var shapes = strings.FieldsFunc(`A + B|A - B|A*B|A/(1 + B^2)|-A|(A)|twice(A)|share(A, B)|abs(A)|if A > B then A else B|tanh(A)
log(1 + exp(A))|log(1 + A^2)|exp(tanh(A)) - 1|1 - exp(-A^2)|1/(1 + exp(-A))|1 - sigmoid(A)|log(sigmoid(A))|log(1 - sigmoid(A))
sqrt(A^2 + B^2)|sqrt(A*A)|sqrt(abs(A))|exp(tanh(A))*exp(tanh(B))|exp(tanh(A))/exp(tanh(B))|log(exp(tanh(A)) + exp(tanh(B)))|log(exp(A))|1 - erf(A)|1 - cos(A)
A^2*log(A^2)|sqrt(sum[K](A^2))|log(sum[K](exp(tanh(A))))|exp(tanh(A))/sum[K](exp(tanh(A)))|log(exp(tanh(A))/sum[K](exp(tanh(A))))|mean[K](A^2) - mean[K](A)^2
(exp(A) - exp(-A))/2|(exp(A) - exp(-A))/(exp(A) + exp(-A))|-A^2*log(A*A)`, func(r rune) bool { return r == '|' || r == '\n' })

// TestRandomFormulas fixes random formulas, with lets and funcs: the results are equal where they are far from any trouble.
func TestRandomFormulas(t *testing.T) {
	fixed := 0
	rapid.Check(t, func(t *rapid.T) {
		lets := 0
		body := ""
		var formula func(depth int) string
		formula = func(depth int) string {
			if depth == 0 {
				return rapid.SampledFrom([]string{"x", "z", "x", "0.5", "2*z"}).Draw(t, "leaf")
			}
			shape := rapid.SampledFrom(shapes).Draw(t, "shape")
			a, b := formula(depth-1), formula(depth-1)
			text := strings.NewReplacer("A", "("+a+")", "B", "("+b+")").Replace(shape)
			if rapid.IntRange(0, 3).Draw(t, "let") == 0 {
				lets++
				body += fmt.Sprintf("    let l%d = %s\n", lets, text)
				return fmt.Sprintf("l%d", lets)
			}
			return text
		}
		result := formula(rapid.IntRange(1, 3).Draw(t, "depth"))
		src := "package p\n\nfunc twice(x) = x + x\nfunc share(a, b) {\n    let e = exp(tanh(a))\n    e/(1 + e) + log(1 + exp(b))\n}\n" +
			"op f[T: float](x, z: T[K]) -> (y: T[K]) {\n" + body + "    y = (" + result + ") + 0*x*z\n}\n"
		files := []lint.File{{Name: "p.op", Data: []byte(src)}}
		mended, diags := lint.Fix(files, check.Config{}, nil)
		if err := diags.Err(); err != nil {
			t.Skip(err) // an exact number where a float is meant, say
		}
		if string(mended[0].Data) != src {
			fixed++
		}
		old, renewed := declared(t, src), declared(t, string(mended[0].Data))
		x := &ir.Array{Shape: []int{3}, Data: []float64{0.7, -1.2, 0.4}}
		z := &ir.Array{Shape: []int{3}, Data: []float64{1.1, 0.3, -0.8}}
		a, b := value(t, old, x, z), value(t, renewed, x, z)
		for k := range a {
			if math.IsNaN(a[k]) || math.IsInf(a[k], 0) || math.Abs(a[k]) > 1e6 {
				continue
			}
			if !(math.Abs(a[k]-b[k]) <= 1e-6*(1+math.Abs(a[k]))) {
				t.Fatalf("%v became %v\n%s\n%s", a, b, src, mended[0].Data)
			}
		}
	})
	if fixed < 20 {
		t.Errorf("only %d formulas were rewritten", fixed)
	}
}

func declared(t *rapid.T, src string) *ir.OpDecl {
	f, p := parsedBy(t, src)
	if len(p.Ops) != 1 || f == nil {
		t.Fatalf("%d ops\n%s", len(p.Ops), src)
	}
	return p.Ops[0]
}

func value(t *rapid.T, op *ir.OpDecl, x, z *ir.Array) []float64 {
	out, err := ir.EvalOp(op, map[string]*ir.Array{"x": x, "z": z}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out["y"].Data
}
