package ir

import "slices"

// Class is the kind of number that a dtype holds.
type Class uint8

const (
	ClassUnknown Class = iota // a variable that may be both float and integer
	ClassFloat
	ClassInt
	ClassBool
)

// dtypes lists the dtypes by class.
var dtypes = map[string]Class{
	"f16": ClassFloat, "bf16": ClassFloat, "f32": ClassFloat, "f64": ClassFloat,
	"i8": ClassInt, "i16": ClassInt, "i32": ClassInt, "i64": ClassInt,
	"u8": ClassInt, "u16": ClassInt, "u32": ClassInt, "u64": ClassInt,
	"bool": ClassBool,
}

// IsDType tells whether a dtype has this name.
func IsDType(name string) bool {
	_, is := dtypes[name]
	return is
}

// ClassOf is the class of an element type. A variable that vars doesn't list counts as a float.
func ClassOf(vars []ElemVar, e Elem) Class {
	if c, ok := dtypes[e.Name]; ok {
		return c
	}
	i := slices.IndexFunc(vars, func(v ElemVar) bool { return v.Name == e.Name })
	if i < 0 || len(vars[i].DTypes) == 0 {
		return ClassFloat
	}
	c := dtypes[vars[i].DTypes[0]]
	for _, d := range vars[i].DTypes[1:] {
		if dtypes[d] != c {
			return ClassUnknown
		}
	}
	return c
}

// Class is the class of an element type of the function.
func (f *Func) Class(e Elem) Class { return ClassOf(f.ElemVars, e) }

// IsFloat tells whether the tensor holds floats. Where its dtype variable may be either, it counts as float: what is
// derived from that holds for the float dtypes.
func (f *Func) IsFloat(t *Tensor) bool {
	c := f.Class(t.Elem)
	return c == ClassFloat || c == ClassUnknown
}

// Floats are the variables where the elements are floats: those that they are of stand for floats alone.
func Floats(vars []ElemVar, elems ...Elem) []ElemVar {
	r := slices.Clone(vars)
	for i, v := range r {
		if !slices.ContainsFunc(elems, func(e Elem) bool { return e.Name == v.Name }) {
			continue
		}
		var floats []string
		for _, d := range v.DTypes {
			if dtypes[d] == ClassFloat {
				floats = append(floats, d)
			}
		}
		if len(floats) > 0 {
			r[i].DTypes = floats
		}
	}
	return r
}

// SameNumbers tells whether values of two types are the same numbers: the types are equal, or T and acc(T) of a float,
// which compute alike.
func SameNumbers(vars []ElemVar, a, b Type) bool {
	return a == b || a.Kind == Typed && b.Kind == Typed && a.Elem.Name == b.Elem.Name && ClassOf(vars, a.Elem) == ClassFloat
}

// Resolve is the dtype of e when variables stand for the given dtypes.
func (e Elem) Resolve(vars map[string]string) string {
	d := e.Name
	if v, ok := vars[d]; ok {
		d = v
	}
	switch e.Wrap {
	case "acc":
		if d == "f16" || d == "bf16" {
			return "f32"
		}
	case "sum":
		switch d {
		case "i8", "i16", "i32", "i64":
			return "i64"
		case "u8", "u16", "u32", "u64":
			return "u64"
		}
	}
	return d
}

// String is the element type as written.
func (e Elem) String() string {
	if e.Wrap != "" {
		return e.Wrap + "(" + e.Name + ")"
	}
	return e.Name
}

// String is the kind of numbers, or the element type.
func (t Type) String() string {
	switch t.Kind {
	case Exact:
		return "exact"
	case Real:
		return "real"
	case Bool:
		return "bool"
	case Typed:
		return t.Elem.String()
	}
	return "invalid"
}

// AnyInt stands for every integer dtype, in code that is written once for all of them.
const AnyInt = "int"

// CodeDType is the dtype that code is written for which runs a call of dtype d: f16 and bf16 are computed as f32, and all
// integers share code.
func CodeDType(d string) string {
	switch dtypes[d] {
	case ClassFloat:
		return computeIn(d)
	case ClassInt:
		return AnyInt
	}
	return d
}

// MayBeHalf tells whether a dtype variable may stand for f16 or bf16.
func MayBeHalf(v ElemVar) bool {
	return slices.Contains(v.DTypes, "f16") || slices.Contains(v.DTypes, "bf16")
}

// CodeFloat is the dtype that elements of dtype d are computed in: f32 for f16 and bf16.
func CodeFloat(d string) string { return computeIn(d) }
