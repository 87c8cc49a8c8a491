package runtime

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// An optimizer moves small parameters side by side in memory, and so do Backward their gradients and the optimizer their states: a step
// goes through them as if they were one.

// leafBlock is memory with leaves side by side.
type leafBlock struct {
	common // of the storages of the leaves
	base   unsafe.Pointer
	dtype  DType
	n      int   // elements
	from   []int // the element at which each leaf begins
	left   int   // how many leaves are in other blocks now

	mu    sync.Mutex // of those that change what follows
	grads *gradBlock // where the next gradients go
}

// common is what storages count together.
type common struct {
	version atomic.Uint64 // how often all of them were written at once
	drops   atomic.Uint64 // how many tensors over any of them were released
}

// now is the version of the elements.
func (s *storage) now() uint64 {
	v := s.version.Load()
	if s.with != nil {
		v += s.with.version.Load()
	}
	return v
}

// leafLine is what leaves of leastLined bytes or more begin at a multiple of; smaller ones follow each other without gaps.
const (
	leafLine   = 64
	leastLined = 1024
)

// small reports whether a tensor costs a step more than its elements do.
func (t *Tensor) small() bool { return t.n > 0 && t.n*t.dtype.Size() < leastPooled }

// moves reports whether the elements of a leaf can be moved: nobody else has seen their memory.
func (t *Tensor) moves() bool {
	s := t.store
	return t.contig && t.small() && s.own && s.tensors.Load() == 1 && !s.shared.Load()
}

// moveTogether moves small leaves to blocks, in their order, those of each dtype to blocks of their own. It leaves those where they are that
// can't be moved, and all that an earlier call has moved so.
func moveTogether(leaves []*Tensor) {
	var lists [dtypeCount][]*Tensor
	for _, t := range leaves {
		if t.small() {
			lists[t.dtype] = append(lists[t.dtype], t)
		}
	}
	for _, list := range lists {
		if areBlocks(list) {
			continue
		}
		n, from := 0, []int(nil)
		var block []*Tensor
		for _, t := range list {
			if !t.moves() {
				continue
			}
			at := nextLeaf(n, t)
			if at+t.n > chunkElements {
				newLeafBlock(block, from, n)
				block, from, at = nil, nil, 0
			}
			block, from, n = append(block, t), append(from, at), at+t.n
		}
		newLeafBlock(block, from, n)
	}
}

// nextLeaf is where the leaf t begins behind n elements.
func nextLeaf(n int, t *Tensor) int {
	if size := t.dtype.Size(); t.n*size >= leastLined {
		return ceilDiv(n*size, leafLine) * leafLine / size
	}
	return n
}

// areBlocks reports whether leaves are those of whole blocks, in their order.
func areBlocks(list []*Tensor) bool {
	for len(list) > 0 {
		b := list[0].auto.block
		if b == nil || len(list) < len(b.from) {
			return false
		}
		for i, t := range list[:len(b.from)] {
			if t.auto.block != b || t.auto.at != i {
				return false
			}
		}
		list = list[len(b.from):]
	}
	return true
}

// newLeafBlock moves leaves to a new block of n elements. One alone stays where it is.
func newLeafBlock(leaves []*Tensor, from []int, n int) {
	if len(leaves) < 2 {
		return
	}
	size := leaves[0].dtype.Size()
	b := &leafBlock{base: lined(n * size), dtype: leaves[0].dtype, n: n, from: from}
	stores := make([]storage, len(leaves))
	for i, t := range leaves {
		a := t.auto
		a.mu.Lock()
		if a.block != nil {
			a.block.left++
		}
		a.block, a.at = b, i
		a.mu.Unlock()
		s := &stores[i]
		s.base, s.bytes, s.own, s.with = unsafe.Add(b.base, from[i]*size), t.n*size, true, &b.common
		s.tensors.Store(1)
		Copy(unsafe.Slice((*byte)(s.base), s.bytes), unsafe.Slice((*byte)(t.data), s.bytes))
		t.store.drops.Add(1) // who knows where the elements were
		if t.store.with != nil {
			t.store.with.drops.Add(1)
		}
		t.store, t.data = s, s.base
	}
}

// lined is new memory, zeros, that begins a line of the cache.
func lined(bytes int) unsafe.Pointer {
	memory := make([]uint64, ceilDiv(bytes, 8)+leafLine/8)
	at := int(uintptr(unsafe.Pointer(&memory[0])) % leafLine)
	return unsafe.Pointer(&memory[ceilDiv(leafLine-at, 8)%(leafLine/8)])
}
