package randspec

import "slices"

// useResults makes outputs of the results of calls that nothing reads.
func (g *gen) useResults() {
	text := g.text()
	for _, s := range g.stmts {
		for _, n := range s.names {
			if len(s.names) == 1 || words(text)[n] > 1 {
				continue
			}
			for _, t := range g.known {
				if t.name == n {
					u := &tensor{name: g.name("u"), kind: t.kind, elem: t.elem, slots: t.slots, axes: t.axes}
					g.emit(u.name+" = "+n, u.name)
					g.outs = append(g.outs, u)
				}
			}
		}
	}
}

// useAll drops inputs that nothing reads, or reads them where only they tell the extent of an axis.
func (g *gen) useAll() {
	text := g.text()
	for i := 0; i < len(g.ins); i++ {
		t := g.ins[i]
		if contains(text, t.name) {
			continue
		}
		rest := slices.Delete(slices.Clone(g.ins), i, i+1)
		have := map[*axis]bool{}
		for _, o := range rest {
			if !o.optional {
				for _, s := range o.slots {
					if s.product == nil && !s.optional {
						have[s.axis] = true
					}
				}
			}
		}
		needed := false
		for _, s := range t.slots {
			needed = needed || s.product != nil || !have[s.axis]
		}
		if (!needed || t.optional) && i > 0 {
			g.ins = rest
			i--
			continue
		}
		u := &tensor{name: g.name("u"), kind: t.kind, elem: t.elem}
		e := map[kind]string{float: "sum", whole: "sum", truth: "any"}[t.kind] + "(" + t.name + ")"
		if len(t.slots) == 0 {
			e = t.name
		}
		if t.kind == whole {
			u.elem, e = "i64", "i64("+e+")"
		}
		g.emit(u.name+" = "+e, u.name)
		g.outs = append(g.outs, u)
	}
}

// dropAttrs drops attributes that nothing reads.
func (g *gen) dropAttrs() {
	text := g.text()
	var keep []*attr
	for _, a := range g.attrs {
		if a.hidden || contains(text, a.name) {
			keep = append(keep, a)
		}
	}
	g.attrs = keep
}
