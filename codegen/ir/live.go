package ir

// Live are the definitions that the outputs, or what the requirements read, depend on, in their order.
func Live(f *Func) []*Def {
	by := map[*Tensor]*Def{}
	for _, d := range f.Defs {
		by[d.Target] = d
	}
	live := map[*Def]bool{}
	var mark func(t *Tensor)
	mark = func(t *Tensor) {
		d := by[t]
		if d == nil || live[d] {
			return
		}
		live[d] = true
		for r := range d.Reads() {
			mark(r)
		}
	}
	for _, t := range f.Outputs {
		mark(t)
	}
	for _, r := range f.Requires {
		for t := range Reads(r.Cond) {
			mark(t)
		}
	}
	for _, g := range f.UserGrads {
		for _, d := range g.Defs {
			for t := range d.Reads() {
				mark(t)
			}
		}
	}
	var r []*Def
	for _, d := range f.Defs {
		if live[d] {
			r = append(r, d)
		}
	}
	return r
}
