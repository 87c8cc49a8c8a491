package runtime

// written is a tensor that a phase stores to, and its elements before.
type written struct {
	slot   *Slot
	t, was *Tensor
}

// copyWritten keeps the elements of all tensors that will be stored to, where storing can fail for one tensor after others are renewed. A call
// that fails leaves its own tensors as they were.
func (c *calls) copyWritten() {
	live := 0
	for _, s := range c.slots {
		if s.live {
			live++
		}
	}
	if live < 2 {
		return
	}
	for _, s := range c.slots {
		if !s.live {
			continue
		}
		for i := range s.Bound.sig.Params {
			if t := s.Bound.Tensor(i); s.Bound.writes>>i&1 != 0 && t != nil {
				c.before = append(c.before, written{s, t, t.copy()})
			}
		}
	}
}

// copyBack forgets these elements, after tensors have them again where the calls have failed.
func (c *calls) copyBack(failed bool) {
	for i, w := range c.before {
		if failed {
			copyStrided(w.t.data, w.t.strides(), w.was.data, w.was.strides(), w.t.dims(), w.t.dtype.Size())
			w.t.Touch()
			if first := i == 0 || c.before[i-1].slot != w.slot; first && c.steps && !w.slot.live {
				w.slot.Step-- // its call had ended
			}
		}
		w.was.Release()
	}
	clear(c.before)
	c.before = c.before[:0]
}
