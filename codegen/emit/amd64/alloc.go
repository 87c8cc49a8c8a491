package amd64

import (
	"cmp"
	"errors"
	"slices"
)

// Registers are allocated by linear scan over whole lifetimes. A variable that finds none, or whose place is worth more to
// another, lives in memory: its instructions take it from there, or through a register for just that instruction.
// Then the scan starts anew, until all fit.

// gprNames are the general registers in order of preference. SP, the frame pointer BP and R15, which position-independent code
// uses for addresses, stay free.
var gprNames = []string{"AX", "BX", "CX", "DX", "SI", "DI", "R8", "R9", "R10", "R11", "R12", "R13", "R14"}

// firstMask is K1: K0 as a mask means none.
const firstMask = 1

// counts are the registers of each class.
func (s *isa) counts() [classes]int { return [classes]int{gpr: s.gregs, vec: s.vregs, kmask: 7} }

// life is the part of the code where a variable holds a value that is still needed. Instruction i reads at 2i and
// writes at 2i+1.
type life struct {
	reg *reg
	span
	cost float64 // of keeping it in memory
}

// weight is what a register is worth to a variable.
func (l *life) weight() float64 { return l.cost / float64(l.end-l.start+2) }

// Costs of an access to a variable in memory: by an instruction that can take it from there, and by one that can't.
const (
	foldCost   = 0.4
	reloadCost = 1
	storeCost  = 1.5
)

var errNoRegisters = errors.New("an instruction needs more registers than there are")

// allocate gives each variable a register or a place in memory.
func allocate(c *code, s *isa, insts []*inst) ([]*inst, error) {
	for {
		lives := lifetimes(insts)
		spilled, err := scan(lives, s.counts())
		if err != nil {
			return nil, err
		}
		if len(spilled) == 0 {
			c.placeSlots(insts)
			return dropMoves(insts), nil
		}
		sp := &spiller{code: c, isa: s, spilled: map[*reg]bool{}}
		for _, r := range spilled {
			sp.spilled[r] = true
			sp.place(r)
		}
		insts = sp.rewrite(insts)
	}
}

// span is a part of the code, as positions.
type span struct{ start, end int }

// loopsOf finds the loops, inner ones before those around them.
func loopsOf(insts []*inst) []span {
	labels := map[string]int{}
	var loops []span
	for i, in := range insts {
		if in.label != "" {
			labels[in.label] = i
		}
		if at, back := labels[in.jump]; in.jump != "" && back {
			loops = append(loops, span{2 * at, 2*i + 1})
		}
	}
	return loops
}

// through extends s: what enters a loop and is used in it is needed until the loop ends.
func (s *span) through(loops []span) {
	for _, l := range loops {
		if s.start < l.start && s.end >= l.start {
			s.end = max(s.end, l.end)
		}
	}
}

// lifetimes computes the lives of all variables, by start.
func lifetimes(insts []*inst) []*life {
	byReg := map[*reg]*life{}
	var lives []*life
	for i, in := range insts {
		in.visit(func(r *reg, def bool) {
			at := 2*i + number(def)
			l := byReg[r]
			if l == nil {
				l = &life{reg: r, span: span{at, at}}
				byReg[r] = l
				lives = append(lives, l)
			}
			l.end = max(l.end, at)
			l.cost += in.freq * in.costOf(r, def)
		})
	}
	loops := loopsOf(insts)
	for _, l := range lives {
		l.through(loops)
	}
	slices.SortStableFunc(lives, func(a, b *life) int { return cmp.Compare(a.start, b.start) })
	return lives
}

// placeSlots gives places in the frame to the variables in memory. Those that aren't needed at once share.
func (c *code) placeSlots(insts []*inst) {
	spans := map[*slot]*span{}
	var slots []*slot // in order of their starts
	for i, in := range insts {
		for _, a := range in.args {
			switch {
			case a.slot == nil:
			case spans[a.slot] == nil:
				spans[a.slot] = &span{2 * i, 2 * i}
				slots = append(slots, a.slot)
			default:
				spans[a.slot].end = 2 * i
			}
		}
	}
	loops := loopsOf(insts)
	ends := map[*slot]int{} // those whose places are handed on, with when they become free
	for _, s := range slots {
		spans[s].through(loops)
		s.disp = -1
		for _, old := range slots {
			if end, ok := ends[old]; ok && old.bytes == s.bytes && end < spans[s].start {
				s.disp = old.disp
				delete(ends, old)
				break
			}
		}
		if s.disp < 0 {
			s.disp = c.newFrame(s.bytes).disp
		}
		ends[s] = spans[s].end
	}
}

// costOf is the cost of an access if r were in memory.
func (in *inst) costOf(r *reg, def bool) float64 {
	switch {
	case def && r.made:
		return 0
	case def:
		return storeCost
	case in.foldsTo(r) >= 0:
		return foldCost
	default:
		return reloadCost
	}
}

// scan walks over the lives in order of their starts and gives out registers. It returns the variables that must go to memory.
func scan(lives []*life, counts [classes]int) ([]*reg, error) {
	var active [classes][]*life
	var used [classes]uint64
	var spilled []*reg
	for _, l := range lives {
		c := l.reg.class
		active[c] = slices.DeleteFunc(active[c], func(a *life) bool {
			if a.end < l.start {
				used[c] &^= 1 << a.reg.phys
				return true
			}
			return false
		})
		if p := freeRegister(l.reg, used[c], counts[c]); p >= 0 {
			l.reg.phys = p
			used[c] |= 1 << p
			active[c] = append(active[c], l)
			continue
		}
		victim := l
		for _, a := range active[c] {
			if !a.reg.scratch && (victim.reg.scratch || a.weight() < victim.weight()) {
				victim = a
			}
		}
		if victim.reg.scratch {
			return nil, errNoRegisters
		}
		spilled = append(spilled, victim.reg)
		if victim != l {
			l.reg.phys = victim.reg.phys
			active[c][slices.Index(active[c], victim)] = l
		}
	}
	return spilled, nil
}

// freeRegister is the register that r would like, if that is free, else the first that is, or -1.
func freeRegister(r *reg, used uint64, count int) int {
	if h := r.hint; h != nil && h.class == r.class && !h.scratch && used>>h.phys&1 == 0 && h.phys < count {
		return h.phys
	}
	for p := range count {
		if used>>p&1 == 0 {
			return p
		}
	}
	return -1
}

// dropMoves removes copies of a register to itself.
func dropMoves(insts []*inst) []*inst {
	return slices.DeleteFunc(insts, func(in *inst) bool {
		return in.copy && in.args[0].kind == argReg && in.args[1].kind == argReg && in.args[0].reg.phys == in.args[1].reg.phys
	})
}

// number is 1 for true.
func number(b bool) int {
	if b {
		return 1
	}
	return 0
}
