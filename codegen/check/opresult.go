package check

import (
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

// result is an output of a called op: a tensor whose dimensions, in their order, are axes or products of axes.
type result struct {
	v     *value
	dims  []resultDim
	empty []emptyAt
}

// refsOf are the axes of an output whose formula gives them.
func refsOf(slots []slot) []ir.AxisRef {
	refs := make([]ir.AxisRef, len(slots))
	for k, s := range slots {
		refs[k] = ir.AxisRef{Name: s.axis, Pack: s.pack}
	}
	return refs
}

// resultDim is one dimension of a result. One that an axis leaves behind, which is gone, has none.
type resultDim struct {
	at   []int // which axes of the tensor
	axes []*ir.Axis
}

// aim gives axes that the called op makes those that the caller names for them.
func (c *opCall) aim(s *lowering, targets []slot) {
	if len(s.sig.outputs) == 0 {
		return
	}
	d := s.sig.outputs[0]
	al := c.align.Outputs[d.param.Name]
	target := func(pos int) *ir.Axis {
		if pos < len(targets) && !c.caller.known[targets[pos].extent] {
			return targets[pos].extent
		}
		return nil
	}
	for i, a := range d.param.Axes {
		switch {
		case a.Product != nil:
		case a.Pack && s.spread[a.Name] == nil:
			parts := make([]*ir.Axis, len(al.Axes[i]))
			for k, pos := range al.Axes[i] {
				if parts[k] = target(pos); parts[k] == nil {
					parts[k] = s.freshAxis(a.Name)
				}
			}
			s.spread[a.Name] = parts
		case !a.Pack && s.axes[a.Name] == nil:
			if x := target(al.Axes[i][0]); x != nil {
				s.axes[a.Name] = x
			}
		}
	}
}

// results are the outputs of the called op.
func (c *opCall) results(s *lowering) []*result {
	l := c.caller
	decls := s.sig.outputs
	if s.op.decl.Short != nil {
		decls = []*tensorDecl{{param: &ir.Param{Name: "y", Infer: true}}}
	}
	var r []*result
	empties := c.empties(s)
	for _, d := range decls {
		v := s.table[d.param.Name]
		if v == nil || v.broken || v.tensor == nil {
			if l.rep.errors == l.clean {
				l.errorf(c.at, "output-unset", "output %s of %s is not set here", quote(d.param.Name), quote(s.op.decl.Name.Name))
			}
			return nil
		}
		res := &result{v: v}
		add := func(at int, n int) resultDim {
			x := resultDim{axes: v.tensor.Axes[at : at+n]}
			for k := range n {
				x.at = append(x.at, at+k)
			}
			return x
		}
		refs := d.param.Axes
		if d.param.Infer {
			refs = refsOf(v.slots)
		}
		al, err := c.align.Output(d.param.Name, refs)
		if err != nil {
			l.errorf(c.at, "call-shape", "the axes don't fit: %v", err)
			return nil
		}
		n := len(al.Ones)
		for _, at := range al.Axes {
			n += len(at)
		}
		res.dims = make([]resultDim, n)
		next := 0
		for i, a := range refs {
			width := len(extents(v.slots[i : i+1]))
			for k, pos := range al.Axes[i] {
				if a.Product != nil {
					res.dims[pos] = add(next, width)
				} else {
					res.dims[pos] = add(next+k, 1)
				}
			}
			next += width
		}
		res.placeEmpty(empties)
		r = append(r, res)
	}
	return r
}

// named is the result with the axes that a left side names for its dimensions.
func (r *result) named(l *lowering, v *value, at site) bool {
	axes := extents(v.slots)
	if len(axes) != len(r.dims) {
		l.errorf(at, "call-shape", "the result has %s, but %s names %d", plural(len(r.dims), "axis"), quote(v.name), len(axes)).
			WithHint("name them by position: let %s[…] = …", v.name)
		return false
	}
	for k, d := range r.dims {
		a := axes[k]
		var wide []*ir.Axis
		for _, x := range d.axes {
			if !l.isOne(x) || x == a {
				wide = append(wide, x)
			}
		}
		switch {
		case len(wide) == 1 && wide[0] == a:
		case a.Pack && len(d.axes) == 0:
			l.errorf(at, "call-shape", "%s may be any number of axes, so it can't name the one that is kept here", quote("..."+a.Name))
			return false
		case a.Pack || slices.ContainsFunc(d.axes, func(x *ir.Axis) bool { return x.Pack }):
			l.errorf(at, "call-shape", "%s may be any number of axes, so it can't be named %s here", quote(d.axes[0].Name), quote(a.Name))
			return false
		case !l.known[a]:
			l.giveExtent(a, productOf(d.axes), at)
		default:
			l.equal(ir.Extent(a), productOf(d.axes), at)
		}
	}
	r.reads(l, v, at)
	return true
}

// reads makes a value whose axes are those of the dimensions, in their order.
func (r *result) reads(l *lowering, v *value, at site) {
	for _, a := range extents(v.slots) {
		v.vars = append(v.vars, &ir.Var{Name: strings.ToLower(a.Name), Axis: a})
	}
	index := make([]*ir.Value, len(r.v.tensor.Axes))
	straight := true
	for k, d := range r.dims {
		for j, x := range l.regroup(v.vars[k:k+1], d.axes, at) {
			index[d.at[j]] = x
			straight = straight && d.at[j] == k && d.axes[j] == v.vars[k].Axis
		}
	}
	if straight && len(index) == len(v.vars) {
		v.tensor = r.v.tensor
		return
	}
	v.inlined = ir.Read(r.v.tensor, index...)
}

// slots are the axes of the dimensions by the names that they have in the caller.
func (r *result) slots(l *lowering) []slot {
	var list []slot
	empty := func(k int) {
		for _, p := range r.empty {
			if p.dim == k {
				list = append(list, l.over(p.name).slot())
			}
		}
	}
	for k := 0; k < len(r.dims); {
		empty(k)
		s, n := l.slotAt(r.dims[k:])
		list = append(list, s)
		k += n
	}
	empty(len(r.dims))
	return list
}

// slotAt is the axis or pack of the caller with which dimensions begin, and how many they are.
func (l *lowering) slotAt(dims []resultDim) (slot, int) {
	single := func(k int) *ir.Axis {
		if k < len(dims) && len(dims[k].axes) == 1 {
			return dims[k].axes[0]
		}
		return nil
	}
	for _, name := range l.sig.axisOrder {
		parts, spread := l.spread[name]
		switch {
		case !spread && l.axes[name] != nil && l.axes[name] == single(0):
			return l.over(name).slot(), 1
		case spread && len(parts) > 0:
			same := true
			for k, p := range parts {
				same = same && single(k) == p
			}
			if same {
				return l.over(name).slot(), len(parts)
			}
		}
	}
	a := single(0)
	if a == nil {
		a = l.freshDim("flat", productOf(dims[0].axes), site{})
	}
	return slot{extent: a}, 1
}

// letCall is a let whose right side is the call of an op that stands alone.
func (l *lowering) letCall(s *dsl.Let, o *operation, x *dsl.Call, e *env) {
	for _, id := range s.Names {
		l.table[id.Name] = &value{name: id.Name, span: id.Span, broken: true}
	}
	at := e.at(x)
	v := &value{name: s.Names[0].Name, span: s.Names[0].Span}
	if s.Left != nil {
		var ok bool
		if v.slots, ok = l.resultSlots(s.Left, e); !ok {
			return
		}
	}
	results := l.callOp(o, x, e, flatSlots(v.slots))
	switch {
	case results == nil:
		return
	case len(results) != len(s.Names):
		l.errorf(at, "call-results", "%s has %s, and %s taken", quote(o.decl.Name.Name), plural(len(results), "result"), isOrAre(len(s.Names))).
			WithHint("name them in their order: let (y, z) = …").WithNote(o.decl.Name.Span, "declared here")
		return
	case s.Left != nil:
		if results[0].named(l, v, at) {
			l.table[v.name] = v
			l.resultAhead(v, at)
		}
		return
	case len(s.Names) == 1 && len(results[0].slots(l)) > 0:
		l.errorf(site{s.Names[0].Span, e}, "call-shape", "the axes of %s are named by position", quote(v.name)).
			WithHint("write let %s[…] = …, with %s", v.name, plural(len(results[0].dims), "axis"))
		return
	}
	for k, id := range s.Names {
		w := &value{name: id.Name, span: id.Span, slots: results[k].slots(l)}
		results[k].reads(l, w, at)
		l.table[id.Name] = w
	}
}

// resultAhead makes a definition of a result that was read before the call, which runs in order with it.
func (l *lowering) resultAhead(v *value, at site) {
	if l.aheads[v.name] == nil {
		return
	}
	body := v.inlined
	if body == nil {
		body = ir.Read(v.tensor, ir.Indices(v.vars)...)
	}
	v.inlined = nil
	t := &ir.Tensor{Role: ir.Local, Elem: l.storedAs(body.Type), Span: v.span}
	l.place(v, l.target(v.name, t, at), body, at.span)
}

func isOrAre(n int) string {
	if n == 1 {
		return "one is"
	}
	return plural(n, "") + " are"
}

// flatSlots are the axes of slots, one by one.
func flatSlots(slots []slot) []slot {
	var r []slot
	for _, a := range extents(slots) {
		r = append(r, slot{extent: a})
	}
	return r
}

// resultSlots are the axes that the left side of a call names.
func (l *lowering) resultSlots(left *dsl.Bracket, e *env) ([]slot, bool) {
	slots := []slot{}
	for _, i := range left.Items {
		id := bareName(i.Value)
		switch {
		case i.AxisPack != nil:
			slots = append(slots, l.over(i.AxisPack.Name).slot())
		case id != nil && isUpper(id.Name) && !i.Pack && !i.In:
			slots = append(slots, l.over(id.Name).slot())
		default:
			l.errorf(site{i.Span, e}, "call-shape", "the left side of a call names the axes of its result").WithHint("write axes, as in let h[N, C] = …")
			return nil, false
		}
	}
	return slots, true
}

// assignCall sets an output to the result of the call of an op that stands alone.
func (l *lowering) assignCall(s *dsl.Assign, name string, t *ir.Tensor, slots []slot, o *operation, x *dsl.Call, e *env) {
	at := e.at(x)
	v := &value{name: name, span: t.Span, slots: slots, broken: true}
	l.table[name] = v
	if s.Left != nil {
		l.errorf(site{s.Left.Span, e}, "call-shape", "the axes of %s are declared, so the result of a call has them", quote(name)).WithHint("leave out the indices")
		return
	}
	results := l.callOp(o, x, e, flatSlots(slots))
	switch {
	case results == nil:
		return
	case len(results) != 1:
		l.errorf(at, "call-results", "%s has %s, and one is taken", quote(o.decl.Name.Name), plural(len(results), "result")).
			WithHint("name them in a let: let (y, z) = …").WithNote(o.decl.Name.Span, "declared here")
		return
	}
	w := &value{name: name, span: t.Span, slots: slots}
	if slots == nil {
		w.slots = results[0].slots(l)
		results[0].reads(l, w, at)
	} else if !results[0].named(l, w, at) {
		return
	}
	if w.vars == nil {
		for _, a := range extents(w.slots) {
			w.vars = append(w.vars, &ir.Var{Name: strings.ToLower(a.Name), Axis: a})
		}
	}
	body := w.inlined
	if body == nil {
		body = ir.Read(w.tensor, ir.Indices(w.vars)...)
	}
	w.inlined = nil
	if body = l.coerceTo(at, body, t.Elem, quote(name)); isBad(body) {
		return
	}
	l.table[name] = w
	l.place(w, l.target(name, t, at), body, s.Span)
}

// untouched checks that a called op leaves what it may renew as it is.
func (l *lowering) untouched(s *dsl.Assign, v *value, body *ir.Value, e *env) {
	old := l.table[s.Name.Name]
	if isBad(body) || old == nil || old.broken {
		return
	}
	m := map[*ir.Var]*ir.Value{}
	for k, x := range old.vars {
		if k < len(v.vars) {
			m[x] = ir.Index(v.vars[k])
		}
	}
	if len(old.vars) != len(v.vars) || !ir.Equal(ir.Subst(old.inlined, m), body) {
		l.errorf(l.callee.at, "call-update", "%s renews %s, and the call of an op renews nothing", quote(l.op.decl.Name.Name), quote(s.Name.Name)).
			WithHint("put what both compute in a func, or in an op without `inout` that both call").WithNote(s.Name.Span, "renewed here")
		return
	}
	l.table[s.Name.Name+"'"] = old
}
