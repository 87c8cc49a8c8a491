//go:build unix

// Package products measures products of matrices: a linear layer and its gradients, and batches of products.
package products

import (
	"fmt"
	"math"
	"strconv"
	"syscall"
	"time"

	"github.com/opgen/opgen/gen/linalg"
	"github.com/opgen/opgen/runtime"
)

// Shape is y[M, N] = x[M, K] w[N, K]' + b[N].
type Shape struct{ M, K, N int }

// Shapes are what is measured: powers of two, which are the hardest for caches, layers with few rows, and some that are small.
var Shapes = []Shape{
	{8, 8, 8}, {32, 32, 32}, {64, 64, 10}, {256, 256, 256}, {512, 512, 512}, {1024, 1024, 1024}, {2048, 512, 512}, {64, 4096, 4096}, {1, 4096, 4096},
}

func (s Shape) String() string { return fmt.Sprintf("%dx%dx%d", s.M, s.K, s.N) }

// Flops is the number of operations of a product: two for each multiply-add.
func (s Shape) Flops() float64 { return 2 * float64(s.M) * float64(s.K) * float64(s.N) }

// Pass is what is computed.
type Pass struct {
	Name string
	Call func(l *Layer) error
}

// Passes are the product itself and its two large gradients.
var Passes = []Pass{
	{"forward", func(l *Layer) error { return linalg.LinearInto(l.y, l.x, l.w, l.b) }},
	{"dx", func(l *Layer) error { return linalg.LinearBackwardInto(l.dx, nil, nil, l.dy, l.x, l.w, l.b) }},
	{"dw", func(l *Layer) error { return linalg.LinearBackwardInto(nil, l.dw, nil, l.dy, l.x, l.w, l.b) }},
}

// Layer is the tensors of a shape.
type Layer struct{ x, w, b, y, dy, dx, dw *runtime.Tensor }

// NewLayer makes tensors of f32 with numbers of the order of 1.
func NewLayer(s Shape) *Layer {
	state := uint32(1)
	tensor := func(shape ...int) *runtime.Tensor { return random(&state, shape...) }
	return &Layer{
		x: tensor(s.M, s.K), w: tensor(s.N, s.K), b: tensor(s.N), y: tensor(s.M, s.N),
		dy: tensor(s.M, s.N), dx: tensor(s.M, s.K), dw: tensor(s.N, s.K),
	}
}

// random is a tensor of random numbers, of a generator in some state.
func random(state *uint32, shape ...int) *runtime.Tensor {
	n := 1
	for _, e := range shape {
		n *= e
	}
	data := make([]float32, n)
	for i := range data {
		*state = *state*1664525 + 1013904223
		data[i] = float32(*state>>8)/(1<<23) - 1
	}
	return runtime.Must(runtime.FromSlice(data, shape...))
}

// Least is the processor time of the fastest call in about the given time: on one thread what it takes where nothing else runs, also on
// machines that do other things.
func Least(total time.Duration, call func() error) (time.Duration, error) {
	least := time.Duration(math.MaxInt64)
	repeat := 1
	for end := time.Now().Add(total); time.Now().Before(end); {
		start, err := used()
		if err != nil {
			return 0, err
		}
		for range repeat {
			if err := call(); err != nil {
				return 0, err
			}
		}
		now, err := used()
		if err != nil {
			return 0, err
		}
		took := now - start
		if took < 500*time.Microsecond {
			repeat *= 2
			continue
		}
		least = min(least, took/time.Duration(repeat))
	}
	return least, nil
}

// used is the time that the processor has spent on this process.
func used() (time.Duration, error) {
	var u syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), err
}

// Hash is a number that changes with any bit of the results.
func (l *Layer) Hash() string {
	h := uint64(14695981039346656037)
	for _, t := range []*runtime.Tensor{l.y, l.dx, l.dw} {
		data, err := runtime.Data[float32](t)
		if err != nil {
			return err.Error()
		}
		for _, x := range data {
			h = (h ^ uint64(math.Float32bits(x))) * 1099511628211
		}
	}
	return strconv.FormatUint(h, 16)
}
