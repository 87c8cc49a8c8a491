package runtime

// released is the device of a tensor that was released: no op takes it.
const released Device = 1<<16 - 1

// Release says that t is not used any more. When all tensors over the same memory are released (views have to be,
// too; tensors that are recorded for gradients keep theirs until the graph is freed) ops use the memory for new
// tensors. Memory of the caller, and memory that [Data] has given out, is never used again. Not to call Release is always right: the
// garbage collector finds what is dropped.
//
// A released tensor keeps its dtype and shape; everything that needs its elements fails with [ErrClosed]. Release of
// one tensor must not run at the same time as another use of that same tensor. A second Release does nothing.
func (t *Tensor) Release() {
	if t == nil || t.store == nil || t.device == released {
		return
	}
	t.device, t.data = released, nil
	t.store.drop()
}

// Released reports whether t was released.
func (t *Tensor) Released() bool { return t != nil && t.device == released }

// hold makes a tensor over the memory of t that keeps it when t is released.
func (t *Tensor) hold() *Tensor {
	h := *t
	if t.store != nil && t.device != released {
		t.store.tensors.Add(1)
	}
	return &h
}

// drop forgets a tensor over the memory. The last one gives it back.
func (s *storage) drop() {
	s.drops.Add(1)
	if s.with != nil {
		s.with.drops.Add(1)
	}
	if s.tensors.Add(-1) > 0 || s.from == nil || s.shared.Load() {
		return
	}
	p := s.from
	s.from, s.base = nil, nil
	putPooled(p)
}

// deviceError is the error of a tensor whose elements aren't in the memory of the process.
func deviceError(op, arg string, t *Tensor) error {
	if t.device == released {
		return &ArgError{Op: op, Arg: arg, Want: "a tensor in use", Got: t.describe(), Err: ErrClosed}
	}
	return &ArgError{Op: op, Arg: arg, Want: CPU.String(), Got: t.device.String(), Err: ErrDevice}
}

// usable checks that t is there and not released.
func (t *Tensor) usable(op string) error {
	switch {
	case t == nil || t.store == nil:
		return t.missing(op)
	case t.device == released:
		return deviceError(op, "t", t)
	}
	return nil
}
