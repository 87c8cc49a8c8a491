package runtime

import (
	"fmt"
	"math"
	"unsafe"
)

// view makes a tensor over memory of t, whose first element is offset elements behind that of t. again makes the same view
// of another tensor of the shape of t: gradients go through it.
func (t *Tensor) view(op string, offset int, shape, stride []int, again func(*Tensor) (*Tensor, error)) *Tensor {
	v := &Tensor{store: t.store, dtype: t.dtype, device: t.device, rank: uint8(len(shape)), n: 1}
	t.store.tensors.Add(1)
	copy(v.shape[:], shape)
	copy(v.stride[:], stride)
	for _, e := range shape {
		v.n *= e
	}
	if v.n > 0 {
		v.data = unsafe.Add(t.data, offset*t.dtype.Size())
	}
	v.contig = isContiguous(shape, stride)
	if t.auto != nil {
		t.recordView(op, v, again)
	}
	return v
}

// axis counts an axis from the left.
func (t *Tensor) axis(op string, a int) (int, error) {
	if err := t.usable(op); err != nil {
		return 0, err
	}
	if a < -int(t.rank) || a >= int(t.rank) {
		return 0, &ArgError{Op: op, Arg: "axis", Want: fmt.Sprintf("%d to %d", -int(t.rank), int(t.rank)-1), Got: fmt.Sprint(a), Err: ErrAttr}
	}
	if a < 0 {
		a += int(t.rank)
	}
	return a, nil
}

// End, as the end of a [Tensor.Slice], is that of the axis.
const End = math.MaxInt

// Slice is the view of t from lo up to and without hi, every step-th, along an axis. Negative ends count from the end of the
// axis; see [End].
func (t *Tensor) Slice(axis, lo, hi, step int) (*Tensor, error) {
	a, err := t.axis("Slice", axis)
	if err != nil {
		return nil, err
	}
	first, last := lo, hi
	if first < 0 {
		first += t.shape[a]
	}
	if last < 0 {
		last += t.shape[a]
	}
	if hi == End {
		last = t.shape[a]
	}
	if first < 0 || last < first || last > t.shape[a] {
		return nil, &ArgError{Op: "Slice", Arg: "range", Want: fmt.Sprintf("ends within 0 to %d, the first one first", t.shape[a]),
			Got: fmt.Sprintf("%d to %d", lo, hi), Err: ErrIndex}
	}
	if step < 1 {
		return nil, &ArgError{Op: "Slice", Arg: "step", Want: "1 or more", Got: fmt.Sprint(step), Err: ErrAttr}
	}
	shape, stride := t.shape, t.stride
	shape[a] = (last-first)/step + min((last-first)%step, 1)
	if shape[a] > 1 {
		stride[a] *= step
	}
	return t.view("Slice", first*t.stride[a], shape[:t.rank], stride[:t.rank], func(u *Tensor) (*Tensor, error) {
		return u.Slice(axis, lo, hi, step)
	}), nil
}

// Permute is the view of t with its axes in another order.
func (t *Tensor) Permute(axes ...int) (*Tensor, error) {
	if err := t.usable("Permute"); err != nil {
		return nil, err
	}
	if len(axes) != int(t.rank) {
		return nil, &ArgError{Op: "Permute", Arg: "axes", Want: fmt.Sprintf("%d axes", t.rank), Got: shapeString(axes), Err: ErrAttr}
	}
	var shape, stride [MaxRank]int
	seen := 0
	for i, x := range axes {
		a, err := t.axis("Permute", x)
		if err != nil {
			return nil, err
		}
		if seen>>a&1 != 0 {
			return nil, &ArgError{Op: "Permute", Arg: "axes", Want: "each axis once", Got: shapeString(axes), Err: ErrAttr}
		}
		seen |= 1 << a
		shape[i], stride[i] = t.shape[a], t.stride[a]
	}
	order := append([]int{}, axes...)
	return t.view("Permute", 0, shape[:t.rank], stride[:t.rank], func(u *Tensor) (*Tensor, error) { return u.Permute(order...) }), nil
}

// Transpose is the view of t with two axes exchanged.
func (t *Tensor) Transpose(a, b int) (*Tensor, error) {
	i, err := t.axis("Transpose", a)
	if err != nil {
		return nil, err
	}
	j, err := t.axis("Transpose", b)
	if err != nil {
		return nil, err
	}
	shape, stride := t.shape, t.stride
	shape[i], shape[j] = shape[j], shape[i]
	stride[i], stride[j] = stride[j], stride[i]
	return t.view("Transpose", 0, shape[:t.rank], stride[:t.rank], func(u *Tensor) (*Tensor, error) { return u.Transpose(a, b) }), nil
}

// Expand is the view of t with axes of extent 1, or missing in front, repeated to the shape.
func (t *Tensor) Expand(shape ...int) (*Tensor, error) {
	if err := t.usable("Expand"); err != nil {
		return nil, err
	}
	n, err := elements("Expand", shape)
	if err == nil && n > t.n { // what is computed from it has as many elements
		err = room("Expand", "shape", t.dtype, shape, n)
	}
	if err != nil {
		return nil, err
	}
	front := len(shape) - int(t.rank)
	var stride [MaxRank]int
	for i := range t.rank {
		j := front + int(i)
		if j < 0 || t.shape[i] != 1 && t.shape[i] != shape[j] {
			return nil, &ArgError{Op: "Expand", Arg: "shape", Want: "one that " + shapeString(t.dims()) + " goes with", Got: shapeString(shape), Err: ErrShape}
		}
		if t.shape[i] == shape[j] {
			stride[j] = t.stride[i]
		}
	}
	to := append([]int{}, shape...)
	return t.view("Expand", 0, shape, stride[:len(shape)], func(u *Tensor) (*Tensor, error) { return u.Expand(to...) }), nil
}

// Detach is a view of t that gradients don't go through.
func (t *Tensor) Detach() *Tensor {
	if t == nil {
		return nil
	}
	v := t.hold()
	v.auto = nil
	return v
}

// Contiguous is t, or a contiguous copy where t isn't.
func (t *Tensor) Contiguous() *Tensor {
	if t == nil || t.contig || t.device != CPU {
		return t
	}
	return t.Clone()
}

// Clone is a contiguous copy of t. Gradients go through it. Of a released tensor it is one that is released as well.
func (t *Tensor) Clone() *Tensor {
	if t == nil {
		return nil
	}
	c := t.copy()
	if t.auto != nil {
		t.recordView("Clone", c, func(u *Tensor) (*Tensor, error) { return u, nil })
	}
	return c
}

// copy is a contiguous copy of t without its history.
func (t *Tensor) copy() *Tensor {
	if t.device != CPU {
		return t.hold()
	}
	c, _ := newResult(t.dtype, t.dims(), t.n)
	if t.n > 0 {
		copyStrided(c.data, c.strides(), t.data, t.strides(), t.dims(), t.dtype.Size())
	}
	return c
}
