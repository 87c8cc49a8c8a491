package runtime

import (
	"fmt"
	"slices"
	"unsafe"
)

// bindOutputs checks or makes the tensors whose shapes follow from the inputs, and finds where kernels read and write.
func (b *Bound) bindOutputs(make bool) error {
	s := b.sig
	b.made = make
	for i := range s.Params {
		p := &s.Params[i]
		var err error
		switch p.Mode {
		case Out:
			if b.Tensor(i) == nil && make && (b.MakeAll || !p.Optional) {
				err = b.makeOutput(i)
			} else {
				err = b.bindOutput(i)
			}
		case Back:
			err = b.bindOutput(i)
		case Gradient:
			err = b.bindGradient(i)
		}
		if err != nil {
			return err
		}
	}
	if err := b.checkWrites(); err != nil {
		return err
	}
	b.findWrites()
	for v, d := range b.given {
		b.DType[v] = d.computed()
	}
	for i := range s.Params {
		if err := b.findAddress(i); err != nil {
			return err
		}
	}
	return b.checkScratch()
}

// bindOutput checks a tensor that has the shape of an output.
func (b *Bound) bindOutput(i int) error {
	t, p := b.Tensor(i), &b.sig.Params[i]
	if t == nil {
		if p.Optional {
			return nil
		}
		return b.wrong(i, ErrNil, "a tensor", "nil")
	}
	if err := b.checkElements(i); err != nil {
		return err
	}
	shape, f, err := b.outputShape(i)
	if err != nil {
		return err
	}
	if !shape.is(t) {
		return b.wrongShape(i, "shape %s", shapeString(shape.dims()))
	}
	if err := b.takeMade(i); err != nil {
		return err
	}
	return b.lay(i, t, &f)
}

// makeOutput makes an output.
func (b *Bound) makeOutput(i int) error {
	shape, f, err := b.outputShape(i)
	if err != nil {
		return err
	}
	n, err := elements(b.sig.Op, shape.dims())
	if err != nil {
		return err
	}
	e := b.sig.Params[i].Elem
	d := elemDType(e, &b.given)
	if !d.valid() {
		v := b.sig.Vars[e.Var]
		return &ArgError{Op: b.sig.Op, Arg: v.Name, Want: v.DTypes.String(), Got: d.String(), Err: ErrDType}
	}
	if err := b.take(b.sig.Params[i].Name, d, shape.dims(), n, resultBytes(n, d.Size())); err != nil {
		return err
	}
	t, _ := newResult(d, shape.dims(), n)
	b.setTensor(i, t)
	return b.lay(i, b.Tensor(i), &f)
}

// bindGradient checks a gradient: it has the shape of its input.
func (b *Bound) bindGradient(i int) error {
	p := &b.sig.Params[i]
	t, x := b.Tensor(i), b.Tensor(p.Of)
	if t == nil {
		return nil
	}
	if x == nil {
		return b.wrong(i, ErrNil, "nil, as "+b.sig.Params[p.Of].Name+" is", t.describe())
	}
	if err := b.checkElements(i); err != nil {
		return err
	}
	if !sameShape(t, x) {
		return b.wrongShape(i, "shape %s, as %s", shapeString(x.dims()), b.sig.Params[p.Of].Name)
	}
	f, err := b.split(p.Of, t)
	if err != nil {
		return err
	}
	if err := b.takeMade(i); err != nil {
		return err
	}
	return b.lay(i, t, &f)
}

// shape is extents without a slice.
type shape struct {
	n   int
	ext [MaxRank]int
}

func (s *shape) dims() []int { return s.ext[:s.n] }

func (s *shape) is(t *Tensor) bool {
	return int(t.rank) == s.n && s.ext == t.shape
}

// outputShape is the shape of a tensor that is shaped as an output, and where its declared axes lie in it.
func (b *Bound) outputShape(i int) (out shape, f physical, err error) {
	s, g := b.sig, b.g
	p := &s.Params[i]
	var (
		l    shape // in the order in which the axes are written, products as one, with the ones that are kept
		dims [MaxRank]jointDim
		ones uint // the dimensions that are kept
	)
	add := func(e int, d jointDim) bool {
		if l.n == MaxRank {
			return false
		}
		l.ext[l.n], dims[l.n] = e, d
		l.n++
		return true
	}
	many := func() error {
		return &ArgError{Op: s.Op, Arg: p.Name, Want: fmt.Sprintf("at most %d axes", MaxRank), Err: ErrShape}
	}
	for k := range len(p.Dims) + 1 {
		for _, q := range p.Kept {
			if q.At != k || !g.place.Keep {
				continue
			}
			if !b.dimsOf(&Dim{Axis: q.Axis}, func(d jointDim) bool { ones |= 1 << l.n; return add(1, d) }) {
				return out, f, many()
			}
		}
		if k == len(p.Dims) {
			break
		}
		d := &p.Dims[k]
		known, n := 0, 0
		if d.Factors != nil {
			known, _, n = b.factors(d)
			if n > 0 {
				return out, f, b.unknown(i, b.productName(d))
			}
		} else if g.known>>d.Axis&1 == 0 {
			return out, f, b.unknown(i, s.axisName(d.Axis))
		}
		fits := b.dimsOf(d, func(j jointDim) bool {
			switch {
			case d.Factors != nil:
				return add(known, j)
			case j.pack:
				return add(g.shape[d.Axis][j.k], j)
			}
			return add(b.Ext[d.Axis], j)
		})
		if !fits {
			return out, f, many()
		}
	}
	var to [MaxRank]int
	if ones != 0 || s.movable(p, false) {
		to = b.arrange(dims[:l.n])
	} else {
		for k := range l.n {
			to[k] = k
		}
	}
	// The ones that tensors without axes were taken to have are left out.
	var gone, before [MaxRank]int
	for k := range l.n {
		if g.flat && l.ext[k] == 1 && (ones>>k&1 != 0 || dims[k].place != unplaced) {
			gone[to[k]] = 1
		}
	}
	for k := 1; k < l.n; k++ {
		before[k] = before[k-1] + gone[k-1]
	}
	for k := range l.n {
		at := to[k] - before[to[k]]
		if gone[to[k]] != 0 {
			at = missing
		} else {
			out.ext[at] = l.ext[k]
			out.n++
		}
		if ones>>k&1 == 0 {
			f.at[f.n] = at
			f.n++
		}
	}
	return out, f, nil
}

func (b *Bound) unknown(i int, axis string) error {
	return b.wrong(i, ErrShape, "arguments that tell the extent of "+axis, "")
}

// checkWrites refuses outputs whose elements share memory with each other or with other outputs, and outputs that are
// results of recorded ops.
func (b *Bound) checkWrites() error {
	s := b.sig
	b.writes = 0
	for i := range s.Params {
		t := b.Tensor(i)
		if t == nil || !s.Params[i].Mode.written() {
			continue
		}
		b.writes |= 1 << i
		if hasZeroStride(t.dims(), t.strides()) {
			return b.wrong(i, ErrAlias, "elements that don't share memory, since they are written", t.describe())
		}
		if t.recorded() {
			return b.wrong(i, ErrGrad, "memory that isn't the result of a recorded op (see Detach)", t.describe())
		}
		for j := range i {
			if u := b.Tensor(j); u != nil && s.Params[j].Mode.written() && overlap(t, u) {
				return b.wrong(i, ErrAlias, "memory apart from "+s.Params[j].Name, "memory that overlaps")
			}
		}
	}
	return nil
}

// direct reports whether kernels can use the memory of a tensor as it is.
func (b *Bound) direct(i int) bool {
	l := &b.g.view[i]
	return isContiguous(l.shape(), l.strides())
}

// findWrites decides which outputs go through scratch memory: those that don't lie as kernels need them, and those
// whose memory an input has that may still be read.
func (b *Bound) findWrites() {
	s, g := b.sig, b.g
	for i := range s.Params {
		p := &s.Params[i]
		if b.Tensor(i) == nil || !p.Mode.written() {
			continue
		}
		through := !b.asItIs(i) || b.Tensor(i).dtype.half()
		if n := g.view[i].elements(); n == 0 || b.batchAxes(i) == 0 {
			through = through || b.Tensor(i).n != n
		}
		for j := range s.Params {
			if through || j == i || b.Tensor(j) == nil || !s.Params[j].Mode.given() || !b.asItIs(j) || !overlap(b.Tensor(i), b.Tensor(j)) {
				continue
			}
			same := b.Tensor(i).data == b.Tensor(j).data && g.view[i].elements() == g.view[j].elements() && b.direct(i) && b.direct(j)
			through = !same || p.InPlace>>j&1 == 0
		}
		if through {
			g.copies |= 1 << i
		}
	}
}

// findAddress decides where kernels read or write a parameter.
func (b *Bound) findAddress(i int) error {
	g, t, p := b.g, b.Tensor(i), &b.sig.Params[i]
	b.setPtr(i, nil)
	if t == nil {
		if p.Optional && p.Splat {
			b.setPtr(i, Splat(b.memory(i), p.Default))
			b.splat |= 1 << i
		}
		return nil
	}
	l := &g.view[i]
	through := g.copies>>i&1 != 0
	lie := g.lie[i][:b.batchAxes(i)]
	clear(lie)
	switch {
	case slices.Contains(l.shape(), 0):
		return nil
	case !through && b.asItIs(i) && !t.dtype.half():
		b.setPtr(i, t.data)
		copy(lie, l.strides())
		return nil
	case !through && p.Splat && l.constant():
		if err := b.takeScratch(p.Name, U64, []int{Block}, Block); err != nil {
			return err
		}
		b.setPtr(i, g.splat(t))
		b.splat |= 1 << i
		return nil
	}
	packed := *l
	if !through {
		// Along the axes of a batch nothing is repeated.
		for k := range lie {
			if packed.stride[k] == 0 {
				packed.ext[k] = 1
			}
		}
	}
	if err := b.roomFor(i, &packed, through); err != nil {
		return err
	}
	if through && p.Mode != Inout {
		b.setPtr(i, g.scratch(l.elements()*t.dtype.computed().Size()))
	} else {
		b.setPtr(i, g.pack(t, &packed))
	}
	var dense [MaxRank]int
	rowMajor(packed.shape(), dense[:])
	for k := range lie {
		if packed.ext[k] != 1 {
			lie[k] = dense[k]
		}
	}
	return nil
}

// batchAxes is the number of axes along which kernels take parameter i as it lies.
func (b *Bound) batchAxes(i int) int {
	p, n := &b.sig.Params[i], 0
	if p.Batch == 0 || !elemDType(p.Elem, &b.given).Float() {
		return 0
	}
	for k := range p.Dims[:p.Batch] {
		n += b.width(&p.Dims[k])
	}
	return n
}

// asItIs reports whether kernels can use the memory of a tensor as it is.
func (b *Bound) asItIs(i int) bool {
	l, n := &b.g.view[i], b.batchAxes(i)
	return isContiguous(l.shape()[n:], l.strides()[n:]) || slices.Contains(l.shape(), 0)
}

// splat is a page filled with the first element of t.
func (g *binding) splat(t *Tensor) unsafe.Pointer {
	p := g.scratch(Block * 8)
	fillSplat(p, t.dtype.computed(), t.first())
	return p
}

// first is the bits of the first element, as kernels have it, in the low bytes in memory order.
func (t *Tensor) first() (bits uint64) {
	at := unsafe.Pointer(&bits)
	switch {
	case t.dtype.half():
		*(*float32)(at) = float32(loadElement(t.dtype, t.data))
	case t.dtype.Size() == 1:
		*(*uint8)(at) = *(*uint8)(t.data)
	case t.dtype.Size() == 2:
		*(*uint16)(at) = *(*uint16)(t.data)
	case t.dtype.Size() == 4:
		*(*uint32)(at) = *(*uint32)(t.data)
	default:
		bits = *(*uint64)(t.data)
	}
	return bits
}
