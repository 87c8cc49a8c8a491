package gocpu

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/opgen/opgen/codegen/ir"
)

// comment is a text as a comment of several lines. Characters that Go takes in no comment, which a string of the spec may
// have by escapes, become blanks.
func comment(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' && r != '\n' || r == '\ufeff' {
			return ' '
		}
		return r
	}, text)
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, l := range lines {
		if !strings.HasPrefix(l, "\t") {
			l = " " + l
		}
		lines[i] = strings.TrimRight("//"+l, " ")
	}
	return strings.Join(lines, "\n")
}

// summary is the documentation that the spec has of an op. Where it begins with the name of the op, that is the one in Go.
func (g *opGen) summary() string {
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	if first, rest, _ := strings.Cut(g.decl.Doc, " "); plain(first) == plain(g.decl.Name) {
		return g.mainName() + " " + rest
	}
	if g.decl.Doc != "" {
		return g.decl.Doc
	}
	return fmt.Sprintf("%s is the op %s.", g.mainName(), g.decl.Name)
}

// doc is the comment of the function of an op, or of its optimizer.
func (g *opGen) doc() string {
	var b strings.Builder
	b.WriteString(g.summary() + "\n")
	if g.decl.Formula != "" {
		b.WriteString("\n")
		for _, l := range strings.Split(strings.Trim(g.decl.Formula, "\n"), "\n") {
			b.WriteString("\t" + l + "\n")
		}
	}
	b.WriteString("\n" + g.shapes() + "\n\n" + g.errors() + "\n")
	if list := g.shownFor(); len(list) > 0 {
		b.WriteString("\n" + list[len(list)-1].docText() + "\n")
	}
	return comment(b.String())
}

// shapes lists tensors with their axes, and dtypes.
func (g *opGen) shapes() string {
	var parts []string
	names := g.newFunc().tensors
	named := func(p *ir.Param) string {
		if names[p.Name] != p.Name {
			return names[p.Name] + " (" + p.Name + " in the formula): "
		}
		return p.Name + ": "
	}
	for _, p := range g.decl.Inputs {
		text := named(p) + g.elemText(p.Elem) + axesText(p.Axes)
		if p.Optional {
			text += " or nil"
		}
		parts = append(parts, text)
	}
	in := strings.Join(parts, ", ")
	parts = nil
	for _, p := range g.decl.Outputs {
		parts = append(parts, named(p)+g.outputShape(p))
	}
	if in != "" && parts != nil {
		in += "; "
	}
	in += strings.Join(parts, ", ")
	for _, v := range g.decl.ElemVars {
		in += ". " + v.Name + ": " + oneOf(g.varDTypes(v.Name))
	}
	return in + "." + g.wrapText(in) + g.chosenText()
}

// outputShape is the type of an output; its axes may differ by variant.
func (g *opGen) outputShape(p *ir.Param) string {
	if !p.Infer {
		return g.elemText(p.Elem) + axesText(p.Axes)
	}
	var seen []string
	for _, gr := range g.groups {
		if gr.forward == nil {
			continue
		}
		for _, q := range gr.forward.params {
			if t := g.elemText(p.Elem) + axesText(q.dims); q.mode == "Out" && q.name == p.Name && !slices.Contains(seen, t) {
				seen = append(seen, t)
			}
		}
	}
	return strings.Join(seen, " or ")
}

// elemText is an element type; acc(T) and sum(T) are what they stand for, where that is the same for all dtypes of T.
func (g *opGen) elemText(e ir.Elem) string {
	if e.Wrap == "" || !slices.ContainsFunc(g.decl.ElemVars, func(v ir.ElemVar) bool { return v.Name == e.Name }) {
		return e.String()
	}
	var same []string
	for _, d := range g.varDTypes(e.Name) {
		text := e.Resolve(map[string]string{e.Name: d})
		if text == d {
			text = e.Name
		}
		if !slices.Contains(same, text) {
			same = append(same, text)
		}
	}
	if len(same) != 1 {
		return e.String()
	}
	return same[0]
}

// axesText is axes as they are written.
func axesText(axes []ir.AxisRef) string {
	var parts []string
	for _, a := range axes {
		parts = append(parts, axisText(a))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func axisText(a ir.AxisRef) string {
	switch {
	case a.Product != nil:
		s := axesText(a.Product)
		return "(" + s[1:len(s)-1] + ")"
	case a.Pack:
		return "..." + a.Name
	case a.Optional:
		return a.Name + "?"
	}
	return a.Name
}

// intoDoc is the comment of the function that writes to tensors of the caller.
func (g *opGen) intoDoc() string {
	if !g.decl.Update || len(g.decl.Outputs) > 0 {
		return comment(fmt.Sprintf("%s is [%s] with the results in %s, of the caller. It allocates nothing and records nothing.%s",
			g.intoName(), g.name, strings.Join(g.goNames(g.outputNames()), ", "), g.moreErrors(false))) + g.withoutOptimizer()
	}
	if g.opt == nil {
		return strings.Replace(g.doc(), "// "+g.mainName()+" ", "// "+g.intoName()+" ", 1) + g.withoutOptimizer()
	}
	step := ""
	if takesStep(g.decl) {
		step = "; step counts from 1"
	}
	return comment(fmt.Sprintf("%s is one update of [%s], in place%s. It allocates nothing.", g.intoName(), g.name, step))
}

// withoutOptimizer says why an update with states or a second tensor, which could be a gradient, has no optimizer.
func (g *opGen) withoutOptimizer() string {
	if !g.decl.Update || g.opt != nil || len(g.decl.Inputs) < 2 {
		return ""
	}
	return "\n//\n" + comment(fmt.Sprintf("There is no optimizer New%s: %s.", g.name, g.noOptimizer))
}

// goNames are the names of tensors in Go.
func (g *opGen) goNames(list []string) []string {
	names := g.newFunc().tensors
	r := make([]string, len(list))
	for i, n := range list {
		r[i] = names[n]
	}
	return r
}

// sliceDoc is the comment of the function for plain slices.
func (g *opGen) sliceDoc() string {
	reduced := false
	for _, gr := range g.groups {
		if gr.forward != nil && !g.decl.Update {
			for _, p := range gr.forward.params {
				reduced = reduced || p.mode == "Out" && len(p.dims) == 0
			}
		}
	}
	text := fmt.Sprintf("%sSlice is [%s] on plain slices of one length.", g.name, g.intoName())
	if reduced {
		text += " Where the result is one number, dst has one element."
	}
	for _, v := range g.decl.ElemVars {
		if acc := g.accType(v.Name); acc != "" {
			text += fmt.Sprintf(" %s is acc(%s): float32 where %[2]s is of half precision, else %[2]s.", acc, v.Name)
		}
	}
	return comment(text)
}

// backwardDoc is the comment of the function that computes gradients.
func (g *opGen) backwardDoc(f *apiFunc, s *signature) string {
	var grads, cots []string
	for _, p := range s.params {
		switch {
		case p.mode == "Gradient":
			grads = append(grads, f.tensors[p.name])
		case p.mode == "Back" && p.name[0] == '@':
			cots = append(cots, f.tensors[p.name])
		}
	}
	text := fmt.Sprintf("%sBackwardInto sets %s, those that are not nil, to the gradients of the inputs for the gradients %s of the outputs.",
		g.name, strings.Join(grads, ", "), strings.Join(cots, ", "))
	if kept := savedNames(s); len(kept) > 0 {
		text += fmt.Sprintf(" It reads what [%sSaveInto] kept.", g.name)
	}
	return comment(text + g.moreErrors(true))
}

// saveDoc is the comment of the function that also keeps what the derivative reads.
func (g *opGen) saveDoc(f *apiFunc, kept []string) string {
	var list []string
	for _, p := range g.live().forward.params {
		if slices.Contains(kept, p.name) {
			list = append(list, f.tensors[p.name]+": "+g.elemText(p.elem)+axesText(p.dims))
		}
	}
	return comment(fmt.Sprintf("%sSaveInto is [%s] that also keeps what [%sBackwardInto] reads: values of the formula on its way, in tensors of the caller. %s.%s",
		g.name, g.intoName(), g.name, strings.Join(list, ", "), g.moreErrors(false)))
}
