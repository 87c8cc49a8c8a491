package lint

import (
	"fmt"
	"slices"

	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
)

// narrow are the words that let a dtype be f16 or bf16, in which sums stop growing early: 2048 + 1 is 2048 in f16.
var narrow = map[string]bool{"f16": true, "bf16": true, "float": true, "num": true, "any": true}

// floats are the words that let a dtype be one of floats.
var floats = map[string]bool{"f16": true, "bf16": true, "f32": true, "f64": true, "float": true, "num": true, "any": true}

// mayBe tells whether elements may be of one of some dtypes.
func mayBe(d *dsl.Op, e dsl.Elem, some map[string]bool) bool {
	for _, v := range d.Vars {
		if v.Name.Name == e.Name.Name {
			return slices.ContainsFunc(v.Alts, func(id dsl.Ident) bool { return some[id.Name] })
		}
	}
	return some[e.Name.Name]
}

// states finds states of a narrow dtype to which each step adds: what is small beside the state is lost for good.
func (l *linter) states(d *dsl.Op) {
	done := map[textKey]bool{}
	for _, in := range d.Inputs {
		if in.Mode != dsl.State || in.Type.Elem.Wrap != "" || !mayBe(d, in.Type.Elem, narrow) {
			continue
		}
		at := in.Type.Elem.Name.Span
		dsl.Inspect(d.Body, func(n any) bool {
			s, is := n.(*dsl.Assign)
			if !is || !s.Prime || s.Name.Name != in.Name.Name || done[spanKey(at)] || !l.addsTo(s.Value, in.Name.Name) {
				return true
			}
			done[spanKey(at)] = true
			elem := in.Type.Elem.Name.Name
			l.add(diag.Diagnostic{Code: "lint-acc", Span: at, Hint: "write `acc(" + elem + ")`",
				Message: fmt.Sprintf("`%s` adds up in %s, which may be f16 or bf16: each step is rounded to it", in.Name.Name, elem),
				Notes:   []diag.Note{{Span: s.Value.Pos(), Message: "it is added to here"}}}, "acc("+elem+")", place{span: at})
			return true
		})
	}
}

// addsTo tells whether a value is a sum with the old value of a name in one of its terms.
func (l *linter) addsTo(e dsl.Expr, name string) bool {
	v := l.see(view{e, l.home})
	if x, is := v.e.(*dsl.If); is {
		return l.addsTo(x.Then, name) || l.addsTo(x.Else, name)
	}
	list := l.terms(v)
	return len(list) > 1 && slices.ContainsFunc(list, func(t term) bool {
		return slices.ContainsFunc(l.factors(t.v), func(f view) bool {
			r, is := l.see(f).e.(*dsl.Ref)
			return is && r.Name.Name == name && !r.Prime
		})
	})
}
