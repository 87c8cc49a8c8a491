package runtime

import (
	"math/bits"
	"unsafe"
)

// itemParams bounds the parameters of signatures for which there are items: a power of two.
const itemParams = 8

// item is what a step must know of a small parameter whose call is like that of the step before, in one place of memory: a step goes
// through all items, and reads little else.
type item struct {
	slot   *Slot
	auto   *autograd // of the parameter
	store  *storage  // likewise
	states *storage  // of all states; nil where there are none
	ptr    [itemParams]unsafe.Pointer
	n      int
	step   int
	group  int
	drops  [2]uint64 // of the storages, when the call was bound
	kept   *Signature
	shape  [MaxRank]uint16 // of few elements
	rank   uint8
	dtype  DType
	ready  bool // all of this is known
	live   bool // it takes part in the call that is made, without a new binding
}

// learn takes over what a call of a slot, that is finished, has shown.
func (it *item) learn(r *Rule, s *Slot) {
	it.ready = false
	p := s.Param
	if s.kept == nil || p.n == 0 || p.n > chunkElements {
		return
	}
	it.slot, it.auto, it.store, it.states = s, p.auto, p.store, nil
	it.n, it.group, it.kept = p.n, s.Group, s.kept
	it.rank, it.dtype = p.rank, p.dtype
	for i, e := range p.dims() {
		it.shape[i] = uint16(e)
	}
	for i := range s.kept.Params {
		it.ptr[i] = s.Bound.Ptr[i]
	}
	if len(s.State) > 0 {
		it.states = s.State[0].store
		it.drops[1] = it.states.drops.Load()
	}
	it.drops[0] = it.store.drops.Load()
	for w := s.Bound.writes; w != 0; w &= w - 1 {
		t := s.Bound.t[bits.TrailingZeros64(w)&(Near-1)]
		if t.device != CPU || t.store != it.store && t.store != it.states && !r.isPart(bits.TrailingZeros64(w)) {
			return
		}
	}
	it.ready = true
}

// isPart reports whether a parameter of the signature is the partial result of a total, which nobody else has.
func (r *Rule) isPart(i int) bool {
	for k := range r.Totals {
		if r.Totals[k].Part == i {
			return true
		}
	}
	return false
}

// begin makes an item part of a step, if it has a gradient. It reports false where more than the memory of the gradient has changed.
func (it *item) begin(c *calls, t *task) bool {
	g := it.auto.gradient()
	switch {
	case it.store.drops.Load() != it.drops[0] || c.shown && it.states != nil && it.states.drops.Load() != it.drops[1]:
		return false
	case g == nil:
		it.live, it.slot.live = false, false
		return true
	case g.dtype != it.dtype || g.device != CPU || !g.contig || g.n != it.n || g.rank != it.rank:
		return false
	}
	for i := range it.rank {
		if g.shape[i&(MaxRank-1)] != int(it.shape[i&(MaxRank-1)]) {
			return false
		}
	}
	size := uintptr(it.n * it.dtype.Size())
	if at := uintptr(g.data); at-uintptr(it.ptr[c.rule.Param&(itemParams-1)])+size-1 < 2*size-1 || c.slabs[it.group].meets(at, at+size) {
		return false
	}
	s := it.slot
	s.Step++
	if !t.knows || t.group != it.group || t.step != s.Step {
		t.knows, t.group, t.step, t.kept = true, it.group, s.Step, c.rule.Signatures[0]
		if c.rule.Variant != nil {
			v, err := c.rule.Variant(s)
			t.kept = nil
			if err == nil {
				t.kept = c.rule.Signatures[v]
			}
		}
	}
	if t.kept != it.kept {
		s.Step--
		return false
	}
	it.step = s.Step
	it.ptr[c.rule.Grad&(itemParams-1)] = g.data
	it.live, s.live = true, true
	return true
}

// alike is what an item shares with others for which a phase does the same.
func (it *item) alike() alike { return alike{it.group, it.step, it.n, it.dtype} }

// ask runs a phase for an item and finds out whether what it does can be repeated. If so, it has not been done.
func (c *calls) ask(it *item, r *repeat) error {
	s := it.slot
	g := it.auto.gradient()
	if data := it.ptr[c.rule.Grad&(itemParams-1)]; g == nil || g.data != data {
		g = over(data, it.dtype, s.Param.dims(), it.n) // somebody has taken it in the meantime
	}
	s.tensors[c.rule.Grad], s.Bound.t[c.rule.Grad], s.Bound.Ptr[c.rule.Grad] = g, g, g.data
	if c.rule.Variant != nil {
		v, err := c.rule.Variant(s)
		if err != nil {
			return err
		}
		s.Variant = v
	}
	r.begin(c.phase, it.alike(), c.rule.Rows)
	s.Bound.again = r
	err := c.runSlot(s)
	s.Bound.again = nil
	s.tensors[c.rule.Grad], s.Bound.t[c.rule.Grad], s.Bound.Ptr[c.rule.Grad] = nil, nil, nil
	if err != nil {
		r.known = false
	}
	return err
}

// runItems runs a phase for the slots of a task.
func (c *calls) runItems(t *task) {
	r := t.repeat
	if first := c.small[0].repeat; r != first && first.phase == c.phase {
		r.share(first) // the first task has ended
	}
	for i := t.from; i < t.to && t.err == nil; i++ {
		c.runItem(t, c.order[i])
	}
	for _, b := range t.batches {
		if t.err == nil {
			b.step(c, t)
		}
	}
	r.forget()
}

// runItem runs a phase for a slot.
func (c *calls) runItem(t *task, i int) {
	last := c.phase == c.rule.Phases-1
	it, r := &c.items[i], t.repeat
	if !it.live {
		s := c.slots[i]
		if !s.live {
			return
		}
		if t.fail(i, c.runSlot(s)); last && t.err == nil {
			it.learn(c.rule, s)
		}
		return
	}
	if !r.is(c.phase, it.alike()) {
		if err := c.ask(it, r); err != nil || !r.known {
			if t.fail(i, err); last {
				it.live, it.ptr[c.rule.Grad&(itemParams-1)] = false, nil
			}
			return
		}
	}
	if len(c.rule.Totals) > 0 {
		c.startTotals(it.slot)
	}
	r.run(&it.ptr, it.n, 1, 1, it.n)
	if last {
		it.end(c)
	}
}

// bindItems makes the slots of a task part of a step.
func (c *calls) bindItems(t *task) {
	t.knows, t.repeat.known = false, false
	for i := t.from; i < t.to; i++ { // after an error too: it says what takes part, which is taken back then
		c.bindItem(t, c.order[i])
	}
	for _, b := range t.batches {
		b.begin(c, t)
	}
}

// bindItem makes a slot part of a step.
func (c *calls) bindItem(t *task, i int) {
	it := &c.items[i]
	if it.ready && it.begin(c, t) {
		return
	}
	it.live = false
	t.fail(i, c.prepare(c.slots[i]))
}

// end is the end of a step.
func (it *item) end(c *calls) {
	it.store.version.Add(1)
	if c.shown && it.states != nil {
		it.states.version.Add(1)
	}
	it.ptr[c.rule.Grad&(itemParams-1)] = nil
}

// slab is where memory begins and ends.
type slab struct{ from, to uintptr }

func (s slab) meets(from, to uintptr) bool { return from < s.to && s.from < to }
