package amd64

// class is a kind of register.
type class uint8

const (
	gpr   class = iota
	vec         // XMM, YMM, ZMM
	kmask       // opmask
	classes
)

// width is the part of a vector register that an instruction uses.
type width uint8

const (
	wx width = iota // 16 bytes, or one element
	wy              // 32
	wz              // 64
)

func (w width) bytes() int { return 16 << w }

// reg is a virtual register. It may be written more than once: it is a variable, not an SSA value.
type reg struct {
	class   class
	uniform bool // a vector whose lanes are equal
	scratch bool // made by spilling: stays in its register

	phys int  // the register, after allocation
	hint *reg // a register to share with, if possible
	home *arg // where its value is in memory: for constants from the start, for others once spilled
	made bool // home holds the value without a store
}

type argKind uint8

const (
	argReg argKind = iota
	argImm
	argMem    // disp(base)(index*scale)
	argFrame  // disp(SP)(index*scale): the frame
	argSymbol // name<>+disp(SB)
	argParam  // name+disp(FP)
)

// arg is an argument of an instruction.
type arg struct {
	kind  argKind
	reg   *reg // argReg, argMem: base
	index *reg // argMem, argFrame
	scale int
	width width // argReg of class vec
	disp  int
	imm   int64
	name  string
	bcst  bool  // one element, repeated in all lanes
	slot  *slot // argFrame: disp is not known yet
}

// slot is a place in the frame for a variable that found no register.
type slot struct{ bytes, disp int }

func (a *arg) inMemory() bool { return a.kind >= argMem }

func imm(x int64) arg { return arg{kind: argImm, imm: x} }

func mem(base *reg, disp int) arg { return arg{kind: argMem, reg: base, disp: disp} }

// role is what an instruction does to its last argument.
type role uint8

const (
	writes  role = iota
	updates      // reads and writes
	reads
)

// swap is how two arguments change places.
type swap uint8

const (
	fixed swap = iota
	equals
	fused // the forms 213 and 132 of a fused multiply-add
)

// inst is an instruction, a label or a jump. Arguments stand in the order of Go assembly, the destination last.
type inst struct {
	op   string
	args []arg
	role role
	zero bool // zero masking
	// fold is the argument that may be in memory, or -1; it may change places with the next by swap.
	fold  int
	swap  swap
	store bool // the destination may be in memory too
	copy  bool // from one register to another
	idiom bool // doesn't depend on its sources: zero or ones
	freq  float64
	label string // a label: nothing else is set
	jump  string // target of a jump
}

func (in *inst) last() *arg { return &in.args[len(in.args)-1] }

// isUse says whether argument i is a register that is read.
func (in *inst) isUse(i int) bool {
	if in.args[i].kind != argReg || in.idiom {
		return false
	}
	return i < len(in.args)-1 || in.role != writes
}

// isDef says whether argument i is a register that is written.
func (in *inst) isDef(i int) bool {
	return in.args[i].kind == argReg && i == len(in.args)-1 && in.role != reads
}

// visit calls f for each register of the instruction, uses before definitions.
func (in *inst) visit(f func(r *reg, def bool)) {
	for i := range in.args {
		a := &in.args[i]
		if in.isUse(i) || a.kind == argMem {
			f(a.reg, false)
		}
		if a.index != nil {
			f(a.index, false)
		}
	}
	for i := range in.args {
		if in.isDef(i) {
			f(in.args[i].reg, true)
		}
	}
}
