package lint_test

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/opgen/opgen/codegen/check"
	"github.com/opgen/opgen/codegen/lint"
	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
)

// TestEveryRule checks that each warning of docs/errors.md has formulas in accuracies, or a test of its own.
func TestEveryRule(t *testing.T) {
	page, err := os.ReadFile("../../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	tested := map[string]bool{"lint-acc": true, "lint-ignore": true}
	for _, c := range accuracies {
		tested[c.code] = true
	}
	codes := regexp.MustCompile(`(?m)^### (lint-.*)$`).FindAllSubmatch(page, -1)
	if len(codes) < 15 {
		t.Errorf("only %d codes", len(codes))
	}
	for _, c := range codes {
		if !tested[string(c[1])] {
			t.Errorf("nothing tests %s", c[1])
		}
	}
}

// TestSilent has formulas that look like those of the rules and are right as they are.
func TestSilent(t *testing.T) {
	for _, spec := range []string{
		unary("log(2 + x)"), unary("log(1 + 0.5)*x"), unary("log(x)"), unary("exp(x) - 2"), unary("exp(x) + 1"), unary("1 + exp(x)"),
		"op f[T: float](x: T[N]) -> (y: T[N]) { y = x*log(1 + N) }\n",           // exact
		"op f[T: float](x: T[...B]; lr: float) = x*(exp(lr) - 1)*log(1 + lr)\n", // float64, once in a call
		"op f[T: float](x: T[N]; p: float) -> (y: T[N]) { y = x^p }\n",          // any exponent
		unary("sqrt(x)"), unary("x^0.5"), unary("sqrt(abs(x) + 1e-6)"), unary("sqrt(exp(x))"), // 0 is at the edge, or not reached
		unary("if x == 0 then 0 else sqrt(abs(x))"), unary("if abs(x) > 1e-3 then abs(x)^0.5 else 0"), unary("stop(sqrt(abs(x)))"),
		"op f[T: float](x: T[...B]) -> (y: T[...B]) {\n    require all(x > 0) else \"x must be positive\"\n    y = sqrt(abs(x)) + x*log(x)\n}\n",
		"op f[T: float](x: T[...B]) -> (y: T[...B]) {\n    y = sqrt(abs(x))\n    grad x = @y unverified \"straight through\"\n}\n",
		"update f[T: float](inout p: T[N], g: T[N]) { p' = p - g/(sqrt(abs(g)) + 1) }\n",
		total("log(sum[K](exp(x - max[K](x)))) + max[K](x)"), along("exp(x - max[K](x))/sum[K](exp(x - max[K](x)))"),
		along("exp(min[K](x) - x)/sum[K](exp(min[K](x) - x))"), along("exp(stop(min[K](2*x)) - 2*x)/sum[K](exp(stop(min[K](2*x)) - 2*x))"),
		along("exp(x)/(sum[K](exp(x)) + 1)"), along("exp(x)/sum[K](exp(2*x))"),
		total("mean[K](x^2) - mean[K](2*x)^2"), total("mean[K](x^2) - sum[K](x)^2"), total("sqrt(sum[K](x^2) + 1e-12)"), total("sqrt(sum[K](x^3))"),
		binary("sqrt(x^2 - z^2)"), binary("sqrt(x^2 + z^3)"), binary("x*log(z + 1e-6)"), unary("if x > 0 then x*log(x) else 0"),
		"op f[T: float](x: T[K]; c: float = 1) -> (y: T[K]) {\n    let e = exp((x - max[K](x))/c)\n    y = e/sum[K](e)\n}\n",
		"op f[T: float](x: T[K]; c: float = 1) -> (y: T[K]) {\n    let e = exp(c*(x - stop(max[K](x))))\n    y = e/sum[K](e)\n}\n",
		"op f[T: float](x: T[K]; c: float = 1) -> (y: T[]) {\n    let m = max[K](x)\n    y = m + c*log(sum[K](exp((x - m)/c)))\n}\n",
		total("mean[K](x^2) - 2*mean[K](x)"), total("mean[K](x^2) + mean[K](x)^2"), total("mean[K](x*x^2) - mean[K](x)*mean[K](x)"),
		unary("3*exp(x) - 2"), unary("2*exp(x) + 2"), unary("log2(2 + x)"), total("sum[K](x^2)/K - sum[K](x)^2"), total("sum[K](x^2) - sum[K](x)^2"),
		"op f[T: float](x: T[K, M]) -> (y: T[M]) { y = sum[K](x^2)/M - (sum[K](x)/M)^2 }\n", // not its extent
		total("log(sum[K](x*exp(x - max[K](x)))) + max[K](x)"), total("sum[K](x*exp(x - max[K](x)))/sum[K](exp(x - max[K](x)))"),
		total("log(mean[K](exp(x - max[K](x)))) + max[K](x)"), total("sum[K](x*exp(x))/sum[K](exp(2*x))"),
		unary("2*log(x)"), binary("exp(x)*log(z)"), binary("exp(x) + exp(z)"), unary("1 - tanh(x)"), unary("sigmoid(x) - 1"),
		"op f[T: float](x, z: T[...B]) -> (y: T[...B]) {\n    let g = sigmoid(z)\n    y = g*x + (1 - g)*z\n}\n", // a gate
		"update f[T: float](inout p: T[N], g: T[N], state m: acc(T)[N]) {\n    m' = m + g\n    p' = p - m'\n}\n",
		"update f(inout p: f32[N], g: f32[N], state m: f32[N]) {\n    m' = m + g\n    p' = p - m'\n}\n",
		"update f[T: float](inout p: T[N], g: T[N], state m: T[N]) {\n    m' = max(m, g)\n    p' = p - m'\n}\n",
		"func never(x) = log(1 + x)\nop f[T: float](x: T[...B]) = x\n",
	} {
		for _, f := range findings(t, "package p\n\n"+spec) {
			t.Errorf("%s; %s\n%s", f.String(), f.Hint, spec)
		}
	}
}

// TestFix checks what becomes of the text around rewrites.
func TestFix(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"operands get parentheses", unary("2*log(exp(x - 1))"), unary("2*(x - 1)")},
		{"parentheses that nothing needs go", binary("2*(exp(x) - 1)*(log(1 + z))/(1 - (1 - sigmoid(x)))"), binary("2*expm1(x)*log1p(z)/sigmoid(x)")},
		{"parentheses beside a word stay", unary("if(log(1 + x))>0 then(exp(x) - 1)else 0"), unary("if (log1p(x)) > 0 then (expm1(x)) else 0")},
		{"signs don't meet", unary("log(1 - sigmoid(-x))"), unary("log_sigmoid(x)")},
		{"one in another", unary("log(1 + log(1 + x))"), unary("log1p(log1p(x))")},
		{"one leads to another", unary("1/(1 + exp(-log(1 + x)))"), unary("sigmoid(log1p(x))")},
		{"several in a line", binary("log(1 + x)*log(1 + z)"), binary("log1p(x)*log1p(z)")},
		{"lets that are read elsewhere stay", "op f[T: float](x: T[...B]) -> (y: T[...B]) {\n    let e = exp(x)\n    y = log(1 + e)*e\n}\n",
			"op f[T: float](x: T[...B]) -> (y: T[...B]) {\n    let e = exp(x)\n    y = softplus(x)*e\n}\n"},
		{"lets that nothing reads go", "op f[T: float](x: T[...B]) -> (y: T[...B]) {\n    let d = 1 + x; let e = exp(d) // why\n    y = log(1 + e)\n}\n",
			"op f[T: float](x: T[...B]) -> (y: T[...B]) {\n    let d = 1 + x // why\n    y = softplus(d)\n}\n"},
		{"comments move above", "op f[T: float](x: T[...B]) -> (y: T[...B]) {\n    y = 2*log(1 + // one\n        x) // two\n}\n",
			"op f[T: float](x: T[...B]) -> (y: T[...B]) {\n    // one\n    y = 2*log1p(x) // two\n}\n"},
		{"comments without another place stay", "op f[T: float](x: T[...B]) =\n    log(1 + // one\n    x)\n", "op f[T: float](x: T[...B]) =\n    log(1 + // one\n    x)\n"},
		{"a silenced one stays", "// F.\n// opgen:ignore lint-log1p\nop f[T: float](x: T[...B]) = log(1 + x)\n", "// F.\n// opgen:ignore lint-log1p\nop f[T: float](x: T[...B]) = log(1 + x)\n"},
		{"funcs are mended where they stand", "func g(x) = log(1 + x)\nop f[T: float](x: T[...B]) = g(x) + 1\n", "func g(x) = log1p(x)\nop f[T: float](x: T[...B]) = g(x) + 1\n"},
		{"a func that is looked through", "func g(x, z) = exp(x)/z\nop f[T: float](x: T[...B]) = log(1 + g(2*x, 1)*1) + log(g(x + 1, 1))\n",
			"func g(x, z) = exp(x)/z\nop f[T: float](x: T[...B]) = log1p(g(2*x, 1)*1) + log(g(x + 1, 1))\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff("package p\n\n"+c.want, fix(t, "package p\n\n"+c.src)); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestFixOfErrors leaves a package with errors alone.
func TestFixOfErrors(t *testing.T) {
	files := []lint.File{{Name: "p.op", Data: []byte("package p\nop f[T: float](x: T[...B]) = log(1 + z)\n")}}
	got, diags := lint.Fix(files, check.Config{}, nil)
	if !diags.HasErrors() || string(got[0].Data) != string(files[0].Data) {
		t.Errorf("%v\n%s", diags.Err(), got[0].Data)
	}
}

// TestSilence checks the comments that silence warnings.
func TestSilence(t *testing.T) {
	src := `package p

// F is documented. // opgen:ignore lint-log1p
op f[T: float](x: T[...B]) = log(1 + x)
op g[T: float](x: T[...B]) = log(1 + x) // opgen:ignore lint-log1p
// opgen:ignore lint-log1p, lint-expm1
// G has more to say.
op h[T: float](x: T[...B]) = log(1 + x) + (exp(x) - 1)
op i[T: float](x: T[...B]) = log(1 + x) // opgen:ignore lint-expm1
op j[T: float](x: T[...B]) = log(1 + x) // opgen:ignore
`
	f, p := parsed(t, src)
	var list []diag.Diagnostic
	for _, x := range lint.Check([]*dsl.File{f}, p, nil) {
		list = append(list, x.Diagnostic)
	}
	var got []string
	for _, d := range lint.Silence([]*dsl.File{f}, list) {
		got = append(got, d.String())
	}
	want := `p.op:4:30: warning: what is added to 1 loses the digits that are far below it [lint-log1p]
p.op:9:30: warning: what is added to 1 loses the digits that are far below it [lint-log1p]
p.op:10:30: warning: what is added to 1 loses the digits that are far below it [lint-log1p]
p.op:9:41: warning: nothing here draws lint-expm1 [lint-ignore]
p.op:10:41: warning: this comment names no code [lint-ignore]`
	if d := cmp.Diff(want, strings.Join(got, "\n")); d != "" {
		t.Error(d)
	}
}

// TestPlaces checks the words that a finding points at, and its notes.
func TestPlaces(t *testing.T) {
	src := "package p\n\nop f[T: float](x: T[...B]) -> (y: T[...B]) {\n\tlet d = 1 + x // 漢字\n\ty = 2*log(d)\n}\n"
	found := findings(t, src)
	if len(found) != 1 || len(found[0].Notes) != 1 {
		t.Fatalf("findings are %v", found)
	}
	text := func(s diag.Span) string { return src[s.Start.Offset:s.End.Offset] }
	if text(found[0].Span) != "log(d)" || text(found[0].Notes[0].Span) != "let d = 1 + x" {
		t.Errorf("%v points at %q and %q", found[0], text(found[0].Span), text(found[0].Notes[0].Span))
	}
}

// TestGrowing has lets and funcs that grow without bounds where they are looked through.
func TestGrowing(t *testing.T) {
	var lets, funcs strings.Builder
	funcs.WriteString("func g0(x) = x + x*x\n")
	for k := range 40 {
		lets.WriteString(strings.NewReplacer("K", strconv.Itoa(k), "N", strconv.Itoa(k+1)).Replace("    let aN = (aK + aK)*(aK - aK/aK)\n"))
	}
	for k := range 2 {
		funcs.WriteString(strings.NewReplacer("K", strconv.Itoa(k), "N", strconv.Itoa(k+1)).Replace("func gN(x) = gK(x)*gK(x) + gK(gK(1/x))\n"))
	}
	src := "package p\n\n" + funcs.String() + "op f[T: float](x: T[...B]) -> (y: T[...B]) {\n    let a0 = x\n" + lets.String() +
		"    y = sqrt(a40 + a39)*log(a40) + log(1 + a40) + a40*log(a40) + (exp(a40) - 1)\n}\nop h[T: float](x: T[...B]) = log(1 + g2(x)) + sqrt(g2(x))\n"
	start := time.Now()
	findings(t, src)
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("it took %v", d)
	}
}
