package grad

import (
	"fmt"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// Reverse derives the backward function of f. Its inputs are those of f, then f's outputs, then a cotangent for each
// float output; its outputs are the gradients of the float inputs of f, but for those declared to have none.
//
// For each read u[g(v)] in t[e(v)] ⊕= body(v) for v in D where P:
//
//	@u[g(v)] += @t[e(v)] · ∂body/∂u[g(v)]   for v in D where P and the conditions on the path to the read
//
// There are no other cases. The locals of f that derivatives read are defined as in f, by the same tensors. A gradient
// that the author wrote stands in place of the derived one.
func Reverse(f *ir.Func) (*ir.Func, error) { return reverse(f, true) }

// reverse is Reverse; without solved the index equations are left as they are.
func reverse(f *ir.Func, solved bool) (*ir.Func, error) {
	f = scanned(f)
	r := &reverser{f: f, solved: solved, flows: map[*ir.Tensor][]*flow{}, cot: map[*ir.Tensor]*ir.Tensor{},
		active: map[*ir.Tensor]bool{}, need: map[*ir.Tensor]bool{}, user: map[*ir.Tensor]*ir.UserGrad{}, names: newNames(f),
		carried: map[*ir.Tensor]*ir.Tensor{}}
	for i := range f.UserGrads {
		r.user[f.UserGrads[i].Of] = &f.UserGrads[i]
	}
	r.reach()
	if err := r.cotangents(); err != nil {
		return nil, err
	}
	for n := len(f.Defs); n > 0; {
		i := n - 1
		for g := f.Defs[i].Group; g != 0 && i > 0 && f.Defs[i-1].Group == g; {
			i--
		}
		if err := r.run(f.Defs[i:n]); err != nil {
			return nil, err
		}
		n = i
	}
	return r.finish()
}

type reverser struct {
	f      *ir.Func
	solved bool
	active map[*ir.Tensor]bool // has a derivative by some input
	need   map[*ir.Tensor]bool // lies between an input whose gradient is derived and an output
	user   map[*ir.Tensor]*ir.UserGrad
	cot    map[*ir.Tensor]*ir.Tensor // cotangents of outputs
	flows  map[*ir.Tensor][]*flow
	// carried are the cotangents of the members of a group: they are read before all that flows to them is known.
	carried map[*ir.Tensor]*ir.Tensor
	defs    []*ir.Def // of derivatives, in order but for groups
	names   names
}

// varies tells whether an input can have a derivative.
func varies(f *ir.Func, t *ir.Tensor) bool {
	switch t.Role {
	case ir.Input, ir.Cotangent, ir.Output, ir.Tangent:
		return f.IsFloat(t)
	}
	return false
}

// wants tells whether an input gets a gradient.
func (r *reverser) wants(t *ir.Tensor) bool {
	return varies(r.f, t) && !(r.user[t] != nil && r.user[t].None)
}

// names are the names of tensors that are taken.
type names map[string]bool

func newNames(f *ir.Func) names {
	n := names{}
	for _, t := range f.Inputs {
		n[t.Name] = true
	}
	for _, d := range f.Defs {
		n[d.Target.Name] = true
	}
	return n
}

// fresh is a name that no tensor has yet.
func (n names) fresh(name string) string {
	for n[name] {
		name += "'"
	}
	n[name] = true
	return name
}

// reach finds the tensors that have derivatives, and those that are needed.
func (r *reverser) reach() {
	for _, t := range r.f.Inputs {
		if r.wants(t) {
			r.active[t] = true
			r.need[t] = r.user[t] == nil
		}
	}
	for changed := true; changed; { // definitions of a group read later ones
		changed = false
		for _, d := range r.f.Defs {
			if !r.f.IsFloat(d.Target) {
				continue
			}
			for t := range r.live(d.Body) {
				changed = changed || d.Group != 0 && !(r.active[d.Target] && (r.need[d.Target] || !r.need[t]))
				r.active[d.Target] = true
				r.need[d.Target] = r.need[d.Target] || r.need[t]
			}
		}
	}
}

// live are the active tensors that a value has a derivative by.
func (r *reverser) live(v *ir.Value) map[*ir.Tensor]bool {
	found := map[*ir.Tensor]bool{}
	for _, n := range order(v) {
		if n.Op == ir.OpRead && r.active[n.Tensor] {
			found[n.Tensor] = true
		}
	}
	return found
}

// order lists the values that a derivative can flow through, arguments first.
func order(v *ir.Value) []*ir.Value {
	var list []*ir.Value
	seen := map[*ir.Value]bool{}
	var visit func(*ir.Value)
	visit = func(v *ir.Value) {
		if seen[v] || v.Type.Kind != ir.Typed {
			return
		}
		seen[v] = true
		args := v.Args
		switch v.Op {
		case ir.OpRead:
			args = nil
		case ir.OpSelect:
			args = args[1:]
		default:
			if rows[v.Op].None {
				return
			}
		}
		for _, a := range args {
			visit(a)
		}
		list = append(list, v)
	}
	visit(v)
	return list
}

// cotangents makes the cotangent of each float output; those that formulas of the author read are taken from there.
func (r *reverser) cotangents() error {
	for _, g := range r.f.UserGrads {
		for _, d := range g.Defs {
			for t := range d.Reads() {
				if t.Role != ir.Cotangent || t.Of == nil {
					continue
				}
				if c := r.cot[t.Of]; c != nil && c != t {
					return r.fault(d, "has two cotangents of %s", t.Of.Name)
				}
				r.cot[t.Of] = t
			}
		}
	}
	for _, t := range r.f.Outputs {
		if t.Of != nil && t.Role == ir.Output || !r.f.IsFloat(t) {
			continue // the new value of an inout or a state is not differentiated
		}
		if r.cot[t] == nil {
			r.cot[t] = &ir.Tensor{Name: r.names.fresh("@" + t.Name), Role: ir.Cotangent, Elem: t.Elem, Axes: t.Axes, Of: t, Span: t.Span}
		}
	}
	var asked []*ir.Tensor // cotangents of outputs that gradients depend on
	for t, c := range r.cot {
		if r.active[t] {
			asked = append(asked, c)
		}
	}
	for _, c := range asked {
		c.Unasked = len(asked) > 1
	}
	return nil
}

func (r *reverser) fault(d *ir.Def, format string, args ...any) error {
	return &ir.Fault{Func: r.f.Name, Def: d.Target.Name, Span: d.Span, Message: fmt.Sprintf(format, args...)}
}

// run derives a definition, or the definitions of one group. In a group, cotangents are read before they are defined; the
// definitions that read each other then run as a group of their own, along the same axis the other way.
func (r *reverser) run(defs []*ir.Def) error {
	if defs[0].Group != 0 {
		for _, d := range defs {
			if t := d.Target; r.need[t] {
				r.carried[t] = r.cotangentOf(t)
			}
		}
	}
	for _, d := range slices.Backward(defs) {
		if r.need[d.Target] {
			if err := r.def(d); err != nil {
				return err
			}
		}
	}
	for _, d := range slices.Backward(defs) {
		if a := r.carried[d.Target]; a != nil {
			r.gather(d.Target, a)
		}
	}
	return nil
}

// cotangentOf is a tensor for all that flows to a tensor.
func (r *reverser) cotangentOf(t *ir.Tensor) *ir.Tensor {
	a := &ir.Tensor{Name: "@" + t.Name, Role: ir.Local, Elem: t.Elem, Axes: t.Axes}
	if r.cot[t] != nil {
		a.Name += ".all"
	}
	a.Name = r.names.fresh(a.Name)
	return a
}

// def lets the cotangent of a definition's target flow on to what the definition reads.
func (r *reverser) def(d *ir.Def) error {
	t := d.Target
	var num ir.Numbering
	body := num.Share(d.Body)
	g, err := r.incoming(d)
	if err != nil || IsZero(g) {
		return err
	}
	result := body
	if d.Monoid == ir.Assign && d.IsPlain() {
		result = ir.Read(t, d.Dest...)
	}
	where := d.Where
	switch d.Monoid {
	case ir.Assign, ir.Sum:
	case ir.Max, ir.Min:
		g = r.throughExtreme(d, body, g)
	case ir.Prod:
		if g, err = r.throughProduct(d, g); err != nil {
			return err
		}
	default:
		return r.fault(d, "%v has no derivative", d.Monoid)
	}
	nodes := order(body)
	active := map[*ir.Value]bool{}
	for _, n := range nodes {
		active[n] = n.Op == ir.OpRead && r.active[n.Tensor]
		for _, a := range n.Args {
			active[n] = active[n] || n.Op != ir.OpRead && active[a]
		}
	}
	adj := map[*ir.Value]*total{body: {quotient: quotient{num: g}}}
	many := false
	add := func(n *ir.Value, q quotient) {
		many = many || cases(q.num, maxCases) > maxCases
		q.num = ir.Cast(q.num, floatOf(q.num, n))
		if adj[n] == nil {
			adj[n] = &total{}
		}
		adj[n].add(q)
	}
	for i := len(nodes) - 1; i >= 0; i-- {
		n := nodes[i]
		if adj[n] == nil || !active[n] {
			continue
		}
		g := adj[n].close()
		if IsZero(g.num) {
			continue
		}
		if many {
			return &ManyCases{Span: d.Span}
		}
		switch n.Op {
		case ir.OpRead:
			if r.need[n.Tensor] {
				r.flow(n, &flow{vars: d.Vars, dest: n.Args, where: where, body: g.value()})
			}
		case ir.OpSelect:
			v := g.value()
			add(n.Args[1], quotient{num: along(n.Args[0], v)})
			add(n.Args[2], quotient{num: along(ir.Not(n.Args[0]), v)})
		case ir.OpCast:
			if n.Type.Kind == ir.Typed && n.Args[0].Type.Kind == ir.Typed && n.Type.Elem.Name != n.Args[0].Type.Elem.Name {
				g = &quotient{num: g.value()} // what it is divided by has the other dtype
			}
			add(n.Args[0], *g)
		case ir.OpAbsorb:
			v := g.value()
			if x := n.Args[0]; active[x] {
				add(x, quotient{num: Times(v, rows[ir.OpAbsorb].D[0](Point{A: n.Args, Y: n}))})
			}
			if active[n.Args[1]] {
				add(n.Args[1], quotient{num: absorbing(n.Args[0], v)}) // what absorbed the value absorbs its derivative
			}
		default:
			row, err := RowOf(n.Op)
			if err != nil {
				return r.fault(d, "%v", err)
			}
			p := Point{A: n.Args, Y: n, Active: make([]bool, len(n.Args))}
			if n == body {
				p.Y = result
			}
			for k, a := range n.Args {
				p.Active[k] = active[a]
			}
			if err := row.refuses(n.Op, p.Active); err != nil {
				return r.fault(d, "%v", err)
			}
			for k, a := range n.Args {
				if active[a] && row.D[k] != nil {
					add(a, g.times(row.D[k](p)))
				}
			}
		}
	}
	return nil
}

// floatOf is the type of a cotangent that flows to n: the dtype of n where they differ.
func floatOf(g, n *ir.Value) ir.Type {
	if g.Type.Kind == ir.Typed && g.Type.Elem.Name == n.Type.Elem.Name {
		return g.Type
	}
	return n.Type
}

// flow notes what flows back through a read.
func (r *reverser) flow(read *ir.Value, c *flow) {
	if len(ir.Reads(c.dest...)) > 0 {
		c = c.hoisted()
	}
	if r.solved {
		c = c.solve(read.Tensor)
	}
	if !c.plain(read.Tensor) {
		c = c.hoisted()
	}
	r.flows[read.Tensor] = append(r.flows[read.Tensor], c)
}

// incoming defines the cotangent of a definition's target and gives it at the definition's points: guarded by the
// conditions under which anything flows there, absorbing where they aren't known.
func (r *reverser) incoming(d *ir.Def) (*ir.Value, error) {
	t := d.Target
	zero := ir.Cast(ir.Int(0), ir.ElemType(t.Elem))
	c := r.cot[t]
	flows := r.flows[t]
	carried := r.carried[t]
	if len(flows) == 0 && carried == nil {
		if c == nil {
			return zero, nil
		}
		return ir.Read(c, d.Dest...), nil
	}
	always := c != nil && !c.Unasked
	guards := []*ir.Value{}
	unknown := c != nil && c.Unasked
	keys := keysOf(t)
	for _, w := range flows {
		p := w.guardOf(t)
		switch {
		case p == nil:
			unknown = true
		case p.Op == ir.OpTrue:
			always = true
		default:
			guards = append(guards, ir.Subst(p, w.rename(keys)))
		}
	}
	a := carried
	if a == nil {
		a = r.cotangentOf(t)
		r.gather(t, a)
	}
	g := ir.Read(a, d.Dest...)
	at := map[*ir.Var]*ir.Value{}
	for i, k := range keys {
		at[k] = d.Dest[i]
	}
	switch {
	case always:
		return g, nil
	case unknown || carried != nil:
		return ir.Call(ir.OpAbsorb, g, ir.Int(1)), nil
	}
	return guard(ir.Subst(ir.Or(guards...), at), g), nil
}

// keysOf are fresh variables over the axes of a tensor.
func keysOf(t *ir.Tensor) []*ir.Var {
	keys := make([]*ir.Var, len(t.Axes))
	for i, a := range t.Axes {
		keys[i] = &ir.Var{Name: keyName(a, nil, keys[:i]), Axis: a}
	}
	return keys
}

// rename maps the variables of a plain flow's destination to keys.
func (c *flow) rename(keys []*ir.Var) map[*ir.Var]*ir.Value {
	m := map[*ir.Var]*ir.Value{}
	for i, e := range c.dest {
		if e.Op == ir.OpIndex {
			m[e.Var] = ir.Index(keys[i])
		}
	}
	return m
}

// gather defines into as the sum of all that flows to t. What stands at the element itself is added up in one body;
// each reduction and each scatter gets a definition of its own.
func (r *reverser) gather(t, into *ir.Tensor) {
	flows := r.flows[t]
	c := r.cot[t]
	if len(flows) == 1 && c == nil && !flows[0].pointwise(t) {
		r.define(flows[0].def(into))
		return
	}
	keys := keysOf(t)
	name := into.Name
	var all total
	add := func(v *ir.Value) { all.add(quotient{num: v}) }
	if c != nil {
		add(ir.Read(c, ir.Indices(keys)...))
	}
	parts := 0
	for _, w := range flows {
		if w.pointwise(t) {
			m := w.rename(keys)
			add(guard(ir.And(ir.SubstAll(w.where, m)...), ir.Subst(w.body, m)))
			continue
		}
		parts++
		part := &ir.Tensor{Name: r.names.fresh(fmt.Sprintf("%s.%d", name, parts)), Role: ir.Local, Elem: t.Elem, Axes: t.Axes}
		r.define(w.def(part))
		add(ir.Read(part, ir.Indices(keys)...))
	}
	body := ir.Int(0)
	if all.num != nil {
		body = all.value()
	}
	if body.Type.Kind != ir.Typed {
		body = ir.Cast(body, ir.ElemType(into.Elem))
	}
	r.define(&ir.Def{Target: into, Vars: keys, Dest: ir.Indices(keys), Monoid: ir.Assign, Body: body})
}

// def is the flow as a definition.
func (c *flow) def(into *ir.Tensor) *ir.Def {
	return &ir.Def{Target: into, Vars: c.vars, Dest: c.dest, Monoid: ir.Sum, Where: c.where, Body: c.body}
}

func (r *reverser) define(d *ir.Def) {
	d.Derived = true
	d.Where = callFirst(d.Where)
	d.Group, d.Along, d.Reverse = 0, nil, false
	r.defs = append(r.defs, d)
}
