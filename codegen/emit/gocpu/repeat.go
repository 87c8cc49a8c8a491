package gocpu

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/nest"
)

// repeats reports whether what a variant of a phase of an optimizer does differs, from tensor to tensor, in addresses and in the number
// of elements alone. The runtime then asks for the launches once, and repeats them: runtime.Bound.Repeat.
func (g *opGen) repeats(s *signature, variant int, bodies []*programBody) bool {
	if g.opt == nil || g.draws() || s.back || len(s.group.variants) > 1 || !slices.ContainsFunc(g.many.phases, func(p []*signature) bool { return slices.Contains(p, s) }) {
		return false
	}
	for _, r := range s.group.variants[variant].Variant.Forward.Requires {
		if ofTensor(r.Cond) {
			return false
		}
	}
	if slices.ContainsFunc(g.fitsOf(s.group.variants[variant].Variant), ofTensors) {
		return false
	}
	for _, b := range bodies {
		if len(b.head) > 0 || len(b.tail) > 0 {
			return false
		}
		for _, l := range b.program.Nests.Launches {
			if !g.repeatsLaunch(s, l) {
				return false
			}
		}
	}
	return true
}

// elementwise reports whether each element of what an optimizer renews is computed of the same element of its tensors, the attributes and the
// step alone. The runtime then updates parameters that lie side by side as one: runtime.Rule.Elementwise.
func (g *opGen) elementwise() bool {
	if g.draws() || len(g.opt.extra) > 0 || len(g.decl.Totals) > 0 || len(g.decl.Outputs) > 0 || len(g.decl.Inputs[g.opt.param].Axes) != 1 {
		return false
	}
	last := len(g.many.phases) - 1
	for i, phase := range g.many.phases {
		if slices.ContainsFunc(phase, func(s *signature) bool {
			return s != nil && (i == last && g.fails(s) || !g.elementwiseIn(s, i == last))
		}) {
			return false
		}
	}
	return true
}

// elementwiseIn is elementwise for one signature, of the phase that stores or of one before, which may test attributes alone.
func (g *opGen) elementwiseIn(s *signature, stores bool) bool {
	if len(s.group.variants) > 1 {
		return false
	}
	for variant, f := range s.group.variants {
		if slices.ContainsFunc(f.Variant.Forward.Requires, func(r ir.Require) bool { return ofTensor(r.Cond) }) {
			return false
		}
		for _, p := range s.programsOf(variant) {
			if p.Nests == nil || len(p.Nests.Checks) > 0 || slices.ContainsFunc(p.Nests.Launches, func(l *nest.Launch) bool { return !stores || !g.elementwiseLaunch(s, l) }) {
				return false
			}
		}
	}
	return true
}

// elementwiseLaunch reports whether a launch goes through all elements, of all of its tensors.
func (g *opGen) elementwiseLaunch(s *signature, l *nest.Launch) bool {
	return len(l.Vector) > 0 && g.repeatsLaunch(s, l) && !slices.ContainsFunc(l.Operands, func(b nest.Bind) bool { return !b.Vector.Moves })
}

// ofTensor reports whether a value of a call depends on its tensors.
func ofTensor(v *ir.Value) bool {
	found := false
	ir.Walk(v, func(v *ir.Value) bool {
		found = found || v.Op == ir.OpRead || v.Op == ir.OpExtent || v.Op == ir.OpPresent || emit.IsEntry(v)
		return !found
	})
	return found
}

// repeatsLaunch reports whether a launch depends on addresses and on the number of elements alone: one row of all elements, or one element.
func (g *opGen) repeatsLaunch(s *signature, l *nest.Launch) bool {
	if len(l.Batch) > 0 || len(l.Grid) > 0 || len(l.Serial) > 0 || len(l.Wanted) > 0 || len(l.Vector) > 0 && !g.allElements(l.Vector) || slices.ContainsFunc(l.Scalars, ofTensor) {
		return false
	}
	gathered := gatheredOperands(l.Nest)
	for i, b := range l.Operands {
		if b.Pack || gathered[i] || s.index(b.Tensor) < 0 || b.Vector.Moves && len(b.Vector.Axes) > 0 {
			return false
		}
	}
	return true
}

// allElements reports whether axes are those of the parameter.
func (g *opGen) allElements(axes []*ir.Axis) bool {
	return slices.EqualFunc(axes, g.decl.Inputs[g.opt.param].Axes, func(a *ir.Axis, b ir.AxisRef) bool { return a.Of == "" && a.Name == b.Name && b.Product == nil })
}

// idleCall tells the runtime that a phase does nothing with tensors.
func (g *opGen) idleCall(bodies []*programBody) []jen.Code {
	if slices.ContainsFunc(bodies, func(b *programBody) bool { return len(b.parts) > 0 }) {
		return nil
	}
	return []jen.Code{jen.Id("b").Dot("Idle").Call()}
}

// launchCall runs a launch, or lets it be repeated.
func (g *opGen) launchCall(l *nest.Launch, repeat bool) []jen.Code {
	a := func() jen.Code { return jen.Op("&").Id("a") }
	run := runLaunch(l)
	if !repeat {
		return []jen.Code{run}
	}
	asked := jen.Id("b").Dot("Repeat").Call(jen.Id(l.Nest.Name), a(), jen.Op("&").Id(planName(l.Nest)), jen.Lit(len(l.Vector) > 0))
	return []jen.Code{jen.If(jen.Op("!").Add(asked)).Block(run)}
}
