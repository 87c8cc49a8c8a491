package runtime

import (
	"math/bits"
	"os"
	goruntime "runtime"
	"sync"
	"unsafe"
)

// Memory of tensors that ops make comes from a pool, and goes back there when all tensors over it were released
// (see [Tensor.Release]). What is dropped without Release is left to the garbage collector. Small tensors are not worth
// a pool: their memory is Go's.

// EnvMemory is an environment variable for tests: with the value poison, results of ops are NaN (or -1, or true) before kernels write
// them, and so is memory that was released. What is not written, or is used too late, shows.
const EnvMemory = "OPGEN_MEMORY"

var poison = os.Getenv(EnvMemory) == "poison"

// poison overwrites the elements of a contiguous tensor.
func (t *Tensor) poison() {
	b := unsafe.Slice((*byte)(t.data), t.n*t.dtype.Size())
	for i := range b {
		b[i] = 0xff
		if t.dtype == Bool {
			b[i] = 1
		}
	}
}

// pooled is memory from the pool.
type pooled struct {
	words   []uint64
	class   int
	cleanup goruntime.Cleanup // counts memory that was dropped
}

const (
	// leastPooled is the size in bytes from which on memory is pooled.
	leastPooled   = 1 << leastPoolBits
	leastPoolBits = 13
	// poolSteps is the number of classes between a size and twice that: at most a quarter of a block is not used.
	poolSteps   = 4
	poolClasses = (bits.UintSize - leastPoolBits) * poolSteps
	// defaultPoolLimit is the memory that the pool holds at most, unless SetPoolLimit says otherwise.
	defaultPoolLimit = 1 << 30
)

// MemoryStats counts the memory that tensors have from the pool, and what calls have beside their tensors while they run, in bytes where
// nothing else is said.
type MemoryStats struct {
	InUse     int64 // of tensors that are neither released nor collected
	Peak      int64 // the most that was in use
	Held      int64 // in the pool, free
	Limit     int64 // the most that the pool holds
	Allocated int64 // taken from Go, altogether
	Reused    int64 // taken from the pool, altogether
	Allocs    int64 // how often memory was taken from Go
	Reuses    int64 // how often memory was taken from the pool

	// Scratch is what calls that run now have for temporary values, copies of tensors that don't lie as kernels need them, and partial results.
	// It isn't part of InUse; the garbage collector keeps what is free of it, and drops that. What a call has that ends in a panic counts until
	// it is collected.
	Scratch     int64
	ScratchPeak int64 // the most that it was
}

// memoryPool is the memory that is free, by class.
var memoryPool = struct {
	sync.Mutex
	free  [poolClasses][]*pooled
	stats MemoryStats
}{stats: MemoryStats{Limit: defaultPoolLimit}}

// poolClass is the least class with blocks of at least size bytes.
func poolClass(size int) int {
	if size <= leastPooled {
		return 0
	}
	n := uint(size - 1)
	top := bits.Len(n) - 1 // 2^top ≤ n: steps of 2^top/poolSteps
	step := int(n>>(top-2)) & (poolSteps - 1)
	return (top-leastPoolBits)*poolSteps + step + 1
}

// classSize is the size of the blocks of a class.
func classSize(class int) int {
	top, step := class/poolSteps+leastPoolBits, class%poolSteps
	return 1<<top + step<<(top-2)
}

// getPooled is memory for size bytes, with any contents, and whether these are zeros.
func getPooled(size int) (p *pooled, zeros bool) {
	class := poolClass(size)
	bytes := classSize(class)
	m := &memoryPool
	m.Lock()
	st := &m.stats
	st.InUse += int64(bytes)
	st.Peak = max(st.Peak, st.InUse)
	if list := m.free[class]; len(list) > 0 {
		p = list[len(list)-1]
		list[len(list)-1] = nil
		m.free[class] = list[:len(list)-1]
		st.Held -= int64(bytes)
		st.Reused += int64(bytes)
		st.Reuses++
	} else {
		st.Allocated += int64(bytes)
		st.Allocs++
	}
	m.Unlock()
	if p != nil {
		return p, false
	}
	p = &pooled{words: make([]uint64, bytes/8), class: class}
	p.cleanup = goruntime.AddCleanup(p, dropped, int64(bytes))
	return p, true
}

// dropped counts memory in use that the garbage collector has found.
func dropped(bytes int64) {
	memoryPool.Lock()
	memoryPool.stats.InUse -= bytes
	memoryPool.Unlock()
}

// putPooled gives memory back.
func putPooled(p *pooled) {
	bytes := int64(classSize(p.class))
	if poison {
		for i := range p.words {
			p.words[i] = 1<<64 - 1
		}
	}
	m := &memoryPool
	m.Lock()
	defer m.Unlock()
	m.stats.InUse -= bytes
	if m.stats.Held+bytes > m.stats.Limit {
		p.cleanup.Stop()
		return
	}
	m.stats.Held += bytes
	m.free[p.class] = append(m.free[p.class], p)
}

func (p *pooled) pointer() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(p.words)) }

// Memory is what the pool has counted so far.
func Memory() MemoryStats {
	memoryPool.Lock()
	defer memoryPool.Unlock()
	s := memoryPool.stats
	s.Scratch, s.ScratchPeak = scratchBytes.Load(), scratchPeak.Load()
	return s
}

// ResetPeak makes the memory that is in use now the peak, of tensors and of calls.
func ResetPeak() {
	scratchPeak.Store(scratchBytes.Load())
	memoryPool.Lock()
	defer memoryPool.Unlock()
	memoryPool.stats.Peak = memoryPool.stats.InUse
}

// SetPoolLimit says how much free memory the pool holds at most, and gives the limit before. With 0 it holds none.
func SetPoolLimit(bytes int64) int64 {
	m := &memoryPool
	m.Lock()
	old := m.stats.Limit
	m.stats.Limit = max(bytes, 0)
	m.Unlock()
	trimPool(max(bytes, 0))
	return old
}

// TrimPool leaves the free memory of the pool to the garbage collector.
func TrimPool() { trimPool(0) }

// trimPool drops free memory, the largest blocks first, down to limit.
func trimPool(limit int64) {
	m := &memoryPool
	m.Lock()
	defer m.Unlock()
	for class := poolClasses - 1; class >= 0 && m.stats.Held > limit; class-- {
		list := m.free[class]
		for len(list) > 0 && m.stats.Held > limit {
			list[len(list)-1].cleanup.Stop()
			list[len(list)-1] = nil
			list = list[:len(list)-1]
			m.stats.Held -= int64(classSize(class))
		}
		m.free[class] = list
	}
}
