package gocpu

import (
	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/ir"
)

// What functions for plain slices have for types: a type parameter for each dtype variable, and Go's types for other elements.

// mixedSlices tells whether the slices of an op are of several types.
func (g *opGen) mixedSlices() bool {
	first := g.live().forward.params[0].elem.Name
	for _, p := range g.live().forward.params {
		if p.elem.Name != first {
			return true
		}
	}
	return false
}

// sliceTypes declares the type parameters; nil where one could stand for nothing.
func (g *opGen) sliceTypes() jen.Code {
	var list []jen.Code
	for _, v := range g.decl.ElemVars {
		if len(g.varDTypes(v.Name)) == len(dtypeOrder) {
			list = append(list, jen.Id(v.Name).Qual(runtimePath, "Element"))
			continue
		}
		var types *jen.Statement
		for _, d := range g.varDTypes(v.Name) {
			if g.accumulates(v.Name) && ir.CodeFloat(d) != d {
				continue // what it keeps has another type
			}
			if types == nil {
				types = jen.Add(elementType(d))
			} else {
				types = types.Op("|").Add(elementType(d))
			}
		}
		if types == nil {
			return nil
		}
		list = append(list, jen.Id(v.Name).Add(types))
	}
	if list == nil {
		return jen.Null()
	}
	return jen.Types(list...)
}

// sliceParams are the parameters of slices; those of one type in a row stand together.
func (f *apiFunc) sliceParams(names []string) []jen.Code {
	elems := map[string]string{}
	for _, p := range f.g.live().forward.params {
		elems[p.name] = p.elem.Name
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
