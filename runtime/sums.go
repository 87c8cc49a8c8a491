package runtime

import "sync"

// sums is a launch with a long serial axis that stores a function of sums of products. First another kernel stores the sums. Then the kernel
// itself runs row by row, for a single step, the product of 1 and the sum.
type sums struct {
	kernel Kernel
	plan   *Plan
	args   Args   // of the whole launch
	of     Args   // of the kernel that stores the sums
	own    Args   // of the caller's task
	totals *block // the sums
	lanes  int    // of a call
	rows   int    // of a task
}

var sumsPool = sync.Pool{New: func() any { return new(sums) }}

// launchSums runs such a launch.
func launchSums(k Kernel, a *Args, p *Plan) {
	if rows := max(1, rowParts/max(1, a.N)); rows < a.Rows {
		byRows(k, a, p, rows, launchSums)
		return
	}
	l := sumsPool.Get().(*sums)
	l.kernel, l.plan, l.args = k, p, *a
	to := len(p.Sums.From)
	size := p.Sums.Plan.Operands[to].DType.Size()
	l.totals = getScratch(a.Rows * a.N * size)
	s := &l.of
	s.Rows, s.N, s.K, s.First = a.Rows, a.N, a.K, a.First
	for i, o := range p.Sums.From {
		s.Ptr[i], s.Row[i], s.Step[i], s.KStep[i] = a.Ptr[o], a.Row[o], a.Step[o], a.KStep[o]
	}
	s.Ptr[to], s.Row[to], s.Step[to], s.KStep[to] = l.totals.pointer(), a.N, 1, 0
	Launch(p.Sums.Kernel, s, p.Sums.Plan)

	one, sum := p.Sums.One, p.Sums.Sum
	l.args.K = 1
	l.args.Ptr[one], l.args.Row[one] = Splat(p.Operands[one].DType, 1), 0
	l.args.Ptr[sum], l.args.Row[sum], l.args.Step[sum] = l.totals.pointer(), a.N, 1
	l.lanes = min(a.N, chunkElements)
	l.rows = max(1, chunkElements/max(1, a.N))
	if tasks := ceilDiv(a.Rows, l.rows); tasks > 1 {
		runTasks(l, &l.args, tasks)
	} else {
		l.own = l.args
		l.task(&l.own, 0)
	}
	putScratch(l.totals)
	l.kernel, l.plan, l.totals = nil, nil, nil
	l.args.forget()
	l.of.forget()
	l.own.forget()
	sumsPool.Put(l)
}

// task runs some rows.
func (l *sums) task(a *Args, i int) {
	for row := i * l.rows; row < min((i+1)*l.rows, l.args.Rows); row++ {
		a.Rows, a.First = 1, l.args.First+row
		for lane := 0; lane < l.args.N; lane += l.lanes {
			a.N, a.Lane = min(l.lanes, l.args.N-lane), lane
			for k := range l.plan.Operands {
				if l.args.Ptr[k] != nil {
					a.Ptr[k] = l.args.element(k, row, lane, &l.plan.Operands[k])
				}
			}
			call(l.kernel, a)
		}
	}
}
