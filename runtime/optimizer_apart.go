package runtime

import (
	"cmp"
	"fmt"
	"slices"
)

// listed is a tensor of one of the calls that are made together.
type listed struct {
	t        *Tensor
	call     int
	param    int
	written  bool
	from, to uintptr
}

// apart refuses lists in which memory that one call writes is read or written by another one: which of them comes first isn't said. What
// tensors of one call may share is seen when they are bound.
func (r *Rule) apart(lists [][]*Tensor) error {
	sig := r.signature()
	var all []listed
	for i, l := range lists {
		for k, t := range l {
			if t == nil || t.n == 0 || t.device != CPU {
				continue
			}
			e := listed{t: t, call: k, param: i, written: sig.Params[i].Mode.written()}
			e.from, e.to = t.memory()
			all = append(all, e)
		}
	}
	slices.SortStableFunc(all, func(a, b listed) int { return cmp.Compare(a.from, b.from) })
	// Of the tensors before, the last one to end and the last one of another call, among those that are written and all.
	var ends, writes [2]*listed
	for i := range all {
		e := &all[i]
		before := &writes
		if e.written {
			before = &ends
		}
		for _, o := range before {
			if o != nil && o.call != e.call && o.to > e.from {
				return r.meets(e, o)
			}
		}
		reaches(&ends, e)
		if e.written {
			reaches(&writes, e)
		}
	}
	return nil
}

// reaches keeps the tensor that ends last, and the last one of another call than that.
func reaches(last *[2]*listed, e *listed) {
	switch {
	case last[0] == nil || e.to > last[0].to:
		if last[0] != nil && last[0].call != e.call {
			last[1] = last[0]
		}
		last[0] = e
	case last[0].call != e.call && (last[1] == nil || e.to > last[1].to):
		last[1] = e
	}
}

// meets is the error of two tensors of different calls. It names the one that is written.
func (r *Rule) meets(a, b *listed) error {
	if !a.written || a.written == b.written && a.call < b.call {
		a, b = b, a
	}
	params := r.signature().Params
	return &ArgError{Op: r.Op, Arg: fmt.Sprintf("%s[%d]", params[a.param].Name, a.call), Want: "memory of its own",
		Got: fmt.Sprintf("%s that overlaps %s[%d]", a.t.describe(), params[b.param].Name, b.call), Err: ErrAlias}
}
