package grad_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen/grad"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/ir/irtest"
	"github.com/opgen/opgen/internal/specs"
)

// notDifferentiable are the ops of the specs without a derivative by any input, with the reason.
var notDifferentiable = map[string]string{
	"pointwise.ceil":           "constant but for jumps",
	"pointwise.floor":          "constant but for jumps",
	"pointwise.floor_divide":   "constant but for jumps",
	"pointwise.round":          "constant but for jumps",
	"pointwise.round_decimals": "constant but for jumps",
	"pointwise.sign":           "constant but for jumps",
	"pointwise.trunc":          "constant but for jumps",
	"pointwise.trunc_divide":   "constant but for jumps",
	"random.uniform":           "declared to have none",
	"random.bernoulli":         "declared to have none",
}

// TestCorpus derives all ops of the specs that have a derivative, on random calls of them: forward and reverse
// mode are transposed, the tangent is what differences of the op give; the same of the gradient, derived again in both
// ways.
func TestCorpus(t *testing.T) {
	total, ops := tally{}, 0
	for _, op := range specs.Ops(t) {
		if op.Update || !derives(op) {
			continue
		}
		ops++
		t.Run(op.Package+"."+op.Name, func(t *testing.T) {
			c := checkOp(t, op)
			total.add(c)
			if why := notDifferentiable[op.Package+"."+op.Name]; why != "" {
				if c.why != flat {
					t.Errorf("has a derivative, and is listed without: %s", why)
				}
			} else if c.calls == 0 {
				t.Errorf("no call of %d is right: %v", c.made, c.why)
			} else if c.smooth == 0 || c.smooth2 == 0 && c.calls2 > 0 {
				t.Errorf("no differences are smooth: %+v", c)
			}
		})
	}
	t.Logf("%d ops: %d calls of %d are right; of %d of them differences are smooth; of %d gradients, those of %d", ops, total.calls, total.made,
		total.smooth, total.calls2, total.smooth2)
}

// derives tells whether an op has a float input and a float output.
func derives(op *ir.OpDecl) bool {
	float := func(p *ir.Param) bool {
		return (p.Mode == ir.Input || p.Mode == ir.Output) && irtest.Float(op, p.Elem)
	}
	return slices.ContainsFunc(op.Inputs, float) && slices.ContainsFunc(op.Outputs, float)
}

// flat is why nothing is checked of a function that changes with no input.
const flat = "nothing varies"

// tally counts calls.
type tally struct {
	made, calls, smooth int // made, right, with smooth differences
	calls2, smooth2     int // of the gradient
	why                 string
}

func (t *tally) add(o tally) {
	t.made += o.made
	t.calls += o.calls
	t.smooth += o.smooth
	t.calls2 += o.calls2
	t.smooth2 += o.smooth2
}

const (
	wantCalls = 6
	maxCalls  = 400
)

// checkOp makes calls of an op until enough are right.
func checkOp(t *testing.T, op *ir.OpDecl) tally {
	h := fnv.New64()
	h.Write([]byte(op.Package + "." + op.Name))
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	var c tally
	for c.made = 0; c.made < maxCalls && c.calls < wantCalls; c.made++ {
		n := irtest.Numbers{Lo: -1.5, Hi: 1.5}
		switch {
		case c.made%4 == 1:
			n = irtest.Numbers{Lo: 0.1, Hi: 0.9}
		case c.made%4 == 3:
			n = irtest.Numbers{Lo: 1.1, Hi: 2}
		}
		call := irtest.RandomCall(r, op, n)
		b, err := ir.Bind(op, ir.ShapesOf(call.Inputs), call.Attrs)
		if err != nil {
			c.why = err.Error()
			continue
		}
		in, err := b.Binding(call.Inputs, nil)
		if err != nil {
			c.why = err.Error()
			continue
		}
		bare := *b.Func // formulas by hand may deviate; what has no derivative stays without
		bare.UserGrads = slices.DeleteFunc(slices.Clone(bare.UserGrads), func(u ir.UserGrad) bool { return !u.None })
		p := &point{t: t, f: &bare, in: in, seed: uint64(c.made)}
		ok, smooth := p.check()
		if !ok {
			c.why = p.why
			continue
		}
		c.calls++
		if smooth {
			c.smooth++
		}
		q := p.gradient()
		if q == nil {
			continue
		}
		ok, smooth = q.check()
		if !ok && !t.Failed() {
			t.Logf("the gradient can't be derived at %v: %s", call.Attrs, q.why)
			continue
		}
		c.calls2++
		if smooth {
			c.smooth2++
		}
	}
	return c
}

// point is a function at a point.
type point struct {
	t    *testing.T
	f    *ir.Func
	in   ir.Binding
	seed uint64
	back *ir.Func
	why  string // why the function can't be evaluated there
}

// check checks the derivatives of the function at the point; ok: it has a value there that is finite; smooth: differences
// tell its derivative.
func (p *point) check() (ok, smooth bool) {
	t := p.t
	t.Helper()
	out, err := ir.Eval(p.f, p.in)
	if err != nil {
		p.why = err.Error()
		return false, false
	}
	back, err := grad.Reverse(p.f)
	if err != nil {
		t.Fatalf("reverse: %v\n%v", err, p.f)
	}
	fore, err := grad.Forward(p.f)
	if err != nil {
		t.Fatalf("forward: %v\n%v", err, p.f)
	}
	p.back = back
	if len(fore.Outputs) == 0 {
		p.why = flat
		return false, false
	}
	in := irtest.WithOutputs(t, p.f, p.in)
	irtest.Directions(back, in, ir.Cotangent, p.seed)
	irtest.Directions(fore, in, ir.Tangent, p.seed+1)
	p.in = in
	grads, err := ir.Eval(back, in)
	if err != nil {
		t.Fatalf("reverse: %v\n%v", err, back)
	}
	tangents, err := ir.Eval(fore, in)
	if err != nil {
		t.Fatalf("forward: %v\n%v", err, fore)
	}
	for _, m := range []map[*ir.Tensor]*ir.Array{out, grads, tangents} {
		for x, a := range m {
			if a != nil && slices.ContainsFunc(a.Data, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
				p.why = x.Name + " isn't finite"
				return false, false
			}
		}
	}
	left, right, scale := irtest.Dual(back, fore, in, grads, tangents)
	if !(math.Abs(left-right) <= 1e-9*(1+scale)) {
		t.Errorf("⟨ȳ, J·v⟩ is %v and ⟨Jᵀ·ȳ, v⟩ is %v at %v\n%v\n%v", left, right, text(p.f, in), fore, back)
		return true, false
	}
	if p.stops() {
		return true, true // differences don't stop
	}
	return true, p.differences(fore, tangents)
}

// stops tells whether the derivative is declared to be another than that of the values.
func (p *point) stops() bool {
	stops := false
	for _, d := range p.f.Defs {
		ir.Walk(d.Body, func(v *ir.Value) bool {
			stops = stops || v.Op == ir.OpStop
			return true
		})
	}
	return stops
}

// differences compares tangents with differences of the function along them, where these settle.
func (p *point) differences(fore *ir.Func, tangents map[*ir.Tensor]*ir.Array) bool {
	const h = 1e-4
	at := func(s float64) map[*ir.Tensor]*ir.Array {
		in := p.in
		in.Arrays = map[*ir.Tensor]*ir.Array{}
		for t, a := range p.in.Arrays {
			in.Arrays[t] = a
		}
		for _, v := range fore.Inputs {
			if v.Role != ir.Tangent || p.in.Arrays[v] == nil {
				continue
			}
			x := p.in.Arrays[v.Of]
			n := ir.NewArray(x.Shape...)
			for i := range n.Data {
				n.Data[i] = x.Data[i] + s*p.in.Arrays[v].Data[i]
			}
			in.Arrays[v.Of] = n
		}
		r, err := ir.Eval(p.f, in)
		if err != nil {
			return nil
		}
		return r
	}
	up, down, up2, down2 := at(h), at(-h), at(h/2), at(-h/2)
	if up == nil || down == nil || up2 == nil || down2 == nil {
		return false
	}
	smooth := false
	for _, v := range fore.Outputs {
		got := tangents[v]
		mid := p.in.Arrays[v.Of]
		for i, g := range got.Data {
			a, b, a2, b2, m := up[v.Of].Data[i], down[v.Of].Data[i], up2[v.Of].Data[i], down2[v.Of].Data[i], mid.Data[i]
			d, d2 := (a-b)/(2*h), (a2-b2)/h
			want := (4*d2 - d) / 3
			size := 1 + math.Abs(want)
			// On both sides the same slope, up to a curvature that both steps see alike.
			bend, bend2 := (a-2*m+b)/(h*h), (a2-2*m+b2)/(h*h/4)
			if !(math.Abs(d-d2) <= 1e-5*size) || !(math.Abs(bend-bend2) <= 0.1*math.Abs(bend)+0.01*size) || math.Abs(bend) > 1e3*size {
				continue
			}
			smooth = true
			if !(math.Abs(g-want) <= 2e-7*size) {
				p.t.Errorf("%s[%d] is %v, differences give %v, at %v\n%v", v.Name, i, g, want, text(p.f, p.in), fore)
				return true
			}
		}
	}
	return smooth
}

// gradient is the gradient of the function as a function of its own, at the same point.
func (p *point) gradient() *point {
	f := grad.Close(p.back)
	if len(f.Outputs) == 0 {
		return nil
	}
	f.UserGrads = p.f.UserGrads // what has no derivative has no second one
	return &point{t: p.t, f: f, in: p.in, seed: p.seed + 2}
}

// text writes a point.
func text(f *ir.Func, in ir.Binding) string {
	var b strings.Builder
	for _, t := range f.Inputs {
		if a := in.Arrays[t]; a != nil {
			b.WriteString(t.Name + " = ")
			b.WriteString(fmt.Sprint(a.Shape, a.Data))
			b.WriteString(", ")
		}
	}
	fmt.Fprint(&b, in.Scalars)
	return b.String()
}
