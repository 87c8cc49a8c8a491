package prove_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen/check"
	"github.com/opgen/opgen/codegen/grad"
	"github.com/opgen/opgen/codegen/grad/prove"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

// formulas are ops with gradients by hand that are right, each in several spellings. In an op, … stands for the gradient.
var formulas = []struct {
	op    string
	grads []string
}{
	{"op linear[T: float](x: T[...B, I], w: T[O, I], b: T[O]) -> (y: T[...B, O]) { y = sum[I](x*w) + b\n … }", []string{
		"grad x = sum[O](@y * w)",
		"grad x[..k, i] = sum[o](w[o, i] * @y[..k, o])",
		"grad w = sum[...B](@y * x)",
		"grad w[o, i] = sum[..k](@y[..k, o] * x[..k, i] / 2) * 2",
		"grad b = sum[...B](@y)",
		"grad b[o] = -sum[..k](-@y[..k, o])",
	}},
	{"op smooth_l1[T: float](x, t: T[...B]; beta: float = 1) -> (y: T[...B]) { require beta > 0\n let e = abs(x - t)\n" +
		"y = if e < beta then e*e/2/beta else e - beta/2\n … }", []string{
		"grad x = if e < beta then @y*(x - t)/beta else @y*sign(x - t)",
		"grad x = @y * (if abs(x - t) >= beta then sign(x - t) else (x - t)/beta)",
		"grad x = @y * clamp((x - t)/beta, -1, 1)",
		"grad x = @y * max(-1, min((x - t)/beta, 1))",
		"grad x = @y * (if x - t > beta then 1 else if x - t < -beta then -1 else (x - t)/beta)",
		"grad t = if e < beta then @y*(t - x)/beta else -@y*sign(x - t)",
	}},
	{"op smooth_l1_mean[T: float](x, t: T[...B]; beta: float = 1) -> (y: T[]) { require beta > 0\n let e = abs(x - t)\n" +
		"y = mean(if e < beta then e*e/2/beta else e - beta/2)\n … }", []string{
		"grad x = @y/prod(..B) * (if e < beta then (x - t)/beta else sign(x - t))",
		"grad x = @y * clamp((x - t)/beta, -1, 1) / prod(..B)",
	}},
	{"op mse[T: float](x, t: T[...B]) -> (y: T[]) { y = mean((x - t)^2)\n … }", []string{
		"grad x = 2*@y*(x - t)/prod(..B)",
		"grad x = @y*((x - t) + (x - t))/prod(..B)",
		"grad t = 2*@y*(t - x)/prod(..B)",
	}},
	{"op softmax[T: float](x: T[...B, D]) -> (y: T[...B, D]) { let e = exp(x - max[D](x))\n y = e/sum[D](e)\n … }", []string{
		"grad x = y*(@y - sum[D](y*@y))",
		"grad x = y*@y - y*sum[D](@y*y)",
		"grad x = e*@y/sum[D](e) - e*sum[D](e*@y)/sum[D](e)^2",
	}},
	{"op log_softmax[T: float](x: T[...B, D]) -> (y: T[...B, D]) { y = x - logsumexp[D](x)\n … }", []string{
		"grad x = @y - exp(y)*sum[D](@y)",
		"grad x = @y - exp(x)/sum[D](exp(x))*sum[D](@y)",
	}},
	{"op layer_norm[T: float](x: T[...B, R], w, b: T[R]; eps: float = 1e-5) -> (y: T[...B, R]) { require eps > 0\n let d = x - mean[R](x)\n" +
		"let s = sqrt(mean[R](d^2) + eps)\n y = d/s*w + b\n … }", []string{
		"grad x = (@y*w - mean[R](@y*w) - d/s*mean[R](@y*w*d/s))/s",
		"grad x = @y*w/s - sum[R](@y*w)/R/s - d*sum[R](@y*w*d)/R/s^3",
		"grad w = sum[...B](@y*d/s)",
		"grad b = sum[...B](@y)",
	}},
	{"op cross_entropy[T: float](x: T[...N, C], t: i64[...N]) -> (y: T[]) { let logp[...N, C] = x - logsumexp[C](x)\n" +
		"let l[..n] = -logp[..n, t]\n y = mean(l)\n … }", []string{
		"grad x[..n, c] = @y*(exp(logp[..n, c]) - (if t[..n] == c then 1 else 0))/prod(..N)",
		"grad x[..n, c] = @y/prod(..N)*(if c == t[..n] then exp(logp[..n, c]) - 1 else exp(logp[..n, c]))",
	}},
	// Where the op itself is NaN, a formula may be too.
	{"op top[T: float](x: T[...B, D]) -> (y: T[...B]) { y = max[D](x)\n … }", []string{
		"grad x = (if x == y then @y else 0)/sum[D](if x == y then 1 else 0)",
		"grad x = if x == y then @y/sum[D](if x == y then 1 else 0) else 0",
	}},
	{"op relu[T: float](x: T[...B]) -> (y: T[...B]) { y = if x <= 0 then 0 else x\n … }", []string{
		"grad x = if x > 0 then @y else 0",
		"grad x = if x <= 0 then 0 else @y",
		"grad x = if x < 0 then 0 else @y", // another value at 0, between those beside it
		"grad x = if y > 0 then @y else 0",
	}},
	{"op leaky[T: float](x: T[...B]; slope: float = 0.01) -> (y: T[...B]) { y = if x > 0 then x else slope*x\n … }", []string{
		"grad x = if x > 0 then @y else slope*@y",
		"grad x = @y*slope + (if x > 0 then @y*(1 - slope) else 0)",
	}},
	{"op logistic[T: float](x: T[...B]) -> (y: T[...B]) { y = sigmoid(x)\n … }", []string{
		"grad x = @y*y*(1 - y)",
		"grad x = @y*exp(-x)/(1 + exp(-x))^2",
		"grad x = @y*sigmoid(x)*sigmoid(-x)",
		"grad x = @y*(1 - tanh(x/2)^2)/4",
	}},
	{"op hyperbolic[T: float](x: T[...B]) -> (y: T[...B]) { y = tanh(x)\n … }", []string{
		"grad x = @y*(1 - y^2)",
		"grad x = @y*(1 - y)*(1 + y)",
		"grad x = 4*@y*sigmoid(2*x)*(1 - sigmoid(2*x))",
	}},
	{"op swish[T: float](x: T[...B]; beta: float = 1) -> (y: T[...B]) { y = x*sigmoid(beta*x)\n … }", []string{
		"grad x = @y*(sigmoid(beta*x) + beta*x*sigmoid(beta*x)*(1 - sigmoid(beta*x)))",
		"grad x = @y*(beta*y + sigmoid(beta*x)*(1 - beta*y))",
	}},
	{"op unit[T: float](x: T[...B, D]; eps: float = 1e-6) -> (y: T[...B, D]) { require eps > 0\n let s = rsqrt(sum[D](x^2) + eps)\n y = x*s\n … }", []string{
		"grad x = @y*s - x*s^3*sum[D](@y*x)",
		"grad x = s*(@y - y*sum[D](@y*y))",
	}},
	{"op huber_pair[T: float](x, t: T[N, K], m: T[N]; delta: float = 1) -> (y: T[N]) { require delta > 0\n let r = (x - t)/delta\n" +
		"y = m*sum[K](delta^2*(sqrt(1 + r^2) - 1))\n … }", []string{
		"grad x = @y*m*delta*r/sqrt(1 + r^2)",
		"grad x = @y*m*(x - t)*rsqrt(1 + ((x - t)/delta)^2)",
		"grad m = @y*delta^2*(sum[K](sqrt(1 + r^2)) - K)",
	}},
	{"op p_norm[T: float](x: T[N]; p: float = 2) -> (y: T[]) { require p > 0\n y = sum(abs(x)^p)^(1/p)\n … }", []string{
		"grad x = if y == 0 then 0 else @y*sign(x)*(abs(x)/y)^(p - 1)",
	}},
	// Of floats and integers, where these are floats.
	{"op product[T: num](x: T[...B, N, K], z: T[...B, K, M]) -> (y: T[...B, N, M]) { y = sum[K](x*z)\n … }", []string{
		"grad x = sum[M](@y*z)",
		"grad z[..b, k, m] = sum[n](x[..b, n, k]*@y[..b, n, m])",
		"grad z[..b, k, m] = sum[n](x[..b, n, k]*@y[..b, n, m]*exp(0*x[..b, n, k]))",
	}},
	{"op total[T: num](x: T[...B, ...R]; axes: axes(R) = all) -> (y: sum(T)[...B]) { y = sum[...R](x)\n … }", []string{"grad x = @y", "grad x = @y/2 + 0.5*@y"}},
}

// wrongFormulas are ops with gradients that look right, with what is said about them.
var wrongFormulas = []struct{ op, grad, says string }{
	{"op square[T: num](x: T[...B]) -> (y: T[...B]) { y = x*x\n … }", "grad x = @y*x", "the derivative is"},
	{"op scaled[T: float](x: T[...B], m: T[...B]) -> (y: T[...B]) { y = x*m\n … }", "grad m = @y*y/m", "the formula gives NaN"},
	{"op same[T: float](x: T[...B]) -> (y: T[...B]) { y = x\n … }", "grad x = @y*(if x > 0 then 1 else 0)/(if x > 0 then 1 else 0)", "the formula gives NaN"},
	{"op root[T: float](x: T[...B]) -> (y: T[...B]) { y = abs(x)\n … }", "grad x = @y*sqrt(x^-2)*x*1", "the formula gives NaN"},
	{"op inverse[T: float](x: T[...B]) -> (y: T[...B]) { y = log(abs(x))\n … }", "grad x = @y*sqrt((1/x)*(1/x))", "the derivative is"},
	{"op pick[T: float](x: T[...N, C], t: i64[...N]) -> (y: T[...N]) { y[..n] = x[..n, t]\n … }",
		"grad x[..n, c] = if t[..n] == c then @y[..n] + 0*x[..n, 2*c] else 0", "the formula has no value"},
	{"op cliff[T: float](x: T[...B]; beta: float = 1) -> (y: T[...B]) { require beta > 0\n y = if abs(x) < beta then x else 0\n … }",
		"grad x = if abs(x) < beta*1.01 then @y else 0", "the derivative is"},
	{"op wide[T: float](x, t: T[...B]; beta: float = 1) -> (y: T[...B]) { require beta > 0\n let e = abs(x - t)\n" +
		"y = if e < beta then e*e/2/beta else e - beta/2\n … }", "grad x = if e < beta then @y*(x - t)/beta else @y*sign(x - t*beta)", "the derivative is"},
}

// TestWrongFormulas checks that what is wrong in a corner only is found, and has no status.
func TestWrongFormulas(t *testing.T) {
	for _, c := range wrongFormulas {
		for _, p := range spelled(t, c.op, c.grad) {
			st, ds := prove.Gradients(&ir.Variant{Forward: p.forward}, p.derived)
			if len(ds) != 1 || !strings.Contains(ds[0].Message, c.says) {
				t.Errorf("%s: %v, want %q", p.name, ds, c.says)
			}
			for _, s := range st {
				if s.Of == p.forward.UserGrads[0].Of {
					t.Errorf("%s has the status %v", p.name, s)
				}
			}
		}
	}
}

// problem is one formula by hand with the derivative that it is to equal.
type problem struct {
	name             string
	forward, derived *ir.Func
}

// problems are all formulas.
func problems(t testing.TB) []problem {
	t.Helper()
	var r []problem
	for _, f := range formulas {
		for _, g := range f.grads {
			r = append(r, spelled(t, f.op, g)...)
		}
	}
	return r
}

// spelled is an op with a gradient by hand, for each of its variants.
func spelled(t testing.TB, op, gradient string) []problem {
	t.Helper()
	text := "package p\n\n" + strings.Replace(op, "…", gradient, 1) + "\n"
	file, diags := dsl.Parse("p.op", []byte(text))
	if diags.HasErrors() {
		t.Fatalf("%s\n%v", text, diags.Err())
	}
	pkg, diags := check.Package([]*dsl.File{file})
	if len(diags.All) > 0 || len(pkg.Ops) != 1 {
		t.Fatalf("%s\n%v", text, diags.Err())
	}
	var r []problem
	for i, v := range pkg.Ops[0].Variants {
		bare := *v.Forward
		bare.UserGrads = nil
		derived, err := grad.Reverse(&bare)
		if err != nil {
			t.Fatal(err)
		}
		r = append(r, problem{fmt.Sprintf("%s: %s (%d)", pkg.Ops[0].Name, gradient, i), v.Forward, derived})
	}
	return r
}

// accepted tells whether the formula passes, and how.
func (p problem) accepted() (bool, prove.Status, string) {
	st, ds := prove.Gradients(&ir.Variant{Forward: p.forward}, p.derived)
	if len(ds) > 0 {
		return false, prove.Status{}, ds[0].Message
	}
	for _, s := range st {
		if s.Of == p.forward.UserGrads[0].Of {
			return true, s, ""
		}
	}
	return false, prove.Status{}, "no status"
}

// TestRightFormulas checks that all spellings pass, and that most are proved.
func TestRightFormulas(t *testing.T) {
	proved := 0
	all := problems(t)
	for _, p := range all {
		ok, s, why := p.accepted()
		if !ok {
			t.Errorf("%s: %s", p.name, why)
		}
		if s.How == prove.Proved {
			proved++
		} else {
			t.Logf("%s: %v", p.name, s)
		}
	}
	if proved*10 < len(all)*7 {
		t.Errorf("only %d of %d formulas are proved", proved, len(all))
	}
}

// BenchmarkProof measures the proof of each formula.
func BenchmarkProof(b *testing.B) {
	for _, p := range problems(b) {
		b.Run(strings.ReplaceAll(p.name, " ", ""), func(b *testing.B) {
			for b.Loop() {
				p.accepted()
			}
		})
	}
}
