package nest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// ChunkElements is how many points a launch runs at once. It is fixed, so that the accumulators of chunks are the same for
// any number of workers; they are combined two by two.
const ChunkElements = 1 << 14

// WideRows is the least number of rows of a chunk that accumulates a row, so that the accumulators of all chunks are much
// smaller than what is added up.
const WideRows = 64

// Run computes a program with the interpreter of nests: the outputs and what the program saves. It is the model of the
// drivers in generated code, which do the same: check, then for each launch bind, pack, split into chunks, and
// combine what the chunks accumulated.
func (p *Program) Run(in ir.Binding) (map[*ir.Tensor]*ir.Array, error) { return p.RunOver(in, nil) }

// RunOver is Run with outputs that lie on the memory of inputs (see MayShare).
func (p *Program) RunOver(in ir.Binding, over map[*ir.Tensor]*ir.Tensor) (map[*ir.Tensor]*ir.Array, error) {
	return p.run(in, over, nil)
}

// Executor computes a launch as a whole. Accumulators hold their identities before, and the results after it.
type Executor func(l *Launch, a *Args) error

// RunWith is Run on something else than the interpreter, for tests of other targets.
func (p *Program) RunWith(in ir.Binding, exec Executor) (map[*ir.Tensor]*ir.Array, error) {
	return p.run(in, nil, exec)
}

func (p *Program) run(in ir.Binding, over map[*ir.Tensor]*ir.Tensor, exec Executor) (map[*ir.Tensor]*ir.Array, error) {
	r := &run{p: p, in: in, memory: map[*ir.Tensor]Buffer{}, exec: exec}
	for t, a := range in.Arrays {
		r.memory[t] = r.buffer(t, a.Data)
	}
	for _, t := range p.Func.Inputs {
		if in.Arrays[t] == nil && t.Default != nil { // an absent input that is the same everywhere
			x, _ := t.Default.Float64()
			r.memory[t] = r.buffer(t, slices.Repeat([]float64{x}, r.extent(t.Axes)))
		}
	}
	for _, q := range p.Func.Requires {
		if len(ir.Reads(q.Cond)) > 0 {
			continue
		}
		if x, err := ir.EvalScalar(p.Func, q.Cond, in); err != nil || x == 0 {
			return nil, errors.Join(fmt.Errorf("%s: want %s", p.Name, q.Message), err)
		}
	}
	for _, c := range p.Checks {
		if err := r.check(c); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	written := append(append([]*ir.Tensor{}, p.Func.Outputs...), p.Saved...)
	for _, t := range append(append([]*ir.Tensor{}, written...), p.Temps...) {
		if input := over[t]; input != nil {
			r.memory[t] = r.memory[input]
			continue
		}
		r.memory[t] = r.buffer(t, make([]float64, r.extent(t.Axes)))
	}
	for _, t := range p.Indices {
		index := make([]float64, r.extent(t.Axes))
		for i := range index {
			index[i] = float64(i)
		}
		r.memory[t] = r.buffer(t, index)
	}
	for i, l := range p.Launches {
		if err := r.launch(l); err != nil {
			return nil, fmt.Errorf("%s: launch %d: %w", p.Name, i, err)
		}
	}
	out := map[*ir.Tensor]*ir.Array{}
	for _, t := range written {
		a := &ir.Array{Data: floats(r.memory[t])}
		if name := t.Elem.Resolve(in.DTypes); name == "f16" || name == "bf16" {
			for i, x := range a.Data {
				a.Data[i] = ir.Rounded(name, x)
			}
		}
		for _, x := range t.Axes {
			a.Shape = append(a.Shape, in.Extents[x])
		}
		out[t] = a
	}
	return out, nil
}

type run struct {
	p      *Program
	in     ir.Binding
	memory map[*ir.Tensor]Buffer
	exec   Executor // nil: the interpreter, in chunks
}

// extent is the product of the extents of axes.
func (r *run) extent(axes []*ir.Axis) int {
	n := 1
	for _, a := range axes {
		n *= r.in.Extents[a]
	}
	return n
}

// buffer holds data in the dtype of t. It has at least one element, so that an index that is guarded can be read.
func (r *run) buffer(t *ir.Tensor, data []float64) Buffer {
	var b Buffer
	n := max(len(data), 1)
	switch name := t.Elem.Resolve(r.in.DTypes); name {
	case "f32", "f16", "bf16": // the drivers convert halves to f32 and back
		b.F32 = make([]float32, n)
		for i, x := range data {
			b.F32[i] = float32(ir.Rounded(name, x))
		}
	case "f64":
		b.F64 = make([]float64, n)
		copy(b.F64, data)
	case boolName: // floats of the nests
		if r.p.float() == F32 {
			b.F32 = make([]float32, n)
			for i, x := range data {
				b.F32[i] = float32(x)
			}
			break
		}
		b.F64 = make([]float64, n)
		copy(b.F64, data)
	case "i32":
		b.I32 = make([]int32, n)
		for i, x := range data {
			b.I32[i] = int32(x)
		}
	case "i64":
		b.I64 = make([]int64, n)
		for i, x := range data {
			b.I64[i] = int64(x)
		}
	}
	return b
}

// float is the dtype of the floats of the nests.
func (p *Program) float() DType {
	if len(p.Launches) == 0 {
		return F64
	}
	return p.Launches[0].Nest.Float
}

// floats are the elements of a float buffer.
func floats(b Buffer) []float64 {
	if b.F32 == nil {
		return b.F64
	}
	r := make([]float64, len(b.F32))
	for i, x := range b.F32 {
		r[i] = float64(x)
	}
	return r
}

// check tests the elements of an index tensor.
func (r *run) check(c *Check) error {
	bound := r.in.Extents[c.Axis]
	indices := r.in.Arrays[c.Index].Data
	guards := make([]float64, len(indices))
	for i := range guards {
		guards[i] = 1
	}
	if c.Guard != nil {
		holds := &ir.Tensor{Name: "holds", Role: ir.Output, Elem: ir.Elem{Name: "bool"}, Axes: c.Index.Axes}
		f := &ir.Func{
			Name: "guard", Inputs: []*ir.Tensor{c.Index}, Outputs: []*ir.Tensor{holds}, Scalars: r.p.Func.Scalars,
			Axes: r.p.Func.Axes, ElemVars: r.p.Func.ElemVars,
			Defs: []*ir.Def{{Target: holds, Vars: c.Vars, Dest: ir.Indices(c.Vars), Body: c.Guard}},
		}
		in := r.in
		in.Arrays = map[*ir.Tensor]*ir.Array{c.Index: r.in.Arrays[c.Index]}
		out, err := ir.Eval(f, in)
		if err != nil {
			return err
		}
		guards = out[holds].Data
	}
	for i, x := range indices {
		if guards[i] != 0 && (x < 0 || x >= float64(bound)) {
			return fmt.Errorf("element %d of %s is %v, which is no index of %s along %s, of extent %d", i, c.Index.Name, x, c.Of.Name, c.Axis.Name, bound)
		}
	}
	return nil
}

// launch runs one nest, at each point of its batch.
func (r *run) launch(l *Launch) error {
	a := &Args{Rows: r.extent(l.Grid), N: r.extent(l.Vector), K: r.extent(l.Serial)}
	a.Piece = Piece(a.N, a.K)
	if a.K > PieceSteps && l.Nest.CutsSteps() && a.Rows*a.N*a.K > PieceElements {
		a.PieceSteps = PieceSteps
	}
	for _, v := range l.Scalars {
		x, err := ir.EvalScalar(r.p.Func, v, r.in)
		if err != nil {
			return err
		}
		a.F, a.I = append(a.F, x), append(a.I, int(x))
	}
	for i, b := range l.Operands {
		buf, ok := r.memory[b.Tensor]
		if !ok {
			return fmt.Errorf("%s has no memory", b.Tensor.Name)
		}
		if b.Pack {
			buf = r.pack(b)
		}
		o := &l.Nest.Operands[i]
		if o.Mode != Acc {
			buf.Row, buf.Step, buf.KStep = r.stride(b.Grid), r.stride(b.Vector), r.stride(b.Serial)
		} else if o.Vector {
			buf.Step = 1
		}
		a.Operands = append(a.Operands, buf)
	}
	return r.batch(l, a, 0)
}

// batch runs a launch for each point of its batch axes from number k on.
func (r *run) batch(l *Launch, a *Args, k int) error {
	switch {
	case k < len(l.Batch):
		for i := range r.extent(l.Batch[k : k+1]) {
			point := *a
			point.Operands = slices.Clone(a.Operands)
			for o, b := range l.Operands {
				point.Operands[o].Base += i * r.stride(b.Batch[k])
			}
			if err := r.batch(l, &point, k+1); err != nil {
				return err
			}
		}
		return nil
	case r.exec != nil:
		return r.whole(l, a)
	}
	return r.chunks(l, a)
}

// reach gives the executor as much of the memory of an operand as a point of a batch has, that others needn't be handed over for each.
func (b *Buffer) reach(a *Args) {
	end := b.Base + max(0, a.Rows-1)*b.Row + max(0, a.N-1)*b.Step + max(0, a.K-1)*b.KStep + 1
	switch {
	case b.F32 != nil && end <= len(b.F32):
		b.F32, b.Base = b.F32[b.Base:end:end], 0
	case b.F64 != nil && end <= len(b.F64):
		b.F64, b.Base = b.F64[b.Base:end:end], 0
	case b.I32 != nil && end <= len(b.I32):
		b.I32, b.Base = b.I32[b.Base:end:end], 0
	case b.I64 != nil && end <= len(b.I64):
		b.I64, b.Base = b.I64[b.Base:end:end], 0
	}
}

// whole gives a launch to the executor.
func (r *run) whole(l *Launch, a *Args) error {
	accs := map[int]int{} // where the results go, by operand
	for _, s := range l.Nest.Slots {
		if s.Over == Grid {
			accs[s.Acc] = a.Operands[s.Acc].Base
			r.start(l, a, s.Acc, s.Monoid)
		}
	}
	if len(l.Batch) > 0 {
		for i := range a.Operands {
			a.Operands[i].reach(a)
		}
	}
	if err := r.exec(l, a); err != nil {
		return err
	}
	for o, at := range accs {
		r.put(l, o, at, floats(a.Operands[o]))
	}
	return nil
}

// start gives an accumulator memory of its own, for one launch of the batch, that changes nothing when it is combined.
func (r *run) start(l *Launch, a *Args, operand int, m Monoid) {
	n, step := 1, a.Operands[operand].Step
	if l.Nest.Operands[operand].Vector {
		n = a.N
	}
	a.Operands[operand] = r.buffer(l.Operands[operand].Tensor, slices.Repeat([]float64{m.Identity()}, n))
	a.Operands[operand].Step = step
}

// put stores the results of an accumulator from element at on.
func (r *run) put(l *Launch, operand, at int, results []float64) {
	m := r.memory[l.Operands[operand].Tensor]
	for i, x := range results {
		switch {
		case m.F32 != nil && at+i < len(m.F32):
			m.F32[at+i] = float32(x)
		case m.F64 != nil && at+i < len(m.F64):
			m.F64[at+i] = x
		}
	}
}

func (r *run) stride(s Stride) int {
	if !s.Moves {
		return 0
	}
	return r.extent(s.Axes)
}

// pack copies a tensor into the order of axes that a launch wants.
func (r *run) pack(b Bind) Buffer {
	t := b.Tensor
	strides := make([]int, len(t.Axes))
	for i := range t.Axes {
		strides[i] = r.extent(t.Axes[i+1:])
	}
	src := floats(r.memory[t])
	dst := make([]float64, 0, len(src))
	var walk func(k, at int)
	walk = func(k, at int) {
		if k == len(b.Order) {
			dst = append(dst, src[at])
			return
		}
		for i := range r.in.Extents[t.Axes[b.Order[k]]] {
			walk(k+1, at+i*strides[b.Order[k]])
		}
	}
	walk(0, 0)
	return r.buffer(t, dst)
}

// chunk is a part of a launch: some of its rows, or some of its elements where it has no grid.
type chunk struct{ row, rows, n, count int }

// chunksOf cuts a launch into chunks of whole rows. One that has a single row is cut along the vector axis where
// nothing needs the row as a whole.
func chunksOf(l *Launch, a *Args) []chunk {
	if len(l.Grid) == 0 && len(l.Serial) == 0 && len(l.Vector) > 0 && a.N > ChunkElements && !l.Nest.needsRow() {
		var r []chunk
		for n := 0; n < a.N; n += ChunkElements {
			r = append(r, chunk{0, a.Rows, n, min(ChunkElements, a.N-n)})
		}
		return r
	}
	rows := max(1, ChunkElements/max(1, a.N*max(1, a.K)))
	if slices.ContainsFunc(l.Nest.Slots, func(s Slot) bool { return s.Wide }) {
		rows = max(rows, WideRows)
	}
	var r []chunk
	for row := 0; row < a.Rows; row += rows {
		r = append(r, chunk{row, min(rows, a.Rows-row), 0, a.N})
	}
	return r
}

// needsRow says whether a nest needs the elements of a row together: it reduces them, gathers or counts them.
func (n *Nest) needsRow() bool {
	needs := false
	n.Walk(func(s Stmt, loops []*For) {
		v, ok := s.(*Value)
		needs = needs || ok && (v.Op == Gather || v.Op == Iota || v.Op == Reduce && n.Slots[v.Slot].Over == Vector)
	})
	return needs
}

// chunks runs a launch in chunks, each with accumulators of its own.
func (r *run) chunks(l *Launch, a *Args) error {
	type partial struct {
		operand int
		monoid  Monoid
		parts   [][]float64
	}
	var partials []*partial
	for _, s := range l.Nest.Slots {
		if s.Over == Grid {
			partials = append(partials, &partial{operand: s.Acc, monoid: s.Monoid})
		}
	}
	for _, c := range chunksOf(l, a) {
		part := *a
		part.Rows, part.N = c.rows, c.count
		part.Operands = append([]Buffer{}, a.Operands...)
		for i := range part.Operands {
			o := &part.Operands[i]
			o.Base += c.row*o.Row + c.n*o.Step
		}
		for _, p := range partials {
			r.start(l, &part, p.operand, p.monoid)
		}
		if err := l.Nest.Run(&part); err != nil {
			return err
		}
		for _, p := range partials {
			p.parts = append(p.parts, floats(part.Operands[p.operand]))
		}
	}
	for _, p := range partials {
		at := a.Operands[p.operand].Base
		if len(p.parts) == 0 {
			r.start(l, a, p.operand, p.monoid)
			p.parts = [][]float64{floats(a.Operands[p.operand])}
		}
		r.put(l, p.operand, at, combine(p.parts, p.monoid, l.Nest.Float))
	}
	return nil
}

// combine combines the accumulators of chunks: neighbours, then neighbours of the results, until one is left.
func combine(parts [][]float64, m Monoid, float DType) []float64 {
	op := alu{f32: float == F32}
	for len(parts) > 1 {
		var next [][]float64
		for i := 0; i < len(parts); i += 2 {
			if i+1 < len(parts) {
				for j := range parts[i] {
					parts[i][j] = op.combine(m, parts[i][j], parts[i+1][j])
				}
			}
			next = append(next, parts[i])
		}
		parts = next
	}
	return parts[0]
}
