package endurance

import (
	goruntime "runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/opgen/opgen/gen/activation"
	"github.com/opgen/opgen/gen/linalg"
	"github.com/opgen/opgen/gen/loss"
	"github.com/opgen/opgen/gen/norm"
	"github.com/opgen/opgen/gen/reduce"
	"github.com/opgen/opgen/runtime"
)

// mostWait is how long a stop of the world may wait for kernels.
const mostWait = time.Millisecond

// waits are the times that stops of the world have waited for all threads to stop, as the runtime of Go counts them.
type waits struct{ samples []metrics.Sample }

func newWaits() *waits {
	return &waits{[]metrics.Sample{{Name: "/sched/pauses/stopping/gc:seconds"}, {Name: "/sched/pauses/stopping/other:seconds"}}}
}

// read is the counts so far, by bucket, and where the buckets end.
func (w *waits) read() (counts []uint64, ends []float64) {
	metrics.Read(w.samples)
	for _, s := range w.samples {
		h := s.Value.Float64Histogram()
		if counts == nil {
			counts, ends = make([]uint64, len(h.Counts)), h.Buckets[1:]
		}
		for i, c := range h.Counts {
			counts[i] += c
		}
	}
	return counts, ends
}

// quantile is a bound of the waits between two counts: this part of them is not above it.
func quantile(before, after []uint64, ends []float64, part float64) (bound time.Duration, n uint64) {
	for i := range after {
		n += after[i] - before[i]
	}
	var seen uint64
	for i := range after {
		seen += after[i] - before[i]
		if n > 0 && float64(seen) >= part*float64(n) {
			return time.Duration(ends[i] * 1e9), n
		}
	}
	return 0, n
}

// stopsDuring runs f again and again, stops the world meanwhile, and gives the time that most stops have not waited longer than.
func stopsDuring(t *testing.T, f func() error) time.Duration {
	t.Helper()
	stop := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				if err := f(); err != nil {
					t.Error(err)
					return
				}
			}
		}
	})
	w := newWaits()
	before, _ := w.read()
	var stats goruntime.MemStats
	for range 40 {
		time.Sleep(2 * time.Millisecond)
		goruntime.ReadMemStats(&stats)
	}
	after, ends := w.read()
	close(stop)
	wait.Wait()
	bound, n := quantile(before, after, ends, 0.75)
	if n < 40 {
		t.Fatalf("%d stops of the world were counted", n)
	}
	return bound
}

// plainGo is work that stops at once where Go asks it to: what stops of the world wait for it is the machine's doing.
func plainGo() error {
	for range 1 << 20 {
		counted.Add(1)
	}
	return nil
}

var counted atomic.Int64

// While kernels run over very many elements, stops of the world (and so garbage collection, and every goroutine that waits for
// it) wait less than a millisecond. Other programs on the machine can make a stop longer, kernels always do: so the best
// of several attempts counts, and most of its stops.
func TestStopsOfTheWorld(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(max(2, goruntime.GOMAXPROCS(0))))
	n := 20_000_000
	if heavy() {
		n = 100_000_000
	}
	x, y := runtime.Must(runtime.Full(float32(0.5), n)), runtime.Must(runtime.New(runtime.F32, n))
	defer x.Release()
	defer y.Release()
	rows, out := runtime.Must(x.Reshape(-1, 64)), runtime.Must(y.Reshape(-1, 64))
	long, longOut := runtime.Must(runtime.Must(x.Slice(0, 0, n/3*3, 1)).Reshape(3, -1)), runtime.Must(runtime.Must(y.Slice(0, 0, n/3*3, 1)).Reshape(3, -1))
	number, three := runtime.Scalar(float32(0)), runtime.Must(runtime.New(runtime.F32, 3))
	weights := tensor(7, 512, 512)
	inputs, outputs := runtime.Must(runtime.Must(x.Slice(0, 0, 1<<20, 1)).Reshape(-1, 512)), runtime.Must(runtime.Must(y.Slice(0, 0, 1<<20, 1)).Reshape(-1, 512))
	zero := runtime.Scalar(float32(0))
	for _, c := range []struct {
		name string
		call func() error
	}{
		{"elements", func() error { return activation.ReluInto(y, x) }},
		{"a sum", func() error { return loss.MSEInto(number, x, zero, nil) }},
		{"one long row", func() error { return reduce.SoftmaxInto(y, x, nil) }},
		{"the sum of a long row", func() error { return reduce.SumInto(number, x, nil) }},
		{"long rows", func() error { return norm.LayerNormInto(longOut, long, nil, nil, nil) }},
		{"a result for each long row", func() error { return reduce.LogsumexpInto(three, long, &reduce.LogsumexpAttrs{Axes: []int{1}}) }},
		{"a gradient of a long row", func() error { return reduce.SoftmaxBackwardInto(y, x, x, x, nil) }},
		{"short rows", func() error { return reduce.SoftmaxInto(out, rows, nil) }},
		{"a gradient", func() error { return activation.ReluBackwardInto(y, x, x) }},
		{"a copy", func() error { return y.CopyFrom(x) }},
		{"zeros", func() error {
			z, err := runtime.New(runtime.F32, n) // of memory that was used
			z.Release()
			return err
		}},
		{"portable Go, with values on the way", func() error {
			z, err := reduce.Logcumsumexp(x, nil)
			z.Release()
			return err
		}},
		{"a product of matrices", func() error { return linalg.LinearInto(outputs, inputs, weights, nil) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			best, plain := time.Hour, time.Duration(0)
			for range 20 {
				if best = min(best, stopsDuring(t, c.call)); best < mostWait {
					break
				}
				plain = max(plain, stopsDuring(t, plainGo))
			}
			if best >= mostWait {
				if 10*plain >= mostWait {
					t.Skipf("the machine is too busy: a quarter of the stops wait %v or longer for kernels, and %v for a loop in Go", best, plain)
				}
				t.Errorf("a quarter of the stops of the world wait %v or longer", best)
			}
			t.Logf("three quarters of the stops wait at most %v", best)
		})
	}
}
