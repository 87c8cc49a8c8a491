package runtime

import "unsafe"

// What a phase of an update does with small tensors differs in addresses and numbers of elements alone, where these share attributes,
// the number of the step and the dtype. So it is asked once what it does, and that is repeated: a kernel is called for each tensor, with
// the scalars of the first one.

// repeat is what a phase does.
type repeat struct {
	phase, group, step int
	dtype              DType
	known              bool // launches are all that it does
	broken             bool // it does more, which has been done for the tensor that was asked
	count              int
	launches           [maxRepeats]repeated
}

// maxRepeats bounds the launches that are repeated.
const maxRepeats = 4

// repeated is a launch of one call of a kernel.
type repeated struct {
	kernel   Kernel
	args     Args
	params   [MaxOperands]uint8 // of operands
	operands int
	whole    bool // it runs over all elements; else over one
}

// Repeat takes a launch in the place of the caller, and reports whether it did. Code of updates calls it where a launch depends on
// attributes, the step, dtypes, addresses and, if whole is set, the number of elements, which are all lanes of one row.
func (b *Bound) Repeat(k Kernel, a *Args, p *Plan, whole bool) bool {
	return b.again != nil && b.again.take(b, k, a, p, whole)
}

// Idle says that a phase does nothing with tensors, whatever they are.
func (b *Bound) Idle() {
	if b.again != nil {
		b.again.known = true
	}
}

// take keeps a launch. It reports false where it can't, after all that were taken before are done.
func (r *repeat) take(b *Bound, k Kernel, a *Args, p *Plan, whole bool) bool {
	if r.broken {
		return false
	}
	if r.count < maxRepeats && !p.Wide && Serial(a, p) {
		l := &r.launches[r.count]
		if l.params, r.broken = paramsOf(b, a, p); !r.broken {
			l.kernel, l.args, l.operands, l.whole = k, *a, len(p.Operands), whole
			r.count++
			r.known = true
			return true
		}
	}
	for i := range r.launches[:r.count] {
		call(r.launches[i].kernel, &r.launches[i].args)
	}
	r.known, r.broken = false, true
	return false
}

// paramsOf finds the parameters whose addresses operands have. It reports where that isn't known.
func paramsOf(b *Bound, a *Args, p *Plan) (params [MaxOperands]uint8, unknown bool) {
	for i := range p.Operands {
		found := 0
		for j := range b.sig.Params[:min(len(b.sig.Params), itemParams)] {
			if b.Ptr[j] == a.Ptr[i] && a.Ptr[i] != nil {
				params[i] = uint8(j)
				found++
			}
		}
		if found != 1 {
			return params, true
		}
	}
	return params, false
}

// is reports whether a phase does this with an item.
func (r *repeat) is(phase int, it *item) bool {
	return r.known && r.phase == phase && r.group == it.group && r.step == it.step && r.dtype == it.dtype
}

// run does it for an item.
func (r *repeat) run(it *item) {
	for i := range r.launches[:r.count] {
		l := &r.launches[i]
		for k, p := range l.params[:l.operands] {
			l.args.Ptr[k] = it.ptr[p&(itemParams-1)]
		}
		if l.whole {
			l.args.N = it.n
		}
		call(l.kernel, &l.args)
	}
}

// share takes over what another task knows of the phase.
func (r *repeat) share(from *repeat) {
	r.phase, r.group, r.step, r.dtype, r.known, r.count = from.phase, from.group, from.step, from.dtype, from.known, from.count
	copy(r.launches[:r.count], from.launches[:r.count])
}

// forget drops addresses.
func (r *repeat) forget() {
	for i := range r.launches[:r.count] {
		r.launches[i].args.Ptr = [MaxOperands]unsafe.Pointer{}
	}
}
