package conformance

import (
	"errors"
	"fmt"
	goruntime "runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/opgen/opgen/gen/attention"
	_ "github.com/opgen/opgen/gen/compose"
	_ "github.com/opgen/opgen/gen/index"
	"github.com/opgen/opgen/gen/linalg"
	_ "github.com/opgen/opgen/gen/pointwise"
	_ "github.com/opgen/opgen/gen/quant"
	_ "github.com/opgen/opgen/gen/random"
	"github.com/opgen/opgen/gen/reduce"
	_ "github.com/opgen/opgen/gen/rnn"
	"github.com/opgen/opgen/gen/window"
	"github.com/opgen/opgen/runtime"
)

// roomExtents are extents of axes in the order of a signature: blocks of memory are large, and what kernels take for a launch stays small.
var roomExtents = []int{64, 48, 9, 40, 5, 6, 7, 3, 2, 2, 2, 2, 2, 2, 2, 2}

// roomInputs makes inputs of an op as its signature has them: nil where it has no call for the dtype.
func roomInputs(o *runtime.Op, d runtime.DType, expand bool) []*runtime.Tensor {
	s := o.Signature
	var in []*runtime.Tensor
	for i, p := range s.Params {
		if p.Mode != runtime.In && p.Mode != runtime.Inout {
			continue
		}
		var shape []int
		if s.Outer && len(p.Dims) > 0 {
			shape = []int{32, 9, 64}
		}
		for _, x := range p.Dims {
			if s.Outer {
				break
			}
			n := 1
			if x.Factors == nil {
				n = roomExtents[x.Axis]
			}
			for _, f := range x.Factors {
				n *= roomExtents[f]
			}
			shape = append(shape, n)
		}
		e := p.Elem.Fixed
		if e == runtime.NoDType {
			have := s.Vars[p.Elem.Var].DTypes
			switch {
			case have.Has(d):
				e = p.Elem.Of(d)
			case have.Has(runtime.I32): // indices
				e = runtime.I32
			default:
				return nil
			}
		}
		t, err := runtime.New(e, shape...)
		if err != nil {
			return nil
		}
		if expand && i == 0 && p.Mode == runtime.In && len(shape) > 1 {
			one := slices.Clone(shape)
			one[0] = 1
			t = runtime.Must(runtime.Must(runtime.New(e, one...)).Expand(shape...))
		}
		if e.Float() || e == d && d != runtime.Bool {
			if t.IsContiguous() {
				if err := t.Fill(1); err != nil {
					return nil
				}
			}
		}
		in = append(in, t)
	}
	return in
}

// roomAttrs are the attributes that an op must be given.
func roomAttrs(o *runtime.Op) map[string]any {
	r := map[string]any{}
	for _, a := range o.Attrs {
		if a.Default != "" {
			continue
		}
		switch {
		case a.Words != nil:
			r[a.Name] = a.Words[0]
		case strings.HasPrefix(a.Type, "int["):
			r[a.Name] = []int{2}
		case strings.HasPrefix(a.Type, "float["):
			r[a.Name] = []float64{2}
		case a.Type == "int":
			r[a.Name] = 1
		case a.Type == "axis":
			r[a.Name] = -1
		case a.Type == "axes":
			r[a.Name] = []int{-1}
		case a.Type == "float":
			r[a.Name] = 0.5
		case a.Type == "rng":
			r[a.Name] = runtime.NewSeed(1)
		}
	}
	return r
}

// roomOf runs a call and gives what it took altogether while it ran, in bytes: the more of twice, since tensors of other calls may be collected
// meanwhile.
func roomOf(call func() error) (took int64, err error) {
	for range 2 {
		before := runtime.Memory()
		runtime.ResetPeak()
		if err = call(); err != nil {
			return 0, err
		}
		m := runtime.Memory()
		took = max(took, m.Peak-before.InUse+m.ScratchPeak-before.Scratch)
	}
	return took, nil
}

// collectBetween leaves collecting garbage to the function that it gives, so that nothing is collected while calls are measured.
func collectBetween(t *testing.T) func() {
	old := debug.SetGCPercent(-1)
	t.Cleanup(func() { debug.SetGCPercent(old) })
	return func() {
		goruntime.GC()
		time.Sleep(time.Millisecond) // for cleanups
	}
}

// roomSmall is what a small tensor takes at most, which the pool doesn't count.
const roomSmall = 1 << 13

// roomThreads is what ops have for their threads with the extents here, which MaxBytes doesn't count: partial results, of a few
// hundredths of the inputs as a rule.
var roomThreads = map[string]int64{"linalg.addbmm": 1 << 18}

// counts tests that a call passes with MaxBytes of what it takes, and is refused with less: then nothing is left of it. Tensors are how many
// it makes at most, apart is what is taken beside the call.
func counts(t *testing.T, name string, tensors int, apart int64, call func() error) {
	t.Helper()
	took, err := roomOf(call)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	took -= apart
	defer runtime.SetMaxBytes(runtime.SetMaxBytes(took + int64(tensors)*roomSmall))
	before := runtime.Memory()
	if err := call(); err != nil {
		t.Errorf("%s takes %d bytes: %v", name, took, err)
	}
	op, _, _ := strings.Cut(name, " ")
	less := took - roomSmall - took/32 - roomThreads[op]
	if less <= 0 {
		return
	}
	runtime.SetMaxBytes(less)
	if err := call(); !errors.Is(err, runtime.ErrShape) || !strings.Contains(err.Error(), "SetMaxBytes") {
		t.Errorf("%s takes %d bytes, with %d allowed: %v", name, took, less, err)
	}
	if m := runtime.Memory(); m.Scratch != before.Scratch || m.InUse > before.InUse {
		t.Errorf("%s: refused, but %d and %d bytes are left", name, m.Scratch-before.Scratch, m.InUse-before.InUse)
	}
}

// A call takes what MaxBytes counts, and no more: every op that has such a call, with any dtype, also where an input is expanded, and
// the derivative.
func TestRoomOfOps(t *testing.T) {
	calls, derivatives, none := 0, 0, map[string]int{}
	collect := collectBetween(t)
	for i, o := range runtime.Ops() {
		if i%8 == 0 {
			collect()
		}
		for _, d := range []runtime.DType{runtime.F32, runtime.F64, runtime.F16, runtime.I32, runtime.I64, runtime.Bool} {
			for _, expand := range []bool{false, true} {
				if expand && (d == runtime.F64 || d == runtime.I64) {
					continue
				}
				name := fmt.Sprint(o.ShortName(), " ", d)
				if expand {
					name += " expanded"
				}
				in, attrs := roomInputs(o, d, expand), roomAttrs(o)
				if in == nil {
					continue
				}
				call := func() error {
					out, err := o.Call(in, attrs)
					for _, y := range out {
						y.Release()
					}
					return err
				}
				if err := call(); err != nil {
					none[o.ShortName()]++ // no such call
					continue
				}
				calls++
				counts(t, name, len(o.Signature.Params), 0, call)
				if !d.Float() || expand {
					continue
				}
				for _, x := range in {
					if x.DType().Float() {
						if err := x.RequireGrad(); err != nil {
							t.Fatal(name, err)
						}
					}
				}
				out, err := o.Call(in, attrs)
				if err != nil || len(out) == 0 || !out[0].RequiresGrad() {
					continue
				}
				derivatives++
				y := out[0]
				var cotangent *runtime.Tensor
				size, err := roomOf(func() (err error) { cotangent, err = runtime.New(y.DType(), y.Shape()...); return err })
				if err != nil {
					t.Fatal(name, err)
				}
				back := func() error { return y.BackwardWith(cotangent, runtime.KeepGraph) }
				if err := back(); err != nil { // the next ones add to gradients that there are
					t.Errorf("%s: backward: %v", name, err)
					continue
				}
				counts(t, name+" backward", len(in), size, back) // which has a copy of the cotangent
			}
		}
	}
	t.Log(calls, "calls,", derivatives, "derivatives; refused:", none)
	if calls < 1500 || derivatives < 400 {
		t.Error("too few")
	}
}

// Calls that write to memory of the caller take exactly what MaxBytes counts: with a byte less they are refused, and have written nothing.
func TestRoomOfIntoCalls(t *testing.T) {
	if old, err := runtime.SetPath(runtime.Generic); err != nil { // without copies for the threads of a launch
		t.Fatal(err)
	} else {
		defer runtime.SetPath(old)
	}
	collectBetween(t)()
	of := func(d runtime.DType, shape ...int) *runtime.Tensor {
		x := runtime.Must(runtime.New(d, shape...))
		if err := x.Fill(1); err != nil {
			t.Fatal(err)
		}
		return x
	}
	first := 0
	cases := []struct {
		name   string
		dtypes []runtime.DType
		free   []runtime.DType // that take nothing but what launches have for their threads
		make   func(d runtime.DType) (y []*runtime.Tensor, call func() error)
	}{
		{"matmul", nums, floats, func(d runtime.DType) ([]*runtime.Tensor, func() error) {
			x, z, y := of(d, 64, 32), of(d, 32, 64), of(d, 64, 64)
			return tensors{y}, func() error { return linalg.MatmulInto(y, x, z) }
		}},
		{"matmul of what is turned", nums, nil, func(d runtime.DType) ([]*runtime.Tensor, func() error) {
			x, z, y := runtime.Must(of(d, 64, 64).Transpose(0, 1)), of(d, 64, 64), runtime.Must(of(d, 64, 64).Transpose(0, 1))
			return tensors{y}, func() error { return linalg.MatmulInto(y, x, z) }
		}},
		{"derivative of matmul", floats, floats, func(d runtime.DType) ([]*runtime.Tensor, func() error) {
			x, z, dy, dx, dz := of(d, 64, 32), of(d, 32, 64), of(d, 64, 64), of(d, 64, 32), of(d, 32, 64)
			return tensors{dx, dz}, func() error { return linalg.MatmulBackwardInto(dx, dz, dy, x, z) }
		}},
		{"derivative of linear, of an expanded bias", slices.Concat(halves, floats), nil, func(d runtime.DType) ([]*runtime.Tensor, func() error) {
			x, w, b, dy, db := of(d, 8, 4, 32), of(d, 1024, 32), of(d, 1024), of(d, 8, 4, 1024), of(d, 1024)
			return tensors{db}, func() error { return linalg.LinearBackwardInto(nil, nil, db, dy, x, w, b) }
		}},
		{"linear", floats, floats, func(d runtime.DType) ([]*runtime.Tensor, func() error) {
			x, w, b, y := of(d, 64, 32), of(d, 64, 32), of(d, 64), of(d, 64, 64)
			return tensors{y}, func() error { return linalg.LinearInto(y, x, w, b) }
		}},
		{"softmax", slices.Concat(halves, floats), floats, func(d runtime.DType) ([]*runtime.Tensor, func() error) {
			x, y := of(d, 64, 64), of(d, 64, 64)
			return tensors{y}, func() error { return reduce.SoftmaxInto(y, x, nil) }
		}},
		{"softmax along rows", slices.Concat(halves, floats), nil, func(d runtime.DType) ([]*runtime.Tensor, func() error) {
			x, y := of(d, 64, 64), of(d, 64, 64)
			return tensors{y}, func() error { return reduce.SoftmaxInto(y, x, &reduce.SoftmaxAttrs{Axis: &first}) }
		}},
		{"conv", slices.Concat(halves, floats), nil, func(d runtime.DType) ([]*runtime.Tensor, func() error) {
			x, w, y := of(d, 2, 8, 34, 34), of(d, 16, 8, 3, 3), of(d, 2, 16, 32, 32)
			return tensors{y}, func() error { return window.ConvInto(y, x, w, nil, nil) }
		}},
		{"any", slices.Concat(nums, []runtime.DType{runtime.Bool}), nil, func(d runtime.DType) ([]*runtime.Tensor, func() error) {
			x, y := of(d, 64, 64), of(runtime.Bool, 64)
			return tensors{y}, func() error { return reduce.AnyInto(y, x, &reduce.AnyAttrs{Axes: []int{1}}) }
		}},
		{"a product with expanded integers", []runtime.DType{runtime.I32, runtime.I64}, nil, func(d runtime.DType) ([]*runtime.Tensor, func() error) {
			x, z, y := runtime.Must(of(d, 1, 1).Expand(64, 32)), of(d, 32, 64), of(d, 64, 64)
			return tensors{y}, func() error { return linalg.MatmulInto(y, x, z) }
		}},
	}
	for _, c := range cases {
		for _, d := range c.dtypes {
			y, call := c.make(d)
			took, err := roomOf(call)
			if err != nil {
				t.Errorf("%s %v: %v", c.name, d, err)
				continue
			}
			if slices.Contains(c.free, d) {
				took = 0
			}
			func() {
				defer runtime.SetMaxBytes(runtime.SetMaxBytes(max(took, 1)))
				if err := call(); err != nil {
					t.Errorf("%s %v takes %d bytes: %v", c.name, d, took, err)
				}
				if took == 0 {
					return
				}
				for _, x := range y {
					if err := x.Fill(1); err != nil {
						t.Fatal(err)
					}
				}
				runtime.SetMaxBytes(took - 1)
				if err := call(); !errors.Is(err, runtime.ErrShape) || !strings.Contains(err.Error(), "SetMaxBytes") {
					t.Errorf("%s %v takes %d bytes, with one less: %v", c.name, d, took, err)
				}
				for _, x := range y {
					for _, v := range runtime.Must(x.Floats()) {
						if v != 1 {
							t.Fatalf("%s %v: an output has changed", c.name, d)
						}
					}
				}
			}()
		}
	}
}

var (
	halves = []runtime.DType{runtime.F16, runtime.BF16}
	floats = []runtime.DType{runtime.F32, runtime.F64}
	nums   = []runtime.DType{runtime.F16, runtime.F32, runtime.F64, runtime.I8, runtime.I32, runtime.I64, runtime.U16}
)
