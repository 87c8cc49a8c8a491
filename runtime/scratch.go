package runtime

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"
)

// block is pooled memory. It holds no pointers.
type block struct {
	words []uint64
	class int
}

func (b *block) pointer() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b.words)) }

// Classes of blocks: class c has 1<<(c+minScratch) bytes. Blocks of at least a page are aligned to one.
const (
	minScratch     = 12
	scratchClasses = 30
)

var (
	scratchPools [scratchClasses]sync.Pool
	scratchLive  atomic.Int64 // blocks that were taken and not given back
)

// getScratch is a block of at least size bytes, with any contents.
func getScratch(size int) *block {
	scratchLive.Add(1)
	class := max(bits.Len(uint(max(size, 1)-1)), minScratch) - minScratch
	if class >= scratchClasses {
		return &block{words: make([]uint64, (size+7)/8), class: class}
	}
	if b, ok := scratchPools[class].Get().(*block); ok {
		return b
	}
	return &block{words: make([]uint64, 1<<(class+minScratch-3)), class: class}
}

// putScratch gives a block back.
func putScratch(b *block) {
	scratchLive.Add(-1)
	if b.class < scratchClasses {
		scratchPools[b.class].Put(b)
	}
}
