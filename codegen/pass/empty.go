package pass

import (
	"slices"

	"github.com/opgen/opgen/codegen/grad"
	"github.com/opgen/opgen/codegen/ir"
)

// Empty guards what is multiplied with sums over nothing; see grad.Nonempty. Linear takes these guards off, so that it
// sees the products.
func Empty(f *ir.Func) *ir.Func { return with(f, grad.Nonempty(f)) }

// Asked guards what gradients, conditions and ranges ask of maxima that may have no points; see ir.Askable. Linear takes such guards off, too.
func Asked(f *ir.Func) *ir.Func {
	if !slices.ContainsFunc(f.Defs, func(d *ir.Def) bool { return d.Derived }) {
		return f
	}
	return with(f, ir.Askable(f))
}
