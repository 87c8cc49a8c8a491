package ir_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/ir/irtest"
)

// roundTrip checks that the text of a function is that of the function read from it, which is well formed.
func roundTrip(t irtest.Reporter, f *ir.Func) *ir.Func {
	t.Helper()
	text := f.Text()
	g, err := ir.Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if again := g.Text(); again != text {
		t.Fatalf("read back:\n%s\nwas:\n%s", again, text)
	}
	if err := ir.Verify(g); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return g
}

// TestParse reads functions back from their text and evaluates both.
func TestParse(t *testing.T) {
	for _, c := range irtest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			g := roundTrip(t, c.Func)
			x, err := ir.Eval(c.Func, c.Random(c.Func, 1))
			if err != nil {
				t.Fatal(err)
			}
			y, err := ir.Eval(g, c.Random(g, 1))
			if err != nil {
				t.Fatal(err)
			}
			for k, o := range c.Func.Outputs {
				for i, v := range x[o].Data {
					if w := y[g.Outputs[k]].Data[i]; v != w {
						t.Errorf("%s[%d] is %v, read back %v", o.Name, i, v, w)
					}
				}
			}
		})
	}
}

// TestParseRandom reads random formulas back.
func TestParseRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { roundTrip(t, irtest.Random(t)) })
}

// TestParseErrors names the line of what is wrong.
func TestParseErrors(t *testing.T) {
	const head = "func p.f\n  dtype T: f32|f64\n  in x: T[N]\n"
	for _, c := range []struct{ line, want string }{
		{"  y[n] = z[n]   for n in N", "line 4: there is no tensor z"},
		{"  y[n] = f(x[n])   for n in N", "line 4: there is no function f"},
		{"  y[n] = x[n] +   for n in N", `line 4:     is not known`},
		{"  y[n] = 1   for n in N", "line 4: nothing tells the type of this local; declare it"},
		{"  y[n + 1] = x[n]   for n in N", "line 4: the axes of y don't follow from its left side; declare it"},
		{"  y[n] = x[n] x   for n in N", `line 4: unexpected "x"`},
		{"  y[n] x[n]   for n in N", `line 4: "x" is no sign of a definition`},
		{"  y[n] = exp(x[n], x[n])   for n in N", "line 4: exp takes 1 arguments, not 2"},
		{"  require true", "line 4: a requirement has no message"},
	} {
		_, err := ir.Parse(head + c.line + "\n")
		if err == nil {
			t.Errorf("%s: no error", c.line)
		} else if err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.line, err, c.want)
		}
	}
}

// TestParseGrad reads back a gradient by hand, which reads the cotangents of outputs that are declared behind it.
func TestParseGrad(t *testing.T) {
	const text = `func p.f
  dtype T: f32|f64
  in z: T[N]
  y[n] = z[n] * exp(-z[n])   for n in N
  grad z = @z
  let @z: T[N]
    @z[n] = @y[n] * exp(-z[n]) * (1 - z[n])   for n in N
  out y: T[N]
`
	f, err := ir.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	g := roundTrip(t, f)
	if f.Text() != text || len(g.UserGrads) != 1 {
		t.Errorf("read back:\n%s\nwas:\n%s", f.Text(), text)
	}
	for r := range g.UserGrads[0].Defs[0].Reads() {
		if r.Name == "@y" && (r.Role != ir.Cotangent || r.Of != g.Outputs[0]) {
			t.Errorf("%s isn't the cotangent of the output", r.Name)
		}
	}
}
