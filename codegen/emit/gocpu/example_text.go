package gocpu

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/runtime"
)

// nearFormats print results that aren't exact, rounded to a few digits: the first whose text no small error changes is taken.
var nearFormats = []string{"%.4v", "%.3v", "%.5v", "%.2v", "%.1v"}

// print makes the texts of the results, from the evaluator. It reports whether all are the same on every machine.
func (s *shown) print(f *ir.Func) bool {
	inputs := map[string]*ir.Array{}
	for _, v := range s.example.Inputs {
		inputs[v.Name] = &ir.Array{Shape: v.Shape, Data: v.Data}
	}
	attrs := s.example.Attrs
	if s.op.decl.Update && !slices.ContainsFunc(attrs, func(a ir.ExampleAttr) bool { return a.Name == "step" }) {
		attrs = append(slices.Clone(attrs), ir.ExampleAttr{Name: "step", Number: 1})
	}
	out, err := ir.EvalOp(s.op.decl, inputs, attrs, s.dtypes)
	if err != nil {
		return false
	}
	exact := s.exact(f)
	for _, p := range s.printed() {
		name := p.Name
		if p.Mode != ir.Output {
			name += "'"
		}
		a := out[name]
		if a == nil {
			return false
		}
		d := p.Elem.Resolve(s.dtypes)
		formats := []string{""}
		if !exact && strings.Contains(d, "f") {
			formats = nearFormats
		}
		k := 0
		text, ok := resultText(d, a, formats[k])
		for !ok && k+1 < len(formats) {
			k++
			text, ok = resultText(d, a, formats[k])
		}
		if !ok {
			return false
		}
		s.results = append(s.results, shownResult{p.Name, text, formats[k]})
	}
	return len(s.results) > 0
}

// resultText is how a tensor is printed, by a format or in full; not ok where a format shows a small error.
func resultText(dtype string, a *ir.Array, format string) (text string, ok bool) {
	d, err := runtime.ParseDType(dtype)
	if err != nil {
		return "", false
	}
	at := func(shift float64) string {
		data := slices.Clone(a.Data)
		for i, x := range data {
			if shift != 0 && !math.IsInf(x, 0) {
				data[i] = x + shift*(1+math.Abs(x))
			}
		}
		t, err := runtime.FromFloats(d, data, a.Shape...)
		switch {
		case err != nil:
			return ""
		case format != "":
			return fmt.Sprintf(format, t)
		}
		return t.String()
	}
	text = at(0)
	eps := 2 * testPrecision[dtype]
	return text, text != "" && (format == "" || at(eps) == text && at(-eps) == text)
}

// exactOps are what gives the same bits on every machine where all numbers have few digits.
var exactOps = map[ir.Op]bool{
	ir.OpConst: true, ir.OpInf: true, ir.OpNaN: true, ir.OpScalar: true, ir.OpExtent: true, ir.OpIndex: true, ir.OpTrue: true,
	ir.OpFalse: true, ir.OpRead: true, ir.OpPresent: true, ir.OpCast: true, ir.OpAdd: true, ir.OpSub: true, ir.OpMul: true,
	ir.OpNeg: true, ir.OpAbs: true, ir.OpSign: true, ir.OpMax: true, ir.OpMin: true, ir.OpFma: true, ir.OpCopysign: true,
	ir.OpFloor: true, ir.OpCeil: true, ir.OpTrunc: true, ir.OpRound: true, ir.OpEq: true, ir.OpNe: true, ir.OpLt: true, ir.OpLe: true,
	ir.OpNot: true, ir.OpAnd: true, ir.OpOr: true, ir.OpIsNaN: true, ir.OpIsInf: true, ir.OpSignbit: true, ir.OpSelect: true,
	ir.OpStop: true,
}

// exact tells whether a call rounds nothing: its numbers have few digits, and it adds and multiplies alone.
func (s *shown) exact(f *ir.Func) bool {
	few := func(x float64) bool {
		return math.IsInf(x, 0) || x != x || math.Abs(x) <= 1<<6 && x*(1<<6) == math.Trunc(x*(1<<6))
	}
	for _, v := range s.inputs {
		if slices.ContainsFunc(v.Data, func(x float64) bool { return !few(x) }) {
			return false
		}
	}
	for _, a := range s.op.decl.Attrs {
		x := 0.0
		if a.Default != nil && a.Default.Op == ir.OpConst {
			x, _ = a.Default.Const.Float64()
		}
		for _, v := range s.example.Attrs {
			if v.Name == a.Name {
				x = v.Number
			}
		}
		if !few(x) {
			return false
		}
	}
	is := true
	for _, d := range f.Defs {
		is = is && d.Monoid != ir.Prod
		for _, v := range d.Values() {
			ir.Walk(v, func(v *ir.Value) bool {
				is = is && exactOps[v.Op]
				if v.Op == ir.OpConst && is {
					x, exactly := v.Const.Float64()
					is = exactly && few(x)
				}
				return is
			})
		}
	}
	return is
}
