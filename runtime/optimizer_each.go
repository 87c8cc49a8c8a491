package runtime

import "unsafe"

// part is parameters of a run that are of one size, with one distance between them: all that follow each other, or one of each layer.
type part struct {
	first, count, step int // numbers in the run: from one parameter to the next
	at                 int // of the elements of the run
	n                  int // elements of each of them
	apart              int // from where one begins to where the next one does
}

// maxPeriod is how many parameters of several sizes may follow each other again and again.
const maxPeriod = 32

// cutParts cuts parameters, which begin somewhere and have so many elements, into parts.
func cutParts(at, n []int) []part {
	var parts []part
	for i := 0; i < len(n); {
		period, count := 1, 1
		for p := 1; p <= min(maxPeriod, len(n)-i-1); p++ {
			j := i + p
			for j < len(n) && n[j] == n[j-p] && at[j]-at[j-p] == at[i+p]-at[i] {
				j++
			}
			if k := (j - i) / p; k > 1 && k*p > period*count {
				period, count = p, k
			}
		}
		for k := i; k < i+period; k++ {
			parts = append(parts, part{first: k, count: count, step: period, at: at[k], n: n[k], apart: at[min(k+period, len(at)-1)] - at[k]})
		}
		i += period * count
	}
	return parts
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
	at, n := make([]int, len(slots)), make([]int, len(slots))
	for i, s := range slots {
		at[i], n[i] = b.block.from[s.Param.auto.at]-b.block.from[slots[0].Param.auto.at], s.Param.n
	}
	e.parts = cutParts(at, n)
	for i, t := range tensors[:len(sig.Params)] {
		if i == c.rule.Grad {
			t = tensors[c.rule.Param]
		}
		e.places = append(e.places, placed{t.dtype.computed().Size(), t.rank == 0})
	}
	return e
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
			i += e.rows(r, &ptr, p, i, b.memory(c.rule.Param).Size())
		}
	}
	return nil
}

// place finds the addresses of parameter i of a part.
func (e *each) place(at *[itemParams]unsafe.Pointer, base *[Near]unsafe.Pointer, p part, i int) {
	for k, l := range e.places[:min(len(e.places), itemParams)] {
		from := p.at + i*p.apart
		if l.number {
			from = p.first + i*p.step
		}
		at[k] = unsafe.Add(base[k], from*l.size)
	}
}

// rows repeats launches for some parameters of a part, from number i on, with elements of so many bytes, and tells how many. Of neighbours kernels take every
// second one, or more seldom where they are small: what they store at the end of a row, under a mask, seems to reach into the row behind,
// whose elements would have to wait for it.
func (e *each) rows(r *repeat, base *[Near]unsafe.Pointer, p part, i, size int) int {
	turns := max(1, ceilDiv(p.n*size+vectorBytes, max(1, p.apart*size)))
	count := min(p.count-i, turns*max(1, chunkElements/max(p.n, leastWork))) // a call can't be interrupted
	var at [itemParams]unsafe.Pointer
	for turn := range min(turns, count) {
		e.place(&at, base, p, i+turn)
		r.run(&at, p.n, ceilDiv(count-turn, turns), turns*p.step, turns*p.apart)
	}
	return count
}

// vectorBytes is what a load or store reaches over at most.
const vectorBytes = 64
