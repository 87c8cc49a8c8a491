package runtime

import "unsafe"

// part is parameters of a run that are of one size, with one distance between them.
type part struct {
	first, count int
	at           int // of the elements of the run
	n            int // elements of each of them
	apart        int // from where one begins to where the next one does
}

// placed is how the memory of a parameter of the signature goes on from parameter to parameter of the optimizer.
type placed struct {
	size   int  // of an element, as kernels have it
	number bool // one element for each
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
	for i, s := range slots {
		at, n := b.block.from[s.Param.auto.at]-first, s.Param.n
		if k := len(e.parts) - 1; k >= 0 && e.parts[k].takes(at, n) {
			e.parts[k].count++
		} else {
			e.parts = append(e.parts, part{i, 1, at, n, n})
		}
	}
	for i, t := range tensors[:len(sig.Params)] {
		if i == c.rule.Grad {
			t = tensors[c.rule.Param]
		}
		e.places = append(e.places, placed{t.dtype.computed().Size(), t.rank == 0})
	}
	return e
}

// takes reports whether a parameter of n elements is the next one of a part, whose second one says how far they are apart.
func (p *part) takes(at, n int) bool {
	if p.n != n {
		return false
	}
	if p.count == 1 {
		p.apart = at - p.at
	}
	return at == p.at+p.count*p.apart
}

// run runs a phase for the parameters of a run, which a slot stands for.
func (e *each) run(c *calls, s *Slot, dtype DType, r *repeat) error {
	b := &s.Bound
	ptr, n := b.Ptr, b.Ext[e.axis]
	defer func() { b.Ptr, b.Ext[e.axis], b.again = ptr, n, nil }()
	of := alike{group: s.Group, step: s.Step, dtype: dtype}
	var at [itemParams]unsafe.Pointer
	for _, p := range e.parts {
		of.n = p.n
		for i := 0; i < p.count; {
			e.place(&at, &ptr, p, i)
			if !r.is(c.phase, of) {
				copy(b.Ptr[:], at[:len(e.places)])
				b.Ext[e.axis] = p.n
				r.begin(c.phase, of, c.rule.Rows)
				b.again = r
				if err := c.rule.Run(s, c.phase); err != nil {
					r.known = false
					return err
				}
				if !r.known { // it has been done
					i++
					continue
				}
			}
			if !r.rows {
				r.run(&at, p.n, 1, 1, p.n)
				i++
				continue
			}
			i += e.rows(r, &ptr, p, i, p.apart*b.memory(c.rule.Param).Size())
		}
	}
	return nil
}

// place finds the addresses of parameter i of a part.
func (e *each) place(at *[itemParams]unsafe.Pointer, base *[Near]unsafe.Pointer, p part, i int) {
	for k, l := range e.places[:min(len(e.places), itemParams)] {
		from := p.at + i*p.apart
		if l.number {
			from = p.first + i
		}
		at[k] = unsafe.Add(base[k], from*l.size)
	}
}

// rows repeats launches for some parameters of a part, from number i on, which are so many bytes apart, and tells how many. Kernels take every
// second one, or more seldom where they are small: what they store at the end of a row, under a mask, seems to reach into the row behind,
// whose elements would have to wait for it.
func (e *each) rows(r *repeat, base *[Near]unsafe.Pointer, p part, i, bytes int) int {
	turns := 1 + ceilDiv(vectorBytes, bytes)
	count := min(p.count-i, turns*max(1, chunkElements/max(p.n, leastWork))) // a call can't be interrupted
	var at [itemParams]unsafe.Pointer
	for turn := range min(turns, count) {
		e.place(&at, base, p, i+turn)
		r.run(&at, p.n, ceilDiv(count-turn, turns), turns, turns*p.apart)
	}
	return count
}

// vectorBytes is what a load or store reaches over at most.
const vectorBytes = 64
