package codegen

import (
	"fmt"
	"maps"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/nest"
)

// lowerAll lowers a function for every choice of dtypes. Floats have nests, or functions of their own; f16 and bf16 are computed
// as f32, so that they share those. Integers share one function that is written from the definitions; those that are indices in
// nests become i64.
func lowerAll(f *Function) ([]*Pair, error) {
	var pairs []*Pair
	for _, dtypes := range dtypeChoices(f.Op.ElemVars) {
		done := false
		if d, wide, ok := indexChoice(f.Op.ElemVars, dtypes); ok {
			p, err := lowerPair(f, nest.Options{Name: f.Name + dtypeSuffix(f.Op.ElemVars, d), DTypes: d, Again: f.Again, Keep: f.Kept})
			if err != nil {
				return nil, err
			}
			if ints := anyInts(dtypes); ints == 0 || p.Forward != nil || p.Backward != nil {
				p.Wide = wide && ints > 0
				pairs = append(pairs, p)
				done = ints == 0 || p.Wide
			}
		}
		if !done {
			pairs = append(pairs, &Pair{DTypes: dtypes, Portable: []string{"there are no nests for these dtypes"}})
		}
	}
	// What is for all integers comes last: it runs whatever nothing before it is for.
	slices.SortStableFunc(pairs, func(a, b *Pair) int { return anyInts(a.DTypes) - anyInts(b.DTypes) })
	for _, p := range pairs {
		var err error
		if p.Derivative, err = derivative(f, p.DTypes); err != nil {
			return nil, err
		}
		if p.Derivative == nil {
			p.Backward = nil
		}
	}
	return pairs, nil
}

// dtypeChoices are all combinations of dtypes that code is made for.
func dtypeChoices(vars []ir.ElemVar) []map[string]string {
	r := []map[string]string{{}}
	for _, v := range vars {
		var next []map[string]string
		for _, m := range r {
			for _, d := range codeDTypes(v) {
				next = append(next, with(m, v.Name, d))
			}
		}
		r = next
	}
	return r
}

// codeDTypes are the dtypes that code is made for, of a variable.
func codeDTypes(v ir.ElemVar) []string {
	var r []string
	for _, d := range v.DTypes {
		if c := ir.CodeDType(d); !slices.Contains(r, c) {
			r = append(r, c)
		}
	}
	order := []string{"f32", "f64", ir.AnyInt, "bool"}
	slices.SortFunc(r, func(a, b string) int { return slices.Index(order, a) - slices.Index(order, b) })
	return r
}

// indexChoice is what nests compute for a choice of dtypes, where variables that stand for integers alone become i64: such
// elements are indices, and i64 holds those of all dtypes but u64. wide tells whether it holds all that the variables stand for;
// ok is false where nests have nothing to offer.
func indexChoice(vars []ir.ElemVar, dtypes map[string]string) (r map[string]string, wide, ok bool) {
	r, wide = dtypes, true
	for _, v := range vars {
		switch {
		case dtypes[v.Name] == "bool", dtypes[v.Name] == ir.AnyInt && len(codeDTypes(v)) > 1:
			return nil, false, false
		case dtypes[v.Name] == ir.AnyInt:
			r = with(r, v.Name, "i64")
			wide = wide && !slices.Contains(v.DTypes, "u64")
			if !wide && !slices.Contains(v.DTypes, "i64") {
				return nil, false, false
			}
		}
	}
	return r, wide, true
}

// anyInts counts the variables that stand for any integers.
func anyInts(dtypes map[string]string) int {
	n := 0
	for _, d := range dtypes {
		if d == ir.AnyInt {
			n++
		}
	}
	return n
}

func with(m map[string]string, name, dtype string) map[string]string {
	r := maps.Clone(m)
	if r == nil {
		r = map[string]string{}
	}
	r[name] = dtype
	return r
}

func dtypeSuffix(vars []ir.ElemVar, dtypes map[string]string) string {
	s := ""
	for _, v := range vars {
		s += "_" + dtypes[v.Name]
	}
	return s
}

// derivative is the backward function for a choice of dtypes: without gradients of integers. It is nil where nothing is left.
func derivative(f *Function, dtypes map[string]string) (*ir.Func, error) {
	if f.Reader == nil {
		return nil, nil
	}
	isInt := func(t *ir.Tensor) bool {
		d := ir.CodeDType(t.Elem.Resolve(dtypes))
		return d == ir.AnyInt || d == "bool"
	}
	var keep []*ir.Tensor
	for _, t := range f.Reader.Outputs {
		if t.Role != ir.Gradient || !isInt(t) {
			keep = append(keep, t)
		}
	}
	cots, ints := 0, 0
	for _, t := range f.Reader.Inputs {
		if t.Role == ir.Cotangent {
			cots++
			if isInt(t) {
				ints++
			}
		}
	}
	switch {
	case len(keep) == 0 || cots > 0 && ints == cots:
		return nil, nil
	case ints > 0:
		return nil, fmt.Errorf("its derivative goes through results that are integers for some dtypes, and through others")
	case len(keep) == len(f.Reader.Outputs):
		return f.Reader, nil
	}
	less := *f.Reader
	less.Outputs = keep
	return &less, nil
}

// Takes tells whether the code of a pair runs calls of the given dtypes.
func (p *Pair) Takes(dtypes map[string]string) bool {
	for v, d := range dtypes {
		if have, ok := p.DTypes[v]; ok && have != d && have != ir.CodeDType(d) && !(p.Wide && have == "i64" && ir.CodeDType(d) == ir.AnyInt) {
			return false
		}
	}
	return true
}

// exampleDType is the dtype in which an example is checked: the widest of the first class.
func exampleDType(v ir.ElemVar) string {
	for _, d := range []string{"f64", "f32", "i64", "i32", "f16", "bf16", "i8", "i16", "u8", "u16", "u32", "u64", "bool"} {
		if slices.Contains(v.DTypes, d) {
			return d
		}
	}
	return v.DTypes[0]
}
