package check

import (
	"strconv"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
)

// binders binds the items of a reduction. A variable without a range takes the one axis that it indexes in the
// expressions. It is false where something is wrong.
func (l *lowering) binders(items []*dsl.Item, exprs []dsl.Expr, e *env) bool {
	ok := true
	for _, i := range items {
		ok = l.binder(i, exprs, e) && ok
	}
	return ok
}

func (l *lowering) binder(i *dsl.Item, exprs []dsl.Expr, e *env) bool {
	at := site{i.Span, e}
	if i.Star {
		l.errorf(at, "all-tensors", "`*` is all axes of all tensors, and stands in a reduction")
		return false
	}
	if i.AxisPack != nil {
		e.bind(l.over(i.AxisPack.Name))
		return true
	}
	switch v := i.Value.(type) {
	case *dsl.Tuple:
		return l.binders(v.Items, exprs, e)
	case *dsl.Paren:
		return l.binder(&dsl.Item{Value: v.X, Span: v.Span}, exprs, e)
	}
	id := bareName(i.Value)
	if id == nil {
		return false
	}
	if isUpper(id.Name) {
		if axes, given := e.axisArgs[id.Name]; given {
			for _, a := range axes.names {
				e.bind(l.over(a))
			}
			return true
		}
		if l.sig.axes[id.Name] == nil || e.closed {
			return false
		}
		e.bind(l.over(id.Name))
		return true
	}
	if i.In && i.To != nil {
		return l.ranged(*id, i, e)
	}
	axis, ok := l.axisFor(*id, i, exprs, e)
	if !ok {
		return false
	}
	b := l.over(axis)
	b.setName(id.Name)
	e.bind(b)
	return true
}

// axisFor finds the axis of a variable: the one that it is given, or the one that it indexes.
func (l *lowering) axisFor(id dsl.Ident, i *dsl.Item, exprs []dsl.Expr, e *env) (string, bool) {
	at := site{i.Span, e}
	axis := ""
	if i.In {
		a := bareName(i.From)
		if a == nil || l.sig.axes[a.Name] == nil || e.closed {
			l.errorf(at, "binder", "expected an axis or a range behind `in`").WithHint("as in [%s in K] or [%s in 0..n]", id.Name, id.Name)
			return "", false
		}
		axis = a.Name
	} else {
		found, unknown := l.indexedBy(id.Name, func(item, axis bool) bool { return item == i.Pack && axis == i.Pack }, exprs, e)
		if len(found) == 0 && unknown {
			return "", false // it indexes what is not yet defined, which is reported where that is read
		}
		if other, _ := l.indexedBy(id.Name, func(_, axis bool) bool { return axis != i.Pack }, exprs, e); len(found) == 0 && len(other) == 1 {
			found = other // a pack for one axis, or the other way round
		}
		if len(found) != 1 {
			why := "it indexes no axis directly"
			if len(found) > 1 {
				why = "it indexes " + strings.Join(found, " and ")
			}
			l.errorf(at, "binder-range", "nothing tells what %s runs over: %s", quote(id.Name), why).WithHint("write %s in …", id.Name)
			return "", false
		}
		axis = found[0]
	}
	if pack := l.sig.axes[axis].pack; pack != i.Pack {
		what := map[bool]string{true: "a pack, so its index is written ..", false: "one axis, so its index is written "}
		l.errorf(at, "index-pack", "%s is %s%s", quote(l.axisText(axis)), what[pack], id.Name)
		return "", false
	}
	return axis, true
}

// indexedBy gives the axes that a variable indexes, alone in a slot; and whether it indexes anything whose axes aren't
// known.
func (l *lowering) indexedBy(name string, fits func(item, axis bool) bool, exprs []dsl.Expr, e *env) (found []string, unknown bool) {
	if e.closed {
		return nil, false
	}
	seen := map[string]bool{}
	var look func(slots []slot, items []*dsl.Item)
	look = func(slots []slot, items []*dsl.Item) {
		for k, i := range items {
			if k == len(slots) {
				return
			}
			s := slots[k]
			if s.factor != nil {
				switch t := i.Value.(type) {
				case *dsl.Tuple:
					look(s.factor, t.Items)
				case *dsl.Paren:
					look(s.factor, []*dsl.Item{{Value: t.X}})
				}
				continue
			}
			if id := bareName(i.Value); id != nil && id.Name == name && s.axis != "" && fits(i.Pack, s.pack) && !seen[s.axis] {
				seen[s.axis] = true
				found = append(found, s.axis)
			}
		}
	}
	for _, x := range exprs {
		dsl.Inspect(x, func(n any) bool {
			if r, is := n.(*dsl.Ref); is && r.Index != nil {
				slots := l.slotsNamed(r)
				unknown = unknown || slots == nil && !isUpper(r.Name.Name)
				look(slots, r.Index.Items)
			}
			return true
		})
	}
	return found, unknown
}

// slotsNamed are the slots of what a reference names, as far as they are known.
func (l *lowering) slotsNamed(r *dsl.Ref) []slot {
	name := r.Name.Name
	if r.Prime {
		name += "'"
	}
	if v := l.table[name]; v != nil && !r.Cotangent && !v.broken {
		return v.slots
	}
	if d := l.sig.find(r.Name.Name); d != nil && !d.param.Infer {
		return l.slotsOf(d.param.Axes)
	}
	return nil
}

// ranged binds a variable that runs over a range.
func (l *lowering) ranged(id dsl.Ident, i *dsl.Item, e *env) bool {
	b, _, ok := l.rangeOf(id, i, e, func(name string, i *dsl.Item, e *env) (*binding, slot, bool) {
		lo, hi, ok := l.bounds(i, e)
		if !ok {
			return nil, slot{}, false
		}
		v := &ir.Var{Name: name, Lo: lo, Hi: hi}
		l.paths[v] = e.path
		if hi.Op == ir.OpExtent && ir.IsConst(lo, 0) {
			v = &ir.Var{Name: name, Axis: hi.Axis}
		}
		return &binding{name: name, v: v, value: ir.Index(v)}, slot{}, true
	})
	if ok {
		e.bind(b)
	}
	return ok
}

// rangeOf makes the index of a range, of a pack one for each component.
func (l *lowering) rangeOf(id dsl.Ident, i *dsl.Item, e *env, one func(string, *dsl.Item, *env) (*binding, slot, bool)) (*binding, slot, bool) {
	if !i.Pack {
		return one(id.Name, i, e)
	}
	n, known := l.rank(l.sig.ranks.vars[id.Span])
	if !known {
		l.errorf(site{i.Span, e}, "pack-rank", "nothing tells how many components %s has", quote(".."+id.Name)).
			WithHint("name a pack or a list in its range, or index a pack with it")
		return nil, slot{}, false
	}
	b := &binding{name: id.Name, pack: true, spread: true}
	s := slot{pack: true, spread: true}
	for k := range n {
		p, q, ok := one(id.Name+strconv.Itoa(k), i, e.component(k))
		if !ok {
			return nil, slot{}, false
		}
		b.parts = append(b.parts, p)
		s.parts = append(s.parts, q)
	}
	return b, s, true
}

// bounds lowers the ends of a range, as lo ≤ v < hi.
func (l *lowering) bounds(i *dsl.Item, e *env) (lo, hi *ir.Value, ok bool) {
	lo, hi = l.indexValue(i.From, e), l.indexValue(i.To, e)
	if isBad(lo, hi) {
		return nil, nil, false
	}
	for k, b := range []*ir.Value{lo, hi} {
		if b.Const != nil && !b.Const.IsInt() {
			l.errorf(e.at([]dsl.Expr{i.From, i.To}[k]), "range-whole", "the end of a range is whole; this is %s", b.Const.RatString())
			return nil, nil, false
		}
	}
	lo, hi = exactIndex(lo), exactIndex(hi)
	if i.Inclusive {
		hi = ir.Add(hi, ir.Int(1))
	}
	if n := ir.Sub(hi, lo); isLong(n) {
		l.errorf(site{diag.Span{Start: i.From.Pos().Start, End: i.To.Pos().End}, e}, "number-range", "a range has at most 2^44 numbers; this one has %s", numberText(n.Const, ""))
		return nil, nil, false
	}
	return lo, hi, true
}

// unnamed makes an axis for a range that is none.
func (l *lowering) unnamed(variable string, extent *ir.Value, span diag.Span) *ir.Axis {
	a := &ir.Axis{Name: l.axisName("range_" + variable)}
	l.giveExtent(a, extent, site{span, nil})
	return a
}

// leftSide binds the items of a left side. Slots are those of a declared tensor; else the items make them.
func (l *lowering) leftSide(id dsl.Ident, left *dsl.Bracket, slots []slot, right dsl.Expr, e *env) ([]slot, bool) {
	if slots == nil {
		ok := true
		made := []slot{}
		for _, i := range left.Items {
			s, fine := l.freeSlot(i, right, e)
			made = append(made, s)
			ok = ok && fine
		}
		return made, ok
	}
	if len(left.Items) != len(slots) {
		l.errorf(site{left.Span, e}, "index-count", "%s has %s, not %d", quote(id.Name), plural(len(slots), "axis"), len(left.Items))
		return slots, false
	}
	ok := true
	for k, i := range left.Items {
		ok = l.ownSlot(slots[k], i, e) && ok
	}
	return slots, ok
}

// onLeft notes an index variable of a left side, which must be of use under some choice.
func (l *lowering) onLeft(id dsl.Ident) *symbol {
	if l.op.indices == nil {
		l.op.indices = map[diag.Span]*symbol{}
	}
	s := l.op.indices[id.Span]
	if s == nil {
		s = &symbol{name: id.Name, kind: symIndex, span: id.Span}
		l.op.indices[id.Span] = s
	}
	return s
}

// ownSlot binds an item of a left side to a declared axis.
func (l *lowering) ownSlot(s slot, i *dsl.Item, e *env) bool {
	at := site{i.Span, e}
	if s.factor != nil {
		var items []*dsl.Item
		switch t := i.Value.(type) {
		case *dsl.Tuple:
			items = t.Items
		case *dsl.Paren:
			items = []*dsl.Item{{Value: t.X, Span: t.Span}}
		}
		if id := bareName(i.Value); items == nil && id != nil && !isUpper(id.Name) && !i.In && !i.Pack {
			l.flatSlot(s, *id, e)
			return true
		}
		if len(items) != len(s.factor) {
			l.errorf(at, "index-product", "this axis is a product: name an index for each of its %d factors in parentheses, or one for all", len(s.factor))
			return false
		}
		ok := true
		for k, f := range s.factor {
			ok = l.ownSlot(f, items[k], e) && ok
		}
		return ok
	}
	name := i.AxisPack
	if id := bareName(i.Value); name == nil && id != nil {
		name = id
	}
	if name == nil {
		l.reported() // with the names
		return false
	}
	b := l.over(s.axis)
	if !isUpper(name.Name) {
		b.setName(name.Name)
		b.use = l.onLeft(*name)
	}
	e.bind(b) // also where something is wrong: the right side then draws no errors of its own
	given := name.Name
	if i.In {
		a := bareName(i.From)
		if a == nil || i.To != nil {
			l.errorf(at, "left-range", "%s stands for axis %s, which has its extent", quote(name.Name), quote(l.axisText(s.axis)))
			return false
		}
		given = a.Name
	}
	if isUpper(given) && given != s.axis {
		l.errorf(at, "left-axis", "axis %s stands here, not %s", quote(l.axisText(s.axis)), quote(l.axisText(given)))
		return false
	}
	if !isUpper(name.Name) && i.Pack != s.pack {
		what := map[bool]string{true: "a pack: write ..", false: "one axis: write "}
		l.errorf(at, "index-pack", "%s is %s%s", quote(l.axisText(s.axis)), what[s.pack], name.Name)
		return false
	}
	return true
}

// flatSlot binds a variable to the flat index of a product of axes: row-major over its factors.
func (l *lowering) flatSlot(s slot, id dsl.Ident, e *env) {
	index := ir.Int(0)
	for _, f := range flat([]slot{s}) {
		b := l.over(f.axis)
		e.bind(b)
		for _, p := range b.each() {
			index = ir.Add(ir.Mul(index, ir.Extent(p.v.Axis)), p.value)
		}
	}
	e.scopes.vars[id.Name] = &binding{name: id.Name, value: index, use: l.onLeft(id)}
}

// freeSlot binds an item of the left side of a let, which makes an axis of it.
func (l *lowering) freeSlot(i *dsl.Item, right dsl.Expr, e *env) (slot, bool) {
	switch t := i.Value.(type) {
	case *dsl.Tuple:
		s, ok := slot{factor: []slot{}}, true
		for _, j := range t.Items {
			f, fine := l.freeSlot(j, right, e)
			s.factor = append(s.factor, f)
			ok = ok && fine
		}
		return s, ok
	case *dsl.Paren:
		f, ok := l.freeSlot(&dsl.Item{Value: t.X, Span: t.Span}, right, e)
		return slot{factor: []slot{f}}, ok
	}
	if i.AxisPack != nil {
		return l.named(l.over(i.AxisPack.Name), e), true
	}
	id := bareName(i.Value)
	if id == nil {
		l.reported() // with the names
		return slot{}, false
	}
	if isUpper(id.Name) {
		return l.named(l.over(id.Name), e), true
	}
	if i.In && i.To != nil {
		return l.rangeSlot(*id, i, e)
	}
	axis, ok := l.axisFor(*id, i, []dsl.Expr{right}, e)
	if !ok {
		return slot{}, false
	}
	b := l.over(axis)
	b.setName(id.Name)
	b.use = l.onLeft(*id)
	return l.named(b, e), true
}

// named binds an index over an axis and makes the slot of it.
func (l *lowering) named(b *binding, e *env) slot {
	e.bind(b)
	return b.slot()
}

// rangeSlot makes an axis without a name of a range.
func (l *lowering) rangeSlot(id dsl.Ident, i *dsl.Item, e *env) (slot, bool) {
	b, s, ok := l.rangeOf(id, i, e, l.rangePart)
	if ok {
		b.use = l.onLeft(id)
		e.bind(b)
	}
	return s, ok
}

// rangePart makes one axis of a range.
func (l *lowering) rangePart(name string, i *dsl.Item, e *env) (*binding, slot, bool) {
	lo, hi, ok := l.bounds(i, e)
	if !ok {
		return nil, slot{}, false
	}
	if lo, hi = l.settle(lo), l.settle(hi); isBad(lo, hi) {
		return nil, slot{}, false
	}
	if len(ir.FreeVars(lo, hi)) > 0 {
		l.errorf(site{i.Span, e}, "left-range", "the axes of a definition are the same for all elements: this range depends on an index")
		return nil, slot{}, false
	}
	b := &binding{name: name}
	s := slot{}
	if hi.Op == ir.OpExtent && ir.IsConst(lo, 0) {
		b.v = &ir.Var{Name: name, Axis: hi.Axis}
		b.value, s.extent = ir.Index(b.v), hi.Axis
		return b, s, true
	}
	b.v = &ir.Var{Name: name}
	if hasDType(lo, hi) || !isUniform(lo) || !isUniform(hi) || l.root.totalled() {
		b.v.Axis = l.longest(site{i.Span, e}, name, nil, lo, hi, nil)
	} else {
		b.v.Axis = l.unnamed(name, ir.Call(ir.OpMax, ir.Sub(hi, lo), ir.Int(0)), i.Span)
	}
	b.value, s.extent = ir.Add(ir.Index(b.v), lo), b.v.Axis
	if !ir.IsConst(lo, 0) {
		s.lo = lo
	}
	return b, s, true
}
