package amd64

import "fmt"

// code is a list of instructions that grows.
type code struct {
	entry   []*inst // runs once, before all else
	insts   []*inst
	inEntry bool
	freq    float64 // how often what is added runs, for choices of the allocator
	frame   int     // bytes in use
	labels  int
	pool    pool
}

// atEntry adds what f adds to the entry.
func (c *code) atEntry(f func()) {
	if c.inEntry {
		f()
		return
	}
	insts, freq := c.insts, c.freq
	c.insts, c.freq, c.inEntry = c.entry, 1, true
	f()
	c.entry, c.insts, c.freq, c.inEntry = c.insts, insts, freq, false
}

// often adds what f adds as code that runs k times as often.
func (c *code) often(k float64, f func()) {
	c.freq *= k
	f()
	c.freq /= k
}

func (c *code) newLabel(name string) string {
	c.labels++
	return fmt.Sprintf("%s%d", name, c.labels)
}

func (c *code) add(in *inst) *inst {
	in.freq = c.freq
	c.insts = append(c.insts, in)
	return in
}

func (c *code) label(name string) { c.add(&inst{label: name, fold: -1}) }

func (c *code) jump(op, target string) { c.add(&inst{op: op, jump: target, fold: -1}) }

// plain adds an instruction whose arguments stay where they are.
func (c *code) plain(op string, r role, args ...arg) *inst {
	return c.add(&inst{op: op, args: args, role: r, fold: -1})
}

func (c *code) newGPR() *reg { return &reg{class: gpr} }

func gr(r *reg) arg { return arg{kind: argReg, reg: r} }

// Instructions on general registers.

// movq sets dst to a register, immediate or place in memory.
func (c *code) movq(src arg, dst *reg) {
	in := c.add(&inst{op: "MOVQ", args: []arg{src, gr(dst)}, fold: 0, store: true, copy: src.kind == argReg})
	if in.copy {
		dst.hint = src.reg
	}
}

// alu adds an instruction dst = dst op src.
func (c *code) alu(op string, src arg, dst *reg) {
	c.add(&inst{op: op, args: []arg{src, gr(dst)}, role: updates, fold: 0, store: true})
}

// unary adds an instruction on dst alone.
func (c *code) unary(op string, dst *reg) { c.plain(op, updates, gr(dst)) }

// cmp compares registers.
func (c *code) cmp(a *reg, b arg) {
	c.add(&inst{op: "CMPQ", args: []arg{gr(a), b}, role: reads, fold: 0})
}

// test compares a register with zero.
func (c *code) test(a *reg) { c.plain("TESTQ", reads, gr(a), gr(a)) }

// newFrame reserves bytes of the frame.
func (c *code) newFrame(bytes int) arg {
	a := arg{kind: argFrame, disp: c.frame}
	c.frame += bytes
	return a
}
