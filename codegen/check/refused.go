package check

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
)

// requirementsMet reports requirements that no call meets, and those that refuse the defaults of attributes.
func (o *operation) requirementsMet(d *ir.OpDecl) {
	if slices.ContainsFunc(d.Variants, func(v *ir.Variant) bool { return v.Refused == nil }) {
		o.defaultsMeet(d)
	} else if len(d.Variants) > 0 {
		o.in.unit.rep.errorf(d.Variants[0].Refused.Span, "require-never", "no call meets this requirement").WithHint("the op could never be called")
	}
}

// defaultsMeet reports a requirement that refuses the defaults of attributes: it fails in all variants that a call with the defaults can select.
func (o *operation) defaultsMeet(d *ir.OpDecl) {
	var first *ir.Require
	for _, v := range d.Variants {
		scalars := o.defaultScalars(v.Forward)
		if !o.byDefault(v, scalars) {
			continue
		}
		r := unmet(v, scalars)
		if r == nil {
			return
		}
		if first == nil {
			first = r
		}
	}
	if first == nil {
		return
	}
	if a := o.requiredOf(first.Span); a != nil {
		o.in.unit.rep.errorf(a.syntax.Default.Pos(), "attr-default", "the default of %s is refused by a requirement: %s", quote(a.decl.Name), first.Message).
			WithNote(first.Span, "required here")
	}
}

// defaultScalars are the defaults of the attributes that are numbers, as far as float64 hold them.
func (o *operation) defaultScalars(f *ir.Func) map[string]float64 {
	scalars := map[string]float64{}
	for _, s := range f.Scalars {
		def := s.Default
		if s.List != "" {
			def = o.sig.attr(s.List).decl.Default
		}
		if def == nil {
			continue
		}
		if def.Const != nil {
			if _, exactly := def.Const.Float64(); !exactly && s.Type.Kind == ir.Exact {
				continue
			}
		}
		if x, err := ir.EvalScalar(f, def, ir.Binding{}); err == nil {
			scalars[s.Name] = x
		}
	}
	return scalars
}

// byDefault tells whether a call that leaves the attributes at their defaults may select a variant. What has no default may be anything.
func (o *operation) byDefault(v *ir.Variant, scalars map[string]float64) bool {
	for _, c := range v.Choices {
		switch a := o.sig.attr(c.Attr + c.Present); {
		case c.Cond != nil:
			x, err := ir.EvalScalar(v.Forward, c.Cond, ir.Binding{Scalars: scalars})
			if err == nil && (x != 0) != c.Holds {
				return false
			}
		case a == nil:
		case c.Present != "" && c.Holds, c.Attr != "" && a.decl.Word != "" && a.decl.Word != c.Word:
			return false
		}
	}
	return true
}

// unmet is a requirement of a variant that numbers don't meet, whatever the tensors are; nil: there is none.
func unmet(v *ir.Variant, scalars map[string]float64) *ir.Require {
	if v.Refused != nil {
		return v.Refused
	}
	for k, r := range v.Forward.Requires {
		if len(ir.Reads(r.Cond)) > 0 {
			continue
		}
		if x, err := ir.EvalScalar(v.Forward, r.Cond, ir.Binding{Scalars: scalars}); err == nil && x == 0 {
			return &v.Forward.Requires[k]
		}
	}
	return nil
}

// requiredOf is the first attribute with a default that a requirement names; nil: it names none.
func (o *operation) requiredOf(span diag.Span) *attribute {
	var found *attribute
	dsl.Inspect(o.decl.Body, func(n any) bool {
		r, is := n.(*dsl.Require)
		if !is || r.Span != span {
			return true
		}
		dsl.Inspect(r.Cond, func(n any) bool {
			if id, is := n.(*dsl.Ref); is && found == nil && id.Package == nil {
				if a := o.sig.attr(id.Name.Name); a != nil && a.syntax.Default != nil {
					found = a
				}
			}
			return true
		})
		return false
	})
	return found
}
