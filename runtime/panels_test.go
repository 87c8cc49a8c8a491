package runtime

import (
	"fmt"
	goruntime "runtime"
	"sync"
	"testing"
	"unsafe"
)

// matProduct is the product of matrices, y[r, n] = sum over k of x[r, k] w[k, n] + b[n]: the kernel of tests, with notes of its calls.
type matProduct struct {
	mutex sync.Mutex
	calls []Args
}

func (p *matProduct) plan(shared int, d DType) *Plan {
	return &Plan{Rows: true, Lanes: true, Shared: shared, Operands: []Operand{{DType: d}, {DType: d}, {DType: d}, {DType: d, Use: Writes}}}
}

func productOf[T float](p *matProduct) Kernel {
	return func(a *Args) {
		p.mutex.Lock()
		p.calls = append(p.calls, *a)
		p.mutex.Unlock()
		for r := range a.Rows {
			for n := range a.N {
				sum := T(0)
				for k := range a.K {
					sum += *At[T](a.Ptr[0], r*a.Row[0]+k*a.KStep[0]) * *At[T](a.Ptr[1], n*a.Step[1]+k*a.KStep[1])
				}
				*At[T](a.Ptr[3], r*a.Row[3]+n*a.Step[3]) = sum + *At[T](a.Ptr[2], n*a.Step[2])
			}
		}
	}
}

// productArgs are arguments with x and w row after row, or turned, and results.
func productArgs[T float](rows, n, k int, xTurned, wTurned bool) (a Args, y []T) {
	data := func(n int) []T {
		d := make([]T, n)
		for i := range d {
			d[i] = T((i*7919+13)%1009) / 1009
		}
		return d
	}
	address := func(s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }
	y = make([]T, rows*n)
	a.Rows, a.N, a.K = rows, n, k
	a.Ptr[0], a.Row[0], a.KStep[0] = address(data(rows*k)), k, 1
	if xTurned {
		a.Row[0], a.KStep[0] = 1, rows
	}
	a.Ptr[1], a.Step[1], a.KStep[1] = address(data(n*k)), 1, n
	if wTurned {
		a.Step[1], a.KStep[1] = k, 1
	}
	a.Ptr[2], a.Step[2] = address(data(n)), 1
	a.Ptr[3], a.Row[3], a.Step[3] = address(y), n, 1
	return a, y
}

// inRowParts makes launches run in parts of few rows, which changes no result.
func inRowParts(t *testing.T, floats int) {
	old := rowParts
	rowParts = floats
	t.Cleanup(func() { rowParts = old })
}

// TestRowParts: what takes as much memory as results for a launch, or several times as much, is bounded, and results are the same.
func TestRowParts(t *testing.T) {
	inRowParts(t, 1<<4)
	t.Run("panels", TestPanels)
	t.Run("sums", TestSums)
	t.Run("points", TestBatchPoints)
	const rows, lanes, steps = 20, 3000, 1
	a, y := productArgs[float64](rows, lanes, steps, false, true)
	for _, floats := range []int{1 << 22, 1 << 12} {
		rowParts = floats
		ResetPeak()
		before := Memory()
		plan := Plan{Rows: true, Lanes: true, Steps: true, StepsTo: 2, Operands: integerPlan.Operands}
		b := a
		b.Ptr[2], b.Row[2], b.Step[2] = a.Ptr[3], a.Row[3], a.Step[3]
		l := levelsOf(3 << 6)
		launchPieces(func(a *Args) {
			for r := range a.Rows {
				for n := range a.N {
					*At[float64](a.Ptr[2], r*a.Row[2]+n*a.Step[2]) = float64(a.First + r + n)
				}
			}
		}, &b, &plan, 3<<6, &Batch{n: 1, sums: 1, plan: &plan, ext: [maxBatch]int{3 << 6}})
		if took, all := Memory().ScratchPeak-before.Scratch, int64(8*l*rows*lanes); (took < all) != (floats < 1<<22) {
			t.Errorf("parts of %d floats: %d bytes for the pieces", floats, took)
		}
		for i := range y {
			if want := float64(3<<6) * float64(i/lanes+i%lanes); y[i] != want {
				t.Fatalf("element %d is %v, want %v", i, y[i], want)
			}
		}
	}
}

// TestPanels compares launches with one call, whatever the order in memory, the path and the number of threads.
func TestPanels(t *testing.T) {
	t.Run("f32", testPanels[float32])
	t.Run("f64", testPanels[float64])
}

func testPanels[T float](t *testing.T) {
	d := F32
	if unsafe.Sizeof(T(0)) == 8 {
		d = F64
	}
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(0))
	before := Path()
	defer SetPath(before)
	live := scratchLive.Load()
	for _, s := range [][3]int{{1, 1, 1}, {3, 5, 7}, {8, 8, 8}, {17, 65, 33}, {1, 300, 200}, {15, 200, 70}, {16, 130, 70}, {33, 129, 40}, {70, 200, 17}, {200, 67, 70}, {5, 3, 20000}, {600, 130, 40}} {
		for turned := range 4 {
			xTurned, wTurned := turned&1 != 0, turned&2 != 0
			whole, want := productArgs[T](s[0], s[1], s[2], xTurned, wTurned)
			productOf[T](new(matProduct))(&whole)
			for path := Generic; path <= BestPath(); path++ {
				if _, err := SetPath(path); err != nil {
					t.Fatal(err)
				}
				for _, threads := range []int{1, 3} {
					goruntime.GOMAXPROCS(threads)
					p := new(matProduct)
					a, y := productArgs[T](s[0], s[1], s[2], xTurned, wTurned)
					Launch(productOf[T](p), &a, p.plan(3, d))
					name := fmt.Sprintf("%v x turned %t, w turned %t, %v, %d threads", s, xTurned, wTurned, path, threads)
					for i := range y {
						if y[i] != want[i] {
							t.Fatalf("%s: element %d is %v, want %v", name, i, y[i], want[i])
						}
					}
					for _, c := range p.calls {
						if c.Step[1] > 1 {
							t.Fatalf("%s: a kernel got lanes that are %d apart", name, c.Step[1])
						}
					}
				}
			}
		}
	}
	if now := scratchLive.Load(); now != live {
		t.Errorf("%d blocks were taken and not given back", now-live)
	}
}

// TestTiles: calls of launches whose rows share what they read have tiles of rows, and are short.
func TestTiles(t *testing.T) {
	if BestPath() == Generic {
		t.Skip("kernels in Go have no tiles")
	}
	for _, shared := range []int{sharedWork, 40} {
		for _, k := range []int{8, 100, 512, 513, 1024, 4096, 16384} {
			for _, rows := range []int{8, 64, 1000} {
				p := new(matProduct)
				a := Args{Rows: rows, N: 256, K: k}
				plan := p.plan(shared, F32)
				c := cutFor(&a, plan)
				if shared == sharedWork && k <= wideSteps && c.rows%tileRows != 0 && c.rows != rows {
					t.Errorf("%d rows, %d steps: calls of %d rows", rows, k, c.rows)
				}
				if n := c.rows * c.lanes * k; n > laneCut*k && n*shared > longerShared*sharedElements*sharedWork {
					t.Errorf("%d rows, %d steps: calls of %d points", rows, k, n)
				}
			}
		}
	}
}

// TestPanelCalls counts what a large launch becomes.
func TestPanelCalls(t *testing.T) {
	if BestPath() == Generic {
		t.Skip("kernels in Go have no tiles")
	}
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1))
	a, _ := productArgs[float32](64, 128, 1024, true, true)
	p := new(matProduct)
	Launch(func(a *Args) { p.calls = append(p.calls, *a) }, &a, p.plan(3, F32))
	points := 0
	for _, c := range p.calls {
		if c.Rows%tileRows != 0 || c.N%16 != 0 || c.Row[0] != 1 || c.KStep[0] != tallRows || c.Step[1] != 1 || c.KStep[1] != c.N {
			t.Errorf("a call of %d rows, %d lanes, with strides %d, %d of x and %d, %d of w", c.Rows, c.N, c.Row[0], c.KStep[0], c.Step[1], c.KStep[1])
		}
		points += c.Rows * c.N * c.K
	}
	if points != 64*128*1024 {
		t.Errorf("%d points, want %d", points, 64*128*1024)
	}
}
