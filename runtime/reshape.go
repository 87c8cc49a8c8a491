package runtime

import (
	"fmt"
	"math/bits"
)

// Reshape is the view of t with another shape and the same elements in row-major order. One extent may be -1: what the others
// leave. Where no strides give that view, as of a transposed tensor, it is an error: Contiguous copies first.
func (t *Tensor) Reshape(shape ...int) (*Tensor, error) {
	if err := t.usable("Reshape"); err != nil {
		return nil, err
	}
	to, err := t.newShape(shape)
	if err != nil {
		return nil, err
	}
	var stride [MaxRank]int
	if t.contig {
		rowMajor(to, stride[:])
	} else if !reshapeStrides(t.dims(), t.strides(), to, stride[:]) {
		return nil, &ArgError{Op: "Reshape", Arg: "t", Want: "a tensor whose axes can be taken together (see Contiguous)",
			Got: fmt.Sprintf("%s with strides %s", t.describe(), shapeString(t.strides())), Err: ErrShape}
	}
	return t.view("Reshape", 0, to, stride[:len(to)], func(u *Tensor) (*Tensor, error) { return u.Reshape(to...) }), nil
}

// newShape is a shape for the elements of t, with what -1 stands for.
func (t *Tensor) newShape(shape []int) ([]int, error) {
	wrong := &ArgError{Op: "Reshape", Arg: "shape", Want: fmt.Sprintf("one with the %d elements of %s", t.n, shapeString(t.dims())), Got: shapeString(shape), Err: ErrShape}
	to := append([]int{}, shape...)
	open, known := -1, 1
	for i, e := range to {
		if e == -1 && open < 0 {
			open = i
			continue
		}
		if hi, lo := bits.Mul(uint(known), uint(max(e, 0))); hi == 0 && lo <= maxElements {
			known = int(lo)
		} else {
			known = 0
		}
	}
	if open >= 0 {
		if known == 0 || t.n%known != 0 {
			return nil, wrong
		}
		to[open] = t.n / known
	}
	n, err := elements("Reshape", to)
	if err != nil {
		return nil, err
	}
	if n != t.n {
		return nil, wrong
	}
	return to, nil
}

// reshapeStrides finds strides of an array of shape to with the elements of one of shape from, if there are any. It splits
// both shapes into the shortest runs of axes with equal numbers of elements: those of from must lie next to each other.
func reshapeStrides(from, stride, to, out []int) bool {
	i, j := 0, 0
	for i < len(from) && j < len(to) {
		n, m, first, last := from[i], to[j], i, j
		i, j = i+1, j+1
		for n != m {
			if n < m {
				n *= from[i]
				i++
			} else {
				m *= to[j]
				j++
			}
		}
		step, next, found := 0, 0, false // of the innermost axis that moves; of the next one
		for k := i - 1; k >= first; k-- {
			if from[k] == 1 {
				continue
			}
			if found && stride[k] != next {
				return false
			}
			if !found {
				step, found = stride[k], true
			}
			next = stride[k] * from[k]
		}
		s := step
		for k := j - 1; k >= last; k-- {
			out[k] = s
			s *= to[k]
		}
	}
	for ; j < len(to); j++ {
		out[j] = 1
	}
	return true
}
