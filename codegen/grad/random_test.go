package grad

import (
	"testing"

	"github.com/opgen/opgen/codegen/ir/irtest"
	"pgregory.net/rapid"
)

// Gradients of random formulas against differences.
func TestRandomFunctions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := irtest.Random(t)
		b, err := Reverse(f)
		if err != nil {
			t.Fatalf("%v\n%v", err, f)
		}
		c := irtest.Case{Extents: map[string]int{"B": 2, "D": 3}, Lo: -1, Hi: 1}
		in := irtest.WithOutputs(t, f, c.Random(f, 11))
		irtest.Cotangents(b, in, 12)
		irtest.CheckGrad(t, f, b, in, 1e-7)
	})
}
