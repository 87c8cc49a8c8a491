package check

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
)

// keeping is a let that is saved, or computed again.
type keeping struct {
	save bool
	span diag.Span
}

// words say what is done with a let.
func (k keeping) words() string {
	if k.save {
		return "saved"
	}
	return "computed again"
}

// keep checks the names of save and recompute: lets, each once.
func (n *names) keep(s *dsl.Keep) {
	if why := n.sig.underived(n.sig.op.decl); why != "" {
		n.rep.errorf(s.Span, "keep-none", "%s, and nothing is kept for one", why).WithHint("leave it out")
	}
	for _, id := range s.Names {
		sym := n.table[id.Name]
		switch {
		case sym == nil || sym.hidden:
			n.unknown(id)
			continue
		case sym.kind != symLet:
			n.rep.errorf(id.Span, "keep-let", "only lets are saved or recomputed; %s is %s", quote(id.Name), symbolKinds[sym.kind]).
				WithNote(sym.span, "declared here")
			continue
		}
		k := keeping{s.Save, id.Span}
		switch old, twice := n.kept[id.Name]; {
		case twice && old.save == k.save:
			n.rep.errorf(id.Span, "keep-twice", "%s is already %s", quote(id.Name), k.words()).WithHint("leave it out").WithNote(old.span, "%s here", k.words())
		case twice:
			n.rep.errorf(id.Span, "keep-twice", "%s is saved and computed again", quote(id.Name)).WithHint("leave one of the two out").
				WithNote(old.span, "%s here", old.words())
		default:
			n.kept[id.Name] = k
		}
	}
}

// underived says why an op has no derivative; "": it may have one.
func (s *signature) underived(op *dsl.Op) string {
	if op.Update {
		return "an update has no derivative"
	}
	none := map[string]bool{}
	dsl.Inspect(op.Body, func(n any) bool {
		if g, is := n.(*dsl.GradNone); is {
			for _, id := range g.Names {
				none[id.Name] = true
			}
		}
		return true
	})
	float := func(t *tensorDecl) bool {
		return slices.ContainsFunc(dtypesOf(s.vars, t.param.Elem), func(d string) bool { return ir.ClassOf(nil, ir.Elem{Name: d}) == ir.ClassFloat })
	}
	if !slices.ContainsFunc(s.inputs, func(t *tensorDecl) bool { return t.param.Mode == ir.Input && !none[t.param.Name] && float(t) }) {
		return "no input has a derivative"
	}
	if !slices.ContainsFunc(s.outputs, float) {
		return "no output has a derivative"
	}
	return ""
}

// keepUse is a name that is saved or recomputed, over all choices.
type keepUse struct {
	keeping
	name   string
	number bool // it is a number of the call under some choice
	used   bool // it is elements under some choice, which are kept or not
}

// use notes what a name is under the choices of a lowering.
func (l *lowering) use(k *dsl.Keep, id dsl.Ident, v *value) {
	if l.callee != nil {
		return
	}
	if l.op.kept == nil {
		l.op.kept = map[diag.Span]*keepUse{}
	}
	u := l.op.kept[id.Span]
	if u == nil {
		u = &keepUse{keeping: keeping{k.Save, id.Span}, name: id.Name}
		l.op.kept[id.Span] = u
	}
	u.number = u.number || v.tensor == nil
	u.used = u.used || v.tensor != nil
}

// keepsNumbers reports names that are saved or recomputed and under no choice stand for elements.
func (o *operation) keepsNumbers() {
	for _, u := range o.kept {
		if u.number && !u.used {
			o.in.unit.rep.errorf(u.span, "keep-none", "%s is made of numbers of the call alone, of which nothing is kept", quote(u.name)).WithHint("leave it out")
		}
	}
}

// addKeeps notes what the author wants saved or computed again: definitions, for lets that are numbers of the call cost nothing.
func (l *lowering) addKeeps(e *env) {
	for _, save := range []bool{false, true} {
		for _, k := range l.keeps {
			for _, id := range k.Names {
				v := l.table[id.Name]
				if k.Save != save || v == nil || v.broken {
					continue
				}
				l.use(k, id, v)
				switch {
				case v.tensor == nil || v.tensor.Role != ir.Local:
				case !save:
					l.fn.Recompute = append(l.fn.Recompute, l.partsOf(v.tensor)...)
				case l.maySave(id, v.tensor, e):
					l.fn.Save = append(l.fn.Save, v.tensor)
				}
			}
		}
	}
	if l.callee == nil { // the axes of the signature are known now
		l.fn.Save = slices.DeleteFunc(l.fn.Save, func(t *ir.Tensor) bool { return l.placeless(t) >= 0 })
	}
}

// placeless is the first axis of a tensor that no tensor of the signature has; -1 where there is none.
func (l *lowering) placeless(t *ir.Tensor) int {
	return slices.IndexFunc(t.Axes, func(a *ir.Axis) bool { return a.Size != nil || l.fn.Owns(a) })
}

// maySave tells whether a call can keep a definition, and reports why not: but of an op that is called, which saves what the caller can. What axes the
// caller has isn't known there yet.
func (l *lowering) maySave(id dsl.Ident, t *ir.Tensor, e *env) bool {
	const hint = "leave it out: the derivative computes it again from what it is made of"
	k := l.placeless(t)
	at, name := site{id.Span, e}, quote(id.Name)
	float := l.fn.IsFloat(t)
	switch {
	case l.callee != nil:
	case !float:
		l.errorf(at, "keep-type", "only floats are saved; the elements of %s are %s", name, t.Elem).WithHint(hint)
	case k >= 0 && l.sig.axes[t.Axes[k].Name] == nil:
		l.errorf(at, "keep-axes", "%s can't be saved: one of its axes is a range, which no tensor of the signature has", name).WithHint(hint)
	case k >= 0:
		l.errorf(at, "keep-axes", "%s can't be saved: no tensor of the signature has its axis %s", name, quote(t.Axes[k].Name)).WithHint(hint)
	}
	return float && (k < 0 || l.callee != nil)
}

// partsOf are a definition and what its formula alone is made of: reductions in it, and what it calls.
func (l *lowering) partsOf(t *ir.Tensor) []*ir.Tensor {
	named := map[*ir.Tensor]bool{}
	for _, v := range l.table {
		named[v.tensor] = true
	}
	parts := map[*ir.Tensor]bool{t: true}
	for before := 0; before < len(parts); {
		before = len(parts)
		for _, d := range l.fn.Defs {
			for r := range d.Reads() {
				if parts[d.Target] && r.Role == ir.Local && !named[r] {
					parts[r] = true
				}
			}
		}
	}
	var list []*ir.Tensor
	for _, d := range l.fn.Defs {
		if parts[d.Target] {
			list = append(list, d.Target)
		}
	}
	return list
}
