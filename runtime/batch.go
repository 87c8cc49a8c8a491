package runtime

import (
	"slices"
	"sync"
	"unsafe"
)

// Batch is what a launch is repeated for: the points of some axes, outermost first. At each point the operands lie elsewhere; where one
// doesn't move along an axis, as an input that is the same for all matrices of a batch, its stride there is 0. A point gives the bits that a
// launch of its own gives.
//
// NewBatch, then Axis or Extent for each axis, then Launch, which gives it back.
type Batch struct {
	n      int
	sums   int // how many of the last axes are summed over: what the kernel stores doesn't move along them
	ext    [maxBatch]int
	stride [maxBatch][MaxOperands]int // in elements, by operand

	kernel Kernel // checks whether a call is small, as launch functions of generated code do
	plan   *Plan
	args   Args // of the first point
	own    Args // of the caller
	points int
	size   int // points of a task
}

// batchWork is the work of a task, rows × lanes × steps, where the calls of points are small.
const batchWork = 2 * chunkElements

// maxBatch bounds the axes of a batch, those of a pack each for itself: generated code has one pack at most and few other axes.
const maxBatch = 16

// batchPool has batches without axes.
var batchPool = sync.Pool{New: func() any { return new(Batch) }}

// NewBatch is a batch of one point.
func NewBatch() *Batch { return batchPool.Get().(*Batch) }

// Extent adds an axis. Operands move along it by strides, in their order.
func (l *Batch) Extent(extent int, strides ...int) {
	l.ext[l.n] = extent
	to := &l.stride[l.n]
	clear(to[copy(to[:], strides):])
	l.n++
}

// Axis adds an axis or a pack of the signature of b. An operand moves along it by its stride: in elements, of a pack those of the last axis;
// as parameter i lies, where the stride is ^i.
func (l *Batch) Axis(b *Bound, axis int, strides ...int) {
	shape := b.Ext[axis : axis+1]
	if b.sig.Axes[axis].Pack {
		if s, ok := b.packShape(axis); ok {
			shape = s
		}
	}
	first := l.n
	for _, e := range shape {
		l.Extent(e, strides...)
	}
	for k, s := range strides {
		if s < 0 {
			b.lies(^s, axis, shape, func(c, stride int) { l.stride[first+c][k] = stride })
			continue
		}
		for c := len(shape) - 1; c >= 0; c-- {
			l.stride[first+c][k] = s
			s *= shape[c]
		}
	}
}

// lies calls f with the stride of parameter i, as kernels have it, along each axis of a dimension.
func (b *Bound) lies(i, axis int, shape []int, f func(c, stride int)) {
	at := 0
	for _, d := range b.sig.Params[i].Dims {
		if d.Factors == nil && d.Axis == axis {
			break
		}
		switch {
		case b.general:
			at += b.width(&d)
		case b.sig.Axes[d.Axis].Pack:
			at += int(b.packs[d.Axis].rank)
		default:
			at++
		}
	}
	t := b.Tensor(i)
	for c := range shape {
		stride := 0
		switch {
		case t == nil || b.Move(i) == 0:
		case b.general:
			stride = b.g.lie[i][at+c]
		case at+c < int(t.rank):
			stride = t.stride[at+c]
		}
		f(c, stride)
	}
}

// Launch runs a kernel at each point. It copies a.
func (l *Batch) Launch(k Kernel, a *Args, p *Plan) {
	l.kernel, l.plan, l.args = k, p, *a
	l.tidy()
	switch {
	case l.points == 0:
	case l.sums > 0:
		l.sumUp()
	default:
		l.run()
	}
	l.kernel, l.plan = nil, nil
	l.args.forget()
	l.own.forget()
	l.n = 0
	batchPool.Put(l)
}

// tidy drops axes of one point, moves those that are summed over to the end, and makes as few of the axes, and of what the kernel runs over,
// as there can be.
func (l *Batch) tidy() {
	n := 0
	l.sums, l.points = 0, 1
	for _, summed := range [...]bool{false, true} {
		for i := n; i < l.n; i++ {
			if l.ext[i] == 1 || summed != l.isSummed(i) {
				continue
			}
			if summed {
				l.sums++
			}
			l.swap(i, n)
			n++
		}
	}
	l.n = n
	for _, e := range l.ext[:n] {
		l.points *= e
	}
	if l.points == 0 {
		return
	}
	for i := l.n - 1; i > 0; i-- {
		if i != l.n-l.sums && l.joins(i) {
			l.ext[i-1] *= l.ext[i]
			l.stride[i-1] = l.stride[i]
			l.remove(i)
		}
	}
	for l.sums > 0 && l.asSteps() {
	}
	for l.sums == 0 && l.n > 0 && l.asRows() {
	}
}

// isSummed reports whether what the kernel stores doesn't move along an axis.
func (l *Batch) isSummed(i int) bool {
	return l.plan.Steps && l.args.Ptr[l.plan.StepsTo] != nil && l.stride[i][l.plan.StepsTo] == 0
}

// swap brings axis i before axis to, and moves those from there on.
func (l *Batch) swap(i, to int) {
	for ; i > to; i-- {
		l.ext[i], l.ext[i-1] = l.ext[i-1], l.ext[i]
		l.stride[i], l.stride[i-1] = l.stride[i-1], l.stride[i]
	}
}

// remove takes an axis out.
func (l *Batch) remove(i int) {
	if i >= l.n-l.sums {
		l.sums--
	}
	copy(l.ext[i:], l.ext[i+1:l.n])
	copy(l.stride[i:], l.stride[i+1:l.n])
	l.n--
	l.points = 1
	for _, e := range l.ext[:l.n] {
		l.points *= e
	}
}

// joins reports whether one stride leads through axis i and the one before it, for all operands.
func (l *Batch) joins(i int) bool {
	for k := range l.plan.Operands {
		if l.stride[i-1][k] != l.stride[i][k]*l.ext[i] {
			return false
		}
	}
	return true
}

// asSteps makes the last axis, which is summed over, or some points of it, a part of the serial axis, where one stride leads through both.
func (l *Batch) asSteps() bool {
	a, last := &l.args, l.n-1
	points := stepPoints(a.K, l.ext[last])
	if points == 1 {
		return false
	}
	for k := range l.plan.Operands {
		s := l.stride[last][k]
		if a.Ptr[k] == nil || k == l.plan.StepsTo || s == a.K*a.KStep[k] || a.K == 1 && a.KStep[k] != 0 {
			continue
		}
		return false
	}
	for k := range l.plan.Operands {
		if a.K == 1 && a.KStep[k] != 0 {
			a.KStep[k] = l.stride[last][k]
		}
	}
	a.K *= points
	if points == l.ext[last] {
		l.remove(last)
		return true
	}
	for k := range l.plan.Operands {
		l.stride[last][k] *= points
	}
	l.ext[last] /= points
	l.points /= points
	return false
}

// stepPoints is how many of some points become one sum, each of so many steps: as many as kernels are fast with, if that is a part of them
// that isn't much less; else all.
func stepPoints(steps, points int) int {
	if steps*points <= wideSteps {
		return points
	}
	const least = wideSteps / 8
	for n := min(points, wideSteps/max(1, steps)); n > 0 && n*steps >= least; n-- {
		if points%n == 0 {
			return n
		}
	}
	if steps >= least {
		return 1
	}
	return points
}

// asRows makes the last axis a part of the rows, where one stride leads through both and no result depends on it.
func (l *Batch) asRows() bool {
	a, p, last := &l.args, l.plan, l.n-1
	if !p.Rows || slices.ContainsFunc(p.Operands, func(o Operand) bool { return o.Use == Acc || o.Use == WideAcc }) {
		return false
	}
	for k := range p.Operands {
		s := l.stride[last][k]
		if a.Ptr[k] == nil || s == a.Rows*a.Row[k] || a.Rows == 1 && a.Row[k] != 0 {
			continue
		}
		return false
	}
	whole := *a
	whole.Rows *= l.ext[last]
	if cutsSteps(a, p) != cutsSteps(&whole, p) {
		return false
	}
	for k := range p.Operands {
		if a.Rows == 1 && a.Row[k] != 0 {
			a.Row[k] = l.stride[last][k]
		}
	}
	a.Rows = whole.Rows
	l.remove(last)
	return true
}

// run runs points that don't depend on each other.
func (l *Batch) run() {
	work := max(1, l.args.Rows*l.args.N*max(1, l.args.K))
	l.size = max(1, batchWork/work)
	if tasks := ceilDiv(l.points, l.size); tasks > 1 {
		runTasks(l, &l.args, tasks)
	} else {
		l.own = l.args
		l.task(&l.own, 0)
	}
}

func (l *Batch) task(a *Args, i int) {
	for point := i * l.size; point < min((i+1)*l.size, l.points); point++ {
		*a = l.args
		l.move(a, 0, l.n, point)
		call(l.kernel, a)
	}
}

// move moves the addresses in a to a point of axes from … to-1.
func (l *Batch) move(a *Args, from, to, point int) {
	for i := to - 1; i >= from && point > 0; i-- {
		at := point % l.ext[i]
		point /= l.ext[i]
		for k := range l.plan.Operands {
			if d := at * l.stride[i][k]; d != 0 && a.Ptr[k] != nil {
				a.Ptr[k] = unsafe.Add(a.Ptr[k], d*l.plan.Operands[k].DType.Size())
			}
		}
	}
}

// sumUp adds up the results of points along the axes that are summed over: neighbours, then neighbours of those.
func (l *Batch) sumUp() {
	if l.args.Rows*l.args.N == 0 {
		return
	}
	single, count := l.n-l.sums, 1
	for _, e := range l.ext[single:l.n] {
		count *= e
	}
	for point := range l.points / count {
		l.own = l.args
		l.move(&l.own, 0, single, point)
		launchPieces(l.kernel, &l.own, l.plan, count, l)
	}
}
