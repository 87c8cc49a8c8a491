package codegen

import (
	"iter"
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

// RunAll takes packages through the whole pipeline and yields them in their order. While one is looked at, two more than Go runs
// goroutines at a time are on their way: a part of each stage runs on one goroutine, and others wait for the last of theirs.
func RunAll(sources []Source, targets ...Target) iter.Seq[*Build] {
	return func(yield func(*Build) bool) {
		builds := make(chan chan *Build, runtime.GOMAXPROCS(0)+1)
		stop := make(chan struct{})
		defer close(stop)
		go func() {
			defer close(builds)
			for _, s := range sources {
				built := make(chan *Build, 1)
				select {
				case builds <- built:
				case <-stop:
					return
				}
				go func() {
					b := New(s, targets...)
					b.Run("")
					built <- b
				}()
			}
		}()
		for built := range builds {
			if !yield(<-built) {
				return
			}
		}
	}
}
