package general_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/emit/kerneltest"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/pass"
)

// The types are those of testdata/corpus_test.go.txt.
type array struct {
	DType string
	Shape []int
	Bits  []uint64
}

type attr struct {
	Word   string
	Number *float64
	List   []float64
}

type call struct {
	Op, About      string
	Inputs         []*array
	Attrs          map[string]attr
	Fails          string
	Outputs, After []*array
	Cots, Grads    []*array
	Eps            float64
	DTypes         map[string]string // those that the caller chooses
}

// callsPerOp is how many random calls of each op are made, in f32 and in f64.
const callsPerOp = 12

// callsPerDType is how many are made in each dtype that shares its code with others.
const callsPerDType = 4

// TestCorpus compares generated code with the evaluator: results and gradients of random calls of the ops of the specs,
// also calls that must fail. All is built once.
func TestCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module")
	}
	compare(t, builds(t))
}

// compare makes calls of the ops of packages and compares what generated code makes of them with what the evaluator does. There
// must be calls of each op that give results. Further files of the module are added.
func compare(t *testing.T, builds map[string]*codegen.Build, files ...emit.File) {
	t.Helper()
	var calls []*call
	imports := "package test\n\nimport (\n"
	for _, family := range slices.Sorted(maps.Keys(builds)) {
		b := builds[family]
		if len(b.Package.Ops) == 0 {
			continue
		}
		for _, f := range b.Out {
			if strings.HasSuffix(f.Name, "_test.go") {
				continue
			}
			files = append(files, emit.File{Name: family + "/" + f.Name, Data: f.Data})
		}
		imports += fmt.Sprintf("\t_ \"generated.test/%s\"\n", family)
		for _, op := range b.Package.Ops {
			made := callsOf(t, family, b, op)
			if !slices.ContainsFunc(made, func(c *call) bool { return c.Fails == "" }) {
				t.Errorf("no call of %s.%s gives results", family, op.Name)
			}
			calls = append(calls, made...)
		}
	}
	text, err := os.ReadFile("testdata/corpus_test.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(calls)
	if err != nil {
		t.Fatal(err)
	}
	fails, grads := 0, 0
	for _, c := range calls {
		if c.Fails != "" {
			fails++
		}
		if c.Grads != nil {
			grads++
		}
	}
	t.Logf("%d calls, of which %d fail; %d gradients", len(calls), fails, grads)
	files = append(files, emit.File{Name: "corpus_test.go", Data: text}, emit.File{Name: "corpus.json", Data: data},
		emit.File{Name: "imports_test.go", Data: []byte(imports + ")\n")})
	kerneltest.GoTest(t, files)
}

// callsOf makes calls of an op.
func callsOf(t *testing.T, family string, b *codegen.Build, op *ir.OpDecl) []*call {
	r := seeded(family + "." + op.Name)
	var calls []*call
	for _, dtype := range mainDTypes(op) {
		n := callsPerOp
		if dtype != "f32" && dtype != "f64" {
			n = callsPerDType
		}
		for range n {
			c, err := newCall(r, b, op, dtype)
			if err != nil {
				t.Fatalf("%s.%s: %v", family, op.Name, err)
			}
			if c == nil {
				continue
			}
			c.Op = family + "." + op.Name
			calls = append(calls, c)
		}
	}
	return calls
}

// newCall makes a random call; nil for one that the function may take or refuse.
func newCall(r *rand.Rand, b *codegen.Build, op *ir.OpDecl, dtype string) (*call, error) {
	c := &call{Attrs: map[string]attr{}, Eps: precision[dtype]}
	dtypes := drawDTypes(r, op, dtype)
	for _, v := range op.ElemVars {
		if !decided(op, v) {
			c.DTypes = map[string]string{v.Name: dtypes[v.Name]}
		}
	}
	drawn := newShapes(r, op)
	inputs := map[string]*ir.Array{}
	for _, p := range op.Inputs {
		if p.Optional && r.IntN(2) == 0 {
			c.Inputs = append(c.Inputs, nil)
			continue
		}
		a := ir.NewArray(drawn.of(p.Axes)...)
		if p.Mode == ir.Input && r.IntN(8) == 0 { // expanded
			for i := range a.Shape {
				if r.IntN(2) == 0 && len(p.Axes) > i && p.Axes[0].Pack && i < drawn.ranks[p.Axes[0].Name] {
					a.Shape[i] = 1
				}
			}
			a = ir.NewArray(a.Shape...)
		}
		dtype := p.Elem.Resolve(dtypes)
		fill(r, a, dtype)
		inputs[p.Name] = a
		c.Inputs = append(c.Inputs, arrayOf(a, dtype))
	}
	attrs := drawn.attrs
	for _, x := range attrs {
		y := attr{Word: x.Word, List: x.List}
		if x.Word == "" && x.List == nil {
			y.Number = &x.Number
		}
		c.Attrs[x.Name] = y
	}
	if op.Update {
		step := float64(1 + r.IntN(3))
		attrs = append(attrs, ir.ExampleAttr{Name: "step", Number: step})
		c.Attrs["step"] = attr{Number: &step}
	}
	c.About = fmt.Sprint(dtypes, ir.ShapesOf(inputs), attrs)
	number, list := forms(op, attrs)
	attrs = number
	out, err := ir.EvalOp(op, inputs, attrs, dtypes)
	if err != nil && list != nil {
		if o, e := ir.EvalOp(op, inputs, list, dtypes); e == nil {
			attrs, out, err = list, o, nil
		}
	}
	if err != nil {
		if simplified(b, op, inputs, attrs, dtypes) {
			return nil, nil // a fault of something that nobody needs
		}
		c.Fails = err.Error()
		return c, nil
	}
	for _, p := range op.Outputs {
		c.Outputs = append(c.Outputs, arrayOf(out[p.Name], p.Elem.Resolve(dtypes)))
	}
	for _, p := range op.Inputs {
		var after *array
		if a := out[p.Name+"'"]; a != nil {
			after = arrayOf(a, p.Elem.Resolve(dtypes))
		}
		c.After = append(c.After, after)
	}
	if op.Update {
		return c, nil
	}
	return c, c.gradients(r, b, op, inputs, attrs, out, dtypes)
}

// simplified tells whether a call is right after simplification: then definitions may be gone that it was wrong for.
func simplified(b *codegen.Build, op *ir.OpDecl, inputs map[string]*ir.Array, attrs []ir.ExampleAttr, dtypes map[string]string) bool {
	bound, err := ir.Bind(op, ir.ShapesOf(inputs), attrs)
	if err != nil {
		return false
	}
	in, err := bound.Binding(inputs, dtypes)
	if err != nil {
		return false
	}
	for _, f := range b.Functions {
		if f.Variant == bound.Variant {
			_, err := ir.Eval(f.Forward, in)
			return err == nil
		}
	}
	return false
}

// gradients adds cotangents, and gradients where there are any.
func (c *call) gradients(r *rand.Rand, b *codegen.Build, op *ir.OpDecl, inputs map[string]*ir.Array, attrs []ir.ExampleAttr, out map[string]*ir.Array, dtypes map[string]string) error {
	cots := map[string]*ir.Array{}
	chosen := r.IntN(len(op.Outputs))
	for i, p := range op.Outputs {
		if !isFloat(p.Elem.Resolve(dtypes)) || i != chosen {
			c.Cots = append(c.Cots, nil)
			continue
		}
		a := ir.NewArray(out[p.Name].Shape...)
		fill(r, a, p.Elem.Resolve(dtypes))
		cots[p.Name] = a
		c.Cots = append(c.Cots, arrayOf(a, p.Elem.Resolve(dtypes)))
	}
	if len(cots) == 0 {
		return nil
	}
	grads, err := pass.EvalGrad(op, inputs, attrs, cots, dtypes)
	if err != nil || len(grads) == 0 {
		return err
	}
	for _, p := range op.Inputs {
		var g *array
		if a := grads[p.Name]; a != nil && inputs[p.Name] != nil && isFloat(p.Elem.Resolve(dtypes)) {
			g = arrayOf(a, p.Elem.Resolve(dtypes))
		}
		c.Grads = append(c.Grads, g)
	}
	return nil
}

func arrayOf(a *ir.Array, dtype string) *array {
	r := &array{DType: dtype, Shape: append([]int{}, a.Shape...), Bits: []uint64{}}
	for _, x := range a.Data {
		r.Bits = append(r.Bits, math.Float64bits(x))
	}
	return r
}

// fill fills an array with numbers that ties and kinks are likely for; integers are mostly good indices.
func fill(r *rand.Rand, a *ir.Array, dtype string) {
	for i := range a.Data {
		switch {
		case dtype != "f32" && dtype != "f64":
			a.Data[i] = drawElement(r, dtype)
		case r.IntN(6) == 0:
			a.Data[i] = float64(r.IntN(5) - 2)
		default:
			a.Data[i] = float64(float32(r.NormFloat64()))
		}
	}
}

// attrOf is a random value of an attribute; false leaves it to its default. Axes are placed where they are written, or anywhere
// among axes of one extent.
func attrOf(r *rand.Rand, op *ir.OpDecl, d *ir.AttrDecl, s *shapes) (ir.ExampleAttr, bool) {
	x := ir.ExampleAttr{Name: d.Name}
	switch d.Kind {
	case ir.AttrAxis:
		x.Number = -1
		if s.cube > 0 {
			x.Number = float64(r.IntN(7) - 4)
		}
		return x, true
	case ir.AttrAxes:
		n := s.rank(d.Axes[0])
		x.List = []float64{}
		for i := range n {
			x.List = append(x.List, float64(i-n))
		}
		if s.cube > 0 {
			for i, k := range r.Perm(n + 1)[:n] {
				x.List[i] = float64(k)
			}
		}
		return x, true
	case ir.AttrBool, ir.AttrKeep:
		x.Word = []string{"false", "true"}[r.IntN(2)]
		return x, true
	case ir.AttrEnum:
		x.Word = d.Enum.Words[r.IntN(len(d.Enum.Words))]
		return x, true
	}
	if (d.Optional || d.Default != nil) && r.IntN(2) == 0 {
		return x, false
	}
	switch d.Kind {
	case ir.AttrInt:
		x.Number = float64(r.IntN(4))
		if d.List != "" && r.IntN(3) > 0 {
			x.Number = float64(1 + r.IntN(2))
		}
	case ir.AttrRNG:
		x.Number = float64(r.Int64N(1<<54) - 1<<53)
	default:
		x.Number = []float64{0.25, 0.5, 1, 2, 0, 0.1}[r.IntN(6)]
	}
	return x, true
}
