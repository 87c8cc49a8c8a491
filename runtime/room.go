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

// MaxBytes is the most bytes that a tensor may have that is made, and that a call may take altogether: its results, values on the way, copies of
// tensors that don't lie as kernels need them, and in Backward the gradients that a call makes. Memory is counted as [Memory] counts it: in
// blocks, of which up to a quarter isn't used. More is an error of the kind ErrShape, before a call writes anything. What threads
// need to work, some MiB, isn't counted. Unless SetMaxBytes has said otherwise it is the memory of the machine, or less where
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
	if int64(n) <= always/8 && roomLimit.Load() == 0 {
		return nil
	}
	if most := MaxBytes(); resultBytes(n, d.Size()) > uint64(most) {
		return &ArgError{Op: op, Arg: arg, Want: fmt.Sprintf("at most %d bytes (see runtime.SetMaxBytes)", most),
			Got: fmt.Sprintf("%s%s, %s bytes", d, shapeString(shape), sizeText(n, d.Size(), resultBytes(n, d.Size()))), Err: ErrShape}
	}
	return nil
}

// bytesOf is n·size.
func bytesOf(n, size int) uint64 {
	hi, lo := bits.Mul64(uint64(n), uint64(size))
	if hi != 0 {
		return math.MaxUint64
	}
	return lo
}

// resultBytes is the memory of a tensor of n elements.
func resultBytes(n, size int) uint64 {
	bytes := bytesOf(n, size)
	if bytes < leastPooled || bytes > math.MaxInt/2 {
		return bytes
	}
	return uint64(classSize(poolClass(int(bytes))))
}

// scratchBytesOf is the memory of a call for n elements.
func scratchBytesOf(n, size int) uint64 {
	bytes := bytesOf(n, size)
	if bytes <= 8*smallWords || bytes > math.MaxInt/2 {
		return bytes
	}
	_, words := scratchClass(int(bytes))
	return 8 * uint64(words)
}

// take counts the memory that a call takes for n elements, and refuses them where the call has more than MaxBytes then.
func (b *Bound) take(arg string, d DType, shape []int, n int, bytes uint64) error {
	before := b.taken
	sum, carry := bits.Add64(before, bytes, 0)
	if carry != 0 {
		sum = math.MaxUint64
	}
	b.taken = sum
	if sum <= always && roomLimit.Load() == 0 {
		return nil
	}
	most := MaxBytes()
	if sum <= uint64(most) {
		return nil
	}
	shape = slices.Clone(shape) // of a call that is small nothing escapes
	e := &ArgError{Op: b.sig.Op, Arg: arg, Want: fmt.Sprintf("at most %d bytes for a call (see runtime.SetMaxBytes)", most),
		Got: fmt.Sprintf("%s%s, %s bytes", d, shapeString(shape), sizeText(n, d.Size(), bytes)), Err: ErrShape}
	if before > 0 {
		e.Got += fmt.Sprintf(", beside %d bytes that the call takes before", before)
	}
	return e
}

// takeScratch is take of memory of the call. What is small enough for a binding, which has it anyway, takes nothing: see binding.scratch.
func (b *Bound) takeScratch(arg string, d DType, shape []int, n int) error {
	bytes := scratchBytesOf(n, d.Size())
	if words := (bytes + 7) / 8; words <= uint64(smallWords-b.small) {
		b.small += int(words)
		return nil
	}
	bytes = max(bytes, 1<<minScratch)
	return b.take(arg, d, shape, n, bytes)
}

// takeMade counts parameter i where it was made for the call.
func (b *Bound) takeMade(i int) error {
	if t := b.Tensor(i); t.made {
		return b.take(b.sig.Params[i].Name, t.dtype, t.dims(), t.n, resultBytes(t.n, t.dtype.Size()))
	}
	return nil
}

// takeAllMade counts the parameters that were made for the call.
func (b *Bound) takeAllMade() error {
	for i := range b.sig.Params {
		if b.Tensor(i) != nil {
			if err := b.takeMade(i); err != nil {
				return err
			}
		}
	}
	return nil
}

// sizeText is the size of n elements, and that of their block of memory, where that is more.
func sizeText(n, size int, bytes uint64) string {
	text := timesText(n, size)
	if all := bytesOf(n, size); bytes > all {
		text += fmt.Sprintf(" in a block of %d", bytes)
	}
	return text
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

// checkScratch counts what the signature says that a call takes beside its tensors.
func (b *Bound) checkScratch() error {
	for i := range b.sig.Scratch {
		t := &b.sig.Scratch[i]
		if !b.needs(t) {
			continue
		}
		if t.Spread != 0 {
			if err := b.checkSpread(t.Spread); err != nil {
				return err
			}
			continue
		}
		d := elemDType(t.Elem, &b.DType).computed()
		if t.Param > 0 {
			p := t.Param - 1
			if b.Address(p) != nil && b.Move(p) == 1 && d != b.memory(p) {
				if err := b.takeScratch(b.sig.Params[p].Name, d, nil, b.count(p)); err != nil {
					return err
				}
			}
			continue
		}
		var ext [2 * MaxAxes]int
		n := min(len(t.Axes), len(ext))
		for k, a := range t.Axes[:n] {
			ext[k] = b.Ext[a]
		}
		for range 1 + t.More {
			if err := b.takeScratch(onTheWay, d, ext[:n], volume(ext[:n]...)); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkSpread counts parameters (bits) that are pages of equal elements, and are written out.
func (b *Bound) checkSpread(params uint64) error {
	for w := params & b.splat; w != 0; w &= w - 1 {
		p := bits.TrailingZeros64(w)
		if err := b.takeScratch(b.sig.Params[p].Name, b.memory(p), nil, b.count(p)); err != nil {
			return err
		}
	}
	return nil
}

// onTheWay is what messages call memory that is no parameter's.
const onTheWay = "values on the way"

// needs reports whether a call takes an array.
func (b *Bound) needs(t *Scratch) bool {
	for v, set := range t.For {
		if !set.Has(b.DType[v&(MaxVars-1)]) {
			return false
		}
	}
	return (t.Wanted == 0 || b.anyThere(t.Wanted)) && !b.anyThere(t.Absent)
}

// anyThere reports whether one of some parameters is there.
func (b *Bound) anyThere(params uint64) bool {
	for ; params != 0; params &= params - 1 {
		if i := bits.TrailingZeros64(params); b.Address(i) != nil || b.Tensor(i) != nil {
			return true
		}
	}
	return false
}

// Room counts memory for values on the way, and is an error where the call takes more than MaxBytes with it. Code asks before it writes
// anything, where extents follow from more than tensors and attributes tell when they are bound.
func Room[T Element](b *Bound, extents ...int) error {
	return b.takeScratch(onTheWay, DTypeOf[T](), extents, volume(extents...))
}

// roomFor counts the memory of parameter i as kernels have it, in some layout, which may repeat elements that the tensor has once: also that
// of steps between the tensor and that memory. Through: it is written there.
func (b *Bound) roomFor(i int, l *layout, through bool) error {
	t, p := b.Tensor(i), &b.sig.Params[i]
	n := volume(l.shape()...)
	if err := b.takeScratch(p.Name, t.dtype.computed(), l.shape(), n); err != nil {
		return err
	}
	dense := isContiguous(l.shape(), l.strides())
	if t.dtype.half() && !dense && (!through || p.Mode == Inout) {
		if err := b.takeScratch(p.Name, t.dtype, l.shape(), n); err != nil {
			return err
		}
	}
	switch {
	case !through:
	case l.expanded():
		sums := span(l.shape(), l.strides())
		if more := scratchBytesOf(sums, totalBytes); more > b.sums {
			if err := b.take(p.Name, F64, []int{sums, 2}, 2*sums, more-b.sums); err != nil {
				return err
			}
			b.sums = more
		}
	case t.dtype.half() && !dense:
		return b.takeScratch(p.Name, t.dtype, l.shape(), n)
	}
	return nil
}
