package check

import (
	"strings"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

// fallbacks finds the optional inputs that are read only as `x ?? c` with one exact constant c: an absent one then
// reads as c everywhere, and its presence needs no choice.
func (s *signature) fallbacks() {
	for _, d := range s.inputs {
		if !d.param.Optional || d.in.Mode != dsl.In {
			continue
		}
		f := &fallback{name: d.param.Name, ok: true}
		if s.op.decl.Short != nil {
			dsl.Inspect(s.op.decl.Short, f.visit)
		}
		dsl.Inspect(s.op.decl.Body, f.visit)
		if f.ok && f.value != nil && !s.givesExtent(d) {
			d.fallback = f.value
		}
	}
}

// givesExtent tells whether an axis exists only where the optional input does.
func (s *signature) givesExtent(d *tensorDecl) bool {
	for name, a := range s.axes {
		if !a.input || a.isFixed || !hasAxis(d.param.Axes, name) {
			continue
		}
		others := false
		for _, in := range s.inputs {
			others = others || in != d && !in.param.Optional && hasAxis(in.param.Axes, name)
		}
		if !others {
			return true
		}
	}
	return false
}

// fallback looks at the uses of one input.
type fallback struct {
	name  string
	value *ir.Value
	ok    bool
}

func (f *fallback) visit(n any) bool {
	switch n := n.(type) {
	case *dsl.Alt:
		r, is := n.Alts[0].(*dsl.Ref)
		if !is || r.Name.Name != f.name || r.Package != nil || r.Prime || r.Cotangent || len(n.Alts) != 2 {
			return true
		}
		c := constantOf(n.Alts[1])
		if c == nil || c.Const == nil || f.value != nil && f.value.Const.Cmp(c.Const) != 0 {
			f.ok = false
			return false
		}
		f.value = c
		dsl.Inspect(r.Index, f.visit)
		return false
	case *dsl.Ref:
		if n.Name.Name == f.name && n.Package == nil {
			f.ok = false
		}
	}
	return f.ok
}

// leftOut refuses calls that leave out everything that `a ?? b` may be. It is false where something else is the reason.
func (l *lowering) leftOut(x *dsl.Alt, e *env) bool {
	if e.closed {
		return false
	}
	var names []string
	for _, a := range x.Alts {
		found := false
		dsl.Inspect(a, func(n any) bool {
			if r, is := n.(*dsl.Ref); is && !found && l.isLeftOut(r.Name.Name) {
				names = append(names, r.Name.Name)
				found = true
			}
			return !found
		})
		if !found {
			return false
		}
	}
	l.refused = &ir.Require{Cond: ir.False, Message: strings.Join(names, " or ") + " must be given", Span: x.Span}
	return true
}

// isLeftOut tells whether a name is an optional input or attribute that these choices leave out.
func (l *lowering) isLeftOut(name string) bool {
	optional := false
	if d := l.sig.find(name); d != nil {
		optional = d.param.Optional
	} else if a := l.sig.attr(name); a != nil {
		optional = a.decl.Optional
	}
	return optional && !l.mayHave(name)
}
