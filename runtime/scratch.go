package runtime

import (
	"math/bits"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// block is pooled memory. It holds no pointers.
type block struct {
	words []uint64
	class int
	taken *atomic.Bool // it is counted
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
	scratchBytes atomic.Int64 // their memory
	scratchPeak  atomic.Int64 // the most that it was
)

// getScratch is a block of at least size bytes, with any contents.
func getScratch(size int) *block {
	class := max(bits.Len(uint(max(size, 1)-1)), minScratch) - minScratch
	words := (size + 7) / 8
	if class < scratchClasses {
		words = 1 << (class + minScratch - 3)
	}
	countScratch(int64(8 * words))
	if class < scratchClasses {
		if b, ok := scratchPools[class].Get().(*block); ok {
			b.taken.Store(true)
			return b
		}
	}
	b := &block{words: make([]uint64, words), class: class, taken: new(atomic.Bool)}
	b.taken.Store(true)
	goruntime.AddCleanup(b, lostBlock, lost{b.taken, int64(8 * words)})
	return b
}

// lost is a block that the garbage collector has found.
type lost struct {
	taken *atomic.Bool
	bytes int64
}

// lostBlock counts a block that was never given back: its call has ended in a panic that somebody has recovered.
func lostBlock(l lost) {
	if l.taken.Load() {
		scratchLive.Add(-1)
		scratchBytes.Add(-l.bytes)
	}
}

// countScratch counts a block that is taken.
func countScratch(bytes int64) {
	scratchLive.Add(1)
	now := scratchBytes.Add(bytes)
	for {
		peak := scratchPeak.Load()
		if now <= peak || scratchPeak.CompareAndSwap(peak, now) {
			return
		}
	}
}

// putScratch gives a block back.
func putScratch(b *block) {
	b.taken.Store(false)
	scratchLive.Add(-1)
	scratchBytes.Add(-int64(8 * len(b.words)))
	if b.class < scratchClasses {
		scratchPools[b.class].Put(b)
	}
}
