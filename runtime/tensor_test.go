package runtime

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

func TestFromSliceShares(t *testing.T) {
	data := []float32{1, 2, 3, 4, 5, 6}
	x := Must(FromSlice(data, 2, 3))
	data[4] = 50
	if v := Must(x.At(1, 1)); v != 50 {
		t.Errorf("At(1, 1) is %v, want 50", v)
	}
	got := Must(Data[float32](x))
	got[0] = -1
	if data[0] != -1 {
		t.Error("Data is a copy")
	}
	if x.DType() != F32 || x.Rank() != 2 || x.Len() != 6 || x.Device() != CPU || !slices.Equal(x.Strides(), []int{3, 1}) {
		t.Errorf("%v %v %v %v %v", x.DType(), x.Rank(), x.Len(), x.Device(), x.Strides())
	}
	type celsius float64
	if d := Must(FromSlice([]celsius{1}, 1)).DType(); d != F64 {
		t.Errorf("a named type has dtype %v", d)
	}
}

func TestScalarsAndNothing(t *testing.T) {
	s := Scalar(2.5)
	if s.Rank() != 0 || s.Len() != 1 || Must(s.Item()) != 2.5 || Must(s.At()) != 2.5 {
		t.Errorf("%v", s)
	}
	for _, shape := range [][]int{{0}, {3, 0}, {0, 3, 2}} {
		e := Must(New(I32, shape...))
		if e.Len() != 0 || !e.IsContiguous() || len(Must(Values[int32](e))) != 0 {
			t.Errorf("shape %v: %v", shape, e)
		}
		if _, err := e.Item(); !errors.Is(err, ErrShape) {
			t.Errorf("an element of nothing: %v", err)
		}
		v := Must(e.Transpose(0, -1))
		if err := v.Fill(1); err != nil {
			t.Error(err)
		}
	}
	if x := Must(FromSlice([]int64(nil), 0)); x.Len() != 0 {
		t.Errorf("%v", x)
	}
}

func TestString(t *testing.T) {
	for _, c := range []struct {
		t    *Tensor
		want string
	}{
		{Must(FromSlice([]float32{0.1, 2, 3, 4}, 2, 2)), "f32[2 2] [[0.1 2] [3 4]]"},
		{Scalar[int64](math.MaxInt64), "i64[] 9223372036854775807"},
		{Scalar[int32](-7), "i32[] -7"},
		{Must(New(F64, 2, 0)), "f64[2 0] [[] []]"},
		{counting(F64, 0, 10), "f64[10] [0 1 2 … 7 8 9]"},
		{nil, "nil"},
	} {
		if got := c.t.String(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

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
			if want := Must(x.At(where(index)...)); float64(values[n]) != want {
				t.Errorf("%s at %v: %v, want %v", name, index, values[n], want)
			}
		})
		if v.store != x.store {
			t.Errorf("%s copies", name)
		}
	}
	v, err := x.Slice(2, 1, 4, 2)
	check("Slice", v, err, func(i []int) []int { return []int{i[0], i[1], 1 + 2*i[2]} })
	v, err = x.Transpose(0, -1)
	check("Transpose", v, err, func(i []int) []int { return []int{i[2], i[1], i[0]} })
	v, err = x.Permute(1, 2, 0)
	check("Permute", v, err, func(i []int) []int { return []int{i[2], i[0], i[1]} })
	v, err = x.Reshape(-1, 4)
	check("Reshape", v, err, func(i []int) []int { return []int{i[0] / 3, i[0] % 3, i[1]} })
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

func TestTensorErrors(t *testing.T) {
	x := counting(F32, 0, 2, 3)
	second := func(_ any, err error) error { return err }
	var none *Tensor
	many := make([]int, 9)
	for name, c := range map[string]struct {
		err  error
		kind error
	}{
		"dtype":              {second(New(NoDType, 2)), ErrDType},
		"unknown dtype":      {second(New(99, 2)), ErrDType},
		"negative extent":    {second(New(F32, 2, -1)), ErrShape},
		"nine axes":          {second(New(F32, many...)), ErrShape},
		"too many elements":  {second(New(F32, math.MaxInt, math.MaxInt)), ErrShape},
		"one axis too long":  {second(New(F32, math.MaxInt)), ErrShape},
		"too short":          {second(FromSlice([]float32{1, 2}, 3)), ErrShape},
		"too long":           {second(FromSlice([]float32{1, 2}, 1)), ErrShape},
		"no shape":           {second(FromSlice([]float32{1, 2})), ErrShape},
		"data of a dtype":    {second(Data[float64](x)), ErrDType},
		"data of nil":        {second(Data[float64](none)), ErrNil},
		"data of a view":     {second(Data[float32](Must(x.Transpose(0, 1)))), ErrShape},
		"values of a dtype":  {second(Values[int32](x)), ErrDType},
		"at short":           {second(x.At(1)), ErrIndex},
		"at far":             {second(x.At(1, 3)), ErrIndex},
		"at negative":        {second(x.At(0, -1)), ErrIndex},
		"item":               {second(x.Item()), ErrShape},
		"slice axis":         {second(x.Slice(2, 0, 1, 1)), ErrAttr},
		"slice range":        {second(x.Slice(1, 1, 4, 1)), ErrIndex},
		"slice backwards":    {second(x.Slice(1, 2, 1, 1)), ErrIndex},
		"slice step":         {second(x.Slice(1, 0, 3, 0)), ErrAttr},
		"permute short":      {second(x.Permute(0)), ErrAttr},
		"permute twice":      {second(x.Permute(0, 0)), ErrAttr},
		"permute far":        {second(x.Permute(0, 2)), ErrAttr},
		"transpose far":      {second(x.Transpose(0, 2)), ErrAttr},
		"expand":             {second(x.Expand(2, 4)), ErrShape},
		"expand fewer":       {second(x.Expand(3)), ErrShape},
		"expand negative":    {second(x.Expand(-1, 2, 3)), ErrShape},
		"reshape":            {second(x.Reshape(4)), ErrShape},
		"reshape open":       {second(x.Reshape(-1, 4)), ErrShape},
		"reshape two open":   {second(x.Reshape(-1, -1)), ErrShape},
		"reshape overflow":   {second(x.Reshape(math.MaxInt, math.MaxInt)), ErrShape},
		"reshape a view":     {second(Must(x.Transpose(0, 1)).Reshape(6)), ErrShape},
		"fill expanded":      {Must(Scalar[float32](1).Expand(3)).Fill(2), ErrAlias},
		"gradient of ints":   {counting(I32, 0, 2).RequireGrad(), ErrDType},
		"backward of nil":    {none.Backward(), ErrNil},
		"backward of plain":  {Scalar(1.0).Backward(), ErrGrad},
		"backward of vector": {x.Backward(), ErrShape},
	} {
		var arg *ArgError
		if !errors.Is(c.err, c.kind) || !errors.As(c.err, &arg) {
			t.Errorf("%s: %v", name, c.err)
		}
	}
}

func TestMust(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Must didn't panic")
		}
	}()
	Must(New(F32, -1))
}

// Copies, sums and additions between any layouts.
func TestStrided(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(0, 20), 0, 3).Draw(r, "shape")
		dtype := rapid.SampledFrom([]DType{F32, F64, I32, I64}).Draw(r, "dtype")
		src, dst := drawLayout(r, dtype, 1, shape...), drawLayout(r, dtype, 0, shape...)
		copyStrided(dst.data, dst.strides(), src.data, src.strides(), shape, dtype.Size())
		eachPoint(shape, func(n int, index []int) {
			if got := dst.load(dst.offset(index)); got != float64(n+1) {
				r.Fatalf("copied to %v: %v, want %v", index, got, n+1)
			}
		})
		addStrided(dst.data, dst.strides(), src.data, src.strides(), shape, dtype)
		eachPoint(shape, func(n int, index []int) {
			if got := dst.load(dst.offset(index)); got != float64(2*(n+1)) {
				r.Fatalf("added to %v: %v, want %v", index, got, 2*(n+1))
			}
		})
	})
}

// Long sums of gradients lose nothing that matters.
func TestSumPrecision(t *testing.T) {
	const n = 1 << 20
	x := Must(New(F64, n))
	v := Must(Data[float64](x))
	for i := range v {
		v[i] = 0.1
	}
	v[0] = 1e16
	v[n-1] = -1e16
	sum := Scalar(0.0)
	sumStrided(sum.data, []int{0}, x.data, x.strides(), x.dims(), F64)
	if got, want := Must(sum.Item()), 0.1*(n-2); math.Abs(got-want) > 1e-9*want {
		t.Errorf("got %v, want %v", got, want)
	}
	v[5] = math.Inf(1)
	sumStrided(sum.data, []int{0}, x.data, x.strides(), x.dims(), F64)
	if got := Must(sum.Item()); !math.IsInf(got, 1) {
		t.Errorf("with an infinity: %v", got)
	}
}

func TestReorder(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(1, 4), 1, 4).Draw(r, "shape")
		order := rapid.Permutation(upTo(len(shape))).Draw(r, "order")
		x := counting(F64, 0, shape...)
		want := Must(Values[float64](Must(x.Permute(order...))))
		packed := Must(New(F64, x.n))
		Reorder(packed.data, x.data, F64, shape, order)
		if got := Must(Data[float64](packed)); !slices.Equal(got, want) {
			r.Fatalf("got %v, want %v", got, want)
		}
	})
}

func TestSplat(t *testing.T) {
	for _, d := range []DType{F32, F64, I32, I64} {
		p := Splat(d, 3)
		for i := range Block {
			if v := (&Tensor{data: p, dtype: d}).load(i); v != 3 {
				t.Errorf("%v: element %d is %v", d, i, v)
			}
		}
		if Splat(d, 3) != p {
			t.Errorf("%v: a new page for the same value", d)
		}
	}
	negative := math.Copysign(0, -1)
	if Splat(F64, negative) == Splat(F64, 0) {
		t.Error("+0 and -0 share a page")
	}
}

func TestCheckIndex(t *testing.T) {
	noLeaks(t)
	x := Must(New(F32, 3, 4))
	for _, dtype := range []DType{I32, I64} {
		for _, c := range []struct {
			index   []float64
			guard   func(int) bool
			message string
		}{
			{[]float64{0, 3, 1}, nil, ""},
			{[]float64{0, 4, 1}, nil, "want 0 ≤ index < 4, got 4 at element 1"},
			{[]float64{0, 3, -1}, nil, "got -1 at element 2"},
			{[]float64{0, -100, 1}, func(v int) bool { return v != -100 }, ""},
			{[]float64{-100, -100, -99}, func(v int) bool { return v != -100 }, "got -99 at element 2"},
		} {
			u := Must(New(dtype, 3))
			for i, v := range c.index {
				u.store1(i, v)
			}
			at := PlaceAxis(1)
			var b Bound
			if err := classSig.BindNew(&b, &at, x, u, nil); err != nil {
				t.Fatal(err)
			}
			err := b.CheckIndex(1, 1, c.guard)
			if c.message == "" {
				if err != nil {
					t.Errorf("%v: %v", c.index, err)
				}
				b.Finish()
				continue
			}
			if !errors.Is(err, ErrIndex) || !strings.Contains(err.Error(), "test.class: t: ") || !strings.Contains(err.Error(), c.message) {
				t.Errorf("%v: %v", c.index, err)
			}
			if b.Fail(err) != err {
				t.Error("Fail returns another error")
			}
		}
	}
}

func TestRegistryCollision(t *testing.T) {
	op := func(path, source string) *Op {
		return &Op{Path: path, Name: "same", Source: source, Signature: &pointSig}
	}
	Register(op("one.example/collide", "a.op"))
	Register(op("two.example/collide", "b.op"))
	Register(op("two.example/collide", "c.op"))
	if o, err := Lookup("one.example/collide.same"); err != nil || o.Source != "a.op" {
		t.Errorf("by full name: %v", err)
	}
	for _, name := range []string{"collide.same", "two.example/collide.same"} {
		_, err := Lookup(name)
		if !errors.Is(err, ErrName) || !strings.Contains(err.Error(), "b.op") || !strings.Contains(err.Error(), "c.op") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Lookup("colide.same"); err == nil || !strings.Contains(err.Error(), "collide.same") {
		t.Errorf("a misspelt name: %v", err)
	}
	n := 0
	for _, o := range Ops() {
		if o.Name == "same" {
			n++
		}
	}
	if n != 3 {
		t.Errorf("%d ops, want 3", n)
	}
}

func BenchmarkSumStrided(b *testing.B) {
	x := counting(F32, 0, 1000, 1000)
	for name, stride := range map[string][]int{"all": {0, 0}, "rows": {0, 1}, "columns": {1, 0}} {
		dst := make([]float32, 1000)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				sumStrided(unsafe.Pointer(unsafe.SliceData(dst)), stride, x.data, x.strides(), x.dims(), F32)
			}
		})
	}
}

func BenchmarkTranspose(b *testing.B) {
	x, y := counting(F32, 0, 1000, 1000), Must(New(F32, 1000, 1000))
	for b.Loop() {
		Reorder(y.data, x.data, F32, []int{1000, 1000}, []int{1, 0})
	}
}
