package nest

import (
	"math"
	"math/big"
	"math/rand"
	"testing"
)

// mathNest is y = fn(x) along the vector axis.
func mathNest(t testing.TB, fn string, float DType) *Nest {
	t.Helper()
	b := NewBuilder("fn", float)
	x := b.Operand(Operand{Name: "x", DType: float, Vector: true})
	y := b.Operand(Operand{Name: "y", DType: float, Mode: Out, Vector: true})
	b.For(Vector, func() {
		v, err := b.Math(fn, b.Load(x))
		if err != nil {
			t.Fatal(err)
		}
		b.Store(y, v)
	})
	n, err := b.Done()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func run32(t testing.TB, n *Nest, x []float32) []float32 {
	t.Helper()
	y := make([]float32, len(x))
	if err := n.Run(&Args{Rows: 1, N: len(x), Operands: []Buffer{{F32: x, Step: 1}, {F32: y, Step: 1}}}); err != nil {
		t.Fatal(err)
	}
	return y
}

func run64(t testing.TB, n *Nest, x []float64) []float64 {
	t.Helper()
	y := make([]float64, len(x))
	if err := n.Run(&Args{Rows: 1, N: len(x), Operands: []Buffer{{F64: x, Step: 1}, {F64: y, Step: 1}}}); err != nil {
		t.Fatal(err)
	}
	return y
}

// references are the functions in float64 and in big floats.
var references = map[string]struct {
	f64 func(float64) float64
	big func(*big.Float) *big.Float
}{
	"acos":  {accurateAcos, bigAcos},
	"acosh": {math.Acosh, bigAcosh},
	"asin":  {math.Asin, bigAsin},
	"asinh": {math.Asinh, bigAsinh},
	"atan":  {math.Atan, bigAtan},
	"atanh": {math.Atanh, bigAtanh},
	"cos":   {math.Cos, bigCos},
	"sin":   {math.Sin, bigSin},
	"tan":   {math.Tan, func(x *big.Float) *big.Float { return bigDiv(bigSin(x), bigCos(x)) }},
	"cosh":  {math.Cosh, bigCosh},
	"erf":   {math.Erf, bigErf},
	"erfc":  {math.Erfc, bigErfc},
	"exp2":  {math.Exp2, func(x *big.Float) *big.Float { return bigExp(bigMul(x, bigLog(bigOf(2)))) }},
	"log10": {math.Log10, func(x *big.Float) *big.Float { return bigDiv(bigLog(x), bigLog(bigOf(10))) }},
	"log2":  {math.Log2, func(x *big.Float) *big.Float { return bigDiv(bigLog(x), bigLog(bigOf(2))) }},
	"sinh":  {math.Sinh, bigSinh},
	"exp":   {math.Exp, bigExp},
	"expm1": {math.Expm1, bigExpm1},
	"log":   {math.Log, bigLog},
	"log1p": {math.Log1p, bigLog1p},
	"rsqrt": {
		func(x float64) float64 { return 1 / math.Sqrt(x) },
		func(x *big.Float) *big.Float { return bigDiv(bigOf(1), new(big.Float).SetPrec(bigPrec).Sqrt(x)) },
	},
	"sigmoid": {
		func(x float64) float64 {
			if x < 0 {
				return math.Exp(x) / (1 + math.Exp(x))
			}
			return 1 / (1 + math.Exp(-x))
		},
		func(x *big.Float) *big.Float {
			return bigDiv(bigOf(1), bigAdd(bigOf(1), bigExp(new(big.Float).Neg(x))))
		},
	},
	"softplus": {
		func(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) },
		func(x *big.Float) *big.Float { return bigLog1p(bigExp(x)) },
	},
	"tanh": {math.Tanh, func(x *big.Float) *big.Float {
		e := bigExpm1(bigAdd(x, x))
		return bigDiv(e, bigAdd(e, bigOf(2)))
	}},
}

// inDomain says where a function has a finite value that the big reference can give.
func inDomain(fn string, x float64) bool {
	switch fn {
	case "log", "log2", "log10", "rsqrt":
		return x > 0 && !math.IsInf(x, 0)
	case "log1p":
		return x > -1 && !math.IsInf(x, 0)
	case "asin", "acos":
		return math.Abs(x) <= 1
	case "atanh":
		return math.Abs(x) < 1
	case "acosh":
		return x >= 1 && !math.IsInf(x, 0)
	case "atan", "asinh", "sin", "cos", "tan":
		return !math.IsInf(x, 0) && x == x
	}
	return math.Abs(x) < 1<<16
}

// spacing is the distance of the floats around x that have mant bits of fraction and the least exponent minExp.
func spacing(x float64, mant, minExp int) float64 {
	_, e := math.Frexp(x)
	return math.Ldexp(1, max(e-1, minExp)-mant)
}

func TestMath32(t *testing.T) {
	for _, f := range MathFuncs() {
		if f.Args != 1 {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			ref := references[f.Name].f64
			x := samples32()
			y := run32(t, mathNest(t, f.Name, F32), x)
			worst, at := 0.0, float32(0)
			for i := range x {
				want := ref(float64(x[i]))
				if !sameSpecial32(y[i], want) {
					err := math.Abs(float64(y[i])-want) / spacing(want, 23, -126)
					if math.IsNaN(err) {
						t.Errorf("%s(%v) = %v, want %v", f.Name, x[i], y[i], want)
					} else if err > worst {
						worst, at = err, x[i]
					}
				}
			}
			t.Logf("%d instructions; %.3f ulp at %v", mathNest(t, f.Name, F32).lanesOps(), worst, at)
			if worst > f.MaxULP32 {
				t.Errorf("%s(%v): %v ulp, published as %v", f.Name, at, worst, f.MaxULP32)
			}
		})
	}
}

// lanesOps counts the lane instructions but loads and stores.
func (n *Nest) lanesOps() int {
	count := 0
	n.Walk(func(s Stmt, _ []*For) {
		if v, ok := s.(*Value); ok && v.Lane && !v.Op.Info().Memory && v.Op != AsBits && v.Op != AsFloat {
			count++
		}
	})
	return count
}

// sameSpecial32 says whether got is right for a value that has no error in ulp: NaN, infinities, values that round to
// them, and zeros, whose sign counts.
func sameSpecial32(got float32, want float64) bool {
	switch {
	case math.IsNaN(want):
		return got != got
	case math.Abs(want) >= 0x1.ffffffp127:
		return math.IsInf(float64(got), int(math.Copysign(1, want)))
	case want == 0:
		return got == 0 && math.Signbit(float64(got)) == math.Signbit(want)
	}
	return false
}

func samples32() []float32 {
	r := rand.New(rand.NewSource(1))
	var x []float32
	for b := uint64(0); b < 1<<32; b += 100003 {
		x = append(x, math.Float32frombits(uint32(b)))
	}
	for range 40000 {
		x = append(x, float32(r.NormFloat64()*4), float32(r.Float64()*2-1))
	}
	for _, s := range specials {
		for _, v := range []float32{float32(s), -float32(s)} {
			for range 3 {
				x = append(x, v, math.Nextafter32(v, 0))
				v = math.Nextafter32(v, float32(math.Inf(1)))
			}
		}
	}
	return x
}

var specials = []float64{
	0, 1, 2, 0.5, math.Inf(1), math.NaN(), math.Sqrt2, math.Sqrt2 / 2, math.Ln2, math.Ln2 / 2,
	0x1p-149, 0x1p-126, 0x1.fffffep127, 0x1p-1074, 0x1p-1022, math.MaxFloat64, 0x1p-25, 0x1p-54, 0x1p-53, 0x1p-24,
	math.Pi, math.Pi / 2, math.Pi / 4, 16367173 * 0x1p72, 6381956970095103 * 0x1p797, // near multiples of π/2
	0.4142135, 2.4142135, 10.05, 9.19, 26.54, 27.2, 89.41598, 128, 149, 150, 1024, 1074, 710.475860073944, 1e10, 1e200,
	88.72283, 88.37626, 87.33655, 103.97208, 103.2789, 104, 17.32868, 17.5, 9.010913,
	709.782712893384, 708.3964185322641, 745.1332191019411, 745.13321910194122, 746, 37.42994775023705, 37.5,
}

func TestMath64(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var x []float64
	for range 1500 {
		x = append(x, math.Float64frombits(r.Uint64()), r.NormFloat64()*4, r.NormFloat64()*300, r.Float64()*2-1)
	}
	for _, s := range specials {
		for _, v := range []float64{s, -s} {
			x = append(x, v, math.Nextafter(v, 0), math.Nextafter(v, math.Inf(1)))
		}
	}
	for _, f := range MathFuncs() {
		if f.Args != 1 {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			ref := references[f.Name]
			y := run64(t, mathNest(t, f.Name, F64), x)
			worst, at := 0.0, 0.0
			for i := range x {
				if x[i] == 0 || !inDomain(f.Name, x[i]) {
					if want := ref.f64(x[i]); math.Float64bits(y[i]) != math.Float64bits(want) && !(y[i] != y[i] && want != want) {
						t.Errorf("%s(%v) = %v, want %v", f.Name, x[i], y[i], want)
					}
					continue
				}
				want := ref.big(bigOf(x[i]))
				near, _ := want.Float64()
				if math.IsInf(near, 0) {
					if y[i] != near {
						t.Errorf("%s(%v) = %v, want %v", f.Name, x[i], y[i], near)
					}
					continue
				}
				if y[i] != y[i] || math.IsInf(y[i], 0) {
					t.Errorf("%s(%v) = %v, want %v", f.Name, x[i], y[i], near)
					continue
				}
				diff, _ := bigSub(bigOf(y[i]), want).Float64()
				if err := math.Abs(diff) / spacing(near, 52, -1022); err > worst {
					worst, at = err, x[i]
				}
			}
			t.Logf("%d instructions; %.3f ulp at %v", mathNest(t, f.Name, F64).lanesOps(), worst, at)
			if worst > f.MaxULP64 {
				t.Errorf("%s(%v): %v ulp, published as %v", f.Name, at, worst, f.MaxULP64)
			}
		})
	}
}

// accurateAcos is acos without the cancellation near 1.
func accurateAcos(x float64) float64 { return 2 * math.Atan2(math.Sqrt(1-x), math.Sqrt(1+x)) }

// Functions of two numbers, at random pairs and at pairs of special values, against package math.
func TestMathBinary(t *testing.T) {
	binary := map[string]func(x, y float64) float64{
		"atan2": math.Atan2, "hypot": math.Hypot, "copysign": math.Copysign, "pow": accuratePow,
		"xlogy": func(x, y float64) float64 {
			if x == 0 && y == y {
				return 0
			}
			return x * math.Log(y)
		},
		"logaddexp": func(x, y float64) float64 {
			if x == y && math.IsInf(x, 0) {
				return x
			}
			return max(x, y) + math.Log1p(math.Exp(-math.Abs(x-y)))
		},
	}
	r := rand.New(rand.NewSource(2))
	var x, z []float64
	few := []float64{0, 1, 2, 0.5, 0.41421, math.Inf(1), math.NaN(), 0x1p-149, 0x1p-126, 0x1.fffffep127, 0x1p-70, 0x1p70, 0x1.8p70, 0x1p126}
	for _, a := range few {
		for _, b := range few {
			x, z = append(x, a, -a, a, -a), append(z, b, b, -b, -b)
		}
	}
	for range 1500 { // powers that are neither 0 nor infinite
		a := math.Exp(r.NormFloat64() * 3)
		x, z = append(x, a, a, -a), append(z, r.NormFloat64()*3, 80/math.Log(a)*(2*r.Float64()-1), float64(r.Intn(20)-10))
	}
	for range 5000 {
		x, z = append(x, r.NormFloat64()*4, float64(math.Float32frombits(r.Uint32()))), append(z, r.NormFloat64()*4, float64(math.Float32frombits(r.Uint32())))
	}
	for _, f := range MathFuncs() {
		if f.Args != 2 {
			continue
		}
		ref := binary[f.Name]
		t.Run(f.Name, func(t *testing.T) {
			for _, float := range []DType{F32, F64} {
				b := NewBuilder("fn", float)
				in := b.Operand(Operand{Name: "x", DType: float, Vector: true})
				in2 := b.Operand(Operand{Name: "z", DType: float, Vector: true})
				out := b.Operand(Operand{Name: "y", DType: float, Mode: Out, Vector: true})
				b.For(Vector, func() {
					v, err := b.Math(f.Name, b.Load(in), b.Load(in2))
					if err != nil {
						t.Fatal(err)
					}
					b.Store(out, v)
				})
				n, err := b.Done()
				if err != nil {
					t.Fatal(err)
				}
				y := make([]float64, len(x))
				args := &Args{Rows: 1, N: len(x)}
				mant, minExp, bound := 52, -1022, f.MaxULP64
				if float == F32 {
					mant, minExp, bound = 23, -126, f.MaxULP32
					y32 := make([]float32, len(x))
					args.Operands = []Buffer{{F32: to32(x), Step: 1}, {F32: to32(z), Step: 1}, {F32: y32, Step: 1}}
					err = n.Run(args)
					for i, v := range y32 {
						y[i] = float64(v)
					}
				} else {
					args.Operands = []Buffer{{F64: x, Step: 1}, {F64: z, Step: 1}, {F64: y, Step: 1}}
					err = n.Run(args)
					bound++ // the reference has an error of its own
				}
				if err != nil {
					t.Fatal(err)
				}
				worst, at := 0.0, 0
				for i := range x {
					want := ref(x[i], z[i])
					if float == F32 {
						want = ref(float64(float32(x[i])), float64(float32(z[i])))
						if sameSpecial32(float32(y[i]), want) {
							continue
						}
					}
					if want != want || math.IsInf(want, 0) || want == 0 {
						if math.Float64bits(y[i]) != math.Float64bits(want) && !(y[i] != y[i] && want != want) {
							t.Errorf("%v: %s(%v, %v) = %v, want %v", float, f.Name, x[i], z[i], y[i], want)
						}
						continue
					}
					size := want
					if f.Name == "logaddexp" { // its two terms may cancel
						most := max(x[i], z[i])
						size = max(math.Abs(want), math.Abs(most), math.Abs(want-most))
					}
					if err := math.Abs(y[i]-want) / spacing(size, mant, minExp); !(err <= worst) {
						worst, at = err, i
					}
				}
				t.Logf("%v: %d instructions; %.3f ulp at %v, %v", float, n.lanesOps(), worst, x[at], z[at])
				if !(worst <= bound) {
					t.Errorf("%v: %s(%v, %v) = %v: %v ulp, published as %v", float, f.Name, x[at], z[at], y[at], worst, bound)
				}
			}
		})
	}
}

func to32(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}

// accuratePow is math.Pow where that is exact, and else computed in big floats, since math.Pow multiplies in float64.
func accuratePow(x, y float64) float64 {
	p := math.Pow(x, y)
	if p == 0 || p == 1 || p != p || math.IsInf(p, 0) {
		return p
	}
	r, _ := bigExp(bigMul(bigOf(y), bigLog(bigOf(math.Abs(x))))).Float64()
	return math.Copysign(r, p)
}
