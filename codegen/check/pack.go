package check

import (
	"strconv"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

// rank is the number of axes of a pack, list or variable in this variant; false: the op only carries it, or nothing
// tells.
func (l *lowering) rank(key string) (int, bool) {
	c := l.sig.ranks.classOf(key)
	if c == nil || !c.computed {
		return 0, false
	}
	if l.callee != nil {
		for _, p := range c.packs {
			if n, known := l.callee.align.Ranks[p]; known {
				return n, true
			}
		}
	}
	if len(c.packs) == 0 {
		return c.options[0], len(c.options) == 1
	}
	if l.callee != nil {
		return 0, false
	}
	name := c.packs[0]
	o := l.choose.choose("rank "+name, len(c.options), func(o int) ir.Choice { return ir.Choice{Rank: name, N: c.options[o]} })
	return c.options[o], true
}

// parts are the axes of a pack, if the op computes with it.
func (l *lowering) parts(pack string) ([]*ir.Axis, bool) {
	if d := l.sig.axes[pack]; d == nil || !d.pack {
		return nil, false
	}
	if p, known := l.spread[pack]; known {
		return p, true
	}
	n, ok := l.rank(pack)
	if !ok {
		return nil, false
	}
	p := make([]*ir.Axis, n)
	for k := range p {
		if l.callee != nil {
			p[k] = l.freshAxis(pack)
			continue
		}
		name := pack + strconv.Itoa(k)
		p[k] = &ir.Axis{Name: l.axisName(name), Of: pack, At: k}
	}
	l.spread[pack] = p
	return p, true
}

// each are the indices of which a binding is made: those of the axes of a pack that is computed with, or itself.
func (b *binding) each() []*binding {
	if b.spread {
		return b.parts
	}
	return []*binding{b}
}

// setName names the variables of a binding.
func (b *binding) setName(name string) {
	b.name = name
	if !b.spread {
		b.v.Name = name
	}
	for k, p := range b.parts {
		p.v.Name = name + strconv.Itoa(k)
	}
}

// slot is the place of a tensor that a binding makes.
func (b *binding) slot() slot {
	s := slot{axis: b.axis, pack: b.pack, spread: b.spread}
	if !b.spread {
		s.extent = b.v.Axis
	}
	for _, p := range b.parts {
		s.parts = append(s.parts, slot{extent: p.v.Axis})
	}
	return s
}

// component is the environment of one component of what is computed pack by pack.
func (e *env) component(k int) *env { return e.with(func(n *env) { n.comp = k + 1 }) }

// whole is the environment of a number inside of what is computed by components.
func (e *env) whole() *env { return e.with(func(n *env) { n.comp = 0 }) }

// countOf is the number of components of an expression.
func (l *lowering) countOf(x dsl.Expr, e *env) (int, bool) {
	n, found := 0, false
	look := func(xs ...dsl.Expr) {
		for _, x := range xs {
			if !found && x != nil {
				n, found = l.countOf(x, e)
			}
		}
	}
	switch x := x.(type) {
	case *dsl.Paren:
		look(x.X)
	case *dsl.Unary:
		look(x.X)
	case *dsl.Binary:
		look(x.X, x.Y)
	case *dsl.If:
		look(x.Cond, x.Then, x.Else)
	case *dsl.Alt:
		look(x.Alts...)
	case *dsl.Call:
		for _, i := range x.Args {
			if i.Pack == (x.Name.Name == "unravel") {
				look(i.Value)
			}
		}
	case *dsl.Ref:
		if x.Index != nil {
			for _, i := range x.Index.Items {
				if !i.Pack {
					look(i.Value)
				}
			}
			return n, found
		}
		return l.countOfName(x.Name.Name, e)
	}
	return n, found
}

func (l *lowering) countOfName(name string, e *env) (int, bool) {
	if b := e.variable(name); b != nil {
		return len(b.parts), b.spread
	}
	if c := e.params[name]; c != nil {
		if c.expr == nil {
			return 0, false
		}
		return l.countOf(c.expr, c.env)
	}
	if e.closed {
		return 0, false
	}
	if p, is := l.parts(name); is {
		return len(p), true
	}
	if a := l.sig.attr(name); a != nil && a.decl.List != "" {
		return l.rank(name)
	}
	if v := l.table[name]; v != nil && v.list != nil {
		return len(v.list), true
	}
	return 0, false
}

// components lowers an expression for each component. Same is how many there must be, if that is known.
func (l *lowering) components(x dsl.Expr, same int, e *env, lower func(dsl.Expr, *env) *ir.Value) ([]*ir.Value, bool) {
	n, known := l.countOf(x, e)
	switch {
	case !known && same < 0:
		l.errorf(e.at(x), "pack-rank", "nothing tells how many components this has").WithHint("name a pack, a list or an index of a pack in it")
		return nil, false
	case !known:
		n = same
	case same >= 0 && n != same:
		l.errorf(e.at(x), "pack-rank", "this has %s, but %d are wanted", plural(n, "component"), same)
		return nil, false
	}
	r := make([]*ir.Value, n)
	ok := true
	for k := range r {
		r[k] = lower(x, e.component(k))
		ok = ok && !isBad(r[k])
	}
	return r, ok
}

// fold is a reducer over components: prod(..S) is the number of elements of a pack.
func (l *lowering) fold(x *dsl.Call, e *env) *ir.Value {
	at := e.at(x)
	id := bareName(x.Args[0].Value)
	if x.Name.Name == "prod" && x.Index == nil && id != nil && !e.closed {
		if d := l.sig.axes[id.Name]; d != nil && d.pack {
			if !l.axisThere(id.Name) {
				return l.absence(at, id.Name)
			}
			if _, spread := l.parts(id.Name); !spread {
				return ir.Extent(l.axis(id.Name))
			}
		}
	}
	if x.Index != nil || len(x.Args) != 1 {
		l.errorf(at, "pack-fold", "a reducer over the components of a pack takes them and nothing else").WithHint("write %s(..%s)", x.Name.Name, "e")
		return bad
	}
	list, ok := l.components(x.Args[0].Value, -1, e, l.expr)
	if !ok {
		return bad
	}
	f, is := folds[x.Name.Name]
	if !is {
		l.errorf(at, "pack-fold", "%s doesn't reduce the components of a pack", quote(x.Name.Name)).WithHint("sum, prod, mean, max, min, any and all do")
		return bad
	}
	return f(l, at, quote(x.Name.Name), list)
}

// folds reduce a list of values.
var folds = map[string]func(l *lowering, at site, what string, list []*ir.Value) *ir.Value{
	"sum": foldSum,
	"prod": func(l *lowering, at site, what string, v []*ir.Value) *ir.Value {
		return l.folded(at, ir.OpMul, what, ir.Int(1), v)
	},
	"mean": func(l *lowering, at site, what string, v []*ir.Value) *ir.Value {
		if len(v) == 0 {
			return ir.NaN()
		}
		return l.apply(at, ir.OpDiv, what, foldSum(l, at, what, v), ir.Int(int64(len(v))))
	},
	"max": func(l *lowering, at site, what string, v []*ir.Value) *ir.Value {
		return l.folded(at, ir.OpMax, what, nil, v)
	},
	"min": func(l *lowering, at site, what string, v []*ir.Value) *ir.Value {
		return l.folded(at, ir.OpMin, what, nil, v)
	},
	"any": func(l *lowering, at site, what string, v []*ir.Value) *ir.Value { return l.tests(at, what, v, ir.Or) },
	"all": func(l *lowering, at site, what string, v []*ir.Value) *ir.Value { return l.tests(at, what, v, ir.And) },
}

func foldSum(l *lowering, at site, what string, v []*ir.Value) *ir.Value {
	return l.folded(at, ir.OpAdd, what, ir.Int(0), v)
}

// folded joins values by an op; of none it is unit, or absent without one.
func (l *lowering) folded(at site, op ir.Op, what string, unit *ir.Value, list []*ir.Value) *ir.Value {
	if len(list) == 0 {
		switch {
		case unit != nil:
			return unit
		case at.env.guard != nil:
			at.env.guard.absent = true
		default:
			l.errorf(at, "absent", "%s has nothing to run over where the pack has no axes", what).WithHint("write … ?? …, or require rank(S) > 0")
		}
		return bad
	}
	v := list[0]
	if !isBad(v) && !l.number(at, what, v) {
		return bad
	}
	for _, x := range list[1:] {
		v = l.apply(at, op, what, v, x)
	}
	return v
}

func (l *lowering) tests(at site, what string, list []*ir.Value, join func(...*ir.Value) *ir.Value) *ir.Value {
	for _, v := range list {
		if v.Type.Kind != ir.Bool {
			l.errorf(at, "type-condition", "%s takes conditions, not %s", what, l.typeText(v)).WithHint("compare it: … != 0")
			return bad
		}
	}
	return join(list...)
}

// ravel is the flat index of an index of a pack, row-major.
func (l *lowering) ravel(x *dsl.Call, e *env) *ir.Value {
	at := e.at(x)
	if len(x.Args) != 2 || !x.Args[0].Pack || !x.Args[1].Pack {
		l.errorf(at, "pack-arg", "`ravel` takes an index of a pack and the extents").WithHint("write ravel(..i, ..S)")
		return bad
	}
	sizes, ok := l.components(x.Args[1].Value, -1, e, l.expr)
	if !ok {
		return bad
	}
	index, ok := l.components(x.Args[0].Value, len(sizes), e, l.expr)
	if !ok {
		return bad
	}
	flat := ir.Int(0)
	for k, i := range index {
		flat = l.apply(at, ir.OpAdd, "`ravel`", l.apply(at, ir.OpMul, "`ravel`", flat, sizes[k]), i)
	}
	return flat
}

// unravel is one component of the index that a flat index stands for. The first isn't reduced, so that a flat index out
// of range gives an index out of range.
func (l *lowering) unravel(x *dsl.Call, e *env) *ir.Value {
	at := e.at(x)
	if len(x.Args) != 2 || x.Args[0].Pack || !x.Args[1].Pack || e.comp == 0 {
		l.errorf(at, "pack-arg", "`unravel` gives an index of a pack, from a number and the extents").WithHint("write ..unravel(k, ..S)")
		return bad
	}
	k := l.indexValue(x.Args[0].Value, e.whole())
	sizes, ok := l.components(x.Args[1].Value, -1, e, l.expr)
	if !ok || isBad(k) {
		return bad
	}
	return l.digit(at, exactIndex(k), sizes, e.comp-1)
}

// digit is one digit of a number in the mixed base of extents.
func (l *lowering) digit(at site, flat *ir.Value, sizes []*ir.Value, which int) *ir.Value {
	const what = "a flat index"
	unit := ir.Int(1)
	for _, n := range sizes[which+1:] {
		unit = l.apply(at, ir.OpMul, what, unit, n)
	}
	d := flat
	if !ir.IsConst(unit, 1) {
		d = l.apply(at, ir.OpFloor, what, l.apply(at, ir.OpDiv, what, flat, unit))
	}
	if which > 0 {
		d = l.apply(at, ir.OpMod, what, d, sizes[which])
	}
	return d
}

// packRank is rank(S).
func (l *lowering) packRank(x *dsl.Call, e *env) *ir.Value {
	id := packArg(x)
	if id == nil || e.closed || !l.sig.ranks.isPack(id.Name) {
		l.errorf(e.at(x), "pack-arg", "`rank` takes a pack").WithHint("write rank(S)")
		return bad
	}
	if p, spread := l.parts(id.Name); spread {
		return ir.Int(int64(len(p)))
	}
	return ir.Extent(l.carried(id.Name, ir.RankOf))
}

// carried stands for an extent or the rank of a pack that the op only carries.
func (l *lowering) carried(pack string, at int) *ir.Axis {
	name := "rank(" + pack + ")"
	if at != ir.RankOf {
		name = ir.EntryName(pack, at)
	}
	a := l.axes[name]
	if a == nil {
		a = &ir.Axis{Name: name, Of: pack, At: at}
		l.axes[name] = a
		l.fn.Axes = append(l.fn.Axes, a)
	}
	return a
}

// packExtent is S[k], an extent of a pack, absent where the pack has fewer axes.
func (l *lowering) packExtent(name string, x *dsl.Ref, at site) *ir.Value {
	k, ok := l.position(x, at)
	if !ok {
		return bad
	}
	if p, spread := l.parts(name); spread {
		if k < 0 || k >= len(p) {
			return l.absence(at, name+"["+strconv.Itoa(k)+"]")
		}
		return ir.Extent(p[k])
	}
	if k < 0 {
		return l.absence(at, name+"["+strconv.Itoa(k)+"]")
	}
	there := ir.Call(ir.OpLt, ir.Int(int64(k)), ir.Extent(l.carried(name, ir.RankOf)))
	if at.env.guard != nil {
		at.env.guard.conds = append(at.env.guard.conds, there)
	} else {
		l.fn.Requires = append(l.fn.Requires, ir.Require{Cond: there, Message: name + " has no axis " + strconv.Itoa(k), Span: at.span})
	}
	return ir.Extent(l.carried(name, k))
}

// position is the constant index of an entry of a pack or list.
func (l *lowering) position(x *dsl.Ref, at site) (int, bool) {
	if len(x.Index.Items) != 1 || x.Index.Items[0].Pack || x.Index.Items[0].Value == nil {
		l.errorf(at, "index-count", "%s has one index", quote(x.Name.Name))
		return 0, false
	}
	v := l.expr(x.Index.Items[0].Value, at.env.whole())
	if isBad(v) {
		return 0, false
	}
	if v.Const == nil || !v.Const.IsInt() || !v.Const.Num().IsInt64() {
		l.errorf(at, "index-constant", "which entry of %s this is must be known when generating: write a number", quote(x.Name.Name))
		return 0, false
	}
	return int(v.Const.Num().Int64()), true
}

// listEntry is an entry of a list: by index, or the one of this component.
func (l *lowering) listEntry(a *attribute, x *dsl.Ref, at site) *ir.Value {
	name := a.decl.Name
	n, ok := l.rank(name)
	if !ok {
		l.errorf(at, "pack-rank", "nothing tells how many entries %s has", quote(name))
		return bad
	}
	k := at.env.comp - 1
	switch {
	case x.Index != nil:
		if k, ok = l.position(x, at); !ok {
			return bad
		}
	case k < 0:
		l.errorf(at, "index-list", "%s is a list", quote(name)).WithNote(a.syntax.Span, "declared here").
			WithHint("write an entry, %s[0], or ..%s where an index of a pack stands", name, name)
		return bad
	}
	if a.decl.Optional && !l.has(name) {
		return l.absence(at, name)
	}
	if k < 0 || k >= n {
		if at.env.guard == nil && !isUpper(a.decl.List) {
			l.errorf(at, "index-range", "%s has no entry %d: it has %s, counted from 0", quote(name), k, plural(n, "entry")).WithNote(a.syntax.Span, "declared here")
			return bad
		}
		return l.absence(at, ir.EntryName(name, k))
	}
	if l.callee != nil {
		return l.callee.number(l, a, k, at)
	}
	return ir.ScalarOf(l.entries(a, n)[k])
}

// entries are the scalars of a list.
func (l *lowering) entries(a *attribute, n int) []*ir.Scalar {
	name := a.decl.Name
	if l.lists[name] == nil {
		list := make([]*ir.Scalar, n)
		for k := range list {
			list[k] = &ir.Scalar{Name: ir.EntryName(name, k), Type: scalarTypes[a.decl.Kind], List: name, At: k, Span: a.decl.Span}
		}
		l.lists[name] = list
	}
	return l.lists[name]
}

// listLet is `let ..s = e`: numbers, one for each axis.
func (l *lowering) listLet(s *dsl.Let, e *env) {
	id := s.Names[0]
	v := &value{name: id.Name, span: id.Span}
	l.table[id.Name] = v
	n, known := l.rank(id.Name)
	if !known {
		n = -1
	}
	list, ok := l.components(s.Value, n, e.with(func(n *env) { n.host = true }), l.expr)
	for _, x := range list {
		if ok && !isUniform(x) {
			l.errorf(e.at(s.Value), "list-let", "a list of a let is made of attributes and extents")
			ok = false
		}
	}
	if v.list = list; !ok || list == nil && n != 0 {
		v.broken = true
	}
	if v.list == nil {
		v.list = []*ir.Value{}
	}
}
