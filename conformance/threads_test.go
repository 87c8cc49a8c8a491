package conformance

import (
	"errors"
	"fmt"
	"math/rand/v2"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/gen/loss"
	"github.com/opgen/opgen/gen/reduce"
	"github.com/opgen/opgen/runtime"
	"github.com/opgen/opgen/runtime/optest"
)

// large are calls that are cut into many chunks.
func large() []*call {
	r := rand.New(rand.NewPCG(11, 12))
	n := normal(r, 300001)
	norm := layerNorm(normal(r, 3001, 70))
	norm.inputs["weight"], norm.inputs["bias"] = normal(r, 70), normal(r, 70)
	classes := ir.NewArray(5003)
	for i := range classes.Data {
		classes.Data[i] = float64(r.IntN(37))
	}
	cross := crossEntropy(normal(r, 5003, 37), classes, number("label_smoothing", 0.25))
	cross.inputs["weight"] = positive(normal(r, 37), 1)
	return []*call{
		relu(n), mse(n, normal(r, 1), "mean"), smoothL1(n, normal(r, 300001), 0.5, "sum"),
		softmax(normal(r, 2003, 130), 1), softmax(normal(r, 130, 2003), 0), norm, cross,
		linear(normal(r, 257, 129), normal(r, 131, 129), normal(r, 131)),
	}
}

// the same bits for any number of threads, and for AVX2 and AVX-512.
func sameBitsRow(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(0))
	for _, c := range large() {
		t.Run(c.op, func(t *testing.T) {
			g := c.cotangent(rand.New(rand.NewPCG(13, 14)))
			for _, float := range []string{"f32", "f64"} {
				var want, wantGrads arrays
				for _, path := range optest.Paths() {
					for _, threads := range []int{1, 2, 3, 2} {
						goruntime.GOMAXPROCS(threads)
						out, grads := run(t, c.String(), generated(path, float), c, g)
						if want == nil {
							want, wantGrads = out, grads
						}
						what := fmt.Sprintf("%s, %d threads, %v", float, threads, path)
						sameAll(t, what, out, want, bits)
						sameAll(t, what+", gradient", grads, wantGrads, bits)
					}
				}
			}
		})
	}
}

// Calls of many goroutines at once, on the same inputs, don't disturb each other.
func TestConcurrentCalls(t *testing.T) {
	c := softmax(normal(rand.New(rand.NewPCG(15, 16)), 301, 129), 1)
	b := generated(runtime.Path(), "f32")
	want, err := b.forward(c)
	if err != nil {
		t.Fatal(err)
	}
	_, in, err := c.tensors("f32")
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 50 {
				y, err := reduce.Softmax(in[0], nil)
				if err != nil {
					t.Error(err)
					return
				}
				same(t, "softmax", arrayOf(y), want["y"], bits)
			}
		})
	}
	wait.Wait()
}

// sums in float32. 2^24 ones and more of them sum to their number, on every path.
func sumsRow(t *testing.T) {
	hold(t, []expected{{name: "ones", call: shown("total", arrays{"x": filled(1, 1, 1<<24)}), y: vec(1 << 24)}}, "f32")
	for _, n := range []int{1 << 24, 17 << 20} {
		ones, err := runtime.New(runtime.F32, n)
		if err != nil {
			t.Fatal(err)
		}
		if err := ones.Fill(1); err != nil {
			t.Fatal(err)
		}
		zero := runtime.Scalar(float32(0))
		y := runtime.Scalar(float32(0))
		is := func(path runtime.CPUPath, what string, want float64) {
			if got := runtime.Must(y.Item()); got != want {
				t.Errorf("%v: %s of %d ones is %v", path, what, n, got)
			}
		}
		for _, path := range optest.Paths() {
			was := runtime.Must(runtime.SetPath(path))
			for _, how := range []loss.Reduction{loss.ReductionSum, loss.ReductionMean} {
				want := map[loss.Reduction]float64{loss.ReductionSum: float64(n), loss.ReductionMean: 1}[how]
				if err := loss.MSEInto(y, ones, zero, &loss.MSEAttrs{Reduction: how}); err != nil {
					t.Fatal(err)
				}
				is(path, fmt.Sprint("mse ", how), want)
				if err := loss.SmoothL1Into(y, ones, zero, &loss.SmoothL1Attrs{Beta: new(0.0), Reduction: how}); err != nil {
					t.Fatal(err)
				}
				is(path, fmt.Sprint("smooth_l1 ", how), want)
			}
			// A gradient that is summed back to one element.
			back, err := runtime.New(runtime.F32)
			if err != nil {
				t.Fatal(err)
			}
			if err := loss.MSEBackwardInto(nil, back, runtime.Scalar(float32(-0.5)), ones, zero, &loss.MSEAttrs{Reduction: loss.ReductionSum}); err != nil {
				t.Fatal(err)
			}
			if got := runtime.Must(back.Item()); got != float64(n) {
				t.Errorf("%v: gradient over %d ones is %v", path, n, got)
			}
			if _, err := runtime.SetPath(was); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// an error of an index names op, argument, position and value, and leaves outputs as they were.
func indexError(t *testing.T) {
	x := runtime.Must(runtime.New(runtime.F32, 4, 3))
	classes := runtime.Must(runtime.FromSlice([]int64{0, 1, 3, 2}, 4))
	y := runtime.Must(runtime.FromSlice([]float32{7, 7, 7, 7}, 4))
	err := loss.CrossEntropyInto(y, x, classes, nil, &loss.CrossEntropyAttrs{Reduction: loss.ReductionNone})
	if !errors.Is(err, runtime.ErrIndex) {
		t.Fatalf("got %v", err)
	}
	for _, part := range []string{"loss.cross_entropy", "t:", "3 at element 2", "0 ≤ index < 3"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q doesn't say %q", err, part)
		}
	}
	same(t, "output", arrayOf(y), vec(7, 7, 7, 7), bits)
}
