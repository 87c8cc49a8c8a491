package pass

import (
	"testing"

	"github.com/opgen/opgen/codegen/grad"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/ir/irtest"
)

// Every pass keeps what a function computes: the forward function bit for bit, gradients but for rounding.
func TestPassesKeepValues(t *testing.T) {
	for _, c := range irtest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			b, err := grad.Reverse(c.Func)
			if err != nil {
				t.Fatal(err)
			}
			in := irtest.WithOutputs(t, c.Func, c.Random(c.Func, 5))
			irtest.Cotangents(b, in, 5)
			f := c.Func
			for _, p := range Passes {
				n, nb := p.Run(f), p.Run(b)
				for _, x := range []*ir.Func{n, nb} {
					if err := ir.Verify(x); err != nil {
						t.Fatalf("%s: %v\n%v", p.Name, err, x)
					}
				}
				irtest.CheckSame(t, f, n, in, 0)
				irtest.CheckSame(t, b, nb, in, 1e-13)
				f, b = n, nb
			}
			irtest.CheckGrad(t, c.Func, b, in, 1e-8)
		})
	}
}
