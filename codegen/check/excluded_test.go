package check_test

import (
	"testing"

	"github.com/opgen/opgen/codegen/check"
	"github.com/opgen/opgen/dsl"
)

// TestExcluded counts the variants that a requirement refuses whatever the call is.
func TestExcluded(t *testing.T) {
	const choice = "y = if a == -inf then x else if a > 1 then 2*x else if n == 3 then x*x else exp(x)"
	for _, c := range []struct {
		require string
		want    int // of the four variants
	}{
		{"a == a", 0},
		{"a >= 0", 1},
		{"a > -inf", 1},
		{"a >= -inf", 0},
		{"a <= 1", 1},
		{"a < 1", 1},
		{"a <= 1 || n > 3", 0}, // of two attributes
		{"a < 0 || a > 5", 0},
		{"a < -1 && a > -2", 2},
		{"a > 1.5", 3},
		{"!(a > 1)", 1},
		{"a*1 >= 0", 0}, // of more than a comparison
		{"n != 3", 1},
		{"n >= 4", 1},
		{"n > 2 && n < 4", 1},
		{"N > 3", 0},
		{"N == 1", 0},
		{"a == 0.1", 2},
	} {
		text := "package p\n\nop f[T: float](x: T[N]; a: float, n: int) -> (y: T[N]) {\n    require " + c.require + "\n    " + choice + "\n}\n"
		f, diags := dsl.Parse("p.op", []byte(text))
		p, more := check.Package([]*dsl.File{f})
		if diags.HasErrors() || more.HasErrors() {
			t.Fatal(diags.Err(), more.Err())
		}
		refused := 0
		for _, v := range p.Ops[0].Variants {
			if v.Refused != nil {
				refused++
				if len(v.Forward.Defs) > 0 || len(v.Forward.Outputs) > 0 {
					t.Errorf("%s: %v computes something", c.require, v.Choices)
				}
			}
		}
		if refused != c.want || len(p.Ops[0].Variants) != 4 {
			t.Errorf("%s: %d of %d variants are refused, want %d", c.require, refused, len(p.Ops[0].Variants), c.want)
		}
	}
}
