package codegen

import (
	"fmt"
	"strings"
)

// Report counts what was written.
type Report struct {
	Ops     int
	Kernels int // after sharing
	Shared  int // kernels that another one stood in for
	Lines   map[Target]int
	// Portable are the ops that have functions without kernels, on every target.
	Portable []string
}

// String is one line for people.
func (r Report) String() string {
	per := func(t Target) int {
		if r.Ops == 0 {
			return 0
		}
		return r.Lines[t] / r.Ops
	}
	text := fmt.Sprintf("%d ops, %d kernels (%d more were equal to one of these); lines an op: %d Go, %d assembly, %d CUDA C",
		r.Ops, r.Kernels, r.Shared, per(Go), per(AMD64), per(CUDA))
	if len(r.Portable) > 0 {
		text += "; portable Go only: " + strings.Join(r.Portable, ", ")
	}
	return text
}
