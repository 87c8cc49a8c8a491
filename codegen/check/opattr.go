package check

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

// wordOf is the word of an enum or bool attribute of a called op.
func (c *opCall) wordOf(a *attribute) string {
	x := c.named(a.decl.Name)
	if x == nil {
		switch {
		case a.decl.Word != "":
			return a.decl.Word
		case a.decl.Kind == ir.AttrBool:
			return "false"
		}
		return a.decl.Enum.Words[0]
	}
	l := c.caller
	if a.decl.Kind == ir.AttrEnum {
		word := ""
		if s := l.wordSide(x, c.env); s != nil && s.attr != nil {
			word = l.word(s.attr)
		} else if s != nil {
			word = s.word
		} else if id := bareName(x); id != nil {
			word = id.Name
		}
		if slices.Contains(a.decl.Enum.Words, word) {
			return word
		}
		suggest(l.errorf(c.env.at(x), "enum-word", "%s takes one of: %s", quote(a.decl.Name), joinWords(a.decl.Enum.Words)), word, a.decl.Enum.Words)
		return a.decl.Enum.Words[0]
	}
	v := l.condition(x, c.env)
	if !isBad(v) && v.Op != ir.OpTrue && v.Op != ir.OpFalse {
		if !isUniform(v) {
			l.errorf(c.env.at(x), "call-attr", "%s of a called op is the same for all elements", quote(a.decl.Name))
			return "false"
		}
		v = boolean(l.holds(v))
	}
	if v.Op == ir.OpTrue {
		return "true"
	}
	return "false"
}

// has tells whether an optional input or attribute of a called op is there.
func (c *opCall) has(s *lowering, name string) bool {
	a := s.sig.attr(name)
	if a == nil {
		return c.args[name] != nil
	}
	x := c.named(name)
	if x == nil {
		return a.syntax.Default != nil
	}
	if id := bareName(x); id != nil {
		if own := c.caller.sig.attr(id.Name); own != nil && own.decl.Optional && c.env.params[id.Name] == nil {
			return c.caller.has(id.Name)
		}
	}
	return true
}

// number is the value of an attribute of a called op; comp is which entry of a list, or -1.
func (c *opCall) number(s *lowering, a *attribute, comp int, at site) *ir.Value {
	l := c.caller
	v := a.decl.Default
	if x := c.named(a.decl.Name); x != nil {
		e := c.env.with(func(n *env) { n.host, n.comp = at.env.host, 0 })
		switch t := x.(type) {
		case *dsl.Tuple:
			if comp < 0 || comp >= len(t.Items) {
				l.errorf(e.at(x), "call-attr", "%s of %s is one number, not a list", quote(a.decl.Name), quote(s.op.decl.Name.Name))
				return bad
			}
			x = t.Items[comp].Value
		default:
			if _, list := l.countOf(x, e); list && comp >= 0 {
				e = e.component(comp)
			}
		}
		v = l.expr(x, e)
	}
	switch {
	case v == nil:
		return s.absence(at, a.decl.Name)
	case isBad(v):
		return bad
	case a.decl.Kind == ir.AttrInt && v.Type.Kind != ir.Exact:
		l.errorf(c.at, "call-attr", "%s of %s is an int, this is %s", quote(a.decl.Name), quote(s.op.decl.Name.Name), l.typeText(v))
		return bad
	case a.decl.Kind == ir.AttrInt && isUniform(v) && !l.isWhole(v):
		l.errorf(c.at, "call-attr", "%s of %s is an int, and this need not be whole", quote(a.decl.Name), quote(s.op.decl.Name.Name)).WithHint("round it, as in floor(…)")
		return bad
	case !isUniform(v):
		l.errorf(c.at, "call-attr", "%s of a called op is the same for all elements", quote(a.decl.Name))
		return bad
	case a.decl.Kind == ir.AttrFloat && v.Type.Kind == ir.Exact:
		return l.push(v, ir.RealType)
	case a.decl.Kind == ir.AttrElem:
		return s.coerceTo(at, v, s.elem(a.decl.Elem), quote(a.decl.Name))
	}
	return v
}

// seed is the attribute of the caller that a seed of a called op is.
func (c *opCall) seed(a *attribute, at site) string {
	x := c.named(a.decl.Name)
	if x == nil {
		c.caller.errorf(at, "arg-missing", "the seed %s is not given", quote(a.decl.Name))
		return ""
	}
	return c.caller.seed(x, c.env)
}
