// Package codegen is opgen from text to files: the whole pipeline as one list. It reads and returns bytes; files are
// the business of the command.
package codegen

import (
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
	Imported  []SourceFile // files of other packages that were read
	Package   *ir.Package
	Functions []*Function
	Kernels   map[string][]*nest.Nest // by the base name of the .op file that they belong to
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
	Gradients []prove.Status
	Pairs     []*Pair
}

// Pair is a function lowered for one choice of dtypes.
type Pair struct {
	DTypes            map[string]string
	Forward, Backward *nest.Program // nil where nests can't express the function, which is then written from its definitions
	Portable          []string      // why, for each that is nil so
}
