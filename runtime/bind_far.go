package runtime

import (
	"sync"
	"unsafe"
)

// Near is the number of parameters whose tensors and addresses stand in a [Bound] itself. Those of the few signatures with
// more stand in memory of their own, so that calls of the others don't clear it.
const Near = 16

// farParams is what a Bound knows of the parameters from number Near on.
type farParams struct {
	ptr [MaxParams - Near]unsafe.Pointer
	t   [MaxParams - Near]*Tensor
}

var farPool = sync.Pool{New: func() any { return new(farParams) }}

// Address is the address of any parameter: Ptr, for those below Near.
func (b *Bound) Address(i int) unsafe.Pointer {
	if i < Near {
		return b.Ptr[i]
	}
	return b.far.ptr[i-Near]
}

// reach takes the memory for far parameters, where a signature has some.
func (b *Bound) reach(s *Signature) {
	if len(s.Params) > Near && b.far == nil {
		b.far = farPool.Get().(*farParams)
	}
}

func (b *Bound) setPtr(i int, p unsafe.Pointer) {
	if i < Near {
		b.Ptr[i] = p
	} else {
		b.far.ptr[i-Near] = p
	}
}

func (b *Bound) setTensor(i int, t *Tensor) {
	if i < Near {
		b.t[i] = t
	} else {
		b.far.t[i-Near] = t
	}
}

// putFar gives the memory for far parameters back. After a call that made tensors it is left to the garbage collector, since
// Tensor is asked for them later.
func putFar(f *farParams) {
	*f = farParams{}
	farPool.Put(f)
}
