package runtime

import (
	"fmt"
	"math"
	"math/bits"
	"runtime/debug"
	"slices"
	"sync/atomic"
)

// roomLimit is what SetMaxBytes has set, 0 for nothing.
var roomLimit atomic.Int64

// unknownMemory stands for the memory of machines that don't tell: 1 TiB, or all that 32 bits address.
const unknownMemory = min(1<<40, math.MaxInt)

// MaxBytes is the most bytes that a tensor may have that is made, and that a call may take altogether: its results, values on the way with 8 bytes
// each that may need more memory than the tensors, and copies of tensors that don't lie as kernels need them. More is an error of the kind ErrShape, before
// a call writes anything. What threads need to work, some MiB, isn't counted. Unless SetMaxBytes has said otherwise it is the memory of the machine, or less where
// debug.SetMemoryLimit, or GOMEMLIMIT, says so.
func MaxBytes() int64 {
	if n := roomLimit.Load(); n > 0 {
		return n
	}
	return min(physicalMemory(), debug.SetMemoryLimit(-1))
}

// SetMaxBytes sets MaxBytes, and gives what was set before. 0 stands for the memory of the machine.
func SetMaxBytes(bytes int64) int64 { return roomLimit.Swap(max(bytes, 0)) }

// always is a size that no limit of a sensible machine forbids: it needs no question.
const always = 1 << 26

// room refuses n elements that are more than MaxBytes.
func room(op, arg string, d DType, shape []int, n int) error {
	size := int64(d.Size())
	if int64(n) <= always/8 && roomLimit.Load() == 0 {
		return nil
	}
	if most := MaxBytes(); int64(n) > most/size {
		return &ArgError{Op: op, Arg: arg, Want: fmt.Sprintf("at most %d bytes (see runtime.SetMaxBytes)", most),
			Got: fmt.Sprintf("%s%s, %s bytes", d, shapeString(shape), timesText(n, int(size))), Err: ErrShape}
	}
	return nil
}

// take counts n elements that a call takes memory for, and refuses them where the call has more than MaxBytes then.
func (b *Bound) take(arg string, d DType, shape []int, n int) error {
	before := b.taken
	hi, bytes := bits.Mul64(uint64(n), uint64(d.Size()))
	sum, carry := bits.Add64(before, bytes, 0)
	if hi != 0 || carry != 0 {
		sum = math.MaxUint64
	}
	b.taken = sum
	if sum <= always && roomLimit.Load() == 0 {
		return nil
	}
	shape = slices.Clone(shape) // of a call that is small nothing escapes
	if err := room(b.sig.Op, arg, d, shape, n); err != nil {
		return err
	}
	if most := MaxBytes(); sum > uint64(most) {
		return &ArgError{Op: b.sig.Op, Arg: arg, Want: fmt.Sprintf("at most %d bytes for a call (see runtime.SetMaxBytes)", most),
			Got: fmt.Sprintf("%s%s, %s bytes, beside %d bytes that the call takes before", d, shapeString(shape), timesText(n, d.Size()), before), Err: ErrShape}
	}
	return nil
}

// timesText is n·k as text, also where it is no int.
func timesText(n, k int) string {
	if n > math.MaxInt/k {
		return fmt.Sprintf("%d times %d", n, k)
	}
	return fmt.Sprint(n * k)
}

// volume is the number of elements of an array; of more than any memory holds one more than maxElements.
func volume(extents ...int) int {
	n, most := uint(1), false
	for _, e := range extents {
		if e == 0 {
			return 0
		}
		hi, lo := bits.Mul(n, uint(e))
		if hi != 0 || lo > maxElements {
			lo, most = 1, true
		}
		n = lo
	}
	if most {
		return maxElements + 1
	}
	return int(n)
}

// checkTemps counts values on the way, 8 bytes each.
func (b *Bound) checkTemps() error {
	for _, axes := range b.sig.Temps {
		var ext [2 * MaxAxes]int
		n := min(len(axes), len(ext))
		for k, a := range axes[:n] {
			ext[k] = b.Ext[a]
		}
		if err := b.Room(ext[:n]...); err != nil {
			return err
		}
	}
	return nil
}

// Room counts an array of values on the way, 8 bytes each, and is an error where the call takes more than MaxBytes with it. Code asks before it
// writes anything, where extents follow from more than tensors and attributes tell when they are bound.
func (b *Bound) Room(extents ...int) error {
	return b.take("values on the way", F64, extents, volume(extents...))
}

// roomFor counts the memory of parameter i as kernels have it, in some shape, which may repeat elements that the tensor has once.
func (b *Bound) roomFor(i int, shape []int) error {
	return b.take(b.sig.Params[i].Name, b.Tensor(i).dtype.computed(), shape, volume(shape...))
}
