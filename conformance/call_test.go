package conformance

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/runtime"
)

// heavy reports whether to test for minutes and not for seconds.
func heavy() bool { return os.Getenv("OPGEN_HEAVY") != "" && !testing.Short() }

// specs are the packages of the repository, lowered to nests, by name.
var specs = sync.OnceValues(func() (map[string]*codegen.Build, error) {
	sources, err := codegen.Find([]string{"../specs/..."}, "")
	if err != nil {
		return nil, err
	}
	return through(sources, "share")
})

// modulePath is that of the temporary module in which packages of tests are built.
const modulePath = "conformance.test"

// tested are the packages below testdata, by name.
var tested = sync.OnceValues(func() (map[string]*codegen.Build, error) {
	r := map[string]*codegen.Build{}
	for _, name := range []string{"conventions", "faults", "names"} {
		dir := filepath.Join("testdata", name)
		data, err := os.ReadFile(filepath.Join(dir, name+".op"))
		if err != nil {
			return nil, err
		}
		b, err := through([]codegen.Source{{Dir: dir, ImportPath: modulePath + "/" + name,
			Files: []codegen.SourceFile{{Name: name + ".op", Data: data}}}}, "")
		if err != nil {
			return nil, err
		}
		maps.Copy(r, b)
	}
	return r, nil
})

// through takes packages through the pipeline up to a stage.
func through(sources []codegen.Source, last string) (map[string]*codegen.Build, error) {
	r := map[string]*codegen.Build{}
	for _, s := range sources {
		b := codegen.New(s)
		if !b.Run(last) {
			d := b.Diags.All[0]
			return nil, fmt.Errorf("%s: %v: %s: %s", s.Dir, d.Span.Start, d.Code, d.Message)
		}
		r[b.Package.Name] = b
	}
	return r, nil
}

// builds are the specs, packages in order.
func builds(t testing.TB) []*codegen.Build {
	t.Helper()
	all, err := specs()
	if err != nil {
		t.Fatal(err)
	}
	var r []*codegen.Build
	for _, name := range slices.Sorted(maps.Keys(all)) {
		r = append(r, all[name])
	}
	return r
}

// testBuild is a package below testdata.
func testBuild(t testing.TB, name string) *codegen.Build {
	t.Helper()
	all, err := tested()
	if err != nil {
		t.Fatal(err)
	}
	return all[name]
}

// findOp finds an op of the specs or of the packages below testdata by package and name, as the registry names it.
func findOp(name string) (*codegen.Build, *ir.OpDecl, error) {
	for _, packages := range []func() (map[string]*codegen.Build, error){specs, tested} {
		all, err := packages()
		if err != nil {
			return nil, nil, err
		}
		if b := all[strings.Split(name, ".")[0]]; b != nil {
			for _, op := range b.Package.Ops {
				if op.Package+"."+op.Name == name {
					return b, op, nil
				}
			}
		}
	}
	return nil, nil, fmt.Errorf("there is no op %s", name)
}

// call is one call of an op, for any backend.
type call struct {
	op     string               // as the registry names it: "loss.mse"
	inputs map[string]*ir.Array // those that are there
	attrs  []ir.ExampleAttr
	index  string // dtype of indices; "": i64
	result string // dtype U of the result, where the caller chooses it
}

func number(name string, x float64) ir.ExampleAttr { return ir.ExampleAttr{Name: name, Number: x} }

func word(name, w string) ir.ExampleAttr { return ir.ExampleAttr{Name: name, Word: w} }

func list(name string, x ...float64) ir.ExampleAttr { return ir.ExampleAttr{Name: name, List: x} }

// array is an array of a shape.
func array(shape []int, data ...float64) *ir.Array { return &ir.Array{Shape: shape, Data: data} }

// vec is an array with one axis.
func vec(data ...float64) *ir.Array { return array([]int{len(data)}, data...) }

// scalar is an array without axes.
func scalar(x float64) *ir.Array { return array([]int{}, x) }

// dtypes are what the variables of an op stand for when T is float.
func (c *call) dtypes(float string) map[string]string {
	index := c.index
	if index == "" {
		index = "i64"
	}
	r := map[string]string{"T": float, "I": index}
	if c.result != "" {
		r["U"] = c.result
	}
	return r
}

// floats are the names of the inputs that have derivatives, in the order of the signature.
func (c *call) floats() ([]string, error) {
	_, op, err := findOp(c.op)
	if err != nil {
		return nil, err
	}
	var r []string
	for _, p := range op.Inputs {
		if d, err := runtime.ParseDType(p.Elem.Resolve(c.dtypes("f64"))); err == nil && c.inputs[p.Name] != nil && d.Float() {
			r = append(r, p.Name)
		}
	}
	return r, nil
}

// arrays are results by the names of tensors.
type arrays = map[string]*ir.Array

// with is a copy of the call with an input replaced.
func (c *call) with(name string, a *ir.Array) *call {
	d := *c
	d.inputs = maps.Clone(c.inputs)
	d.inputs[name] = a
	return &d
}
