package amd64

import (
	"fmt"
	"strings"
)

var vecNames = [...]string{wx: "X", wy: "Y", wz: "Z"}

// name is a register as the assembler knows it.
func (r *reg) name(w width) string {
	switch r.class {
	case gpr:
		return gprNames[r.phys]
	case kmask:
		return fmt.Sprintf("K%d", r.phys+firstMask)
	}
	return fmt.Sprintf("%s%d", vecNames[w], r.phys)
}

func (a *arg) String() string {
	index := ""
	if a.index != nil {
		index = fmt.Sprintf("(%s*%d)", a.index.name(wx), a.scale)
	}
	switch a.kind {
	case argReg:
		return a.reg.name(a.width)
	case argImm:
		return fmt.Sprintf("$%d", a.imm)
	case argMem:
		return displacement(a.disp) + "(" + a.reg.name(wx) + ")" + index
	case argFrame:
		disp := a.disp
		if a.slot != nil {
			disp = a.slot.disp
		}
		return fmt.Sprintf("%d(SP)%s", disp, index)
	case argSymbol:
		return fmt.Sprintf("%s<>+%d(SB)", a.name, a.disp)
	default:
		return fmt.Sprintf("%s+%d(FP)", a.name, a.disp)
	}
}

func displacement(d int) string {
	if d == 0 {
		return ""
	}
	return fmt.Sprint(d)
}

// mnemonic is the name of the instruction with its suffixes.
func (in *inst) mnemonic() string {
	op := in.op
	for i := range in.args {
		if in.args[i].bcst {
			op += ".BCST"
		}
	}
	if in.zero {
		op += ".Z"
	}
	return op
}

// lines prints instructions, the operands of a run between labels in one column.
func lines(insts []*inst) []string {
	var out []string
	for len(insts) > 0 {
		if l := insts[0].label; l != "" {
			out = append(out, l+":")
			insts = insts[1:]
			continue
		}
		n, width := 0, 0
		for ; n < len(insts) && insts[n].label == ""; n++ {
			if len(insts[n].args) > 0 || insts[n].jump != "" {
				width = max(width, len(insts[n].mnemonic()))
			}
		}
		for _, in := range insts[:n] {
			out = append(out, in.line(width))
		}
		insts = insts[n:]
	}
	return out
}

func (in *inst) line(width int) string {
	operands := in.jump
	if operands == "" {
		var args []string
		for i := range in.args {
			args = append(args, in.args[i].String())
		}
		operands = strings.Join(args, ", ")
	}
	if operands == "" {
		return "\t" + in.mnemonic()
	}
	return fmt.Sprintf("\t%-*s %s", width, in.mnemonic(), operands)
}
