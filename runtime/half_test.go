package runtime

import (
	"math"
	"strconv"
	"testing"
)

// format is a binary floating-point format of 16 bits.
type format struct {
	name           string
	exponent, bits int // of the exponent, of the significand
	to             func(float32) uint16
	from           func(uint16) float32
	text           func(uint16) string
}

var formats = []format{
	{"f16", 5, 10, func(x float32) uint16 { return uint16(ToFloat16(x)) }, func(h uint16) float32 { return Float16(h).Float32() },
		func(h uint16) string { return Float16(h).String() }},
	{"bf16", 8, 7, func(x float32) uint16 { return uint16(ToBFloat16(x)) }, func(h uint16) float32 { return BFloat16(h).Float32() },
		func(h uint16) string { return BFloat16(h).String() }},
}

// value is the number that a pattern stands for, by the definition of the format.
func (f format) value(h uint16) float64 {
	bias := 1<<(f.exponent-1) - 1
	e, m := int(h>>f.bits)&(1<<f.exponent-1), float64(h&(1<<f.bits-1))
	var x float64
	switch {
	case e == 1<<f.exponent-1 && m != 0:
		return math.NaN()
	case e == 1<<f.exponent-1:
		x = math.Inf(1)
	case e == 0:
		x = math.Ldexp(m, 1-bias-f.bits)
	default:
		x = math.Ldexp(1+m/float64(int(1)<<f.bits), e-bias)
	}
	return math.Copysign(x, 0.5-float64(h>>15))
}

// Every pattern is the number of its definition, and becomes itself again; NaN stays NaN, quiet.
func TestHalfPatterns(t *testing.T) {
	for _, f := range formats {
		quiet := uint16(1) << (f.bits - 1)
		for i := range 1 << 16 {
			h := uint16(i)
			want, got := f.value(h), f.from(h)
			if want != want {
				if got == got {
					t.Fatalf("%s %#04x is %v", f.name, h, got)
				}
				if back := f.to(got); back != h|quiet {
					t.Fatalf("%s: NaN %#04x became %#04x", f.name, h, back)
				}
				continue
			}
			if float64(got) != want || math.Signbit(float64(got)) != math.Signbit(want) {
				t.Fatalf("%s %#04x is %v, want %v", f.name, h, got, want)
			}
			if back := f.to(got); back != h {
				t.Fatalf("%s: %v became %#04x, not %#04x", f.name, got, back, h)
			}
			if y, err := strconv.ParseFloat(f.text(h), 32); err != nil || f.to(float32(y)) != h {
				t.Fatalf("%s %#04x is written %s", f.name, h, f.text(h))
			}
		}
	}
}

// Numbers between two neighbours round to the nearer one, and half-way to the one with an even pattern; above the greatest
// begins infinity.
func TestHalfRounding(t *testing.T) {
	for _, f := range formats {
		inf := uint16(1<<f.exponent-1) << f.bits
		for h := range inf {
			low, high := f.value(h), f.value(h+1)
			if h+1 == inf {
				high = 2*low - f.value(h-1) // the number that would follow
			}
			mid := float32((low + high) / 2)
			even := h
			if h&1 != 0 {
				even = h + 1
			}
			for _, c := range []struct {
				x    float32
				want uint16
			}{
				{mid, even}, {math.Nextafter32(mid, 0), h}, {math.Nextafter32(mid, float32(math.Inf(1))), h + 1},
				{math.Nextafter32(float32(low), float32(math.Inf(1))), h}, {math.Nextafter32(float32(high), 0), h + 1},
			} {
				if got := f.to(c.x); got != c.want {
					t.Fatalf("%s: %x became %#04x, want %#04x", f.name, c.x, got, c.want)
				}
				if got := f.to(-c.x); got != c.want|0x8000 {
					t.Fatalf("%s: %x became %#04x, want %#04x", f.name, -c.x, got, c.want|0x8000)
				}
			}
			// From float64 there is one rounding, not two.
			d := map[string]DType{"f16": F16, "bf16": BF16}[f.name]
			m := float64(mid)
			for x, want := range map[float64]uint16{m: even, math.Nextafter(m, 0): h, math.Nextafter(m, math.Inf(1)): h + 1} {
				if got := roundHalf(d, x); got != want {
					t.Fatalf("%s: %x became %#04x, want %#04x", f.name, x, got, want)
				}
			}
		}
		if got := f.to(float32(math.Inf(-1))); got != inf|0x8000 {
			t.Errorf("%s: -Inf became %#04x", f.name, got)
		}
		if got := f.to(math.MaxFloat32); got != inf {
			t.Errorf("%s: the greatest float32 became %#04x", f.name, got)
		}
	}
}

// Arrays are converted alike, whatever their length.
func TestWidenNarrow(t *testing.T) {
	for _, d := range []DType{F16, BF16} {
		for _, n := range []int{0, 1, 63, 64, 65, 100_000} {
			x := Must(New(d, n))
			for i := range n {
				*At[uint16](x.data, i) = uint16(i * 7)
			}
			wide, back := make([]float32, n+1), Must(New(d, n))
			wide[n] = 5
			widenHalf(p32(wide), x.data, d, n)
			narrowHalf(back.data, d, p32(wide), n)
			for i := range n {
				if want := x.load(i); float64(wide[i]) != want && want == want {
					t.Fatalf("%v: element %d of %d is %v, want %v", d, i, n, wide[i], want)
				}
				if got, want := *At[uint16](back.data, i), uint16(i*7); got != want && wide[i] == wide[i] {
					t.Fatalf("%v: element %d of %d became %#x, want %#x", d, i, n, got, want)
				}
			}
			if wide[n] != 5 {
				t.Fatalf("%v: wrote behind the end", d)
			}
		}
	}
}

func BenchmarkNarrow(b *testing.B) {
	const n = 1 << 20
	wide, x := make([]float32, n), Must(New(F16, n))
	for i := range wide {
		wide[i] = float32(i) / 1000
	}
	b.SetBytes(n * 4)
	for b.Loop() {
		narrowHalf(x.data, F16, p32(wide), n)
	}
}

func BenchmarkWiden(b *testing.B) {
	const n = 1 << 20
	wide, x := make([]float32, n), counting(F16, 0, n)
	b.SetBytes(n * 4)
	for b.Loop() {
		widenHalf(p32(wide), x.data, F16, n)
	}
}
