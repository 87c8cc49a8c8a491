package runtime

import (
	"fmt"
	"slices"
	"strconv"
)

// tensorLists are calls on lists of tensors, pooled.
type tensorLists struct {
	calls calls
	all   []*Slot // those that there are
	dtype DType   // of the totals
}

// Call makes one call on several tensors together: element i of each list belongs to call i. Lists are in the order of the signature;
// nil stands for an output that nobody wants. On an error nothing was changed.
func (r *Rule) Call(v Attributes, step int, lists ...[]*Tensor) error {
	n := len(lists[r.Param])
	for i, l := range lists {
		if i == int(r.Param) {
			if k := slices.Index(l, nil); k >= 0 {
				return &ArgError{Op: r.Op, Arg: fmt.Sprintf("%s[%d]", r.signature().Params[i].Name, k), Want: "a tensor", Got: "nil", Err: ErrNil}
			}
		}
		if len(l) != n && l != nil {
			return &ArgError{Op: r.Op, Arg: r.signature().Params[i].Name, Want: fmt.Sprintf("%d tensors", n), Got: strconv.Itoa(len(l)), Err: ErrShape}
		}
	}
	if step < 1 || step > MaxPoints {
		return AttrError(r.Op, "step", "from 1 to 2^44", step)
	}
	if err := r.apart(lists); err != nil {
		return err
	}
	l, _ := r.lists.Get().(*tensorLists)
	if l == nil {
		l = &tensorLists{calls: calls{rule: r, totals: make([]*Tensor, len(r.Totals))}}
	}
	err := l.call(v, step, n, lists)
	l.forget()
	r.lists.Put(l)
	return err
}

// call makes the calls.
func (l *tensorLists) call(v Attributes, step, n int, lists [][]*Tensor) error {
	r := l.calls.rule
	sig := r.signature()
	for len(l.all) < n {
		l.all = append(l.all, &Slot{tensors: make([]*Tensor, len(sig.Params))})
	}
	l.calls.slots = append(l.calls.slots[:0], l.all[:n]...)
	for i, s := range l.calls.slots {
		s.Values, s.Step = v, step
		for k, list := range lists {
			if list != nil {
				s.tensors[k] = list[i]
			}
		}
		if err := l.makeTotals(s, i); err != nil {
			return err
		}
	}
	l.calls.cut()
	return l.calls.run()
}

// makeTotals gives the call the memory of its partial results and of totals, which have one dtype.
func (l *tensorLists) makeTotals(s *Slot, i int) error {
	r := l.calls.rule
	if len(r.Totals) == 0 {
		return nil
	}
	sig := r.signature()
	d := s.tensors[r.Param].dtype
	switch {
	case i == 0 && d != l.dtype:
		l.dtype = d
		clear(l.calls.totals)
		for _, old := range l.all {
			for _, t := range r.Totals {
				old.tensors[t.Part] = nil
			}
		}
	case d != l.dtype:
		return &ArgError{Op: r.Op, Arg: fmt.Sprintf("%s[%d]", sig.Params[r.Param].Name, i), Want: l.dtype.String() + " as the other tensors", Got: d.String(), Err: ErrDType}
	}
	vars := r.dtypes(s)
	for k, t := range r.Totals {
		if l.calls.totals[k] == nil {
			l.calls.totals[k] = newTotal(sig.Params[t.All].Elem, &vars)
		}
		if s.tensors[t.Part] == nil {
			s.tensors[t.Part] = newTotal(sig.Params[t.Part].Elem, &vars)
		}
		s.tensors[t.All] = l.calls.totals[k]
	}
	return nil
}

// forget drops what belongs to the caller.
func (l *tensorLists) forget() {
	for _, s := range l.calls.slots {
		s.Values, s.Bound = nil, Bound{}
		clear(s.tensors[:len(s.tensors)-2*len(l.calls.rule.Totals)])
	}
}
