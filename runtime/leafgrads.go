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
	count  atomic.Int64  // of the gradients that leaves have
	shown  atomic.Bool   // somebody has got a gradient
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

// settle makes g, which it owns, the gradient of a leaf in a block that has none. The mutex of the leaf is held.
func (a *autograd) settle(g *Tensor) {
	b := a.block
	a.grad.Store(nil)
	a.leaveHome()
	b.mu.Lock()
	gb := b.grads
	if gb == nil || gb.homes[a.at].shown || gb.shown.Load() && gb.count.Load() == 0 {
		gb = b.newGrads()
		b.grads = gb
	}
	h := &gb.homes[a.at]
	h.epoch.Store(gb.epoch.Load())
	gb.count.Add(1)
	b.mu.Unlock()
	h.take(gb, b, g)
	a.home.Store(h)
	g.Release()
}

// take copies the elements of g.
func (h *home) take(gb *gradBlock, b *leafBlock, g *Tensor) {
	t := &h.t
	*t = Tensor{data: h.store.base, store: &h.store, n: g.n, rank: g.rank, dtype: g.dtype, contig: true, shape: g.shape}
	rowMajor(t.dims(), t.stride[:])
	copyStrided(t.data, t.strides(), g.data, g.strides(), t.dims(), t.dtype.Size())
}

// leaveHome drops the gradient of a leaf from its home. The mutex of the leaf is held.
func (a *autograd) leaveHome() {
	h := a.home.Load()
	if h == nil {
		return
	}
	b := h.block.leaves
	b.mu.Lock()
	if h.gradient() != nil {
		h.block.count.Add(-1)
	}
	b.mu.Unlock()
	a.home.Store(nil)
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
func (gb *gradBlock) full() bool {
	return gb != nil && gb.count.Load() == int64(len(gb.homes)) && gb.drops.Load() == 0
}

// zeroGrads drops the gradients of all leaves at once. It reports false where they aren't together.
func (b *leafBlock) zeroGrads() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	gb := b.grads
	if !gb.full() {
		return false
	}
	gb.count.Store(0)
	gb.epoch.Add(1)
	return true
}
