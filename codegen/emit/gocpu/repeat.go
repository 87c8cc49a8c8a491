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
		if len(b.head) > len(b.program.Nests.Temps) || len(b.tail) > 0 || !g.repeatsProgram(s, b.program) {
			return false
		}
	}
	return true
}

// kind is what the runtime may do with parameters of an optimizer that lie side by side.
type kind int

const (
	anyKind     kind = iota
	elementwise      // each element is computed of the same element of the tensors, attributes and the step alone: runtime.Rule.Elementwise
	repeating        // the same launches for each parameter, with other addresses and numbers of elements: runtime.Rule.Repeats
)

// kind finds what an optimizer is: elementwise, if it can be.
func (g *opGen) kind() kind {
	param := g.decl.Inputs[g.opt.param]
	switch {
	case g.draws() || len(g.opt.extra) > 0 || len(g.decl.Totals) > 0 || len(g.decl.Outputs) > 0 || len(param.Axes) != 1:
		return anyKind
	case g.all(g.elementwiseProgram):
		return elementwise
	case g.all(g.repeatsProgram) && !slices.ContainsFunc(g.decl.Inputs, func(p *ir.Param) bool { return len(p.Axes) > 0 && !slices.EqualFunc(p.Axes, param.Axes, sameAxis) }):
		return repeating
	}
	return anyKind
}

// sameAxis reports whether two axes of a declaration are one, by its name.
func sameAxis(a, b ir.AxisRef) bool {
	return a.Product == nil && b.Product == nil && a.Name == b.Name && a.Pack == b.Pack
}

// all reports whether what an optimizer stores is computed by such programs alone, without errors; what comes before may test attributes.
func (g *opGen) all(fits func(*signature, typedProgram) bool) bool {
	last := len(g.many.phases) - 1
	for i, phase := range g.many.phases {
		if slices.ContainsFunc(phase, func(s *signature) bool {
			return s != nil && (i == last && g.fails(s) || !allIn(s, i == last, fits))
		}) {
			return false
		}
	}
	return true
}

// allIn is all for one signature, of the phase that stores or of one before.
func allIn(s *signature, stores bool, fits func(*signature, typedProgram) bool) bool {
	if len(s.group.variants) > 1 {
		return false
	}
	for variant, f := range s.group.variants {
		if slices.ContainsFunc(f.Variant.Forward.Requires, func(r ir.Require) bool { return ofTensor(r.Cond) }) {
			return false
		}
		for _, p := range s.programsOf(variant) {
			if p.Nests == nil || len(p.Nests.Checks) > 0 || !stores && len(p.Nests.Launches) > 0 || !fits(s, p) {
				return false
			}
		}
	}
	return true
}

// elementwiseProgram reports whether each launch goes through all elements, of all of its tensors.
func (g *opGen) elementwiseProgram(s *signature, p typedProgram) bool {
	return g.repeatsProgram(s, p) && !slices.ContainsFunc(p.Nests.Launches, func(l *nest.Launch) bool {
		return len(l.Vector) == 0 || len(l.Grid) > 0 || slices.ContainsFunc(l.Scalars, ofSize) || slices.ContainsFunc(l.Operands, func(b nest.Bind) bool { return !b.Vector.Moves })
	})
}

// repeatsProgram reports whether launches depend on addresses and on the number of elements alone, and pass on nothing but numbers.
func (g *opGen) repeatsProgram(s *signature, p typedProgram) bool {
	return !slices.ContainsFunc(p.Nests.Temps, func(t *ir.Tensor) bool { return len(t.Axes) > 0 && !isStacked(t) }) &&
		!slices.ContainsFunc(p.Func.Outputs, func(t *ir.Tensor) bool { return s.apart(p, t) }) &&
		!slices.ContainsFunc(p.Nests.Launches, func(l *nest.Launch) bool { return !g.repeatsLaunch(s, p, l) })
}

// rowsProgram reports whether all launches have a row for each of any number of tensors: see ir.Stack.
func rowsProgram(_ *signature, p typedProgram) bool {
	return !slices.ContainsFunc(p.Nests.Launches, func(l *nest.Launch) bool { return !inRows(l) })
}

// inRows reports whether the rows of a launch are stacked tensors.
func inRows(l *nest.Launch) bool { return len(l.Grid) == 1 && isStack(l.Grid[0]) }

// isStacked reports whether a tensor has one more axis than in a call.
func isStacked(t *ir.Tensor) bool { return len(t.Axes) > 0 && isStack(t.Axes[0]) }

func isStack(a *ir.Axis) bool { return a.Name == ir.StackAxis }

// ofCall are the axes that there are in a call: without that of stacked tensors.
func ofCall(axes []*ir.Axis) []*ir.Axis {
	if len(axes) > 0 && isStack(axes[0]) {
		return axes[1:]
	}
	return axes
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

// ofSize reports whether a number of a call depends on how many elements its tensors have, where these have some.
func ofSize(v *ir.Value) bool {
	found := false
	ir.Walk(v, func(v *ir.Value) bool {
		found = found || v.Op == ir.OpExtent
		return !found && !hasPoints(v)
	})
	return found
}

// hasPoints reports whether a condition says that an axis has points, as that of a parameter with elements.
func hasPoints(v *ir.Value) bool {
	return v.Op == ir.OpLt && ir.IsConst(v.Args[0], 0) && v.Args[1].Op == ir.OpExtent
}

// repeatsLaunch reports whether a launch depends on addresses and on the number of elements alone: one row of all elements, or one element.
func (g *opGen) repeatsLaunch(s *signature, p typedProgram, l *nest.Launch) bool {
	if len(l.Batch) > 0 || len(l.Grid) > 0 && !inRows(l) || len(l.Serial) > 0 || len(l.Wanted) > 0 || len(l.Vector) > 0 && !g.allElements(l.Vector) || slices.ContainsFunc(l.Scalars, g.ofShape) {
		return false
	}
	gathered := gatheredOperands(l.Nest)
	for i, b := range l.Operands {
		if b.Pack || gathered[i] || s.index(b.Tensor) < 0 && !slices.Contains(p.Nests.Temps, b.Tensor) || b.Vector.Moves && len(b.Vector.Axes) > 0 {
			return false
		}
	}
	return true
}

// ofShape reports whether a number of a call depends on more of its tensors than how many elements they have.
func (g *opGen) ofShape(v *ir.Value) bool {
	elements := func(a *ir.Axis) bool {
		return len(g.decl.Inputs[g.opt.param].Axes) == 1 && g.allElements([]*ir.Axis{a})
	}
	found := false
	ir.Walk(v, func(v *ir.Value) bool {
		found = found || v.Op == ir.OpRead || v.Op == ir.OpPresent || emit.IsEntry(v) || v.Op == ir.OpExtent && !elements(v.Axis)
		return !found
	})
	return found
}

// allElements reports whether axes are those of the parameter.
func (g *opGen) allElements(axes []*ir.Axis) bool {
	return slices.EqualFunc(axes, g.decl.Inputs[g.opt.param].Axes, func(a *ir.Axis, b ir.AxisRef) bool { return a.Of == "" && a.Name == b.Name && b.Product == nil })
}

// repeatCalls tell the runtime of a phase whose launches can be repeated that it does nothing with tensors, or that numbers of its launches
// depend on the number of elements.
func (g *opGen) repeatCalls(bodies []*programBody) []jen.Code {
	launches := func(fits func(*nest.Launch) bool) bool {
		return slices.ContainsFunc(bodies, func(b *programBody) bool { return slices.ContainsFunc(b.program.Nests.Launches, fits) })
	}
	switch {
	case !launches(func(*nest.Launch) bool { return true }):
		return []jen.Code{jen.Id("b").Dot("Idle").Call()}
	case launches(func(l *nest.Launch) bool { return slices.ContainsFunc(l.Scalars, ofSize) }):
		return []jen.Code{jen.Id("b").Dot("Sized").Call()}
	}
	return nil
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
