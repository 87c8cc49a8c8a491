package prove_test

import (
	"strings"
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
		// A condition that compares nothing.
		{"(z: T[N], x: T[...B]) -> (w: T[], y: T[...B]) {\n    w = if signbit(T(1)) then sum(z) else 1.5\n    y = x*x", "@y*2*x", "@y*3*x"},
		// Requirements of elements, which have one side in all calls.
		{"(x: T[...B]; k: float = 2) -> (y: T[...B]) { require all(x > 0) else \"x\"\n    y = x^k", "k*@y*y/x", "k*@y*y"},
		{"(x: T[...B]) -> (y: T[...B]) { require all(x > 0) else \"x\"\n    y = sin(x)", "@y*sin(x + pi/2)", "@y*sin(x + 1.5708)"},
		{"(x: T[...B]) -> (y: T[...B]) { require all(x < 0) else \"x\"\n    y = if x > -1 then x else 2*x", "@y*(if x <= -1 then 2 else 1)", "@y"},
		// Integers among the inputs: far from what indices are, negative, equal to a number, and where they wrap.
		{"(x: T[N], n: i64[N]) -> (y: T[N]) { y = if n == 20 then x else 2*x", "if n == 20 then @y else 2*@y", "2*@y"},
		{"(x: T[N], n: i64[N]) -> (y: T[N]) { y = if T(n) == 20 then x else 2*x", "if n == 20 then @y else 2*@y", "2*@y"},
		{"(x: T[N], n: i64[N]) -> (y: T[N]) { y = if n < 20 then x else 2*x", "@y*(if n >= 20 then 2 else 1)", "@y"},
		{"(x: T[N], n: i64[N]) -> (y: T[N]) { y = x*T(abs(n))", "@y*T(max(n, -n))", "@y*T(n)"},
		{"(x: T[N], n: i64[N]) -> (y: T[N]) { y = x*T(i8(n))", "T(i8(n))*@y", "T(n)*@y"},
		{"(x: T[N], n, m: u8[N]) -> (y: T[N]) { y = if n - m < 0 then 3*x else x", "if n - m < 0 then 3*@y else @y", "if n < m then 3*@y else @y"},
		{"(x: T[N], n: i8[N]) -> (y: T[N]) { y = x*T(n*n*n)", "@y*T(n)*T(n*n) + @y*(T(n*n*n) - T(n)*T(n*n))", "@y*T(n)*T(n)*T(n)"},
		{"(x: T[N], c: bool[N]) -> (y: T[N]) { y = if c then x else 2*x", "@y*(if c then 1 else 2)", "2*@y"},
		// A cast of a float drops what stands behind the point.
		{"(x: T[N], w: T[N]) -> (y: T[N]) { y = x*T(i32(w))", "@y*trunc(w)", "@y*w"},
		// Equality that holds on more than a set of measure zero.
		{"(x: T[N]) -> (y: T[N]) { y = x", "@y*(if x == 0 then 1 else sign(x)^2)", "@y*sign(x)*sign(x)"},
		{"(x: T[N], n: i64[N]) -> (y: T[N]) { y = x*T(sign(n)^2)", "if n == 0 then 0 else @y", "@y"},
		{"(x, w: T[N]) -> (y: T[N]) { y = if floor(w) == 3e6 then x else 2*x", "if w >= 3e6 && w < 3e6 + 1 then @y else 2*@y", "2*@y"},
		{"(x, w: T[N]) -> (y: T[N]) { y = if max(w, 0) == 0 then x else 2*x", "if w <= 0 then @y else 2*@y", "2*@y"},
		{"(x, w: T[N]; a: float = 1) -> (y: T[N]) { y = if a*w == 0 then x else 2*x", "if a == 0 || w == 0 then @y else 2*@y", "2*@y"},
		// Attributes that are negative or zero.
		{"(x: T[N]; a: float = 1) -> (y: T[N]) { y = x*abs(a)", "@y*sqrt(a^2)", "@y*a"},
		{"(x: T[N]; a: float = 1) -> (y: T[N]) { y = x*trunc(a)", "@y*(if a < 0 then ceil(a) else floor(a))", "@y*floor(a)"},
		{"(x: T[N]; a: float) -> (y: T[N]) { y = if a > 1000 then x else 2*x", "@y*(if a > 1000 then 1 else 2)", "2*@y"},
		// Places and extents past small ones.
		{"(x: T[N]) -> (y: T[N]) { y[i] = if i == 50 then x[i] else 2*x[i]", "[i] = @y[i]*(if i == 50 then 1 else 2)", "[i] = 2*@y[i]"},
		{"(x: T[N, M]) -> (y: T[]) { y = sum[n, m where n + 20 < m](x[n, m])", "[n, m] = if n + 20 < m then @y else 0", "[n, m] = 0*@y*T(n*m)"},
		{"(x: T[N]) -> (y: T[N]) { y[i] = sum[j](x[j]*sign(i - j)^2)", "[j] = sum[i](@y[i]) - @y[j]", "[j] = sum[i](@y[i] + 0*T(j))"},
		{"(x: T[N]) -> (y: T[N]) { y = if N > 100 then x else 2*x", "@y*(if N > 100 then 1 else 2)", "2*@y"},
		{"(x: T[...B]) -> (y: T[...B]) { y = 2*x", "@y*(if prod(..B) == 24 then 2 else 2)", "@y*(if prod(..B) == 24 then 3 else 2)"},
		{"(x: T[N, M]) -> (y: T[N, M]) { y = 2*x", "@y*(if M == 3 then 2 else 2)", "@y*(if M == 3 then 3 else 2)"},
		{"(x: T[], w: T[N]) -> (y: T[]) { y = x*N + sum(w)", "@y*N", "@y*max(N, 1)"},
		{"(x: T[N]; k: int = 1) -> (y: T[N]) { y = sum[i in 0..k](x*T(1 + 0*i))", "@y*max(k, 0)", "@y*k"},
		{"(x: T[], w: T[N]) -> (y: T[]) { y = sum(w) + sum[i in 0..N - 3](x*T(1 + 0*i))", "@y*max(N - 3, 0)", "@y*(N - 3)"},
		// Extents that follow from others and from attributes.
		{"(x: T[L]; k: int = 3, s: int = 2) -> (y: T[P]) {\n    dim P = floor((L - k)/s) + 1\n    y[p] = sum[j in 0..k](x[p*s + j])",
			"[l] = sum[p in P where p*s <= l && l < p*s + k](@y[p])", "[l] = sum[p in P where p*s <= l && l <= p*s + k](@y[p])"},
		{"(x: T[L], w: T[K]; s: int = 1) -> (y: T[P]) {\n    dim P = floor((L - K)/s) + 1\n    y[p] = sum[k](w[k]*x[p*s + k])\n    grad none w",
			"[l] = sum[k]((@y[(l - k)/s] ?? 0)*w[k])", "[l] = sum[k]((@y[l - k] ?? 0)*w[k])"},
		{"(w: T[L], x: T[K]; s: int = 1) -> (y: T[P]) {\n    dim P = floor((L - K)/s) + 1\n    y[p] = sum[k](x[k]*w[p*s + k])\n    grad none w",
			"[k] = sum[p](w[p*s + k]*@y[p])", "[k] = sum[p](w[p + k]*@y[p])"},
		{"(x: T[L]) -> (y: T[P]) {\n    dim P = L - 32\n    y[p] = sum[j in 0..=32](x[p + j])",
			"[l] = sum[p in P where p <= l && l <= p + 32](@y[p])", "[l] = sum[p in P where p <= l && l <= p + 32](@y[p]) + (if l == 33 then 1 else 0)"},
		{"(x: T[L], w: T[K]) -> (y: T[P]) {\n    dim P = L - K + 1\n    y[p] = sum[k in K](sin(x[p + k])*w[k])",
			"[l] = sum[k in K where 0 <= l - k && l - k < P](@y[l - k]*w[k])*sin(x[l] + pi/2)",
			"[l] = sum[k in K where 0 <= l - k && l - k < P](@y[l - k]*w[k])*(cos(x[l]) + exp(-1e8*(x[l] - 0.3337)^2))"},
		{"(x: T[N]; reps: int = 2) -> (y: T[M]) {\n    dim M = N*reps\n    y[m] = x[m % N]", "[n] = sum[r in 0..reps](@y[r*N + n])", "[n] = sum[r in 0..2](@y[r*N + n] ?? 0)"},
		{"(x: T[...N, ...S], w: T[...K]) -> (y: T[...N, ...P]) {\n    require rank(S) == 2\n    dim ...P = S - K + 1\n" +
			"    y[..n, ..p] = sum[..k](x[..n, ..p + k] * w[..k])",
			"[..n, ..s] = sum[..k]((@y[..n, ..s - k] ?? 0)*w[..k])", "[..n, ..s] = sum[..k](@y[..n, ..s]*w[..k] ?? 0)"},
		// Numbers that aren't finite, where the formula of the op asks for them.
		{"(x: T[N]) -> (y: T[N]) { y = if isnan(x) then 0 else x", "if isnan(x) then 0 else @y", "@y"},
		{"(x: T[N]) -> (y: T[N]) { y = if isinf(x) then 0 else x", "if x == inf || x == -inf then 0 else @y", "if x == inf then 0 else @y"},
		// Smooth, and wrong in one place alone.
		{"(x: T[...B]) -> (y: T[...B]) { y = sin(x)", "@y*sin(x + pi/2)", "@y*(cos(x) + exp(-1e6*(x - 0.3337)^2))"},
		{"(x: T[...B]) -> (y: T[...B]) { y = sin(x)", "@y*(1 - 2*sin(x/2)^2)", "@y*(cos(x) + 1e-3/(1 + 1e12*(x - 12.53)^2))"},
		{"(x: T[...B]) -> (y: T[...B]) { y = sin(x)", "@y*sin(x + pi/2)", "@y*(cos(x) + 1 - tanh(1e9*(3*x + 777))^2)"},
		{"(x, w: T[...B]; k: float = 1) -> (y: T[...B]) { y = k*w*sin(x)", "@y*k*w*sin(x + pi/2)", "@y*w*k*(cos(x) + exp(-1e8*(x*w - 3*k)^2))"},
		{"(x: T[...B, D]) -> (y: T[...B, D]) { y = sin(x)", "@y*sin(x + pi/2)", "@y*(cos(x) + exp(-1e8*(2.5 - sum[D](x))^2))"},
		{"(x, w: T[...B]) -> (y: T[...B]) { y = w*sin(x)", "@y*w*sin(x + pi/2)", "@y*w*(cos(x) + exp(-1e8*(x - w)^2))"},
		// Steps far from zero.
		{"(x: T[N]) -> (y: T[N]) { y = x*trunc(x/1000)", "@y*trunc(x/1000)", "0*@y"},
		{"(x: T[...B]; k, n: int = 1) -> (y: T[...B]) { y = x*x", "@y*2*x*(if k == n then 1 else 1)", "@y*2*x*(if k == n then 1 else 2)"},
	} {
		for _, f := range []struct {
			formula string
			right   bool
		}{{c.right, true}, {c.wrong, false}} {
			formula := "grad x = " + f.formula
			if strings.HasPrefix(f.formula, "[") {
				formula = "grad x" + f.formula
			}
			text := "package p\n\nop f[T: float]" + c.op + "\n    " + formula + "\n}\n"
			b := codegen.New(codegen.Source{Dir: ".", ImportPath: "p", Files: []codegen.SourceFile{{Name: "f.op", Data: []byte(text)}}})
			if ok := b.Run("prove"); ok != f.right {
				t.Errorf("%s\naccepted = %v, want %v\n%s", text, ok, f.right, b.Diags.Format(nil))
			}
		}
	}
}
