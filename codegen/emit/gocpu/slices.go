package gocpu

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/ir"
)

// What functions for plain slices have for types: a type parameter for each dtype variable, and Go's types for other elements.

// mixedSlices tells whether the slices of an op are of several types.
func (g *opGen) mixedSlices() bool {
	first := g.sliceType(g.live().forward.params[0].elem)
	for _, p := range g.live().forward.params {
		if g.sliceType(p.elem) != first {
			return true
		}
	}
	return false
}

// sliceType is the Go type of elements in a function for slices, and what it is called where that is a type parameter.
func (g *opGen) sliceType(e ir.Elem) string {
	if e.Wrap == "acc" && g.accType(e.Name) != "" {
		return g.accType(e.Name)
	}
	return e.Name
}

// accType is the type parameter for acc(T), where that is another type than T: for tensors of half precision.
func (g *opGen) accType(name string) string {
	if !g.accumulates(name) || !slices.ContainsFunc(g.varDTypes(name), func(d string) bool { return ir.CodeFloat(d) != d }) {
		return ""
	}
	acc := name + "Acc"
	for slices.ContainsFunc(g.decl.ElemVars, func(v ir.ElemVar) bool { return v.Name == acc }) {
		acc += "_"
	}
	return acc
}

// sliceTypes declares the type parameters; nil where one could stand for nothing.
func (g *opGen) sliceTypes() jen.Code {
	var list []jen.Code
	for _, v := range g.decl.ElemVars {
		dtypes := g.varDTypes(v.Name)
		if len(dtypes) == 0 {
			return nil
		}
		if len(dtypes) == len(dtypeOrder) {
			list = append(list, jen.Id(v.Name).Qual(runtimePath, "Element"))
		} else {
			list = append(list, jen.Id(v.Name).Add(unionType(dtypes)))
		}
		if acc := g.accType(v.Name); acc != "" {
			var kept []string
			for _, d := range dtypes {
				if c := ir.CodeFloat(d); !slices.Contains(kept, c) {
					kept = append(kept, c)
				}
			}
			list = append(list, jen.Id(acc).Add(unionType(kept)))
		}
	}
	if list == nil {
		return jen.Null()
	}
	return jen.Types(list...)
}

// unionType is one of the types of dtypes.
func unionType(dtypes []string) *jen.Statement {
	var types *jen.Statement
	for _, d := range dtypes {
		if types == nil {
			types = jen.Add(elementType(d))
		} else {
			types = types.Op("|").Add(elementType(d))
		}
	}
	return types
}

// sliceParams are the parameters of slices; those of one type in a row stand together.
func (f *apiFunc) sliceParams(names []string) []jen.Code {
	elems := map[string]string{}
	for _, p := range f.g.live().forward.params {
		elems[p.name] = f.g.sliceType(p.elem)
	}
	var r []jen.Code
	for i := 0; i < len(names); {
		k := i + 1
		for k < len(names) && elems[names[k]] == elems[names[i]] {
			k++
		}
		typ := jen.Id(elems[names[i]])
		if goTypes[elems[names[i]]] != "" {
			typ = jen.Add(elementType(elems[names[i]]))
		}
		r = append(r, f.tensorParams(jen.Index().Add(typ), names[i:k]...))
		i = k
	}
	return r
}
