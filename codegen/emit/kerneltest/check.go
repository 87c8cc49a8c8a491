package kerneltest

import (
	"fmt"
	"math"
	"testing"
	"unsafe"

	"github.com/opgen/opgen/codegen/nest"
)

// maxReports bounds the differences that one Check reports.
const maxReports = 5

// Check runs jobs and compares all memory, also what lies around the operands, with what the interpreter makes of
// the same: equal bits, except that any NaN equals any other.
func (r *Runner) Check(t testing.TB, jobs []Job) {
	t.Helper()
	want := make([]*nest.Args, len(jobs))
	for i, j := range jobs {
		want[i] = Clone(j.Args)
		if err := r.nests[j.Nest].Run(want[i]); err != nil {
			t.Fatalf("interpreter: %v", err)
		}
	}
	if err := r.Do(jobs); err != nil {
		t.Fatal(err)
	}
	reports := 0
	for i, j := range jobs {
		if err := Equal(j.Args, want[i]); err != nil {
			t.Error(r.wrap(j, err))
			if reports++; reports == maxReports {
				t.Fatal("and perhaps more")
			}
		}
	}
}

// Clone copies args with their memory; slices that were shared are shared in the copy.
func Clone(a *nest.Args) *nest.Args {
	c := *a
	c.Operands = make([]nest.Buffer, len(a.Operands))
	seen := map[unsafe.Pointer]int{}
	for i, b := range a.Operands {
		data, _ := bytesOf(&b)
		if key := unsafe.Pointer(unsafe.SliceData(data)); key != nil {
			if first, ok := seen[key]; ok && sameLength(&b, &a.Operands[first]) {
				f := &c.Operands[first]
				b.F32, b.F64, b.I32, b.I64 = f.F32, f.F64, f.I32, f.I64
				c.Operands[i] = b
				continue
			}
			seen[key] = i
		}
		b.F32, b.F64 = append([]float32(nil), b.F32...), append([]float64(nil), b.F64...)
		b.I32, b.I64 = append([]int32(nil), b.I32...), append([]int64(nil), b.I64...)
		c.Operands[i] = b
	}
	return &c
}

func sameLength(a, b *nest.Buffer) bool {
	x, _ := bytesOf(a)
	y, _ := bytesOf(b)
	return len(x) == len(y)
}

// Equal compares the memory of got with that of want.
func Equal(got, want *nest.Args) error {
	for i := range want.Operands {
		g, w := &got.Operands[i], &want.Operands[i]
		at, text := -1, ""
		switch {
		case w.F32 != nil:
			at = differ(g.F32, w.F32, func(a, b float32) bool {
				return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
			})
			if at >= 0 {
				text = fmt.Sprintf("%v (%#08x), want %v (%#08x)", g.F32[at], math.Float32bits(g.F32[at]), w.F32[at], math.Float32bits(w.F32[at]))
			}
		case w.F64 != nil:
			at = differ(g.F64, w.F64, func(a, b float64) bool {
				return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
			})
			if at >= 0 {
				text = fmt.Sprintf("%v (%#016x), want %v (%#016x)", g.F64[at], math.Float64bits(g.F64[at]), w.F64[at], math.Float64bits(w.F64[at]))
			}
		case w.I32 != nil:
			if at = differ(g.I32, w.I32, func(a, b int32) bool { return a == b }); at >= 0 {
				text = fmt.Sprintf("%d, want %d", g.I32[at], w.I32[at])
			}
		default:
			if at = differ(g.I64, w.I64, func(a, b int64) bool { return a == b }); at >= 0 {
				text = fmt.Sprintf("%d, want %d", g.I64[at], w.I64[at])
			}
		}
		if at >= 0 {
			return fmt.Errorf("operand %d, %d from its base: %s", i, at-w.Base, text)
		}
	}
	return nil
}

// differ is the first index where two slices are not the same, or -1.
func differ[T any](a, b []T, same func(a, b T) bool) int {
	for i := range b {
		if i >= len(a) || !same(a[i], b[i]) {
			return i
		}
	}
	return -1
}
