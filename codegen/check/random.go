package check

import (
	"fmt"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

// randoms are the functions that give random numbers.
var randoms = map[string]ir.Op{"uniform": ir.OpUniform, "normal": ir.OpNormal}

// random lowers uniform[…](seed) and normal[…](seed): a number for each point of the axes named, counted row-major among
// them. Each call that is written is a stream of its own, also where the func or op that it stands in is called twice.
func (l *lowering) random(x *dsl.Call, e *env) *ir.Value {
	name, at := x.Name.Name, e.at(x)
	if x.Index == nil || len(x.Args) != 1 {
		return l.reported() // reported with the names
	}
	seed := l.seed(x.Args[0].Value, e)
	axes, ok := l.randomAxes(x, e)
	elem, hasFloat := l.randomElem()
	switch {
	case !hasFloat:
		l.errorf(at, "type-float", "%s gives floats, and this op has no float dtype", quote(name))
		return bad
	case seed == "" || !ok:
		return bad
	}
	count := ir.Int(0)
	for _, a := range axes {
		b := l.axisIndex(at, a, name)
		if b == nil {
			return bad
		}
		extents := l.over(a).each()
		for k, i := range b.each() {
			count = ir.Add(ir.Mul(count, ir.Extent(extents[k].v.Axis)), exactIndex(i.value))
		}
	}
	return &ir.Value{Op: randoms[name], Type: ir.ElemType(elem), Args: []*ir.Value{count}, Name: seed, Stream: l.op.stream(x, e), Span: x.Span}
}

// stream numbers the calls that are written, in the order in which they are first met over all choices.
func (o *operation) stream(x *dsl.Call, e *env) int {
	key := fmt.Sprint(e.text, x.Span)
	n, known := o.streams[key]
	if !known {
		if o.streams == nil {
			o.streams = map[string]int{}
		}
		n = len(o.streams)
		o.streams[key] = n
	}
	return n
}

// seed is the attribute that an expression names as a seed.
func (l *lowering) seed(x dsl.Expr, e *env) string {
	id := bareName(x)
	if id != nil {
		if c := e.params[id.Name]; c != nil {
			if c.absent {
				l.errorf(e.at(x), "arg-missing", "the seed %s is not given", quote(id.Name))
				return ""
			}
			return l.seed(c.expr, c.env)
		}
		if a := l.sig.attr(id.Name); a != nil && !e.closed && a.decl.Kind == ir.AttrRNG {
			if l.callee != nil {
				return l.callee.seed(a, e.at(x))
			}
			return a.decl.Name
		}
	}
	l.errorf(e.at(x), "random-seed", "the seed of random numbers is an attribute of type `rng`").WithHint("declare one: seed: rng")
	return ""
}

// randomAxes are the axes that have a number each.
func (l *lowering) randomAxes(x *dsl.Call, e *env) ([]string, bool) {
	given, other := axisItems(x, e)
	if other != nil {
		return nil, false // reported with the names
	}
	for _, a := range given.names {
		if l.sig.axes[a] == nil {
			return nil, false
		}
	}
	return given.names, true
}

// randomElem is the dtype of random numbers: the first float dtype variable of the op, else the first float dtype of its
// tensors.
func (l *lowering) randomElem() (ir.Elem, bool) {
	for _, v := range l.vars {
		if e := (ir.Elem{Name: v.Name}); l.class(e) == ir.ClassFloat {
			return e, true
		}
	}
	for _, list := range [][]*tensorDecl{l.sig.inputs, l.sig.outputs} {
		for _, d := range list {
			if l.class(d.param.Elem) == ir.ClassFloat {
				return ir.Elem{Name: d.param.Elem.Name}, true
			}
		}
	}
	return ir.Elem{}, false
}

// randomAxes checks that the axes of random numbers are names of axes.
func (n *names) randomAxes(e *dsl.Call) {
	for _, i := range e.Index.Items {
		id := bareName(i.Value)
		switch {
		case i.AxisPack != nil:
			n.axisName(*i.AxisPack, true)
		case id != nil && isUpper(id.Name) && !i.Pack && !i.In:
			n.axisName(*id, false)
		default:
			n.rep.errorf(i.Span, "random-axes", "%s names the axes that have a number each", quote(e.Name.Name)).
				WithHint("write axes, as in %s[N, C](seed)", e.Name.Name)
		}
	}
	if e.Index.Where != nil {
		n.rep.errorf(e.Index.Where.Pos(), "random-axes", "random numbers have no filter").WithHint("write an if around them")
	}
}

// isSeedFor tells whether a named argument hands a seed of this op to one of the op that is called.
func (n *names) isSeedFor(e *dsl.Call, a dsl.NamedArg) bool {
	_, o := n.in.find(e.Package, e.Name.Name)
	id := bareName(a.Value)
	if o == nil || id == nil || n.sig == nil {
		return false
	}
	own := n.sig.attr(id.Name)
	if own == nil || own.decl.Kind != ir.AttrRNG {
		return false
	}
	for _, x := range o.decl.Attrs {
		if x.Name.Name == a.Name.Name && x.Elem.Name.Name == "rng" {
			n.table[id.Name].used = true
			return true
		}
	}
	return false
}
