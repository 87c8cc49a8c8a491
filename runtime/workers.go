package runtime

import (
	"sync"
	"sync/atomic"
	"time"
)

// worker is a goroutine that helps with jobs. It has at most one; while it has none, it spins for a little and then
// parks.
type worker struct {
	job    atomic.Pointer[job]
	parked atomic.Bool
	wake   chan struct{} // capacity 1
	args   Args
}

var (
	workers      atomic.Pointer[[]*worker] // replaced when it grows, never changed
	workersMutex sync.Mutex
)

// recruit gives the job to as many as n workers that have none.
func recruit(j *job, n int) {
	for _, w := range atLeastWorkers(n) {
		if n == 0 {
			return
		}
		if w.job.Load() != nil {
			continue
		}
		j.refs.Add(1)
		if !w.job.CompareAndSwap(nil, j) {
			j.refs.Add(-1) // the caller knows the job: never the last
			continue
		}
		if w.parked.CompareAndSwap(true, false) {
			w.wake <- struct{}{}
		}
		n--
	}
}

// atLeastWorkers is the workers, at least n.
func atLeastWorkers(n int) []*worker {
	if ws := workers.Load(); ws != nil && len(*ws) >= n {
		return *ws
	}
	workersMutex.Lock()
	defer workersMutex.Unlock()
	var all []*worker
	if ws := workers.Load(); ws != nil {
		all = append(all, *ws...)
	}
	for len(all) < n {
		w := &worker{wake: make(chan struct{}, 1)}
		all = append(all, w)
		go w.loop()
	}
	workers.Store(&all)
	return all
}

func (w *worker) loop() {
	for {
		j := w.await()
		w.args = j.args
		j.help(&w.args)
		w.args.forget()
		w.job.Store(nil)
		j.release()
	}
}

// await waits for a job.
func (w *worker) await() *job {
	start := time.Now()
	for i := 0; ; i++ {
		if j := w.job.Load(); j != nil {
			return j
		}
		if i&63 == 63 && time.Since(start) > spinTime {
			break
		}
	}
	for {
		w.parked.Store(true)
		if j := w.job.Load(); j != nil && w.parked.CompareAndSwap(true, false) {
			return j
		}
		<-w.wake
		if j := w.job.Load(); j != nil {
			return j
		}
	}
}
