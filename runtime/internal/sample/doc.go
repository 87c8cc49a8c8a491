// Package sample is generated code written by hand: a loss with a reduction, an op along an axis and an optimizer. It is
// what the emitter of portable Go is measured against, and what the tests of package runtime run.
package sample

import "github.com/opgen/opgen/runtime"

const _ = runtime.GeneratedCodeV1

const importPath = "github.com/opgen/opgen/runtime/internal/sample"

// Reduction says how the values of a loss are combined. Its zero value is the default of the op.
type Reduction uint8

// Reductions.
const (
	ReductionNone Reduction = iota + 1
	ReductionMean
	ReductionSum
)

// String is the word in .op files.
func (r Reduction) String() string {
	switch r {
	case ReductionNone:
		return "none"
	case ReductionMean:
		return "mean"
	case ReductionSum:
		return "sum"
	}
	return "default"
}
