package gocpu

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/ir"
)

// When a requirement can be checked.
type when uint8

const (
	byAttrs when = iota // of attributes alone: before anything else
	byShape             // when extents are known
	byData
)

func whenOf(v *ir.Value, update bool) when {
	w := byAttrs
	ir.Walk(v, func(v *ir.Value) bool {
		switch {
		case v.Op == ir.OpRead:
			w = byData
		case v.Op == ir.OpExtent || v.Op == ir.OpPresent || emit.IsEntry(v) || v.Op == ir.OpScalar && v.Name == "step" && update:
			w = max(w, byShape)
		}
		return true
	})
	return w
}

// common reports whether a requirement stands in every variant.
func (g *opGen) common(r *ir.Require) bool {
	for _, f := range g.op.Functions {
		if f.Variant.Forward == nil {
			continue
		}
		found := slices.ContainsFunc(f.Variant.Forward.Requires, r.Same)
		if !found {
			return false
		}
	}
	return true
}

// attrRequires checks what attributes alone decide in every variant. The values are v.
func (g *opGen) attrRequires(fail func(jen.Code) jen.Code) ([]jen.Code, error) {
	f := g.firstForward()
	if f == nil {
		return nil, nil
	}
	var code []jen.Code
	for i := range f.Requires {
		r := &f.Requires[i]
		if whenOf(r.Cond, g.decl.Update) != byAttrs || !g.common(r) {
			continue
		}
		check, err := g.require(r, g.host(nil), fail)
		if err != nil {
			return nil, err
		}
		code = append(code, check)
	}
	return code, nil
}

// firstForward is the function of the first variant that is not refused, as it was written.
func (g *opGen) firstForward() *ir.Func {
	for _, f := range g.op.Functions {
		if f.Variant.Forward != nil {
			return f.Variant.Forward
		}
	}
	return nil
}

// variantRequires checks the other requirements of a variant, when tensors are bound.
func (g *opGen) variantRequires(f *ir.Func, h *host, programs []typedProgram) ([]jen.Code, error) {
	var code []jen.Code
	for i := range f.Requires {
		r := &f.Requires[i]
		switch w := whenOf(r.Cond, g.decl.Update); {
		case w == byData && !slices.ContainsFunc(programs, func(p typedProgram) bool { return p.Nests != nil }):
			continue // portable functions test it
		case w == byData:
			return nil, g.errorf("require %s: conditions on elements are not supported in Go", r.Cond)
		case w == byAttrs && g.common(r), slices.ContainsFunc(g.tested[f], func(q *ir.Require) bool { return q.Same(*r) }):
			continue
		}
		check, err := g.require(r, h, func(e jen.Code) jen.Code { return jen.Return(e) })
		if err != nil {
			return nil, err
		}
		code = append(code, check)
	}
	return code, nil
}

// require checks one requirement.
func (g *opGen) require(r *ir.Require, h *host, fail func(jen.Code) jen.Code) (jen.Code, error) {
	c, err := h.cond(r.Cond)
	if err != nil {
		return nil, g.wrap(err)
	}
	code := &jen.Statement{}
	f := &ir.Func{}
	if v := g.firstForward(); v != nil {
		f = v
	}
	fits, err := g.fits(f, ir.FitsOf(f, r.Cond, r.Span), h, fail)
	if err != nil {
		return nil, err
	}
	if fits != nil {
		g.noteKind(false, "ErrValue")
	}
	for _, t := range fits {
		code.Add(t).Line()
	}
	return code.If(unary("!", c).code).Block(fail(g.requireError(r))), nil
}

// requireError is the error of a requirement. It names the first attribute in the condition or, where the condition was
// decided by choices, of those.
func (g *opGen) requireError(r *ir.Require, choices ...ir.Choice) jen.Code {
	var named *attr
	ir.Walk(r.Cond, func(v *ir.Value) bool {
		if v.Op == ir.OpScalar && named == nil {
			named = g.named(v.Name)
		}
		return true
	})
	for _, c := range choices {
		if named == nil && c.Attr != "" {
			named = g.attr(c.Attr)
		}
	}
	want := r.Cond.Words()
	switch {
	case r.Message != "" && named != nil:
		return jen.Qual(runtimePath, "RequireError").Call(jen.Lit(g.fullName()), jen.Lit(named.decl.Name), jen.Lit(r.Message),
			jen.Qual(runtimePath, "ErrAttr"), jen.Id("v").Dot(named.name))
	case r.Message != "":
		return jen.Qual(runtimePath, "RequireError").Call(jen.Lit(g.fullName()), jen.Lit(""), jen.Lit(r.Message), jen.Qual(runtimePath, "ErrShape"))
	case named != nil:
		return g.attrError(named.decl.Name, want, jen.Id("v").Dot(named.name))
	}
	return jen.Op("&").Qual(runtimePath, "ArgError").Values(
		field("Op", jen.Lit(g.fullName())), field("Want", jen.Lit(want)), field("Err", jen.Qual(runtimePath, "ErrShape")))
}
