package runtime

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unsafe"
)

func p32(v []float32) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(v)) }

// goElements are values of every Go type that tensors can hold.
type goElement struct {
	dtype  DType
	tensor *Tensor
	text   string
}

type named float32

func goElements() []goElement {
	return []goElement{
		{F16, of(ToFloat16(1.5), ToFloat16(0.1)), "f16[2] [1.5 0.1]"},
		{BF16, of(ToBFloat16(1.5), ToBFloat16(0.1)), "bf16[2] [1.5 0.1]"},
		{F32, of(named(1.5), 0.1), "f32[2] [1.5 0.1]"},
		{F64, of(1.5, 0.1), "f64[2] [1.5 0.1]"},
		{I8, of[int8](-128, 127), "i8[2] [-128 127]"},
		{I16, of[int16](-32768, 32767), "i16[2] [-32768 32767]"},
		{I32, of[int32](math.MinInt32, 1), "i32[2] [-2147483648 1]"},
		{I64, of[int64](math.MinInt64, math.MaxInt64), "i64[2] [-9223372036854775808 9223372036854775807]"},
		{U8, of[uint8](0, 255), "u8[2] [0 255]"},
		{U16, of[uint16](0, 65535), "u16[2] [0 65535]"},
		{U32, of[uint32](0, math.MaxUint32), "u32[2] [0 4294967295]"},
		{U64, of[uint64](1, math.MaxUint64), "u64[2] [1 18446744073709551615]"},
		{Bool, of(false, true), "bool[2] [false true]"},
	}
}

func of[T Element](v ...T) *Tensor { return Must(FromSlice(v, len(v))) }

// Tensors of every dtype are made, written out, viewed, copied and filled.
func TestEveryDType(t *testing.T) {
	seen := map[DType]bool{}
	for _, c := range goElements() {
		seen[c.dtype] = true
		x := c.tensor
		if x.DType() != c.dtype {
			t.Errorf("%v: a tensor of %v", c.dtype, x.DType())
		}
		if got := fmt.Sprint(x); got != c.text {
			t.Errorf("%v: %s, want %s", c.dtype, got, c.text)
		}
		if d, err := ParseDType(c.dtype.String()); err != nil || d != c.dtype {
			t.Errorf("%v: parsed as %v, %v", c.dtype, d, err)
		}
		v := Must(x.Expand(3, 2))
		v = Must(v.Transpose(0, 1)).Clone()
		for i := range 2 {
			for j := range 3 {
				if got, want := Must(v.At(i, j)), x.load(i); got != want {
					t.Errorf("%v: at [%d %d] %v, want %v", c.dtype, i, j, got, want)
				}
			}
		}
		if err := v.Fill(1); err != nil {
			t.Fatal(err)
		}
		for i := range v.Len() {
			if v.load(i) != 1 {
				t.Errorf("%v: filled with %v", c.dtype, v.load(i))
			}
		}
		if got := (&Tensor{data: Splat(c.dtype, 1), dtype: c.dtype}).load(Block - 1); got != 1 {
			t.Errorf("%v: a page of %v", c.dtype, got)
		}
	}
	for d := NoDType + 1; d < dtypeCount; d++ {
		if !seen[d] || !Any.Has(d) {
			t.Errorf("no test of %v", d)
		}
	}
	if _, err := ParseDType("f8"); err == nil || !strings.Contains(err.Error(), "u64 or bool") {
		t.Errorf("f8: %v", err)
	}
}

// What doesn't fit an integer becomes the nearest that does.
func TestSaturate(t *testing.T) {
	for _, c := range []struct {
		d         DType
		low, high float64
	}{{I8, -128, 127}, {I16, -32768, 32767}, {I32, math.MinInt32, math.MaxInt32}, {I64, math.MinInt64, math.MaxInt64},
		{U8, 0, 255}, {U16, 0, 65535}, {U32, 0, math.MaxUint32}, {U64, 0, math.MaxUint64}} {
		for x, want := range map[float64]float64{1e30: c.high, -1e30: c.low, math.Inf(1): c.high, math.Inf(-1): c.low, math.NaN(): 0,
			2.9: 2, -0.9: 0, c.high: c.high, c.low: c.low} {
			y := Must(New(c.d, 1))
			if err := y.Fill(x); err != nil {
				t.Fatal(err)
			}
			if got := y.load(0); got != want {
				t.Errorf("%v of %v is %v, want %v", c.d, x, got, want)
			}
		}
		if c.d == I64 && Saturate[int64](1e30) != math.MaxInt64 || c.d == U64 && Saturate[uint64](1e30) != math.MaxUint64 {
			t.Errorf("%v saturates at %v", c.d, Saturate[int64](1e30))
		}
	}
}
