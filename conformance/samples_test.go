package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/conformance/torch"
)

// sample is a call with what PyTorch makes of it.
type sample struct {
	op        string // PyTorch's name
	variant   string
	number    int
	call      *call
	out       *ir.Array
	cotangent *ir.Array // nil: not differentiable
	grads     arrays    // by input
	v, second arrays    // cotangents of gradients, and the gradients of what they weigh; nil without
	reason    string    // why opgen can't say this; "" where it can
}

func (s *sample) name() string { return fmt.Sprintf("%s%s/%d", s.op, s.variant, s.number) }

// expressible are the samples that can be said in opgen. Those that can't are listed with the reason; of the stored ones
// there are none.
func expressible(t *testing.T) []*sample {
	t.Helper()
	var r []*sample
	stored, err := torch.Files("torch/testdata")
	if err != nil {
		t.Fatal(err)
	}
	more := 0
	if dir := os.Getenv("OPGEN_GOLDENS"); dir != "" {
		found, err := torch.Files(dir)
		if err != nil {
			t.Fatal(err)
		}
		stored = append(stored, found...)
		more = len(found)
	}
	for i, name := range stored {
		samples, err := readSamples(name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, s := range samples {
			switch {
			case s.reason == "":
				r = append(r, s)
			case i >= len(stored)-more:
				t.Logf("%s: left out: %s", s.name(), s.reason)
			default:
				t.Errorf("%s: left out: %s", s.name(), s.reason)
			}
		}
	}
	return r
}

// readSamples reads the samples of a file, if they are of an op that opgen has.
func readSamples(name string) ([]*sample, error) {
	lines, err := torch.Read(name)
	if err != nil {
		return nil, err
	}
	var r []*sample
	for _, l := range lines {
		if forms[l.Op] == nil {
			return nil, nil
		}
		s, err := sampleOf(l)
		if err != nil {
			return nil, fmt.Errorf("%s/%d: %w", l.Op, l.Sample, err)
		}
		r = append(r, s)
	}
	return r, nil
}

// argument is an argument of PyTorch's op.
type argument struct {
	name   string
	tensor *torch.Tensor // nil: not a tensor
	raw    json.RawMessage
}

func (a *argument) null() bool { return string(a.raw) == "null" }

// form says how the arguments of an op of PyTorch become a call.
type form struct {
	op   string
	args []string // positional ones, by their names in PyTorch
	// names are the inputs for tensors and the attributes for other values, by PyTorch's names.
	names map[string]string
	// special takes an argument that is not simply an input or an attribute; it reports whether it did.
	special func(c *call, a *argument) (took bool, reason string)
}

var losses = map[string]string{"input": "x", "target": "t", "weight": "weight", "reduction": "reduction", "beta": "beta",
	"ignore_index": "ignore_index", "label_smoothing": "label_smoothing"}

var forms = map[string]*form{
	"nn.functional.relu":           {op: "activation.relu", args: []string{"input", "inplace"}, names: map[string]string{"input": "x"}, special: ignoreInPlace},
	"nn.functional.mse_loss":       {op: "loss.mse", args: []string{"input", "target"}, names: losses},
	"nn.functional.smooth_l1_loss": {op: "loss.smooth_l1", args: []string{"input", "target"}, names: losses},
	"nn.functional.cross_entropy":  {op: "loss.cross_entropy", args: []string{"input", "target", "weight"}, names: losses, special: classes},
	"nn.functional.layer_norm": {op: "norm.layer_norm", args: []string{"input", "normalized_shape", "weight", "bias", "eps"},
		names: map[string]string{"input": "x", "weight": "weight", "bias": "bias", "eps": "eps"}, special: lastAxes},
	"nn.functional.linear": {op: "linalg.linear", args: []string{"input", "weight", "bias"}, names: map[string]string{"input": "x", "weight": "w", "bias": "b"}},
	"softmax":              {op: "reduce.softmax", args: []string{"input", "dim"}, names: map[string]string{"input": "x", "dim": "axis"}, special: ownDType},
}

// ignoreInPlace: what a call gives is the same wherever it is stored.
func ignoreInPlace(_ *call, a *argument) (bool, string) { return a.name == "inplace", "" }

// classes: targets must be indices; a single row has its classes along axis 0.
func classes(c *call, a *argument) (bool, string) {
	if a.name != "target" {
		return false, ""
	}
	if !strings.HasPrefix(a.tensor.DType, "int") {
		return true, "the targets are probabilities of classes, and the op takes indices"
	}
	if len(a.tensor.Shape) == 0 {
		c.attrs = append(c.attrs, number("axis", 0))
	}
	return false, ""
}

// lastAxes: PyTorch names the last axes by their extents.
func lastAxes(c *call, a *argument) (bool, string) {
	if a.name != "normalized_shape" {
		return false, ""
	}
	var shape []int
	if err := json.Unmarshal(a.raw, &shape); err != nil {
		return true, err.Error()
	}
	var axes []float64
	for i := range shape {
		axes = append(axes, float64(i-len(shape)))
	}
	c.attrs = append(c.attrs, list("axes", axes...))
	return true, ""
}

// ownDType: a dtype that is the input's changes nothing.
func ownDType(_ *call, a *argument) (bool, string) {
	if a.name != "dtype" {
		return false, ""
	}
	if string(a.raw) != `"torch.float64"` && !a.null() {
		return true, "the result has another dtype than the input, " + string(a.raw)
	}
	return true, ""
}

// sampleOf makes the call and names the results.
func sampleOf(l *torch.Line) (*sample, error) {
	f := forms[l.Op]
	s := &sample{op: strings.TrimPrefix(l.Op, "nn.functional."), variant: l.Variant, number: l.Sample,
		call: &call{op: f.op, inputs: arrays{}}, grads: arrays{}}
	var args []*argument
	for i, raw := range l.Args {
		if i >= len(f.args) {
			return nil, fmt.Errorf("%d arguments", len(l.Args))
		}
		args = append(args, &argument{name: f.args[i], raw: raw})
	}
	for _, p := range l.Kwargs {
		args = append(args, &argument{name: p.Name, raw: p.Value})
	}
	var differentiated []string
	for _, a := range args {
		if bytes.HasPrefix(a.raw, []byte(`{"dtype"`)) {
			a.tensor = &torch.Tensor{}
			if err := json.Unmarshal(a.raw, a.tensor); err != nil {
				return nil, err
			}
			if a.tensor.Grad {
				differentiated = append(differentiated, f.names[a.name])
			}
		}
		if reason := f.take(s.call, a); reason != "" {
			s.reason = reason
			return s, nil
		}
	}
	if len(l.Out) != 1 || len(l.Grads) != len(differentiated) && l.Cotangent != nil {
		return nil, fmt.Errorf("%d outputs and %d gradients of %v", len(l.Out), len(l.Grads), differentiated)
	}
	s.out = l.Out[0].Array()
	if len(l.Cotangent) == 1 {
		s.cotangent = l.Cotangent[0].Array()
	}
	v := slices.Clone(l.V)
	for i, name := range differentiated {
		if l.Grads[i] == nil {
			continue
		}
		s.grads[name] = l.Grads[i].Array()
		if l.Grads2 == nil {
			continue
		}
		if s.second == nil {
			s.v, s.second = arrays{}, arrays{}
		}
		if len(v) > 0 && slices.Equal(v[0].Shape, l.Grads[i].Shape) {
			s.v[name], v = v[0].Array(), v[1:]
		}
		if l.Grads2[i] != nil {
			s.second[name] = l.Grads2[i].Array()
		}
	}
	if len(v) > 0 {
		return nil, fmt.Errorf("%d cotangents of gradients are left", len(v))
	}
	return s, nil
}

// take puts an argument into a call. The reason why it can't be is "" where it can.
func (f *form) take(c *call, a *argument) (reason string) {
	if f.special != nil {
		if took, reason := f.special(c, a); took || reason != "" {
			return reason
		}
	}
	name, ok := f.names[a.name]
	switch {
	case a.null():
		return ""
	case !ok:
		return "there is no " + a.name
	case a.tensor != nil:
		c.inputs[name] = a.tensor.Array()
		return ""
	}
	var x any
	if err := json.Unmarshal(a.raw, &x); err != nil {
		return err.Error()
	}
	switch x := x.(type) {
	case float64:
		c.attrs = append(c.attrs, number(name, x))
	case string:
		c.attrs = append(c.attrs, word(name, x))
	default:
		return fmt.Sprintf("%s is %s", a.name, a.raw)
	}
	return ""
}
