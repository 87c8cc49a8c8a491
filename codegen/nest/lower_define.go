package nest

import (
	"math"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// definition is a map or a reduction over loops. Nests are made of them.
type definition struct {
	target  *ir.Tensor
	kept    loops // one for each axis of the target, in order
	reduced loops // none: a map
	monoid  Monoid
	root    *node
	reads   []*node // the elements that root is made of, in order of appearance
	indices loops   // loops whose index is a value in root
	// Whether it is a contraction, once somebody asked, and the definitions that it reads, once all are there.
	contraction *bool
	needs       []*definition
}

// all are the loops that the definition runs over.
func (d *definition) all() loops { return d.kept.union(d.reduced) }

func (d *definition) isMap() bool { return len(d.reduced) == 0 }

// setRoot sets what is computed at each point.
func (d *definition) setRoot(root *node) {
	d.root, d.reads, d.indices, d.contraction = root, nil, nil, nil
	walkNodes([]*node{root}, func(n *node) {
		switch n.op {
		case ir.OpRead:
			d.reads = append(d.reads, n)
		case ir.OpIndex:
			d.indices = d.indices.union(loops{n.loop})
		}
	})
}

// factors are the parts of what is added up as a product, also where a condition leaves products out.
func (d *definition) factors() []*node {
	var r []*node
	var split func(*node)
	split = func(n *node) {
		switch {
		case n.op == ir.OpMul:
			split(n.args[0])
			split(n.args[1])
		case n.op == ir.OpSelect && isZero(n.args[2]):
			r = append(r, n.args[0])
			split(n.args[1])
		case n.op == ir.OpSelect && isZero(n.args[1]):
			r = append(r, n.args[0])
			split(n.args[2])
		default:
			r = append(r, n)
		}
	}
	split(d.root)
	return r
}

// isContraction says whether the definition is a sum of products two factors of which meet in a reduced loop, while
// each runs over a loop that the other doesn't have. Such a sum does much more work than it reads memory.
func (d *definition) isContraction() bool {
	if d.contraction == nil {
		is := d.contracts()
		d.contraction = &is
	}
	return *d.contraction
}

func (d *definition) contracts() bool {
	if d.isMap() || d.monoid != SumOf {
		return false
	}
	fs := d.factors()
	for i, a := range fs {
		for _, b := range fs[:i] {
			both := slices.ContainsFunc(a.loops, func(l loop) bool { return b.loops.has(l) && d.reduced.has(l) })
			if both && !a.loops.hasAll(b.loops) && !b.loops.hasAll(a.loops) {
				return true
			}
		}
	}
	return false
}

// define makes definitions and virtual maps of what the outputs need.
func (l *lowering) define() error {
	l.graph = newGraph(l)
	byTarget := map[*ir.Tensor]*ir.Def{}
	for _, d := range l.f.Defs {
		byTarget[d.Target] = d
	}
	needed := map[*ir.Tensor]bool{}
	var need func(t *ir.Tensor)
	need = func(t *ir.Tensor) {
		d := byTarget[t]
		if d == nil || needed[t] {
			return
		}
		needed[t] = true
		for u := range d.Reads() {
			need(u)
		}
	}
	for _, t := range slices.Concat(l.f.Outputs, l.program.Saved) {
		if byTarget[t] == nil {
			return l.unsupported(t, "there is no definition of it")
		}
		need(t)
	}
	for _, d := range l.f.Defs {
		if !needed[d.Target] {
			continue
		}
		if err := l.defineOne(d); err != nil {
			return err
		}
	}
	return nil
}

func (l *lowering) defineOne(d *ir.Def) error {
	t := d.Target
	for u := range d.Reads() {
		if u.IsSize {
			return l.unsupported(t, "it has an axis whose extent is known only once the call computes")
		}
	}
	if d.Group != 0 {
		return l.unsupported(t, "it runs in order along an axis")
	}
	env, kept, reduced, err := l.spread(d)
	if err != nil {
		return err
	}
	visible := l.saved[t] || slices.Contains(l.f.Outputs, t)
	if len(reduced) == 0 && !visible {
		l.virtual[t] = d
		l.tracef("%s[%s] is a map: computed where it is read", t.Name, kept)
		return nil
	}
	if dt, ok := l.dtype(t.Elem); !ok || !dt.IsFloat() || l.isBool(t.Elem) {
		return l.unsupported(t, "its elements are no floats, and it must be kept")
	}
	def := &definition{target: t, kept: kept, reduced: reduced}
	if len(reduced) == 0 {
		terms := make([]term, len(kept))
		for i, k := range kept {
			terms[i] = term{loop: k}
		}
		def.setRoot(l.graph.element(d, terms, nil))
		l.tracef("%s[%s] is a map", t.Name, kept)
	} else {
		def.monoid = monoids[d.Monoid]
		def.setRoot(l.graph.filtered(d, env, kept))
		l.tracef("%s[%s] is a %s over %s", t.Name, kept, def.monoid, reduced)
		l.solve(def)
	}
	if err := l.graph.err; err != nil {
		err.Def = t.Name
		return err
	}
	if def.isMap() && !visible {
		l.solved[t] = def
		return nil
	}
	l.defs = append(l.defs, def)
	l.of[t] = def
	return nil
}

// monoids are those that nests have.
var monoids = map[ir.Monoid]Monoid{ir.Sum: SumOf, ir.Max: MaxOf, ir.Min: MinOf, ir.Prod: ProdOf}

// spread gives each variable of a definition its loop, and says which loops the target keeps. A computed index of
// the destination keeps a loop over the axis of the target: the map is solved for it (see graph.element).
func (l *lowering) spread(d *ir.Def) (env *scope, kept, reduced loops, err error) {
	uses := map[*ir.Axis]int{}
	next := func(a *ir.Axis) loop {
		uses[a]++
		return loop{axis: a, nth: uses[a] - 1}
	}
	env = newScope()
	computed := false
	for i, e := range d.Dest {
		axis := d.Target.Axes[i]
		k := next(axis)
		kept = append(kept, k)
		if e.Op != ir.OpIndex || axisOf(e.Var) != axis || env.has(e.Var) {
			computed = true
			continue
		}
		env.set(e.Var, term{loop: k})
	}
	for _, v := range d.Vars {
		if env.has(v) {
			continue
		}
		a := axisOf(v)
		if a == nil {
			return nil, nil, nil, l.unsupported(d.Target, "%s runs over a range that is no axis", v.Name)
		}
		r := next(a)
		reduced = append(reduced, r)
		env.set(v, term{loop: r})
	}
	_, known := monoids[d.Monoid]
	switch {
	case !known && d.Monoid != ir.Assign:
		err = l.unsupported(d.Target, "it is a reduction of conditions")
	case computed && len(reduced) > 0 && !l.isDense(kept.union(reduced)):
		err = l.unsupported(d.Target, "it scatters: several contributions can meet in one element")
	case (computed || len(d.Where) > 0) && d.Monoid != ir.Sum && d.Monoid != ir.Prod:
		err = l.unsupported(d.Target, "it isn't defined everywhere")
	}
	return env, kept, reduced, err
}

// isDense says whether some input or output has all axes that the loops run over. Then a scatter may visit all
// elements of its target for each contribution: that is no more than what such a tensor costs anyway.
func (l *lowering) isDense(all loops) bool {
	return slices.ContainsFunc(slices.Concat(l.f.Inputs, l.f.Outputs), func(t *ir.Tensor) bool {
		for _, x := range all {
			if x.nth > 0 || !slices.Contains(t.Axes, x.axis) {
				return false
			}
		}
		return true
	})
}

// axisOf is the axis that v runs over, also where that is written as a range from 0 to its extent; or nil.
func axisOf(v *ir.Var) *ir.Axis {
	if v.Axis == nil && ir.IsConst(v.Lo, 0) && v.Hi.Op == ir.OpExtent {
		return v.Hi.Axis
	}
	return v.Axis
}

// Identity values of the monoids of definitions, for points that a condition leaves out.
var identities = map[ir.Monoid]float64{ir.Sum: 0, ir.Prod: 1, ir.Max: math.Inf(-1), ir.Min: math.Inf(1)}
