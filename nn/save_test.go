package nn

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/opgen/opgen/gen/activation"
	"github.com/opgen/opgen/gen/loss"
	"github.com/opgen/opgen/gen/optim"
	"github.com/opgen/opgen/runtime"
)

func classifier(t *testing.T, key uint64) Sequential {
	t.Helper()
	b := New(runtime.F32, runtime.NewSeed(key))
	net := Sequential{b.Linear(4, 16, nil), Func(activation.Relu), b.LayerNorm(16), &Dropout{P: 0.2, Key: 5}, b.Linear(16, 3, nil)}
	if b.Err() != nil {
		t.Fatal(b.Err())
	}
	return net
}

func bitsOf(t *testing.T, list ...*runtime.Tensor) []byte {
	t.Helper()
	var all []byte
	for _, x := range list {
		all = append(all, runtime.Must(x.Bytes())...)
	}
	return all
}

// What Save wrote Load reads, into a network with other numbers.
func TestSaveLoad(t *testing.T) {
	a, b := classifier(t, 1), classifier(t, 2)
	if want := []string{"0.weight", "0.bias", "2.weight", "2.bias", "4.weight", "4.bias"}; !slices.Equal(Names(a), want) {
		t.Errorf("names %v, want %v", Names(a), want)
	}
	var file bytes.Buffer
	if err := Save(&file, a); err != nil {
		t.Fatal(err)
	}
	before := Tensors(b)
	if err := Load(&file, b); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bitsOf(t, Tensors(a)...), bitsOf(t, Tensors(b)...)) || !slices.Equal(before, Tensors(b)) {
		t.Error("other parameters came back")
	}
}

// A file that isn't of the network is refused, with all that is wrong, and changes nothing.
func TestLoadMisuse(t *testing.T) {
	build := func(change func(b *Builder, s Sequential)) Sequential {
		b := New(runtime.F32, runtime.NewSeed(9))
		s := Sequential{b.Linear(4, 2, nil), b.LayerNorm(2)}
		change(b, s)
		if b.Err() != nil {
			t.Fatal(b.Err())
		}
		return s
	}
	file := func(s Module) []byte {
		var f bytes.Buffer
		if err := Save(&f, s); err != nil {
			t.Fatal(err)
		}
		return f.Bytes()
	}
	right := file(build(func(*Builder, Sequential) {}))
	for name, c := range map[string]struct {
		file  []byte
		kinds []error
		texts []string
	}{
		"missing": {file(build(func(b *Builder, s Sequential) { s[0] = b.Linear(4, 2, &Options{NoBias: true}) })),
			[]error{runtime.ErrName}, []string{`"0.bias"`, "f32[2]"}},
		"more": {file(build(func(b *Builder, s Sequential) { s[1] = Sequential{s[1]} })),
			[]error{runtime.ErrName}, []string{`"1.weight"`, `"1.bias"`, `"1.0.weight"`, `"1.0.bias"`}},
		"shape": {file(build(func(b *Builder, s Sequential) { s[0] = b.Linear(2, 4, nil) })),
			[]error{runtime.ErrShape}, []string{"f32[2 4]", "f32[4 2] in the file"}},
		"dtype": {file(build(func(b *Builder, s Sequential) { s[1] = New(runtime.F64, runtime.NewSeed(1)).LayerNorm(2) })),
			[]error{runtime.ErrDType}, []string{`"1.bias"`, "f64[2] in the file"}},
		"several": {file(build(func(b *Builder, s Sequential) {
			s[0], s[1] = b.Linear(4, 3, nil), New(runtime.F64, runtime.NewSeed(1)).LayerNorm(2)
		})), []error{runtime.ErrDType, runtime.ErrShape}, []string{`"0.weight"`, `"0.bias"`, `"1.weight"`, `"1.bias"`}},
		"cut off": {right[:len(right)-1], []error{runtime.ErrFormat}, nil},
		"nothing": {nil, []error{runtime.ErrFormat}, nil},
	} {
		net := build(func(*Builder, Sequential) {})
		before := bitsOf(t, Tensors(net)...)
		err := Load(bytes.NewReader(c.file), net)
		for _, k := range c.kinds {
			if !errors.Is(err, k) {
				t.Errorf("%s: %v, want %v", name, err, k)
			}
		}
		for _, text := range c.texts {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%s: %v, want %q in it", name, err, text)
			}
		}
		if !bytes.Equal(before, bitsOf(t, Tensors(net)...)) {
			t.Errorf("%s: parameters changed", name)
		}
	}
	net := build(func(*Builder, Sequential) {})
	Tensors(net)[1].Release()
	if err := Load(bytes.NewReader(right), net); !errors.Is(err, runtime.ErrClosed) {
		t.Errorf("released: %v", err)
	}
	l := build(func(*Builder, Sequential) {})[0].(*Linear)
	l.Bias = runtime.Must(l.Bias.Detach().Expand(2, 2))
	l.Weight = runtime.Must(runtime.Must(runtime.Full(float32(1), 1)).Expand(4))
	if err := Load(bytes.NewReader(file(Sequential{l})), Sequential{l}); !errors.Is(err, runtime.ErrAlias) {
		t.Errorf("elements that share memory: %v", err)
	}
	if err := Save(new(bytes.Buffer), sameNames{}); !errors.Is(err, runtime.ErrName) {
		t.Errorf("two parameters of one name: %v", err)
	}
}

// sameNames is a module with two parameters of one name.
type sameNames struct{}

func (sameNames) Forward(x *runtime.Tensor, _ Mode) (*runtime.Tensor, error) { return x, nil }

func (sameNames) Parameters() []Parameter {
	return []Parameter{{Name: "w", Tensor: runtime.Scalar(1.0)}, {Name: "w", Tensor: runtime.Scalar(2.0)}}
}

// Training that is saved and goes on in a new network with a new optimizer has the bits of one that was never interrupted: parameters, states,
// schedule and what is dropped.
func TestResume(t *testing.T) {
	x := runtime.Must(runtime.FromSlice([]float32{5, 3, 1, 0, 6, 3, 4, 1, 6, 3, 5, 2, 4, 2, 1, 0, 5, 2, 3, 1, 7, 3, 6, 2}, 6, 4))
	labels := runtime.Must(runtime.FromSlice([]int32{0, 1, 2, 0, 1, 2}, 6))
	optimizer := func(net Module) *optim.Adam {
		opt, err := optim.NewAdam(Tensors(net), &optim.AdamAttrs{WeightDecay: new(0.01), Amsgrad: true})
		if err == nil {
			err = opt.SetNames(Names(net)...)
		}
		if err == nil {
			err = opt.SetSchedule("lr", runtime.Cosine(0.05, 0.001, 2, 20))
		}
		if err != nil {
			t.Fatal(err)
		}
		return opt
	}
	train := func(net Module, opt *optim.Adam, steps int) (last float64) {
		for range steps {
			opt.ZeroGrad()
			y, err := net.Forward(x, Train(opt.Steps()+1))
			if err != nil {
				t.Fatal(err)
			}
			l, err := loss.CrossEntropy(y, labels, nil, nil)
			if err == nil {
				err = l.Backward()
			}
			if err == nil {
				err = opt.Step()
			}
			if err != nil {
				t.Fatal(err)
			}
			last = runtime.Must(l.Item())
		}
		return last
	}
	whole := classifier(t, 1)
	first := train(whole, optimizer(whole), 1)
	whole = classifier(t, 1)
	end := train(whole, optimizer(whole), 20)
	if !(end < first/2) {
		t.Errorf("the loss went from %v to %v", first, end)
	}

	part := classifier(t, 1)
	opt := optimizer(part)
	train(part, opt, 7)
	var parameters, state bytes.Buffer
	if err := errors.Join(Save(&parameters, part), opt.Save(&state)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(state.Bytes(), []byte(`"0.weight.m"`)) {
		t.Error("the state doesn't have the names of the parameters")
	}
	resumed := classifier(t, 2)
	opt = optimizer(resumed)
	if err := errors.Join(Load(&parameters, resumed), opt.Load(&state)); err != nil {
		t.Fatal(err)
	}
	if got := train(resumed, opt, 13); got != end {
		t.Errorf("loss %v, want %v", got, end)
	}
	if !bytes.Equal(bitsOf(t, Tensors(whole)...), bitsOf(t, Tensors(resumed)...)) {
		t.Error("other parameters than without the interruption")
	}
}
