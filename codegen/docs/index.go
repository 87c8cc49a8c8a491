package docs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/codegen/ir"
)

// Index is the page that lists the ops of packages by family; folder is where their pages are, seen from it.
func Index(builds []*codegen.Build, folder string) []byte {
	var out strings.Builder
	out.WriteString(mark("specs"))
	out.WriteString("# Ops\n\n")
	n := 0
	for _, b := range builds {
		n += len(b.Package.Ops)
	}
	fmt.Fprintf(&out, "%d ops in %d families.\n", n, len(builds))
	for _, b := range builds {
		known := map[string][]string{}
		for _, g := range b.Gradients() {
			how, _, _ := strings.Cut(g.Status, " ")
			if !slices.Contains(known[g.Op], how) {
				known[g.Op] = append(known[g.Op], how)
			}
		}
		fmt.Fprintf(&out, "\n## %s\n\n| op | | derivative |\n|---|---|---|\n", b.Package.Name)
		for _, op := range b.Package.Ops {
			name := b.Package.Name + "." + op.Name
			how := strings.Join(known[name], ", ")
			if how == "" {
				how = "-"
			}
			fmt.Fprintf(&out, "| [%s](%s/%s/%s.md) | %s | %s |\n", cell(op.Name), folder, b.Package.Name, op.Name, cell(first(op)), how)
		}
	}
	return []byte(out.String())
}

// first is the first sentence of the documentation of an op.
func first(op *ir.OpDecl) string {
	text := strings.Join(strings.Fields(strings.Split(op.Doc, "\n\n")[0]), " ")
	for i := 0; i < len(text); i++ {
		if text[i] == '.' && (i+1 == len(text) || text[i+1] == ' ') {
			return text[:i+1]
		}
	}
	return strings.TrimSuffix(text, ":")
}
