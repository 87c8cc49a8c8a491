package runtime

import (
	"unsafe"
)

// calls are calls of an update that are made together.
type calls struct {
	rule    *Rule
	slots   []*Slot
	steps   bool        // of an optimizer: a slot takes its gradient, and without one no part
	totals  []*Tensor   // by number of the total
	phase   int         // -1: tensors are bound
	small   []task      // small tensors, which one task runs one after the other
	large   []int       // slots whose launches are cut themselves
	order   []int       // the slots of small tensors in no batch
	items   []item      // of an optimizer, by number of the slot
	batches []*batch    // of an optimizer
	slabs   []slab      // the memory of states, by group
	extra   [][]*Tensor // of an optimizer, for this step: inputs beside the gradient
	before  []written   // what tensors are before a phase that can fail
	shown   bool        // somebody outside has states, and can release them or have them recorded
}

// task is slots, from and to in their order, and batches that are run one after the other, and the first error.
type task struct {
	from, to int
	batches  []*batch
	err      error
	at       int // the slot that has the error

	// What the slots before have shown, for those that are alike.
	repeat      *repeat
	knows       bool
	group, step int
	kept        *Signature
}

// fail keeps the first error.
func (t *task) fail(at int, err error) {
	if err != nil && (t.err == nil || at < t.at) {
		t.err, t.at = err, at
	}
}

// run makes the calls. On an error nothing was changed.
func (c *calls) run() error {
	for c.phase = -1; c.phase < c.rule.Phases; c.phase++ {
		if c.rule.Fails && c.phase == c.rule.Phases-1 {
			c.copyWritten()
		}
		err := c.runPhase()
		c.copyBack(err != nil)
		if err != nil {
			for i, s := range c.slots {
				c.giveUp(s)
				if c.items != nil {
					c.items[i].ready, c.items[i].live, c.items[i].ptr = false, false, [itemParams]unsafe.Pointer{}
				}
			}
			for _, b := range c.batches {
				for _, r := range b.runs {
					r.giveUp()
				}
			}
			return err
		}
		c.combine()
	}
	return nil
}

// giveUp takes back what a slot has when the calls end with an error.
func (c *calls) giveUp(s *Slot) {
	if !s.live {
		return
	}
	s.live, s.kept = false, nil
	s.Bound.release()
	if c.steps {
		s.Step--
	}
}

// cut groups small tensors to tasks that are worth a thread: by their sizes alone.
func (c *calls) cut() {
	c.small, c.large, c.order, c.items = c.small[:0], c.large[:0], c.order[:0], nil
	if c.steps && len(c.rule.Extra) == 0 && len(c.rule.signature().Params) <= itemParams {
		c.items = make([]item, len(c.slots))
	}
	var batched []bool
	if c.steps {
		batched = c.makeBatches()
	}
	work := chunkElements
	for i, s := range c.slots {
		if batched != nil && batched[i] {
			continue
		}
		n := 1
		for _, t := range s.tensors {
			if t != nil {
				n = max(n, t.n)
			}
		}
		if n > chunkElements {
			c.large = append(c.large, i)
			continue
		}
		t := c.taskFor(&work, max(n, leastWork))
		c.order = append(c.order, i)
		t.to = len(c.order)
	}
	for _, b := range c.batches {
		t := c.taskFor(&work, max(b.elements(), leastWork))
		t.batches = append(t.batches, b)
	}
}

// taskFor is the last task, or a new one, where n elements are too many for it. work is what it has.
func (c *calls) taskFor(work *int, n int) *task {
	if *work+n > chunkElements {
		c.small = append(c.small, task{from: len(c.order), to: len(c.order)})
		*work = 0
		if c.items != nil {
			c.small[len(c.small)-1].repeat = &repeat{}
		}
	}
	*work += n
	return &c.small[len(c.small)-1]
}

// leastWork is the number of elements whose work is that of a call without any.
const leastWork = 512

// runPhase runs a phase for all slots, and gives the error of the first one that has any.
func (c *calls) runPhase() error {
	var first task
	first.at = len(c.slots)
	for _, i := range c.large {
		if err := c.runSlot(c.slots[i]); err != nil {
			first.err, first.at = err, i
			break
		}
	}
	if n := len(c.small); n == 1 {
		c.task(nil, 0)
	} else if n > 1 {
		runTasks(c, nil, n)
	}
	for i := range c.small {
		if t := &c.small[i]; t.err != nil && t.at < first.at {
			first.err, first.at = t.err, t.at
		}
	}
	return first.err
}

// task runs a phase for the slots of one task.
func (c *calls) task(_ *Args, i int) {
	t := &c.small[i]
	t.err = nil
	switch {
	case c.items == nil:
		for _, i := range c.order[t.from:t.to] {
			t.fail(i, c.runSlot(c.slots[i]))
		}
	case c.phase < 0:
		c.bindItems(t)
	default:
		c.runItems(t)
	}
}

// runSlot runs a phase for one slot.
func (c *calls) runSlot(s *Slot) error {
	if c.phase < 0 {
		return c.prepare(s)
	}
	if !s.live {
		return nil
	}
	c.startTotals(s)
	err := c.rule.Run(s, c.phase)
	if err == nil && c.phase == c.rule.Phases-1 {
		c.rule.finish(s, c.steps)
		s.live = false
	}
	return err
}

// startTotals sets the partial results of a phase to those of nothing: what a variant doesn't compute adds nothing.
func (c *calls) startTotals(s *Slot) {
	for i := range c.rule.Totals {
		if t := &c.rule.Totals[i]; t.Phase == c.phase {
			startTotal(s.tensors[t.Part], t.Monoid)
		}
	}
}

// prepare binds the tensors of a slot.
func (c *calls) prepare(s *Slot) error {
	s.live = false
	if c.steps {
		if s.Param.device != CPU {
			return deviceError(c.rule.Op, "parameter", s.Param)
		}
		g := s.Param.auto.gradient()
		if g == nil {
			return nil
		}
		if g.device != CPU {
			return deviceError(c.rule.Op, "gradient of a parameter", g)
		}
		if g.dtype != s.Param.dtype || !sameShape(g, s.Param) {
			return &ArgError{Op: c.rule.Op, Arg: "gradient of a parameter", Want: s.Param.describe(), Got: g.describe(), Err: ErrShape}
		}
		s.tensors[c.rule.Grad] = g
		for i, list := range c.extra {
			s.tensors[c.rule.Extra[i]] = list[min(s.at, len(list)-1)]
		}
		s.Step++
	}
	err := c.rule.bind(s)
	if s.live = err == nil; !s.live && c.steps {
		s.Step--
	}
	return err
}

// combine puts the partial results of a phase together, in the order of the slots.
func (c *calls) combine() {
	for k, t := range c.rule.Totals {
		if t.Phase != c.phase {
			continue
		}
		all := c.totals[k]
		switch {
		case all == nil: // there are no slots
		case all.dtype.Float():
			combineFloats(all, c.slots, t)
		default:
			combineInts(all, c.slots, t)
		}
	}
}
