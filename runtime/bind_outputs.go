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
	if err := b.checkTemps(); err != nil {
		return err
	}
	b.findWrites()
	for v, d := range b.given {
		b.DType[v] = d.computed()
	}
	for i := range s.Params {
		b.findAddress(i)
	}
	return nil
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
	if err := room(b.sig.Op, b.sig.Params[i].Name, d, shape.dims(), n); err != nil {
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
	var l shape // in the order of the declared axes, products as one
	var placed [MaxRank]bool
	many := func() error {
		return &ArgError{Op: s.Op, Arg: p.Name, Want: fmt.Sprintf("at most %d axes", MaxRank), Err: ErrShape}
	}
	add := func(d *Dim, e int) bool {
		if l.n == MaxRank {
			return false
		}
		l.ext[l.n], placed[l.n] = e, s.placed(d)
		l.n++
		return true
	}
	for k := range p.Dims {
		d := &p.Dims[k]
		if d.Factors != nil {
			known, _, n := b.factors(d)
			if n > 0 {
				return out, f, b.unknown(i, b.productName(d))
			}
			if !add(d, known) {
				return out, f, many()
			}
			continue
		}
		if g.known>>d.Axis&1 == 0 {
			return out, f, b.unknown(i, s.axisName(d.Axis))
		}
		if !s.Axes[d.Axis].Pack {
			if !add(d, b.Ext[d.Axis]) {
				return out, f, many()
			}
			continue
		}
		for _, e := range g.shape[d.Axis][:g.rank[d.Axis]] {
			if !add(d, e) {
				return out, f, many()
			}
		}
	}
	f.n = l.n
	switch {
	case s.Placed == nil:
	case s.movable(p, false):
		return b.placeOutput(l, &placed)
	case g.place.Keep && p.Kept != nil:
		return b.keepAxes(p, l, many)
	case g.place.Keep && s.keeps(p):
		return b.keepOutput(l, many)
	}
	for k := range l.n {
		f.at[k] = k
	}
	return l, f, nil
}

func (b *Bound) unknown(i int, axis string) error {
	return b.wrong(i, ErrShape, "arguments that tell the extent of "+axis, "")
}

// keeps reports whether an output gets ones where placed axes were: it has a pack, or no axes, and none of those that
// keepdims keeps.
func (s *Signature) keeps(p *Param) bool {
	pack := len(p.Dims) == 0
	for k := range p.Dims {
		d := &p.Dims[k]
		if d.Factors == nil && slices.Contains(s.Placed.Keep, d.Axis) {
			return false
		}
		pack = pack || d.Factors == nil && s.Axes[d.Axis].Pack
	}
	return pack && len(s.Placed.Keep) > 0
}

// placeOutput puts placed axes where the caller says.
func (b *Bound) placeOutput(l shape, placed *[MaxRank]bool) (out shape, f physical, err error) {
	g := b.g
	f.n = l.n
	if g.flat && l.n == 1 && placed[0] && l.ext[0] == 1 {
		f.at[0] = missing
		return out, f, nil
	}
	out.n = l.n
	taken, k := 0, 0
	for j := range l.n {
		if !placed[j] || k >= g.place.N {
			continue
		}
		q := g.place.At[k] - (g.joint - l.n)
		k++
		if q < 0 || q >= l.n {
			return out, f, &ArgError{Op: b.sig.Op, Arg: b.sig.Placed.Attr, Want: "an axis that every output has",
				Got: fmt.Sprint(g.place.At[k-1]), Err: ErrAttr}
		}
		f.at[j] = q
		taken |= 1 << q
	}
	next := 0
	for j := range l.n {
		if !placed[j] {
			for taken>>next&1 != 0 {
				next++
			}
			f.at[j] = next
			next++
		}
		out.ext[f.at[j]] = l.ext[j]
	}
	return out, f, nil
}

// keepOutput puts ones where placed axes were.
func (b *Bound) keepOutput(l shape, many func() error) (out shape, f physical, err error) {
	g := b.g
	f.n = l.n
	if g.flat {
		for k := range l.n {
			f.at[k] = k
		}
		return l, f, nil
	}
	out.n = l.n + g.place.N
	if out.n > MaxRank {
		return out, f, many()
	}
	k := 0
	for i := range out.n {
		out.ext[i] = 1
		kept := false
		for _, at := range g.place.At[:g.place.N] {
			kept = kept || at == i+g.joint-out.n
		}
		if !kept && k < l.n {
			out.ext[i] = l.ext[k]
			f.at[k] = i
			k++
		}
	}
	return out, f, nil
}

// keepAxes puts ones where axes are written that keepdims keeps, which nobody places.
func (b *Bound) keepAxes(p *Param, l shape, many func() error) (out shape, f physical, err error) {
	add := func(e int) bool {
		if out.n == MaxRank {
			return false
		}
		out.ext[out.n] = e
		out.n++
		return true
	}
	k := 0
	for j := range len(p.Dims) + 1 {
		for _, q := range p.Kept {
			if q.At != j {
				continue
			}
			for range max(b.g.rank[q.Axis], 0) {
				if !add(1) {
					return out, f, many()
				}
			}
		}
		if j == len(p.Dims) {
			break
		}
		for range b.width(&p.Dims[j]) {
			f.at[k] = out.n
			if !add(l.ext[k]) {
				return out, f, many()
			}
			k++
		}
	}
	f.n = l.n
	return out, f, nil
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
		through := !b.direct(i) || b.Tensor(i).n != g.view[i].elements() || b.Tensor(i).dtype.half()
		for j := range s.Params {
			if through || j == i || b.Tensor(j) == nil || !s.Params[j].Mode.given() || !b.direct(j) || !overlap(b.Tensor(i), b.Tensor(j)) {
				continue
			}
			same := b.Tensor(i).data == b.Tensor(j).data && g.view[i].elements() == g.view[j].elements()
			through = !same || p.InPlace>>j&1 == 0
		}
		if through {
			g.copies |= 1 << i
		}
	}
}

// findAddress decides where kernels read or write a parameter.
func (b *Bound) findAddress(i int) {
	g, t, p := b.g, b.Tensor(i), &b.sig.Params[i]
	b.setPtr(i, nil)
	if t == nil {
		if p.Optional && p.Splat {
			b.setPtr(i, Splat(b.memory(i), p.Default))
			b.splat |= 1 << i
		}
		return
	}
	l := &g.view[i]
	n := l.elements()
	switch {
	case n == 0:
	case g.copies>>i&1 != 0:
		if p.Mode == Inout {
			b.setPtr(i, g.pack(t, l))
		} else {
			b.setPtr(i, g.scratch(n*t.dtype.computed().Size()))
		}
	case b.direct(i) && !t.dtype.half():
		b.setPtr(i, t.data)
	case p.Splat && l.constant():
		b.setPtr(i, g.splat(t))
		b.splat |= 1 << i
	default:
		b.setPtr(i, g.pack(t, l))
	}
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
