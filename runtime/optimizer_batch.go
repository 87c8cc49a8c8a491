package runtime

import (
	"cmp"
	"slices"
	"unsafe"
)

// batch is parameters of one group that are neighbours in a block of leaves. A step binds those with gradients as if they were one. An update that
// takes each element by itself goes through them so too; one that does the same for each parameter calls kernels for one after the other.
type batch struct {
	block *leafBlock
	slots []*Slot
	whole bool   // they are all leaves of the block
	left  int    // of the block, when the batch was found
	drops uint64 // likewise, when the runs were
	runs  []*run
	rest  []*Slot // those of no run
}

// run is neighbours that are updated as one parameter.
type run struct {
	from, to int // slots of the batch
	slot     Slot
	param    Tensor
	grad     Tensor
	states   []Tensor
	store    storage // of these tensors
	each     *each   // nil: of an update that takes each element by itself
	steps    int     // that the slots don't know of yet
}

// makeBatches finds neighbours. It marks the slots of batches.
func (c *calls) makeBatches() (in []bool) {
	c.settle()
	c.batches = nil
	in = make([]bool, len(c.slots))
	if c.items == nil || !c.rule.side() {
		return in
	}
	var list []*Slot
	order := map[*leafBlock]int{}
	for _, s := range c.slots {
		if b := s.Param.auto.block; b != nil {
			if order[b] == 0 {
				order[b] = len(order) + 1
			}
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b *Slot) int {
		p, q := a.Param.auto, b.Param.auto
		return cmp.Or(cmp.Compare(order[p.block], order[q.block]), cmp.Compare(p.at, q.at))
	})
	for from := 0; from < len(list); {
		to := from + 1
		for to < len(list) && follows(list[to-1], list[to]) {
			to++
		}
		if to > from+1 {
			b := &batch{block: list[from].Param.auto.block, slots: list[from:to:to]}
			b.whole, b.left = len(b.slots) == len(b.block.from), b.block.left
			c.batches = append(c.batches, b)
			for _, s := range b.slots {
				in[s.at] = true
			}
		}
		from = to
	}
	return in
}

// follows reports whether t is the neighbour of s, in its group.
func follows(s, t *Slot) bool {
	a, b := s.Param.auto, t.Param.auto
	return a.block == b.block && a.at+1 == b.at && s.Group == t.Group
}

// elements is how many there are in the blocks of a batch.
func (b *batch) elements() int {
	first, last := b.slots[0].Param, b.slots[len(b.slots)-1].Param
	return b.block.from[last.auto.at] + last.n - b.block.from[first.auto.at]
}

// stale reports whether parameters were moved since batches were found.
func (c *calls) stale() bool {
	return slices.ContainsFunc(c.batches, func(b *batch) bool { return b.block.left != b.left })
}

// begin makes a batch part of a step.
func (b *batch) begin(c *calls, t *task) {
	b.block.mu.Lock()
	grads := b.block.grads
	b.block.mu.Unlock()
	if c.shown || !b.whole || len(b.runs) != 1 || len(b.rest) > 0 || b.drops != b.block.drops.Load() || !b.block.full(grads) {
		b.plan(c, grads)
	}
	for _, r := range b.runs {
		t.fail(r.slot.at, r.begin(c, b, grads))
	}
	for _, s := range b.rest {
		c.bindItem(t, s.at)
	}
}

// plan finds the runs of a batch: neighbours with gradients that are neighbours, whose steps have one number.
func (b *batch) plan(c *calls, grads *gradBlock) {
	b.settle()
	b.drops = b.block.drops.Load()
	old := b.runs
	b.runs, b.rest = nil, b.rest[:0]
	for from := 0; from < len(b.slots); {
		to := from
		for to < len(b.slots) && b.usable(c, b.slots[to], grads) && (to == from || b.joins(c, b.slots[from], b.slots[to-1], b.slots[to])) {
			to++
		}
		if to < from+2 {
			b.rest = append(b.rest, b.slots[from])
			from++
			continue
		}
		for _, s := range b.slots[from:to] {
			s.live = false // it takes part with the run alone
		}
		k := slices.IndexFunc(old, func(r *run) bool { return r.from == from && r.to == to })
		if k >= 0 {
			b.runs = append(b.runs, old[k])
		} else {
			b.runs = append(b.runs, newRun(c, b, from, to))
		}
		from = to
	}
}

// usable reports whether a slot has a gradient among grads, and all its tensors, which kernels see one after the other.
func (b *batch) usable(c *calls, s *Slot, grads *gradBlock) bool {
	h := s.Param.auto.home.Load()
	if s.Param.device != CPU || h.gradient() == nil || h.block != grads || h.t.device != CPU {
		return false
	}
	for k, t := range s.State {
		if t.device != CPU || c.rule.States[k].Scalar && t.dtype.half() {
			return false
		}
	}
	return true
}

// joins reports whether a slot can be in a run from first to last: their steps have one number, and their states lie as the parameters do, those
// without axes side by side. What lies between two parameters is nobody's; between their states it is so where these were made for the block.
func (b *batch) joins(c *calls, first, last, s *Slot) bool {
	gap := b.block.from[s.Param.auto.at] - b.block.from[last.Param.auto.at] - last.Param.n
	if s.Step != first.Step || gap > 0 && (s.laid != b.block || last.laid != b.block) {
		return false
	}
	d := b.block.from[s.Param.auto.at] - b.block.from[first.Param.auto.at]
	for k, t := range s.State {
		u, from := first.State[k], d
		if c.rule.States[k].Scalar {
			from = s.Param.auto.at - first.Param.auto.at
		}
		if unsafe.Add(u.data, from*u.dtype.Size()) != t.data {
			return false
		}
	}
	return true
}

// newRun makes the tensors of a run.
func newRun(c *calls, b *batch, from, to int) *run {
	first, last := b.slots[from], b.slots[to-1]
	n := b.block.from[last.Param.auto.at] + last.Param.n - b.block.from[first.Param.auto.at]
	r := &run{from: from, to: to, states: make([]Tensor, len(first.State))}
	r.store.tensors.Store(1)
	flat := func(p unsafe.Pointer, d DType) Tensor {
		t := Tensor{data: p, store: &r.store, n: n, rank: 1, dtype: d, contig: true}
		t.shape[0], t.stride[0] = n, 1
		return t
	}
	r.slot = Slot{Group: first.Group, at: first.at, tensors: make([]*Tensor, len(first.tensors))}
	r.param, r.grad = flat(first.Param.data, first.Param.dtype), flat(nil, first.Param.dtype)
	r.slot.tensors[c.rule.Param] = &r.param
	for k, s := range c.rule.States {
		t := &r.states[k]
		*t = flat(first.State[k].data, first.State[k].dtype)
		if s.Scalar {
			t.n, t.rank = 1, 0
		}
		r.slot.tensors[s.At] = t
	}
	if !c.rule.Elementwise {
		r.each = newEach(c, b, b.slots[from:to], r.slot.tensors)
	}
	return r
}

// begin binds the tensors of a run.
func (r *run) begin(c *calls, b *batch, grads *gradBlock) error {
	s, first := &r.slot, b.slots[r.from]
	s.Values, s.Step = first.Values, first.Step+r.steps+1
	r.grad.data = unsafe.Add(grads.base, b.block.from[first.Param.auto.at]*b.block.dtype.Size())
	s.tensors[c.rule.Grad] = &r.grad
	err := c.rule.bind(s)
	s.live = err == nil
	return err
}

// step runs a phase for the parameters of a batch.
func (b *batch) step(c *calls, t *task) {
	for _, r := range b.runs {
		if r.slot.live {
			t.fail(r.slot.at, r.step(c, b, t.repeat))
		}
	}
	for _, s := range b.rest {
		c.runItem(t, s.at)
	}
}

// step runs a phase for the parameters of a run.
func (r *run) step(c *calls, b *batch, again *repeat) error {
	var err error
	if r.each != nil {
		err = r.each.run(c, &r.slot, r.param.dtype, again)
	} else {
		err = c.rule.Run(&r.slot, c.phase)
	}
	if err != nil || c.phase < c.rule.Phases-1 {
		return err
	}
	c.rule.finish(&r.slot, true)
	r.slot.live = false
	r.steps++
	slots := b.slots[r.from:r.to]
	if len(slots) == len(b.block.from) {
		b.block.version.Add(1)
	} else {
		for _, s := range slots {
			s.Param.store.version.Add(1)
		}
	}
	if c.shown {
		for _, s := range slots {
			for _, t := range s.State {
				t.store.version.Add(1)
			}
		}
		r.settle(b)
	}
	return nil
}

// giveUp takes back what a run has when the step ends with an error.
func (r *run) giveUp() {
	if r.slot.live {
		r.slot.live, r.slot.kept = false, nil
		r.slot.Bound.release()
	}
}

// settle tells slots the steps of their runs.
func (r *run) settle(b *batch) {
	for _, s := range b.slots[r.from:r.to] {
		s.Step += r.steps
	}
	r.steps = 0
}

func (b *batch) settle() {
	for _, r := range b.runs {
		r.settle(b)
	}
}

func (c *calls) settle() {
	for _, b := range c.batches {
		b.settle()
	}
}

// zeroGrad drops the gradients of a batch.
func (b *batch) zeroGrad() {
	if b.whole && b.block.left == b.left && b.block.zeroGrads() {
		return
	}
	for _, s := range b.slots {
		s.Param.ZeroGrad()
	}
}

// replan forgets the runs: the numbers of steps have changed.
func (c *calls) replan() {
	c.settle()
	for _, b := range c.batches {
		b.runs = nil
	}
}
