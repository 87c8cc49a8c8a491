package runtime

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

var (
	testVars  = []Var{{Name: "T", DTypes: Floats}}
	indexVars = []Var{{Name: "T", DTypes: Floats}, {Name: "I", DTypes: Ints}}
	packB     = []Axis{{Name: "B", Pack: true}}
)

func dims(axes ...int) []Dim {
	d := []Dim{}
	for _, a := range axes {
		d = append(d, Dim{Axis: a})
	}
	return d
}

// An op on points: x, t: T[...B] -> y: T[...B].
var pointSig = Signature{Op: "test.point", Vars: testVars, Axes: packB, Outer: true, Params: []Param{
	{Name: "x", Dims: dims(0)},
	{Name: "t", Dims: dims(0), Splat: true},
	{Name: "y", Mode: Out, Dims: dims(0), InPlace: 1},
}}

// x: T[...B, I], w: T[O, I], b?: T[O] -> y: T[...B, O].
var linearSig = Signature{Op: "test.linear", Vars: testVars, Axes: []Axis{{Name: "B", Pack: true}, {Name: "I"}, {Name: "O"}}, Params: []Param{
	{Name: "x", Dims: dims(0, 1)},
	{Name: "w", Dims: dims(2, 1)},
	{Name: "b", Dims: dims(2), Optional: true, Splat: true},
	{Name: "y", Mode: Out, Dims: dims(0, 2)},
}}

// x: T[...N, C], t: I[...N], weight?: T[C]; axis(C) -> y: T[...N], p: T[...N, C].
var classSig = Signature{Op: "test.class", Vars: indexVars, Axes: []Axis{{Name: "N", Pack: true}, {Name: "C"}},
	Placed: &Placed{Attr: "axis", Axes: []int{1}}, Params: []Param{
		{Name: "x", Dims: dims(0, 1)},
		{Name: "t", Dims: dims(0), Elem: Elem{Var: 1}},
		{Name: "weight", Dims: dims(1), Optional: true, Splat: true, Default: 1},
		{Name: "y", Mode: Out, Dims: dims(0)},
		{Name: "p", Mode: Out, Dims: dims(0, 1)},
	}}

// x: T[...B, ...R], w?: T[...R]; axes(R), keep(R) -> y: T[...B, ...R], m: T[...B].
var normSig = Signature{Op: "test.norm", Vars: testVars, Axes: []Axis{{Name: "B", Pack: true}, {Name: "R", Pack: true}},
	Placed: &Placed{Attr: "axes", Axes: []int{1}}, Params: []Param{
		{Name: "x", Dims: dims(0, 1)},
		{Name: "w", Dims: dims(1), Optional: true, Splat: true, Default: 1},
		{Name: "y", Mode: Out, Dims: dims(0, 1)},
		{Name: "m", Mode: Out, Dims: dims(0), Kept: []Kept{{At: 1, Axis: 1}}},
	}}

// x: T[...N, (G, C), L], w: T[(G, F), C] -> y: T[...N, (G, F)]; G is fixed.
var groupSig = Signature{Op: "test.group", Vars: testVars,
	Axes: []Axis{{Name: "N", Pack: true}, {Name: "G"}, {Name: "C"}, {Name: "F"}, {Name: "L"}}, Params: []Param{
		{Name: "x", Dims: []Dim{{Axis: 0}, {Factors: []int{1, 2}}, {Axis: 4}}},
		{Name: "w", Dims: []Dim{{Factors: []int{1, 3}}, {Axis: 2}}},
		{Name: "y", Mode: Out, Dims: []Dim{{Axis: 0}, {Factors: []int{1, 3}}}},
	}}

// c: T[N?, M?], x: T[N, M] -> y: T[N, M].
var optionalSig = Signature{Op: "test.optional", Vars: testVars, Axes: []Axis{{Name: "N"}, {Name: "M"}}, Params: []Param{
	{Name: "c", Dims: []Dim{{Axis: 0, Optional: true}, {Axis: 1, Optional: true}}},
	{Name: "x", Dims: dims(0, 1)},
	{Name: "y", Mode: Out, Dims: dims(0, 1)},
}}

// checkInput compares what a kernel sees of parameter i, at the joint shape, with the element of t that where names.
func checkInput(r *rapid.T, b *Bound, i int, t *Tensor, joint []int, where func(index []int) []int) {
	eachPoint(joint, func(n int, index []int) {
		want := t.load(t.offset(where(index)))
		if got := b.bound(i, n); got != want {
			r.Fatalf("%s at %v: got %v, want %v", b.sig.Params[i].Name, index, got, want)
		}
	})
}

// fillOutput writes 1000, 1001, … at the points of output i.
func fillOutput(b *Bound, i int, joint []int) {
	eachPoint(joint, func(n int, index []int) { b.setBound(i, n, float64(1000+n)) })
}

// checkOutput checks that they arrived at the elements of t that where names.
func checkOutput(r *rapid.T, t *Tensor, joint []int, where func(index []int) []int) {
	eachPoint(joint, func(n int, index []int) {
		at := where(index)
		if got := t.load(t.offset(at)); got != float64(1000+n) {
			r.Fatalf("output %s at %v: got %v, want %v", t.describe(), at, got, 1000+n)
		}
	})
}

// identity is an index itself.
func identity(index []int) []int { return index }

func TestBindPoint(t *testing.T) {
	noLeaks(t)
	rapid.Check(t, func(r *rapid.T) {
		shapes := drawBroadcast(r, 2, 4)
		joint := jointShape(shapes...)
		x, u := drawLayout(r, F32, 1, shapes[0]...), drawLayout(r, F32, 500, shapes[1]...)
		y := drawLayout(r, F32, -9, joint...)
		var b Bound
		if err := pointSig.Bind(&b, nil, x, u, y); err != nil {
			r.Fatal(err)
		}
		if b.Ext[0] != product(joint) {
			r.Fatalf("extent %d, want %d", b.Ext[0], product(joint))
		}
		if !slices.Equal(b.Pack(0), joint) {
			r.Fatalf("pack %v, want %v", b.Pack(0), joint)
		}
		checkInput(r, &b, 0, x, joint, func(i []int) []int { return broadcastIndex(shapes[0], i) })
		checkInput(r, &b, 1, u, joint, func(i []int) []int { return broadcastIndex(shapes[1], i) })
		fillOutput(&b, 2, joint)
		b.Finish()
		checkOutput(r, y, joint, identity)
	})
}

func TestBindLinear(t *testing.T) {
	noLeaks(t)
	rapid.Check(t, func(r *rapid.T) {
		batch := rapid.SliceOfN(rapid.IntRange(0, 3), 0, 3).Draw(r, "batch")
		in, out := rapid.IntRange(0, 4).Draw(r, "in"), rapid.IntRange(0, 4).Draw(r, "out")
		x := drawLayout(r, F64, 0, append(slices.Clone(batch), in)...)
		w := drawLayout(r, F64, 300, out, in)
		var bias *Tensor
		if rapid.Bool().Draw(r, "bias") {
			bias = drawLayout(r, F64, 700, out)
		}
		y := drawLayout(r, F64, -5, append(slices.Clone(batch), out)...)
		var b Bound
		if err := linearSig.Bind(&b, nil, x, w, bias, y); err != nil {
			r.Fatal(err)
		}
		if b.Ext[0] != product(batch) || b.Ext[1] != in || b.Ext[2] != out {
			r.Fatalf("extents %v", b.Ext[:3])
		}
		checkInput(r, &b, 0, x, x.Shape(), identity)
		checkInput(r, &b, 1, w, w.Shape(), identity)
		if bias != nil {
			checkInput(r, &b, 2, bias, bias.Shape(), identity)
		} else if b.Move(2) != 0 || b.bound(2, 5) != 0 {
			r.Fatal("an absent bias must be zeros that don't move")
		}
		fillOutput(&b, 3, y.Shape())
		b.Finish()
		checkOutput(r, y, y.Shape(), identity)
	})
}

// place is an index with an entry put at a position counted in joint axes.
func place(index []int, at, entry int) []int {
	return slices.Insert(slices.Clone(index), at, entry)
}

func TestBindClass(t *testing.T) {
	noLeaks(t)
	rapid.Check(t, func(r *rapid.T) {
		shapes := drawBroadcast(r, 2, 3)
		// x has the greater rank, so that the axis is within it.
		for len(shapes[0]) < len(shapes[1]) {
			shapes[0] = append([]int{1}, shapes[0]...)
		}
		joint := jointShape(shapes...)
		c := rapid.IntRange(0, 3).Draw(r, "c")
		rank := len(joint) + 1
		axis := rapid.IntRange(0, rank-1).Draw(r, "axis")
		x := drawLayout(r, F32, 0, place(shapes[0], axis, c)...)
		u := drawLayout(r, I64, 100, shapes[1]...)
		y := drawLayout(r, F32, -5, joint...)
		p := drawLayout(r, F32, -5, place(joint, axis, c)...)
		at := PlaceAxis(axis)
		if rapid.Bool().Draw(r, "negative") {
			at = PlaceAxis(axis - rank)
		}
		var b Bound
		if err := classSig.Bind(&b, &at, x, u, nil, y, p); err != nil {
			r.Fatal(err)
		}
		inner := append(slices.Clone(joint), c)
		checkInput(r, &b, 0, x, inner, func(i []int) []int {
			return place(broadcastIndex(shapes[0], i[:len(i)-1]), axis, i[len(i)-1])
		})
		checkInput(r, &b, 1, u, joint, func(i []int) []int { return broadcastIndex(shapes[1], i) })
		fillOutput(&b, 3, joint)
		fillOutput(&b, 4, inner)
		b.Finish()
		checkOutput(r, y, joint, identity)
		checkOutput(r, p, inner, func(i []int) []int { return place(i[:len(i)-1], axis, i[len(i)-1]) })
	})
}

func TestBindNorm(t *testing.T) {
	noLeaks(t)
	rapid.Check(t, func(r *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(1, 3), 1, 4).Draw(r, "shape")
		rank := len(shape)
		n := rapid.IntRange(0, rank).Draw(r, "n")
		axes := rapid.Permutation(upTo(rank)).Draw(r, "axes")[:n]
		keep := rapid.Bool().Draw(r, "keep")
		var rest, restShape, placedShape, kept []int
		for i := range rank {
			if slices.Contains(axes, i) {
				kept = append(kept, 1)
				continue
			}
			rest = append(rest, i)
			restShape = append(restShape, shape[i])
			kept = append(kept, shape[i])
		}
		for _, a := range axes {
			placedShape = append(placedShape, shape[a])
		}
		if !keep {
			kept = restShape
		}
		given := slices.Clone(axes)
		for i := range given {
			if rapid.Bool().Draw(r, "negative") {
				given[i] -= rank
			}
		}
		at := PlaceAxes(given)
		at.Keep = keep
		x, w := drawLayout(r, F32, 0, shape...), drawLayout(r, F32, 100, placedShape...)
		y, m := drawLayout(r, F32, -5, shape...), drawLayout(r, F32, -5, kept...)
		var b Bound
		if err := normSig.Bind(&b, &at, x, w, y, m); err != nil {
			r.Fatal(err)
		}
		inner := append(slices.Clone(restShape), placedShape...)
		where := func(i []int) []int {
			index := make([]int, rank)
			for k, a := range rest {
				index[a] = i[k]
			}
			for k, a := range axes {
				index[a] = i[len(rest)+k]
			}
			return index
		}
		checkInput(r, &b, 0, x, inner, where)
		checkInput(r, &b, 1, w, placedShape, identity)
		fillOutput(&b, 2, inner)
		fillOutput(&b, 3, restShape)
		b.Finish()
		checkOutput(r, y, inner, where)
		checkOutput(r, m, restShape, func(i []int) []int {
			if !keep {
				return i
			}
			index := make([]int, rank)
			for k, a := range rest {
				index[a] = i[k]
			}
			return index
		})
	})
}

func TestBindGroup(t *testing.T) {
	noLeaks(t)
	rapid.Check(t, func(r *rapid.T) {
		batch := rapid.SliceOfN(rapid.IntRange(1, 3), 0, 2).Draw(r, "batch")
		g, c, f, l := rapid.IntRange(1, 3).Draw(r, "g"), rapid.IntRange(1, 3).Draw(r, "c"), rapid.IntRange(1, 3).Draw(r, "f"), rapid.IntRange(1, 3).Draw(r, "l")
		x := drawLayout(r, F32, 0, append(slices.Clone(batch), g*c, l)...)
		w := drawLayout(r, F32, 400, g*f, c)
		y := drawLayout(r, F32, -5, append(slices.Clone(batch), g*f)...)
		var b Bound
		b.Fix(1, g)
		if err := groupSig.Bind(&b, nil, x, w, y); err != nil {
			r.Fatal(err)
		}
		if b.Ext[2] != c || b.Ext[3] != f {
			r.Fatalf("extents %v", b.Ext[:5])
		}
		checkInput(r, &b, 0, x, x.Shape(), identity)
		checkInput(r, &b, 1, w, w.Shape(), identity)
		fillOutput(&b, 2, y.Shape())
		b.Finish()
		checkOutput(r, y, y.Shape(), identity)
	})
}

func TestBindOptionalAxes(t *testing.T) {
	noLeaks(t)
	rapid.Check(t, func(r *rapid.T) {
		n, m := rapid.IntRange(0, 3).Draw(r, "n"), rapid.IntRange(0, 3).Draw(r, "m")
		shape := rapid.SampledFrom([][]int{{n, m}, {1, m}, {n, 1}, {1, 1}, {m}, {1}, {}}).Draw(r, "c")
		c, x := drawLayout(r, F32, 0, shape...), drawLayout(r, F32, 100, n, m)
		var b Bound
		if err := optionalSig.BindNew(&b, nil, c, x); err != nil {
			r.Fatal(err)
		}
		joint := []int{n, m}
		checkInput(r, &b, 0, c, joint, func(i []int) []int { return broadcastIndex(shape, i) })
		y := b.Tensor(2)
		fillOutput(&b, 2, joint)
		b.Finish()
		checkOutput(r, y, joint, identity)
	})
}

// Gradients of inputs that were expanded are summed to their shape.
func TestBindGradient(t *testing.T) {
	noLeaks(t)
	sig := Signature{Op: "test.gradient", Vars: testVars, Axes: packB, Outer: true, Params: []Param{
		{Name: "x", Dims: dims(0)},
		{Name: "t", Dims: dims(0)},
		{Name: "@x", Mode: Gradient, Of: 0, Dims: dims(0)},
		{Name: "@t", Mode: Gradient, Of: 1, Dims: dims(0)},
	}}
	rapid.Check(t, func(r *rapid.T) {
		shapes := drawBroadcast(r, 2, 4)
		joint := jointShape(shapes...)
		dtype := rapid.SampledFrom([]DType{F32, F64}).Draw(r, "dtype")
		x, u := drawLayout(r, dtype, 0, shapes[0]...), drawLayout(r, dtype, 0, shapes[1]...)
		gx := drawLayout(r, dtype, 7, shapes[0]...)
		var b Bound
		if err := sig.Bind(&b, nil, x, u, gx, nil); err != nil {
			r.Fatal(err)
		}
		if b.Ptr[3] != nil {
			r.Fatal("an address for a gradient that nobody wants")
		}
		if n := product(joint); n > 0 {
			b.Ptr[3] = b.Spare(3, n)
			fillOutput(&b, 3, joint) // a kernel may write it all the same
			if b.Spare(2, n) != b.Ptr[2] {
				r.Fatal("another address for a gradient that is wanted")
			}
		}
		want := map[int]float64{}
		eachPoint(joint, func(n int, index []int) {
			b.setBound(2, n, float64(n+1))
			want[gx.offset(broadcastIndex(shapes[0], index))] += float64(n + 1)
		})
		b.Finish()
		eachPoint(shapes[0], func(n int, index []int) {
			k := gx.offset(index)
			if got := gx.load(k); got != want[k] {
				r.Fatalf("gradient at %v: got %v, want %v", index, got, want[k])
			}
		})
	})
}

// A 0-d tensor counts as [1] where an axis is placed, and outputs are 0-d then.
func TestBindScalarPlaced(t *testing.T) {
	noLeaks(t)
	x := Scalar[float32](3)
	for _, axis := range []int{0, -1} {
		at := PlaceAxis(axis)
		var b Bound
		if err := classSig.BindNew(&b, &at, x, Scalar[int32](0), nil); err != nil {
			t.Fatal(err)
		}
		if b.Ext[0] != 1 || b.Ext[1] != 1 || b.Tensor(3).Rank() != 0 || b.Tensor(4).Rank() != 0 {
			t.Errorf("axis %d: extents %v, outputs %v and %v", axis, b.Ext[:2], b.Tensor(3).Shape(), b.Tensor(4).Shape())
		}
		if b.bound(0, 0) != 3 {
			t.Errorf("axis %d: x is %v", axis, b.bound(0, 0))
		}
		b.Finish()
	}
	at := Placement{All: true, Keep: true}
	var b Bound
	if err := normSig.BindNew(&b, &at, x, nil); err != nil {
		t.Fatal(err)
	}
	if b.Tensor(2).Rank() != 0 || b.Tensor(3).Rank() != 0 {
		t.Errorf("all of nothing: outputs %v and %v", b.Tensor(2).Shape(), b.Tensor(3).Shape())
	}
	b.Finish()
}

// Extents of outputs can follow from the inputs.
func TestBindTwoHalves(t *testing.T) {
	noLeaks(t)
	sig := Signature{Op: "test.halves", Vars: testVars, Axes: []Axis{{Name: "N", Pack: true}, {Name: "S", Pack: true}, {Name: "P", Pack: true}, {Name: "K"}},
		Placed: &Placed{Attr: "axes", Axes: []int{1, 2}}, Params: []Param{
			{Name: "x", Dims: dims(0, 1)},
			{Name: "y", Mode: Out, Dims: dims(0, 2)},
			{Name: "k", Mode: Out, Dims: dims(3)},
		}}
	x := counting(F32, 0, 2, 5, 3)
	at := PlaceAxes([]int{1})
	var b Bound
	if err := sig.BindInputs(&b, &at, x); err != nil {
		t.Fatal(err)
	}
	b.FixPack(2, b.Pack(1)[0]+2)
	b.Fix(3, 9)
	if err := sig.BindOutputs(&b); err != nil {
		t.Fatal(err)
	}
	if got := b.Tensor(1).Shape(); !slices.Equal(got, []int{2, 7, 3}) {
		t.Errorf("y has shape %v", got)
	}
	if got := b.Tensor(2).Shape(); !slices.Equal(got, []int{9}) {
		t.Errorf("k has shape %v", got)
	}
	b.Finish()
	b = Bound{}
	if err := sig.BindInputs(&b, &at, x); err != nil {
		t.Fatal(err)
	}
	if err := sig.BindOutputs(&b); err == nil {
		t.Error("extents that nobody told were accepted")
	}
}

// The fast path finds the same as the general one.
func TestDenseAgrees(t *testing.T) {
	noLeaks(t)
	taken := 0
	rapid.Check(t, func(r *rapid.T) {
		batch := rapid.SliceOfN(rapid.IntRange(1, 3), 0, 2).Draw(r, "batch")
		inner := rapid.SliceOfN(rapid.IntRange(1, 3), 1, 2).Draw(r, "inner")
		c := rapid.IntRange(1, 3).Draw(r, "c")
		full, withC := append(slices.Clone(batch), inner...), append(slices.Clone(batch), c)
		mk := func(shape []int) *Tensor { return counting(F32, 0, shape...) }
		position := func(p int) int { // sometimes wrong, sometimes negative
			return p + rapid.SampledFrom([]int{0, 0, 1, -len(full), -len(withC)}).Draw(r, "shift")
		}
		axis := PlaceAxis(position(len(batch)))
		var list []int
		for k := range inner {
			list = append(list, position(len(batch)+k))
		}
		axes := PlaceAxes(list)
		for _, call := range []struct {
			sig     *Signature
			at      *Placement
			tensors []*Tensor
		}{
			{&pointSig, nil, []*Tensor{mk(full), mk(full), mk(full)}},
			{&pointSig, nil, []*Tensor{mk(full), mk(inner), mk(full)}},
			{&linearSig, nil, []*Tensor{mk(withC), mk([]int{4, c}), nil, mk(append(slices.Clone(batch), 4))}},
			{&linearSig, nil, []*Tensor{mk(withC), mk([]int{4, 3}), mk([]int{4}), mk(append(slices.Clone(batch), 4))}},
			{&classSig, &axis, []*Tensor{mk(withC), counting(I32, 0, batch...), nil, mk(batch), mk(withC)}},
			{&classSig, &axis, []*Tensor{mk(withC), counting(I32, 0, inner...), mk([]int{c}), mk(batch), mk(withC)}},
			{&normSig, &axes, []*Tensor{mk(full), mk(inner), mk(full), mk(batch)}},
			{&normSig, &axes, []*Tensor{mk(full), nil, mk(full), mk(full)}},
		} {
			var dense, general Bound
			if !call.sig.bindDense(&dense, call.at, call.tensors) {
				continue
			}
			taken++
			general.set(call.sig, call.tensors)
			if err := call.sig.bind(&general, call.at, false); err != nil {
				r.Fatalf("%s: the fast path took what the general one refuses: %v", call.sig.Op, err)
			}
			if dense.Ext != general.Ext || dense.DType != general.DType || dense.Ptr != general.Ptr || dense.splat != general.splat || dense.writes != general.writes {
				r.Fatalf("%s: got %v %v, want %v %v", call.sig.Op, dense.Ext, dense.Ptr, general.Ext, general.Ptr)
			}
			for a := range call.sig.Axes {
				if call.sig.Axes[a].Pack && !slices.Equal(dense.Pack(a), general.Pack(a)) {
					r.Fatalf("%s: pack %v, want %v", call.sig.Op, dense.Pack(a), general.Pack(a))
				}
			}
			general.Finish()
		}
	})
	if taken < 100 && !testing.Short() {
		t.Errorf("the fast path was taken %d times", taken)
	}
}
