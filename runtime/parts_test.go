package runtime

import (
	"errors"
	"fmt"
	goruntime "runtime"
	"testing"
	"time"
)

// filling counts how often each point runs, and fails at some.
type filling struct {
	count []int32
	fail  []int // points
	slow  bool  // the first parts: those behind them end before
}

func (f *filling) Run(from, to int) error {
	if f.slow && from < len(f.count)/2 {
		time.Sleep(time.Millisecond)
	}
	for i := from; i < to; i++ {
		for _, bad := range f.fail {
			if i == bad {
				return fmt.Errorf("point %d", i)
			}
		}
		f.count[i]++
	}
	return nil
}

// Each point of a loop in parts runs once.
func TestSplit(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(4))
	for _, n := range []int{0, 1, 7, 1000, 100_003} {
		for _, work := range []int{0, 1, 100, 1 << 20} {
			f := filling{count: make([]int32, n)}
			if err := Split(f, n, work); err != nil {
				t.Fatal(err)
			}
			for i, c := range f.count {
				if c != 1 {
					t.Fatalf("%d points of work %d: point %d ran %d times", n, work, i, c)
				}
			}
		}
	}
}

// Of several errors the one of the first point counts, whichever part ends first.
func TestSplitFirstError(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(4))
	for range 20 {
		f := filling{count: make([]int32, 64), fail: []int{5, 6, 17, 40, 63}, slow: true}
		if err := Split(f, 64, partWork); err == nil || err.Error() != "point 5" {
			t.Fatalf("the error is %v", err)
		}
	}
	sentinel := errors.New("all")
	if err := Split(failing{sentinel}, 10, partWork); !errors.Is(err, sentinel) {
		t.Errorf("the error is %v", err)
	}
}

type failing struct{ err error }

func (f *failing) Run(int, int) error { return f.err }
