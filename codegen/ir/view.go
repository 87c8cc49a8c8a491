package ir

// View says how the row-major memory of a tensor as the caller sees it is the tensor that definitions see: for each
// axis the dimensions that it runs over, in order, with their strides. Stride 0 repeats an element: the tensor was
// expanded along that dimension.
type View struct {
	Shape []int     // as the caller sees it
	Axes  [][]Dimen // one entry for each axis; a pack has any number of dimensions
}

// Dimen is one dimension of a view.
type Dimen struct{ Size, Stride int }

// Extents are the extents of the axes.
func (v *View) Extents() []int {
	r := make([]int, len(v.Axes))
	for i, a := range v.Axes {
		r[i] = 1
		for _, d := range a {
			r[i] *= d.Size
		}
	}
	return r
}

// each calls f with the position in the caller's memory of each element of the view, in row-major order.
func (v *View) each(f func(at int)) {
	var dims []Dimen
	for _, a := range v.Axes {
		dims = append(dims, a...)
	}
	var walk func(k, at int)
	walk = func(k, at int) {
		if k == len(dims) {
			f(at)
			return
		}
		for i := range dims[k].Size {
			walk(k+1, at+i*dims[k].Stride)
		}
	}
	walk(0, 0)
}

// In is the caller's array as definitions see it.
func (v *View) In(a *Array) *Array {
	r := NewArray(v.Extents()...)
	i := 0
	v.each(func(at int) {
		r.Data[i] = a.Data[at]
		i++
	})
	return r
}

// Out is the inverse of In: the array as the caller sees it. Elements that In repeats are summed, which is what their
// gradient needs.
func (v *View) Out(a *Array) *Array {
	r := NewArray(v.Shape...)
	again := make([]bool, len(r.Data)) // 0 + x is x, but for the sign of zero
	i := 0
	v.each(func(at int) {
		if again[at] {
			r.Data[at] += a.Data[i]
		} else {
			r.Data[at], again[at] = a.Data[i], true
		}
		i++
	})
	return r
}
