package conformance

import (
	"errors"
	"fmt"
	"math/rand/v2"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/codegen/emit/cuda"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/gen/activation"
	"github.com/opgen/opgen/gen/linalg"
	"github.com/opgen/opgen/gen/loss"
	"github.com/opgen/opgen/gen/norm"
	"github.com/opgen/opgen/gen/optim"
	"github.com/opgen/opgen/gen/reduce"
	"github.com/opgen/opgen/runtime"
)

func floats32(t testing.TB, shape []int, data ...float32) *runtime.Tensor {
	t.Helper()
	x, err := runtime.FromSlice(data, shape...)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// says reports an error that is not of a kind, or that lacks a part.
func says(t *testing.T, err, kind error, parts ...string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("got error %v, want one of kind %v", err, kind)
		return
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("%q doesn't say %q", err, p)
		}
	}
}

// ST1: a transposed view is read as such.
func TestST1(t *testing.T) {
	compiled(t, func(t *testing.T, _ backend) {
		x := floats32(t, []int{2, 2}, 1, 2, 3, 4)
		ones := floats32(t, []int{1, 2}, 1, 1)
		y := runtime.Must(linalg.Linear(ones, x, nil)) // rows of x
		same(t, "rows", arrayOf(y), array([]int{1, 2}, 3, 7), bits)
		y = runtime.Must(linalg.Linear(ones, runtime.Must(x.Transpose(0, 1)), nil))
		same(t, "columns", arrayOf(y), array([]int{1, 2}, 4, 6), bits)
	}, "f32")
}

// ST3: source and destination that overlap.
func TestST3(t *testing.T) {
	compiled(t, func(t *testing.T, _ backend) {
		a := floats32(t, []int{3, 3}, 0, 1, 2, 3, 4, 5, 6, 7, 8)
		to, from := runtime.Must(a.Slice(1, 1, 3, 1)), runtime.Must(a.Slice(1, 0, 2, 1))
		if err := activation.ReluInto(to, from); err != nil {
			says(t, err, runtime.ErrAlias, "activation.relu")
			return
		}
		same(t, "a", arrayOf(a), array([]int{3, 3}, 0, 0, 1, 3, 3, 4, 6, 6, 7), bits)
	}, "f32")
}

// ST5: slices that don't begin where vectors do.
func TestST5(t *testing.T) {
	compiled(t, func(t *testing.T, _ backend) {
		src, dst := make([]float32, 300), make([]float32, 300)
		for i := range src {
			src[i] = float32(i - 150)
		}
		for lo := range 20 {
			for _, n := range []int{2, 17, 200} {
				clear(dst)
				if err := activation.ReluSlice(dst[lo+1:lo+1+n], src[lo:lo+n]); err != nil {
					t.Fatal(err)
				}
				for i, y := range dst {
					want := float32(0)
					if k := i - 1; i > lo && i <= lo+n {
						want = max(src[k], 0)
					}
					if y != want {
						t.Fatalf("%d elements from %d: element %d is %v, want %v", n, lo, i, y, want)
					}
				}
			}
		}
	}, "f32")
}

// B3: a gradient of another shape than its input is an error that names op, argument and shapes.
func TestB3(t *testing.T) {
	x, to := floats32(t, []int{3}, 1, 2, 3), floats32(t, []int{3}, 0, 0, 0)
	if err := x.RequireGrad(); err != nil {
		t.Fatal(err)
	}
	y := runtime.Must(loss.MSE(x, to, &loss.MSEAttrs{Reduction: loss.ReductionNone}))
	ones := floats32(t, []int{4, 3}, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
	says(t, y.BackwardWith(ones), runtime.ErrShape, "[3]", "[4 3]")
	if x.Grad() != nil {
		t.Error("a gradient was made")
	}
	says(t, loss.MSEBackwardInto(ones, nil, to, x.Detach(), to, &loss.MSEAttrs{Reduction: loss.ReductionNone}), runtime.ErrShape, "loss.mse", "x", "[3]", "[4 3]")
	refuses(t, "op f[T: float](x: T[N], w: T[M]) -> (y: T[N]) {\n    y = x*sum(w)\n    grad x = @y*w\n}", "4:17", "`M` of `w`")
}

// contains reports an error that lacks a part.
func contains(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if err == nil || !strings.Contains(err.Error(), p) {
			t.Errorf("%v doesn't say %q", err, p)
		}
	}
}

// checked takes one op through the checks.
func checked(t *testing.T, text string) *codegen.Build {
	t.Helper()
	b := codegen.New(codegen.Source{Files: []codegen.SourceFile{{Name: "right.op", Data: []byte("package right\n" + text + "\n")}}})
	b.Run("lint")
	return b
}

// refuses generates an op that has an error, which is reported at its place.
func refuses(t *testing.T, text, place string, parts ...string) {
	t.Helper()
	b := codegen.New(codegen.Source{Files: []codegen.SourceFile{{Name: "wrong.op", Data: []byte("package wrong\n" + text + "\n")}}})
	if b.Run("") {
		t.Errorf("%s\nis no error", text)
		return
	}
	d := b.Diags.All[0]
	if got := d.Span.Start.String(); !strings.HasSuffix(got, "wrong.op:"+place) {
		t.Errorf("%s\nis reported at %s, want %s", text, got, place)
	}
	for _, p := range parts {
		if !strings.Contains(d.Message+" "+d.Hint, p) {
			t.Errorf("%s\nis reported as %q, which doesn't say %q", text, d.Message, p)
		}
	}
}

// R1: a thousand runs of a row reduction, on several threads, give the same bits.
func TestR1(t *testing.T) {
	compiled(t, func(t *testing.T, b backend) {
		c := softmax(normal(rand.New(rand.NewPCG(17, 18)), 67, 1031), 1)
		_, in, err := c.tensors(b.float)
		if err != nil {
			t.Fatal(err)
		}
		first := runtime.Must(runtime.Data[float32](runtime.Must(reduce.Softmax(in[0], nil))))
		y := runtime.Must(runtime.New(in[0].DType(), 67, 1031))
		for i := range 1000 {
			if err := reduce.SoftmaxInto(y, in[0], nil); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(runtime.Must(runtime.Data[float32](y)), first) {
				t.Fatalf("run %d gives something else", i)
			}
		}
	}, "f32")
}

// scales counts the runs of TestRG1, since what is registered stays.
var scales int

// RG1: two ops of one name.
func TestRG1(t *testing.T) {
	scales++
	name := fmt.Sprintf("scale_%d", scales)
	register := func(path, source string) {
		runtime.Register(&runtime.Op{Path: path, Name: name, Source: source, Signature: &runtime.Signature{}})
	}
	register("example.com/a/mine", "first.op")
	if _, err := runtime.Lookup("mine." + name); err != nil {
		t.Fatal(err)
	}
	register("example.com/b/mine", "second.op")
	_, err := runtime.Lookup("mine." + name)
	says(t, err, runtime.ErrName, "example.com/a/mine", "first.op", "example.com/b/mine", "second.op")
	if _, err := runtime.Lookup("example.com/a/mine." + name); err != nil {
		t.Errorf("by its full name: %v", err)
	}
	register("example.com/a/mine", "third.op")
	_, err = runtime.Lookup("example.com/a/mine." + name)
	says(t, err, runtime.ErrName, "first.op", "third.op")
}

// ER1: dtypes that don't go together are named, with the place.
func TestER1(t *testing.T) {
	double := runtime.Must(runtime.New(runtime.F64, 3))
	_, err := loss.MSE(floats32(t, []int{3}, 1, 2, 3), double, nil)
	says(t, err, runtime.ErrDType, "loss.mse", "t:", "f32", "f64")
	_, err = linalg.Linear(runtime.Must(runtime.New(runtime.I32, 3)), floats32(t, []int{2, 3}, make([]float32, 6)...), nil)
	says(t, err, runtime.ErrDType, "linalg.linear", "x:", "f32", "i32")
	refuses(t, "op f[T: float, U: float](x: T[...B], z: U[...B]) = x + z", "2:52", "`T`", "`U`", "+")
}

// CG1: a word of the language is no name, and the error says where.
func TestCG1(t *testing.T) {
	refuses(t, "op f[T: float](func: T[...B]) = func", "2:16", "func", "reserved")
}

// LK1: ten thousand steps forward and backward leave no memory behind.
func TestLK1(t *testing.T) {
	x, to := floats32(t, []int{8, 32}, make([]float32, 256)...), runtime.Must(runtime.FromSlice(make([]int64, 8), 8))
	w := floats32(t, []int{10, 32}, make([]float32, 320)...)
	if err := w.RequireGrad(); err != nil {
		t.Fatal(err)
	}
	opt := runtime.Must(optim.NewMomentumSGD([]*runtime.Tensor{w}, 0.01, nil))
	steps := func(n int) uint64 {
		for range n {
			opt.ZeroGrad()
			y := runtime.Must(loss.CrossEntropy(runtime.Must(activation.Relu(runtime.Must(linalg.Linear(x, w, nil)))), to, nil, nil))
			if err := y.Backward(); err != nil {
				t.Fatal(err)
			}
			if err := opt.Step(); err != nil {
				t.Fatal(err)
			}
		}
		goruntime.GC()
		goruntime.GC()
		var m goruntime.MemStats
		goruntime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := steps(500)
	if after := steps(9500); after > before+256<<10 {
		t.Errorf("%d bytes of memory after 500 steps, %d after 10000", before, after)
	}
}

// DV3: a reduction into memory filled with NaN is that into zeros.
func TestDV3(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	compiled(t, func(t *testing.T, b backend) {
		for _, c := range []*call{
			mse(normal(r, 70001), normal(r, 1), "mean"), softmax(normal(r, 3, 70), 1), layerNorm(normal(r, 70, 65)),
			linear(normal(r, 9, 17), normal(r, 5, 17), nil), crossEntropy(normal(r, 7, 9), ir.NewArray(7)),
		} {
			want, _ := run(t, c.String(), b, c, nil)
			y, err := tensor(filled(nan, want["y"].Shape...), b.float)
			if err != nil {
				t.Fatal(err)
			}
			_, in, err := c.tensors(b.float)
			if err != nil {
				t.Fatal(err)
			}
			if err := typedOps[c.op].into(y, in, c); err != nil {
				t.Fatal(err)
			}
			same(t, c.op, arrayOf(y), want["y"], bits)
		}
	}, "f32", "f64")
}

// G05: what is wrong is an error that names op and shapes, never a panic.
func TestG05(t *testing.T) {
	f := func(shape ...int) *runtime.Tensor { return runtime.Must(runtime.New(runtime.F32, shape...)) }
	classes := func(shape ...int) *runtime.Tensor { return runtime.Must(runtime.New(runtime.I64, shape...)) }
	for _, c := range []struct {
		name  string
		call  func() error
		kind  error
		parts []string
	}{
		{"mse", func() error { _, err := loss.MSE(f(2, 3), f(4), nil); return err }, runtime.ErrShape, []string{"loss.mse", "t", "[2 3]", "[4]"}},
		{"mse, nil", func() error { _, err := loss.MSE(nil, f(4), nil); return err }, runtime.ErrNil, []string{"loss.mse", "x"}},
		{"mse, output", func() error { return loss.MSEInto(f(3), f(4), f(4), &loss.MSEAttrs{Reduction: loss.ReductionNone}) }, runtime.ErrShape, []string{"loss.mse", "y", "[3]", "[4]"}},
		{"mse, reduction", func() error { _, err := loss.MSE(f(4), f(4), &loss.MSEAttrs{Reduction: 9}); return err }, runtime.ErrAttr, []string{"loss.mse", "reduction"}},
		{"smooth_l1, beta", func() error {
			_, err := loss.SmoothL1(f(4), f(4), &loss.SmoothL1Attrs{Beta: new(-1.0)})
			return err
		}, runtime.ErrAttr, []string{"loss.smooth_l1", "beta must not be negative", "-1"}},
		{"smooth_l1, NaN", func() error {
			_, err := loss.SmoothL1(f(4), f(4), &loss.SmoothL1Attrs{Beta: new(nan)})
			return err
		}, runtime.ErrAttr, []string{"beta"}},
		{"linear", func() error { _, err := linalg.Linear(f(2, 3), f(5, 4), nil); return err }, runtime.ErrShape, []string{"linalg.linear", "w", "[2 3]", "[5 4]"}},
		{"linear, bias", func() error { _, err := linalg.Linear(f(2, 3), f(5, 3), f(4)); return err }, runtime.ErrShape, []string{"linalg.linear", "b", "[4]"}},
		{"linear, 0-d", func() error { _, err := linalg.Linear(f(), f(5, 3), nil); return err }, runtime.ErrShape, []string{"linalg.linear", "x"}},
		{"softmax", func() error { _, err := reduce.Softmax(f(2, 3), &reduce.SoftmaxAttrs{Axis: new(2)}); return err }, runtime.ErrAttr, []string{"reduce.softmax", "axis", "2"}},
		{"layer_norm", func() error { _, err := norm.LayerNorm(f(2, 3), f(2), nil, nil); return err }, runtime.ErrShape, []string{"norm.layer_norm", "weight", "[2]"}},
		{"layer_norm, axes", func() error {
			_, err := norm.LayerNorm(f(2, 3), nil, nil, &norm.LayerNormAttrs{Axes: []int{1, -1}})
			return err
		}, runtime.ErrAttr, []string{"norm.layer_norm", "axes"}},
		{"cross_entropy", func() error { _, err := loss.CrossEntropy(f(2, 3), classes(3), nil, nil); return err }, runtime.ErrShape, []string{"loss.cross_entropy", "t", "[3]"}},
		{"cross_entropy, dtype", func() error { _, err := loss.CrossEntropy(f(2, 3), f(2), nil, nil); return err }, runtime.ErrDType, []string{"loss.cross_entropy", "t", "f32"}},
		{"cross_entropy, weight", func() error { _, err := loss.CrossEntropy(f(2, 3), classes(2), f(4), nil); return err }, runtime.ErrShape, []string{"weight", "[4]"}},
		{"momentum_sgd", func() error { return optim.MomentumSGDInto(f(2), f(3), f(2), 1, 0.1, nil) }, runtime.ErrShape, []string{"optim.momentum_sgd", "[3]"}},
		{"momentum_sgd, step", func() error { return optim.MomentumSGDInto(f(2), f(2), f(2), 0, 0.1, nil) }, runtime.ErrAttr, []string{"step", "0"}},
		{"momentum_sgd, rate", func() error { return optim.MomentumSGDInto(f(2), f(2), f(2), 1, -1, nil) }, runtime.ErrAttr, []string{"learning rate must not be negative"}},
		{"slices", func() error { return activation.ReluSlice(make([]float32, 3), make([]float32, 4)) }, runtime.ErrShape, []string{"activation.relu", "3", "4"}},
	} {
		t.Run(c.name, func(t *testing.T) { says(t, c.call(), c.kind, c.parts...) })
	}
}

// G07: two parameters with states of their own, each updated once a step; steps 1 and 2 computed by hand.
func TestG07(t *testing.T) {
	compiled(t, func(t *testing.T, _ backend) {
		p, q := floats32(t, []int{2}, 1, 2), floats32(t, []int{2}, 1, 2)
		for _, x := range []*runtime.Tensor{p, q} {
			if err := x.RequireGrad(); err != nil {
				t.Fatal(err)
			}
		}
		opt := runtime.Must(optim.NewMomentumSGD([]*runtime.Tensor{p, q}, 0.5, &optim.MomentumSGDAttrs{Momentum: new(0.5)}))
		step := func(of func() *runtime.Tensor) {
			opt.ZeroGrad()
			if err := of().Backward(); err != nil {
				t.Fatal(err)
			}
			if err := opt.Step(); err != nil {
				t.Fatal(err)
			}
		}
		zero := floats32(t, []int{2}, 0, 0)
		sum := func(x *runtime.Tensor) *runtime.Tensor {
			return runtime.Must(loss.MSE(x, zero, &loss.MSEAttrs{Reduction: loss.ReductionSum})) // the gradient is 2 x
		}
		step(func() *runtime.Tensor { return sum(p) })
		same(t, "p after a step", arrayOf(p), vec(0, 0), bits) // 1 - 0.5*2, 2 - 0.5*4
		same(t, "q without a gradient", arrayOf(q), vec(1, 2), bits)
		step(func() *runtime.Tensor {
			return runtime.Must(loss.MSE(p, q, &loss.MSEAttrs{Reduction: loss.ReductionSum}))
		})
		// p: the gradient is 2 (0-1), 2 (0-2), the buffer half of (2, 4) more: -1, -2. q: its first step, with 2 and 4.
		same(t, "p after two steps", arrayOf(p), vec(0.5, 1), bits)
		same(t, "q after its first step", arrayOf(q), vec(0, 0), bits)
		same(t, "buf of p", arrayOf(opt.State("buf", p)), vec(-1, -2), bits)
		same(t, "buf of q", arrayOf(opt.State("buf", q)), vec(2, 4), bits)
	}, "f32")
}

// G11: NaN at every position of all lengths up to two blocks is treated the same in the body and in the tail.
func TestG11(t *testing.T) {
	compiled(t, func(t *testing.T, b backend) {
		for n := 1; n <= 2*64+1; n++ {
			for at := range n {
				if n > 40 && at%7 != 0 && at < n-9 {
					continue
				}
				x := filled(0.5, 2, n)
				x.Data[at] = nan
				row := &ir.Array{Shape: []int{n}, Data: x.Data[:n]}
				want := ir.NewArray(n)
				copy(want.Data, row.Data)
				(&expected{name: "relu", call: relu(row), y: want}).check(t, b)
				(&expected{name: "mse", call: mse(row, vec(0), "sum"), y: scalar(nan)}).check(t, b)
				(&expected{name: "smooth_l1", call: smoothL1(row, vec(0), 1, "mean"), y: scalar(nan)}).check(t, b)
				for _, c := range []*call{softmax(x, 1), layerNorm(x)} {
					y, _ := run(t, c.op, b, c, nil)
					for i, v := range y["y"].Data {
						if (v != v) != (i < n) {
							t.Errorf("%s of %d with NaN at %d: element %d is %v", c.op, n, at, i, v)
						}
					}
				}
				cross, _ := run(t, "cross_entropy", b, crossEntropy(x, vec(0, 0), word("reduction", "none")), nil)
				if l := cross["y"].Data; l[0] == l[0] || l[1] != l[1] {
					t.Errorf("cross_entropy of %d with NaN at %d: %v", n, at, l)
				}
				if t.Failed() {
					t.Fatalf("length %d, NaN at %d", n, at)
				}
			}
		}
	}, "f32", "f64")
}

// G13: a product and a sum are rounded one by one where the formula has them so.
func TestG13(t *testing.T) {
	everywhere(t, func(t *testing.T, b backend) {
		out, err := b.forward(&call{op: "optim.momentum_sgd", inputs: arrays{"p": vec(1), "g": vec(10), "buf": vec(0)},
			attrs: []ir.ExampleAttr{number("lr", 0.1), number("step", 1)}})
		if err != nil {
			t.Fatal(err)
		}
		same(t, "1 - 0.1*10", out["p'"], vec(0), bits)
	})
}

// GC3: what the runtime can't differentiate a second time is an error, not a wrong number.
func TestGC3(t *testing.T) {
	x := floats32(t, []int{}, 3)
	if err := x.RequireGrad(); err != nil {
		t.Fatal(err)
	}
	y := runtime.Must(loss.MSE(x, runtime.Scalar(float32(0)), nil))
	if err := y.Backward(); err != nil {
		t.Fatal(err)
	}
	says(t, x.Grad().Backward(), runtime.ErrGrad, "RequireGrad")
	says(t, y.Backward(), runtime.ErrGrad, "loss.mse", "KeepGraph")
}

// BD3: without a compiler for CUDA one message says what was looked for and what to do, and the rest is generated.
func TestBD3(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("OPGEN_CLANG", "")
	if _, err := cuda.Clang(); err == nil || !strings.Contains(err.Error(), "clang-19") || !strings.Contains(err.Error(), "OPGEN_CLANG") {
		t.Errorf("got %v", err)
	}
	b := codegen.New(codegen.Source{ImportPath: "p", Files: []codegen.SourceFile{{Name: "p.op", Data: []byte("package p\nop f[T: float](x: T[...B]) = 2*x\n")}}})
	if !b.Run("") || len(b.Out) < 5 {
		t.Errorf("%d files and %d messages", len(b.Out), len(b.Diags.All))
	}
}
