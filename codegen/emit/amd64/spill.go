package amd64

import "slices"

// spiller rewrites code for variables that live in memory.
type spiller struct {
	code    *code
	isa     *isa
	spilled map[*reg]bool
	out     []*inst
}

// place gives a variable its place in memory.
func (sp *spiller) place(r *reg) {
	if r.home != nil {
		return
	}
	size := 8
	if r.class == vec && (!r.uniform || !sp.isa.wide()) {
		size = sp.isa.full.bytes()
	}
	home := arg{kind: argFrame, slot: &slot{bytes: size}}
	home.bcst = r.class == vec && r.uniform && sp.isa.wide()
	r.home = &home
}

// foldsTo is the argument that can be in memory if r is, and only that; -1 if there is none.
func (in *inst) foldsTo(r *reg) int {
	count := 0
	for i := range in.args {
		a := &in.args[i]
		if in.isUse(i) && a.reg == r {
			count++
		}
		if a.kind == argMem && a.reg == r || a.index == r {
			return -1
		}
		if a.inMemory() {
			return -1
		}
	}
	if count != 1 || in.idiom {
		return -1
	}
	last := len(in.args) - 1
	isReg := func(i int) bool { return in.args[i].kind == argReg && in.args[i].reg == r }
	switch {
	case in.fold >= 0 && isReg(in.fold) && (in.fold < last || in.role == reads || in.store):
		return in.fold
	case in.fold >= 0 && in.swap != fixed && in.fold+1 < last && isReg(in.fold+1) && in.args[in.fold].kind == argReg:
		return in.fold + 1
	case in.store && isReg(last) && r.class == gpr:
		return last
	}
	return -1
}

func (sp *spiller) rewrite(insts []*inst) []*inst {
	for _, in := range insts {
		sp.one(in)
	}
	return sp.out
}

// one rewrites an instruction.
func (sp *spiller) one(in *inst) {
	var regs []*reg
	in.visit(func(r *reg, _ bool) {
		if sp.spilled[r] && !slices.Contains(regs, r) {
			regs = append(regs, r)
		}
	})
	if in.store && in.role == updates && len(regs) == 2 && in.isDef(len(in.args)-1) && in.last().reg == regs[1] {
		slices.Reverse(regs) // the place that changes stays in memory, what it changes by goes through a register
	}
	var after []*inst
	for _, r := range regs {
		if sp.dropped(in, r) {
			return
		}
		if i := in.foldsTo(r); i >= 0 && sp.canFold(in, i, r) {
			sp.foldInto(in, i, r)
			if last := len(in.args) - 1; !in.isDef(last) || in.args[last].reg != r {
				continue
			}
		}
		if last := in.last(); in.copy && last.kind == argReg && last.reg == r && !in.args[0].inMemory() {
			sp.storeInstead(in, r)
			continue
		}
		tmp := &reg{class: r.class, uniform: r.uniform, scratch: true}
		read, written := false, false
		for i := range in.args {
			a := &in.args[i]
			use, def := in.isUse(i), in.isDef(i)
			if a.kind == argReg && a.reg == r {
				read, written = read || use, written || def
				a.reg = tmp
			}
			if a.kind == argMem && a.reg == r {
				read = true
				a.reg = tmp
			}
			if a.index == r {
				read = true
				a.index = tmp
			}
		}
		if read {
			sp.out = append(sp.out, sp.reload(r, tmp, in.freq))
		}
		if written && !r.made {
			after = append(after, sp.save(r, tmp, in.freq))
		}
	}
	sp.out = append(append(sp.out, in), after...)
}

// dropped says whether an instruction only sets r, whose value is in memory anyhow.
func (sp *spiller) dropped(in *inst, r *reg) bool {
	return r.made && in.role == writes && in.last().kind == argReg && in.last().reg == r
}

// canFold says whether the place of r fits argument i.
func (sp *spiller) canFold(in *inst, i int, r *reg) bool {
	switch {
	case r.class == kmask:
		return false
	case r.class == gpr:
		return true
	case in.copy:
		return true // becomes a load
	}
	// A full vector or a repeated element serves only instructions on whole registers.
	return in.args[i].width == sp.isa.full
}

// foldInto takes r from memory.
func (sp *spiller) foldInto(in *inst, i int, r *reg) {
	if i == in.fold+1 && in.swap != fixed {
		in.args[in.fold], in.args[i] = in.args[i], in.args[in.fold]
		if in.swap == fused {
			in.op = swapFused(in.op)
		}
		i = in.fold
	}
	width := in.args[i].width
	in.args[i] = *r.home
	if in.copy && r.class == vec {
		load := sp.reload(r, in.last().reg, in.freq)
		*in = *load
		in.last().width = width
	}
	if in.copy && i == 0 {
		in.copy = false
	}
}

// storeInstead turns a copy to r into a store.
func (sp *spiller) storeInstead(in *inst, r *reg) {
	*in = *sp.save(r, in.args[0].reg, in.freq)
}

// reload sets a register to a variable.
func (sp *spiller) reload(r, to *reg, freq float64) *inst {
	in := &inst{role: writes, fold: -1, freq: freq}
	from := *r.home
	from.bcst = false
	switch {
	case r.class == gpr:
		in.op = "MOVQ"
	case r.class == kmask:
		in.op = "KMOVW"
	case r.home.bcst:
		in.op = sp.isa.name("VBROADCASTS*")
	default:
		in.op = sp.isa.name("VMOVUP*")
	}
	in.args = []arg{from, {kind: argReg, reg: to, width: sp.isa.full}}
	return in
}

// save stores a register to the place of a variable.
func (sp *spiller) save(r, from *reg, freq float64) *inst {
	in := &inst{role: reads, fold: -1, freq: freq}
	to := *r.home
	to.bcst = false
	a := arg{kind: argReg, reg: from, width: sp.isa.full}
	switch {
	case r.class == gpr:
		in.op = "MOVQ"
	case r.class == kmask:
		in.op = "KMOVW"
	case r.home.bcst:
		in.op, a.width = sp.isa.name("VMOVS*"), wx
	default:
		in.op = sp.isa.name("VMOVUP*")
	}
	in.args = []arg{a, to}
	return in
}
