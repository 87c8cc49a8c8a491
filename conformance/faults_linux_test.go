//go:build linux && (amd64 || arm64)

package conformance

import (
	"syscall"
	"testing"
	"unsafe"

	"github.com/opgen/opgen/gen/activation"
	"github.com/opgen/opgen/gen/reduce"
	"github.com/opgen/opgen/runtime"
)

// I1: offsets beyond 2^31 elements. Row 239674 of [262144, 8960] lies across that bound. The memory is never touched but there.
func TestI1(t *testing.T) {
	const rows, columns, row = 262144, 8960, 239674
	memory, err := syscall.Mmap(-1, 0, 4*rows*columns, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err != nil {
		t.Skipf("no address space for 9 GB: %v", err)
	}
	defer func() {
		if err := syscall.Munmap(memory); err != nil {
			t.Error(err)
		}
	}()
	all := unsafe.Slice((*float32)(unsafe.Pointer(&memory[0])), rows*columns)
	for i := range columns {
		all[row*columns+i] = float32(i%7) - 3
	}
	x := runtime.Must(runtime.FromSlice(all, rows, columns))
	part := runtime.Must(x.Slice(0, row, row+1, 1))
	compiled(t, func(t *testing.T, _ backend) {
		y := runtime.Must(runtime.Data[float32](runtime.Must(activation.Relu(part))))
		for i, v := range y {
			if want := max(float32(i%7)-3, 0); v != want {
				t.Fatalf("element %d is %v, want %v", i, v, want)
			}
		}
		// Rows far apart, one before the bound and one behind.
		far := runtime.Must(x.Slice(0, 0, row+1, row))
		s := arrayOf(runtime.Must(reduce.Softmax(far, nil)))
		for i, v := range s.Data[:columns] {
			if v != float64(float32(1)/columns) {
				t.Fatalf("element %d is %v", i, v)
			}
		}
		if s.Data[columns+6] <= s.Data[columns] {
			t.Error("the second row is not read")
		}
	}, "f32")
}
