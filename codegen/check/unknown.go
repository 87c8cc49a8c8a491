package check

import (
	"slices"
	"strings"

	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
)

// unknown reports a name that nothing declares.
func (n *names) unknown(id dsl.Ident) {
	if n.missing[id.Name] {
		n.rep.errors++
		return
	}
	if n.missing == nil {
		n.missing = map[string]bool{}
	}
	n.missing[id.Name] = true
	d := n.rep.errorf(id.Span, "name-unknown", "%s is not declared", quote(id.Name))
	if sym := n.table[id.Name]; sym != nil && sym.hidden {
		d.Message = "`" + id.Name + "` is declared in an arm of a match and known in it alone"
		d.WithNote(sym.span, "declared here")
		return
	}
	if id.Name == "step" {
		d.Hint = "only an update has steps"
		return
	}
	if y, is := strings.CutPrefix(id.Name, "d"); is && n.grad && n.table[y] != nil && n.table[y].kind == symOutput {
		d.Hint = "the cotangent of " + y + " is @" + y
		n.lost = true
		return
	}
	var near []string
	for _, v := range n.indices {
		near = append(near, v.name)
	}
	for name, s := range n.table {
		if !s.hidden {
			near = append(near, name)
		}
	}
	slices.Sort(near)
	if suggest(d, id.Name, near); d.Hint != "" {
		if sym := n.table[diag.Suggest(id.Name, near)]; sym != nil {
			sym.used = true // it is used, if misspelt
		}
		return
	}
	n.lost = true
	if n.indexing > 0 {
		d.Hint = "an index is named on the left, y[" + id.Name + "] = …, or by the reduction around it, sum[" + id.Name + "](…)"
		return
	}
	if wordsOf(foreignValues, d, id.Name) {
		return
	}
	if _, is := builtins[id.Name]; is || isReducer(id.Name) || n.in.unit.funcs[id.Name] != nil {
		d.Hint = id.Name + " is a function: write " + id.Name + "(…)"
	}
}
