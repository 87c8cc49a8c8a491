package codegen

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
)

// chains are formulas in which conditions are nested as deep as asked for.
var chains = map[string]func(depth int) string{
	"else if": func(depth int) string {
		var b strings.Builder
		for i := range depth {
			fmt.Fprintf(&b, "if x < %d then %d*x^2 + t else ", i, i+2)
		}
		return b.String() + "x*t"
	},
	"nested": func(depth int) string {
		s := "x*t"
		for i := range depth {
			s = fmt.Sprintf("if x < %d then (%s) else %d*x*t", i, s, i+2)
		}
		return s
	},
	"or": func(depth int) string {
		var b strings.Builder
		for i := range depth {
			fmt.Fprintf(&b, "if x < %d || t > %d then %d*x*t else ", i, i, i+2)
		}
		return b.String() + "x"
	},
	"sum": func(depth int) string {
		var b strings.Builder
		for i := range depth {
			fmt.Fprintf(&b, "(if x < %d then %d*x^2 else x*t) + ", i, i+2)
		}
		return b.String() + "t"
	},
}

// chainOf is a spec of one op with a chain.
func chainOf(kind string, depth int) string {
	return fmt.Sprintf("package many\n\n// C is a chain.\nop c[T: float](x, t: T[...B]) -> (y: T[...B]) {\n    y = %s\n}\n", chains[kind](depth))
}

// BenchmarkChains shows what a level of nested conditions costs.
func BenchmarkChains(b *testing.B) {
	for kind := range chains {
		for _, depth := range []int{50, 100, 200, 400, 800} {
			text := chainOf(kind, depth)
			b.Run(fmt.Sprint(kind, depth), func(b *testing.B) {
				for b.Loop() {
					take(b, text)
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(depth), "µs/level")
			})
		}
	}
}

// TestChains counts the work for a level of nested conditions, by what is allocated, and what is written for it: both grow little with
// the depth.
func TestChains(t *testing.T) {
	for kind := range chains {
		measure := func(depth int) (work, lines float64) {
			text := chainOf(kind, depth)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			b := take(t, text, Go)
			runtime.ReadMemStats(&after)
			n := 0
			for _, f := range b.Out {
				n += strings.Count(string(f.Data), "\n")
			}
			return float64(after.Mallocs-before.Mallocs) / float64(depth), float64(n) / float64(depth)
		}
		measure(5) // what is made once
		work, lines := measure(40)
		deepWork, deepLines := measure(160)
		t.Logf("%s: %.0f allocations and %.1f lines a level of 40, %.0f and %.1f of 160", kind, work, lines, deepWork, deepLines)
		if deepWork > 1.25*work {
			t.Errorf("%s: %.0f allocations a level of 40, %.0f of 160", kind, work, deepWork)
		}
		if deepLines > lines {
			t.Errorf("%s: %.1f lines a level of 40, %.1f of 160", kind, lines, deepLines)
		}
	}
}

// TestLongSum asks the derivative of a sum of conditions, which gets one guard for all, for its values: also where no condition holds, and
// where a part that isn't taken has none.
func TestLongSum(t *testing.T) {
	const n = 50
	var s strings.Builder
	for i := range n {
		fmt.Fprintf(&s, "(if x > %d then %d*x^2 + x*t else if x > %d.5 then log(x - %d.5) else 0) + ", i+1, i+2, n+i, n+i)
	}
	text := fmt.Sprintf("package many\n\n// C is a long sum.\nop c[T: float](x, t: T[...B]) -> (y: T[...B]) {\n    y = (%s 0)*t\n}\n", s.String())
	f := take(t, text, Go).Functions[0]
	x, u := []float64{-1, 0.5, 1, 1.5, 7.25, 49.5, 50, 60}, []float64{1, 2, 3, -1, 0.5, 2, 4, 8}
	data := map[string][]float64{"x": x, "t": u, "@y": {1, 1, 1, 1, 1, 1, 1, 1}}
	in := ir.Binding{Arrays: map[*ir.Tensor]*ir.Array{}}
	bind := func(ts []*ir.Tensor) {
		for _, v := range ts {
			if d := data[v.Name]; d != nil {
				in.Arrays[v] = &ir.Array{Shape: []int{len(d)}, Data: d}
			}
		}
	}
	bind(f.Forward.Inputs)
	out, err := ir.Eval(f.Forward, in)
	if err != nil {
		t.Fatal(err)
	}
	data["y"] = out[f.Forward.Outputs[0]].Data
	bind(f.Backward.Inputs)
	got, err := ir.Eval(f.Backward, in)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range f.Backward.Outputs {
		if g.Of.Name != "x" {
			continue
		}
		for k, x := range x {
			want := 0.0
			for i := range n {
				if x > float64(i+1) {
					want += (2*float64(i+2)*x + u[k]) * u[k]
				}
			}
			if got[g].Data[k] != want {
				t.Errorf("@x is %v where x is %v, not %v", got[g].Data[k], x, want)
			}
		}
	}
}

// TestDoubling takes what doubles with every step in time: values that are named, which are computed once; products of calls within calls;
// and numbers of a call, which are refused where they would be written out too often.
func TestDoubling(t *testing.T) {
	lets := func(first, step string, n int) string {
		s := "    let a0 = " + first + "\n"
		for i := range n {
			s += fmt.Sprintf("    let a%d = %s\n", i+1, strings.ReplaceAll(step, "A", fmt.Sprint("a", i)))
		}
		return s
	}
	for _, c := range []struct{ name, body, code string }{
		{"values", lets("x + k", "A*A", 60) + "    y = a60", ""},
		{"calls", "    y = k*" + strings.Repeat("double(", 8) + "x" + strings.Repeat(")", 8), ""},
		{"gelu of gelu", "    y = " + strings.Repeat("gelu(", 8) + "x" + strings.Repeat(")", 8) + "*k", ""},
		{"more calls", "    y = k*" + strings.Repeat("double(", 60) + "x" + strings.Repeat(")", 60), "op-large"},
		{"numbers", lets("k + k", "A*A", 8) + "    y = x/a8", ""},
		{"more numbers", lets("k + k", "A*A", 60) + "    y = x/a60", "op-large"},
		{"extents", lets("N + k", "A + A", 60) + "    y = x/a60", "op-large"},
		{"maxima", "    y = " + strings.Repeat("max(", 10) + "x" + strings.Repeat(", k*x)", 10), ""},
		{"more maxima", "    y = " + strings.Repeat("max(", 60) + "x" + strings.Repeat(", k*x)", 60), "op-large"},
		{"choices", lets("x", "if x > k then A*2 else A + x", 60) + "    y = a60", ""},
		{"conditions", lets("k > 1", "(A && k < 7) || (A && k < 8)", 60) + "    y = if a60 then x else k*x", "op-large"},
	} {
		text := "package many\n\nop double[T: float](x: T[...B]) = x*x\n\nfunc gelu(x) = x/2*(1 + tanh(0.8*(x + x^3/22)))\n\n// D doubles.\nop d[T: float](x: T[...B, N]; k: float = 2) -> (y: T[...B, N]) {\n" + c.body + "\n}\n"
		b := New(Source{ImportPath: "many", Files: []SourceFile{{Name: "many.op", Data: []byte(text)}}}, Go)
		ok := b.Run("")
		if ok != (c.code == "") || !ok && b.Diags.All[0].Code != c.code {
			t.Errorf("%s: %v, want %q", c.name, b.Diags.Err(), c.code)
		}
	}
}
