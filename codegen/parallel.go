package codegen

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// parallel calls f with each number below n, on all processors. What the calls make has to be told apart by the number, so
// that it doesn't depend on which came first.
func parallel(n int, f func(i int)) {
	workers := min(n, runtime.GOMAXPROCS(0))
	if workers < 2 {
		for i := range n {
			f(i)
		}
		return
	}
	var next atomic.Int64
	var done sync.WaitGroup
	for range workers {
		done.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	done.Wait()
}
