package runtime

import (
	"math"
	goruntime "runtime"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"

	"pgregory.net/rapid"
)

// everything: operands x, y, number, columns, greatest. y = x + 1000 × row; number is the sum of x, columns the sums of its
// columns, greatest its maximum.
func everything(a *Args) {
	var lanes [Block]float32
	top := float32(math.Inf(-1))
	for r := range a.Rows {
		x, y := Slice[float32](a.Ptr[0], r*a.Row[0], a.N), Slice[float32](a.Ptr[1], r*a.Row[1], a.N)
		for n := range x {
			y[n] = x[n] + 1000*float32(a.First+r)
			lanes[n%Block] += x[n]
			top = max(top, x[n])
			if a.Ptr[3] != nil {
				*At[float32](a.Ptr[3], n) += x[n]
			}
		}
	}
	*(*float32)(a.Ptr[2]) = LaneSum(lanes[:])
	*(*float32)(a.Ptr[4]) = top
}

func everythingPlan(rows, lanes, wide bool) *Plan {
	p := &Plan{Name: "everything", Rows: rows, Lanes: lanes, Wide: wide, Operands: []Operand{
		{DType: F32}, {DType: F32, Use: Writes}, {DType: F32, Use: Acc}, {DType: F32}, {DType: F32, Use: Acc, Monoid: MaxOf}}}
	if wide {
		p.Operands[3].Use = WideAcc
	}
	return p
}

// launched is what a launch of everything gives.
type launched struct {
	y, columns []float32
	sum, top   float32
}

func launchEverything(x []float32, rows, n, steps, pitch int, p *Plan) launched {
	out := launched{y: make([]float32, rows*n), columns: make([]float32, n)}
	for i := range out.columns {
		out.columns[i] = 99 // Launch starts them
	}
	a := Args{Rows: rows, N: n, K: steps}
	a.Ptr[0], a.Row[0], a.Step[0] = unsafe.Pointer(unsafe.SliceData(x)), pitch, 1
	a.Ptr[1], a.Row[1], a.Step[1] = unsafe.Pointer(unsafe.SliceData(out.y)), n, 1
	a.Ptr[2] = unsafe.Pointer(&out.sum)
	if p.Wide {
		a.Ptr[3], a.Step[3] = unsafe.Pointer(unsafe.SliceData(out.columns)), 1
	}
	a.Ptr[4] = unsafe.Pointer(&out.top)
	if Serial(&a, p) {
		everything(&a)
	} else {
		Launch(everything, &a, p)
	}
	return out
}

func equalBits(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

// Every point is computed once, whatever the cut; accumulators are right, and have the same bits for any number of threads.
func TestLaunch(t *testing.T) {
	noLeaks(t)
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(0))
	rapid.Check(t, func(r *rapid.T) {
		rows := rapid.SampledFrom([]int{0, 1, 2, 65, 200, 1000}).Draw(r, "rows")
		n := rapid.SampledFrom([]int{0, 1, 63, 64, 129, 700, 5000}).Draw(r, "n")
		if rows == 1 {
			n = rapid.IntRange(0, 200000).Draw(r, "long")
		}
		steps := rapid.SampledFrom([]int{0, 1, 1, 40, 1000}).Draw(r, "steps")
		if rows*n > 1<<20 {
			rows = 65
		}
		p := everythingPlan(rapid.Bool().Draw(r, "cut rows"), rapid.Bool().Draw(r, "cut lanes"), rapid.Bool().Draw(r, "wide"))
		pitch := n + rapid.IntRange(0, 3).Draw(r, "gap")
		x := make([]float32, rows*pitch)
		sum, top := 0.0, math.Inf(-1)
		columns := make([]float64, n)
		for i := range x {
			x[i] = float32((i*7919)%1013)/64 - 7
			if row, k := i/pitch, i%pitch; row < rows && k < n {
				sum += float64(x[i])
				columns[k] += float64(x[i])
				top = max(top, float64(x[i]))
			}
		}
		var first launched
		for procs := 1; procs <= 3; procs++ {
			goruntime.GOMAXPROCS(procs)
			got := launchEverything(x, rows, n, steps, pitch, p)
			for row := range rows {
				for k := range n {
					if want := x[row*pitch+k] + 1000*float32(row); got.y[row*n+k] != want {
						r.Fatalf("%d threads: y[%d, %d] is %v, want %v", procs, row, k, got.y[row*n+k], want)
					}
				}
			}
			if math.Abs(float64(got.sum)-sum) > 1e-4*(1+math.Abs(sum)+float64(rows*n)*1e-2) {
				r.Fatalf("%d threads: sum is %v, want %v", procs, got.sum, sum)
			}
			if float64(got.top) != top {
				r.Fatalf("%d threads: greatest is %v, want %v", procs, got.top, top)
			}
			if p.Wide {
				for k, want := range columns {
					if math.Abs(float64(got.columns[k])-want) > 1e-3*(1+math.Abs(want)) {
						r.Fatalf("%d threads: column %d is %v, want %v", procs, k, got.columns[k], want)
					}
				}
			}
			if procs == 1 {
				first = got
			} else if !equalBits(first.columns, got.columns) || !equalBits([]float32{first.sum}, []float32{got.sum}) {
				r.Fatalf("other bits with %d threads: sum %v and %v", procs, first.sum, got.sum)
			}
		}
	})
}

// 2^24 ones have the sum 2^24, and one more is not lost to rounding before the end.
func TestSumOfOnes(t *testing.T) {
	x := make([]float32, 1<<24)
	Fill(x, 1)
	if got := launchEverything(x, 1, len(x), 1, len(x), everythingPlan(false, true, false)).sum; got != 1<<24 {
		t.Errorf("sum of 2^24 ones is %v", got)
	}
}

// Partial results of maxima and minima: NaN wins.
func TestCombine(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		m    Monoid
		x    []float64
		want float64
	}{
		{SumOf, []float64{1, 2, 3, 4, 5}, 15},
		{ProdOf, []float64{1, 2, 3, 4, 5}, 120},
		{MaxOf, []float64{1, 5, 3}, 5},
		{MaxOf, []float64{1, nan, 3}, nan},
		{MaxOf, []float64{nan, 1, 3}, nan},
		{MinOf, []float64{4, 2, 3}, 2},
		{MinOf, []float64{4, 2, nan}, nan},
	} {
		got := make([]float64, 1)
		pairs(got, slices.Clone(c.x), c.m)
		if !same(got[0], c.want) {
			t.Errorf("monoid %d of %v: got %v, want %v", c.m, c.x, got[0], c.want)
		}
	}
	for m, want := range map[Monoid]float64{SumOf: 0, MaxOf: math.Inf(-1), MinOf: math.Inf(1), ProdOf: 1} {
		var f float32
		var d float64
		fillIdentity(unsafe.Pointer(&f), 1, &Operand{DType: F32, Monoid: m})
		fillIdentity(unsafe.Pointer(&d), 1, &Operand{DType: F64, Monoid: m})
		if float64(f) != want || d != want {
			t.Errorf("monoid %d starts at %v and %v, want %v", m, f, d, want)
		}
	}
}

// A wide accumulator takes no more memory than a part of its inputs.
func TestWidePartials(t *testing.T) {
	for _, n := range []int{1, 100, 10000, 1000000} {
		for _, rows := range []int{100, 10000} {
			for _, lanes := range []bool{false, true} {
				a := Args{Rows: rows, N: n, K: 1}
				c := cutFor(&a, &Plan{Rows: true, Lanes: lanes, Wide: true})
				if c.rowTasks > 1 && c.rowTasks > rows/wideRows+1 {
					t.Errorf("%d × %d: %d partial results", rows, n, c.rowTasks)
				}
			}
		}
	}
}

// The flag for non-temporal stores is set for large outputs alone.
func TestStreamFlag(t *testing.T) {
	var mu sync.Mutex
	seen := map[int]bool{}
	kernel := func(a *Args) {
		mu.Lock()
		defer mu.Unlock()
		seen[a.I[FlagsAt]] = true
	}
	p := &Plan{Lanes: true, Stream: true, Operands: []Operand{{DType: F32, Use: Writes}}}
	y := make([]float32, 5<<20)
	for _, c := range []struct{ n, want int }{{5 << 20, Stream}, {1 << 20, 0}} {
		clear(seen)
		a := Args{Rows: 1, N: c.n, K: 1}
		a.Ptr[0], a.Step[0] = unsafe.Pointer(unsafe.SliceData(y)), 1
		Launch(kernel, &a, p)
		if len(seen) != 1 || !seen[c.want] {
			t.Errorf("%d elements: flags %v, want %d", c.n, seen, c.want)
		}
	}
}

// Many launches at once from many goroutines.
func TestLaunchConcurrently(t *testing.T) {
	noLeaks(t)
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(3))
	x := make([]float32, 200000)
	for i := range x {
		x[i] = float32(i % 17)
	}
	p := everythingPlan(false, true, false)
	want := launchEverything(x, 1, len(x), 1, len(x), p).sum
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				if got := launchEverything(x, 1, len(x), 1, len(x), p).sum; got != want {
					t.Errorf("sum %v, want %v", got, want)
				}
			}
		})
	}
	wg.Wait()
}

// No call of a kernel is longer than a chunk, unless a single row is: that is what a stop of the world waits for.
func TestChunks(t *testing.T) {
	var mu sync.Mutex
	for _, c := range []struct {
		rows, n, steps int
		plan           Plan
		most           int // rows × lanes × steps of a call
	}{
		{1, 1 << 20, 1, Plan{Lanes: true}, chunkElements},
		{1000, 1000, 1, Plan{Rows: true}, chunkElements},
		{1000, 1000, 1, Plan{Rows: true, Wide: true}, chunkElements},
		{1000, 1000, 1, Plan{Rows: true, Lanes: true, Wide: true}, chunkElements},
		{100, 1000, 1000, Plan{Rows: true, Lanes: true}, laneCut * 1000},
		{100, 40000, 1, Plan{Rows: true}, 40000},
		{10, 100000, 1, Plan{Rows: true, Lanes: true}, chunkElements},
	} {
		most, all := 0, 0
		kernel := func(a *Args) {
			mu.Lock()
			defer mu.Unlock()
			most = max(most, a.Rows*a.N*a.K)
			all += a.Rows * a.N * a.K
		}
		Launch(kernel, &Args{Rows: c.rows, N: c.n, K: c.steps}, &c.plan)
		if most > c.most || all != c.rows*c.n*c.steps {
			t.Errorf("%d × %d × %d: the longest call has %d, want at most %d; together %d", c.rows, c.n, c.steps, most, c.most, all)
		}
	}
}

// How long stops of the world take while a kernel runs that can't be preempted within a call, as assembly can't: one memmove,
// cut into chunks and whole.
func BenchmarkStopTheWorld(b *testing.B) {
	for _, cut := range []bool{true, false} {
		name := "whole"
		if cut {
			name = "cut"
		}
		b.Run(name, func(b *testing.B) {
			defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(2))
			x, y := make([]float32, 16<<20), make([]float32, 16<<20)
			stop := make(chan struct{})
			var wg sync.WaitGroup
			wg.Go(func() {
				p := &Plan{Lanes: cut, Operands: []Operand{{DType: F32}, {DType: F32, Use: Writes}}}
				a := Args{Rows: 1, N: len(x), K: 1}
				a.Ptr[0], a.Step[0] = unsafe.Pointer(unsafe.SliceData(x)), 1
				a.Ptr[1], a.Step[1] = unsafe.Pointer(unsafe.SliceData(y)), 1
				for {
					select {
					case <-stop:
						return
					default:
						Launch(copyKernel, &a, p)
					}
				}
			})
			var waits []time.Duration
			var stats goruntime.MemStats
			for b.Loop() {
				b.StopTimer()
				time.Sleep(2 * time.Millisecond)
				b.StartTimer()
				start := time.Now()
				goruntime.ReadMemStats(&stats) // stops the world
				waits = append(waits, time.Since(start))
			}
			close(stop)
			wg.Wait()
			slices.Sort(waits)
			b.ReportMetric(float64(waits[len(waits)/2].Microseconds()), "µs/median")
			b.ReportMetric(float64(waits[len(waits)*9/10].Microseconds()), "µs/90%")
		})
	}
}

func copyKernel(a *Args) {
	copy(Slice[float32](a.Ptr[1], 0, a.N), Slice[float32](a.Ptr[0], 0, a.N))
}

func TestChoosePath(t *testing.T) {
	for _, c := range []struct {
		value string
		best  CPUPath
		want  CPUPath
		ok    bool
	}{
		{"", AVX2, AVX2, true},
		{"generic", AVX512, Generic, true},
		{"avx2", AVX512, AVX2, true},
		{"avx512", AVX512, AVX512, true},
		{"avx512", AVX2, Generic, false},
		{"avx2", Generic, Generic, false},
		{"sse", AVX512, Generic, false},
		{"AVX2", AVX512, Generic, false},
	} {
		p, err := choosePath(c.value, c.best)
		if p != c.want || (err == nil) != c.ok {
			t.Errorf("%s=%q on a machine with %v: %v, %v", EnvCPU, c.value, c.best, p, err)
		}
	}
}

// An impossible value of the environment variable is the error of every call.
func TestPathErrorReachesCalls(t *testing.T) {
	old := pathErr
	defer func() { pathErr = old }()
	_, pathErr = choosePath("nonsense", bestPath)
	x := counting(F32, 0, 3)
	y := counting(F32, 0, 3)
	var b Bound
	if err := pointSig.Bind(&b, nil, x, x, y); err != pathErr {
		t.Errorf("Bind: %v", err)
	}
	if err := BindSlices(&pointSig, &b, []float32{1}, []float32{1}, []float32{1}); err != pathErr {
		t.Errorf("BindSlices: %v", err)
	}
}

func TestSetPath(t *testing.T) {
	old := Path()
	for p := Generic; p <= BestPath(); p++ {
		if _, err := SetPath(p); err != nil || Path() != p {
			t.Errorf("SetPath(%v): %v, then %v", p, err, Path())
		}
	}
	if _, err := SetPath(old); err != nil {
		t.Error(err)
	}
	if _, err := SetPath(pathCount); err == nil {
		t.Error("an unknown path was accepted")
	}
}
