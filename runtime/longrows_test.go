package runtime

import (
	"math"
	"math/rand/v2"
	goruntime "runtime"
	"testing"
	"unsafe"
)

// centred is a kernel with passes, as generated code has them: y = x less the mean of its row, the greatest |y| of each row, the sum of
// all y² and, once a row, of these greatest; columns add up y in row order. Operands: x, y, most, squares, mosts, columns.
func centred(a *Args) {
	var squares [Block]float32
	mosts := float32(0)
	columns := Slice[float32](a.Ptr[5], 0, a.N)
	for r := range a.Rows {
		x, y := Slice[float32](a.Ptr[0], r*a.Row[0], a.N), Slice[float32](a.Ptr[1], r*a.Row[1], a.N)
		var sum, high [Block]float32
		for i := range a.Lanes(1) {
			sum[i%Block] += x[i]
		}
		mean := RowValue(a, 1, 0, LaneSum(sum[:]))
		if a.Pass == 1 {
			continue
		}
		Fill(high[:], float32(math.Inf(-1)))
		for i := range a.Lanes(2) {
			y[i] = x[i] - mean/1024
			squares[i%Block] += float32(y[i] * y[i])
			columns[i] += y[i]
			high[i%Block] = Max32(high[i%Block], Abs32(y[i]))
		}
		most := RowValue(a, 2, 1, LaneMax(high[:]))
		if a.Pass == 2 {
			continue
		}
		if a.Ends(2) {
			*At[float32](a.Ptr[2], r*a.Row[2]) = most
			mosts += most
		}
	}
	*At[float32](a.Ptr[3], 0) = LaneSum(squares[:])
	*At[float32](a.Ptr[4], 0) = mosts
}

var centredPlan = Plan{Name: "centred", Rows: true, Wide: true, Passes: 2, Ends: true, Float: F32,
	Results: []RowResult{{Pass: 1}, {Pass: 2, Monoid: MaxOf}},
	Operands: []Operand{{DType: F32}, {DType: F32, Use: Writes}, {DType: F32, Use: Writes}, {DType: F32, Use: Acc, Pass: 2},
		{DType: F32, Use: Acc, Pass: 3}, {DType: F32, Use: WideAcc}}}

type centredResult struct{ y, most, columns, totals []float32 }

func launchCentred(x []float32, rows, n int) centredResult {
	out := centredResult{make([]float32, rows*n), make([]float32, rows), make([]float32, n), make([]float32, 2)}
	a := Args{Rows: rows, N: n, K: 1}
	for i, p := range [][]float32{x, out.y, out.most, out.totals, out.totals[1:], out.columns} {
		a.Ptr[i] = unsafe.Pointer(unsafe.SliceData(p))
	}
	a.Row[0], a.Row[1], a.Row[2] = n, n, 1
	a.Step[0], a.Step[1], a.Step[5] = 1, 1, 1
	Launch(centred, &a, &centredPlan)
	return out
}

// Long rows are cut into pieces whose results are combined pairwise; what else a kernel does is done once; bits are the same for any number of
// threads, and for few and many rows.
func TestLongRows(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(0))
	r := rand.New(rand.NewPCG(3, 4))
	for _, size := range [][2]int{{1, 32769}, {1, 200_003}, {3, 100_000}, {70, 32832}, {130, 40_000}} {
		rows, n := size[0], size[1]
		x := make([]float32, rows*n)
		for i := range x {
			x[i] = r.Float32() - 0.25
		}
		var first centredResult
		for _, threads := range []int{1, 2, 4} {
			goruntime.GOMAXPROCS(threads)
			got := launchCentred(x, rows, n)
			if first.y == nil {
				first = got
			}
			for i, p := range [][2][]float32{{got.y, first.y}, {got.most, first.most}, {got.columns, first.columns}, {got.totals, first.totals}} {
				if !equalBits(p[0], p[1]) {
					t.Errorf("%d rows of %d, %d threads: result %d differs", rows, n, threads, i)
				}
			}
		}
		checkCentred(t, x, first, rows, n)
	}
	if live := scratchLive.Load(); live != 0 {
		t.Errorf("%d blocks of scratch memory were not given back", live)
	}
}

// checkCentred holds results to the definition.
func checkCentred(t *testing.T, x []float32, got centredResult, rows, n int) {
	t.Helper()
	squares, mosts := 0.0, 0.0
	columns := make([]float64, n)
	for row := range rows {
		var parts []float32
		for at := 0; at < n; at += chunkElements {
			var lanes [Block]float32
			for i, v := range x[row*n+at : row*n+min(at+chunkElements, n)] {
				lanes[i%Block] += v
			}
			parts = append(parts, LaneSum(lanes[:]))
		}
		for s := 1; s < len(parts); s *= 2 {
			for at := 0; at+s < len(parts); at += 2 * s {
				parts[at] += parts[at+s]
			}
		}
		most := float32(0)
		for i, v := range x[row*n : (row+1)*n] {
			y := v - parts[0]/1024
			if got.y[row*n+i] != y {
				t.Fatalf("row %d of %d, element %d is %v, not %v", row, rows, i, got.y[row*n+i], y)
			}
			most = max(most, Abs32(y))
			squares += float64(y) * float64(y)
			columns[i] += float64(y)
		}
		if got.most[row] != most {
			t.Fatalf("row %d of %d: %v is the greatest, not %v", row, rows, got.most[row], most)
		}
		mosts += float64(most)
	}
	near := func(what string, got float32, want float64) {
		t.Helper()
		if math.Abs(float64(got)-want) > 1e-4*(math.Abs(want)+1) {
			t.Errorf("%d rows of %d: %s is %v, not %v", rows, n, what, got, want)
		}
	}
	near("the sum of squares", got.totals[0], squares)
	near("the sum of the greatest", got.totals[1], mosts)
	for i, c := range columns {
		near("a column", got.columns[i], c)
	}
}
