package gocpu

import (
	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/nest"
)

// flagsAt is the scalar that Launch may use for flags of its own: runtime.FlagsAt.
const flagsAt = nest.MaxScalars - 1

func launchName(n *nest.Nest) string { return n.Name + "_launch" }

func planName(n *nest.Nest) string { return n.Name + "_plan" }

// runLaunch runs a launch whose arguments are in a, and its batch in batch.
func runLaunch(l *nest.Launch) *jen.Statement {
	a := jen.Op("&").Id("a")
	if len(l.Batch) > 0 {
		return jen.Id("batch").Dot("Launch").Call(jen.Id(launchName(l.Nest)), a, jen.Op("&").Id(planName(l.Nest)))
	}
	return jen.Id(launchName(l.Nest)).Call(a)
}

// launcher declares the plan of a kernel, and the function that runs it: small launches at once, others in chunks.
func launcher(n *nest.Nest, importPath string) jen.Code {
	facts := factsOf(n)
	plan := []jen.Code{field("Name", jen.Lit(importPath+"."+n.Name))}
	for _, f := range []struct {
		name string
		on   bool
	}{{"Rows", facts.rows}, {"Lanes", facts.lanes}, {"Stream", facts.stream}, {"Wide", facts.wide}} {
		if f.on {
			plan = append(plan, field(f.name, jen.True()))
		}
	}
	if p := n.Passes(); p != nil {
		plan = append(plan, passes(n, p)...)
	}
	if o, ok := n.CutSteps(); ok {
		plan = append(plan, field("Steps", jen.True()))
		if m := n.Slots[0].Monoid; m != nest.SumOf {
			plan = append(plan, field("StepsMonoid", jen.Qual(runtimePath, runtimeMonoid[m])))
		}
		if o > 0 {
			plan = append(plan, field("StepsTo", jen.Lit(o)))
		}
	}
	if n.SumsBy != nil {
		plan = append(plan, field("Sums", sums(n, n.Sums())))
	}
	if work := n.SharedWork(); work > 0 {
		plan = append(plan, field("Shared", jen.Lit(work)))
	}
	plan = append(plan, field("Operands", operands(n)))
	args := jen.Id("a").Op("*").Qual(runtimePath, "Args")
	ref := func() *jen.Statement { return jen.Op("&").Id(planName(n)) }
	return jen.Var().Id(planName(n)).Op("=").Qual(runtimePath, "Plan").Values(plan...).Line().Line().
		Func().Id(launchName(n)).Params(args).Block(
		jen.If(jen.Qual(runtimePath, "Serial").Call(jen.Id("a"), ref())).Block(
			jen.Id(n.Name).Call(jen.Id("a")),
			jen.Return(),
		),
		jen.Qual(runtimePath, "Launch").Call(jen.Id(n.Name), jen.Id("a"), ref()),
	)
}

// sums says which kernel adds up products for another one.
func sums(n *nest.Nest, s *nest.Sums) jen.Code {
	from := jen.Index().Int().ValuesFunc(func(g *jen.Group) {
		for _, o := range s.From {
			g.Lit(o)
		}
	})
	return jen.Op("&").Qual(runtimePath, "Sums").Values(field("Kernel", jen.Id(n.SumsBy.Name)), field("Plan", jen.Op("&").Id(planName(n.SumsBy))),
		field("From", from), field("One", jen.Lit(s.One)), field("Sum", jen.Lit(s.Sum)))
}

var runtimeDType = map[nest.DType]string{nest.F32: "F32", nest.F64: "F64", nest.I32: "I32", nest.I64: "I64"}

var runtimeMonoid = map[nest.Monoid]string{nest.SumOf: "SumOf", nest.MaxOf: "MaxOf", nest.MinOf: "MinOf", nest.ProdOf: "ProdOf"}

// operands lists what Launch must know of the operands.
func operands(n *nest.Nest) jen.Code {
	monoid, pass := map[int]nest.Slot{}, map[int]int{}
	rows := n.Passes()
	for i, s := range n.Slots {
		if s.Over == nest.Grid {
			monoid[s.Acc] = s
			if rows != nil && !s.Wide {
				pass[s.Acc] = rows.Accumulates(i)
			}
		}
	}
	return jen.Index().Qual(runtimePath, "Operand").ValuesFunc(func(g *jen.Group) {
		for i, o := range n.Operands {
			d := []jen.Code{field("DType", jen.Qual(runtimePath, runtimeDType[o.DType]))}
			use := ""
			switch s := monoid[i]; {
			case o.Mode == nest.Acc && s.Wide:
				use = "WideAcc"
			case o.Mode == nest.Acc:
				use = "Acc"
			case o.Mode != nest.In:
				use = "Writes"
			}
			if use != "" {
				d = append(d, field("Use", jen.Qual(runtimePath, use)))
			}
			if o.Mode == nest.Acc {
				d = append(d, field("Monoid", jen.Qual(runtimePath, runtimeMonoid[monoid[i].Monoid])))
			}
			if pass[i] > 0 {
				d = append(d, field("Pass", jen.Lit(pass[i])))
			}
			g.Values(d...)
		}
	})
}

// passes lists what Launch must know of a kernel that runs over a long row in passes.
func passes(n *nest.Nest, p *nest.Passes) []jen.Code {
	list := []jen.Code{field("Passes", jen.Lit(len(p.Loops)))}
	if p.Ends {
		list = append(list, field("Ends", jen.True()))
	}
	if len(p.Slots) == 0 {
		return list
	}
	return append(list, field("Float", jen.Qual(runtimePath, runtimeDType[n.Float])), field("Results", jen.Index().Qual(runtimePath, "RowResult").ValuesFunc(func(g *jen.Group) {
		for i, s := range p.Slots {
			d := []jen.Code{field("Pass", jen.Lit(p.Of[i]))}
			if m := n.Slots[s].Monoid; m != nest.SumOf {
				d = append(d, field("Monoid", jen.Qual(runtimePath, runtimeMonoid[m])))
			}
			g.Values(d...)
		}
	})))
}

// field is a field of a composite literal.
func field(name string, value jen.Code) jen.Code { return jen.Id(name).Op(":").Add(value) }

// facts say how a launch may be cut.
type facts struct {
	rows, lanes  bool // along which axes
	stream, wide bool
}

// factsOf looks at what a nest does where.
func factsOf(n *nest.Nest) facts {
	f := facts{rows: true, lanes: false, stream: len(n.Scalars) <= flagsAt}
	var hasGrid, hasVector bool
	var outside bool // a store outside of the grid loop
	n.Walk(func(s nest.Stmt, loops []*nest.For) {
		inside := func(d nest.Depth) bool {
			for _, l := range loops {
				if l.Depth == d {
					return true
				}
			}
			return false
		}
		if l, ok := s.(*nest.For); ok {
			hasGrid = hasGrid || l.Depth == nest.Grid
			hasVector = hasVector || l.Depth == nest.Vector
			return
		}
		v := s.(*nest.Value)
		switch v.Op {
		case nest.Store:
			outside = outside || !inside(nest.Grid)
			if n.Operands[v.Operand].Mode != nest.Out || inside(nest.Serial) {
				f.stream = false
			}
		case nest.Load:
			if n.Operands[v.Operand].Mode != nest.In {
				f.stream = false
			}
		case nest.Reduce:
			f.wide = f.wide || n.Slots[v.Slot].Wide
		}
	})
	f.rows = !hasGrid || !outside
	f.lanes = hasVector && n.Passes() == nil
	if f.wide || !hasVector {
		f.stream = false
	}
	return f
}
