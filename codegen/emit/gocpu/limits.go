package gocpu

import (
	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/runtime"
)

// checkLimits refuses ops that have more of something than the runtime can hold.
func (g *opGen) checkLimits() error {
	type count struct {
		what   string
		n, max int
	}
	counts := []count{
		{"dtype variables", len(g.decl.ElemVars), runtime.MaxVars},
		{"names of axes", len(g.axes), runtime.MaxAxes},
	}
	for _, gr := range g.groups {
		if gr.forward != nil {
			counts = append(counts, count{"tensors" + g.choicesText(gr.choices), len(gr.forward.params), runtime.MaxParams})
		}
		if gr.backward != nil {
			counts = append(counts, count{"tensors in its derivative" + g.choicesText(gr.choices), len(gr.backward.params), runtime.MaxParams})
		}
	}
	for _, c := range counts {
		if c.n > c.max {
			return &emit.Limit{Op: g.decl, What: c.what, Count: c.n, Max: c.max}
		}
	}
	return nil
}
