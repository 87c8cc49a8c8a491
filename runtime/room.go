package runtime

import (
	"fmt"
	"math"
	"math/bits"
	"runtime/debug"
	"sync/atomic"
)

// roomLimit is what SetMaxBytes has set, 0 for nothing.
var roomLimit atomic.Int64

// unknownMemory stands for the memory of machines that don't tell: 1 TiB, or all that 32 bits address.
const unknownMemory = min(1<<40, math.MaxInt)

// MaxBytes is the most bytes that a tensor may have that is made, or that a call may take at once on its way: more is an error of the kind
// ErrShape, before anything is allocated. Unless SetMaxBytes has said otherwise it is the memory of the machine, or less where
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

// timesText is n·k as text, also where it is no int.
func timesText(n, k int) string {
	if n > math.MaxInt/k {
		return fmt.Sprintf("%d times %d", n, k)
	}
	return fmt.Sprint(n * k)
}

// checkTemps refuses values on the way that are more than MaxBytes, 8 bytes each.
func (b *Bound) checkTemps() error {
	for _, axes := range b.sig.Temps {
		n := uint(1)
		for _, a := range axes {
			hi, lo := bits.Mul(n, uint(b.Ext[a]))
			if hi != 0 || lo > maxElements {
				lo = maxElements
			}
			n = lo
		}
		if err := room(b.sig.Op, "values on the way", F64, []int{int(n)}, int(n)); err != nil {
			return err
		}
	}
	return nil
}

// roomFor refuses values of a call on its way, n of the given size each, by a panic with an *ArgError: where memory is asked for, calls have no
// way to fail, and Go's own end of memory can't be recovered from. Binding has refused before, unless sizes were not known there. Fewer than 0
// are more than an int counts.
func (b *Bound) roomFor(n, size int) {
	if uint(n) <= always/8 && roomLimit.Load() == 0 {
		return
	}
	if most := MaxBytes(); n < 0 || int64(n) > most/int64(size) {
		got := "more than an int counts"
		if n >= 0 {
			got = timesText(n, size)
		}
		err := &ArgError{Op: b.name(), Arg: "values on the way", Want: fmt.Sprintf("at most %d bytes (see runtime.SetMaxBytes)", most), Got: got, Err: ErrShape}
		panic(b.Fail(err))
	}
}

func (b *Bound) name() string {
	if b.sig == nil {
		return "call"
	}
	return b.sig.Op
}
