package runtime

// calls are calls of an update that are made together.
type calls struct {
	rule   *Rule
	slots  []*Slot
	steps  bool      // of an optimizer: a slot takes its gradient, and without one no part
	totals []*Tensor // by number of the total
	phase  int       // -1: tensors are bound
	small  [][2]int  // slots from, to: small tensors, which one task runs one after the other
	large  []int     // slots whose launches are cut themselves
}

// run makes the calls. On an error before the last phase nothing was changed.
func (c *calls) run() error {
	for c.phase = -1; c.phase < c.rule.Phases; c.phase++ {
		if err := c.runPhase(); err != nil {
			for _, s := range c.slots {
				c.giveUp(s)
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
	c.small, c.large = c.small[:0], c.large[:0]
	work := chunkElements
	for i, s := range c.slots {
		n := 1
		for _, t := range s.tensors {
			if t != nil {
				n = max(n, t.n)
			}
		}
		if n > chunkElements {
			c.large = append(c.large, i)
			work = chunkElements // the next one begins a task
			continue
		}
		if n = max(n, leastWork); work+n > chunkElements {
			c.small = append(c.small, [2]int{i, i})
			work = 0
		}
		work += n
		c.small[len(c.small)-1][1] = i + 1
	}
}

// leastWork is the number of elements whose work is that of a call without any.
const leastWork = 512

// runPhase runs a phase for all slots, and gives the error of the first one that has any.
func (c *calls) runPhase() error {
	for _, i := range c.large {
		s := c.slots[i]
		s.err = c.runSlot(s)
	}
	if n := len(c.small); n == 1 {
		c.task(nil, 0)
	} else if n > 1 {
		runTasks(c, nil, n)
	}
	for _, s := range c.slots {
		if s.err != nil {
			return s.err
		}
	}
	return nil
}

// task runs a phase for the slots of one task.
func (c *calls) task(_ *Args, i int) {
	for _, s := range c.slots[c.small[i][0]:c.small[i][1]] {
		s.err = c.runSlot(s)
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
	for i := range c.rule.Totals {
		// What a variant doesn't compute adds nothing.
		if t := &c.rule.Totals[i]; t.Phase == c.phase {
			startTotal(s.tensors[t.Part], t.Monoid)
		}
	}
	err := c.rule.Run(s, c.phase)
	if err == nil && c.phase == c.rule.Phases-1 {
		c.rule.finish(s, c.steps)
		s.live = false
	}
	return err
}

// prepare binds the tensors of a slot.
func (c *calls) prepare(s *Slot) error {
	s.live = false
	if c.steps {
		if s.Param.device != CPU {
			return deviceError(c.rule.Op, "parameter", s.Param)
		}
		g := s.Param.Grad()
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
