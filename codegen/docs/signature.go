package docs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

func (p *page) signature() {
	p.WriteString("## Signature\n\n| input | type | |\n|---|---|---|\n")
	for i, in := range p.op.Inputs {
		fmt.Fprintf(p, "| `%s` | `%s` | %s |\n", in.Name, typeText(in), p.inputNote(i, in))
	}
	if len(p.op.Attrs) > 0 {
		p.WriteString("\n| attribute | type | default | allowed |\n|---|---|---|---|\n")
		for _, a := range p.op.Attrs {
			fmt.Fprintf(p, "| `%s` | %s | %s | %s |\n", a.Name, attrText(a), p.defaultText(a), strings.Join(p.ranges(a.Name), ", "))
		}
	}
	if len(p.op.Outputs) > 0 {
		p.WriteString("\n| output | type |\n|---|---|\n")
		for _, out := range p.op.Outputs {
			fmt.Fprintf(p, "| `%s` | %s |\n", out.Name, p.outputText(out))
		}
	}
	p.WriteString("\n")
	if len(p.op.ElemVars) > 0 {
		var list []string
		for _, v := range p.op.ElemVars {
			list = append(list, fmt.Sprintf("`%s` is %s", v.Name, oneOf(v.DTypes)))
		}
		p.WriteString(strings.Join(list, "; ") + ".")
		if p.links.Language != "" {
			fmt.Fprintf(p, " [How types are read](%s#2-axes).", p.links.Language)
		}
		p.WriteString("\n\n")
	}
	if rest := p.otherRequires(); len(rest) > 0 {
		p.WriteString("A call needs " + strings.Join(rest, "; ") + ".\n\n")
	}
}

func oneOf(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

func typeText(p *ir.Param) string { return p.Elem.String() + axesText(p.Axes) }

func axesText(axes []ir.AxisRef) string {
	var parts []string
	for _, a := range axes {
		switch {
		case a.Product != nil:
			s := axesText(a.Product)
			parts = append(parts, "("+s[1:len(s)-1]+")")
		case a.Pack:
			parts = append(parts, "..."+a.Name)
		case a.Optional:
			parts = append(parts, a.Name+"?")
		default:
			parts = append(parts, a.Name)
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// inputNote says in words how an input is used.
func (p *page) inputNote(i int, in *ir.Param) string {
	var list []string
	switch in.Mode {
	case ir.Inout:
		list = append(list, "read, and renewed in place")
	case ir.State:
		start := "0"
		if i < len(p.tree.Inputs) && p.tree.Inputs[i].Init != nil {
			start = inlineMath(newWriter(p.tree, p.uses).expr(p.tree.Inputs[i].Init))
		}
		list = append(list, "state, "+start+" before the first call")
	}
	if in.Optional {
		list = append(list, "may be left out (nil)")
	}
	if len(in.Axes) == 0 {
		list = append(list, "one number")
	}
	return strings.Join(list, "; ")
}

// outputText is the type of an output, those of all variants where these differ.
func (p *page) outputText(out *ir.Param) string {
	if !out.Infer {
		return "`" + typeText(out) + "`"
	}
	var list []string
	for _, f := range p.fns {
		for _, t := range f.Forward.Outputs {
			if t.Name != out.Name || t.Of != nil {
				continue
			}
			var axes []ir.AxisRef
			for _, a := range t.Axes {
				switch {
				case a.Of == "":
					axes = append(axes, ir.AxisRef{Name: a.Name, Pack: a.Pack})
				case a.At == 0:
					axes = append(axes, ir.AxisRef{Name: a.Of, Pack: true})
				}
			}
			if text := "`" + out.Elem.String() + axesText(axes) + "`"; !slices.Contains(list, text) {
				list = append(list, text)
			}
		}
	}
	return oneOf(list)
}

var attrKinds = map[ir.AttrKind]string{ir.AttrFloat: "float", ir.AttrInt: "int", ir.AttrBool: "bool", ir.AttrRNG: "seed of random numbers"}

func attrText(a *ir.AttrDecl) string {
	switch {
	case a.Enum != nil:
		return oneOf(a.Enum.Words)
	case a.Kind == ir.AttrElem:
		return "a number of type `" + a.Elem.String() + "`"
	case a.Kind == ir.AttrAxis:
		return "where `" + strings.Join(a.Axes, "`, `") + "` lies"
	case a.Kind == ir.AttrAxes:
		return "where `" + strings.Join(a.Axes, "`, `") + "` lie"
	case a.Kind == ir.AttrKeep:
		return "whether results keep `" + strings.Join(a.Axes, "`, `") + "` as 1"
	case a.List != "":
		return attrKinds[a.Kind] + ", one for each axis of `" + a.List + "` or one for all"
	}
	return attrKinds[a.Kind]
}

func (p *page) defaultText(a *ir.AttrDecl) string {
	for _, d := range p.tree.Attrs {
		if d.Name.Name == a.Name && d.Default != nil && a.Word == "" {
			return inlineMath(newWriter(p.tree, p.uses).expr(d.Default))
		}
	}
	switch {
	case a.Optional:
		return "may be left out"
	case a.Word != "":
		return a.Word
	case a.Kind == ir.AttrRNG:
		return ""
	}
	return "must be given"
}

// requires are the conditions of calls, with the names of what they are about.
func (p *page) requires(visit func(r *dsl.Require, names []string)) {
	dsl.Inspect(p.tree, func(n any) bool {
		r, is := n.(*dsl.Require)
		if !is {
			return true
		}
		var names []string
		dsl.Inspect(r.Cond, func(n any) bool {
			if ref, is := n.(*dsl.Ref); is && constants[ref.Name.Name] == "" && !slices.Contains(names, ref.Name.Name) {
				names = append(names, ref.Name.Name)
			}
			return true
		})
		visit(r, names)
		return true
	})
}

// ranges are the conditions about one attribute alone.
func (p *page) ranges(attr string) []string {
	var r []string
	p.requires(func(q *dsl.Require, names []string) {
		if len(names) == 1 && names[0] == attr {
			r = append(r, p.conditionText(q.Cond))
		}
	})
	return r
}

// conditionText is a condition of a call; one about all entries of a list says so in words.
func (p *page) conditionText(e dsl.Expr) string {
	if c, is := e.(*dsl.Call); is && c.Name.Name == "all" && c.Index == nil && len(c.Args) == 1 && c.Args[0].Pack {
		return inlineMath(newWriter(p.tree, p.uses).expr(c.Args[0].Value)) + " for each axis"
	}
	return inlineMath(newWriter(p.tree, p.uses).expr(e))
}

// otherRequires are the conditions that no row of an attribute has.
func (p *page) otherRequires() []string {
	var r []string
	p.requires(func(q *dsl.Require, names []string) {
		if len(names) == 1 && slices.ContainsFunc(p.op.Attrs, func(a *ir.AttrDecl) bool { return a.Name == names[0] }) {
			return
		}
		text := p.conditionText(q.Cond)
		if q.Message != "" {
			text += " (" + marks.Replace(q.Message) + ")"
		}
		r = append(r, text)
	})
	return r
}
