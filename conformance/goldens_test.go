package conformance

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen/check"
	"github.com/opgen/opgen/codegen/grad"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

// TestTorchGoldens holds the ops of the language's corpus, and those of the package pointwise beside the test, to PyTorch's
// values, gradients and second derivatives of its own samples, on the evaluator: those beside the test, or others of the same
// form in the folder that OPGEN_GOLDENS names. The mapping of calls is goldenForms. What can't be said is listed with its reason.
func TestTorchGoldens(t *testing.T) {
	dir := os.Getenv("OPGEN_GOLDENS")
	if dir == "" {
		dir = filepath.Join("testdata", "goldens")
	}
	files, err := goldenFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	ops, err := goldenOps()
	if err != nil {
		t.Fatal(err)
	}
	var passed, failed, unsupported int
	derived := &derivatives{}
	for _, name := range files {
		lines, err := readGoldens(name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, l := range lines {
			g := &golden{line: l, ops: ops, derived: derived, from: map[*stored]string{}}
			var no *inexpressible
			switch err := g.run(); {
			case err == nil:
				passed++
			case errors.As(err, &no):
				unsupported++
				t.Logf("unsupported: %s: %s", g.name(), no.reason)
			default:
				failed++
				t.Errorf("%s (%s): %v", g.name(), g.op, err)
			}
		}
	}
	t.Logf("goldens: %d passed, %d failed, %d unsupported", passed, failed, unsupported)
}

// goldenFiles are the files of samples in a folder, or in its folder torch.
func goldenFiles(dir string) ([]string, error) {
	var r []string
	for _, pattern := range []string{"*.jsonl", "*.jsonl.gz", "torch/*.jsonl", "torch/*.jsonl.gz"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, err
		}
		r = append(r, found...)
	}
	if len(r) == 0 {
		return nil, fmt.Errorf("no samples in %s", dir)
	}
	return r, nil
}

// readGoldens reads the lines of a file.
func readGoldens(name string) ([]*line, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(name, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		if data, err = io.ReadAll(z); err != nil {
			return nil, err
		}
	}
	var r []*line
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		l := &line{}
		if err := json.Unmarshal(lines.Bytes(), l); err != nil {
			return nil, err
		}
		r = append(r, l)
	}
	return r, lines.Err()
}

// goldenOps are the ops that samples are said in: those of the specs, else of the corpus, and those of testdata/goldens.
func goldenOps() (map[string]*ir.OpDecl, error) {
	r := map[string]*ir.OpDecl{}
	parse := func(names ...string) ([]*dsl.File, error) {
		var files []*dsl.File
		for _, name := range names {
			src, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			f, diags := dsl.Parse(name, src)
			if diags.HasErrors() {
				return nil, diags.Err()
			}
			files = append(files, f)
		}
		return files, nil
	}
	cfg := &check.Config{Import: func(path string) ([]*dsl.File, error) { return parse("../dsl/testdata/specs/" + path + ".op") }}
	add := func(strict bool, names ...string) error {
		files, err := parse(names...)
		if err != nil {
			return err
		}
		p, diags := cfg.Package(files)
		if strict && diags.HasErrors() {
			return diags.Err()
		}
		for _, o := range p.Ops {
			r[p.Name+"."+o.Name] = o
		}
		return nil
	}
	for _, pattern := range []string{"../dsl/testdata/specs/*.op", "testdata/goldens/*.op"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if err := add(strings.HasPrefix(name, "testdata"), name); err != nil {
				return nil, err
			}
		}
	}
	folders, err := filepath.Glob("../specs/*")
	if err != nil {
		return nil, err
	}
	for _, dir := range folders {
		names, err := filepath.Glob(dir + "/*.op")
		if err != nil {
			return nil, err
		}
		if err := add(true, names...); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// inexpressible says why a sample can't be said in opgen.
type inexpressible struct{ reason string }

func (e *inexpressible) Error() string { return e.reason }

// golden is one sample as a call of an op.
type golden struct {
	*line
	ops     map[string]*ir.OpDecl
	derived *derivatives

	op     string // ours
	inputs arrays
	attrs  []ir.ExampleAttr
	from   map[*stored]string // which input a tensor became
	all    []*stored          // tensors in order of appearance

	deviates string // why PyTorch may have another result; "": it may not
}

func (g *golden) key() string {
	k := strings.Replace(g.line.Op, "nn.functional.", "nn.", 1)
	if g.Variant != "" {
		k += "." + g.Variant
	}
	return k
}

func (g *golden) name() string { return fmt.Sprintf("%s/%d", g.key(), g.Sample) }

// run says the sample and compares.
func (g *golden) run() (err error) {
	f, known := goldenForms[g.key()]
	if !known {
		return &inexpressible{"opgen has no such function"}
	}
	a, err := g.read(f)
	if err != nil {
		return err
	}
	if err := func() (err error) {
		defer func() {
			if no, is := recover().(*inexpressible); is {
				err = no
			}
		}()
		g.say(f, a)
		return nil
	}(); err != nil {
		return err
	}
	decl := g.ops[g.op]
	if decl == nil {
		return &inexpressible{g.op + " isn't lowered"}
	}
	b, err := ir.Bind(decl, ir.ShapesOf(g.inputs), g.attrs)
	if err != nil {
		return err
	}
	if err := g.compare(b); err != nil && g.deviates != "" {
		return &inexpressible{g.deviates}
	} else if err != nil {
		return err
	}
	return nil
}

// compare compares values, gradients and second derivatives.
func (g *golden) compare(b *ir.Bound) error {
	in, err := b.Binding(g.inputs, nil)
	if err != nil {
		return err
	}
	values, err := ir.EvalAll(b.Func, in)
	if err != nil {
		return err
	}
	cotangents := map[*ir.Tensor]*ir.Array{}
	k := 0
	for i, t := range b.Func.Outputs {
		if t.Of != nil || i >= len(g.Out) {
			break
		}
		if err := g.near(t.Name, b.Views[t].Out(values[t]), g.Out[i]); err != nil {
			return err
		}
		if k < len(g.Cotangent) && strings.HasPrefix(g.Out[i].DType, "float") {
			c := g.Cotangent[k].array()
			c.Shape = b.Views[t].Shape
			cotangents[t] = b.Views[t].In(c)
			k++
		}
	}
	if g.Cotangent == nil || len(g.Grads) == 0 {
		return nil
	}
	d, err := g.derived.of(b.Func)
	if err != nil {
		return fmt.Errorf("derivative: %w", err)
	}
	first, err := d.eval(b, in, values, cotangents, nil)
	if err != nil {
		return fmt.Errorf("gradient: %w", err)
	}
	want := g.differentiated()
	if len(want) != len(g.Grads) {
		return fmt.Errorf("%d gradients of %d tensors", len(g.Grads), len(want))
	}
	for i, s := range want {
		if err := g.nearGradient("gradient of ", b, s, first, g.Grads[i]); err != nil {
			return err
		}
	}
	if g.Grads2 == nil {
		return nil
	}
	// Cotangents are given for the gradients that depend on an input, in order: any such choice may be meant.
	for pick := range g.picks(want) {
		v := arrays{}
		for i, s := range want {
			if pick[i] >= 0 {
				v[g.from[s]] = g.V[pick[i]].array()
			}
		}
		second, err2 := d.eval(b, in, values, cotangents, v)
		if err2 != nil {
			return fmt.Errorf("second derivative: %w", err2)
		}
		err = nil
		for i, s := range want {
			if err == nil {
				err = g.nearGradient("second derivative by ", b, s, second, g.Grads2[i])
			}
		}
		if err == nil {
			return nil
		}
	}
	return err
}

// picks are the ways to give the cotangents of gradients to gradients, in order: the place of each in V, or -1.
func (g *golden) picks(want []*stored) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		pick := make([]int, len(want))
		var walk func(i, next int) bool
		walk = func(i, next int) bool {
			if i == len(want) {
				return next < len(g.V) || yield(pick)
			}
			if next < len(g.V) && g.Grads[i] != nil && slices.Equal(g.V[next].Shape, g.Grads[i].Shape) {
				pick[i] = next
				if !walk(i+1, next+1) {
					return false
				}
			}
			pick[i] = -1
			return walk(i+1, next)
		}
		walk(0, 0)
	}
}

// differentiated are the tensors that PyTorch differentiates by.
func (g *golden) differentiated() []*stored {
	var r []*stored
	for _, s := range g.all {
		if s.Grad {
			r = append(r, s)
		}
	}
	return r
}

// nearGradient compares a gradient by a tensor.
func (g *golden) nearGradient(what string, b *ir.Bound, s *stored, got map[string]*ir.Array, want *stored) error {
	if want == nil {
		return nil
	}
	name, is := g.from[s]
	if !is {
		return &inexpressible{"a gradient by an argument that is an attribute here"}
	}
	a := got[name]
	if a == nil {
		a = ir.NewArray(want.Shape...) // nothing leads there
	}
	a.Shape = want.Shape // the call may have given it another
	if len(a.Data) != len(want.Data) {
		return fmt.Errorf("%s%s has %d elements, want %d", what, name, len(a.Data), len(want.Data))
	}
	return g.near(what+name, a, want)
}

// near compares at relative 1e-9 plus absolute 1e-11.
func (g *golden) near(what string, got *ir.Array, want *stored) error {
	w := want.array()
	if !slices.Equal(got.Shape, w.Shape) {
		return fmt.Errorf("%s: shape %v, want %v", what, got.Shape, w.Shape)
	}
	for k, x := range w.Data {
		y := got.Data[k]
		switch {
		case math.IsNaN(x) && math.IsNaN(y), math.IsInf(x, 0) && y == x, !math.IsInf(y, 0) && nearTorch(y, x, k):
			continue
		}
		return fmt.Errorf("%s: element %d of %v is %v, want %v", what, k, w.Shape, y, x)
	}
	return nil
}

// derivatives are the derived functions, made once for a function.
type derivatives struct{ made map[*ir.Func]*derivative }

type derivative struct {
	first, closed, second *ir.Func
	err                   error
}

func (d *derivatives) of(f *ir.Func) (*derivative, error) {
	if d.made == nil {
		d.made = map[*ir.Func]*derivative{}
	}
	if x := d.made[f]; x != nil {
		return x, x.err
	}
	x := &derivative{}
	d.made[f] = x
	if x.first, x.err = grad.Reverse(f); x.err == nil {
		x.closed = grad.Close(x.first)
	}
	return x, x.err
}

// eval evaluates the gradients by name, or with v those of Σ v·gradient.
func (d *derivative) eval(b *ir.Bound, in ir.Binding, values, cotangents map[*ir.Tensor]*ir.Array, v arrays) (arrays, error) {
	f := d.first
	if v != nil {
		if d.second == nil && d.err == nil {
			d.second, d.err = grad.Reverse(d.closed)
		}
		if d.err != nil {
			return nil, d.err
		}
		f = d.second
	}
	in.Arrays = maps.Clone(in.Arrays)
	views := maps.Clone(b.Views)
	for _, t := range b.Func.Outputs {
		in.Arrays[t] = values[t]
	}
	give := func(list []*ir.Tensor) {
		for _, t := range list {
			if t.Role != ir.Cotangent || in.Arrays[t] != nil {
				continue
			}
			if c := cotangents[t.Of]; c != nil {
				in.Arrays[t] = c
			} else if x := v[nameOf(t)]; x != nil && t.Of.Role == ir.Gradient {
				c := *x
				c.Shape = views[t.Of.Of].Shape
				in.Arrays[t] = views[t.Of.Of].In(&c)
			} else {
				shape := make([]int, len(t.Axes))
				for i, a := range t.Axes {
					shape[i] = b.Extents[a]
				}
				in.Arrays[t] = ir.NewArray(shape...)
			}
		}
	}
	give(d.closed.Inputs)
	if v != nil {
		grads, err := ir.EvalAll(d.closed, in)
		if err != nil {
			return nil, err
		}
		for _, t := range d.closed.Outputs {
			in.Arrays[t] = grads[t]
			views[t] = views[t.Of]
		}
		give(f.Inputs)
	}
	out, err := ir.Eval(f, in)
	if err != nil {
		return nil, err
	}
	r := arrays{}
	for t, a := range out {
		if view := b.Views[t.Of]; view != nil && t.Of.Role == ir.Input {
			r[t.Of.Name] = view.Out(a)
		}
	}
	return r, nil
}

// nameOf is the input whose gradient a cotangent is of.
func nameOf(t *ir.Tensor) string {
	if t.Of == nil || t.Of.Of == nil {
		return ""
	}
	return t.Of.Of.Name
}
