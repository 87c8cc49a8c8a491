package gocpu

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/ir"
)

// entryOf finds the list that a number is an entry of, and which; nil: it is no entry.
func (g *opGen) entryOf(name string) (*attr, int) {
	list, rest, ok := strings.Cut(name, "[")
	k, err := strconv.Atoi(strings.TrimSuffix(rest, "]"))
	if a := g.attr(list); ok && err == nil && a != nil && a.decl.List != "" {
		return a, k
	}
	return nil, 0
}

// named is the attribute that a number is, or is an entry of.
func (g *opGen) named(name string) *attr {
	if a, _ := g.entryOf(name); a != nil {
		return a
	}
	return g.attr(name)
}

// entry writes an entry of a list of v.
func (g *opGen) entry(a *attr, k int) (e expr, isInt bool, err error) {
	isInt = a.decl.Kind == ir.AttrInt
	otherwise := primary(jen.Lit(0))
	if d := a.decl.Default; d != nil {
		h := defaultHost(a.decl)
		if isInt {
			otherwise, err = h.integer(d)
		} else {
			otherwise, err = h.float(d)
		}
	}
	return call(runtimeFunc("Entry"), primary(jen.Id("v").Dot(a.name)), primary(jen.Lit(k)), otherwise), isInt, err
}

// length is the number of entries that the signature says; 0: one for each axis of a pack.
func (a *attr) length() int {
	n, _ := strconv.Atoi(a.decl.List)
	return n
}

// listText says in words how long a list is.
func (a *attr) listText() string {
	if n := a.length(); n > 0 {
		return fmt.Sprintf("1 or %d entries", n)
	}
	return fmt.Sprintf("an entry for each axis of ...%s, or one for all", a.decl.List)
}

// listCheck tests how long a list is, as far as attributes tell; nil where there is nothing to test.
func (g *opGen) listCheck(a *attr) jen.Code {
	n := a.length()
	if a.decl.List == "" || n == 0 && !a.positional {
		return nil
	}
	test := jen.Qual(runtimePath, "CheckList").Call(jen.Lit(g.fullName()), jen.Lit(a.decl.Name), jen.Id("v").Dot(a.name), jen.Lit(n), jen.Lit(a.positional))
	return jen.If(jen.Err().Op(":=").Add(test), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Id("v"), jen.Err()))
}

// count tells the bound how long lists are that have an entry for each axis of a pack.
func (f *apiFunc) count() {
	for _, a := range f.g.attrs {
		if k := f.g.axis(a.decl.List); a.decl.List != "" && k >= 0 {
			f.add(jen.Id("bound").Dot("Count").Call(jen.Lit(k), jen.Lit(a.decl.Name), jen.Len(jen.Id("vals").Dot(a.name))))
		}
	}
}

// keepLists makes copies of the lists of a call that is recorded: the caller may change them before the derivative runs.
func (g *opGen) keepLists() []jen.Code {
	var code []jen.Code
	for _, a := range g.attrs {
		if a.decl.List != "" {
			v := func() *jen.Statement { return jen.Id("vals").Dot(a.name) }
			code = append(code, v().Op("=").Append(jen.Index().Id(strings.TrimPrefix(a.goType, "[]")).Call(jen.Nil()), v().Op("...")))
		}
	}
	return code
}
