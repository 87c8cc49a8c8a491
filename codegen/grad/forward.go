package grad

import (
	"fmt"
	"math/big"

	"github.com/opgen/opgen/codegen/ir"
)

// Forward derives the tangent function of f: how its float outputs change with its float inputs, J·v. Its inputs are those
// of f, then a tangent v for each float input that has a derivative; its outputs are the tangents of the float outputs that
// depend on these. It computes what f computes too, which tangents read.
//
// For a definition t[e(v)] ⊕= body(v) for v in D where P:
//
//	t'[e(v)] += Σ ∂body/∂u[g(v)] · u'[g(v)]   for v in D where P
//
// over the reads u[g(v)] in the body, by the rows that Reverse uses; a choice chooses among the tangents of its sides. A
// maximum takes the mean of the tangents of what reaches it, a product weighs each with the product of the others.
// Derivatives by hand stand for what flows back, and don't count here; an input declared to have none has no tangent.
func Forward(f *ir.Func) (*ir.Func, error) {
	f = scanned(f)
	w := &forwarder{f: f, tangent: map[*ir.Tensor]*ir.Tensor{}, names: newNames(f)}
	return w.derive()
}

type forwarder struct {
	f       *ir.Func
	tangent map[*ir.Tensor]*ir.Tensor // of what has one
	names   names
	defs    []*ir.Def
}

func (w *forwarder) derive() (*ir.Func, error) {
	f := w.f
	r := &ir.Func{Package: f.Package, Name: f.Name + "_tangent", Scalars: f.Scalars, Axes: f.Axes, Dims: f.Dims,
		Requires: f.Requires, ElemVars: f.ElemVars, Span: f.Span, Inputs: append([]*ir.Tensor{}, f.Inputs...)}
	none := map[*ir.Tensor]bool{}
	for _, u := range f.UserGrads {
		none[u.Of] = u.None
	}
	for _, t := range f.Inputs {
		if varies(f, t) && !none[t] {
			w.tangent[t] = w.tangentOf(t, ir.Tangent)
			r.Inputs = append(r.Inputs, w.tangent[t])
		}
	}
	w.reach()
	for n := 0; n < len(f.Defs); {
		i := n + 1
		for g := f.Defs[n].Group; g != 0 && i < len(f.Defs) && f.Defs[i].Group == g; {
			i++
		}
		if err := w.run(f.Defs[n:i]); err != nil {
			return nil, err
		}
		n = i
	}
	for _, t := range f.Outputs {
		if v := w.tangent[t]; v != nil && v.Role == ir.Tangent {
			r.Outputs = append(r.Outputs, v)
		}
	}
	r.Defs = w.defs
	r.Defs = ir.Live(r)
	return r, ir.Verify(r)
}

// reach makes the tangents of the definitions that change with the inputs. Those of new values of inouts and states are not
// seen outside.
func (w *forwarder) reach() {
	for changed := true; changed; { // definitions of a group read later ones
		changed = false
		for _, d := range w.f.Defs {
			t := d.Target
			if w.tangent[t] != nil || !w.f.IsFloat(t) {
				continue
			}
			for _, n := range order(d.Body) {
				if n.Op != ir.OpRead || w.tangent[n.Tensor] == nil {
					continue
				}
				role := ir.Local
				if t.Role != ir.Local && !(t.Role == ir.Output && t.Of != nil) {
					role = ir.Tangent
				}
				w.tangent[t] = w.tangentOf(t, role)
				changed = d.Group != 0
				break
			}
		}
	}
}

// tangentOf makes the tangent of a tensor.
func (w *forwarder) tangentOf(t *ir.Tensor, role ir.Role) *ir.Tensor {
	v := &ir.Tensor{Name: w.names.fresh(t.Name + ".tangent"), Role: role, Elem: t.Elem, Axes: t.Axes, Optional: t.Optional, Span: t.Span}
	if role == ir.Tangent {
		v.Of = t
	}
	if t.Optional {
		v.Default = new(big.Rat) // what was left out doesn't change
	}
	return v
}

// run keeps a definition, or the definitions of one group, and derives them: the tangents of a group are a group.
func (w *forwarder) run(defs []*ir.Def) error {
	w.defs = append(w.defs, defs...)
	var tangents []*ir.Def
	for _, d := range defs {
		if w.tangent[d.Target] == nil {
			continue
		}
		n, err := w.def(d)
		if err != nil {
			return err
		}
		tangents = append(tangents, n)
	}
	w.defs = append(w.defs, tangents...)
	return nil
}

// def is the tangent of a definition.
func (w *forwarder) def(d *ir.Def) (*ir.Def, error) {
	n := *d
	n.Derived = true
	var num ir.Numbering
	body := num.Share(d.Body)
	result := body
	if d.Monoid == ir.Assign && d.IsPlain() {
		result = ir.Read(d.Target, d.Dest...)
	}
	v, err := w.value(d, body, result)
	if err != nil {
		return nil, err
	}
	aux := func(x *ir.Def) {
		x.Group, x.Along, x.Reverse, x.Derived = 0, nil, false, true
		w.defs = append(w.defs, x)
	}
	switch d.Monoid {
	case ir.Assign, ir.Sum:
	case ir.Max, ir.Min:
		hit, ties := hits(d, body, w.names)
		aux(ties)
		v = guard(hit, Times(v, ir.Div(ir.Int(1), ir.Read(ties.Target, d.Dest...))))
		n.Monoid = ir.Sum
	case ir.Prod:
		o, err := others(d, w.f.Name, w.names)
		if err != nil {
			return nil, err
		}
		for _, x := range o.defs {
			aux(x)
		}
		v = Times(v, o.at)
		n.Monoid = ir.Sum
	default:
		return nil, &ir.Fault{Func: w.f.Name, Def: d.Target.Name, Span: d.Span, Message: fmt.Sprintf("%v has no derivative", d.Monoid)}
	}
	if n.Group != 0 {
		n.Group += lastGroup(w.f.Defs)
	}
	n.Body = ir.Cast(v, ir.ElemType(w.tangent[d.Target].Elem))
	return n.Copy(w.tangent[d.Target]), nil
}

// value is the tangent of a body, whose value is result too.
func (w *forwarder) value(d *ir.Def, body, result *ir.Value) (*ir.Value, error) {
	at := map[*ir.Value]*ir.Value{} // tangents; nil: zero
	active := func(v *ir.Value) bool { return at[v] != nil }
	for _, n := range order(body) {
		var v *ir.Value
		switch n.Op {
		case ir.OpRead:
			if t := w.tangent[n.Tensor]; t != nil {
				v = ir.Read(t, n.Args...)
			}
		case ir.OpSelect:
			a, b := at[n.Args[1]], at[n.Args[2]]
			switch {
			case a == nil && b == nil:
			case a == nil:
				v = guard(ir.Not(n.Args[0]), b)
			case b == nil:
				v = guard(n.Args[0], a)
			default:
				v = Choose(n.Args[0], a, b)
			}
		case ir.OpCast:
			v = at[n.Args[0]]
		case ir.OpAbsorb:
			v = w.absorb(n, at)
		default:
			row, err := RowOf(n.Op)
			if err != nil {
				return nil, &ir.Fault{Func: w.f.Name, Def: d.Target.Name, Span: d.Span, Message: err.Error()}
			}
			p := Point{A: n.Args, Y: n, Active: make([]bool, len(n.Args))}
			if n == body {
				p.Y = result
			}
			for k, a := range n.Args {
				p.Active[k] = active(a)
			}
			if err := row.refuses(n.Op, p.Active); err != nil {
				return nil, &ir.Fault{Func: w.f.Name, Def: d.Target.Name, Span: d.Span, Message: err.Error()}
			}
			for k, a := range n.Args {
				if active(a) && row.D[k] != nil {
					v = plus(v, Times(at[a], row.D[k](p)))
				}
			}
		}
		if v != nil && !IsZero(v) {
			at[n] = ir.Cast(v, floatOf(v, n))
		}
	}
	if v := at[body]; v != nil {
		return v, nil
	}
	return ir.Cast(ir.Int(0), body.Type), nil
}

// absorb is the tangent of x·d, where a zero x absorbs any d, and any change of d.
func (w *forwarder) absorb(n *ir.Value, at map[*ir.Value]*ir.Value) *ir.Value {
	var v *ir.Value
	if x := at[n.Args[0]]; x != nil {
		v = Times(x, rows[ir.OpAbsorb].D[0](Point{A: n.Args, Y: n}))
	}
	if d := at[n.Args[1]]; d != nil {
		v = plus(v, absorbing(n.Args[0], d))
	}
	return v
}

// plus adds to what may be nothing.
func plus(a, b *ir.Value) *ir.Value {
	if a == nil {
		return b
	}
	return Plus(a, b)
}
