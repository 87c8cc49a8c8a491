package ir

// viewer makes the dimensions of a view, axis by axis.
type viewer struct {
	b       *binder
	variant *Variant
	axes    []*Axis // of the tensor that are left
	view    *View
}

// dims are the sizes of the dimensions of an axis or pack of the signature, and whether each is an axis of its own.
func (w *viewer) dims(a AxisRef) (sizes []int, spread bool) {
	if a.Pack && w.b.isSpread(w.variant, a.Name) {
		for range w.b.ranks[a.Name] {
			e, _ := w.b.extentOf(w.next())
			sizes = append(sizes, e)
		}
		return sizes, true
	}
	axis := w.next()
	if axis.Pack {
		return w.b.extents[axis.Name], false
	}
	e, _ := w.b.extentOf(axis)
	return []int{e}, false
}

// refsOf are the axes of a tensor as a signature would have them.
func refsOf(axes []*Axis) []AxisRef {
	var refs []AxisRef
	for _, a := range axes {
		switch {
		case a.Of == "":
			refs = append(refs, AxisRef{Name: a.Name, Pack: a.Pack})
		case a.At == 0:
			refs = append(refs, AxisRef{Name: a.Of, Pack: true})
		}
	}
	return refs
}

// next takes the next axis of the tensor.
func (w *viewer) next() *Axis {
	a := w.axes[0]
	w.axes = w.axes[1:]
	return a
}

// add adds the dimensions of an axis.
func (w *viewer) add(dims []Dimen, spread bool) {
	if !spread {
		w.view.Axes = append(w.view.Axes, dims)
		return
	}
	for _, d := range dims {
		w.view.Axes = append(w.view.Axes, []Dimen{d})
	}
}

// product adds the dimensions of the factors of a product, which runs row-major over them; it gives the extent.
func (w *viewer) product(a AxisRef, stride int) int {
	type factor struct {
		sizes  []int
		spread bool
	}
	var list []factor
	total := 1
	for _, f := range flatten(a.Product) {
		sizes, spread := w.dims(f)
		list = append(list, factor{sizes, spread})
		total *= product(sizes)
	}
	stride *= total
	for _, f := range list {
		dims := []Dimen{}
		for _, n := range f.sizes {
			stride /= max(n, 1)
			dims = append(dims, Dimen{Size: n, Stride: stride})
		}
		w.add(dims, f.spread)
	}
	return total
}

// inView is the view of an input: permuted as the caller places its axes, and expanded.
func (b *binder) inView(variant *Variant, p *Param, t *Tensor) (*View, error) {
	at, n, err := b.slots(p.Name, p.Axes, false)
	if err != nil {
		return nil, err
	}
	shape, _, err := b.padded(p, n)
	if err != nil {
		return nil, err
	}
	strides := rowMajor(shape)
	w := &viewer{b: b, variant: variant, axes: t.Axes, view: &View{Shape: b.shapes[p.Name]}}
	for i, a := range p.Axes {
		if a.Product != nil {
			if total := w.product(a, strides[at[i][0]]); total != shape[at[i][0]] {
				return nil, b.fail(p.Name, "axis %d has extent %d, but must have %d", at[i][0], shape[at[i][0]], total)
			}
			continue
		}
		want, spread := w.dims(a)
		dims := []Dimen{}
		for k, pos := range at[i] {
			d := Dimen{Size: want[k], Stride: strides[pos]}
			if shape[pos] != want[k] {
				if p.Mode != Input || shape[pos] != 1 {
					return nil, b.fail(p.Name, "axis %d has extent %d, but must have %d: only inputs of extent 1 are expanded", pos, shape[pos], want[k])
				}
				d.Stride = 0
			}
			dims = append(dims, d)
		}
		w.add(dims, spread)
	}
	return w.view, nil
}

// outView is the view of a fresh contiguous output, or a state.
func (b *binder) outView(variant *Variant, name string, refs []AxisRef, axes []*Axis, state bool) (*View, error) {
	kept := refs
	if b.keep != nil && !state {
		kept = b.keptRefs(refs)
	}
	at, n, err := b.slots(name, kept, len(kept) > len(refs))
	if err != nil {
		return nil, err
	}
	isKept := func(a AxisRef) bool { return b.leaves(a, refs) }
	shape := make([]int, n)
	w := &viewer{b: b, variant: variant, axes: axes, view: &View{}}
	for i, a := range kept {
		switch {
		case isKept(a):
			for _, pos := range at[i] {
				shape[pos] = 1
			}
		case a.Product != nil:
			shape[at[i][0]] = w.product(a, 1)
		default:
			sizes, _ := w.dims(a)
			for k, pos := range at[i] {
				shape[pos] = sizes[k]
			}
		}
	}
	strides := rowMajor(shape)
	w = &viewer{b: b, variant: variant, axes: axes, view: &View{Shape: shape}}
	for i, a := range kept {
		switch {
		case isKept(a):
		case a.Product != nil:
			w.product(a, strides[at[i][0]])
		default:
			sizes, spread := w.dims(a)
			dims := []Dimen{}
			for k, pos := range at[i] {
				dims = append(dims, Dimen{Size: sizes[k], Stride: strides[pos]})
			}
			w.add(dims, spread)
		}
	}
	if b.scalar { // the ones that 0-d tensors were taken to have are left out
		gone := make([]bool, n)
		for i, a := range kept {
			_, placed := b.places[a.Name]
			for _, pos := range at[i] {
				gone[pos] = (placed || isKept(a)) && shape[pos] == 1
			}
		}
		w.view.Shape = []int{}
		for pos, e := range shape {
			if !gone[pos] {
				w.view.Shape = append(w.view.Shape, e)
			}
		}
	}
	return w.view, nil
}
