package pass

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
	"pgregory.net/rapid"
)

// carryHead is the start of functions of rows x, with a running maximum m.
const carryHead = `func p.f
  dtype T: f32|f64
  in x: T[N, L]
  in v: T[N, L]
  in k: i64[N]
`

// parsed is a function of definitions, the last one of y.
func parsed(t interface{ Fatal(...any) }, defs string) *ir.Func {
	f, err := ir.Parse(carryHead + "  " + strings.ReplaceAll(strings.TrimSpace(defs), "\n", "\n  ") + "\n  out y: T[N, L]\n")
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(f); err != nil {
		t.Fatal(err)
	}
	return f
}

const runningMax = "m[n, t] max= x[n, s]   for n in N, t in L, s in 0..t + 1"

// TestCarry shows what is carried, how, and what isn't.
func TestCarry(t *testing.T) {
	const over = "   for n in N, t in L, "
	const runs = runningMax + "   carried along t up\n"
	for _, c := range []struct {
		def, want string
		derived   bool
	}{
		// One end of the range moves with an index of the target.
		{"y[n, t] += x[n, s]" + over + "s in 0..t + 1", "y[n, t] += x[n, s]" + over + "s in 0..t + 1   carried along t up", false},
		{"y[n, t] += x[n, s]" + over + "s in L   where s <= t", "y[n, t] += x[n, s]" + over + "s in 0..t + 1   carried along t up", false},
		{"y[n, t] *= x[n, s]" + over + "s in L   where !(s <= t)", "y[n, t] *= x[n, s]" + over + "s in t + 1..|L|   carried along t down", false},
		{"y[n, t] += x[n, s]" + over + "s in L   where 0 <= t && t < s + 3", "y[n, t] += x[n, s]" + over + "s in max(0, t - 2)..|L|   carried along t down", false},
		{"y[n, t] += x[n, s]" + over + "s in 0..|L| - t", "y[n, t] += x[n, s]" + over + "s in 0..|L| - t   carried along t down", false},
		{"y[n, t] min= x[n, s]" + over + "s in |L| - t - 1..|L|", "y[n, t] min= x[n, s]" + over + "s in |L| - t - 1..|L|   carried along t up", false},
		{"y[n, t] += x[n, s]" + over + "s in exact(k[n])..t   where x[n, s] < 2 && t < 7", "y[n, t] += x[n, s]" + over + "s in exact(k[n])..t   where x[n, s] < 2 && t < 7   carried along t up", false},
		{"y[n, t] += x[n, s] * x[n, r]" + over + "r in L, s in 0..t", "y[n, t] += x[n, s] * x[n, r]" + over + "s in 0..t, r in L   carried along t up", false},
		// Both ends move, or what is reduced or a condition on it hangs on the index: it stays.
		{"y[n, t] += x[n, s]" + over + "s in t..t + 3", "", false},
		{"y[n, t] += x[n, s] * v[n, t]" + over + "s in 0..t", "", false},
		{"y[n, t] += x[n, s]" + over + "s in 0..t   where x[n, s] < v[n, t]", "", false},
		{"y[n, t] += x[n, s]" + over + "s in L   where 2 * s < t", "", false},
		{"y[n, t] += x[n, s]" + over + "s in 0..exact(k[t])", "", false},
		{"y[n, t] += x[n, s]" + over + "s in 0..t   where x[n, t] < 1", "", false},
		// One point is left out.
		{"y[n, t] *= x[n, s]" + over + "s in L   where s != t",
			"y.before[n, t] *= f64(x[n, s])" + over + "s in 0..t   carried along t up\n" +
				"y.after[n, t] *= f64(x[n, s])" + over + "s in t + 1..|L|   carried along t down\n" +
				"y[n, t] = T(y.before[n, t] * y.after[n, t])   for n in N, t in L", false},
		{"y[n, t] max= x[n, s]" + over + "s in L   where !(s == t)",
			"y.before[n, t] max= x[n, s]" + over + "s in 0..t   carried along t up\n" +
				"y.after[n, t] max= x[n, s]" + over + "s in t + 1..|L|   carried along t down\n" +
				"y[n, t] = if t <= 0 then y.after[n, t] else if |L| <= t + 1 then y.before[n, t] else max(y.before[n, t], y.after[n, t])   for n in N, t in L", false},
		{"y[n, t] max= x[n, s]" + over + "s in L   where !(s == t) && x[n, s] < 1", "", false}, // either side may have no points
		{"y[n, t] += x[r, s]" + over + "r in N, s in L   where !(r == n && s == t)",
			"y.before[n] += f64(x[r, s])   for n in N, r in 0..n, s in L   carried along n up\n" +
				"y.after[n] += f64(x[r, s])   for n in N, r in n + 1..|N|, s in L   carried along n down\n" +
				"y.before'[n, t] += f64(x[n, s])" + over + "s in 0..t   carried along t up\n" +
				"y.after'[n, t] += f64(x[n, s])" + over + "s in t + 1..|L|   carried along t down\n" +
				"y[n, t] = T(y.before[n] + y.after[n] + (y.before'[n, t] + y.after'[n, t]))   for n in N, t in L", false},
		{"y[n, t] *= x[n, s] + v[n, t]" + over + "s in L   where s != t", "", false},
		// A running maximum is followed.
		{runningMax + "\ny[n, t] += 1" + over + "s in 0..t + 1   where x[n, s] == m[n, t]",
			runs + "y[n, t] += 1" + over + "s in 0..t + 1   where x[n, s] == m[n, t]   carried along t up kept 1 <= t && (m[n, t - 1] == m[n, t] || isnan(m[n, t - 1]) && isnan(m[n, t]))", false},
		{runningMax + "\ny[n, t] += exp(x[n, s] - m[n, t]) * v[n, s]" + over + "s in 0..t + 1",
			runs + "y[n, t] += exp(x[n, s] - m[n, t]) * v[n, s]" + over + "s in 0..t + 1   carried along t up scaled " +
				"if 1 <= t && !(m[n, t - 1] == m[n, t]) then (if isinf(m[n, t - 1]) then 2 else exp(f64(m[n, t - 1]) - f64(m[n, t]))) else 1", false},
		// So is one from the other end, and what flows back from it, against the way that it runs.
		{"m[n, t] min= x[n, s]" + over + "s in t..|L|\ny[n, t] += 1" + over + "s in t..|L|   where x[n, s] == m[n, t]",
			"m[n, t] min= x[n, s]" + over + "s in t..|L|   carried along t down\n" +
				"y[n, t] += 1" + over + "s in t..|L|   where x[n, s] == m[n, t]   carried along t down kept t + 1 < |L| && (m[n, t + 1] == m[n, t] || isnan(m[n, t + 1]) && isnan(m[n, t]))", false},
		{runningMax + "\ny[n, t] += v[n, s]" + over + "s in L   where t <= s && x[n, t] == m[n, s]",
			runs + "y.back[n, t] += v[n, s]" + over + "s in t..|L|   where (m[n, s] == m[n, t] || isnan(m[n, s]) && isnan(m[n, t]))   carried along t down " +
				"kept t + 1 < |L| && (m[n, t] == m[n, t + 1] || isnan(m[n, t]) && isnan(m[n, t + 1]))\n" +
				"y[n, t] = if x[n, t] == m[n, t] then y.back[n, t] else 0   for n in N, t in L", false},
		{runningMax + "\ny[n, t] += exp(x[n, t] - m[n, s]) * v[n, s]" + over + "s in L   where t <= s",
			runs + "y.back[n, t] += f64(exp(m[n, t] - m[n, s]) * v[n, s])" + over + "s in t..|L|   carried along t down scaled " +
				"if t + 1 < |L| && !(m[n, t] == m[n, t + 1]) then (if isinf(m[n, t + 1]) then 2 else exp(f64(m[n, t]) - f64(m[n, t + 1]))) else 1\n" +
				"y[n, t] = T(absorb(f64(exp(x[n, t] - m[n, t])), y.back[n, t]))   for n in N, t in L", true},
		{runningMax + "\ny[n, t] += exp(v[n, t] - m[n, s])" + over + "s in L   where t <= s", runs + "y[n, t] += exp(v[n, t] - m[n, s])" + over + "s in L   where t <= s", false},
		// Factors leave derived sums.
		{"y[n, t] += v[n, t] * x[n, s] / x[n, t]" + over + "s in 0..t + 1",
			"y.sum[n, t] += x[n, s]" + over + "s in 0..t + 1   carried along t up\ny[n, t] = y.sum[n, t] * v[n, t] / x[n, t]   for n in N, t in L", true},
		{"y[n, t] += v[n, t] * x[n, s]" + over + "s in 0..t", "", true}, // which may be of nothing
		// But not by other numbers, over another range, or where it doesn't stand alone.
		{runningMax + "\ny[n, t] += 1" + over + "s in 0..t + 1   where v[n, s] == m[n, t]", runs + "y[n, t] += 1" + over + "s in 0..t + 1   where v[n, s] == m[n, t]", false},
		{runningMax + "\ny[n, t] += 1" + over + "s in 0..t   where x[n, s] == m[n, t]", runs + "y[n, t] += 1" + over + "s in 0..t   where x[n, s] == m[n, t]", false},
		{runningMax + "\ny[n, t] += exp(v[n, s] - m[n, t])" + over + "s in 0..t + 1", runs + "y[n, t] += exp(v[n, s] - m[n, t])" + over + "s in 0..t + 1", false},
		{runningMax + "\ny[n, t] += exp(x[n, s] - m[n, t]) * v[n, t]" + over + "s in 0..t + 1", runs + "y[n, t] += exp(x[n, s] - m[n, t]) * v[n, t]" + over + "s in 0..t + 1", false},
	} {
		f := parsed(t, c.def)
		f.Defs[len(f.Defs)-1].Derived = c.derived
		g := Carry(f)
		if err := ir.Verify(g); err != nil {
			t.Errorf("%s: %v", c.def, err)
		}
		if c.want == "" {
			c.want = c.def
		}
		if got := strings.TrimSpace(body(g)); got != c.want {
			t.Errorf("%s becomes\n%s\nwant\n%s", c.def, got, c.want)
		}
		again, err := ir.Parse(g.Text())
		if err != nil || again.Text() != g.Text() {
			t.Errorf("%v, read back:\n%s", err, g.Text())
		}
		if got := body(ir.Uncarried(g)); strings.Contains(got, "carried") {
			t.Errorf("still carried: %s", got)
		}
	}
}

// TestCarryKeepsValues reduces over random ranges with random conditions, before and after.
func TestCarryKeepsValues(t *testing.T) {
	carried := 0
	rapid.Check(t, func(t *rapid.T) {
		one := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
		k := fmt.Sprint(rapid.IntRange(0, 3).Draw(t, "k"))
		conds := []string{"s <= t + " + k, "!(s < t + " + k + ")", "t - " + k + " <= s", "s + " + k + " != t", "!(s == t)", "s + t < |L|", "s <= 2 * t", "|L| - t - " + k + " < s",
			"0 < x[n, s]", "t < |L| - " + k, "x[n, s] < v[n, t]"}
		def := "y[n, t] " + one("monoid", "+=", "*=", "max=", "min=") + " " + one("body", "x[n, s]", "x[n, s] + v[n, s]", "x[n, s] * v[n, 0]") + "   for n in N, t in L, s in " +
			one("range", "L", "0..t", "0..t + 1", "t..|L|", "max(0, exact(k[n]))..t", "0..|L| - t") + "   where " + one("first", conds...)
		if rapid.Bool().Draw(t, "two") {
			def += " && " + one("second", conds...)
		}
		f := parsed(t, def)
		g := Carry(f)
		if err := ir.Verify(g); err != nil {
			t.Fatalf("%v\n%v", err, g)
		}
		if strings.Contains(body(g), "carried") {
			carried++
		}
		rows, length := rapid.IntRange(0, 2).Draw(t, "rows"), rapid.IntRange(1, 9).Draw(t, "length")
		in := ir.Binding{Extents: map[*ir.Axis]int{}, Arrays: map[*ir.Tensor]*ir.Array{}, DTypes: map[string]string{"T": one("dtype", "f32", "f64")}}
		for _, x := range f.Inputs {
			a := ir.NewArray([]int{rows, length}[:len(x.Axes)]...)
			for i := range a.Data {
				a.Data[i] = rapid.SampledFrom([]float64{0, 1, -1, 2, 0.5, 3, math.NaN(), math.Inf(1), math.Inf(-1)}[:max(9-3*rapid.IntRange(0, 1).Draw(t, "special"), 3)]).Draw(t, "element")
				if x.Elem.Name == "i64" {
					a.Data[i] = float64(rapid.IntRange(-1, length+1).Draw(t, "start"))
				}
			}
			in.Arrays[x] = a
		}
		x, errX := ir.Eval(f, in)
		y, errY := ir.Eval(g, in)
		if (errX != nil) != (errY != nil) {
			t.Fatalf("%v before and %v after\n%v\n%v", errX, errY, f, g)
		}
		if errX != nil {
			return
		}
		for i, a := range x[f.Outputs[0]].Data {
			if b := y[g.Outputs[0]].Data[i]; a != b && !(a != a && b != b) && !(math.Abs(a-b) <= 1e-6*math.Abs(a)) {
				t.Fatalf("element %d is %v before and %v after\n%v\n%v", i, a, b, f, g)
			}
		}
	})
	if carried == 0 {
		t.Error("nothing was carried")
	}
}
