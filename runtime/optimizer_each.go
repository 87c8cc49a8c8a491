package runtime

import "unsafe"

// part is a parameter of a run.
type part struct {
	at, n int // of the elements of the run, and how many there are
}

// placed is how the memory of a parameter of the signature goes on from part to part.
type placed struct {
	size   int  // of an element, as kernels have it
	scalar bool // one element a part
}

// each is what a run needs to update its parameters one by one, bound as one: the launches are those of each of them.
type each struct {
	parts  []part
	places []placed
	axis   int // of the elements
}

// newEach is how the slots of a run, whose tensors are there, are updated one by one.
func newEach(c *calls, b *batch, slots []*Slot, tensors []*Tensor) *each {
	sig := c.rule.signature()
	e := &each{axis: sig.Params[c.rule.Param].Dims[0].Axis}
	first := b.block.from[slots[0].Param.auto.at]
	for _, s := range slots {
		e.parts = append(e.parts, part{b.block.from[s.Param.auto.at] - first, s.Param.n})
	}
	for i := range sig.Params {
		t := tensors[i]
		if i == c.rule.Grad {
			t = tensors[c.rule.Param]
		}
		e.places = append(e.places, placed{t.dtype.computed().Size(), t.rank == 0})
	}
	return e
}

// run runs a phase for each part of a slot.
func (e *each) run(c *calls, s *Slot, dtype DType, r *repeat) error {
	b := &s.Bound
	ptr, n := b.Ptr, b.Ext[e.axis]
	defer func() { b.Ptr, b.Ext[e.axis], b.again = ptr, n, nil }()
	of := alike{group: s.Group, step: s.Step, dtype: dtype}
	var at [itemParams]unsafe.Pointer
	for i, p := range e.parts {
		for k, l := range e.places[:min(len(e.places), itemParams)] {
			from := p.at
			if l.scalar {
				from = i
			}
			at[k] = unsafe.Add(ptr[k], from*l.size)
		}
		if of.n = p.n; !r.is(c.phase, of) {
			copy(b.Ptr[:], at[:len(e.places)])
			b.Ext[e.axis] = p.n
			r.begin(c.phase, of)
			b.again = r
			if err := c.rule.Run(s, c.phase); err != nil {
				r.known = false
				return err
			}
			if !r.known {
				continue // it has been done
			}
		}
		r.run(&at, p.n)
	}
	return nil
}
