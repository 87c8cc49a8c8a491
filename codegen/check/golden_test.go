package check_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
)

// number is a float64 that JSON may write as "nan", "inf" or "-inf".
type number float64

func (n *number) UnmarshalJSON(text []byte) error {
	s := string(text)
	if q, err := strconv.Unquote(s); err == nil {
		s = q
	}
	f, err := strconv.ParseFloat(s, 64)
	*n = number(f)
	return err
}

type sampleTensor struct {
	Shape []int
	DType string
	Data  []number
}

func (t sampleTensor) array() *ir.Array {
	a := ir.NewArray(t.Shape...)
	for k, x := range t.Data {
		a.Data[k] = float64(x)
	}
	return a
}

// sample is a call and what PyTorch gives for it.
type sample struct {
	Torch  string
	Sample int
	Op     string
	Inputs map[string]sampleTensor
	Attrs  map[string]struct {
		Word   string
		Number number
		List   []number
	}
	Out []sampleTensor
}

func (s *sample) attrs() []ir.ExampleAttr {
	var list []ir.ExampleAttr
	for name, v := range s.Attrs {
		a := ir.ExampleAttr{Name: name, Word: v.Word, Number: float64(v.Number)}
		for _, x := range v.List {
			a.List = append(a.List, float64(x))
		}
		list = append(list, a)
	}
	return list
}

// run evaluates the sample and compares.
func (s *sample) run(d *ir.OpDecl) error {
	inputs := map[string]*ir.Array{}
	for name, t := range s.Inputs {
		inputs[name] = t.array()
	}
	got, err := ir.EvalOp(d, inputs, s.attrs(), nil)
	if err != nil {
		return err
	}
	for k, want := range s.Out {
		if k == len(d.Outputs) {
			break
		}
		if err := compare(got[d.Outputs[k].Name], want.array()); err != nil {
			return fmt.Errorf("%s: %w", d.Outputs[k].Name, err)
		}
	}
	return nil
}

// compare compares at relative 1e-9 plus absolute 1e-11.
func compare(got, want *ir.Array) error {
	if got == nil || fmt.Sprint(got.Shape) != fmt.Sprint(want.Shape) {
		return fmt.Errorf("shape %v, want %v", got, want.Shape)
	}
	for k, w := range want.Data {
		g := got.Data[k]
		switch {
		case math.IsNaN(w) || math.IsInf(w, 0) || math.IsNaN(g) || math.IsInf(g, 0):
			if g != w && !(math.IsNaN(g) && math.IsNaN(w)) {
				return fmt.Errorf("element %d is %v, want %v", k, g, w)
			}
		case math.Abs(g-w) > 1e-9*math.Abs(w)+1e-11:
			return fmt.Errorf("element %d is %v, want %v", k, g, w)
		}
	}
	return nil
}

func samples(t *testing.T, name string) []sample {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []sample
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		var s sample
		if err := json.Unmarshal(in.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}
