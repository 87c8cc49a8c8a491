package check

import (
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

// limits are the functions of dtypes.
var limits = map[string]ir.Op{"lowest": ir.OpLowest, "highest": ir.OpHighest, "epsilon": ir.OpEpsilon}

// limit lowers lowest(T), highest(T) and epsilon(T).
func (l *lowering) limit(x *dsl.Call, e *env) *ir.Value {
	name, at := x.Name.Name, e.at(x)
	if len(x.Args) != 1 {
		return l.reported()
	}
	id := bareName(x.Args[0].Value)
	if id == nil || !isCastName(id.Name) {
		return l.reported() // reported with the names
	}
	elem, ok := l.elemAt(at, ir.Elem{Name: id.Name})
	switch {
	case !ok:
		return bad
	case l.mayBeBool(elem):
		l.errorf(at, "type-number", "%s takes dtypes of numbers; %s may be bool", quote(name), l.elemText(elem))
		return bad
	case name == "epsilon" && l.class(elem) != ir.ClassFloat:
		l.errorf(at, "type-float", "%s takes floats, not %s", quote(name), l.elemText(elem)).WithHint("declare the variable as float")
		return bad
	}
	return ir.Limit(limits[name], elem)
}
