package runtime

import (
	"sync"
	"unsafe"
)

// binding is the working memory of the general path of Bind, pooled.
type binding struct {
	rank   [MaxAxes]int            // of packs; -1: not known
	shape  [MaxAxes][MaxRank]int   // joint shapes of packs
	from   [MaxAxes][MaxRank]uint8 // which parameter gave an extent, for messages
	known  uint32                  // axes with extents
	place  Placement               // as the caller gave it; At normalised
	joint  int                     // the joint rank that positions count in
	order  [MaxRank]jointDim       // what lies at each of these positions
	movers uint64                  // parameters in which axes are placed
	flat   bool                    // every mover has no axes
	view   [MaxParams]layout
	lies   [MaxParams]physical     // of inputs
	lie    [MaxParams][MaxRank]int // strides along the axes of a batch, as kernels have a parameter
	copies uint64                  // written parameters that go through scratch memory
	blocks []*block
	small  [smallWords]uint64 // memory for values that are few
	used   int                // words of it
	lists  []list             // of the attributes
}

// smallWords is the memory that a call has without taking a block.
const smallWords = 4 * Block

// layout is a parameter in the order of its declared axes, products as one, at the joint shape.
type layout struct {
	n           int
	ext, stride [MaxRank]int // stride 0: the tensor doesn't move there
}

func (l *layout) shape() []int   { return l.ext[:l.n] }
func (l *layout) strides() []int { return l.stride[:l.n] }

// expanded reports whether one element of the tensor stands for several points.
func (l *layout) expanded() bool { return hasZeroStride(l.shape(), l.strides()) }

// constant reports whether one element of the tensor stands for all points.
func (l *layout) constant() bool {
	for i, e := range l.shape() {
		if e != 1 && l.stride[i] != 0 {
			return false
		}
	}
	return true
}

// elements is the number of points.
func (l *layout) elements() int {
	n := 1
	for _, e := range l.shape() {
		n *= e
	}
	return n
}

// add puts an axis behind the others. It reports false where there are too many.
func (l *layout) add(ext, stride int) bool {
	if l.n == MaxRank {
		return false
	}
	l.ext[l.n], l.stride[l.n] = ext, stride
	l.n++
	return true
}

var bindingPool = sync.Pool{New: func() any { return new(binding) }}

func getBinding() *binding {
	g := bindingPool.Get().(*binding)
	g.known, g.movers, g.copies = 0, 0, 0
	g.place = Placement{}
	g.joint, g.flat = 0, false
	g.used = 0
	g.lists = g.lists[:0]
	return g
}

func putBinding(g *binding) {
	for i, b := range g.blocks {
		putScratch(b)
		g.blocks[i] = nil
	}
	g.blocks = g.blocks[:0]
	bindingPool.Put(g)
}

// scratch is memory that is given back with the binding.
func (g *binding) scratch(size int) unsafe.Pointer {
	if words := (size + 7) / 8; words <= smallWords-g.used {
		p := unsafe.Pointer(&g.small[min(g.used, smallWords-1)])
		g.used += words
		return p
	}
	b := getScratch(size)
	g.blocks = append(g.blocks, b)
	return b.pointer()
}

// pack copies a parameter to scratch memory, contiguous, as kernels have it.
func (g *binding) pack(t *Tensor, l *layout) unsafe.Pointer {
	n, from := l.elements(), t.data
	p := g.scratch(n * t.dtype.computed().Size())
	if !t.dtype.half() || !isContiguous(l.shape(), l.strides()) {
		to := p
		if t.dtype.half() {
			to = g.scratch(n * t.dtype.Size())
		}
		var stride [MaxRank]int
		rowMajor(l.shape(), stride[:])
		copyStrided(to, stride[:l.n], t.data, l.strides(), l.shape(), t.dtype.Size())
		from = to
	}
	if t.dtype.half() {
		widenHalf(p, from, t.dtype, n)
	}
	return p
}

// unpack copies a parameter from scratch memory to its tensor.
func (g *binding) unpack(t *Tensor, l *layout, from unsafe.Pointer) {
	var stride [MaxRank]int
	rowMajor(l.shape(), stride[:])
	switch {
	case l.expanded():
		sumStrided(t.data, l.strides(), t.dtype, from, stride[:l.n], t.dtype.computed(), l.shape())
		return
	case t.dtype.half() && isContiguous(l.shape(), l.strides()):
		narrowHalf(t.data, t.dtype, from, l.elements())
		return
	case t.dtype.half():
		to := g.scratch(l.elements() * t.dtype.Size())
		narrowHalf(to, t.dtype, from, l.elements())
		from = to
	}
	copyStrided(t.data, l.strides(), from, stride[:l.n], l.shape(), t.dtype.Size())
}

// copyOut moves outputs from scratch memory to their tensors. Gradients of inputs that were expanded are summed.
func (b *Bound) copyOut() {
	g := b.g
	for i := range b.sig.Params {
		if g.copies>>i&1 == 0 {
			continue
		}
		t, l := b.Tensor(i), &g.view[i]
		if l.elements() == 0 {
			// Only a gradient can have elements here: of an input that was expanded to nothing.
			clearElements(t)
			continue
		}
		g.unpack(t, l, b.Address(i))
	}
}

// clearElements sets a tensor to zero.
func clearElements(t *Tensor) {
	if t.n == 0 {
		return
	}
	var zero [MaxRank]int
	var bits uint64
	copyStrided(t.data, t.strides(), unsafe.Pointer(&bits), zero[:t.rank], t.dims(), t.dtype.Size())
}
