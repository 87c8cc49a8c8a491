package grad

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/ir/irtest"
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

// torchSample is an elementwise call of PyTorch with its first and second derivatives; see testdata/README.md.
type torchSample struct {
	Op        string
	Sample    int
	Args      [][]number
	Out       []number
	Cotangent []number
	Grads     [][]number
	V         [][]number
	Grads2    [][]number
}

// torchFormulas say what PyTorch's functions are in ours.
var torchFormulas = func() map[string]func(x []*ir.Value) *ir.Value {
	call := func(op ir.Op) func([]*ir.Value) *ir.Value {
		return func(x []*ir.Value) *ir.Value { return ir.Call(op, x...) }
	}
	fn := func(op ir.Op, x ...*ir.Value) *ir.Value { return ir.Call(op, x...) }
	root2 := fn(ir.OpSqrt, ir.Int(2))
	ndtr := func(x *ir.Value) *ir.Value { return ir.Div(fn(ir.OpErfc, ir.Neg(ir.Div(x, root2))), ir.Int(2)) }
	number := func(op ir.Op) func([]*ir.Value) *ir.Value { // one of the two is NaN: the other
		return func(x []*ir.Value) *ir.Value {
			a, b := x[0], x[1]
			return ir.Select(fn(ir.OpIsNaN, a), b, ir.Select(fn(ir.OpIsNaN, b), a, fn(op, a, b)))
		}
	}
	m := map[string]func([]*ir.Value) *ir.Value{
		"fmod": call(ir.OpRem), "remainder": call(ir.OpMod), "maximum": call(ir.OpMax), "minimum": call(ir.OpMin),
		"fmax": number(ir.OpMax), "fmin": number(ir.OpMin),
		"digamma":    func(x []*ir.Value) *ir.Value { return fn(ir.OpPolygamma, ir.Int(0), x[0]) },
		"reciprocal": func(x []*ir.Value) *ir.Value { return ir.Div(ir.Int(1), x[0]) },
		"logaddexp2": func(x []*ir.Value) *ir.Value {
			l := fn(ir.OpLog, ir.Int(2))
			return ir.Div(fn(ir.OpLogaddexp, ir.Mul(x[0], l), ir.Mul(x[1], l)), l)
		},
		"special.entr":     func(x []*ir.Value) *ir.Value { return ir.Neg(fn(ir.OpXlogy, x[0], x[0])) },
		"special.erfcx":    func(x []*ir.Value) *ir.Value { return ir.Mul(fn(ir.OpExp, ir.Mul(x[0], x[0])), fn(ir.OpErfc, x[0])) },
		"special.ndtr":     func(x []*ir.Value) *ir.Value { return ndtr(x[0]) },
		"special.log_ndtr": func(x []*ir.Value) *ir.Value { return fn(ir.OpLog, ndtr(x[0])) },
		"special.ndtri": func(x []*ir.Value) *ir.Value {
			return ir.Mul(root2, fn(ir.OpErfinv, ir.Sub(ir.Mul(ir.Int(2), x[0]), ir.Int(1))))
		},
		"special.xlog1py": func(x []*ir.Value) *ir.Value { return ir.Mul(x[0], fn(ir.OpLog1p, x[1])) },
		"nn.logsigmoid":   func(x []*ir.Value) *ir.Value { return ir.Neg(fn(ir.OpSoftplus, ir.Neg(x[0]))) },
	}
	for n := int64(1); n <= 5; n++ {
		m["polygamma."+strconv.Itoa(int(n))] = func(x []*ir.Value) *ir.Value { return fn(ir.OpPolygamma, ir.Int(n), x[0]) }
	}
	for _, op := range []ir.Op{ir.OpAbs, ir.OpAcos, ir.OpAcosh, ir.OpAsin, ir.OpAsinh, ir.OpAtan, ir.OpAtan2, ir.OpAtanh, ir.OpCopysign, ir.OpCos,
		ir.OpCosh, ir.OpErf, ir.OpErfc, ir.OpErfinv, ir.OpExp, ir.OpExp2, ir.OpExpm1, ir.OpHypot, ir.OpLgamma, ir.OpLog, ir.OpLog10, ir.OpLog1p,
		ir.OpLog2, ir.OpLogaddexp, ir.OpRsqrt, ir.OpSigmoid, ir.OpSin, ir.OpSinh, ir.OpSqrt, ir.OpTan, ir.OpTanh, ir.OpXlogy} {
		m[op.String()] = call(op)
	}
	return m
}()

// Values, first and second derivatives of PyTorch's elementwise functions.
func TestTorch(t *testing.T) {
	file, err := os.Open("testdata/torch.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	seen := map[string]bool{}
	for lines.Scan() {
		var s torchSample
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		formula := torchFormulas[s.Op]
		if formula == nil {
			t.Fatalf("no formula of %s", s.Op)
		}
		seen[s.Op] = true
		s.check(t, formula)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	for op := range torchFormulas {
		if !seen[op] {
			t.Errorf("no sample of %s", op)
		}
	}
}

func (s *torchSample) check(t *testing.T, formula func([]*ir.Value) *ir.Value) {
	b := irtest.New(s.Op)
	B := b.Axis("B")
	v := irtest.Over("b", B)
	var args []*ir.Value
	in := ir.Binding{Extents: map[*ir.Axis]int{B: len(s.Out)}, Arrays: map[*ir.Tensor]*ir.Array{}}
	for i, a := range s.Args {
		x := b.In("x"+strconv.Itoa(i), B)
		args = append(args, irtest.At(x, v))
		in.Arrays[x] = arrayOf(a)
	}
	b.Out("y", ir.Assign, irtest.Vars(v), nil, formula(args))
	in = irtest.WithOutputs(t, b.F, in)
	s.compare(t, "value", in.Arrays[b.F.Outputs[0]], s.Out)
	if s.Grads == nil {
		return
	}
	first := Close(backward(t, b.F))
	for _, x := range first.Inputs {
		if x.Role == ir.Cotangent {
			in.Arrays[x] = arrayOf(s.Cotangent)
		}
	}
	in = irtest.WithOutputs(t, first, in)
	for i, g := range s.Grads {
		if g != nil {
			s.compare(t, "gradient", in.Arrays[first.Outputs[i]], g)
		}
	}
	if s.Grads2 == nil {
		return
	}
	second := backward(t, first)
	for _, x := range second.Inputs {
		if x.Role != ir.Cotangent || in.Arrays[x] != nil {
			continue
		}
		in.Arrays[x] = ir.NewArray(len(s.Out))
		for i, g := range first.Outputs {
			if g == x.Of && i < len(s.V) && s.V[i] != nil {
				in.Arrays[x] = arrayOf(s.V[i])
			}
		}
	}
	in = irtest.WithOutputs(t, second, in)
	for i, g := range s.Grads2 {
		if g != nil {
			s.compare(t, "second derivative", in.Arrays[second.Outputs[i]], g)
		}
	}
}

func arrayOf(a []number) *ir.Array {
	r := ir.NewArray(len(a))
	for i, x := range a {
		r.Data[i] = float64(x)
	}
	return r
}

// compare compares at relative 1e-9 plus absolute 1e-11.
func (s *torchSample) compare(t *testing.T, what string, got *ir.Array, want []number) {
	t.Helper()
	for i, w := range want {
		g, w := got.Data[i], float64(w)
		if g != w && !(g != g && w != w) && !(math.Abs(g-w) <= 1e-9*math.Abs(w)+1e-11) {
			t.Errorf("%s, sample %d: %s %d at %v is %v, want %v", s.Op, s.Sample, what, i, s.Args[0][i], g, w)
			return
		}
	}
}
