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

// Classes of blocks: the first ones are powers of two, the others those of the memory of tensors. All blocks are aligned to a page: Go's are where
// they are powers of two, or larger than what it has classes for.
const (
	minScratch     = 12 // bits of the least
	maxPowers      = 16 // bits of the greatest that must be a power of two
	scratchPowers  = maxPowers - minScratch + 1
	firstScratch   = (maxPowers - leastPoolBits) * poolSteps // the class of the memory of tensors with as many bytes
	scratchClasses = scratchPowers + (bits.UintSize-1-maxPowers)*poolSteps
)

// scratchClass is the class of blocks of at least size bytes, and their words.
func scratchClass(size int) (class, words int) {
	if size <= 1<<maxPowers {
		b := max(bits.Len(uint(max(size, 1)-1)), minScratch)
		return b - minScratch, 1 << (b - 3)
	}
	c := poolClass(size)
	return c - firstScratch + scratchPowers - 1, classSize(c) / 8
}

var (
	scratchPools [scratchClasses]sync.Pool
	scratchLive  atomic.Int64 // blocks that were taken and not given back
	scratchBytes atomic.Int64 // their memory
	scratchPeak  atomic.Int64 // the most that it was
)

// getScratch is a block of at least size bytes, with any contents.
func getScratch(size int) *block {
	class, words := scratchClass(size)
	countScratch(int64(8 * words))
	if b, ok := scratchPools[class].Get().(*block); ok {
		b.taken.Store(true)
		return b
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
	scratchPools[b.class].Put(b)
}
