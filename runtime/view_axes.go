package runtime

import "fmt"

// Flip is the view of t with the elements along each of the axes in the opposite order; without axes, along all.
func (t *Tensor) Flip(axes ...int) (*Tensor, error) {
	if err := t.usable("Flip"); err != nil {
		return nil, err
	}
	flipped := 0
	for _, x := range axes {
		a, err := t.axis("Flip", x)
		if err != nil {
			return nil, err
		}
		if flipped>>a&1 != 0 {
			return nil, &ArgError{Op: "Flip", Arg: "axes", Want: "each axis once", Got: shapeString(axes), Err: ErrAttr}
		}
		flipped |= 1 << a
	}
	if len(axes) == 0 {
		flipped = 1<<t.rank - 1
	}
	stride, offset := t.stride, 0
	for a, e := range t.dims() {
		if flipped>>a&1 != 0 && e > 1 {
			offset += (e - 1) * stride[a]
			stride[a] = -stride[a]
		}
	}
	order := append([]int{}, axes...)
	return t.view("Flip", offset, t.dims(), stride[:t.rank], func(u *Tensor) (*Tensor, error) { return u.Flip(order...) }), nil
}

// Select is the view of t at one index of an axis, without that axis. A negative index counts from the end.
func (t *Tensor) Select(axis, index int) (*Tensor, error) {
	a, err := t.axis("Select", axis)
	if err != nil {
		return nil, err
	}
	at, ok := fromEnd(index, t.shape[a])
	if !ok {
		return nil, &ArgError{Op: "Select", Arg: "index", Want: indexRange(t.shape[a]), Got: fmt.Sprint(index), Err: ErrIndex}
	}
	var shape, stride [MaxRank]int
	n := copy(shape[:], t.shape[:a])
	copy(shape[n:], t.shape[a+1:t.rank])
	copy(stride[:], t.stride[:a])
	copy(stride[n:], t.stride[a+1:t.rank])
	return t.view("Select", at*t.stride[a], shape[:t.rank-1], stride[:t.rank-1], func(u *Tensor) (*Tensor, error) { return u.Select(axis, index) }), nil
}

// fromEnd is an index along an axis, counted from the end where it is negative.
func fromEnd(i, extent int) (int, bool) {
	if i < 0 {
		i += extent
	}
	return i, 0 <= i && i < extent
}

func indexRange(extent int) string {
	if extent == 0 {
		return "an axis with elements"
	}
	return fmt.Sprintf("%d to %d", -extent, extent-1)
}

// Squeeze is the view of t without the axes, which have extent 1; without axes, without all that have.
func (t *Tensor) Squeeze(axes ...int) (*Tensor, error) {
	if err := t.usable("Squeeze"); err != nil {
		return nil, err
	}
	gone := 0
	for _, x := range axes {
		a, err := t.axis("Squeeze", x)
		if err != nil {
			return nil, err
		}
		if t.shape[a] != 1 || gone>>a&1 != 0 {
			return nil, &ArgError{Op: "Squeeze", Arg: "axes", Want: "axes of extent 1, each once", Got: shapeString(axes) + " of " + t.describe(), Err: ErrShape}
		}
		gone |= 1 << a
	}
	var shape, stride [MaxRank]int
	n := 0
	for a, e := range t.dims() {
		if gone>>a&1 != 0 || len(axes) == 0 && e == 1 {
			continue
		}
		shape[n], stride[n] = e, t.stride[a]
		n++
	}
	order := append([]int{}, axes...)
	return t.view("Squeeze", 0, shape[:n], stride[:n], func(u *Tensor) (*Tensor, error) { return u.Squeeze(order...) }), nil
}

// Unsqueeze is the view of t with an axis of extent 1 put at a place in the new shape. A negative place counts from the end.
func (t *Tensor) Unsqueeze(axis int) (*Tensor, error) {
	if err := t.usable("Unsqueeze"); err != nil {
		return nil, err
	}
	rank := int(t.rank) + 1
	a, ok := fromEnd(axis, rank)
	if !ok {
		return nil, &ArgError{Op: "Unsqueeze", Arg: "axis", Want: indexRange(rank), Got: fmt.Sprint(axis), Err: ErrAttr}
	}
	if rank > MaxRank {
		return nil, &ArgError{Op: "Unsqueeze", Arg: "t", Want: fmt.Sprintf("fewer than %d axes", MaxRank), Got: t.describe(), Err: ErrShape}
	}
	var shape, stride [MaxRank]int
	copy(shape[:], t.shape[:a])
	copy(stride[:], t.stride[:a])
	shape[a], stride[a] = 1, 1
	copy(shape[a+1:rank], t.shape[a:t.rank])
	copy(stride[a+1:rank], t.stride[a:t.rank])
	return t.view("Unsqueeze", 0, shape[:rank], stride[:rank], func(u *Tensor) (*Tensor, error) { return u.Unsqueeze(axis) }), nil
}
