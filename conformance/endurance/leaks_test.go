package endurance

import (
	"errors"
	goruntime "runtime"
	"testing"
	"time"

	"github.com/opgen/opgen/gen/activation"
	"github.com/opgen/opgen/gen/loss"
	"github.com/opgen/opgen/gen/reduce"
	"github.com/opgen/opgen/runtime"
)

// heap is the memory that is alive after a collection.
func heap() uint64 {
	var s goruntime.MemStats
	least := ^uint64(0)
	for range 3 {
		goruntime.GC()
		goruntime.ReadMemStats(&s)
		least = min(least, s.HeapAlloc)
	}
	return least
}

// A million calls leave neither memory nor goroutines behind.
func TestNothingLeaks(t *testing.T) {
	calls := 1_000_000
	if testing.Short() {
		calls /= 10
	}
	x, y := tensor(1, 3, 5), tensor(2, 3, 5)
	long, into := tensor(3, 70_000), tensor(4, 70_000)
	leaf := tensor(5, 3, 5)
	if err := leaf.RequireGrad(); err != nil {
		t.Fatal(err)
	}
	flipped := runtime.Must(runtime.Must(x.Flip()).Transpose(0, 1))
	turned := runtime.Must(y.Transpose(0, 1))
	gone := tensor(6, 3, 5)
	gone.Release()
	wrong := func(kind error, err error) error {
		if !errors.Is(err, kind) {
			return errors.Join(errors.New("no error of the right kind"), err)
		}
		return nil
	}
	for _, c := range []struct {
		name  string
		share int // of the calls: one in so many
		call  func() error
	}{
		{"into", 1, func() error { return activation.ReluInto(y, x) }},
		{"into other layouts", 1, func() error { return activation.ReluInto(turned, flipped) }},
		{"on several threads", 100, func() error { return activation.ReluInto(into, long) }},
		{"new results", 1, func() error {
			_, err := reduce.Softmax(x, nil)
			return err
		}},
		{"forward and backward", 4, func() error {
			l, err := loss.MSE(leaf, x, nil)
			if err != nil {
				return err
			}
			if err := l.Backward(); err != nil {
				return err
			}
			leaf.ZeroGrad()
			return nil
		}},
		{"forward alone", 4, func() error {
			_, err := loss.MSE(leaf, x, nil)
			return err
		}},
		{"released", 100, func() error {
			r, err := activation.Relu(long)
			r.Release()
			return err
		}},
		{"wrong shapes", 1, func() error { return wrong(runtime.ErrShape, activation.ReluInto(y, long)) }},
		{"wrong layouts", 1, func() error { return wrong(runtime.ErrShape, activation.ReluInto(turned, x)) }},
		{"closed", 1, func() error {
			_, err := activation.Relu(gone)
			return wrong(runtime.ErrClosed, err)
		}},
		{"an error of Backward", 4, func() error {
			l, err := loss.MSE(leaf, x, nil)
			if err != nil {
				return err
			}
			x.Touch()
			return wrong(runtime.ErrVersion, l.Backward())
		}},
		{"views", 1, func() error {
			v, err := x.Slice(0, 1, 3, 1)
			v.Release()
			return err
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 100 { // what is made once
				if err := c.call(); err != nil {
					t.Fatal(err)
				}
			}
			before, routines := heap(), goruntime.NumGoroutine()
			for range calls / c.share {
				if err := c.call(); err != nil {
					t.Fatal(err)
				}
			}
			after := heap()
			for range 100 {
				if goruntime.NumGoroutine() <= routines {
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
			if n := goruntime.NumGoroutine(); n > routines {
				t.Errorf("%d goroutines, %d before", n, routines)
			}
			if after > before+1<<19 {
				t.Errorf("%d bytes are alive, %d before", after, before)
			}
		})
	}
}
