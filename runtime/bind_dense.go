package runtime

import "math/bits"

// packAt is where a pack lies in a tensor.
type packAt struct{ param, first, rank uint8 } // param counts from 1; 0: nowhere

// Numbers of parameters that stand for none.
const (
	flatPack    = 255 - iota // the pack is one axis: of slices
	unknownPack              // no tensor of the call has it
)

// bindDense is Bind for tensors that need no work: contiguous, nothing expanded, placed axes where they are written, at
// the end. It reports false where they are not that simple, or are wrong.
func (s *Signature) bindDense(b *Bound, at *Placement, tensors []*Tensor) bool {
	b.DType = b.chosen
	b.packs, b.general = [MaxAxes]packAt{}, false
	b.splat, b.writes = 0, 0
	if s.Placed != nil && (at == nil || at.All || at.Keep) || s.Alike != nil {
		return false
	}
	known := uint32(0)
	first := -1   // the first parameter with axes
	made := false // tensors were made for the call: cotangents and gradients
	for i, t := range tensors {
		p := &s.Params[i]
		b.t[i] = t
		if t == nil {
			if !b.absent(s, i) {
				return false
			}
			continue
		}
		if !t.contig || t.device != CPU || t.dtype.half() || !takeDType(&b.DType, s, p, t.dtype) {
			return false
		}
		if s.Outer && first >= 0 && len(p.Dims) > 0 {
			if u := b.t[first]; t.n != u.n || !sameShape(t, u) {
				return false
			}
		} else if !b.takeDims(s, i, at, &known) {
			return false
		} else if first < 0 && len(p.Dims) > 0 {
			first = i
		}
		if p.Mode.written() {
			if t.recorded() || p.Mode == Gradient && tensors[p.Of] == nil {
				return false
			}
			b.writes |= 1 << i
			made = made || t.made
		} else if p.Mode == Back {
			made = made || t.made
		}
		b.Ptr[i] = t.data
	}
	for i := len(tensors); i < len(s.Params); i++ { // results that the caller doesn't take
		b.t[i] = nil
		if s.Params[i].Mode != Out || !b.absent(s, i) {
			return false
		}
	}
	for w := b.writes; w != 0; w &= w - 1 {
		i := bits.TrailingZeros64(w)
		for j, t := range tensors {
			if i == j || t == nil || !overlap(tensors[i], t) {
				continue
			}
			if t.data != tensors[i].data || t.n != tensors[i].n || s.Params[i].InPlace>>j&1 == 0 {
				return false
			}
		}
	}
	b.sig, b.taken, b.small = s, 0, 0
	if made && b.takeAllMade() != nil || len(s.Scratch) > 0 && b.checkScratch() != nil {
		return false
	}
	if bits.OnesCount32(known) < len(s.Axes) { // of inputs that may be absent
		for a := range s.Axes {
			if known>>a&1 == 0 {
				b.packs[a].param = unknownPack
			}
		}
	}
	return true
}

// absent is the address of a parameter that isn't given.
func (b *Bound) absent(s *Signature, i int) bool {
	p := &s.Params[i]
	b.Ptr[i] = nil
	switch {
	case p.Mode == Gradient:
	case !p.Optional:
		return false
	case p.Splat:
		d := elemDType(p.Elem, &b.DType).computed()
		if !d.valid() {
			return false // an output decides
		}
		b.Ptr[i] = Splat(d, p.Default)
		b.splat |= 1 << i
	}
	return true
}

// takeDims checks the axes of a parameter, from the right, against those that are known, and takes those that are not.
func (b *Bound) takeDims(s *Signature, i int, at *Placement, known *uint32) bool {
	t, p := b.t[i], &s.Params[i]
	left := int(t.rank)
	if s.Placed != nil && !s.placedLast(p, left, at) {
		return false
	}
	for j := len(p.Dims) - 1; j >= 0; j-- {
		d := &p.Dims[j]
		a := d.Axis & (MaxAxes - 1)
		switch {
		case d.Factors != nil || d.Optional:
			return false
		case !s.Axes[a].Pack:
			left--
			if left < 0 {
				return false
			}
			e := t.shape[left&(MaxRank-1)]
			if *known>>a&1 != 0 && b.Ext[a] != e {
				return false
			}
			b.Ext[a] = e
		default:
			rank := left // the first dimension takes what is left
			if s.placed(d) {
				rank = at.N
			} else if j > 0 {
				return false
			}
			left -= rank
			if r := s.Axes[a].Ranks; left < 0 || r != 0 && r>>rank&1 == 0 || !b.takePack(i, a, left, rank) {
				return false
			}
		}
		*known |= 1 << a
	}
	return left == 0
}

// takePack checks the axes of a pack against those of an earlier tensor, or takes them.
func (b *Bound) takePack(i, a, first, rank int) bool {
	t := b.t[i]
	old := b.packs[a]
	if old.param == 0 {
		b.packs[a] = packAt{uint8(i + 1), uint8(first), uint8(rank)}
		n := 1
		for _, e := range t.shape[first : first+rank] {
			n *= e
		}
		b.Ext[a] = n
		return true
	}
	if int(old.rank) != rank {
		return false
	}
	u := b.t[old.param-1]
	for k := range rank {
		if t.shape[(first+k)&(MaxRank-1)] != u.shape[(int(old.first)+k)&(MaxRank-1)] {
			return false
		}
	}
	return true
}

// placedLast reports whether the caller places axes where the parameter has them anyway: at the end.
func (s *Signature) placedLast(p *Param, rank int, at *Placement) bool {
	if !s.movable(p, true) {
		return true
	}
	if last := len(p.Dims) - 1; !s.placed(&p.Dims[last]) || last > 0 && s.placed(&p.Dims[last-1]) {
		return false
	}
	for k := range at.N {
		if q := at.At[k&(MaxRank-1)]; q != k-at.N && q != rank-at.N+k {
			return false
		}
	}
	return true
}
