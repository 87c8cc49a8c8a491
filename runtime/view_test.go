package runtime

import (
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Views are the same elements at other indices.
func TestViews(t *testing.T) {
	x := counting(F32, 0, 2, 3, 4)
	check := func(name string, v *Tensor, err error, where func(i []int) []int) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		values := Must(Values[float32](v))
		eachPoint(v.Shape(), func(n int, index []int) {
			if want := Must(x.At(where(index)...)); float64(values[n]) != want || Must(v.At(index...)) != want {
				t.Errorf("%s at %v: %v, want %v", name, index, values[n], want)
			}
		})
		if v.store != x.store {
			t.Errorf("%s copies", name)
		}
	}
	v, err := x.Slice(2, 1, 4, 2)
	check("Slice", v, err, func(i []int) []int { return []int{i[0], i[1], 1 + 2*i[2]} })
	v, err = x.Slice(2, -3, -1, 1)
	check("Slice from the end", v, err, func(i []int) []int { return []int{i[0], i[1], 1 + i[2]} })
	v, err = x.Slice(-1, 1, End, math.MaxInt)
	check("Slice to the end", v, err, func(i []int) []int { return []int{i[0], i[1], 1} })
	v, err = x.Transpose(0, -1)
	check("Transpose", v, err, func(i []int) []int { return []int{i[2], i[1], i[0]} })
	v, err = x.Permute(1, 2, 0)
	check("Permute", v, err, func(i []int) []int { return []int{i[2], i[0], i[1]} })
	v, err = x.Reshape(-1, 4)
	check("Reshape", v, err, func(i []int) []int { return []int{i[0] / 3, i[0] % 3, i[1]} })
	v, err = x.Flip()
	check("Flip", v, err, func(i []int) []int { return []int{1 - i[0], 2 - i[1], 3 - i[2]} })
	v, err = x.Flip(1, -1)
	check("Flip of two", v, err, func(i []int) []int { return []int{i[0], 2 - i[1], 3 - i[2]} })
	v, err = x.Select(1, -1)
	check("Select", v, err, func(i []int) []int { return []int{i[0], 2, i[1]} })
	v, err = x.Unsqueeze(-2)
	check("Unsqueeze", v, err, func(i []int) []int { return []int{i[0], i[1], i[3]} })
	v, err = Must(Must(x.Slice(1, 1, 2, 1)).Unsqueeze(0)).Squeeze()
	check("Squeeze", v, err, func(i []int) []int { return []int{i[0], 1, i[1]} })
	v, err = Must(x.Slice(1, 1, 2, 1)).Squeeze(-2)
	check("Squeeze of one", v, err, func(i []int) []int { return []int{i[0], 1, i[1]} })
	one := Must(x.Slice(1, 1, 2, 1))
	v, err = one.Expand(5, 2, 3, 4)
	check("Expand", v, err, func(i []int) []int { return []int{i[1], 1, i[3]} })
	if v, err = x.Slice(0, 2, 2, 1); err != nil || v.Len() != 0 {
		t.Errorf("an empty slice: %v, %v", v, err)
	}
	if c := x.Contiguous(); c != x {
		t.Error("Contiguous copies what is contiguous")
	}
	if c := Must(x.Transpose(0, 1)).Contiguous(); !c.IsContiguous() || Must(c.At(2, 1, 3)) != Must(x.At(1, 2, 3)) {
		t.Errorf("Contiguous: %v", c)
	}
}

// 0-d and empty tensors have all views that make sense.
func TestViewsOfLittle(t *testing.T) {
	s, e := Scalar(2.5), Must(New(F64, 3, 0))
	for name, v := range map[string]*Tensor{
		"flipped":   Must(s.Flip()),
		"squeezed":  Must(s.Squeeze()),
		"permuted":  Must(s.Permute()),
		"reshaped":  Must(s.Reshape()),
		"and back":  Must(Must(s.Reshape(1, 1)).Reshape()),
		"expanded":  Must(s.Expand()),
		"widened":   Must(Must(s.Unsqueeze(0)).Select(0, 0)),
		"of Clone":  s.Clone(),
		"of Detach": s.Detach(),
	} {
		if v.Rank() != 0 || Must(v.Item()) != 2.5 {
			t.Errorf("%s: %v", name, v)
		}
	}
	for _, c := range []struct {
		v    *Tensor
		want []int
	}{
		{Must(e.Flip()), []int{3, 0}},
		{Must(e.Select(0, 1)), []int{0}},
		{Must(e.Slice(1, 0, End, 1)), []int{3, 0}},
		{Must(e.Reshape(0, 7)), []int{0, 7}},
		{Must(e.Expand(2, 3, 0)), []int{2, 3, 0}},
		{Must(e.Unsqueeze(1)), []int{3, 1, 0}},
		{e.Clone(), []int{3, 0}},
		{Must(s.Expand(4, 0)), []int{4, 0}},
	} {
		if !slices.Equal(c.v.Shape(), c.want) || c.v.Len() != 0 || len(Must(Values[float64](c.v))) != 0 {
			t.Errorf("got %v, want shape %v", c.v, c.want)
		}
	}
}

// A chain of random views shows the elements that copies after each step show, and what is written through it arrives
// where it was read.
func TestChainsOfViews(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		dtype := DType(rapid.IntRange(1, int(dtypeCount)-1).Draw(r, "dtype"))
		x := counting(dtype, 0, rapid.SliceOfN(rapid.IntRange(0, 4), 0, 4).Draw(r, "shape")...)
		v, copied := x, x.Clone()
		for range rapid.IntRange(1, 6).Draw(r, "steps") {
			step := drawView(r, v.Shape())
			next, err := step(v)
			want, wantErr := step(copied)
			if wantErr != nil {
				r.Fatal(wantErr)
			}
			if errors.Is(err, ErrShape) && !v.IsContiguous() {
				next, err = step(v.Contiguous()) // a reshape that needs a copy
				x = next
			}
			if err != nil {
				r.Fatal(err)
			}
			v, copied = next, want.Clone()
			if !Equal(v, copied) || v.Len() != len(Must(v.Bytes()))/dtype.Size() {
				r.Fatalf("got %v, want %v", v, copied)
			}
		}
		if hasZeroStride(v.dims(), v.strides()) || x != v && x.Len() == 0 {
			if err := v.Fill(1); v.Len() > 0 && !errors.Is(err, ErrAlias) {
				r.Fatalf("expanded elements were written: %v", err)
			}
			return
		}
		before := x.Clone()
		twice := Must(FromBytes(dtype, Must(v.Bytes()), v.Shape()...))
		eachPoint(v.Shape(), func(n int, index []int) {
			if err := v.Set(1, index...); err != nil {
				r.Fatal(err)
			}
		})
		if err := v.CopyFrom(twice); err != nil || !Equal(x, before) {
			r.Fatalf("written through a view: %v instead of %v, %v", x, before, err)
		}
	})
}

// drawView draws a view of tensors of a shape.
func drawView(r *rapid.T, shape []int) func(*Tensor) (*Tensor, error) {
	rank := len(shape)
	kinds := []string{"reshape", "permute", "flip", "expand", "squeeze"}
	if rank < 5 {
		kinds = append(kinds, "unsqueeze")
	}
	if rank > 0 {
		kinds = append(kinds, "slice", "slice", "select")
	}
	kind := rapid.SampledFrom(kinds).Draw(r, "view")
	axis := 0
	if rank > 0 {
		axis = rapid.IntRange(0, rank-1).Draw(r, "axis")
	}
	switch kind {
	case "reshape":
		to := regroup(r, shape)
		return func(t *Tensor) (*Tensor, error) { return t.Reshape(to...) }
	case "permute":
		order := rapid.Permutation(upTo(rank)).Draw(r, "order")
		return func(t *Tensor) (*Tensor, error) { return t.Permute(order...) }
	case "flip":
		axes := upTo(rank)[min(axis, rank):]
		return func(t *Tensor) (*Tensor, error) { return t.Flip(axes...) }
	case "expand":
		to := slices.Clone(shape)
		for i, e := range to {
			if e == 1 {
				to[i] = rapid.IntRange(0, 3).Draw(r, "extent")
			}
		}
		return func(t *Tensor) (*Tensor, error) { return t.Expand(to...) }
	case "squeeze":
		return func(t *Tensor) (*Tensor, error) { return t.Squeeze() }
	case "unsqueeze":
		return func(t *Tensor) (*Tensor, error) { return t.Unsqueeze(axis) }
	case "select":
		if shape[axis] > 0 {
			at := rapid.IntRange(-shape[axis], shape[axis]-1).Draw(r, "index")
			return func(t *Tensor) (*Tensor, error) { return t.Select(axis, at) }
		}
	}
	lo := rapid.IntRange(0, shape[axis]).Draw(r, "lo")
	hi := rapid.IntRange(lo, shape[axis]).Draw(r, "hi")
	step := rapid.IntRange(1, 3).Draw(r, "step")
	return func(t *Tensor) (*Tensor, error) { return t.Slice(axis, lo, hi, step) }
}

// regroup is a shape with the same number of elements.
func regroup(r *rapid.T, shape []int) []int {
	to := slices.Clone(shape)
	for i := 0; i+1 < len(to); i++ {
		if rapid.Bool().Draw(r, "join") {
			to = slices.Replace(to, i, i+2, to[i]*to[i+1])
		}
	}
	for i := range to {
		if e := to[i]; e > 1 && e%2 == 0 && len(to) < 6 && rapid.Bool().Draw(r, "split") {
			to = slices.Replace(to, i, i+1, 2, e/2)
		}
	}
	return to
}

// A reshape is a view exactly where strides exist that give it, here found by trying.
func TestReshapeViews(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		v := drawLayout(r, I32, 0, rapid.SliceOfN(rapid.IntRange(1, 4), 1, 3).Draw(r, "shape")...)
		to := regroup(r, v.Shape())
		var at []int // places in memory, in order
		eachPoint(v.Shape(), func(n int, index []int) { at = append(at, v.offset(index)) })
		stride := make([]int, len(to))
		possible := true
		step := 1
		for k := len(to) - 1; k >= 0; k-- {
			if to[k] > 1 {
				stride[k] = at[step] - at[0]
			}
			step *= to[k]
		}
		eachPoint(to, func(n int, index []int) {
			k := at[0]
			for i, x := range index {
				k += x * stride[i]
			}
			possible = possible && k == at[n]
		})
		w, err := v.Reshape(to...)
		if (err == nil) != possible || err != nil && !errors.Is(err, ErrShape) {
			r.Fatalf("%v with strides %v to %v: %v, but strides exist: %v", v.Shape(), v.Strides(), to, err, possible)
		}
		if err == nil && !slices.Equal(Must(Values[int32](w)), Must(Values[int32](v))) {
			r.Fatalf("got %v, want the elements of %v", w, v)
		}
	})
}

// Gradients go through the new views.
func TestGradientsOfViews(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := rapid.SampledFrom([]DType{F32, F64}).Draw(r, "dtype")
		x := counting(d, 0, rapid.SliceOfN(rapid.IntRange(1, 3), 0, 3).Draw(r, "shape")...)
		if err := x.RequireGrad(); err != nil {
			r.Fatal(err)
		}
		v := x
		for range 3 {
			step := drawView(r, v.Shape())
			next, err := step(v)
			if err != nil {
				next = Must(step(v.Contiguous()))
			}
			v = next
		}
		g := counting(d, 1, v.Shape()...)
		if err := v.BackwardWith(g); errors.Is(err, ErrGrad) && v == x {
			return
		} else if err != nil {
			r.Fatal(err)
		}
		want := make([]float64, x.Len())
		eachPoint(v.Shape(), func(n int, index []int) { want[int(Must(v.At(index...)))] += float64(n + 1) })
		for k, w := range want {
			if got := x.Grad(); v.Len() > 0 && got.load(k) != w {
				r.Fatalf("got %v, want %v", got, want)
			}
		}
	})
}
