package lint_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen/check"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/lint"
	"github.com/opgen/opgen/codegen/pass"
	"github.com/opgen/opgen/dsl"
)

// numbers are the inputs of a call; each has one axis.
type numbers map[string][]float64

// telling is a call at which the original is off: in float32 its result, or with grad its gradient by x, is not the truth, and that of the
// rewrite is.
type telling struct {
	in    numbers
	truth float64 // of the first element
	grad  bool
}

// accuracy is what the rewrite of a formula is to gain.
type accuracy struct {
	code, spec string
	lo, hi     float64 // where original and rewrite are equal within rounding, in float64
	telling    []telling
}

func one(x float64) numbers       { return numbers{"x": {x}} }
func two(x, z float64) numbers    { return numbers{"x": {x}, "z": {z}} }
func many(x ...float64) numbers   { return numbers{"x": x} }
func unary(formula string) string { return "op f[T: float](x: T[...B]) = " + formula + "\n" }
func binary(formula string) string {
	return "op f[T: float](x, z: T[...B]) = " + formula + "\n"
}
func total(formula string) string {
	return "op f[T: float](x: T[K]) -> (y: T[]) { y = " + formula + " }\n"
}
func along(formula string) string {
	return "op f[T: float](x: T[K]) -> (y: T[K]) { y = " + formula + " }\n"
}

// accuracies has at least one formula for each rule but lint-acc.
var accuracies = []accuracy{
	{"lint-log1p", unary("log(1 + x)"), -0.9, 9, []telling{{in: one(1e-6), truth: math.Log1p(1e-6)}, {in: one(-3e-9), truth: math.Log1p(-3e-9)}}},
	{"lint-log1p", unary("2*log(1 - x^2)"), -0.9, 0.9, []telling{{in: one(1e-3), truth: 2 * math.Log1p(-1e-6)}}},
	{"lint-log1p", unary("log(x + 1 + x^2)"), 0, 9, []telling{{in: one(1e-6), truth: math.Log1p(1e-6 + 1e-12)}}},
	{"lint-log1p", unary("log(T(1) + x)"), -0.9, 9, []telling{{in: one(1e-6), truth: math.Log1p(1e-6)}}},
	{"lint-log1p", unary("log2(1 + x)"), -0.9, 9, []telling{{in: one(1e-6), truth: math.Log1p(1e-6) / math.Ln2}}},
	{"lint-log1p", unary("2*log10(1 - x)"), -9, 0.9, []telling{{in: one(1e-6), truth: 2 * math.Log1p(-1e-6) / math.Ln10}}},
	{"lint-log1p", unary("log((1 + x)/(1 - x))"), -0.9, 0.9, []telling{{in: one(1e-6), truth: 2e-6}}},
	{"lint-expm1", unary("exp(x) - 1"), -9, 9, []telling{{in: one(1e-6), truth: math.Expm1(1e-6)}}},
	{"lint-expm1", unary("3*(1 - exp(2*x))"), -4, 4, []telling{{in: one(1e-6), truth: -3 * math.Expm1(2e-6)}}},
	{"lint-expm1", unary("2*exp(x) - 2"), -9, 9, []telling{{in: one(1e-6), truth: 2 * math.Expm1(1e-6)}}},
	{"lint-expm1", unary("1/2 - exp(x)*0.5"), -9, 9, []telling{{in: one(1e-6), truth: -math.Expm1(1e-6) / 2}}},
	{"lint-softplus", unary("log(1 + exp(x))"), -9, 9, []telling{{in: one(-20), truth: math.Log1p(math.Exp(-20))}, {in: one(100), truth: 100}}},
	{"lint-softplus", unary("log1p(exp(-x))"), -9, 9, []telling{{in: one(-100), truth: 100}}},
	{"lint-sigmoid", unary("1 - sigmoid(x)"), -9, 9, []telling{{in: one(20), truth: 1 / (1 + math.Exp(20))}}},
	{"lint-sigmoid", unary("1/(1 + exp(-x))"), -9, 9, []telling{{in: one(-100), truth: 0, grad: true}}},
	{"lint-sigmoid", unary("exp(x)/(1 + exp(x))"), -9, 9, []telling{{in: one(100), truth: 1}}},
	{"lint-log-sigmoid", unary("log(sigmoid(x))"), -9, 9, []telling{{in: one(-200), truth: -200}, {in: one(20), truth: -math.Log1p(math.Exp(-20))}}},
	{"lint-log-sigmoid", unary("log(1 - sigmoid(x))"), -9, 9, []telling{{in: one(30), truth: -30 - math.Log1p(math.Exp(-30))}}},
	{"lint-log-sigmoid", unary("log(1/(1 + exp(x)))"), -9, 9, []telling{{in: one(100), truth: -100}}},
	{"lint-tanh", unary("(exp(x) - exp(-x))/(exp(x) + exp(-x))"), -9, 9, []telling{{in: one(1e-6), truth: math.Tanh(1e-6)}, {in: one(100), truth: 1}}},
	{"lint-tanh", unary("(exp(x) - exp(-x))/2"), -9, 9, []telling{{in: one(1e-6), truth: math.Sinh(1e-6)}}},
	{"lint-erfc", unary("1 - erf(x)"), -2, 2, []telling{{in: one(5), truth: math.Erfc(5)}}},
	{"lint-erfc", unary("1 - erfc(x)"), -2, 2, []telling{{in: one(1e-6), truth: math.Erf(1e-6)}}},
	{"lint-cos", unary("1 - cos(x)"), -3, 3, []telling{{in: one(1e-4), truth: 2 * math.Pow(math.Sin(5e-5), 2)}}},
	{"lint-exp", binary("exp(x)*exp(z)"), -9, 9, []telling{{in: two(100, -99), truth: math.E}}},
	{"lint-exp", binary("exp(x)/exp(z)"), -9, 9, []telling{{in: two(100, 99), truth: math.E}}},
	{"lint-hypot", binary("sqrt(x^2 + z^2)"), -9, 9, []telling{{in: two(3e20, 4e20), truth: 5e20}, {in: two(3e-30, 4e-30), truth: 5e-30}, {in: two(0, 0), truth: 0, grad: true}}},
	{"lint-hypot", unary("sqrt(x^2)"), -9, 9, []telling{{in: one(1e25), truth: 1e25}, {in: one(0), truth: 0, grad: true}}},
	{"lint-norm", total("sqrt(sum[K](x^2))"), -9, 9, []telling{{in: many(3e20, 4e20), truth: 5e20}, {in: many(0, 0), truth: 0, grad: true}}},
	{"lint-norm", total("sum(x*x)^0.5"), -9, 9, []telling{{in: many(3e-30, 4e-30), truth: 5e-30}}},
	{"lint-logsumexp", total("log(sum[K](exp(x)))"), -9, 9, []telling{{in: many(100, 100), truth: 100 + math.Ln2}, {in: many(-200, -200), truth: -200 + math.Ln2}}},
	{"lint-logsumexp", total("log(sum[k](exp(2*x[k])))"), -9, 9, []telling{{in: many(50, 50), truth: 100 + math.Ln2}}},
	{"lint-logsumexp", binary("log(exp(x) + exp(z))"), -9, 9, []telling{{in: two(100, 100), truth: 100 + math.Ln2}}},
	{"lint-logsumexp", unary("log(exp(x))"), -9, 9, []telling{{in: one(100), truth: 100}}},
	{"lint-logsumexp", total("log(mean[K](exp(x)))"), -9, 9, []telling{{in: many(100, 100), truth: 100}, {in: many(-200, -200), truth: -200}}},
	{"lint-logsumexp", total("log(mean(exp(x)))"), -9, 9, []telling{{in: many(100, 100), truth: 100}}},
	{"lint-logsumexp", total("log(sum[k](x[k]^2*exp(2*x[k])))"), -9, 9, []telling{{in: many(100, 100), truth: 200 + math.Log(2e4)}}},
	{"lint-logsumexp", "op f[T: float](x, z: T[K]) -> (y: T[]) { y = log(sum[K]((1 + z^2)*exp(x))) }\n", -9, 9,
		[]telling{{in: numbers{"x": {100, 100}, "z": {1, 1}}, truth: 100 + math.Log(4)}}},
	{"lint-log-softmax", along("log(exp(x)/sum[K](exp(x)))"), -9, 9, []telling{{in: many(-200, 0), truth: -200}, {in: many(100, 0), truth: 0}}},
	{"lint-log-softmax", "op f[T: float](x: T[K]) -> (y: T[K]) {\n    let e = exp(x - max[K](x))\n    y = log(e/sum[K](e))\n}\n", -9, 9,
		[]telling{{in: many(-200, 0), truth: -200}}},
	{"lint-log-softmax", "func share[A](x) {\n    let e = exp(x - max[A](x))\n    e/sum[A](e)\n}\nop f[T: float](x: T[K]) -> (y: T[K]) { y = log(share[K](x)) }\n" +
		"op g[T: float](x: T[K]) -> (y: T[K]) { y = share[K](x) }\n", -9, 9, []telling{{in: many(-200, 0), truth: -200}}},
	{"lint-softmax", along("exp(x)/sum[K](exp(x))"), -9, 9, []telling{{in: many(100, 100), truth: 0.5}, {in: many(-200, -200), truth: 0.5}}},
	{"lint-softmax", "func share[A](x) {\n    let e = exp(x)\n    e/sum[A](e)\n}\nop f[T: float](x: T[K]) -> (y: T[K]) { y = share[K](x) }\n", -9, 9,
		[]telling{{in: many(100, 100), truth: 0.5}}},
	{"lint-softmax", "op f[T: float](x: T[N]) -> (y: T[N]) { y[i] = exp(2*x[i])/sum[j](exp(2*x[j])) }\n", -9, 9, []telling{{in: many(100, 100), truth: 0.5}}},
	{"lint-softmax", "op f[T: float](x, z: T[K]) -> (y: T[]) { y = sum[K](z*exp(x))/sum[K](exp(x)) }\n", -9, 9,
		[]telling{{in: numbers{"x": {100, 100}, "z": {1, 2}}, truth: 1.5}}},
	{"lint-softmax", "op f[T: float](x, z: T[N]) -> (y: T[]) {\n    let e = exp(2*x)\n    y = sum[N](e*z)/sum[N](e)\n}\n", -9, 9,
		[]telling{{in: numbers{"x": {-200, -200}, "z": {1, 2}}, truth: 1.5}}},
	{"lint-log-softmax", "op f[T: float](x: T[N]) -> (y: T[N]) { y[k] = log(exp(x[k])/sum[j in N](exp(x[j]))) }\n", -9, 9, []telling{{in: many(-200, 0), truth: -200}}},
	{"lint-variance", total("mean[K](x^2) - mean[K](x)^2"), -9, 9, []telling{{in: many(1e4, 1e4+1), truth: 0.25}}},
	{"lint-variance", "op f[T: float](x: T[K]) -> (y: T[]) {\n    let m = mean(x)\n    y = mean(x*x) - m*m\n}\n", -9, 9, []telling{{in: many(1e4, 1e4+1), truth: 0.25}}},
	{"lint-variance", total("sum[K](x^2)/K - (sum[K](x)/K)^2"), -9, 9, []telling{{in: many(1e4, 1e4+1), truth: 0.25}}},
	{"lint-variance", total("(sum[K](x*x) - sum[K](x)^2/K)/(K - 1)"), -9, 9, []telling{{in: many(1e4, 1e4+1), truth: 0.5}}},
	{"lint-variance", total("mean[K](x^2) + 1/8 - mean[K](x)^2"), -9, 9, []telling{{in: many(1e4, 1e4+1), truth: 0.375}}},
	{"lint-variance", total("-mean[K](x)^2 + mean[K](x^2)"), -9, 9, []telling{{in: many(1e4, 1e4+1), truth: 0.25}}},
	{"lint-variance", total("2*(mean[K](x)^2 - mean[K](x^2))"), -9, 9, []telling{{in: many(1e4, 1e4+1), truth: -0.5}}},
	{"lint-variance", total("1 - (mean[K](x^2) - mean[K](x)^2)"), -9, 9, []telling{{in: many(1e4, 1e4+1), truth: 0.75}}},
	{"lint-variance", "op f[T: float](x, z: T[K]) -> (y: T[]) { y = mean[K](x*z) - mean[K](z)*mean[K](x) }\n", -9, 9,
		[]telling{{in: numbers{"x": {1e4, 1e4 + 1}, "z": {1e4, 1e4 + 2}}, truth: 0.5}}},
	{"lint-variance", total("mean[i](x[i]^2) - mean[i](x[i])^2"), -9, 9, []telling{{in: many(1e4, 1e4+1), truth: 0.25}}},
	{"lint-variance", total("sum[K](x^2) - K*mean[K](x)^2"), -9, 9, []telling{{in: many(1e4, 1e4+1), truth: 0.5}}},
	{"lint-gradient", unary("(x*x)^(1/3)"), -9, 9, []telling{{in: one(0), truth: 0, grad: true}}},
	{"lint-gradient", total("sqrt(mean[K](x^2))"), -9, 9, []telling{{in: many(0, 0), truth: 0, grad: true}}},
	{"lint-gradient", total("sqrt(mean[K]((x - mean[K](x))^2))"), -9, 9, []telling{{in: many(3, 3), truth: 0, grad: true}}},
	{"lint-xlogy", unary("x*log(x)"), 0.1, 9, []telling{{in: one(0), truth: 0}}},
	{"lint-xlogy", unary("-x*log(x)"), 0.1, 9, []telling{{in: one(0), truth: 0}}},
	{"lint-xlogy", binary("z*log(x)"), 0.1, 9, []telling{{in: two(0, 0), truth: 0}}},
}

// TestAccuracy applies the rewrite of each formula, and evaluates both in float32 where they differ and in float64 where they don't.
func TestAccuracy(t *testing.T) {
	for _, c := range accuracies {
		t.Run(c.code+" "+strings.TrimSpace(c.spec), func(t *testing.T) {
			src := "package p\n\n" + c.spec
			old := opOf(t, src)
			if found := findings(t, src); len(found) != 1 || found[0].Code != c.code {
				t.Fatalf("findings are %v", found)
			}
			fixed := fix(t, src)
			if again := findings(t, fixed); len(again) > 0 {
				t.Errorf("the rewrite has findings of its own: %v\n%s", again, fixed)
			}
			if again := fix(t, fixed); again != fixed {
				t.Errorf("fixing twice gives\n%s", again)
			}
			renewed := opOf(t, fixed)
			for _, p := range c.telling {
				was, is := p.error(t, old), p.error(t, renewed)
				if !(is <= 1e-6) {
					t.Errorf("at %v the rewrite has the error %v\n%s", p.in, is, fixed)
				}
				if was <= 8*is || was <= 1e-6 {
					t.Errorf("at %v the original has the error %v, the rewrite %v\n%s", p.in, was, is, fixed)
				}
			}
			agree(t, c, old, renewed, fixed)
		})
	}
}

// agree compares at random points.
func agree(t *testing.T, c accuracy, old, renewed *ir.OpDecl, fixed string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		in := numbers{}
		for _, v := range old.Inputs {
			for range 3 {
				in[v.Name] = append(in[v.Name], c.lo+(c.hi-c.lo)*rng.Float64())
			}
		}
		for _, g := range []bool{false, true} {
			a, b := call(t, old, in, g, "f64"), call(t, renewed, in, g, "f64")
			for k := range a {
				if math.Abs(a[k]-b[k]) > 1e-8*(1+math.Abs(a[k])) {
					t.Fatalf("at %v (gradient: %v) the original is %v, the rewrite %v\n%s", in, g, a, b, fixed)
				}
			}
		}
	}
}

// error is that of the first element, relative to the truth; infinite where it isn't finite.
func (p telling) error(t *testing.T, op *ir.OpDecl) float64 {
	t.Helper()
	in := numbers{}
	for name, list := range p.in {
		for _, x := range list {
			in[name] = append(in[name], float64(float32(x)))
		}
	}
	got := call(t, op, in, p.grad, "f32")[0]
	e := math.Abs(got - p.truth)
	if p.truth != 0 {
		e /= math.Abs(p.truth)
	}
	if math.IsNaN(e) {
		return math.Inf(1)
	}
	return e
}

// call evaluates an op, or its gradient by x.
func call(t *testing.T, op *ir.OpDecl, in numbers, gradient bool, dtype string) []float64 {
	t.Helper()
	inputs := map[string]*ir.Array{}
	for name, list := range in {
		inputs[name] = &ir.Array{Shape: []int{len(list)}, Data: list}
	}
	dtypes := map[string]string{"T": dtype}
	out, err := ir.EvalOp(op, inputs, nil, dtypes)
	if err != nil {
		t.Fatal(err)
	}
	if !gradient {
		return out["y"].Data
	}
	ones := ir.NewArray(out["y"].Shape...)
	for i := range ones.Data {
		ones.Data[i] = 1
	}
	grads, err := pass.EvalGrad(op, inputs, nil, map[string]*ir.Array{"y": ones}, dtypes)
	if err != nil {
		t.Fatal(err)
	}
	return grads["x"].Data
}

// parsed is a package of one file that has no errors.
func parsed(t testing.TB, src string) (*dsl.File, *ir.Package) {
	t.Helper()
	return parsedBy(t, src)
}

// fataler is a test, also one of rapid.
type fataler interface {
	Fatalf(format string, args ...any)
}

func parsedBy(t fataler, src string) (*dsl.File, *ir.Package) {
	f, diags := dsl.Parse("p.op", []byte(src))
	if err := diags.Err(); err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	p, diags := check.Package([]*dsl.File{f})
	if err := diags.Err(); err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return f, p
}

func opOf(t testing.TB, src string) *ir.OpDecl {
	t.Helper()
	_, p := parsed(t, src)
	return p.Ops[0]
}

func findings(t testing.TB, src string) []lint.Finding {
	t.Helper()
	f, p := parsed(t, src)
	return lint.Check([]*dsl.File{f}, p, nil)
}

// fix applies all fixes and brings the result into canonical form.
func fix(t testing.TB, src string) string {
	t.Helper()
	files, diags := lint.Fix([]lint.File{{Name: "p.op", Data: []byte(src)}}, check.Config{}, nil)
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	out, diags := dsl.FormatSource("p.op", files[0].Data)
	if err := diags.Err(); err != nil {
		t.Fatalf("%v\n%s", err, files[0].Data)
	}
	return string(out)
}
