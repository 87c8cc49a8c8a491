package general

import (
	"fmt"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
)

// Extents writes a function that tells the runtime.Bound b the extents that dims say, and packs that are like others, by
// number. Of the kernel it needs all but the tensors.
func Extents(k *Kernel, dims []ir.Dim, like [][2]int) (text string, err error) {
	if k.Func == nil {
		k.Func = &ir.Func{} // nothing but extents
	}
	g := newGen(k)
	defer g.catch(&text, &err)
	for _, p := range like {
		g.root.printf("b.FixPack(%d, b.Pack(%d)...)\n", p[0], p[1])
	}
	packs := map[int]string{}
	var order []int
	for _, d := range dims {
		g.count(d.Value)
		g.bounded(d, g.root)
		v := g.value(d.Value, g.root)
		n := g.let(g.root, d.Axis.Name, "int", typed(g.integral(d.Value, v, g.root)))
		if !g.positive(d.Value) {
			g.negative(g.root, d, n)
		}
		g.extents[d.Axis] = n
		if d.Axis.Of == "" {
			g.root.printf("if err := b.Derive(%d, %s); err != nil {\nreturn err\n}\n", k.Axis(d.Axis), n.text)
			continue
		}
		p := k.Axis(&ir.Axis{Name: d.Axis.Of})
		if packs[p] == "" {
			order = append(order, p)
		}
		packs[p] += ", " + n.text
	}
	for _, p := range order {
		g.root.printf("if err := b.DerivePack(%d%s); err != nil {\nreturn err\n}\n", p, packs[p])
	}
	return g.text(nil), nil
}

// negative tests that an extent isn't negative.
func (g *gen) negative(s *block, d ir.Dim, n term) {
	g.test(s, binary("<", precCompare, n, number(0)),
		fmt.Sprintf("runtime.ShapeError(%q, %q, %s)", g.k.Op, d.Axis.Name+" = "+strings.TrimSpace(d.Value.Words())+" that isn't negative", n.text))
}
