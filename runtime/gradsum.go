package runtime

// Gradients that meet are added up. Those of half precision are kept in f32 as soon as there are two, and rounded once, when the sum is
// complete: so a tensor that is used often loses nothing.

// sumGrad adds g, which it owns, to a sum, nil at its start. Both are contiguous.
func sumGrad(sum, g *Tensor) *Tensor {
	if sum == nil {
		return g
	}
	if g.dtype == F16 || g.dtype == BF16 {
		sum, g = widened(sum), widened(g)
	}
	addStrided(sum.data, sum.strides(), g.data, g.strides(), sum.dims(), sum.dtype)
	g.Release()
	return sum
}

// widened is t, which it owns, in f32.
func widened(t *Tensor) *Tensor {
	if t.dtype == F32 {
		return t
	}
	w, _ := newResult(F32, t.dims(), t.n)
	if t.n > 0 {
		widenHalf(w.data, t.data, t.dtype, t.n)
	}
	t.Release()
	return w
}

// rounded is t, a sum that is complete and that it owns, in the dtype of what it is the gradient of.
func rounded(t *Tensor, d DType) *Tensor {
	if t == nil || t.dtype == d {
		return t
	}
	r, _ := newResult(d, t.dims(), t.n)
	if t.n > 0 {
		narrowHalf(r.data, d, t.data, t.n)
	}
	t.Release()
	return r
}
