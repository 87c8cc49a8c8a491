package pass

import (
	"github.com/opgen/opgen/codegen/grad"
	"github.com/opgen/opgen/codegen/ir"
)

// Empty guards what is multiplied with sums over nothing; see grad.Nonempty. Linear takes these guards off, so that it
// sees the products.
func Empty(f *ir.Func) *ir.Func { return with(f, grad.Nonempty(f)) }
