package cuda

import (
	"fmt"
	"math"
	"strings"

	"github.com/opgen/opgen/codegen/nest"
)

// printer writes one kernel.
type printer struct {
	n      *nest.Nest
	b      strings.Builder
	indent int
	depth  map[nest.Depth]bool // open loops
	float  string              // C type of a Float
	grid   bool                // the nest has a grid loop
}

func kernel(n *nest.Nest) (string, error) {
	if n.Float != nest.F32 && n.Float != nest.F64 {
		return "", fmt.Errorf("kernels compute in f32 or f64")
	}
	p := &printer{n: n, depth: map[nest.Depth]bool{}, float: ctype(n.Float)}
	p.grid = hasLoop(n.Body, nest.Grid)
	p.line("extern \"C\" __global__ void %s(const OpgenArgs a) {", n.Name)
	p.indent++
	for i, s := range n.Scalars {
		if s.Int {
			p.line("const long long %s = a.I[%d];  // %s", scalar(i), i, s.Name)
		} else {
			p.line("const %s %s = (%s)a.F[%d];  // %s", p.float, scalar(i), p.float, i, s.Name)
		}
	}
	for i, o := range n.Operands {
		p.operand(i, o)
	}
	for i, s := range n.Slots {
		if s.Over == nest.Grid && !s.Wide {
			p.line("%s %s = %s;", p.float, slot(i), p.identity(s.Monoid))
		}
	}
	p.zeroWide()
	if err := p.stmts(n.Body); err != nil {
		return "", err
	}
	p.gridResults()
	p.indent--
	p.line("}")
	return p.b.String(), nil
}

func ctype(d nest.DType) string {
	switch d {
	case nest.F32:
		return "float"
	case nest.F64:
		return "double"
	case nest.I32:
		return "int"
	default:
		return "long long"
	}
}

func scalar(i int) string        { return fmt.Sprintf("s%d", i) }
func slot(i int) string          { return fmt.Sprintf("r%d", i) }
func value(v *nest.Value) string { return fmt.Sprintf("v%d", v.ID) }
func pointer(i int) string       { return fmt.Sprintf("p%d", i) }

func (p *printer) line(format string, args ...any) {
	p.b.WriteString(strings.Repeat("    ", p.indent))
	fmt.Fprintf(&p.b, format, args...)
	p.b.WriteByte('\n')
}

// operand declares the base pointer; an accumulator's is that of this block's partial result.
func (p *printer) operand(i int, o nest.Operand) {
	t := ctype(o.DType)
	switch o.Mode {
	case nest.In:
		p.line("const %s *const %s = (const %s *)a.Ptr[%d];  // %s", t, pointer(i), t, i, o.Name)
	case nest.Acc:
		p.line("%s *const %s = (%s *)a.Ptr[%d] + (long long)blockIdx.x * a.Part[%d];  // %s", t, pointer(i), t, i, i, o.Name)
	default:
		p.line("%s *const %s = (%s *)a.Ptr[%d];  // %s", t, pointer(i), t, i, o.Name)
	}
}

// zeroWide gives the partial rows of wide accumulators their identity; a thread owns its columns, so no barrier is needed.
func (p *printer) zeroWide() {
	for _, s := range p.n.Slots {
		if s.Over == nest.Grid && s.Wide {
			p.line("for (long long n = threadIdx.x; n < a.N; n += blockDim.x) %s[n * a.Step[%d]] = %s;", pointer(s.Acc), s.Acc, p.identity(s.Monoid))
		}
	}
}

// gridResults reduces what the threads hold and writes one partial result for the block.
func (p *printer) gridResults() {
	for i, s := range p.n.Slots {
		if s.Over != nest.Grid || s.Wide {
			continue
		}
		if reducedPerThread(p.n.Body, i, false) {
			p.line("%s = opgen_block<%s, %s >(%s, %s);", slot(i), p.float, p.functor(s.Monoid), slot(i), p.identity(s.Monoid))
		}
		p.line("if (threadIdx.x == 0) *%s = %s;", pointer(s.Acc), slot(i))
	}
}

// reducedPerThread tells whether slot is reduced inside a vector loop, where each thread has a part.
func reducedPerThread(body []nest.Stmt, slot int, inVector bool) bool {
	for _, s := range body {
		switch s := s.(type) {
		case *nest.For:
			if reducedPerThread(s.Body, slot, inVector || s.Depth == nest.Vector) {
				return true
			}
		case *nest.Value:
			if s.Op == nest.Reduce && s.Slot == slot && inVector {
				return true
			}
		}
	}
	return false
}

func hasLoop(body []nest.Stmt, d nest.Depth) bool {
	for _, s := range body {
		if f, ok := s.(*nest.For); ok && (f.Depth == d || hasLoop(f.Body, d)) {
			return true
		}
	}
	return false
}

func (p *printer) stmts(body []nest.Stmt) error {
	for _, s := range body {
		switch s := s.(type) {
		case *nest.For:
			if err := p.loop(s); err != nil {
				return err
			}
		case *nest.Value:
			if err := p.instr(s); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *printer) loop(f *nest.For) error {
	slots := p.slotsOf(f)
	for _, i := range slots {
		p.line("%s %s = %s;", p.float, slot(i), p.identity(p.n.Slots[i].Monoid))
	}
	switch f.Depth {
	case nest.Grid:
		p.line("for (long long r = blockIdx.x; r < a.Rows; r += gridDim.x) {")
	case nest.Vector:
		if p.storesWhatOthersRead(f) {
			p.line("__syncthreads();")
		}
		if p.grid {
			p.line("for (long long n = threadIdx.x; n < a.N; n += blockDim.x) {")
		} else {
			p.line("for (long long n = (long long)blockIdx.x * blockDim.x + threadIdx.x; n < a.N; n += (long long)gridDim.x * blockDim.x) {")
		}
	case nest.Serial:
		return p.serial(f, slots)
	}
	p.indent++
	p.depth[f.Depth] = true
	err := p.stmts(f.Body)
	p.depth[f.Depth] = false
	p.indent--
	p.line("}")
	if f.Depth == nest.Vector {
		for _, i := range slots {
			s := p.n.Slots[i]
			p.line("%s = opgen_block<%s, %s >(%s, %s);", slot(i), p.float, p.functor(s.Monoid), slot(i), p.identity(s.Monoid))
		}
	}
	return err
}

// storesWhatOthersRead tells whether a loop may overwrite what a slower thread has still to read.
func (p *printer) storesWhatOthersRead(f *nest.For) bool {
	for _, s := range f.Body {
		if v, ok := s.(*nest.Value); ok && v.Op == nest.Store && readToo(p.n, v.Operand) {
			return true
		}
	}
	return false
}

// serial runs in blocks of nest.SerialBlock steps, whose sums are added one after the other.
func (p *printer) serial(f *nest.For, slots []int) error {
	p.line("for (long long k0 = 0; k0 < a.K; k0 += %d) {", nest.SerialBlock)
	p.indent++
	p.line("const long long k1 = k0 + %d < a.K ? k0 + %d : a.K;", nest.SerialBlock, nest.SerialBlock)
	for _, i := range slots {
		if p.n.Slots[i].Monoid == nest.SumOf {
			p.line("%s %sb = 0;", p.float, slot(i))
		}
	}
	p.line("for (long long k = k0; k < k1; k++) {")
	p.indent++
	p.depth[nest.Serial] = true
	err := p.stmts(f.Body)
	p.depth[nest.Serial] = false
	p.indent--
	p.line("}")
	for _, i := range slots {
		if p.n.Slots[i].Monoid == nest.SumOf {
			p.line("%s = %s + %sb;", slot(i), slot(i), slot(i))
		}
	}
	p.indent--
	p.line("}")
	return err
}

// slotsOf lists the slots over Vector or Serial that are reduced directly in this loop.
func (p *printer) slotsOf(f *nest.For) []int {
	if f.Depth == nest.Grid {
		return nil
	}
	var r []int
	seen := map[int]bool{}
	for _, s := range f.Body {
		v, ok := s.(*nest.Value)
		if ok && v.Op == nest.Reduce && !seen[v.Slot] && p.n.Slots[v.Slot].Over == f.Depth {
			seen[v.Slot] = true
			r = append(r, v.Slot)
		}
	}
	return r
}

// at is the offset of an operand at the current point.
func (p *printer) at(i int) string {
	o := p.n.Operands[i]
	var t []string
	if o.Grid && p.depth[nest.Grid] {
		t = append(t, fmt.Sprintf("r * a.Row[%d]", i))
	}
	if o.Vector && p.depth[nest.Vector] {
		t = append(t, fmt.Sprintf("n * a.Step[%d]", i))
	}
	if o.Serial && p.depth[nest.Serial] {
		t = append(t, fmt.Sprintf("k * a.KStep[%d]", i))
	}
	if len(t) == 0 {
		return "0"
	}
	return strings.Join(t, " + ")
}

func (p *printer) identity(m nest.Monoid) string {
	switch m {
	case nest.MaxOf:
		return p.constant(math.Inf(-1))
	case nest.MinOf:
		return p.constant(math.Inf(1))
	case nest.ProdOf:
		return p.constant(1)
	default:
		return p.constant(0)
	}
}

func (p *printer) functor(m nest.Monoid) string {
	name := map[nest.Monoid]string{nest.SumOf: "OpgenSum", nest.MaxOf: "OpgenMax", nest.MinOf: "OpgenMin", nest.ProdOf: "OpgenProd"}[m]
	return name + "<" + p.float + ">"
}

// constant spells a number so that no digit is lost; special values through their bits.
func (p *printer) constant(x float64) string {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		if p.n.Float == nest.F32 {
			return fmt.Sprintf("OpgenBits<float>::to(0x%08xu)", math.Float32bits(float32(x)))
		}
		return fmt.Sprintf("OpgenBits<double>::to(0x%016xull)", math.Float64bits(x))
	}
	suffix, bits := "", 64
	if p.n.Float == nest.F32 {
		suffix, bits = "f", 32
	}
	s := formatFloat(x, bits)
	if x < 0 || math.Signbit(x) {
		return "(" + s + suffix + ")"
	}
	return s + suffix
}
