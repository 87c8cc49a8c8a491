package runtime

import (
	"sync"
	"sync/atomic"
)

// partWork is the work of a part that is worth a thread: points of a loop in Go.
const partWork = 1 << 13

// Small reports whether a loop of n points, each with an amount of work, is not worth more than one thread.
func Small(n, work int) bool { return n*work <= 2*partWork }

// Part is a loop in a function written from its definitions. Run runs points from … to-1 of it, none of which writes what another
// one reads or writes, and stops at the first error.
type Part[T any] interface {
	*T
	Run(from, to int) error
}

// Split runs a loop of n points in parts, on several threads where that pays. Of several errors it gives the one of the first point.
func Split[T any, P Part[T]](part T, n, work int) error {
	if n <= 0 {
		return nil
	}
	pool := partsOf[T]()
	p := pool.Get().(*T)
	*p = part
	s := splitPool.Get().(*split)
	s.part, s.n, s.size = P(p), n, max(1, partWork/max(1, work))
	tasks := ceilDiv(n, s.size)
	s.failed.Store(int64(tasks))
	runTasks(s, nil, tasks)
	err := s.err
	s.part, s.err = nil, nil
	splitPool.Put(s)
	var none T
	*p = none // keep no memory of the user alive
	pool.Put(p)
	return err
}

// split is a loop that runs in parts.
type split struct {
	part    interface{ Run(from, to int) error }
	n, size int          // points, and those of a task
	failed  atomic.Int64 // the first task with an error, so far
	mutex   sync.Mutex
	err     error // its error
}

var splitPool = sync.Pool{New: func() any { return new(split) }}

func (s *split) task(_ *Args, i int) {
	if int64(i) > s.failed.Load() {
		return // an error before it counts
	}
	err := s.part.Run(i*s.size, min((i+1)*s.size, s.n))
	if err == nil {
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if int64(i) < s.failed.Load() {
		s.failed.Store(int64(i))
		s.err = err
	}
}

// partPools has a pool for each type of loop, by a nil pointer of the type.
var partPools sync.Map

func partsOf[T any]() *sync.Pool {
	key := any((*T)(nil))
	if p, ok := partPools.Load(key); ok {
		return p.(*sync.Pool)
	}
	p, _ := partPools.LoadOrStore(key, &sync.Pool{New: func() any { return new(T) }})
	return p.(*sync.Pool)
}
