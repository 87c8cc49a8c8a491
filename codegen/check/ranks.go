package check

import (
	"slices"
	"strconv"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
)

// maxRank bounds the numbers of axes of packs that are computed with, where no requirement says otherwise.
const maxRank = 3

// mostRanks bounds what a requirement may ask for.
const mostRanks = 8

// rankTable tells which packs, lists and indices of packs have one number of axes, and which packs the op computes
// with: it takes their axes one by one, so each variant is for one number of them. It follows from names alone.
type rankTable struct {
	sig      *signature
	parent   map[string]string
	computed map[string]bool
	alias    map[string]string    // packs that a dim makes equal to another, and nothing else
	vars     map[diag.Span]string // keys of index variables by the place of their binder
	slots    map[string][]rankSlot
	scope    []scopedVar
	classes  map[string]*rankClass
}

// rankClass is what has one number of axes.
type rankClass struct {
	packs    []string // in the order of the signature
	computed bool
	options  []int // numbers of axes that variants are made for
}

// rankSlot is an axis of a tensor: a pack or product, or neither.
type rankSlot struct {
	pack   string // key
	factor []rankSlot
}

// scopedVar is an index variable of a pack.
type scopedVar struct{ name, key string }

// newRankTable reads the body of an op.
func newRankTable(s *signature) *rankTable {
	t := &rankTable{sig: s, parent: map[string]string{}, computed: map[string]bool{}, alias: map[string]string{},
		vars: map[diag.Span]string{}, slots: map[string][]rankSlot{}, classes: map[string]*rankClass{}}
	for _, d := range append(slices.Clone(s.inputs), s.outputs...) {
		if !d.param.Infer {
			t.slots[d.param.Name] = slotsOfRefs(d.param.Axes)
		}
	}
	for _, a := range s.attrs {
		if t.isPack(a.decl.List) {
			t.union(a.decl.Name, a.decl.List)
		}
		if a.decl.Kind == ir.AttrAxes {
			for _, w := range a.decl.Axes {
				t.union(w, a.decl.Axes[0])
			}
		}
		if a.decl.List != "" {
			t.computed[a.decl.Name] = true
		}
	}
	if s.op.decl.Short != nil {
		t.expr(s.op.decl.Short)
	}
	t.stmts(s.op.decl.Body)
	t.finish()
	return t
}

func slotsOfRefs(refs []ir.AxisRef) []rankSlot {
	r := []rankSlot{}
	for _, a := range refs {
		switch {
		case a.Product != nil:
			r = append(r, rankSlot{factor: slotsOfRefs(a.Product)})
		case a.Pack:
			r = append(r, rankSlot{pack: a.Name})
		default:
			r = append(r, rankSlot{})
		}
	}
	return r
}

func (t *rankTable) isPack(name string) bool {
	d := t.sig.axes[name]
	return d != nil && d.pack
}

func (t *rankTable) find(key string) string {
	for t.parent[key] != "" {
		key = t.parent[key]
	}
	return key
}

func (t *rankTable) union(keys ...string) {
	for _, k := range keys[min(1, len(keys)):] {
		if a, b := t.find(keys[0]), t.find(k); a != b {
			t.parent[b] = a
		}
	}
}

// finish collects the classes.
func (t *rankTable) finish() {
	class := func(key string) *rankClass {
		root := t.find(key)
		c := t.classes[root]
		if c == nil {
			c = &rankClass{}
			t.classes[root] = c
		}
		return c
	}
	for _, name := range t.sig.axisOrder {
		if t.sig.axes[name].pack {
			c := class(name)
			c.packs = append(c.packs, name)
		}
	}
	for key := range t.computed {
		class(key).computed = true
	}
	lists := map[*rankClass]bool{}
	for _, a := range t.sig.attrs {
		if a.decl.List == "" {
			continue
		}
		c := class(a.decl.Name)
		lists[c] = true
		if n, err := strconv.Atoi(a.decl.List); err == nil {
			if c.options != nil && c.options[0] != n {
				t.sig.rep.errorf(a.syntax.List.Span, "pack-rank", "%s has %s, but meets a list of %d", quote(a.decl.Name), plural(n, "entry"), c.options[0])
			}
			c.options = []int{n}
		}
	}
	for _, c := range t.classes {
		distinct := 0
		for _, p := range c.packs {
			if t.alias[p] == "" {
				distinct++
			}
		}
		c.computed = c.computed || distinct > 1
		if c.options != nil {
			continue
		}
		least := 0
		if lists[c] {
			least = 1 // a list has an entry
		}
		for n := least; n <= maxRank; n++ {
			c.options = append(c.options, n)
		}
	}
	for _, s := range t.sig.op.decl.Body {
		if r, is := s.(*dsl.Require); is {
			t.require(r)
		}
	}
}

// require takes a requirement on the number of axes of one pack into account.
func (t *rankTable) require(r *dsl.Require) {
	name := ""
	only := true
	dsl.Inspect(r.Cond, func(n any) bool {
		switch n := n.(type) {
		case *dsl.Call:
			id := packArg(n)
			if id == nil || name != "" && name != id.Name {
				only = false
				return false
			}
			name = id.Name
			return false
		case *dsl.Ref:
			only = false
		}
		return only
	})
	if !only || name == "" || !t.isPack(name) {
		return
	}
	var options []int
	for n := 0; n <= mostRanks; n++ {
		if truth(r.Cond, n) {
			options = append(options, n)
		}
	}
	if c := t.classes[t.find(name)]; c != nil && len(options) > 0 {
		c.options = options
	}
}

// packArg is the pack of rank(S); nil: that isn't what stands there.
func packArg(c *dsl.Call) *dsl.Ident {
	if c.Name.Name != "rank" || c.Package != nil || len(c.Args) != 1 {
		return nil
	}
	return bareName(c.Args[0].Value)
}

// truth tells whether a condition on one rank holds for a number.
func truth(x dsl.Expr, rank int) bool {
	v := rankValue(x, rank)
	return v != nil && v.Op == ir.OpTrue
}

func rankValue(x dsl.Expr, rank int) *ir.Value {
	switch x := x.(type) {
	case *dsl.Call:
		return ir.Int(int64(rank))
	case *dsl.Paren:
		return rankValue(x.X, rank)
	case *dsl.Binary:
		a, b := rankValue(x.X, rank), rankValue(x.Y, rank)
		op, is := comparison[x.Op]
		if x.Op == ">" || x.Op == ">=" {
			a, b = b, a
		}
		if !is {
			op, is = arithmetic[x.Op]
		}
		switch {
		case x.Op == "&&":
			op, is = ir.OpAnd, true
		case x.Op == "||":
			op, is = ir.OpOr, true
		}
		if a == nil || b == nil || !is {
			return nil
		}
		v, err := ir.Build(nil, op, a, b)
		if err != nil {
			return nil
		}
		return v
	}
	return constantOf(x)
}

// classOf is the class of a pack, list or variable; nil: it has none.
func (t *rankTable) classOf(key string) *rankClass { return t.classes[t.find(key)] }

// groups are the packs of equal rank.
func (t *rankTable) groups() []ir.RankGroup {
	var r []ir.RankGroup
	seen := map[*rankClass]bool{}
	for _, name := range t.sig.axisOrder {
		c := t.classOf(name)
		if c == nil || seen[c] || len(c.packs) == 0 || !c.computed && len(c.packs) == 1 {
			continue
		}
		seen[c] = true
		r = append(r, ir.RankGroup{Packs: c.packs, Spread: c.computed})
	}
	return r
}
