package gocpu

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/nest"
	"github.com/opgen/opgen/runtime"
)

// together is how an update is called with several tensors: runtime.Rule.
type together struct {
	signatures []*signature   // by group; nil where a requirement refuses it
	phases     [][]*signature // by phase, then by group: what is run
	own        bool           // the signatures aren't those of calls with one tensor
}

// findTogether sees whether an update can be called with several tensors.
func (g *opGen) findTogether() error {
	if !g.decl.Update {
		return nil
	}
	simple := g.placed() == nil && g.dimmed == [len(dimStages)]bool{} &&
		!slices.ContainsFunc(g.attrs, func(a *attr) bool { return a.decl.List != "" })
	switch {
	case simple:
		return g.makeTogether()
	case len(g.decl.Totals) > 0:
		return g.errorf("totals of all tensors together with placed axes, lists or extents that are computed are not supported in Go")
	}
	return nil
}

func (g *opGen) makeTogether() error {
	t := &together{signatures: make([]*signature, len(g.groups))}
	n := len(g.live().variants[0].Phases)
	if n == 0 {
		t.phases = [][]*signature{make([]*signature, len(g.groups))}
		for i, gr := range g.groups {
			t.signatures[i], t.phases[0][i] = gr.forward, gr.forward
		}
		g.many = t
		return nil
	}
	t.own = true
	for phase := range n {
		t.phases = append(t.phases, make([]*signature, len(g.groups)))
		for i, gr := range g.groups {
			if gr.refused == nil {
				t.phases[phase][i] = g.phase(gr, phase)
			}
		}
	}
	for i, s := range t.phases[n-1] {
		if s == nil {
			continue
		}
		if n := len(s.params); n > runtime.MaxParams {
			return &emit.Limit{Op: g.decl, What: "tensors, totals of all tensors counted twice", Count: n, Max: runtime.MaxParams}
		}
		t.signatures[i] = s
	}
	g.many = t
	return nil
}

// phase is a phase of a group: a signature with the programs of that phase.
func (g *opGen) phase(gr *group, phase int) *signature {
	p := &group{index: gr.index, choices: gr.choices, suffix: fmt.Sprintf("%sPhase%d", gr.suffix, phase+1)}
	for _, f := range gr.variants {
		part := f.Phases[phase]
		if part.Func == nil {
			part = g.idle(f)
		}
		p.variants = append(p.variants, &emit.Function{Variant: &ir.Variant{Choices: f.Variant.Choices, Forward: part.Func}, Pairs: part.Pairs})
	}
	s := &signature{name: g.low + gr.suffix + "Together", group: p, params: slices.Clone(gr.forward.params), part: fmt.Sprintf(" phase %d of", phase+1)}
	for _, t := range g.decl.Totals {
		s.params = append(s.params, &param{name: t.Part, mode: "Out", elem: t.Elem})
	}
	for _, t := range g.decl.Totals {
		s.params = append(s.params, &param{name: t.Name, mode: "In", elem: t.Elem})
	}
	p.forward = s
	return s
}

// idle is a phase that does nothing.
func (g *opGen) idle(f *emit.Function) emit.Phase {
	nothing := &ir.Func{Package: g.decl.Package, Name: g.decl.Name, ElemVars: g.decl.ElemVars}
	r := emit.Phase{Func: nothing}
	for _, p := range f.Pairs {
		r.Pairs = append(r.Pairs, emit.Pair{DTypes: p.DTypes, Forward: emit.Launched(&nest.Program{Func: nothing})})
	}
	return r
}

// rule writes the runtime.Rule of an update, and what runs its phases.
func (g *opGen) rule() ([]jen.Code, error) {
	if g.many == nil {
		return nil, nil
	}
	var code []jen.Code
	if g.many.own {
		seen := map[string]string{}
		for _, phase := range g.many.phases {
			for _, s := range phase {
				if s == nil {
					continue
				}
				key, f, err := g.runFunc(s)
				if err != nil {
					return nil, err
				}
				if s.run = seen[key]; s.run == "" {
					s.run = g.runName(s)
					seen[key] = s.run
					code = append(code, f...)
				}
			}
		}
	}
	if err := g.nameTogether(); err != nil {
		return nil, err
	}
	run, err := g.runPhases()
	if err != nil {
		return nil, err
	}
	code = append(code, run)
	methods, err := g.attributeMethods()
	if err != nil {
		return nil, err
	}
	code = append(code, methods...)
	if g.many.own {
		for _, s := range g.many.signatures {
			if s != nil && s.value != nil {
				code = append(code, jen.Var().Id(s.name).Op("=").Add(s.value))
			}
		}
	}
	value, err := g.ruleValue()
	return append(code, value), err
}

// nameTogether writes the signatures of calls with several tensors, where they are of their own: they take what all phases take.
func (g *opGen) nameTogether() error {
	if !g.many.own {
		return nil
	}
	names := map[string]string{}
	for i, s := range g.many.signatures {
		if s == nil {
			continue
		}
		for _, phase := range g.many.phases[:len(g.many.phases)-1] {
			for _, t := range phase[i].taken {
				s.takes(t.variant, t.dtypes, t.arrays...)
			}
		}
		v, err := g.signatureValue(s)
		if err != nil {
			return err
		}
		text := render1([]jen.Code{v})
		if known, ok := names[text]; ok {
			s.name = known
		} else {
			names[text], s.value = s.name, v
		}
	}
	return nil
}

func (g *opGen) ruleName() string { return g.low + "Rule" }

// runPhases writes the function that runs a phase for one tensor.
func (g *opGen) runPhases() (jen.Code, error) {
	args := []jen.Code{jen.Op("&").Id("s").Dot("Bound")}
	switch {
	case g.draws():
		args = append(args, jen.Op("&").Id("v"))
	case g.hasValues():
		args = append(args, g.slotValues())
	}
	args = append(args, jen.Id("s").Dot("Step"))
	var phases []jen.Code
	for i, phase := range g.many.phases {
		var cases []jen.Code
		for k, s := range phase {
			if s == nil {
				continue
			}
			call := jen.Id(s.run).Call(args...)
			if g.fails(s) {
				call = jen.Return(call)
			}
			cases = append(cases, jen.Case(jen.Lit(k)).Block(call))
		}
		body := []jen.Code{jen.Switch(jen.Id("s").Dot("Variant")).Block(cases...)}
		phases = append(phases, jen.Case(jen.Lit(i)).Block(body...))
	}
	body := append(g.seeds(), jen.Switch(jen.Id("phase")).Block(phases...), jen.Return(jen.Nil()))
	return jen.Comment(g.low+"Phase runs a phase of "+g.decl.Name+" for one of several tensors.").Line().
		Func().Id(g.low+"Phase").Params(jen.Id("s").Op("*").Qual(runtimePath, "Slot"), jen.Id("phase").Int()).Error().Block(body...), nil
}

// draws tells whether an optimizer has random numbers: other ones for each parameter and step.
func (g *opGen) draws() bool {
	return slices.ContainsFunc(g.attrs, func(a *attr) bool { return a.decl.Kind == ir.AttrRNG })
}

// seeds are the attributes of a slot with its seeds.
func (g *opGen) seeds() []jen.Code {
	if !g.draws() {
		return nil
	}
	code := []jen.Code{jen.Id("v").Op(":=").Op("*").Add(g.slotValues())}
	for _, a := range g.attrs {
		if a.decl.Kind == ir.AttrRNG {
			code = append(code, jen.Id("v").Dot(a.name).Op("=").Id("s").Dot("Seed").Call(jen.Id("v").Dot(a.name)))
		}
	}
	return code
}

// slotValues are the attributes of a slot.
func (g *opGen) slotValues() jen.Code {
	return jen.Id("s").Dot("Values").Assert(jen.Op("*").Id(g.valuesType()))
}

// ruleValue is the rule.
func (g *opGen) ruleValue() (jen.Code, error) {
	signatures := jen.Index().Op("*").Qual(runtimePath, "Signature").ValuesFunc(func(v *jen.Group) {
		for _, s := range g.many.signatures {
			if s == nil {
				v.Nil()
			} else {
				v.Op("&").Id(s.name)
			}
		}
	})
	inputs, outputs := len(g.decl.Inputs), len(g.decl.Outputs)
	f := []jen.Code{
		field("Op", jen.Lit(g.fullName())), field("Signatures", signatures), field("Phases", jen.Lit(len(g.many.phases))),
	}
	if slices.ContainsFunc(g.many.phases[len(g.many.phases)-1], func(s *signature) bool { return s != nil && g.fails(s) }) {
		f = append(f, field("Fails", jen.True()))
	}
	first := slices.IndexFunc(g.decl.Inputs, func(p *ir.Param) bool { return p.Mode == ir.Inout })
	if g.opt != nil {
		states, err := g.stateValues()
		if err != nil {
			return nil, err
		}
		f = append(f, field("Param", jen.Lit(g.opt.param)), field("Grad", jen.Lit(g.opt.grad)))
		if g.draws() {
			f = append(f, field("Draws", jen.True()))
		}
		switch g.kind() {
		case elementwise:
			f = append(f, field("Elementwise", jen.True()))
		case repeating:
			f = append(f, field("Repeats", jen.True()))
			if g.all(rowsProgram) {
				f = append(f, field("Rows", jen.True()))
			}
		}
		if len(g.opt.extra) > 0 {
			var extra []jen.Code
			for _, i := range g.opt.extra {
				extra = append(extra, jen.Lit(i))
			}
			f = append(f, field("Extra", jen.Index().Int().Values(extra...)))
		}
		if states != nil {
			f = append(f, field("States", jen.Index().Qual(runtimePath, "State").Values(states...)))
		}
		outputs, err := g.outputValues()
		if err != nil {
			return nil, err
		}
		if outputs != nil {
			f = append(f, field("Outputs", jen.Index().Qual(runtimePath, "State").Values(outputs...)))
		}
	} else {
		f = append(f, field("Param", jen.Lit(max(first, 0))))
	}
	if n := len(g.decl.Totals); n > 0 {
		var totals []jen.Code
		for i, t := range g.decl.Totals {
			totals = append(totals, jen.Line().Values(field("Monoid", jen.Qual(runtimePath, totalMonoids[t.Monoid])), field("Phase", jen.Lit(t.Phase)),
				field("Part", jen.Lit(inputs+outputs+i)), field("All", jen.Lit(inputs+outputs+n+i))))
		}
		f = append(f, field("Totals", jen.Index().Qual(runtimePath, "Total").Values(append(totals, jen.Line())...)))
	}
	if names := g.attributeNames(); len(names) > 0 {
		f = append(f, field("Attrs", jen.Index().String().Values(literals(names)...)))
	}
	if len(g.groups) > 1 {
		f = append(f, field("Variant", g.slotVariant()))
	}
	f = append(f, field("Run", jen.Id(g.low+"Phase")))
	for i := range f {
		f[i] = jen.Line().Add(f[i])
	}
	return jen.Comment(g.ruleName()+" is how "+g.decl.Name+" is run for several tensors together.").Line().
		Var().Id(g.ruleName()).Op("=").Qual(runtimePath, "Rule").Values(append(f, jen.Line())...), nil
}

var totalMonoids = map[ir.Monoid]string{ir.Sum: "SumOf", ir.Prod: "ProdOf", ir.Max: "MaxOf", ir.Min: "MinOf"}

// slotVariant finds the variant of a slot.
func (g *opGen) slotVariant() jen.Code {
	var args []jen.Code
	if g.hasValues() {
		args = append(args, g.slotValues())
	}
	if g.usesStep() {
		args = append(args, jen.Id("s").Dot("Step"))
	}
	for _, name := range g.presence() {
		k := slices.IndexFunc(g.decl.Inputs, func(p *ir.Param) bool { return p.Name == name })
		args = append(args, jen.Id("s").Dot("Tensor").Call(jen.Lit(k)))
	}
	call := jen.Id(g.low + "Variant").Call(args...)
	result := []jen.Code{call}
	if !g.refuses() {
		result = append(result, jen.Nil())
	}
	return jen.Func().Params(jen.Id("s").Op("*").Qual(runtimePath, "Slot")).Params(jen.Int(), jen.Error()).Block(jen.Return(result...))
}

// attributeNames are the attributes that can be told and set by name.
func (g *opGen) attributeNames() []string {
	var names []string
	for _, a := range g.attrs {
		if g.attributePointer(a) != nil {
			names = append(names, a.decl.Name)
		}
	}
	return names
}

// attributePointer points to an attribute, for runtime.Attributes; nil for those that are no number, bool or word.
func (g *opGen) attributePointer(a *attr) jen.Code {
	at := func() *jen.Statement { return jen.Op("&").Id("v").Dot(a.name) }
	switch {
	case a.decl.Kind == ir.AttrEnum:
		return jen.Qual(runtimePath, "EnumAttr").Call(append([]jen.Code{at()}, literals(a.decl.Enum.Words)...)...)
	case a.decl.Kind == ir.AttrRNG:
		return jen.Qual(runtimePath, "SeedAttr").Call(at())
	case a.goType != "float64" && a.goType != "int" && a.goType != "bool":
		return nil
	case a.decl.Optional:
		return jen.Qual(runtimePath, "OptionalAttr").Call(at(), jen.Op("&").Id("v").Dot(a.hasFlag()))
	}
	return at()
}

// attributeMethods make the attributes of the op a runtime.Attributes.
func (g *opGen) attributeMethods() ([]jen.Code, error) {
	if !g.hasValues() {
		return nil, nil
	}
	self := jen.Id("v").Op("*").Id(g.valuesType())
	var cases []jen.Code
	for _, a := range g.attrs {
		if p := g.attributePointer(a); p != nil {
			cases = append(cases, jen.Case(jen.Lit(a.decl.Name)).Block(jen.Return(p)))
		}
	}
	checks, err := g.attrRequires(func(e jen.Code) jen.Code { return jen.Return(e) })
	if err != nil {
		return nil, err
	}
	return []jen.Code{
		jen.Comment("Attr points to an attribute.").Line().
			Func().Params(self).Id("Attr").Params(jen.Id("name").String()).Any().Block(jen.Switch(jen.Id("name")).Block(cases...), jen.Return(jen.Nil())),
		jen.Comment("Check tests what is required of attributes alone.").Line().
			Func().Params(self).Id("Check").Params().Error().Block(append(checks, jen.Return(jen.Nil()))...),
		jen.Comment("Clone is a copy.").Line().
			Func().Params(self).Id("Clone").Params().Qual(runtimePath, "Attributes").Block(jen.Id("c").Op(":=").Op("*").Id("v"), jen.Return(jen.Op("&").Id("c"))),
	}, nil
}

// lists writes the function that takes lists of tensors.
func (g *opGen) lists() []jen.Code {
	if g.many == nil {
		return nil
	}
	f := g.newFunc()
	params := []jen.Code{f.tensorParams(jen.Index().Add(tensorType), slices.Concat(g.outputNames(), g.inputNames())...)}
	f.takeAttrs()
	f.checkStep()
	values := jen.Nil()
	if g.hasValues() {
		values = jen.Op("&").Id("vals")
	}
	args := []jen.Code{values, jen.Id("step")}
	for _, n := range slices.Concat(g.inputNames(), g.outputNames()) {
		args = append(args, f.tensor(n))
	}
	f.add(jen.Return(jen.Id(g.ruleName()).Dot("Call").Call(args...)))
	name := g.name + "All"
	doc := fmt.Sprintf("%s is [%s] on several tensors in one call: element i of each list belongs together. What one call writes no other may read or write. On an error nothing was changed.", name, g.intoName())
	if len(g.decl.Totals) > 0 {
		doc += " What goes over all tensors, as [*] in the formula, goes over the lists; their tensors are of one dtype."
	}
	return []jen.Code{jen.Comment(doc).Line().Func().Id(name).Params(append(params, g.attrParams()...)...).Error().Block(f.body...)}
}
