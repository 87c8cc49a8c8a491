package runtime

import (
	"errors"
	"math"
	"math/bits"
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
		"at negative":        {second(x.At(0, -4)), ErrIndex},
		"item":               {second(x.Item()), ErrShape},
		"slice axis":         {second(x.Slice(2, 0, 1, 1)), ErrAttr},
		"slice range":        {second(x.Slice(1, 1, 4, 1)), ErrIndex},
		"slice backwards":    {second(x.Slice(1, 2, 1, 1)), ErrIndex},
		"slice before":       {second(x.Slice(1, -4, 1, 1)), ErrIndex},
		"slice negative":     {second(x.Slice(1, -1, -2, 1)), ErrIndex},
		"flip far":           {second(x.Flip(2)), ErrAttr},
		"flip twice":         {second(x.Flip(1, -1)), ErrAttr},
		"select axis":        {second(x.Select(2, 0)), ErrAttr},
		"select far":         {second(x.Select(1, 3)), ErrIndex},
		"select before":      {second(x.Select(1, -4)), ErrIndex},
		"select of nothing":  {second(Must(New(F32, 0)).Select(0, 0)), ErrIndex},
		"squeeze long":       {second(x.Squeeze(1)), ErrShape},
		"squeeze far":        {second(x.Squeeze(2)), ErrAttr},
		"unsqueeze far":      {second(x.Unsqueeze(3)), ErrAttr},
		"unsqueeze a ninth":  {second(Must(New(F32, 1, 1, 1, 1, 1, 1, 1, 1)).Unsqueeze(0)), ErrShape},
		"full":               {second(Full(1.0, 2, -1)), ErrShape},
		"range by nothing":   {second(Arange(0.0, 5, 0)), ErrValue},
		"range to nowhere":   {second(Arange(0.0, math.NaN(), 1)), ErrValue},
		"range too long":     {second(Arange(0.0, 1e300, 1)), ErrShape},
		"integers too many":  {second(Arange[int64](math.MinInt64, math.MaxInt64, 1)), ErrShape},
		"bytes too few":      {second(FromBytes(F32, make([]byte, 3), 1)), ErrShape},
		"bytes of no dtype":  {second(FromBytes(NoDType, nil, 0)), ErrDType},
		"get a dtype":        {second(Get[float64](x, 0, 0)), ErrDType},
		"get far":            {second(Get[float32](x, 2, 0)), ErrIndex},
		"put a dtype":        {Put(x, 1.0, 0, 0), ErrDType},
		"put short":          {Put(x, float32(1), 0), ErrIndex},
		"put expanded":       {Put(Must(Scalar(1.0).Expand(3)), 1.0, 0), ErrAlias},
		"set far":            {x.Set(1, 0, 3), ErrIndex},
		"read short":         {Read(make([]float32, 5), x), ErrShape},
		"write long":         {Write(x, make([]float32, 7)), ErrShape},
		"write a dtype":      {Write(x, make([]float64, 6)), ErrDType},
		"copy nothing":       {x.CopyFrom(nil), ErrNil},
		"copy a dtype":       {x.CopyFrom(Scalar(1.0)), ErrDType},
		"copy a shape":       {x.CopyFrom(Must(New(F32, 2))), ErrShape},
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

// Shapes whose numbers of elements don't fit an int are errors, also those whose product wraps to something small.
func TestExtentsThatOverflow(t *testing.T) {
	half := 1 << (bits.UintSize / 2)
	for _, shape := range [][]int{
		{half, half}, {half, half, 3}, {math.MaxInt, 2}, {math.MaxInt, math.MaxInt, math.MaxInt}, {half / 2, half / 2, 2, 2},
		{0, math.MaxInt, 2}, {maxElements, 2}, {2, 1, maxElements},
	} {
		one := Scalar(1.0)
		for name, err := range map[string]error{
			"New":       func() error { _, err := New(I8, shape...); return err }(),
			"FromSlice": func() error { _, err := FromSlice([]int8{}, shape...); return err }(),
			"FromBytes": func() error { _, err := FromBytes(F64, nil, shape...); return err }(),
			"Full":      func() error { _, err := Full(1.0, shape...); return err }(),
			"Expand":    func() error { _, err := one.Expand(shape...); return err }(),
			"Reshape":   func() error { _, err := one.Reshape(shape...); return err }(),
		} {
			if !errors.Is(err, ErrShape) {
				t.Errorf("%s of %v: %v", name, shape, err)
			}
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
		dtype := rapid.SampledFrom([]DType{F16, BF16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64, Bool}).Draw(r, "dtype")
		stored := func(v int) float64 {
			x := Must(New(dtype, 1))
			x.store1(0, float64(v))
			return x.load(0)
		}
		src, dst := drawLayout(r, dtype, 1, shape...), drawLayout(r, dtype, 0, shape...)
		copyStrided(dst.data, dst.strides(), src.data, src.strides(), shape, dtype.Size())
		eachPoint(shape, func(n int, index []int) {
			if got := dst.load(dst.offset(index)); got != stored(n+1) {
				r.Fatalf("copied to %v: %v, want %v", index, got, stored(n+1))
			}
		})
		if !dtype.Float() {
			return
		}
		addStrided(dst.data, dst.strides(), src.data, src.strides(), shape, dtype)
		eachPoint(shape, func(n int, index []int) {
			if got := dst.load(dst.offset(index)); got != 2*stored(n+1) {
				r.Fatalf("added to %v: %v, want %v", index, got, 2*stored(n+1))
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
	sumStrided(sum.data, []int{0}, F64, x.data, x.strides(), F64, x.dims())
	if got, want := Must(sum.Item()), 0.1*(n-2); math.Abs(got-want) > 1e-9*want {
		t.Errorf("got %v, want %v", got, want)
	}
	v[5] = math.Inf(1)
	sumStrided(sum.data, []int{0}, F64, x.data, x.strides(), F64, x.dims())
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
	t.Cleanup(func() {
		registry.Lock()
		defer registry.Unlock()
		delete(registry.ops, "one.example/collide.same")
		delete(registry.ops, "two.example/collide.same")
	})
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
	if _, err := Lookup("same"); err == nil || !strings.Contains(err.Error(), "collide.same") {
		t.Errorf("without its package: %v", err)
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
				sumStrided(unsafe.Pointer(unsafe.SliceData(dst)), stride, F32, x.data, x.strides(), F32, x.dims())
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
