package ir

import "slices"

// isPlaced tells whether the caller places axes of the tensor: in the first input that names one of them, and in every
// tensor with a further pack.
func (b *binder) isPlaced(name string, refs []AxisRef) bool {
	placed, pack := false, false
	for _, a := range refs {
		if _, ok := b.places[a.Name]; ok {
			placed = true
		} else {
			pack = pack || a.Pack
		}
	}
	if !placed || pack {
		return placed
	}
	for _, p := range b.decl.Inputs {
		for _, a := range p.Axes {
			if _, ok := b.places[a.Name]; ok {
				return p.Name == name
			}
		}
	}
	return false
}

// jointAxis is one dimension of the joint shape in which the caller counts.
type jointAxis struct {
	axis string // its name; of a product, those of the factors; where it is placed, the attribute: of axis(D|K), K is where D is
	k    int    // its number in a pack
	attr string // the attribute that says where it lies; "": none does
	pack bool
}

// keyOf is dimension k of an axis.
func (b *binder) keyOf(a AxisRef, k int) jointAxis {
	if a.Product != nil {
		name := ""
		for _, f := range flatten(a.Product) {
			name += "*" + f.Name
		}
		return jointAxis{axis: name}
	}
	pl, placed := b.places[a.Name]
	switch {
	case !placed:
		return jointAxis{axis: a.Name, k: k, pack: a.Pack}
	case pl.all:
		return jointAxis{axis: "=" + pl.attr, k: k, pack: a.Pack}
	}
	return jointAxis{axis: "=" + pl.attr, k: k, attr: pl.attr, pack: a.Pack}
}

// countOf is the number of dimensions of an axis or a pack.
func (b *binder) countOf(a AxisRef) int {
	if a.Pack && a.Product == nil {
		return b.ranks[a.Name]
	}
	return 1
}

// jointAxes are the dimensions in which the caller counts: those of the first input that names a placed axis.
func (b *binder) jointAxes() ([]jointAxis, error) {
	if b.joint != nil {
		return b.joint, nil
	}
	i := slices.IndexFunc(b.inputs, func(p *Param) bool { return b.isPlaced(p.Name, p.Axes) })
	if i < 0 {
		return nil, nil
	}
	refs := b.inputs[i].Axes
	n := 0
	for _, a := range refs {
		n += b.countOf(a)
	}
	r := make([]jointAxis, n)
	taken := make([]bool, n)
	for _, a := range refs {
		pl, ok := b.places[a.Name]
		if !ok || pl.all {
			continue
		}
		for k, at := range pl.at {
			if at < -n || at >= n {
				return nil, b.fail(pl.attr, "axis %d is out of range for %s with %s", at, b.inputs[i].Name, axesText(n))
			}
			at = (at + n) % n
			if taken[at] {
				return nil, b.fail(pl.attr, "axis %d is named twice", at)
			}
			taken[at] = true
			r[at] = b.keyOf(a, k)
		}
	}
	next := 0
	for _, a := range refs {
		if pl, ok := b.places[a.Name]; ok && !pl.all {
			continue
		}
		for k := range b.countOf(a) {
			for taken[next] {
				next++
			}
			r[next] = b.keyOf(a, k)
			next++
		}
	}
	b.joint = r
	return r, nil
}

// slots are the positions of each axis of refs among the dimensions of a tensor of full rank. The second result is the rank.
//
// Axes lie in the order in which they are written. Where the caller places some of them, or the tensor gets ones for axes that it
// lacks (kept), those that it shares with the joint shape lie as there: placed ones between the others as the caller has them, and the
// others in the order in which they are written. A pack that the joint shape lacks may stand for one there, aligned at the right; an
// axis that it lacks keeps its place.
func (b *binder) slots(name string, refs []AxisRef, kept bool) ([][]int, int, error) {
	var keys []jointAxis // in the order in which they are written
	at := make([][]int, len(refs))
	for i, a := range refs {
		count := b.countOf(a)
		if pl, ok := b.places[a.Name]; ok && !pl.all && len(pl.at) != count {
			return nil, 0, b.fail(pl.attr, "names %s, %s has %d", axesText(len(pl.at)), a.Name, count)
		}
		at[i] = make([]int, count)
		for k := range count {
			at[i][k] = len(keys)
			keys = append(keys, b.keyOf(a, k))
		}
	}
	if !kept && !b.isPlaced(name, refs) {
		return at, len(keys), nil
	}
	joint, err := b.jointAxes()
	if err != nil {
		return nil, 0, err
	}
	to, err := b.arranged(keys, joint)
	if err != nil {
		return nil, 0, err
	}
	for i := range at {
		for k, p := range at[i] {
			at[i][k] = to[p]
		}
	}
	return at, len(keys), nil
}

// arranged says where each of the dimensions of a tensor, as they are written, lies beside those of the joint shape.
func (b *binder) arranged(keys, joint []jointAxis) ([]int, error) {
	const none = -1
	has := make([]int, len(joint)) // the dimension of the tensor that is that of the joint shape
	for q := range has {
		has[q] = none
	}
	to := make([]int, len(keys))
	var free, slots []int // dimensions that share theirs and aren't placed; the slots of all that share theirs
	for p, key := range keys {
		to[p] = p
		q := 0
		for q < len(joint) && (has[q] != none || joint[q] != key) {
			q++
		}
		if q == len(joint) {
			if key.attr != "" && len(joint) > 0 {
				return nil, b.fail(key.attr, "places two axes of one tensor at one place")
			}
			continue
		}
		has[q] = p
	}
	q := len(joint)
	for p := len(keys) - 1; p >= 0; p-- {
		if !keys[p].pack || keys[p].attr != "" || slices.Contains(has, p) {
			continue
		}
		for q--; q >= 0 && !(has[q] == none && joint[q].pack && joint[q].attr == ""); q-- {
		}
		if q < 0 {
			break
		}
		has[q] = p
	}
	for p, key := range keys {
		if slices.Contains(has, p) {
			slots = append(slots, p)
			if key.attr == "" {
				free = append(free, p)
			}
		}
	}
	k := 0
	for q, p := range has {
		if p == none {
			continue
		}
		if joint[q].attr == "" {
			p, free = free[0], free[1:]
		}
		to[p] = slots[k]
		k++
	}
	return to, nil
}
