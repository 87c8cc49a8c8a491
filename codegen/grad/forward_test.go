package grad

import (
	"math"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/ir/irtest"
	"pgregory.net/rapid"
)

// Forward and reverse mode are each other's transpose: ⟨ȳ, J·v⟩ = ⟨Jᵀ·ȳ, v⟩.
func TestForwardIsTransposed(t *testing.T) {
	for _, c := range irtest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			for seed := range uint64(3) {
				checkDual(t, c.Func, c.Random(c.Func, seed), seed, 1e-12)
			}
		})
	}
}

func TestForwardOfRandomFunctions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := irtest.Random(t)
		c := irtest.Case{Extents: map[string]int{"B": 2, "D": 3}, Lo: -1, Hi: 1}
		checkDual(t, f, c.Random(f, 11), 12, 1e-10)
	})
}

// The gradient is derived in both ways: reverse over reverse and forward over reverse are transposed.
func TestSecondOrderBothWays(t *testing.T) {
	for _, c := range irtest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			first := Close(backward(t, c.Func))
			in := c.Random(c.Func, 3)
			irtest.Cotangents(first, in, 3)
			checkDual(t, first, in, 4, 1e-11)
		})
	}
}

// checkDual checks that forward and reverse mode of f are transposed at a point.
func checkDual(t irtest.Reporter, f *ir.Func, in ir.Binding, seed uint64, tolerance float64) {
	t.Helper()
	back, err := Reverse(f)
	if err != nil {
		t.Fatalf("%v\n%v", err, f)
	}
	fore, err := Forward(f)
	if err != nil {
		t.Fatalf("%v\n%v", err, f)
	}
	in = irtest.WithOutputs(t, f, in)
	irtest.Directions(back, in, ir.Cotangent, seed)
	irtest.Directions(fore, in, ir.Tangent, seed+1)
	grads, err := ir.Eval(back, in)
	if err != nil {
		t.Fatalf("%v\n%v", err, back)
	}
	tangents, err := ir.Eval(fore, in)
	if err != nil {
		t.Fatalf("%v\n%v", err, fore)
	}
	left, right, scale := irtest.Dual(back, fore, in, grads, tangents)
	if !(math.Abs(left-right) <= tolerance*(1+scale)) {
		t.Errorf("⟨ȳ, J·v⟩ is %v and ⟨Jᵀ·ȳ, v⟩ is %v\n%v\n%v", left, right, fore, back)
	}
}
