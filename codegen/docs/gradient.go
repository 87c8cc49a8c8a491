package docs

import (
	"fmt"
	"maps"
	"strings"

	"github.com/opgen/opgen/codegen"
)

// most is how many steps stand on a page for several cases; of more only the usual call's do.
const most = 24

func (p *page) derivative() {
	var status []codegen.GradientLine
	for _, g := range p.b.Gradients() {
		if g.Op == p.b.Package.Name+"."+p.op.Name {
			status = append(status, g)
		}
	}
	if len(status) == 0 {
		return
	}
	p.WriteString("## Derivative\n\n| by | known |\n|---|---|\n")
	none := true
	for _, g := range status {
		fmt.Fprintf(p, "| `%s` | %s |\n", g.Input, cell(g.Status))
		none = none && (g.Status == "zero" || g.Status == "none")
	}
	p.WriteString("\n")
	if none {
		return
	}
	said := map[string]bool{}
	for use := range p.uses {
		said[use] = true
	}
	w := newWriter(p.tree, p.uses)
	p.WriteString("A bar marks the gradient of the final number by a value. ")
	hand := w.byHand(p.tree.Body)
	if len(hand) > 0 {
		p.WriteString("By the spec:\n\n")
		p.block(hand)
	}
	list, more := derivatives(p.op, p.tree, p.fns, p.lets)
	if len(list) > 0 {
		if len(hand) > 0 {
			p.WriteString("For the others, d")
		} else {
			p.WriteString("D")
		}
		p.WriteString("erived and simplified, the steps are")
		steps := 0
		for _, d := range list {
			steps += len(d.steps)
		}
		if steps > most {
			more += len(list) - 1
			list = list[:1]
		}
		for i, d := range list {
			if i > 0 {
				p.WriteString("and")
			}
			p.steps(d)
			maps.Copy(p.uses, d.uses)
		}
		if more > 0 {
			fmt.Fprintf(p, "Other choices have other steps: `opgen explain -stage simplify %s.%s` prints them all.\n\n", p.b.Package.Name, p.op.Name)
		}
	}
	p.notation(said)
}

// steps writes one derivative: few steps as one block, many as a numbered list.
func (p *page) steps(d derived) {
	if len(d.names) > 0 {
		p.WriteString(", where " + strings.Join(d.names, ", "))
	}
	p.WriteString(":\n\n")
	if len(d.steps) <= 3 {
		var all []equation
		for _, s := range d.steps {
			all = append(all, s...)
		}
		p.block(all)
		return
	}
	for i, s := range d.steps {
		number := fmt.Sprintf("%d. ", i+1)
		indent := strings.Repeat(" ", len(number))
		text := strings.TrimRight(blockOf(s), "\n")
		p.WriteString(number + strings.ReplaceAll(text, "\n", "\n"+indent) + "\n")
	}
	p.WriteString("\n")
}

// cell is a text in a table.
func cell(text string) string { return strings.ReplaceAll(marks.Replace(text), "\n", " ") }
