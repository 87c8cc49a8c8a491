package gocpu

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/ir"
)

// forward writes the function that makes its outputs and records for gradients.
func (g *opGen) forward() (jen.Code, error) {
	outs := g.outputNames()
	var zero, results []jen.Code
	for range outs {
		zero = append(zero, jen.Nil())
		results = append(results, tensorType)
	}
	f := g.newFunc(zero...)
	params := []jen.Code{f.tensorParams(tensorType, g.inputNames()...)}
	f.takeAttrs()
	f.checkStep()
	f.chooseVariant(jen.Op("&").Id("vals"))
	f.declareBound()
	place := f.place()
	record := g.recordable()
	if len(record) > 0 {
		var list []jen.Code
		for _, n := range record {
			list = append(list, f.tensor(n))
		}
		f.add(jen.Id("record").Op(":=").Qual(runtimePath, "NeedsGrad").Call(list...))
		if g.saves() {
			f.add(jen.Id("bound").Dot("MakeAll").Op("=").Id("record"))
		}
	}
	var args []jen.Code
	for _, n := range g.inputNames() {
		args = append(args, f.tensor(n))
	}
	f.choose()
	f.bind(false, true, jen.Op("&").Id("vals"), place, args)
	f.run(false, jen.Op("&").Id("vals"))
	result := []jen.Code{}
	for i, n := range outs {
		f.add(f.tensor(n).Op(":=").Id("bound").Dot("Tensor").Call(jen.Lit(len(g.decl.Inputs) + i)))
		result = append(result, f.tensor(n))
	}
	f.add(jen.Id("bound").Dot("Finish").Call())
	if len(record) > 0 {
		f.add(jen.If(jen.Id("record")).Block(append(g.keepLists(), f.recording()...)...))
	}
	f.add(jen.Return(append(result, jen.Nil())...))
	params = append(params, g.chosenParams()...)
	return jen.Comment(g.doc()).Line().Func().Id(g.name).Params(append(params, g.attrParams()...)...).
		Params(append(results, jen.Error())...).Block(f.body...), nil
}

// recordable are the inputs that some variant has a gradient for.
func (g *opGen) recordable() []string {
	var list []string
	for _, n := range g.inputNames() {
		for _, gr := range g.groups {
			if gr.backward != nil && !slices.Contains(list, n) && gr.backward.gives(n) {
				list = append(list, n)
			}
		}
	}
	return list
}

// gives tells whether there is a gradient of an input.
func (s *signature) gives(input string) bool {
	return slices.ContainsFunc(s.params, func(p *param) bool { return p.name == "@"+input && p.mode == "Gradient" })
}

// saves reports whether some variant keeps something for its derivative.
func (g *opGen) saves() bool {
	return slices.ContainsFunc(g.groups, func(gr *group) bool {
		return gr.forward != nil && slices.ContainsFunc(gr.forward.params, func(p *param) bool { return p.saved })
	})
}

// recording writes what records a call, for each variant that differs.
func (f *apiFunc) recording() []jen.Code {
	g := f.g
	var texts []string
	var all [][]jen.Code
	for _, gr := range g.groups {
		var code []jen.Code
		if gr.backward != nil {
			code = f.recordGroup(gr)
		}
		all = append(all, code)
		texts = append(texts, render1(code))
	}
	live := slices.DeleteFunc(slices.Clone(g.groups), func(gr *group) bool { return gr.refused != nil })
	if !slices.ContainsFunc(live, func(gr *group) bool { return texts[gr.index] != texts[live[0].index] }) {
		return all[live[0].index]
	}
	var cases []jen.Code
	done := map[string]bool{}
	for _, gr := range live {
		t := texts[gr.index]
		if done[t] || all[gr.index] == nil {
			continue
		}
		done[t] = true
		var values []jen.Code
		for _, other := range live {
			if texts[other.index] == t {
				values = append(values, jen.Lit(other.index))
			}
		}
		cases = append(cases, jen.Case(values...).Block(all[gr.index]...))
	}
	return []jen.Code{jen.Switch(jen.Id("variant")).Block(cases...)}
}

// recordGroup records a call of one variant.
func (f *apiFunc) recordGroup(gr *group) []jen.Code {
	g := f.g
	var code []jen.Code
	tensors := func(names []string) jen.Code {
		return jen.Index().Add(tensorType).ValuesFunc(func(v *jen.Group) {
			for _, n := range names {
				if slices.Contains(g.inputNames(), n) && !gr.backward.gives(n) {
					v.Nil() // no gradient goes there
				} else {
					v.Add(f.tensor(n))
				}
			}
		})
	}
	held := gr.backward.held()
	saved := jen.Index().Qual(runtimePath, "Saved").ValuesFunc(func(v *jen.Group) {
		for _, i := range held {
			p := gr.backward.params[i]
			fields := []jen.Code{field("Name", jen.Lit(p.name)), field("Tensor", f.kept(p))}
			if !gr.reads(i) {
				fields = append(fields, field("Shape", jen.True()))
			}
			v.Values(fields...)
		}
	})
	var release []jen.Code // the graph alone holds what forward has made for it
	for i, p := range gr.forward.params {
		if p.saved {
			code = append(code, f.kept(p).Op(":=").Id("bound").Dot("Tensor").Call(jen.Lit(i)))
			release = append(release, f.kept(p).Dot("Release").Call())
		}
	}
	back := &apiFunc{g: g, names: f.names, tensors: f.tensors}
	back.declareBound()
	var args []jen.Code
	for i, p := range gr.backward.params {
		args = append(args, f.backArg(p, slices.Index(held, i)))
	}
	place := back.place()
	back.bind(true, false, jen.Op("&").Id("vals"), place, args)
	back.run(true, jen.Op("&").Id("vals"))
	back.add(jen.Id("bound").Dot("Finish").Call(), jen.Return(jen.Nil()))
	code = append(code, jen.Qual(runtimePath, "Record").Call(
		jen.Lit(g.fullName()), tensors(g.outputNames()), tensors(g.inputNames()), saved,
		jen.Func().Params(jen.Id("back").Op("*").Qual(runtimePath, "Backprop")).Error().Block(back.body...),
	))
	return append(code, release...)
}

// held are the parameters of a backward function that a recorded call keeps for it: all that are no gradients.
func (s *signature) held() []int {
	var list []int
	for i, p := range s.params {
		if p.mode == "In" || p.mode == "Back" && p.name[0] != '@' {
			list = append(list, i)
		}
	}
	return list
}

// kept is the variable of a tensor that backward reads.
func (f *apiFunc) kept(p *param) *jen.Statement {
	if p.saved {
		return f.tensor("saved " + p.name)
	}
	return f.tensor(p.name)
}

// backArg is the argument for a parameter of the backward function in a recorded call: held is its number among those that
// are kept.
func (f *apiFunc) backArg(p *param, held int) jen.Code {
	number := func(list []string) int { return slices.Index(list, p.name[1:]) }
	switch {
	case p.mode == "Gradient":
		return jen.Id("back").Dot("Grad").Call(jen.Lit(number(f.g.inputNames())))
	case p.mode == "Back" && p.name[0] == '@':
		return jen.Id("back").Dot("Cotangent").Call(jen.Lit(number(f.g.outputNames())))
	}
	return jen.Id("back").Dot("Saved").Call(jen.Lit(held))
}

// reads reports whether the derivative reads the elements of a parameter.
func (gr *group) reads(i int) bool {
	for _, prog := range gr.programs(true) {
		for _, t := range prog.Func.Inputs {
			if gr.backward.index(t) == i && prog.Reads(t) {
				return true
			}
		}
	}
	return false
}

// backwardInto writes the function that computes gradients into tensors of the caller: of ops whose derivatives read the
// same tensors in all variants. Where they read what forward saved, saveInto gives that.
func (g *opGen) backwardInto() []jen.Code {
	var first *signature
	for _, gr := range g.groups {
		if gr.refused != nil {
			continue
		}
		if gr.backward == nil || first != nil && !slices.Equal(names(first.params), names(gr.backward.params)) {
			return nil
		}
		first = gr.backward
	}
	for _, p := range g.presence() {
		if !slices.Contains(names(first.params), p) {
			return nil
		}
	}
	f := g.newFunc()
	var order []string
	for _, mode := range []string{"Gradient", "cotangent", "In", "output", "saved"} {
		for _, p := range first.params {
			m := p.mode
			switch {
			case p.saved:
				m = "saved"
			case m == "Back" && p.name[0] == '@':
				m = "cotangent"
			case m == "Back":
				m = "output"
			}
			if m == mode {
				order = append(order, p.name)
			}
		}
	}
	params := []jen.Code{f.tensorParams(tensorType, order...)}
	f.takeAttrs()
	f.chooseVariant(jen.Op("&").Id("vals"))
	f.declareBound()
	place := f.place()
	var args []jen.Code
	for _, p := range first.params {
		args = append(args, f.tensor(p.name))
	}
	f.bind(true, false, jen.Op("&").Id("vals"), place, args)
	f.run(true, jen.Op("&").Id("vals"))
	f.add(jen.Id("bound").Dot("Finish").Call(), jen.Return(jen.Nil()))
	backward := jen.Comment(g.backwardDoc(f, first)).Line().Func().Id(g.name + "BackwardInto").
		Params(append(params, g.attrParams()...)...).Error().Block(f.body...)
	if kept := savedNames(first); len(kept) > 0 {
		return []jen.Code{g.saveInto(kept), backward}
	}
	return []jen.Code{backward}
}

// savedNames are the tensors that forward keeps for the derivative.
func savedNames(s *signature) []string {
	var list []string
	for _, p := range s.params {
		if p.saved {
			list = append(list, p.name)
		}
	}
	return list
}

// saveInto writes the function that computes what the derivative reads beside the results.
func (g *opGen) saveInto(kept []string) jen.Code {
	f := g.newFunc()
	params := []jen.Code{f.tensorParams(tensorType, slices.Concat(g.outputNames(), kept, g.inputNames())...)}
	f.takeAttrs()
	f.chooseVariant(jen.Op("&").Id("vals"))
	f.declareBound()
	place := f.place()
	args := f.bindArgs()
	for _, p := range g.live().forward.params {
		if p.saved {
			args = append(args, f.tensor(p.name))
		}
	}
	f.bind(false, false, jen.Op("&").Id("vals"), place, args)
	f.run(false, jen.Op("&").Id("vals"))
	f.add(jen.Id("bound").Dot("Finish").Call(), jen.Return(jen.Nil()))
	return jen.Comment(g.saveDoc(f, kept)).Line().Func().Id(g.name + "SaveInto").
		Params(append(params, g.attrParams()...)...).Error().Block(f.body...)
}

// slice writes the function for plain slices: of ops whose tensors all have the same pack and dtype, or no axes. It is nil
// where an op is not so simple.
func (g *opGen) slice() jen.Code {
	if g.placed() != nil || g.keep() != nil || slices.ContainsFunc(g.decl.Ranks, func(r ir.RankGroup) bool { return r.Spread }) || g.dimmed != [len(dimStages)]bool{} {
		return nil
	}
	pack := false
	for _, gr := range g.groups {
		if gr.forward == nil {
			continue
		}
		if !gr.forward.outer() {
			return nil
		}
		for _, p := range gr.forward.params {
			if p.optional || p.saved || p.elem.Wrap == "sum" {
				return nil
			}
		}
		pack = pack || len(gr.forward.params[0].dims) > 0
	}
	if !pack || g.axis(g.live().forward.params[0].firstAxis()) != 0 || g.sliceTypes() == nil {
		return nil
	}
	f := g.newFunc()
	ins, outs := g.inputNames(), g.outputNames()
	if len(outs) == 1 {
		f.tensors[outs[0]] = f.names.name("dst")
	}
	params := f.sliceParams(slices.Concat(outs, ins))
	f.takeAttrs()
	f.checkStep()
	f.chooseVariant(jen.Op("&").Id("vals"))
	f.declareBound()
	args := []jen.Code{f.signatureRef(), jen.Op("&").Id("bound")}
	bind := "BindSlices"
	if g.mixedSlices() {
		bind = "BindMixed"
	}
	for _, n := range slices.Concat(ins, outs) {
		arg := f.tensor(n)
		if g.mixedSlices() {
			arg = jen.Qual(runtimePath, "SliceOf").Call(arg)
		}
		args = append(args, arg)
	}
	f.try(jen.Qual(runtimePath, bind).Call(args...), nil)
	f.run(false, jen.Op("&").Id("vals"))
	f.add(jen.Id("bound").Dot("Finish").Call(), jen.Return(jen.Nil()))
	return jen.Comment(g.sliceDoc()).Line().Func().Id(g.name + "Slice").Add(g.sliceTypes()).
		Params(append(params, g.attrParams()...)...).Error().Block(f.body...)
}

// firstAxis is the name of the first axis, "" where there is none.
func (p *param) firstAxis() string {
	if len(p.dims) == 0 {
		return ""
	}
	return p.dims[0].Name
}

// signatureRef is a pointer to the signature of the variant.
func (f *apiFunc) signatureRef() jen.Code {
	if len(f.g.groups) == 1 {
		return jen.Op("&").Add(f.signature(false))
	}
	return f.signature(false)
}
