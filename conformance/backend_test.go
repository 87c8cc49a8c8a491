package conformance

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/codegen/emit/cuda/shimtest"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/nest"
	"github.com/opgen/opgen/codegen/pass"
	"github.com/opgen/opgen/runtime"
	"github.com/opgen/opgen/runtime/optest"

	_ "github.com/opgen/opgen/gen/activation"
	_ "github.com/opgen/opgen/gen/linalg"
	_ "github.com/opgen/opgen/gen/loss"
	_ "github.com/opgen/opgen/gen/norm"
	_ "github.com/opgen/opgen/gen/optim"
	_ "github.com/opgen/opgen/gen/reduce"
)

// backend is one way to compute a call.
type backend struct {
	name  string
	float string // what T stands for
	path  runtime.CPUPath
	lacks error // the tool that it needs and that isn't there
	// forward gives the outputs by name.
	forward func(*call) (arrays, error)
	// gradient gives the gradients of the float inputs, by name, for the cotangent of the output.
	gradient func(c *call, cotangent *ir.Array) (arrays, error)
}

// everywhere runs a test on the evaluator, on the interpreter of nests, on the CUDA text as a CPU runs it and on each CPU path, in
// the given dtypes (none: f32 and f64).
func everywhere(t *testing.T, test func(t *testing.T, b backend), floats ...string) {
	t.Helper()
	if floats == nil {
		floats = []string{"f32", "f64"}
	}
	for _, float := range floats {
		for _, b := range append([]backend{evaluator(float), nests(float), cudaText(float)}, paths(float)...) {
			t.Run(b.name, func(t *testing.T) {
				if b.lacks != nil {
					shimtest.Needed(t, b.lacks.Error())
				}
				test(t, b)
			})
		}
	}
}

// compiled runs a test on each CPU path.
func compiled(t *testing.T, test func(t *testing.T, b backend), floats ...string) {
	t.Helper()
	for _, float := range floats {
		for _, b := range paths(float) {
			t.Run(b.name, func(t *testing.T) {
				was, err := runtime.SetPath(b.path)
				if err != nil {
					t.Fatal(err)
				}
				defer runtime.SetPath(was)
				test(t, b)
			})
		}
	}
}

// paths are the generated ops on each CPU path.
func paths(float string) []backend {
	var r []backend
	for _, p := range optest.Paths() {
		r = append(r, generated(p, float))
	}
	return r
}

func evaluator(float string) backend {
	return backend{
		name: "evaluator/" + float, float: float,
		forward: func(c *call) (arrays, error) {
			_, op, err := findOp(c.op)
			if err != nil {
				return nil, err
			}
			return ir.EvalOp(op, c.inputs, c.attrs, c.dtypes(float))
		},
		gradient: func(c *call, cotangent *ir.Array) (arrays, error) {
			_, op, err := findOp(c.op)
			if err != nil {
				return nil, err
			}
			return pass.EvalGrad(op, c.rounded(float), c.attrs, arrays{"y": round(cotangent, float)}, c.dtypes(float))
		},
	}
}

// rounded are the inputs as elements of their dtypes.
func (c *call) rounded(float string) arrays {
	_, op, err := findOp(c.op)
	if err != nil {
		return c.inputs
	}
	r := arrays{}
	for name, a := range c.inputs {
		r[name] = a
		if i := slices.IndexFunc(op.Inputs, func(p *ir.Param) bool { return p.Name == name }); i >= 0 {
			r[name] = round(a, op.Inputs[i].Elem.Resolve(c.dtypes(float)))
		}
	}
	return r
}

// round gives elements of a dtype; those of integers stay what they are.
func round(a *ir.Array, dtype string) *ir.Array {
	d, err := runtime.ParseDType(dtype)
	if err != nil || !d.Float() || d == runtime.F64 || a == nil {
		return a
	}
	return &ir.Array{Shape: a.Shape, Data: runtime.Must(runtime.Must(runtime.FromFloats(d, a.Data, len(a.Data))).Floats())}
}

// lowered is a call of an op as nests: its programs and what they run on.
type lowered struct {
	bound  *ir.Bound
	pair   *codegen.Pair
	in     ir.Binding
	exec   nest.Executor     // nil: the interpreter
	dtypes map[string]string // those of the call; elements of half precision are computed as f32
}

func (c *call) lower(float string) (*lowered, error) {
	build, op, err := findOp(c.op)
	if err != nil {
		return nil, err
	}
	inputs := c.rounded(float)
	bound, err := ir.Bind(op, ir.ShapesOf(inputs), c.attrs)
	if err != nil {
		return nil, err
	}
	dtypes := c.dtypes(float)
	for _, f := range build.Functions {
		if f.Variant != bound.Variant {
			continue
		}
		for _, p := range f.Pairs {
			if !p.Takes(dtypes) {
				continue
			}
			code := maps.Clone(dtypes)
			maps.Copy(code, p.DTypes)
			in, err := bound.Binding(inputs, code)
			return &lowered{bound: bound, pair: p, in: in, dtypes: dtypes}, err
		}
	}
	return nil, fmt.Errorf("%s: no code for this variant in %s", c.op, float)
}

// errPortable means that something can't be nests, and is a portable function alone.
var errPortable = errors.New("there are no nests")

// forward is the program.
func (l *lowered) forward() (*nest.Program, error) {
	if l.pair.Forward == nil {
		return nil, fmt.Errorf("%w: %v", errPortable, l.pair.Portable)
	}
	return l.pair.Forward, nil
}

func nests(float string) backend { return ofNests("nests", float, nil) }

// ofNests runs the nests; text, where it isn't nil, takes the place of the interpreter.
func ofNests(name, float string, text func(op string) (nest.Executor, error)) backend {
	lower := func(c *call) (*lowered, error) {
		l, err := c.lower(float)
		if err == nil && text != nil && l.pair.Forward != nil {
			l.exec, err = text(c.op)
		}
		return l, err
	}
	return backend{
		name: name + "/" + float, float: float,
		forward: func(c *call) (arrays, error) {
			l, err := lower(c)
			if err != nil {
				return nil, err
			}
			p, err := l.forward()
			if err != nil {
				return nil, err
			}
			out, err := p.RunWith(l.in, l.exec)
			if err != nil {
				return nil, err
			}
			r := arrays{}
			for _, t := range p.Func.Outputs {
				r[t.Name] = round(l.bound.Views[t].Out(out[t]), t.Elem.Resolve(l.dtypes))
			}
			return r, nil
		},
		gradient: func(c *call, cotangent *ir.Array) (arrays, error) {
			l, err := lower(c)
			if err != nil {
				return nil, err
			}
			raw, err := l.gradient(round(cotangent, float))
			if err != nil {
				return nil, err
			}
			r := arrays{}
			for t, a := range raw {
				r[t.Name] = round(l.bound.Views[t].Out(a), float)
			}
			return r, nil
		},
	}
}

// gradient runs the program and its derivative: the gradients of inputs as definitions see them, expanded.
func (l *lowered) gradient(cotangent *ir.Array) (map[*ir.Tensor]*ir.Array, error) {
	forward, err := l.forward()
	if err != nil {
		return nil, err
	}
	p := l.pair.Backward
	if p == nil {
		return nil, fmt.Errorf("%w for the derivative: %v", errPortable, l.pair.Portable)
	}
	out, err := forward.RunWith(l.in, l.exec)
	if err != nil {
		return nil, err
	}
	for t, a := range out { // outputs, and what was saved
		l.in.Arrays[t] = round(a, t.Elem.Resolve(l.dtypes))
	}
	for _, t := range p.Func.Inputs {
		switch {
		case t.Role != ir.Cotangent:
		case t.Of.Name == "y":
			l.in.Arrays[t] = l.bound.Views[t.Of].In(cotangent)
		default:
			l.in.Arrays[t] = ir.NewArray(out[t.Of].Shape...)
		}
	}
	if out, err = p.RunWith(l.in, l.exec); err != nil {
		return nil, err
	}
	r := map[*ir.Tensor]*ir.Array{}
	for _, t := range p.Func.Outputs {
		if l.bound.Views[t.Of] != nil {
			r[t.Of] = out[t]
		}
	}
	return r, nil
}

// generated is the code of the ops on a CPU path.
func generated(path runtime.CPUPath, float string) backend {
	return backend{
		name: path.String() + "/" + float, float: float, path: path,
		forward: func(c *call) (arrays, error) {
			out, _, err := c.generated(path, float, nil)
			return out, err
		},
		gradient: func(c *call, cotangent *ir.Array) (arrays, error) {
			_, grads, err := c.generated(path, float, cotangent)
			return grads, err
		},
	}
}

// generated calls the code of an op on a CPU path, and with a cotangent its derivative.
func (c *call) generated(path runtime.CPUPath, float string, cotangent *ir.Array) (outputs, grads arrays, err error) {
	if c.inProgram() {
		p, err := program()
		if err != nil {
			return nil, nil, err
		}
		return p.call(c, path, float, cotangent)
	}
	was, err := runtime.SetPath(path)
	if err != nil {
		return nil, nil, err
	}
	defer runtime.SetPath(was)
	op, in, err := c.tensors(float)
	if err != nil {
		return nil, nil, err
	}
	for _, x := range in {
		if x != nil && x.DType().Float() && cotangent != nil {
			if err := x.RequireGrad(); err != nil {
				return nil, nil, err
			}
		}
	}
	out, err := op.Call(in, c.attributes())
	if err != nil {
		return nil, nil, err
	}
	if cotangent != nil {
		g, err := tensor(cotangent, float)
		if err != nil {
			return nil, nil, err
		}
		if err := out[0].BackwardWith(g); err != nil {
			return nil, nil, err
		}
	}
	outputs, err = c.results(op, in, out)
	return outputs, gradients(op, in), err
}

// gradients are what the inputs that take one have collected.
func gradients(op *runtime.Op, in []*runtime.Tensor) arrays {
	r := arrays{}
	for i, name := range op.Inputs() {
		if x := in[i]; x != nil && x.RequiresGrad() {
			r[name] = &ir.Array{Shape: x.Shape(), Data: make([]float64, x.Len())}
			if g := x.Grad(); g != nil {
				r[name] = arrayOf(g)
			}
		}
	}
	return r
}

// tensors are the op and its inputs, in order.
func (c *call) tensors(float string) (*runtime.Op, []*runtime.Tensor, error) {
	op, err := runtime.Lookup(c.op)
	if err != nil {
		return nil, nil, err
	}
	names, dtypes := op.Inputs(), c.dtypes(float)
	_, decl, err := findOp(c.op)
	if err != nil {
		return nil, nil, err
	}
	in := make([]*runtime.Tensor, len(names))
	for i, name := range names {
		p := decl.Inputs[slices.IndexFunc(decl.Inputs, func(p *ir.Param) bool { return p.Name == name })]
		if a := c.inputs[name]; a != nil {
			if in[i], err = tensor(a, p.Elem.Resolve(dtypes)); err != nil {
				return nil, nil, err
			}
		}
	}
	return op, in, nil
}

// attributes are those of the call as the registry takes them.
func (c *call) attributes() map[string]any {
	r := map[string]any{}
	if c.result != "" {
		r["U"] = c.result
	}
	for _, a := range c.attrs {
		switch {
		case a.List != nil:
			ints := make([]int, len(a.List))
			for i, x := range a.List {
				ints[i] = int(x)
			}
			r[a.Name] = ints
		case a.Word == "true" || a.Word == "false":
			r[a.Name] = a.Word == "true"
		case a.Word != "":
			r[a.Name] = a.Word
		default:
			r[a.Name] = a.Number
			if x := int(a.Number); float64(x) == a.Number {
				r[a.Name] = x
			}
		}
	}
	return r
}

// results are the outputs by name: those of an update are its inputs.
func (c *call) results(op *runtime.Op, in, out []*runtime.Tensor) (arrays, error) {
	_, decl, err := findOp(c.op)
	if err != nil {
		return nil, err
	}
	r := arrays{}
	names := op.Inputs()
	for _, p := range decl.Inputs {
		if p.Mode != ir.Input {
			r[p.Name+"'"] = arrayOf(in[slices.Index(names, p.Name)])
		}
	}
	if len(out) != len(decl.Outputs) {
		return nil, fmt.Errorf("%s gave %d outputs", c.op, len(out))
	}
	for i, p := range decl.Outputs {
		r[p.Name] = arrayOf(out[i])
	}
	return r, nil
}

// tensor is a tensor of a dtype.
func tensor(a *ir.Array, dtype string) (*runtime.Tensor, error) {
	d, err := runtime.ParseDType(dtype)
	if err != nil {
		return nil, err
	}
	return runtime.FromFloats(d, a.Data, a.Shape...)
}

// arrayOf is the content of a tensor.
func arrayOf(t *runtime.Tensor) *ir.Array {
	return &ir.Array{Shape: t.Shape(), Data: runtime.Must(t.Floats())}
}
