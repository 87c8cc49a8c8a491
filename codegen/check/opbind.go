package check

import (
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
)

// bind gives the axes of the called op those of the arguments, and its inputs what the arguments are.
func (c *opCall) bind(s *lowering) bool {
	packs := map[string][]*ir.Axis{}
	ok := true
	c.each(s, func(a ir.AxisRef, units []*dimension) {
		switch {
		case a.Product != nil:
		case a.Pack:
			if packs[a.Name] == nil {
				packs[a.Name] = make([]*ir.Axis, len(units))
			}
			for k, u := range units {
				if u != nil {
					ok = ok && c.meet(s, &packs[a.Name][k], *u, true)
				}
			}
		case units[0] != nil:
			axis := s.axes[a.Name]
			ok = ok && c.meet(s, &axis, *units[0], false)
			s.axes[a.Name] = axis
		}
	})
	for name, parts := range packs {
		for k := range parts {
			if parts[k] == nil {
				parts[k] = s.freshDim(name, ir.Int(1), c.at)
			}
			if class := s.sig.ranks.classOf(name); parts[k].Pack && class != nil && class.computed {
				c.caller.unsupported(c.at, "a call that computes with the axes of ..."+parts[k].Name+", whose number isn't known,")
				return false
			}
		}
		s.spread[name] = parts
	}
	c.each(s, func(a ir.AxisRef, units []*dimension) {
		if a.Product != nil && units[0] != nil {
			ok = ok && c.product(s, a, *units[0])
		}
	})
	if !ok {
		return false
	}
	for _, d := range s.sig.inputs {
		name := d.param.Name
		v := &value{name: name, span: d.span}
		s.table[name] = v
		for _, a := range d.param.Axes {
			for _, f := range flatRefs([]ir.AxisRef{a}) {
				if f.Pack && s.spread[f.Name] == nil && c.args[name] == nil {
					v.slots = []slot{} // it isn't there, nor are its axes
				}
			}
		}
		if c.args[name] != nil {
			c.input(s, d, v)
		} else {
			v.inlined = ir.NaN() // never read
		}
	}
	return true
}

// flatRefs are axes of a signature with products taken apart.
func flatRefs(refs []ir.AxisRef) []ir.AxisRef {
	var r []ir.AxisRef
	for _, a := range refs {
		if a.Product != nil {
			r = append(r, flatRefs(a.Product)...)
		} else {
			r = append(r, a)
		}
	}
	return r
}

// each calls f with each axis of each input that is there, and the dimensions that it is; nil: missing in front.
func (c *opCall) each(s *lowering, f func(a ir.AxisRef, units []*dimension)) {
	for _, d := range s.sig.inputs {
		arg := c.args[d.param.Name]
		if arg == nil {
			continue
		}
		al := c.align.Inputs[d.param.Name]
		for i, a := range d.param.Axes {
			units := []*dimension{}
			for _, pos := range al.Axes[i] {
				if pos < al.Missing {
					units = append(units, nil)
				} else {
					units = append(units, &arg.units[pos-al.Missing])
				}
			}
			f(a, units)
		}
	}
}

// meet gives an axis of the called op a dimension of an argument; where it has one already, the two must be equal.
func (c *opCall) meet(s *lowering, axis **ir.Axis, u dimension, pack bool) bool {
	l := c.caller
	carried := slices.ContainsFunc(u.axes, func(a *ir.Axis) bool { return a.Pack })
	switch {
	case carried && (!pack || *axis != nil && *axis != u.axes[0]), *axis != nil && (*axis).Pack && *axis != u.axes[0]:
		l.errorf(c.at, "call-shape", "%s may be any number of axes, so it isn't one axis of %s", quote("..."+u.name), quote(s.op.decl.Name.Name))
		return false
	case *axis == nil && len(u.axes) == 1:
		*axis = u.axes[0]
	case *axis == nil:
		*axis = s.freshDim("flat", u.extent(), c.at)
	case len(u.axes) != 1 || *axis != u.axes[0]:
		l.equal(ir.Extent(*axis), u.extent(), c.at)
	}
	return true
}

// extent is the number of elements along a dimension.
func (u dimension) extent() *ir.Value { return productOf(u.axes) }

func productOf(axes []*ir.Axis) *ir.Value {
	n := ir.Int(1)
	for _, a := range axes {
		n = ir.Mul(n, ir.Extent(a))
	}
	return n
}

// equal requires that two extents of a call are equal.
func (l *lowering) equal(a, b *ir.Value, at site) {
	for _, r := range l.fn.Requires {
		if r.Cond.Op == ir.OpEq && ir.Equal(r.Cond.Args[0], a) && ir.Equal(r.Cond.Args[1], b) {
			return
		}
	}
	l.fn.Requires = append(l.fn.Requires, ir.Require{Cond: ir.Call(ir.OpEq, a, b), Message: extentText(a) + " must be " + extentText(b), Span: at.span})
}

func extentText(v *ir.Value) string { return strings.ReplaceAll(v.String(), "|", "") }

// freshDim makes an axis of a called op with an extent.
func (l *lowering) freshDim(name string, extent *ir.Value, at site) *ir.Axis {
	a := l.freshAxis(name)
	l.giveExtent(a, extent, at)
	return a
}

// giveExtent fixes the extent of an axis. The name of one that isn't declared stands for the same extent under all choices, since
// generated code knows axes by their names.
func (l *lowering) giveExtent(a *ir.Axis, extent *ir.Value, at site) {
	if l.root.sig.axes[a.Name] == nil && a.Of == "" {
		if l.root.ownExtents == nil {
			l.root.ownExtents = map[string]string{}
		}
		text, want := extent.String(), a.Name
		for {
			if have, taken := l.root.ownExtents[a.Name]; !taken || have == text {
				break
			}
			a.Name = l.axisName(want)
		}
		l.root.ownExtents[a.Name] = text
	}
	l.fn.Dims = append(l.fn.Dims, ir.Dim{Axis: a, Value: extent, Span: at.span})
	l.known[a] = true
}

// isOne tells whether the extent of an axis is certainly 1.
func (l *lowering) isOne(a *ir.Axis) bool {
	return slices.ContainsFunc(l.fn.Dims, func(d ir.Dim) bool { return d.Axis == a && ir.IsConst(d.Value, 1) })
}

// factors are the axes of a product of the called op that are known; open are those that division must tell.
func (c *opCall) factors(s *lowering, a ir.AxisRef) (axes []*ir.Axis, open []int, names []string) {
	for _, f := range flatRefs(a.Product) {
		switch {
		case f.Pack:
			parts, _ := s.parts(f.Name)
			for _, p := range parts {
				axes, names = append(axes, p), append(names, f.Name)
			}
			continue
		case s.axes[f.Name] == nil && !s.sig.axes[f.Name].isFixed:
			open = append(open, len(axes))
			axes = append(axes, nil)
		default:
			axes = append(axes, s.axis(f.Name))
		}
		names = append(names, f.Name)
	}
	return axes, open, names
}

// product gives the factors of a product of the called op the dimension of an argument.
func (c *opCall) product(s *lowering, a ir.AxisRef, u dimension) bool {
	axes, open, names := c.factors(s, a)
	l := c.caller
	if slices.ContainsFunc(u.axes, func(a *ir.Axis) bool { return a.Pack }) && len(u.axes) == 1 {
		l.errorf(c.at, "call-shape", "%s may be any number of axes, so it isn't one axis of %s", quote("..."+u.name), quote(s.op.decl.Name.Name))
		return false
	}
	if len(u.axes) == len(axes) && len(axes) > 1 && len(open) == len(axes) {
		for k, n := range names {
			s.axes[n] = u.axes[k]
		}
		return true
	}
	rest := ir.Int(1)
	ones := true
	for _, x := range axes {
		if x != nil {
			rest = ir.Mul(rest, ir.Extent(x))
			ones = ones && s.isOne(x)
		}
	}
	switch {
	case len(open) > 1:
		l.errorf(c.at, "call-shape", "the extents of %s and %s of %s don't follow", quote(names[open[0]]), quote(names[open[1]]), quote(s.op.decl.Name.Name))
		return false
	case len(open) == 0 && !slices.Equal(s.wide(axes), s.wide(u.axes)):
		l.equal(rest, u.extent(), c.at)
	case len(open) == 1 && ones && len(u.axes) == 1:
		s.axes[names[open[0]]] = u.axes[0]
	case len(open) == 1:
		s.axes[names[open[0]]] = s.freshDim(names[open[0]], ir.Div(u.extent(), rest), c.at)
	}
	return true
}

// wide are the axes whose extent isn't certainly 1.
func (l *lowering) wide(axes []*ir.Axis) []*ir.Axis {
	return slices.DeleteFunc(slices.Clone(axes), l.isOne)
}

// input makes a value of an argument, as the called op sees it.
func (c *opCall) input(s *lowering, d *tensorDecl, v *value) {
	arg, al := c.args[d.param.Name], c.align.Inputs[d.param.Name]
	v.slots = s.slotsOf(d.param.Axes)
	for _, a := range extents(v.slots) {
		v.vars = append(v.vars, &ir.Var{Name: strings.ToLower(a.Name), Axis: a})
	}
	index := make([][]*ir.Value, len(arg.units))
	k := 0
	for i, a := range d.param.Axes {
		n := len(extents(v.slots[i : i+1]))
		own := v.vars[k : k+n]
		k += n
		for j, pos := range al.Axes[i] {
			if pos < al.Missing {
				continue
			}
			axes := own[j : j+1]
			if a.Product != nil {
				axes = own
			}
			index[pos-al.Missing] = s.regroup(axes, arg.units[pos-al.Missing].axes, c.at)
		}
	}
	flat := slices.Concat(index...)
	if arg.v.inlined != nil {
		m := map[*ir.Var]*ir.Value{}
		for i, x := range arg.v.vars {
			m[x] = flat[i]
		}
		v.inlined = ir.Subst(arg.v.inlined, m)
		return
	}
	v.inlined = ir.Read(arg.v.tensor, flat...)
}

// regroup gives the indices of axes that have as many elements together as those of variables.
func (l *lowering) regroup(vars []*ir.Var, axes []*ir.Axis, at site) []*ir.Value {
	own := make([]*ir.Axis, len(vars))
	for k, v := range vars {
		own[k] = v.Axis
	}
	if len(vars) == len(axes) && (len(vars) == 1 || slices.Equal(own, axes)) {
		return ir.Indices(vars)
	}
	flat := ir.Int(0)
	for _, v := range vars {
		if !l.isOne(v.Axis) {
			flat = ir.Add(ir.Mul(flat, ir.Extent(v.Axis)), ir.Index(v))
		}
	}
	var sizes []*ir.Value
	for _, a := range axes {
		sizes = append(sizes, ir.Extent(a))
	}
	r := make([]*ir.Value, len(axes))
	for k := range axes {
		if l.isOne(axes[k]) {
			r[k] = ir.Int(0)
			continue
		}
		lead := true // nothing but ones in front: what is left is the index
		for _, a := range axes[:k] {
			lead = lead && l.isOne(a)
		}
		if lead {
			r[k] = l.digit(at, flat, sizes[k:], 0)
		} else {
			r[k] = l.digit(at, flat, sizes, k)
		}
	}
	return r
}
