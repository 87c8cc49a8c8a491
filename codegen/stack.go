package codegen

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/nest"
)

// stack lowers an update for several parameters of one size that lie side by side, where one call isn't a row of elements that any number of
// parameters make longer: it reduces over each of them, or has numbers of it. It is one launch whose rows are the parameters; where that can't be
// there is none. One parameter is one row, whose long pieces have the bits that parts of reductions over all elements have; so processors run
// nothing else. On a GPU a row has one block of threads, which is too few for a large parameter.
func (f *Function) stack(p *Pair, opt nest.Options) error {
	if p.Forward == nil || !f.stackable() || !slices.ContainsFunc(p.Forward.Launches, hasNumbers) {
		return nil
	}
	opt.Name += "_stack"
	prog, err := nest.Lower(ir.Stack(f.Forward), opt)
	if err != nil || len(prog.Launches) != 1 || !inRows(prog.Launches[0]) || slices.ContainsFunc(prog.Func.Outputs, func(t *ir.Tensor) bool { return keepsOld(prog, t) }) {
		return (&Pair{}).note(err) // what can't be nests has no stack
	}
	p.Stack = prog
	return nil
}

// keepsOld tells whether new values of an output need memory of their own, since old ones are read when some of them are stored.
func keepsOld(p *nest.Program, t *ir.Tensor) bool {
	reads := slices.ContainsFunc(p.Launches, func(l *nest.Launch) bool {
		return slices.ContainsFunc(l.Operands, func(b nest.Bind) bool { return b.Tensor == t.Of })
	})
	return t.Of != nil && reads && !p.MayShare(t, t.Of)
}

// stackable tells whether a function is an update of tensors that all have the axes of the first one, or none.
func (f *Function) stackable() bool {
	op := f.Op
	if !op.Update || len(op.Totals) > 0 || len(op.Outputs) > 0 || len(f.Variant.Phases) > 0 ||
		slices.ContainsFunc(op.Attrs, func(a *ir.AttrDecl) bool { return a.Kind == ir.AttrRNG }) {
		return false
	}
	first := slices.IndexFunc(op.Inputs, func(p *ir.Param) bool { return p.Mode == ir.Inout })
	return first >= 0 && len(op.Inputs[first].Axes) == 1 && op.Inputs[first].Axes[0].Product == nil &&
		!slices.ContainsFunc(op.Inputs, func(p *ir.Param) bool {
			return p.Optional || p.Infer || len(p.Axes) > 1 || len(p.Axes) == 1 && p.Axes[0].Name != op.Inputs[first].Axes[0].Name
		})
}

// hasNumbers tells whether a launch has tensors that are single numbers, or computes some.
func hasNumbers(l *nest.Launch) bool {
	return len(l.Vector) == 0 || slices.ContainsFunc(l.Operands, func(b nest.Bind) bool { return !b.Vector.Moves })
}

// inRows tells whether the rows of a launch are stacked tensors, and its lanes their elements.
func inRows(l *nest.Launch) bool {
	return len(l.Batch) == 0 && len(l.Serial) == 0 && len(l.Grid) == 1 && l.Grid[0].Name == ir.StackAxis &&
		!slices.ContainsFunc(l.Operands, func(b nest.Bind) bool { return b.Pack })
}
