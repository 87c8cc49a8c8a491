package runtime

import (
	"sync/atomic"
	"unsafe"
)

// gradBlock is memory for the gradients of the leaves of a block, in their order. It is used again after ZeroGrad, unless somebody has got
// a gradient: that stays what it is, and the next ones go to other memory.
type gradBlock struct {
	common // of the storages of the gradients
	leaves *leafBlock
	base   unsafe.Pointer
	homes  []home
	epoch  atomic.Uint64 // how often all gradients were dropped at once
	count  int           // of the gradients that leaves have; under the mutex of the leaves
	shown  atomic.Bool   // somebody has got a gradient
	seen   uint64        // drops that were no gradients
}

// home is the gradient of a leaf in such memory.
type home struct {
	t     Tensor
	store storage
	block *gradBlock
	epoch atomic.Uint64 // of the block when the leaf got it
	shown bool          // somebody has got it; under the mutex of the leaf
}

// gradient is the gradient of a leaf that its home is, nil where it was dropped.
func (h *home) gradient() *Tensor {
	if h == nil || h.epoch.Load() != h.block.epoch.Load() {
		return nil
	}
	return &h.t
}

// gradient is the gradient of a leaf, or nil.
func (a *autograd) gradient() *Tensor {
	if g := a.home.Load().gradient(); g != nil {
		return g
	}
	return a.grad.Load()
}

// settle makes g, which it owns, the gradient of a leaf that has none. The mutex of the leaf is held.
func (a *autograd) settle(g *Tensor) {
	if a.block == nil || a.lender != nil {
		a.grad.Store(g)
		return
	}
	h := a.nextHome()
	a.moveIn(h)
	h.shape(g.dims())
	copyStrided(h.t.data, h.t.strides(), g.data, g.strides(), g.dims(), g.dtype.Size())
	if g.store.from != nil {
		g.Release()
	}
}

// nextHome is where the next gradient of a leaf goes. The mutex of the leaf is held.
func (a *autograd) nextHome() *home {
	b := a.block
	b.mu.Lock()
	gb := b.grads
	if gb == nil || gb.homes[a.at].shown || gb.homes[a.at].t.Released() || gb.count == 0 && gb.shown.Load() {
		gb = b.newGrads()
		b.grads = gb
	}
	b.mu.Unlock()
	return &gb.homes[a.at]
}

// moveIn makes what a home has the gradient of a leaf that has none. The mutex of the leaf is held.
func (a *autograd) moveIn(h *home) {
	if a.grad.Load() != nil {
		a.grad.Store(nil) // it was released
	}
	a.leaveHome()
	b := h.block.leaves
	b.mu.Lock()
	h.epoch.Store(h.block.epoch.Load())
	h.block.count++
	b.mu.Unlock()
	if a.home.Load() != h {
		a.home.Store(h)
	}
}

// shape makes the tensor of a home.
func (h *home) shape(shape []int) {
	t := &h.t
	if t.store != nil {
		return
	}
	*t = Tensor{data: h.store.base, store: &h.store, n: volume(shape...), rank: uint8(len(shape)), dtype: h.block.leaves.dtype, contig: true}
	copy(t.shape[:], shape)
	rowMajor(t.dims(), t.stride[:])
}

// lend gives a Backward the memory where the gradient of a leaf goes, with zeros, so that it is computed there; nil where the leaf has a
// gradient, or another Backward has that memory.
func (w *walkBack) lend(e *edge) *Tensor {
	a := e.auto
	if a.node != nil || a.block == nil || a.dtype.half() || w.grads[a] != nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.lender != nil || len(a.hooks) > 0 || a.gradient() != nil {
		return nil
	}
	h := a.nextHome()
	h.shape(e.shape[:e.rank])
	Clear(unsafe.Slice((*byte)(h.t.data), e.n*e.dtype.Size()))
	a.lender, a.lent = w, h
	w.loans = append(w.loans, a)
	return &h.t
}

// borrows reports whether g is what lend gave a Backward for a leaf.
func (w *walkBack) borrows(a *autograd, g *Tensor) bool {
	if len(w.loans) == 0 || a.block == nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.lender == w && g == &a.lent.t
}

// giveBack ends what lend has lent. The mutex of the leaf is held.
func (w *walkBack) giveBack(a *autograd) (h *home) {
	if a.lender == w {
		h, a.lent, a.lender = a.lent, nil, nil
	}
	return h
}

// leaveHome drops the gradient of a leaf from its home. The mutex of the leaf is held.
func (a *autograd) leaveHome() {
	h := a.home.Load()
	if h.gradient() == nil {
		return
	}
	a.home.Store(nil)
	b := h.block.leaves
	b.mu.Lock()
	if h.gradient() != nil { // not dropped with all others in the meantime
		h.block.count--
	}
	b.mu.Unlock()
}

// newGrads makes memory for gradients.
func (b *leafBlock) newGrads() *gradBlock {
	size := b.dtype.Size()
	gb := &gradBlock{leaves: b, base: lined(b.n * size), homes: make([]home, len(b.from))}
	for i := range gb.homes {
		h := &gb.homes[i]
		h.block = gb
		h.store.base, h.store.with = unsafe.Add(gb.base, b.from[i]*size), &gb.common
		h.store.tensors.Store(1)
	}
	return gb
}

// full reports whether all leaves have gradients here that nobody has released.
func (b *leafBlock) full(gb *gradBlock) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return gb.full()
}

// full is full with the mutex held.
func (gb *gradBlock) full() bool {
	if gb == nil || gb.count != len(gb.homes) {
		return false
	}
	if n := gb.drops.Load(); n != gb.seen { // also of views
		for i := range gb.homes {
			if gb.homes[i].t.Released() {
				return false
			}
		}
		gb.seen = n
	}
	return true
}

// zeroGrads drops the gradients of all leaves at once. It reports false where they aren't together.
func (b *leafBlock) zeroGrads() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	gb := b.grads
	if !gb.full() {
		return false
	}
	gb.count = 0
	gb.epoch.Add(1)
	return true
}
