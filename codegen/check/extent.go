package check

import (
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

// extent lowers an axis as a value.
func (l *lowering) extent(x *dsl.Ref, e *env) *ir.Value {
	name, at := x.Name.Name, e.at(x)
	d := l.sig.axes[name]
	switch {
	case e.closed:
		return l.reported() // with the names: a func has no axes of its own, and an op that names its axes is called alone
	case d == nil:
		return bad
	case !l.axisThere(name):
		return l.absence(at, name)
	case d.pack && x.Index != nil:
		return l.packExtent(name, x, at)
	case x.Index != nil:
		l.errorf(at, "index-number", "%s is one axis, so its extent has no index", quote(name))
		return bad
	case d.pack && e.comp > 0:
		if p, spread := l.parts(name); spread && e.comp <= len(p) {
			return ir.Extent(p[e.comp-1])
		}
		fallthrough
	case d.pack:
		l.errorf(at, "axis-pack", "%s is a pack; its number of elements is prod(..%s)", quote("..."+name), name)
		return bad
	}
	return ir.Extent(l.axis(name))
}

// axisThere tells whether anything that is there has the axis. Only optional inputs can leave an axis out.
func (l *lowering) axisThere(name string) bool {
	if l.sig.axes[name].isFixed || !l.sig.axes[name].input {
		return true
	}
	var optional []string
	for _, d := range l.sig.inputs {
		if !hasAxis(d.param.Axes, name) {
			continue
		}
		if !d.param.Optional {
			return true
		}
		optional = append(optional, d.param.Name)
	}
	for _, in := range optional {
		if l.has(in) {
			return true
		}
	}
	return false
}

func hasAxis(axes []ir.AxisRef, name string) bool {
	for _, a := range axes {
		if a.Name == name || hasAxis(a.Product, name) {
			return true
		}
	}
	return false
}
