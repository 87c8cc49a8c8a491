// Package codegen is opgen from text to files: the whole pipeline as one list. It reads and returns bytes; files are
// the business of the command.
package codegen

import (
	"fmt"
	"slices"

	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/grad/prove"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/nest"
	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
)

// Target is a kind of code that opgen writes.
type Target string

const (
	Go    Target = "go"    // portable Go and the API; always written
	AMD64 Target = "amd64" // Go assembly, AVX2 and AVX-512
	CUDA  Target = "cuda"  // CUDA C
)

// Targets are all there are.
var Targets = []Target{Go, AMD64, CUDA}

// Build is one package on its way through the pipeline. Each stage fills in a part.
type Build struct {
	Source  Source
	Targets map[Target]bool

	Files     []*dsl.File
	Imported  []SourceFile           // files of other packages that were read
	Trees     map[string][]*dsl.File // the same, parsed, by path of import
	Package   *ir.Package
	Functions []*Function
	Kernels   map[string][]*nest.Nest // by the base name of the .op file that they belong to
	uses      map[Target]map[*nest.Nest]bool
	Out       []emit.File
	Report    Report
	Diags     diag.List
}

// Function is one op under one set of static choices.
type Function struct {
	Op        *ir.OpDecl
	Variant   *ir.Variant
	Name      string // op and choices, an identifier: smooth_l1_mean
	Forward   *ir.Func
	Derived   *ir.Func // the backward function by the reverse rule alone; nil where nothing is differentiated
	Backward  *ir.Func // the one that is used: with derivatives by hand
	reversed  *ir.Func // Backward before it was simplified
	Gradients []prove.Status
	Pairs     []*Pair
	Again     map[string]bool // tensors that the derivative computes again, by name: see again.go
	Kept      []*ir.Tensor    // what Forward keeps for Reader because the spec says so: see keep.go
	Reader    *ir.Func        // Backward, with what is kept among its inputs
	Phases    []*Function     // of an update whose call with several tensors has phases: see ir.Split; nil where one does nothing
}

// takePhases makes functions of the phases of a variant.
func (f *Function) takePhases() {
	for i, p := range f.Variant.Phases {
		if p == nil {
			f.Phases = append(f.Phases, nil)
			continue
		}
		f.Phases = append(f.Phases, &Function{Op: f.Op, Variant: f.Variant, Name: fmt.Sprintf("%s_phase%d", f.Name, i+1), Forward: p})
	}
}

// all are the functions with their phases.
func (b *Build) all() []*Function {
	r := slices.Clone(b.Functions)
	for _, f := range b.Functions {
		for _, p := range f.Phases {
			if p != nil {
				r = append(r, p)
			}
		}
	}
	return r
}

// Pair is a function lowered for one choice of dtypes.
type Pair struct {
	DTypes            map[string]string
	Wide              bool          // integers of all dtypes become i64 first
	Forward, Backward *nest.Program // nil where nests can't express the function, which is then written from its definitions
	Stack             *nest.Program // Forward, for any number of tensors of one size side by side: what processors run in its place; nil: there is no use in it
	Portable          []string      // why, for each that is nil so
	Derivative        *ir.Func      // the backward function for these dtypes; nil where there is none
}
