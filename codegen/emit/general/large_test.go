package general_test

import (
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen"
)

// TestLargeExact compiles formulas unless they compute with exact numbers that no i64 holds, which the checker refuses and Go wouldn't compile; what
// makes one a float, or an element of u64 that holds it, stands as it is written.
func TestLargeExact(t *testing.T) {
	for _, c := range []struct {
		formula string
		right   bool
	}{
		{"x[n]*sum[i in 0..3 where i < 99999999999999999999](i)", false},
		{"x[n + 99999999999999999999] ?? 0", false},
		{"x[n]*(99999999999999999999 % (n + 1))", false},
		{"x[n]*floor(n*1e30/1e29)", false},
		{"x[n]*max[i in N](i*1e25)", false},
		{"sum[i in 0..99999999999999999999](x[n]*i)", false},
		{"x[n]*1e30 + T(1e31)*(10000000000000000001/99999999999999999999)", true},
		{"x[n]*T(u64(10000000000000000000) + u64(n))", true},
	} {
		text := "package p\n\nop f[T: float](x: T[N]) -> (y: T[N]) { y[n] = " + c.formula + " }\n"
		b := codegen.New(codegen.Source{Dir: "p", ImportPath: "p", Files: []codegen.SourceFile{{Name: "p.op", Data: []byte(text)}}}, codegen.Go)
		switch ok := b.Run(""); {
		case ok != c.right:
			t.Errorf("%s: accepted = %v\n%v", c.formula, ok, b.Diags.Err())
		case !ok && !strings.Contains(b.Diags.Err().Error(), "[number-range]"):
			t.Errorf("%s: %v", c.formula, b.Diags.Err())
		}
	}
}
