package runtime

import (
	"math"
	"unsafe"
)

// startAccumulators sets accumulators to what their monoids start at.
func startAccumulators(a *Args, p *Plan) {
	for i := range p.Operands {
		o := &p.Operands[i]
		if a.Ptr[i] == nil {
			continue
		}
		switch o.Use {
		case Acc:
			fillIdentity(a.Ptr[i], 1, o)
		case WideAcc:
			fillIdentity(a.Ptr[i], a.N, o)
		}
	}
}

// takePartials takes memory for the partial results of a job and starts those that are wide.
func (j *job) takePartials() {
	c := &j.cut
	for i := range j.plan.Operands {
		o := &j.plan.Operands[i]
		if j.args.Ptr[i] == nil {
			continue
		}
		switch o.Use {
		case Acc:
			j.partial[i] = getScratch(c.tasks() * c.callsPerTask * o.DType.Size())
			// A task may have fewer calls than others.
			fillIdentity(j.partial[i].pointer(), c.tasks()*c.callsPerTask, o)
		case WideAcc:
			if c.rowTasks == 1 {
				fillIdentity(j.args.Ptr[i], j.args.N, o)
				continue
			}
			j.partial[i] = getScratch(c.rowTasks * j.args.N * o.DType.Size())
			fillIdentity(j.partial[i].pointer(), c.rowTasks*j.args.N, o)
		}
	}
}

// combine puts the partial results of a job together, in the order of the tasks, and gives their memory back.
func (j *job) combine() {
	c := &j.cut
	for i := range j.plan.Operands {
		b := j.partial[i]
		if b == nil {
			continue
		}
		o := &j.plan.Operands[i]
		parts, width := c.tasks()*c.callsPerTask, 1
		if o.Use == WideAcc {
			parts, width = c.rowTasks, j.args.N
		}
		if width > 0 {
			combinePairs(j.args.Ptr[i], b.pointer(), parts, width, o)
		}
		putScratch(b)
		j.partial[i] = nil
	}
}

// fillIdentity writes n elements that change nothing when they are combined.
func fillIdentity(p unsafe.Pointer, n int, o *Operand) {
	if n == 0 {
		return
	}
	v := 0.0
	switch o.Monoid {
	case SumOf:
		Clear(unsafe.Slice((*byte)(p), n*o.DType.Size()))
		return
	case MaxOf:
		v = math.Inf(-1)
	case MinOf:
		v = math.Inf(1)
	case ProdOf:
		v = 1
	}
	switch o.DType {
	case F32:
		Fill(unsafe.Slice((*float32)(p), n), float32(v))
	case F64:
		Fill(unsafe.Slice((*float64)(p), n), v)
	}
}

// combinePairs combines parts rows of width elements at p pairwise: neighbours, then neighbours of those. The result goes to dst.
func combinePairs(dst, p unsafe.Pointer, parts, width int, o *Operand) {
	if o.DType == F32 {
		pairs(unsafe.Slice((*float32)(dst), width), unsafe.Slice((*float32)(p), parts*width), o.Monoid)
	} else {
		pairs(unsafe.Slice((*float64)(dst), width), unsafe.Slice((*float64)(p), parts*width), o.Monoid)
	}
}

func pairs[T float](dst, p []T, m Monoid) {
	width := len(dst)
	for s := width; s < len(p); s *= 2 {
		for at := 0; at+s < len(p); at += 2 * s {
			combineRow(p[at:at+width], p[at+s:at+s+width], m)
		}
	}
	Copy(dst, p)
}

// combineRow combines b into a.
func combineRow[T float](a, b []T, m Monoid) {
	switch m {
	case SumOf:
		for i := range a {
			a[i] += b[i]
		}
	case ProdOf:
		for i := range a {
			a[i] *= b[i]
		}
	case MaxOf:
		for i := range a {
			if x := a[i]; !(x > b[i] || x != x) {
				a[i] = b[i]
			}
		}
	case MinOf:
		for i := range a {
			if x := a[i]; !(x < b[i] || x != x) {
				a[i] = b[i]
			}
		}
	}
}
