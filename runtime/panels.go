package runtime

import (
	goruntime "runtime"
	"sync"
	"unsafe"
)

// A launch whose rows read the same elements in their serial loops, as the product of matrices does, is run in panels: for some lanes, what
// all rows read there is copied to memory that is dense in the order in which kernels read it, and all rows run over it while it is in the
// caches. Large strides would otherwise put it into a few sets of them. What the copies and the calls are changes no result.

// panels is such a launch.
type panels struct {
	kernel Kernel
	plan   *Plan
	args   Args // of the whole launch
	own    Args // of the caller's task

	width     int // lanes of a call, and of a panel
	rows      int // of a call
	slab      int // rows of a task
	laneTasks int
	tall      [MaxOperands]*block // copies of operands that differ from row to row
	packing   bool                // the tasks are those that make these copies
}

var panelsPool = sync.Pool{New: func() any { return new(panels) }}

const (
	// groupLanes are the lanes of a task: panels that are in the second cache together.
	groupLanes = Block
	// tallRows are the rows of a block in the copy of an operand that differs from row to row: a line of the cache.
	tallRows = 16
	// tallTask are the rows that are copied together: their elements of a step are near each other.
	tallTask = 4 * tallRows
	// leastTall is the least number of rows that are run at once.
	leastTall = 4 * tallTask
	// packRows is the least number of rows for which it pays to copy what they share.
	packRows = 16
	// packWork is the work of a launch from which on copies pay.
	packWork = 1 << 17
	// wideSteps is the most steps for which a tile of rows of a whole panel makes a short call.
	wideSteps = longerShared * sharedElements / tileRows / Block
	// farBytes is the distance of steps from which on a line of the cache holds one of them.
	farBytes = 64
	// leastSlab is the least number of rows of a task where there are more tasks than groups of lanes.
	leastSlab = 64
)

// shares reports whether operand k is read alike by all rows, along lanes and steps.
func (a *Args) shares(k int, o *Operand) bool {
	return o.Use == Reads && a.Ptr[k] != nil && a.Row[k] == 0 && a.Step[k] != 0 && a.KStep[k] != 0
}

// dense reports whether neighbours in the lanes of all operands are neighbours in memory, as kernels need them.
func (a *Args) dense(p *Plan) bool {
	for k := range p.Operands {
		if uint(a.Step[k]) > 1 {
			return false
		}
	}
	return true
}

// takesPanels reports whether a launch is run in panels.
func takesPanels(a *Args, p *Plan) bool {
	if p.Shared == 0 || a.K == 0 {
		return false
	}
	return !a.dense(p) || a.K > 1 && a.Rows >= packRows && a.Rows*a.N*a.K >= packWork && Path() != Generic
}

// launchPanels runs a launch in panels.
func launchPanels(k Kernel, a *Args, p *Plan) {
	if a.Rows*a.N*a.K <= chunkElements {
		launchCopied(k, a, p)
		return
	}
	if rows := tallPart(a, p); rows < a.Rows {
		byRows(k, a, p, rows, launchPanels)
		return
	}
	l := panelsPool.Get().(*panels)
	l.kernel, l.plan, l.args = k, p, *a
	if p.Stream && streams(a, p) {
		l.args.I[FlagsAt] |= Stream
	}
	l.width = l.panelWidth()
	l.rows = l.plan.tileRows(l.width * a.K)
	l.packTall()
	l.laneTasks = ceilDiv(a.N, groupLanes)
	l.slab = a.Rows
	if threads := goruntime.GOMAXPROCS(0); threads > 1 && l.laneTasks < 4*threads {
		l.slab = max(leastSlab, ceilDiv(ceilDiv(a.Rows, ceilDiv(4*threads, l.laneTasks)), tallRows)*tallRows)
	}
	tasks := l.laneTasks * ceilDiv(a.Rows, l.slab)
	if tasks == 1 {
		l.own = l.args
		l.task(&l.own, 0)
	} else {
		runTasks(l, &l.args, tasks)
	}
	for i, b := range l.tall {
		if b != nil {
			putScratch(b)
			l.tall[i] = nil
		}
	}
	l.kernel, l.plan = nil, nil
	l.args.forget()
	l.own.forget()
	panelsPool.Put(l)
}

// launchCopied runs a small launch at once, over a copy of what lies in another order than kernels need.
func launchCopied(k Kernel, args *Args, p *Plan) {
	l := panelsPool.Get().(*panels)
	l.own = *args
	a := &l.own
	var copies [MaxOperands]*block
	for k := range p.Operands {
		o := &p.Operands[k]
		if a.Step[k] == 1 || !a.shares(k, o) {
			continue
		}
		size := o.DType.Size()
		copies[k] = getScratch(a.N * a.K * size)
		packPanels(copies[k].pointer(), a.Ptr[k], size, a.N, a.N, a.K, a.Step[k], a.KStep[k])
		a.Ptr[k], a.Step[k], a.KStep[k] = copies[k].pointer(), 1, a.N
	}
	call(k, a)
	for k := range p.Operands {
		if copies[k] != nil {
			putScratch(copies[k])
		}
	}
	a.forget()
	panelsPool.Put(l)
}

// panelWidth is as many lanes as a kernel has in registers at once.
func (l *panels) panelWidth() int {
	size := 4
	for k := range l.plan.Operands {
		size = max(size, l.plan.Operands[k].DType.Size())
	}
	switch {
	case Path() == Generic:
		return Block
	case Path() == AVX512 && l.args.K <= wideSteps:
		return 256 / size
	default:
		return 64 / size
	}
}

// tall reports whether operand k is copied since it differs from row to row, and the elements of a row are far from each other.
func (a *Args) tall(k int, o *Operand) bool {
	return a.N >= 2*groupLanes && a.Rows >= packRows && Path() != Generic &&
		o.Use == Reads && a.Ptr[k] != nil && a.Row[k] != 0 && a.Step[k] == 0 && max(a.KStep[k], -a.KStep[k])*o.DType.Size() >= farBytes
}

// tallPart is the number of rows that are run at once: with more, such copies would take too much memory.
func tallPart(a *Args, p *Plan) int {
	for k := range p.Operands {
		if p.Rows && a.tall(k, &p.Operands[k]) {
			return max(leastTall, 2*rowParts/a.K/tallTask*tallTask)
		}
	}
	return a.Rows
}

// packTall copies operands that differ from row to row, where the elements of a row are far from each other.
func (l *panels) packTall() {
	a := &l.args
	any := false
	for k := range l.plan.Operands {
		o := &l.plan.Operands[k]
		if !a.tall(k, o) {
			continue
		}
		l.tall[k] = getScratch(ceilDiv(a.Rows, tallRows) * tallRows * a.K * o.DType.Size())
		any = true
	}
	if any {
		l.rows = min(l.rows, tallRows)
		l.packing = true
		runTasks(l, nil, ceilDiv(a.Rows, tallTask))
		l.packing = false
	}
}

func (l *panels) task(a *Args, i int) {
	if l.packing {
		l.packRows(i * tallTask)
		return
	}
	first := i / l.laneTasks * l.slab
	l.group(a, first, min(first+l.slab, l.args.Rows), i%l.laneTasks*groupLanes)
}

// packRows copies blocks of rows of the operands that differ from row to row.
func (l *panels) packRows(row int) {
	a := &l.args
	for k, b := range l.tall {
		if b == nil {
			continue
		}
		size := l.plan.Operands[k].DType.Size()
		src := unsafe.Add(a.Ptr[k], row*a.Row[k]*size)
		packPanels(unsafe.Add(b.pointer(), row*a.K*size), src, size, min(tallTask, a.Rows-row), tallRows, a.K, a.Row[k], a.KStep[k])
	}
}

// group runs some rows over a group of lanes.
func (l *panels) group(a *Args, first, end, lane int) {
	whole := &l.args
	lanes := min(groupLanes, whole.N-lane)
	var copies [MaxOperands]*block
	for k := range l.plan.Operands {
		o := &l.plan.Operands[k]
		if !whole.shares(k, o) {
			continue
		}
		size := o.DType.Size()
		copies[k] = getScratch(ceilDiv(lanes, l.width) * l.width * whole.K * size)
		src := unsafe.Add(whole.Ptr[k], lane*whole.Step[k]*size)
		packPanels(copies[k].pointer(), src, size, lanes, l.width, whole.K, whole.Step[k], whole.KStep[k])
		a.Step[k], a.KStep[k] = 1, l.width
	}
	for k, b := range l.tall {
		if b != nil {
			a.Row[k], a.KStep[k] = 1, tallRows
		}
	}
	for row := first; row < end; row += a.Rows {
		a.Rows, a.First = min(l.rows, end-row), whole.First+row
		for at := 0; at < lanes; at += l.width {
			a.N, a.Lane = min(l.width, lanes-at), lane+at
			for k := range l.plan.Operands {
				o := &l.plan.Operands[k]
				switch b := l.tall[k]; {
				case whole.Ptr[k] == nil:
				case copies[k] != nil:
					a.Ptr[k] = unsafe.Add(copies[k].pointer(), at*whole.K*o.DType.Size())
				case b != nil:
					a.Ptr[k] = unsafe.Add(b.pointer(), (row/tallRows*tallRows*whole.K+row%tallRows)*o.DType.Size())
				default:
					a.Ptr[k] = whole.element(k, row, lane+at, o)
				}
			}
			call(l.kernel, a)
		}
	}
	for _, b := range copies {
		if b != nil {
			putScratch(b)
		}
	}
}

// packPanels copies lanes of steps from src, where lanes are step and steps kstep elements apart, to panels of some width that follow each
// other at dst: there lanes of a panel are 1 apart, and steps as many as the width. The last panel may be narrower, but has the room.
func packPanels(dst, src unsafe.Pointer, size, lanes, width, steps, step, kstep int) {
	if size == 4 {
		packElements[uint32](dst, src, lanes, width, steps, step, kstep)
	} else {
		packElements[uint64](dst, src, lanes, width, steps, step, kstep)
	}
}

// turnLanes are the lanes that are turned at once: few enough that the lines of the cache that hold them don't meet in a set of it.
const turnLanes = 8

func packElements[T uint32 | uint64](dst, src unsafe.Pointer, lanes, width, steps, step, kstep int) {
	if step == 1 {
		packLines[T](dst, src, lanes, width, steps, kstep)
		return
	}
	for at := 0; at < lanes; at += width {
		to, n, lane := unsafe.Pointer(At[T](dst, at*steps)), min(width, lanes-at), 0
		if kstep == 1 {
			for ; lane+turnLanes <= n; lane += turnLanes {
				turn(At[T](to, lane), At[T](src, (at+lane)*step), width, steps, step)
			}
		}
		for ; lane < n; lane++ {
			for k := range steps {
				*At[T](to, k*width+lane) = *At[T](src, (at+lane)*step+k*kstep)
			}
		}
	}
}

// packLines is packElements for lanes that are next to each other: step after step, for all panels.
func packLines[T uint32 | uint64](dst, src unsafe.Pointer, lanes, width, steps, kstep int) {
	const line = 16
	for k := range steps {
		at := 0
		if width == line {
			for ; at+line <= lanes; at += line {
				*(*[line]T)(unsafe.Pointer(At[T](dst, at*steps+k*line))) = *(*[line]T)(unsafe.Pointer(At[T](src, k*kstep+at)))
			}
		}
		for ; at < lanes; at += width {
			n := min(width, lanes-at)
			copy(Slice[T](dst, at*steps+k*width, n), Slice[T](src, k*kstep+at, n))
		}
	}
}

// turn copies turnLanes lanes of consecutive steps.
func turn[T uint32 | uint64](dst, src *T, width, steps, step int) {
	to, from := unsafe.Pointer(dst), unsafe.Pointer(src)
	s0, s1, s2, s3 := Slice[T](from, 0, steps), Slice[T](from, step, steps), Slice[T](from, 2*step, steps), Slice[T](from, 3*step, steps)
	s4, s5, s6, s7 := Slice[T](from, 4*step, steps), Slice[T](from, 5*step, steps), Slice[T](from, 6*step, steps), Slice[T](from, 7*step, steps)
	for k := range steps {
		d := (*[turnLanes]T)(unsafe.Pointer(At[T](to, k*width)))
		d[0], d[1], d[2], d[3] = s0[k], s1[k], s2[k], s3[k]
		d[4], d[5], d[6], d[7] = s4[k], s5[k], s6[k], s7[k]
	}
}
