package prove_test

import (
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen"
)

// TestMessages has a mistake of each usual kind, with parts of what the message and the hint say of it: the counterexample is small, and the
// cause is named.
func TestMessages(t *testing.T) {
	for _, c := range []struct{ op, grad, message, hint string }{
		{"(x: T[...B]) -> (y: T[...B]) { y = x^3", "x = @y*2*x^2", "B = 1, x = [1], @y = [1], the formula gives 2 at element [0], the derivative is 3", "a factor is missing: 3/2"},
		{"(x: T[...B]) -> (y: T[...B]) { y = cos(x)", "x = @y*sin(x)", "B = 1, x = [1]", "the sign is wrong"},
		{"(x: T[...B]; k: float) -> (y: T[...B]) { y = sin(k*x)", "x = @y*cos(k*x)", "x = [1], @y = [1]", "a factor is missing: k"},
		{"(x, w: T[...B]) -> (y: T[...B]) { y = sin(w*x)", "x = @y*cos(w*x)", "", "a factor is missing: w"},
		{"(z, x: T[...B]) -> (y: T[...B]) { y = z/x", "x = -@y*z/x", "", "a division is missing: by x"},
		{"(x: T[...B]) -> (y: T[...B]) { y = abs(x)^3", "x = 3*x^2*@y", "x = [-1]", "a factor is missing: sign(x)"},
		{"(x: T[N]) -> (y: T[]) { y = mean(x^2)", "x = 2*x*@y", "N = 2, x = [1 1]", "a division is missing: by the number of elements along N"},
		{"(x: T[N]) -> (y: T[]) {\n    y = sum((x - mean(x))^2)/(N - 1)", "x = 2*@y*(x - mean(x))/N", "N = 2",
			"a factor is missing: the number of elements along N; a division is missing: by (-1 + N)"},
		{"(z: T[N, M], x: T[M]) -> (y: T[N, M]) { y = z*x", "x[m] = @y[0, m]*z[0, m]", "N = 2, M = 1", "a sum over N is missing"},
		{"(z: T[N, H, M], x: T[M]) -> (y: T[N, H, M]) { y = z*x", "x[m] = sum[n](@y[n, 0, m]*z[n, 0, m])", "H = 2, M = 1", "a sum over H is missing"},
		{"(x: T[N], i: i64[M]) -> (y: T[M]) { y[m] = x[i[m]]", "x[n] = if i[0] == n then @y[0] else 0", "M = 2", "a sum over M is missing"},
		{"(w, x: T[N]) -> (y: T[N]) { y = w*x", "x = sum[N](@y*w)", "N = 2", "a sum over N is too much"},
		{"(w: T[N, N], x: T[N]) -> (y: T[N]) { y[i] = sum[j](w[i, j]*x[j])", "x[j] = sum[i](@y[i]*w[j, i])", "N = 2", "the indices in sum(@y*w) are others"},
		{"(x: T[...B]) -> (y: T[...B]) { y = if x > 0 then x else 0.1*x", "x = if x > 0 then 0.1*@y else @y", "x = [1], @y = [1]", "the branches are exchanged: that for x < 0 is the other one"},
		{"(x: T[...B]; k: float = 1) -> (y: T[...B]) {\n    require k > 0 else \"k\"\n    y = if abs(x) < k then x^2/2/k else abs(x) - k/2",
			"x = @y*(if abs(x) < 2*k then x/k else sign(x))", "B = 1", "a condition is wrong: k - 1/2*abs(x) < 0, where the derivative changes at k - abs(x) < 0"},
		{"(x: T[N, N]) -> (y: T[N, N]) { y[i, j] = if j <= i then x[i, j] else 0", "x[i, j] = if j >= i then @y[i, j] else 0", "N = 2",
			"a condition is wrong: n - n2 > 0, where the derivative changes at n - n2 < 0"},
		{"(x: T[N]; k: int = 0) -> (y: T[N]) { y[n] = x[(n + k) % N]", "x[n] = @y[(n + k) % N]", "k = 3", ""},
		{"(x: T[...B]) -> (y: T[...B]) { y = x^2", "x = if abs(x) > 50 then @y else 2*x*@y", "B = 1, x = [60]", "where the condition abs(x) > 50 holds"},
		{"(x: T[...B]) -> (y: T[...B]) { y = x^2", "x = if x == 3 then 0 else 2*x*@y", "x = [3]", "where the condition x == 3 holds"},
		{"(x: T[N]) -> (y: T[]) { y = sum(x^2)", "x = if N > 6 then x*@y else 2*x*@y", "N = 7, @y = [1], the formula gives 1 at element [0], the derivative is 2, where 6 < N", "a factor is missing: 2"},
		{"(x: T[...B]; a: float = 1) -> (y: T[...B]) { y = a*x", "x = if a == 0.5 then @y else a*@y", "where a == 1/2", "a division is missing: by 2"},
		{"(x: T[...B, D]) -> (y: T[...B]) { y = max[D](x)", "x = @y/D", "B = 1, D = 2, x = [1 2], @y = [1]", ""},
		{"(x: T[...B]) -> (y, z: T[...B]) { y = sin(x)\n    z = x^2", "x = @y*cos(x)", "x = [1], @y = [1], @z = [1]", "a term is missing: 2*@z*x"},
		{"(x: T[...B], w?: T[...B]) -> (y: T[...B]) { y = x*(w ?? 2)", "x = @y*(w ?? 1)", "where w is left out", "a factor is missing: 2"},
		{"(x: T[N]; a, b: int) -> (y: T[N]) { y = a*x + b*x", "x = if a + b == 11 then @y else (a + b)*@y", "with which a call takes this branch, where a + b == 11", "drop the branch"},
		// Without elements nothing is tested.
		{"(x: T[N]) -> (y: T[N]) {\n    require all(x > 1e9) else \"x\"\n    y = x^2", "x = @y*x", "cannot tell whether this is the gradient of x: it was not proved, and no point was found", "leave the formula out"},
	} {
		code := "grad-wrong"
		if strings.HasPrefix(c.message, "cannot tell") || strings.HasPrefix(c.message, "with which") {
			code = "grad-unknown"
		}
		text := "package p\n\nop f[T: float]" + c.op + "\n    grad " + c.grad + "\n}\n"
		b := codegen.New(codegen.Source{Dir: ".", ImportPath: "p", Files: []codegen.SourceFile{{Name: "f.op", Data: []byte(text)}}})
		if b.Run("prove") || len(b.Diags.All) != 1 {
			t.Errorf("%s\n%s", text, b.Diags.Format(nil))
			continue
		}
		if d := b.Diags.All[0]; d.Code != code || !strings.Contains(d.Message, c.message) || !strings.HasPrefix(d.Hint, c.hint) && !strings.HasSuffix(d.Hint, c.hint) || (c.hint == "") != (d.Hint == "") {
			t.Errorf("%s\n%s: %s\nhint: %s", text, d.Code, d.Message, d.Hint)
		}
	}
}
