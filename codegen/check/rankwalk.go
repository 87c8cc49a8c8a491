package check

import (
	"strconv"

	"github.com/opgen/opgen/dsl"
)

// keys are the packs, lists and index variables that an expression takes component by component.
func (t *rankTable) keys(x dsl.Expr) []string {
	var r []string
	add := func(xs ...dsl.Expr) {
		for _, x := range xs {
			r = append(r, t.keys(x)...)
		}
	}
	switch x := x.(type) {
	case *dsl.Paren:
		add(x.X)
	case *dsl.Unary:
		add(x.X)
	case *dsl.Binary:
		add(x.X, x.Y)
	case *dsl.If:
		add(x.Cond, x.Then, x.Else)
	case *dsl.Alt:
		add(x.Alts...)
	case *dsl.Ref:
		if x.Index == nil {
			if k := t.keyOf(x.Name.Name); k != "" {
				r = append(r, k)
			}
			break
		}
		for _, i := range x.Index.Items {
			if !i.Pack && i.Value != nil {
				add(i.Value)
			}
		}
	case *dsl.Call:
		if x.Name.Name == "ravel" || x.Name.Name == "rank" {
			break
		}
		for _, i := range x.Args {
			if i.Value != nil && i.Pack == (x.Name.Name == "unravel") {
				add(i.Value)
			}
		}
		for _, a := range x.Named {
			add(a.Value)
		}
	}
	return r
}

// keyOf is the key of a name that has components; "": it has none.
func (t *rankTable) keyOf(name string) string {
	for k := len(t.scope) - 1; k >= 0; k-- {
		if t.scope[k].name == name {
			return t.scope[k].key
		}
	}
	switch a := t.sig.attr(name); {
	case t.isPack(name):
		return name
	case a != nil && a.decl.List != "":
		return name
	case t.isListLet(name):
		return name
	}
	return ""
}

// isListLet tells whether `let ..s` declares a name.
func (t *rankTable) isListLet(name string) bool {
	found := false
	dsl.Inspect(t.sig.op.decl.Body, func(n any) bool {
		l, is := n.(*dsl.Let)
		found = found || is && l.Pack && l.Names[0].Name == name
		return !found
	})
	return found
}

// compute notes that the axes of what keys stand for are taken one by one.
func (t *rankTable) compute(keys []string) {
	t.union(keys...)
	if len(keys) > 0 {
		t.computed[keys[0]] = true
	}
}

func (t *rankTable) stmts(list []dsl.Stmt) {
	for _, s := range list {
		mark := len(t.scope)
		switch s := s.(type) {
		case *dsl.Let:
			t.let(s)
		case *dsl.Assign:
			if o, x := t.standsAlone(s.Value, 1); o != nil {
				t.opCall(o, x, nil, t.slots[s.Name.Name])
			}
			t.left(s.Name.Name, s.Left)
			t.expr(s.Value)
		case *dsl.Grad:
			t.left(s.Name.Name, s.Left)
			t.expr(s.Value)
		case *dsl.Dim:
			t.dim(s)
		case *dsl.Require:
			t.expr(s.Cond)
		case *dsl.Match:
			for _, arm := range s.Arms {
				t.stmts(arm.Body)
			}
		}
		t.scope = t.scope[:mark]
	}
}

func (t *rankTable) let(s *dsl.Let) {
	if s.Pack {
		t.expr(s.Value)
		t.compute(append(t.keys(s.Value), s.Names[0].Name))
		return
	}
	if o, x := t.standsAlone(s.Value, len(s.Names)); o != nil {
		t.opCall(o, x, s.Left, nil)
	}
	if s.Left != nil && len(s.Names) == 1 {
		t.slots[s.Names[0].Name] = t.binders(s.Left.Items)
	}
	t.expr(s.Value)
}

// standsAlone is the op that a right side calls, if the call is no part of an expression.
func (t *rankTable) standsAlone(right dsl.Expr, names int) (*operation, *dsl.Call) {
	x, is := right.(*dsl.Call)
	if p, inside := right.(*dsl.Paren); inside {
		return t.standsAlone(p.X, names)
	}
	if !is || !t.sig.isOpCall(x) {
		return nil, nil
	}
	_, o := t.sig.op.in.find(x.Package, x.Name.Name)
	if o == nil || names == 1 && isPointwiseOp(o.decl) && isPlain(o.decl) {
		return nil, nil
	}
	return o, x
}

// dim makes two packs one, or computes.
func (t *rankTable) dim(s *dsl.Dim) {
	t.expr(s.Value)
	if !s.Pack {
		return
	}
	keys := append(t.keys(s.Value), s.Name.Name)
	if id := bareName(s.Value); id != nil && t.isPack(id.Name) && id.Name != s.Name.Name && t.alias[id.Name] == "" &&
		!t.sig.axes[s.Name.Name].input {
		t.alias[s.Name.Name] = id.Name
		t.union(keys...)
		return
	}
	t.compute(keys)
}

// left binds the items of the left side of a declared tensor.
func (t *rankTable) left(name string, b *dsl.Bracket) {
	if b == nil {
		return
	}
	slots, declared := t.slots[name]
	made := t.binders(b.Items)
	if !declared {
		t.slots[name] = made
		return
	}
	t.meet(slots, made)
}

// meet makes the packs of two lists of axes one.
func (t *rankTable) meet(a, b []rankSlot) {
	for k := range a {
		if k == len(b) {
			return
		}
		if a[k].pack != "" && b[k].pack != "" {
			t.union(a[k].pack, b[k].pack)
		}
		t.meet(a[k].factor, b[k].factor)
	}
}

// binders declares the variables of a left side or reduction, and tells what they range over.
func (t *rankTable) binders(items []*dsl.Item) []rankSlot {
	r := []rankSlot{}
	for _, i := range items {
		r = append(r, t.binder(i))
	}
	return r
}

func (t *rankTable) binder(i *dsl.Item) rankSlot {
	switch v := i.Value.(type) {
	case *dsl.Tuple:
		return rankSlot{factor: t.binders(v.Items)}
	case *dsl.Paren:
		return rankSlot{factor: t.binders([]*dsl.Item{{Value: v.X, Span: v.Span}})}
	}
	if i.AxisPack != nil {
		return rankSlot{pack: i.AxisPack.Name}
	}
	if i.In && i.To != nil {
		t.expr(i.From)
		t.expr(i.To)
	}
	id := bareName(i.Value)
	if id == nil || !i.Pack {
		return rankSlot{}
	}
	key := id.Name + "@" + strconv.Itoa(id.Span.Start.Offset)
	t.vars[id.Span] = key
	if i.In && i.To != nil {
		t.compute(append(append(t.keys(i.From), t.keys(i.To)...), key))
	} else if axis := bareName(i.From); i.In && axis != nil {
		t.union(key, axis.Name)
	}
	t.scope = append(t.scope, scopedVar{id.Name, key})
	return rankSlot{pack: key}
}

// expr reads an expression.
func (t *rankTable) expr(x dsl.Expr) {
	switch x := x.(type) {
	case *dsl.Paren:
		t.expr(x.X)
	case *dsl.Unary:
		t.expr(x.X)
	case *dsl.Binary:
		t.expr(x.X)
		t.expr(x.Y)
	case *dsl.If:
		t.expr(x.Cond)
		t.expr(x.Then)
		t.expr(x.Else)
	case *dsl.Alt:
		for _, a := range x.Alts {
			t.expr(a)
		}
	case *dsl.Tuple:
		t.items(x.Items, nil)
	case *dsl.Ref:
		if x.Index != nil {
			t.items(x.Index.Items, t.slots[x.Name.Name])
		}
	case *dsl.Call:
		t.call(x)
	}
}

// items reads indices.
func (t *rankTable) items(items []*dsl.Item, slots []rankSlot) {
	for k, i := range items {
		if i.Value == nil {
			continue
		}
		var s rankSlot
		if k < len(slots) {
			s = slots[k]
		}
		switch v := i.Value.(type) {
		case *dsl.Tuple:
			t.items(v.Items, s.factor)
			continue
		case *dsl.Paren:
			if s.factor != nil && !i.Pack {
				t.items([]*dsl.Item{{Value: v.X, Span: v.Span}}, s.factor)
				continue
			}
		}
		t.expr(i.Value)
		if !i.Pack {
			continue
		}
		keys := t.keys(i.Value)
		if s.pack != "" {
			keys = append(keys, s.pack)
		}
		t.union(keys...)
		if id := bareName(i.Value); id == nil || isUpper(id.Name) || t.keyOf(id.Name) == "" { // a number: the same for each axis
			t.compute(keys)
		}
	}
}

// call reads a call. A reducer over a pack computes with it, but for a product of extents.
func (t *rankTable) call(x *dsl.Call) {
	mark := len(t.scope)
	if x.Index != nil {
		t.binders(x.Index.Items)
		if x.Index.Where != nil {
			t.expr(x.Index.Where)
		}
	}
	var keys []string
	for _, i := range x.Args {
		if i.Value == nil {
			continue
		}
		t.expr(i.Value)
		if i.Pack {
			keys = append(keys, t.keys(i.Value)...)
		}
	}
	if id := bareOf(x); x.Name.Name != "prod" || id == nil || !t.isPack(id.Name) {
		t.compute(keys)
	}
	for _, a := range x.Named {
		t.expr(a.Value)
	}
	t.scope = t.scope[:mark]
}

// bareOf is the name that is the one argument of a call.
func bareOf(x *dsl.Call) *dsl.Ident {
	if len(x.Args) != 1 {
		return nil
	}
	return bareName(x.Args[0].Value)
}
