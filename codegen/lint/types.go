package lint

import (
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl/diag"
)

// types are the places of expressions that compute elements of a float dtype.
type types map[textKey]bool

// textKey is a stretch of text.
type textKey struct {
	file       string
	start, end int
}

func spanKey(s diag.Span) textKey { return textKey{s.Start.File, s.Start.Offset, s.End.Offset} }

// typesOf collects the places from all functions of a package; those in imported funcs too, since they are inlined.
func typesOf(pkg *ir.Package) types {
	t := types{}
	for _, op := range pkg.Ops {
		for _, v := range op.Variants {
			f := v.Forward
			t.defs(f, f.Defs)
			for _, g := range f.UserGrads {
				t.defs(f, g.Defs)
			}
			for _, r := range f.Requires {
				t.value(f, r.Cond)
			}
		}
	}
	return t
}

func (t types) defs(f *ir.Func, defs []*ir.Def) {
	for _, d := range defs {
		for _, v := range d.Values() {
			t.value(f, v)
		}
	}
}

func (t types) value(f *ir.Func, v *ir.Value) {
	ir.Walk(v, func(v *ir.Value) bool {
		if v.Op != ir.OpCast && v.Type.Kind == ir.Typed && v.Span.Start.IsValid() && ir.ClassOf(f.ElemVars, v.Type.Elem) == ir.ClassFloat {
			t[spanKey(v.Span)] = true
		}
		return true
	})
}
