package ir

import "strconv"

// Words is the value in the words of a spec, for messages: extents by the names of their axes, and without the conversions that a spec doesn't write.
// Values that differ may read the same.
func (v *Value) Words() string { return inWords(v).String() }

// inWords is a value whose text is that of a spec; it is for printing alone.
func inWords(v *Value) *Value {
	return Map(v, func(v *Value) *Value {
		switch v.Op {
		case OpExtent:
			return &Value{Op: OpScalar, Type: v.Type, Name: v.Axis.words()}
		case OpCast:
			if k := v.Args[0].Type.Kind; v.Type.Kind == Exact || v.Type.Kind == Real || k == Exact || k == Real {
				return v.Args[0]
			}
		}
		return v
	})
}

// words is the extent of an axis as a spec has it.
func (a *Axis) words() string {
	switch {
	case a.Pack:
		return "prod(.." + a.Name + ")"
	case a.Of == "":
		return a.Name
	case a.At == RankOf:
		return "rank(" + a.Of + ")"
	}
	return a.Of + "[" + strconv.Itoa(a.At) + "]"
}
