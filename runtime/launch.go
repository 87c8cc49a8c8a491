package runtime

import (
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// job is one launch: tasks that the caller and workers take in turn.
type job struct {
	kernel  Kernel
	plan    *Plan
	args    Args // of the whole launch
	cut     cut
	partial [MaxOperands]*block // of accumulators, where there are several
	list    tasker              // in place of a kernel: tasks of another kind

	tasks int64
	next  atomic.Int64 // the next task
	done  atomic.Int64 // tasks that are finished
	state atomic.Uint32
	wake  chan struct{} // capacity 1: the last task is finished
	refs  atomic.Int32  // the caller and workers that know the job
	fault atomic.Pointer[fault]
	own   Args // the caller's chunk
}

// fault is the value of a panic in a task.
type fault struct{ value any }

// tasker has tasks that run on threads, with an argument block of the thread.
type tasker interface{ task(a *Args, i int) }

// States of a job.
const (
	jobRuns uint32 = iota
	jobAwaited
	jobDone
)

var jobPool = sync.Pool{New: func() any { return &job{wake: make(chan struct{}, 1)} }}

// Times that decide how work is spread.
const (
	splitTime = 5 * time.Microsecond  // less work than this is not worth a second thread
	spinTime  = 20 * time.Microsecond // how long to wait before parking
)

// Launch runs a kernel over the extents in a: in chunks, on several threads where that pays. It copies a. Nothing is
// launched where there are no rows; accumulators are then set to what they start at.
func Launch(k Kernel, a *Args, p *Plan) {
	if a.Rows <= 0 {
		startAccumulators(a, p)
		return
	}
	if p.Passes > 0 && a.N > pieceOf(a.N, a.K) {
		launchLong(k, a, p)
		return
	}
	if cutsSteps(a, p) {
		if p.Sums != nil {
			launchSums(k, a, p)
		} else {
			launchPieces(k, a, p, ceilDiv(a.K, pieceSteps), nil)
		}
		return
	}
	if takesPanels(a, p) {
		launchPanels(k, a, p)
		return
	}
	j := jobPool.Get().(*job)
	j.kernel, j.plan, j.args, j.own = k, p, *a, *a
	j.cut = cutFor(a, p)
	j.start(j.cut.tasks())
	if p.Stream && streams(a, p) {
		j.args.I[FlagsAt] |= Stream
		j.own.I[FlagsAt] |= Stream
	}
	if j.tasks == 1 && j.cut.callsPerTask == 1 {
		startAccumulators(a, p)
		call(k, &j.own)
	} else {
		j.takePartials()
		j.run()
		j.combine()
	}
	j.release()
}

// runTasks runs tasks that are no chunks of a kernel. Their argument blocks begin as a; nil: as they may.
func runTasks(t tasker, a *Args, tasks int) {
	j := jobPool.Get().(*job)
	j.list = t
	if a != nil {
		j.args, j.own = *a, *a
	}
	j.start(tasks)
	j.run()
	j.release()
}

// start begins a job of the caller.
func (j *job) start(tasks int) {
	j.tasks = int64(tasks)
	j.next.Store(0)
	j.done.Store(0)
	j.state.Store(jobRuns)
	j.refs.Store(1)
}

// run runs the tasks of a job, on several threads where that pays.
func (j *job) run() {
	start := time.Now()
	j.task(&j.own, int(j.next.Add(1)-1))
	finished := j.done.Add(1)
	if left := j.tasks - finished; left > 0 {
		if n := goruntime.GOMAXPROCS(0) - 1; n > 0 && time.Duration(left)*time.Since(start) > splitTime {
			recruit(j, int(min(int64(n), left)))
		}
		j.help(&j.own)
		j.await()
		if f := j.fault.Swap(nil); f != nil {
			// The job isn't used again: it has partial results that nobody has combined.
			panic(f.value)
		}
	}
}

// help runs tasks until none is left. A panic ends its task alone, and goes on in the goroutine of the caller when all tasks have ended: what
// it makes of it is the same for any number of threads, and no task runs any more then.
func (j *job) help(a *Args) {
	for !j.helped(a) {
	}
}

// helped is help up to a panic. It reports whether no task is left.
func (j *job) helped(a *Args) (all bool) {
	defer func() {
		if !all {
			j.fault.CompareAndSwap(nil, &fault{recover()})
			j.taskEnds()
		}
	}()
	for {
		i := j.next.Add(1) - 1
		if i >= j.tasks {
			return true
		}
		j.task(a, int(i))
		j.taskEnds()
	}
}

// taskEnds counts a task that has ended.
func (j *job) taskEnds() {
	if j.done.Add(1) == j.tasks && j.state.Swap(jobDone) == jobAwaited {
		j.wake <- struct{}{}
	}
}

// await waits until all tasks are finished.
func (j *job) await() {
	if j.done.Load() == j.tasks {
		return
	}
	start := time.Now()
	for i := 0; ; i++ {
		if j.done.Load() == j.tasks {
			return
		}
		if i&63 == 63 && time.Since(start) > spinTime {
			break
		}
	}
	if j.state.CompareAndSwap(jobRuns, jobAwaited) {
		<-j.wake
	}
}

// release forgets the job for one of those that know it; the last one puts it back.
func (j *job) release() {
	if j.refs.Add(-1) > 0 {
		return
	}
	j.kernel, j.plan, j.list = nil, nil, nil
	j.args.forget()
	j.own.forget()
	jobPool.Put(j)
}

// forget keeps no memory of the user alive.
func (a *Args) forget() { a.Ptr, a.Results = [MaxOperands]unsafe.Pointer{}, nil }

// task runs the calls of task i, with a for their arguments.
func (j *job) task(a *Args, i int) {
	if j.list != nil {
		j.list.task(a, i)
		return
	}
	c := &j.cut
	rowTask, laneTask := i/c.laneTasks, i%c.laneTasks
	row, lane := rowTask*c.taskRows, laneTask*c.lanes
	end := min(row+c.taskRows, j.args.Rows)
	a.N, a.Lane = min(c.lanes, j.args.N-lane), lane
	for n := 0; row < end; n++ {
		a.Rows = min(c.rows, end-row)
		a.First = j.args.First + row
		for k := range j.plan.Operands {
			o := &j.plan.Operands[k]
			base := j.args.Ptr[k]
			switch {
			case base == nil:
			case o.Use == WideAcc && j.partial[k] != nil:
				a.Ptr[k] = unsafe.Add(j.partial[k].pointer(), (rowTask*j.args.N+lane)*o.DType.Size())
			case o.Use == Acc && j.partial[k] != nil:
				a.Ptr[k] = unsafe.Add(j.partial[k].pointer(), (i*c.callsPerTask+n)*o.DType.Size())
			default:
				a.Ptr[k] = j.args.element(k, row, lane, o)
			}
		}
		call(j.kernel, a)
		row += a.Rows
	}
}

// element is the address of an element of operand k, which is not nil.
func (a *Args) element(k, row, lane int, o *Operand) unsafe.Pointer {
	if d := row*a.Row[k] + lane*a.Step[k]; d != 0 {
		return unsafe.Add(a.Ptr[k], d*o.DType.Size())
	}
	return a.Ptr[k]
}

// call runs one chunk. It is a function of its own because assembly can't be preempted: its prologue is where a
// waiting stop-the-world gets its turn.
//
//go:noinline
func call(k Kernel, a *Args) { k(a) }

// streams reports whether the outputs are much larger than the cache, and are not read in the same launch: lines that were
// just read are in the cache already.
func streams(a *Args, p *Plan) bool {
	bytes := 0
	for i := range p.Operands {
		o := &p.Operands[i]
		if o.Use != Writes || a.Ptr[i] == nil {
			continue
		}
		bytes += a.Rows * a.N * o.DType.Size()
		for j := range p.Operands {
			if p.Operands[j].Use != Writes && a.Ptr[j] == a.Ptr[i] {
				return false
			}
		}
	}
	return bytes > streamBytes
}
