package emit

import (
	"maps"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/nest"
)

// Unsupported says why no code can be written for an op.
type Unsupported struct {
	Op     *ir.OpDecl
	Reason string
}

func (e *Unsupported) Error() string { return e.Op.Package + "." + e.Op.Name + ": " + e.Reason }

// Program is how one function runs: by launches of nests or, where nests can't express it, by a portable function that is
// written straight from its definitions.
type Program struct {
	Func  *ir.Func
	Nests *nest.Program       // nil: the portable function
	kept  []*ir.Tensor        // what the portable function writes for a derivative; among the outputs of Func
	reads map[*ir.Tensor]bool // what the portable function reads
}

// Launched is the program of nests; nil where there is none.
func Launched(p *nest.Program) *Program {
	if p == nil {
		return nil
	}
	return &Program{Func: p.Func, Nests: p}
}

// Portable is the program that is written from the definitions of f, and keeps tensors for a derivative; nil where there is no function.
func Portable(f *ir.Func, kept ...*ir.Tensor) *Program {
	if f == nil {
		return nil
	}
	if len(kept) > 0 {
		g := *f
		g.Outputs = slices.Concat(f.Outputs, kept)
		f = &g
	}
	p := &Program{Func: f, kept: kept, reads: map[*ir.Tensor]bool{}}
	for _, d := range ir.Live(f) {
		maps.Copy(p.reads, d.Reads())
	}
	return p
}

// Saved are the tensors that are written for a derivative, beside the outputs.
func (p *Program) Saved() []*ir.Tensor {
	if p.Nests == nil {
		return p.kept
	}
	return p.Nests.Saved
}

// MayShare tells whether an output may have the memory of an input.
func (p *Program) MayShare(out, in *ir.Tensor) bool {
	return p.Nests != nil && p.Nests.MayShare(out, in)
}

// Fails tells whether a run can end with an error.
func (p *Program) Fails() bool { return p.Nests == nil || len(p.Nests.Checks) > 0 }

// Takes tells whether a run needs a tensor, if only to know where it is.
func (p *Program) Takes(t *ir.Tensor) bool {
	return p.uses(t, func(*nest.Operand) bool { return true })
}

// Reads tells whether a run reads elements of a tensor.
func (p *Program) Reads(t *ir.Tensor) bool {
	if p.Nests != nil {
		for _, c := range p.Nests.Checks {
			if c.Index == t {
				return true
			}
		}
	}
	return p.uses(t, func(o *nest.Operand) bool { return o.Mode == nest.In })
}

func (p *Program) uses(t *ir.Tensor, how func(*nest.Operand) bool) bool {
	if p.Nests == nil {
		return p.reads[t]
	}
	for _, l := range p.Nests.Launches {
		for k, b := range l.Operands {
			if b.Tensor == t && how(&l.Nest.Operands[k]) {
				return true
			}
		}
	}
	return false
}
