package runtime

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// splatPage is Block equal elements: what a kernel reads with step 0.
type splatPage [Block]uint64

type splatKey struct {
	dtype DType
	bits  uint64
}

// maxSplats bounds the pages that are kept; constants of specs are few.
const maxSplats = 1024

var (
	splats     atomic.Pointer[map[splatKey]*splatPage] // replaced, never changed
	splatMutex sync.Mutex
)

// Splat is the address of a page of Block elements equal to v: an operand that doesn't move along any axis. Pages are
// kept, and must not be written.
func Splat(dtype DType, v float64) unsafe.Pointer {
	key := splatKey{dtype, splatElement(dtype, v)}
	if m := splats.Load(); m != nil {
		if p := (*m)[key]; p != nil {
			return unsafe.Pointer(p)
		}
	}
	splatMutex.Lock()
	defer splatMutex.Unlock()
	old := splats.Load()
	page := new(splatPage)
	fillSplat(unsafe.Pointer(page), dtype, key.bits)
	if old != nil && (*old)[key] != nil {
		return unsafe.Pointer((*old)[key])
	}
	if old != nil && len(*old) >= maxSplats {
		return unsafe.Pointer(page)
	}
	m := map[splatKey]*splatPage{key: page}
	if old != nil {
		for k, p := range *old {
			m[k] = p
		}
	}
	splats.Store(&m)
	return unsafe.Pointer(page)
}

// splatElement is the bits of v in dtype, in the low bytes in memory order of a uint64.
func splatElement(dtype DType, v float64) uint64 {
	var w uint64
	p := unsafe.Pointer(&w)
	storeElement(dtype, p, v)
	return w
}

// fillSplat writes Block elements, whose bits are those of splatElement.
func fillSplat(p unsafe.Pointer, dtype DType, bits uint64) {
	at := unsafe.Pointer(&bits)
	switch dtype.Size() {
	case 1:
		Fill(unsafe.Slice((*uint8)(p), Block), *(*uint8)(at))
	case 2:
		Fill(unsafe.Slice((*uint16)(p), Block), *(*uint16)(at))
	case 4:
		Fill(unsafe.Slice((*uint32)(p), Block), *(*uint32)(at))
	default:
		Fill(unsafe.Slice((*uint64)(p), Block), bits)
	}
}
