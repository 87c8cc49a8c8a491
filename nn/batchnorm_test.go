package nn

import (
	"bytes"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/opgen/opgen/runtime"
)

// batchNorm is the reference: statistics of x [n, c, l], and running ones renewed as PyTorch's documentation of BatchNorm1d says.
func batchNorm(x []float64, n, c, l int, training bool, mean, variance []float64) []float64 {
	y := make([]float64, len(x))
	for k := range c {
		m, v := mean[k], variance[k]
		if training {
			m, v = 0, 0
			for i := range n {
				for j := range l {
					m += x[(i*c+k)*l+j]
				}
			}
			m /= float64(n * l)
			for i := range n {
				for j := range l {
					v += (x[(i*c+k)*l+j] - m) * (x[(i*c+k)*l+j] - m)
				}
			}
			mean[k] = 0.9*mean[k] + 0.1*m
			variance[k] = 0.9*variance[k] + 0.1*v/float64(n*l-1)
			v /= float64(n * l)
		}
		for i := range n {
			for j := range l {
				y[(i*c+k)*l+j] = (x[(i*c+k)*l+j] - m) / math.Sqrt(v+1e-5)
			}
		}
	}
	return y
}

func TestBatchNorm(t *testing.T) {
	const n, c, l = 3, 2, 4
	b := New(runtime.F64, runtime.NewSeed(1))
	layer := b.BatchNorm(c)
	if b.Err() != nil {
		t.Fatal(b.Err())
	}
	mean, variance := []float64{0, 0}, []float64{1, 1}
	check := func(name string, got *runtime.Tensor, want []float64) {
		t.Helper()
		near(t, name, got, &array{Shape: got.Shape(), Data: want})
	}
	for call := range 3 {
		data := make([]float64, n*c*l)
		for i := range data {
			data[i] = math.Sin(float64(i*(call+1))) * float64(1+i%5)
		}
		x := runtime.Must(runtime.FromSlice(data, n, c, l))
		check("training", runtime.Must(layer.Forward(x, Train(int64(call)))), batchNorm(data, n, c, l, true, mean, variance))
		check("running mean", layer.RunningMean, mean)
		check("running variance", layer.RunningVar, variance)
		for _, mode := range []Mode{Eval, Tune} {
			y := runtime.Must(layer.Forward(x, mode))
			check("in use", y, batchNorm(data, n, c, l, false, mean, variance))
			if y.RequiresGrad() != (mode == Tune) {
				t.Errorf("mode %d records: %v", mode, y.RequiresGrad())
			}
		}
		check("running mean", layer.RunningMean, mean)
	}
	if got := runtime.Must(layer.Batches.Item()); got != 3 {
		t.Errorf("%v batches, want 3", got)
	}
	if _, err := layer.Forward(runtime.Must(runtime.Zeros[float64](1, c, 1)), Train(1)); err == nil || runtime.Must(layer.Batches.Item()) != 3 {
		t.Errorf("one element for each channel: %v", err)
	}
}

// Running statistics are saved and loaded with parameters, by PyTorch's names, and no optimizer gets them.
func TestBatchNormState(t *testing.T) {
	build := func() Sequential {
		b := New(runtime.F32, runtime.NewSeed(1))
		s := Sequential{b.Linear(3, 2, nil), b.BatchNorm(2)}
		if b.Err() != nil {
			t.Fatal(b.Err())
		}
		return s
	}
	net := build()
	x := runtime.Must(runtime.FromSlice([]float32{1, 2, 3, -1, 0, 4, 2, 2, -5}, 3, 3))
	runtime.Must(net.Forward(x, Train(0)))
	var names []string
	for _, p := range net.Parameters() {
		names = append(names, p.Name)
	}
	if want := []string{"0.weight", "0.bias", "1.weight", "1.bias", "1.running_mean", "1.running_var", "1.num_batches_tracked"}; !slices.Equal(names, want) {
		t.Errorf("names %v, want %v", names, want)
	}
	if want := []string{"0.weight", "0.bias", "1.weight", "1.bias"}; !slices.Equal(Names(net), want) || len(Tensors(net)) != 4 || Count(net) != 12 {
		t.Errorf("for optimizers: %v, %d elements", Names(net), Count(net))
	}
	var file bytes.Buffer
	if err := Save(&file, net); err != nil {
		t.Fatal(err)
	}
	again := build()
	if runtime.Equal(runtime.Must(again.Forward(x, Eval)), runtime.Must(net.Forward(x, Eval))) {
		t.Error("the statistics don't matter")
	}
	if err := Load(&file, again); err != nil {
		t.Fatal(err)
	}
	if !runtime.Equal(runtime.Must(again.Forward(x, Eval)), runtime.Must(net.Forward(x, Eval))) {
		t.Error("other statistics came back")
	}
}

// Several goroutines may call a layer, in training too; each gradient is right.
func TestBatchNormConcurrent(t *testing.T) {
	b := New(runtime.F64, runtime.NewSeed(1))
	layer := b.BatchNorm(2)
	x := runtime.Must(runtime.FromSlice([]float64{1, 2, 3, 4, 5, 0}, 3, 2))
	one := runtime.Must(runtime.Full(1.0, 3, 2))
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			y, err := layer.Forward(x, []Mode{Eval, Tune, Train(0), Train(1)}[i%4])
			if err == nil && i%4 >= 2 {
				err = y.BackwardWith(one)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := runtime.Must(layer.Batches.Item()); got != 8 {
		t.Errorf("%v batches, want 8", got)
	}
}

// A call in training without samples leaves the running statistics as they are.
func TestBatchNormOfNothing(t *testing.T) {
	l := New(runtime.F32, runtime.NewSeed(1)).BatchNorm(3)
	if _, err := l.Forward(runtime.Must(runtime.New(runtime.F32, 0, 3)), Train(0)); err != nil {
		t.Fatal(err)
	}
	for want, s := range map[float32]*runtime.Tensor{0: l.RunningMean, 1: l.RunningVar} {
		for _, got := range runtime.Must(runtime.Values[float32](s)) {
			if got != want {
				t.Errorf("%v became %v", want, got)
			}
		}
	}
}
