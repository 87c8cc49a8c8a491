package nest

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// divNest is y = x/d by UniformDiv, for a d that is a scalar operand.
func divNest(t testing.TB, float DType) *Nest {
	t.Helper()
	b := NewBuilder("divide", float)
	x := b.Operand(Operand{Name: "x", DType: float, Vector: true})
	d := b.Operand(Operand{Name: "d", DType: float})
	y := b.Operand(Operand{Name: "y", DType: float, Mode: Out, Vector: true})
	b.For(Vector, func() { b.Store(y, UniformDiv(b, b.Load(x), b.Load(d))) })
	n, err := b.Done()
	if err != nil {
		t.Fatal(err)
	}
	lane := 0
	n.Walk(func(s Stmt, _ []*For) {
		if v, ok := s.(*Value); ok && v.Lane && v.Op != Load {
			lane++
		}
	})
	if lane != 2 {
		t.Fatalf("%d lane instructions:\n%s", lane, n)
	}
	return n
}

func TestUniformDiv32(t *testing.T) {
	n := divNest(t, F32)
	rapid.Check(t, func(r *rapid.T) {
		draw := rapid.OneOf(
			rapid.Map(rapid.Uint32(), math.Float32frombits),
			rapid.Float32(),
			rapid.SampledFrom(specials32()),
		)
		x, d := draw.Draw(r, "x"), draw.Draw(r, "d")
		y := []float32{0}
		if err := n.Run(&Args{Rows: 1, N: 1, Operands: []Buffer{{F32: []float32{x}, Step: 1}, {F32: []float32{d}}, {F32: y, Step: 1}}}); err != nil {
			r.Fatal(err)
		}
		exact := float64(x) / float64(d)
		if math.IsNaN(exact) || math.IsInf(exact, 0) || exact == 0 {
			if !sameSpecial32(y[0], exact) {
				r.Fatalf("%v/%v = %v, want %v", x, d, y[0], exact)
			}
			return
		}
		// At the end of the range the next float after the largest is infinity.
		got := float64(y[0])
		if math.IsInf(got, 0) {
			got = math.Copysign(0x1p128, got)
		}
		if err := math.Abs(got-exact) / spacing(exact, 23, -126); err > 1.5 && !(math.Abs(exact) > math.MaxFloat32 && math.IsInf(float64(y[0]), 0)) {
			r.Fatalf("%v/%v = %v, want %v: %v ulp", x, d, y[0], exact, err)
		}
	})
}

func specials32() []float32 {
	var all []float32
	for _, s := range specials {
		for _, v := range []float32{float32(s), -float32(s)} {
			all = append(all, v, math.Nextafter32(v, 0), math.Nextafter32(v, 2*v))
		}
	}
	return all
}

func TestUniformDiv64(t *testing.T) {
	n := divNest(t, F64)
	rapid.Check(t, func(r *rapid.T) {
		draw := rapid.OneOf(
			rapid.Map(rapid.Uint64(), math.Float64frombits),
			rapid.Float64(),
			rapid.SampledFrom(specials),
		)
		x, d := draw.Draw(r, "x"), draw.Draw(r, "d")
		y := []float64{0}
		if err := n.Run(&Args{Rows: 1, N: 1, Operands: []Buffer{{F64: []float64{x}, Step: 1}, {F64: []float64{d}}, {F64: y, Step: 1}}}); err != nil {
			r.Fatal(err)
		}
		near := x / d
		if x == 0 || d == 0 || near != near || math.IsInf(x, 0) || math.IsInf(d, 0) {
			if math.Float64bits(y[0]) != math.Float64bits(near) && !(y[0] != y[0] && near != near) {
				r.Fatalf("%v/%v = %v, want %v", x, d, y[0], near)
			}
			return
		}
		exact := bigDiv(bigOf(x), bigOf(d))
		if math.IsInf(near, 0) || math.IsInf(y[0], 0) {
			// Right, or off by the last float before infinity.
			if math.Signbit(near) != math.Signbit(y[0]) || min(math.Abs(near), math.Abs(y[0])) < 0x1.ffffffffffffep1023 {
				r.Fatalf("%v/%v = %v, want %v", x, d, y[0], near)
			}
			return
		}
		diff, _ := bigSub(bigOf(y[0]), exact).Float64()
		if err := math.Abs(diff) / spacing(near, 52, -1022); err > 1.5 {
			r.Fatalf("%v/%v = %v, want %v: %v ulp", x, d, y[0], near, err)
		}
	})
}

// ratioNest is y = u·x/d by UniformMulDiv.
func ratioNest(t testing.TB, float DType) *Nest {
	t.Helper()
	b := NewBuilder("ratio", float)
	x := b.Operand(Operand{Name: "x", DType: float, Vector: true})
	u := b.Operand(Operand{Name: "u", DType: float})
	d := b.Operand(Operand{Name: "d", DType: float})
	y := b.Operand(Operand{Name: "y", DType: float, Mode: Out, Vector: true})
	b.For(Vector, func() { b.Store(y, UniformMulDiv(b, b.Load(x), b.Load(u), b.Load(d))) })
	n, err := b.Done()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The range of u·x/d is that of the result, not of u/d: all finite u, x and d that the float64 quotient can judge.
func TestUniformMulDiv32(t *testing.T) {
	n := ratioNest(t, F32)
	ratio := func(r interface{ Fatal(...any) }, x, u, d float32) float64 {
		y := []float32{0}
		if err := n.Run(&Args{Rows: 1, N: 1, Operands: []Buffer{{F32: []float32{x}, Step: 1}, {F32: []float32{u}}, {F32: []float32{d}}, {F32: y, Step: 1}}}); err != nil {
			r.Fatal(err)
		}
		return float64(y[0])
	}
	rapid.Check(t, func(r *rapid.T) {
		draw := rapid.OneOf(
			rapid.Map(rapid.Uint32(), math.Float32frombits),
			rapid.Float32(),
			rapid.SampledFrom(specials32()),
		)
		x, u, d := draw.Draw(r, "x"), draw.Draw(r, "u"), draw.Draw(r, "d")
		exact := float64(x) / float64(d) * float64(u)
		got := ratio(r, x, u, d)
		big := func(f float32) bool { return math.IsInf(float64(f), 0) || f != f }
		switch a := math.Abs(exact); {
		case big(x) && math.Abs(float64(u)/float64(d)) < 0x1p-240: // u/d is 0 even with its power of two
		case big(x) || big(u) || big(d) || d == 0:
			if exact != exact != (got != got) || exact == exact && got != exact {
				r.Fatalf("%v*%v/%v = %v, want %v", u, x, d, got, exact)
			}
		case math.Abs(float64(u)) > 0x1p76 || math.Abs(float64(x)) > 0x1p120:
		case a > math.MaxFloat32:
			if math.Abs(got) < math.MaxFloat32*(1-0x1p-21) {
				r.Fatalf("%v*%v/%v = %v, want %v", u, x, d, got, exact)
			}
		default:
			if err := math.Abs(got-exact) / spacing(exact, 23, -126); err > 2 && !(math.IsInf(got, 0) && a > math.MaxFloat32*(1-0x1p-21)) {
				r.Fatalf("%v*%v/%v = %v, want %v: %v ulp", u, x, d, got, exact, err)
			}
		}
	})
}

func TestUniformMulDiv64(t *testing.T) {
	n := ratioNest(t, F64)
	for _, k := range [][4]float64{
		{0, 1, 5e-324, 0}, {5e-324, 1, 5e-324, 1}, {0x1p-1074, 1e200, 0x1p-1030, 0x1p-44 * 1e200},
		{1e300, 1e-300, 1e200, 1e-200}, {1, 1e-200, 1e200, 0}, {1e300, 1e300, 1e300, 1e300}, {3, 4, 2, 6},
	} {
		y := []float64{0}
		if err := n.Run(&Args{Rows: 1, N: 1, Operands: []Buffer{{F64: k[:1], Step: 1}, {F64: k[1:2]}, {F64: k[2:3]}, {F64: y, Step: 1}}}); err != nil {
			t.Fatal(err)
		}
		if math.Abs(y[0]-k[3]) > 4e-16*k[3] {
			t.Errorf("%g*%g/%g = %g, want %g", k[1], k[0], k[2], y[0], k[3])
		}
	}
}
