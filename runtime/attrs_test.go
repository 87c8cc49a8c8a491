package runtime

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

type word string

func (w word) String() string { return string(w) }

func TestAttrReader(t *testing.T) {
	r := NewAttrReader("test.attrs", map[string]any{
		"f": float32(0.5), "i": int64(3), "n": 2.0, "list": []any{1, 2.0}, "one": 7, "ints": []int{4}, "yes": true, "mode": word("fast"), "none": nil,
	})
	if f := r.Float("f"); f == nil || *f != 0.5 {
		t.Errorf("f is %v", f)
	}
	if f := r.Float("i"); f == nil || *f != 3 {
		t.Errorf("i as a number is %v", f)
	}
	if n := r.Int("n"); n == nil || *n != 2 {
		t.Errorf("n is %v", n)
	}
	if r.Int("i"); r.NeedInt("i") != 3 || r.NeedFloat("f") != 0.5 {
		t.Error("needed attributes differ")
	}
	if l := r.Ints("list"); !slices.Equal(l, []int{1, 2}) {
		t.Errorf("list is %v", l)
	}
	if l := r.Ints("one"); !slices.Equal(l, []int{7}) {
		t.Errorf("one is %v", l)
	}
	if l := r.Ints("ints"); !slices.Equal(l, []int{4}) {
		t.Errorf("ints is %v", l)
	}
	if b := r.Bool("yes"); b == nil || !*b {
		t.Errorf("yes is %v", b)
	}
	if e := r.Enum("mode", "slow", "fast"); e != 2 {
		t.Errorf("mode is %d", e)
	}
	if r.Float("none") != nil || r.Int("absent") != nil || r.Ints("absent") != nil || r.Bool("absent") != nil || r.Enum("absent", "a") != 0 {
		t.Error("what isn't given is something")
	}
	if err := r.Err(); err != nil {
		t.Error(err)
	}
	for name, read := range map[string]func(*AttrReader){
		"float": func(r *AttrReader) { r.Float("x") },
		"int":   func(r *AttrReader) { r.Int("x") },
		"ints":  func(r *AttrReader) { r.Ints("x") },
		"bool":  func(r *AttrReader) { r.Bool("x") },
		"enum":  func(r *AttrReader) { r.Enum("x", "a") },
		"need":  func(r *AttrReader) { r.Float("x"); r.NeedInt("y") },
		"name":  func(r *AttrReader) { r.Float("y") },
	} {
		for _, v := range []any{"text", []any{1.5}, struct{}{}} {
			r := NewAttrReader("test.attrs", map[string]any{"x": v})
			read(r)
			var arg *ArgError
			if err := r.Err(); !errors.Is(err, ErrAttr) || !errors.As(err, &arg) || arg.Op != "test.attrs" {
				t.Errorf("%s of %v: %v", name, v, err)
			}
		}
	}
}

// Nil pointers stand for defaults, as nil does, and not for what must be given; numbers may be of any type that holds them.
func TestAttrReaderValues(t *testing.T) {
	r := NewAttrReader("test.attrs", map[string]any{"f": (*float64)(nil), "i": (*int)(nil), "b": (*bool)(nil), "s": (*Seed)(nil), "n": nil,
		"u8": uint8(3), "u64": uint64(1<<63 + 1<<62), "i16": int16(-4), "json": 3e9, "half": 0.5, "zero": uint8(0)})
	if r.Float("f") != nil || r.Int("i") != nil || r.Ints("i") != nil || r.Floats("f") != nil || r.Bool("b") != nil || r.Seed("s") != nil || r.Enum("f", "a") != 0 {
		t.Error("nil is something")
	}
	if n := r.Int("u8"); n == nil || *n != 3 {
		t.Error(n)
	}
	if f := r.Float("u64"); f == nil || *f != 1<<63+1<<62 {
		t.Error(f)
	}
	if l := r.Ints("i16"); !slices.Equal(l, []int{-4}) {
		t.Error(l)
	}
	if s := r.Seed("json"); s == nil || s.Key != 3e9 {
		t.Error(s)
	}
	if e := r.Enum("zero", "a", "b"); e != 0 {
		t.Error(e)
	}
	r.read = append(r.read, "n", "half")
	if err := r.Err(); err != nil {
		t.Error(err)
	}
	for name, read := range map[string]func(*AttrReader){
		"too large":        func(r *AttrReader) { r.Int("u64") },
		"no whole number":  func(r *AttrReader) { r.Int("half") },
		"needed but nil":   func(r *AttrReader) { r.NeedFloat("n") },
		"needed but empty": func(r *AttrReader) { r.NeedInt("i") },
	} {
		r := NewAttrReader("test.attrs", r.attrs)
		if read(r); !errors.Is(r.Err(), ErrAttr) || strings.Contains(r.Err().Error(), "want attributes") {
			t.Errorf("%s: %v", name, r.Err())
		}
	}
}

// Errors at any stage give scratch memory back, and change no output.
func TestErrorsLeakNothing(t *testing.T) {
	noLeaks(t)
	x, u := counting(F32, 0, 2, 3), Must(counting(F32, 0, 3, 2).Transpose(0, 1))
	y := Must(counting(F32, 0, 3, 2).Transpose(0, 1))
	at := PlaceAxis(9)
	for name, err := range map[string]error{
		"shape":   pointSig.Bind(new(Bound), nil, x, counting(F32, 0, 4), y),
		"output":  pointSig.Bind(new(Bound), nil, x, u, counting(F32, 0, 3, 2)),
		"alias":   pointSig.Bind(new(Bound), nil, x, u, Must(Scalar[float32](0).Expand(2, 3))),
		"missing": pointSig.Bind(new(Bound), nil, x, nil, y),
		"axis":    classSig.Bind(new(Bound), &at, x, counting(I32, 0, 2), nil, nil, nil),
		"dtype":   linearSig.Bind(new(Bound), nil, x, counting(I32, 0, 4, 3), nil, y),
		"inner":   linearSig.Bind(new(Bound), nil, x, counting(F32, 0, 4, 2), nil, y),
		"few":     linearSig.Bind(new(Bound), nil, Scalar[float32](1), counting(F32, 0, 4, 2), nil, y),
		"many":    linearSig.Bind(new(Bound), nil, x, counting(F32, 0, 1, 4, 3), nil, y),
		"product": groupSig.Bind(&Bound{fixed: 1 << 1, Ext: [MaxAxes]int{1: 2}}, nil, counting(F32, 0, 3, 1), counting(F32, 0, 2, 2), y),
		"open":    groupSig.Bind(new(Bound), nil, counting(F32, 0, 3, 1), counting(F32, 0, 2, 2), y),
		"new":     linearSig.BindNew(new(Bound), nil, x, counting(F32, 0, 4, 2), nil),
	} {
		var arg *ArgError
		if !errors.As(err, &arg) {
			t.Errorf("%s: %v", name, err)
		} else {
			t.Logf("%s: %v", name, err)
		}
	}
	for i, v := range Must(Values[float32](Must(y.Transpose(0, 1)))) {
		if v != float32(i) {
			t.Errorf("the output was changed: %v", y)
		}
	}
}
