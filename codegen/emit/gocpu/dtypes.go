package gocpu

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/emit/general"
	"github.com/opgen/opgen/codegen/ir"
)

// runtimeName are the dtypes of the runtime, in its order.
var runtimeName = map[string]string{"f16": "F16", "bf16": "BF16", "f32": "F32", "f64": "F64", "i8": "I8", "i16": "I16", "i32": "I32", "i64": "I64",
	"u8": "U8", "u16": "U16", "u32": "U32", "u64": "U64", "bool": "Bool"}

// goTypes are the Go types of elements.
var goTypes = map[string]string{"f16": "runtime.Float16", "bf16": "runtime.BFloat16", "f32": "float32", "f64": "float64", "i8": "int8", "i16": "int16",
	"i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "bool": "bool"}

// dtypeSets are the sets of dtypes that the runtime has names for, the largest first.
var dtypeSets = []struct {
	name  string
	names []string
}{
	{"Any", dtypeOrder}, {"Nums", dtypeOrder[:12]}, {"Ints", dtypeOrder[4:12]}, {"Floats", dtypeOrder[:4]}, {"Signed", dtypeOrder[4:8]}, {"Unsigned", dtypeOrder[8:12]},
}

// dtypeOrder is the order in which the runtime has them.
var dtypeOrder = strings.Fields("f16 bf16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool")

// elementType is the Go type of elements.
func elementType(dtype string) jen.Code {
	if name, ok := strings.CutPrefix(goTypes[dtype], "runtime."); ok {
		return jen.Qual(runtimePath, name)
	}
	return jen.Id(goTypes[dtype])
}

// varDTypes are the dtypes of a variable, in calls.
func (g *opGen) varDTypes(name string) []string {
	return g.callDTypes(name, func(emit.Pair) bool { return true })
}

// gradDTypes are those of them that have derivatives.
func (g *opGen) gradDTypes(name string) []string {
	return g.callDTypes(name, func(p emit.Pair) bool { return p.Backward != nil })
}

// callDTypes are the dtypes that a variable may have in calls that some pairs run.
func (g *opGen) callDTypes(name string, runs func(emit.Pair) bool) []string {
	v := g.decl.ElemVars[slices.IndexFunc(g.decl.ElemVars, func(v ir.ElemVar) bool { return v.Name == name })]
	var r []string
	for _, d := range dtypeOrder {
		if !slices.Contains(v.DTypes, d) {
			continue
		}
		for _, f := range g.op.Functions {
			if slices.ContainsFunc(f.Pairs, func(p emit.Pair) bool {
				have := p.Calls()[name]
				return runs(p) && (have == d || have == ir.CodeDType(d))
			}) {
				r = append(r, d)
				break
			}
		}
	}
	return r
}

// varsName is the variable that lists the dtype variables.
func (g *opGen) varsName(back bool) string {
	if back {
		for _, v := range g.decl.ElemVars {
			if !slices.Equal(g.varDTypes(v.Name), g.gradDTypes(v.Name)) {
				return g.low + "GradVars"
			}
		}
	}
	return g.low + "Vars"
}

// keptElem is the element type of what is kept for a derivative: as it was computed.
func (g *opGen) keptElem(e ir.Elem) ir.Elem {
	i := slices.IndexFunc(g.decl.ElemVars, func(v ir.ElemVar) bool { return v.Name == e.Name })
	switch {
	case i >= 0 && e.Wrap == "" && ir.MayBeHalf(g.decl.ElemVars[i]):
		e.Wrap = "acc"
	case e.Name == "f16" || e.Name == "bf16":
		e.Name = "f32"
	}
	return e
}

// integerCall is the function to call for one that is written once for all integers: it chooses the instance by the dtypes of
// the call. Calls through a variable would make the bound escape.
func (g *opGen) integerCall(k *general.Kernel, name string) string {
	params := k.Parameters()
	if params == nil {
		return name
	}
	of := name + "Of"
	if g.chosen[of] {
		return of
	}
	if g.chosen == nil {
		g.chosen = map[string]bool{}
	}
	g.chosen[of] = true
	var choose func(at int, dtypes map[string]string) jen.Code
	choose = func(at int, dtypes map[string]string) jen.Code {
		for at < len(g.decl.ElemVars) && !slices.ContainsFunc(params, func(p general.Parameter) bool { return p.Var == g.decl.ElemVars[at].Name }) {
			at++
		}
		if at == len(g.decl.ElemVars) {
			var types []jen.Code
			for _, p := range params {
				d := dtypes[p.Var]
				if p.Sum {
					d = ir.Elem{Wrap: "sum", Name: p.Var}.Resolve(dtypes)
				}
				types = append(types, elementType(d))
			}
			return jen.Return(jen.Id(name).Types(types...).Call(g.runArgs(jen.Id("b"), jen.Id("v"))...))
		}
		v := g.decl.ElemVars[at].Name
		ints := slices.DeleteFunc(g.varDTypes(v), func(d string) bool { return ir.CodeDType(d) != ir.AnyInt })
		var cases []jen.Code
		for i, d := range ints {
			dtypes[v] = d
			if i == len(ints)-1 {
				cases = append(cases, jen.Default().Block(choose(at+1, dtypes)))
			} else {
				cases = append(cases, jen.Case(jen.Qual(runtimePath, runtimeName[d])).Block(choose(at+1, dtypes)))
			}
		}
		return jen.Switch(jen.Id("b").Dot("DType").Index(jen.Lit(at))).Block(cases...)
	}
	g.chosenFuncs = append(g.chosenFuncs, jen.Comment(of+" is "+name+" for the dtypes of a call.").Line().
		Func().Id(of).Params(g.runParams()...).Error().Block(choose(0, map[string]string{})))
	return of
}

// accumulates tells whether a tensor of the op has the type acc(T) of a variable.
func (g *opGen) accumulates(name string) bool {
	return slices.ContainsFunc(slices.Concat(g.decl.Inputs, g.decl.Outputs), func(p *ir.Param) bool { return p.Elem == ir.Elem{Wrap: "acc", Name: name} })
}

// limitMethods give the limits of a dtype variable in a call.
var limitMethods = map[ir.Op]string{ir.OpLowest: "Lowest", ir.OpHighest: "Highest", ir.OpEpsilon: "Epsilon"}

// chosenVars are the dtype variables that the caller chooses, since no input that is always there has them.
func (g *opGen) chosenVars() []int {
	var r []int
	for i, v := range g.decl.ElemVars {
		if !slices.ContainsFunc(g.decl.Inputs, func(p *ir.Param) bool { return p.Elem == ir.Elem{Name: v.Name} && !p.Optional }) {
			r = append(r, i)
		}
	}
	return r
}

// chosenName is the parameter for a dtype variable.
func (g *opGen) chosenName(i int) string {
	names := newNamer(callVars...)
	for _, a := range g.attrs {
		names.take(a.name)
	}
	for _, t := range g.newFunc().tensors {
		names.take(t)
	}
	name := strings.ToLower(g.decl.ElemVars[i].Name)
	if names[name] > 0 {
		name += " dtype"
	}
	return names.name(name)
}

// chosenParams are the parameters for the dtype variables that the caller chooses.
func (g *opGen) chosenParams() []jen.Code {
	var r []jen.Code
	for _, i := range g.chosenVars() {
		r = append(r, jen.Id(g.chosenName(i)).Qual(runtimePath, "DType"))
	}
	return r
}

// choose tells the bound what the caller chose.
func (f *apiFunc) choose() {
	for _, i := range f.g.chosenVars() {
		s := f.signature(false)
		if len(f.g.groups) == 1 {
			s = jen.Op("&").Add(s)
		}
		f.try(jen.Id("bound").Dot("Choose").Call(s, jen.Lit(i), jen.Id(f.g.chosenName(i))), nil)
	}
}

// chosenText says in words what a dtype parameter is.
func (g *opGen) chosenText() string {
	text := ""
	for _, i := range g.chosenVars() {
		v := g.decl.ElemVars[i].Name
		text += " " + g.chosenName(i) + " is the dtype " + v
		for _, p := range g.decl.Inputs {
			if (p.Elem == ir.Elem{Name: v}) {
				text += ", or runtime.NoDType where " + g.goNames([]string{p.Name})[0] + " tells it"
				break
			}
		}
		text += "."
	}
	return text
}

// wrapText says what acc(T) and sum(T) are, where a comment names them.
func (g *opGen) wrapText(text string) string {
	r := ""
	for _, v := range g.decl.ElemVars {
		for _, w := range []struct{ wrap, is string }{{"acc", "f32 for f16 and bf16"}, {"sum", "i64 or u64 for integers"}} {
			if name := w.wrap + "(" + v.Name + ")"; strings.Contains(text, name+"[") {
				r += fmt.Sprintf(" %s: %s, else %s.", name, w.is, v.Name)
			}
		}
	}
	return r
}
