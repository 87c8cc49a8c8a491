package conformance

import (
	"math"
	"testing"

	"github.com/opgen/opgen/codegen/ir"
)

// ends are the least and the greatest integer of each dtype, where float64 has them.
var ends = map[string][2]float64{"i8": {-128, 127}, "i16": {-1 << 15, 1<<15 - 1}, "i32": {-1 << 31, 1<<31 - 1},
	"u8": {0, 255}, "u16": {0, 1<<16 - 1}, "u32": {0, 1<<32 - 1}}

func integersRow(t *testing.T) {
	for dtype, end := range ends {
		lo, hi := end[0], end[1]
		hold(t, []expected{
			{name: "wraps", call: shown("sums", arrays{"x": vec(hi, lo, hi), "z": vec(1, 1, 2)}),
				out: arrays{"plus": vec(lo, lo+1, lo+1), "minus": vec(hi-1, hi, hi-2), "times": vec(hi, lo, hi*2-(hi-lo+1))}},
			{name: "abs", call: shown("absolute", arrays{"x": vec(lo, hi, 0)}), y: vec(lo, hi, 0)},
			{name: "sum", call: shown("whole_total", arrays{"x": rowOf(hi, hi, hi)}), y: vec(3 * hi)},
			{name: "compared exactly", call: shown("above", arrays{"x": vec(hi, lo, 0)}),
				y: vec(1, map[bool]float64{true: 0, false: 1}[lo < 0], 1)},
		}, dtype)
	}
	hold(t, []expected{
		{name: "i64", call: shown("sums", arrays{"x": vec(-1 << 63), "z": vec(1 << 62)}),
			out: arrays{"plus": vec(-1 << 62), "times": vec(0)}},
		{name: "abs", call: shown("absolute", arrays{"x": vec(-1 << 63)}), y: vec(-1 << 63)},
	}, "i64")
}

func integerDivisionRow(t *testing.T) {
	hold(t, []expected{
		{name: "signs", call: shown("divisions", arrays{"x": vec(-6, 6, -7), "z": vec(5, -5, 3)}), out: arrays{
			"floors": vec(-2, -2, -3), "truncs": vec(-1, -1, -2), "ceils": vec(-1, -1, -2), "mods": vec(4, -4, 2), "rems": vec(-1, 1, -1)}},
		{name: "by zero", call: shown("divisions", arrays{"x": vec(7), "z": vec(0)}), fails: "division by zero"},
	}, "i8", "i16", "i32", "i64")
	hold(t, []expected{
		{name: "no signs", call: shown("divisions", arrays{"x": vec(7, 9), "z": vec(3, 3)}), out: arrays{
			"floors": vec(2, 3), "truncs": vec(2, 3), "ceils": vec(3, 3), "mods": vec(1, 0), "rems": vec(1, 0)}},
		{name: "by zero", call: shown("divisions", arrays{"x": vec(7), "z": vec(0)}), fails: "division by zero"},
	}, "u8", "u32", "u64")
	for _, dtype := range []string{"i8", "i32"} { // 128 and 2^31 don't fit
		hold(t, []expected{{name: "least by -1", call: shown("divisions", arrays{"x": vec(ends[dtype][0]), "z": vec(-1)}), fails: "can't hold"}}, dtype)
	}
}

func castsRow(t *testing.T) {
	cast := func(to string, x ...float64) *call {
		return &call{op: "conventions.cast", inputs: arrays{"x": vec(x...)}, result: to}
	}
	for to, end := range ends {
		lo, hi := end[0], end[1]
		hold(t, []expected{
			{name: "saturates to " + to, call: cast(to, 1.9, -0.9, 1e10, -1e10, inf, -inf, nan), out: arrays{"y": vec(1, 0, hi, lo, hi, lo, 0)}},
		}, "f32", "f64", "bf16")
		hold(t, []expected{
			{name: "half precision to " + to, call: cast(to, 100, 65504, inf, nan), out: arrays{"y": vec(100, math.Min(hi, 65504), hi, 0)}},
		}, "f16")
	}
	hold(t, []expected{
		{name: "to i64", call: cast("i64", 0x1p70, -0x1p70, nan), out: arrays{"y": vec(1<<63, -1<<63, 0)}}, // the greatest, rounded to float64
		{name: "to u64", call: cast("u64", 0x1p70, -1, 3.7), out: arrays{"y": vec(1<<64, 0, 3)}},
		{name: "to bool", call: cast("bool", 0, neg, 0.1, nan, -3), out: arrays{"y": vec(0, 0, 1, 1, 1)}},
	}, "f32", "f64")
	hold(t, []expected{
		{name: "integer to i8", call: cast("i8", 130, -129, 256), out: arrays{"y": vec(-126, 127, 0)}},
		{name: "integer to u8", call: cast("u8", -1, 257, 255), out: arrays{"y": vec(255, 1, 255)}},
		{name: "integer to bool", call: cast("bool", 0, 256, -1), out: arrays{"y": vec(0, 1, 1)}},
		{name: "integer to f32", call: cast("f32", 1<<24+1, -3), out: arrays{"y": vec(1<<24, -3)}},
	}, "i32", "i64")
	hold(t, []expected{
		{name: "condition to f32", call: cast("f32", 1, 0), out: arrays{"y": vec(1, 0)}},
		{name: "condition to i8", call: cast("i8", 1, 0), out: arrays{"y": vec(1, 0)}},
	}, "bool")
	hold(t, []expected{
		{name: "to f16", call: cast("f16", 1+0x1p-11, 1+3*0x1p-11, 65520, 65519, 0x1p-25, nan), out: arrays{"y": vec(1, 1+0x1p-9, inf, 65504, 0, nan)}},
		{name: "to bf16", call: cast("bf16", 1+0x1p-8, 1+3*0x1p-8, 3.4e38), out: arrays{"y": vec(1, 1+0x1p-6, inf)}},
	}, "f32", "f64")
}

// Elements are rounded where they are stored, and nowhere else: 1 + 2^-11 + 2^-12 is one rounding.
func halvesRow(t *testing.T) {
	hold(t, []expected{
		{name: "to even", call: shown("stored", arrays{"x": vec(1, 1, 1, 2048), "z": vec(0x1p-11, 3*0x1p-11, 0x1.8p-11, 1)}),
			out: arrays{"y": vec(1, 1+0x1p-9, 1+0x1p-10, 2048)}},
		{name: "beyond the greatest", call: shown("stored", arrays{"x": vec(65504, 65504), "z": vec(16, 15)}), out: arrays{"y": vec(inf, 65504)}},
		{name: "subnormal", call: shown("stored", arrays{"x": vec(0x1p-24), "z": vec(0x1p-24)}), out: arrays{"y": vec(0x1p-23)}},
		{name: "not in between", call: shown("two_roundings", arrays{"x": vec(300), "z": vec(300), "a": vec(-60000)}), out: arrays{"y": vec(30000)}},
		{name: "an input as it is stored", call: shown("stored", arrays{"x": vec(0.1), "z": vec(1 + 0x1p-12)}), out: arrays{"y": vec(0x1.198p+0)}},
		{name: "an output that is read", call: shown("read_back", arrays{"x": vec(2048, 2048), "z": vec(1, 3)}),
			out: arrays{"y": vec(2048, 2052), "d": vec(1, 3), "more": vec(1, 1), "n": vec(2049, 2051)}},
		{name: "a state that is read", call: shown("carried", arrays{"p": vec(2048), "g": vec(1), "v": vec(2048)}),
			out: arrays{"v'": vec(2048), "s": vec(2049), "p'": vec(4096), "w": vec(4097)}},
		{name: "a recurrence", call: shown("running_total", arrays{"x": rowOf(2048, 1, 1, 1, 1)}),
			out: arrays{"y": rowOf(2048, 2048, 2050, 2052, 2052), "twice": rowOf(4096, 4096, 4100, 4104, 4104)}},
	}, "f16")
	hold(t, []expected{
		{name: "an output that is read", call: shown("read_back", arrays{"x": vec(256), "z": vec(1)}),
			out: arrays{"y": vec(256), "d": vec(1), "more": vec(1), "n": vec(257)}},
		{name: "a recurrence", call: shown("running_total", arrays{"x": rowOf(256, 1, 1)}), out: arrays{"y": rowOf(256, 256, 258), "twice": rowOf(512, 512, 516)}},
		{name: "to even", call: shown("stored", arrays{"x": vec(1, 1, 256), "z": vec(0x1p-8, 3*0x1p-8, 1)}), out: arrays{"y": vec(1, 1+0x1p-6, 256)}},
		{name: "subnormal", call: shown("stored", arrays{"x": vec(0x1p-133), "z": vec(0x1p-133)}), out: arrays{"y": vec(0x1p-132)}},
	}, "bf16")
}

// A sum kept in half precision would stop at 2048, or at infinity.
func halfSumsRow(t *testing.T) {
	hold(t, []expected{
		{name: "4096 ones", call: shown("total", arrays{"x": filled(1, 1, 4096)}), y: vec(4096), grads: arrays{"x": filled(1, 1, 4096)}},
		{name: "their mean", call: shown("average", arrays{"x": filled(1, 1, 4096)}), y: vec(1)},
		{name: "through large sums", call: shown("total", arrays{"x": rowOf(32000, 32000, 32000, 32000, -32000, -32000, -32000, -32000)}), y: vec(0)},
		{name: "a gradient summed back", call: shown("stored", arrays{"x": vec(1), "z": ir.NewArray(4096)}), grads: arrays{"x": vec(4096)}},
	}, "f16", "bf16")
}
