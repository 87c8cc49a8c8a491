package check

import (
	"slices"
	"strconv"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
)

// lowering makes the function of an op under one set of choices.
type lowering struct {
	op     *operation
	sig    *signature
	root   *operation   // whose function it is; op but in the body of a called op
	vars   []ir.ElemVar // of the root
	callee *opCall      // the call whose body is lowered; nil in the root
	rep    *reporter
	choose *chooser
	fn     *ir.Func

	axes    map[string]*ir.Axis
	table   map[string]*value // inputs, lets, outputs; new values of inouts and states with a prime
	setAt   map[string]diag.Span
	dimAt   map[string]diag.Span
	names   map[string]bool // names of tensors
	grads   []*dsl.Grad
	gradOf  string // the input whose gradient is lowered; "": it is something else
	nones   []*dsl.GradNone
	keeps   []*dsl.Keep
	refused *ir.Require // a requirement that these choices never meet

	recurs    bool              // definitions are read ahead, here or in a called op
	open      map[string]*value // lets whose right side is being lowered
	aheads    map[string]*value // what was read before its definition
	sink      *[]*ir.Def
	hoisted   []*ir.Def             // reductions that can be read again
	indexed   map[*ir.Tensor]*value // indices of axes, and the let that they are of
	known     map[*ir.Axis]bool     // axes whose extents inputs or dims give
	axisNames map[string]bool

	spread map[string][]*ir.Axis // the axes of packs that are computed with
	lists  map[string][]*ir.Scalar
	ranges map[*ir.Var]*ir.Axis    // axes that stand for ranges, where a reduction needs one
	paths  map[*ir.Var][]*ir.Value // of a range that is no axis: what holds where its ends are evaluated
	ragged []ragged

	partial map[*ir.Tensor]bool // reductions that have no value at some points
	exact   map[*ir.Tensor]*exactSum
	probing int // arguments of calls are lowered for their types alone
	cotans  map[*ir.Tensor]*ir.Tensor
	clean   int // errors that had been reported before
}

// value is something with a name that can be read: a tensor, or an expression that is repeated where it is read.
type value struct {
	name   string
	span   diag.Span
	tensor *ir.Tensor
	slots  []slot
	loose  bool // a bare let of several axes: they have no order, so it is not indexed

	vars    []*ir.Var // with inlined
	inlined *ir.Value
	list    []*ir.Value // let ..s: one number for each axis

	broken bool // its definition has errors
}

// slot is one place for an index.
type slot struct {
	axis   string // "": unnamed, or a product
	pack   bool
	extent *ir.Axis
	lo     *ir.Value // unnamed: the first index
	spread bool      // a pack that is computed with: a part for each of its axes
	parts  []slot
	factor []slot // a product
}

// flat gives the axes of slots, with products taken apart.
func flat(slots []slot) []slot {
	var r []slot
	for _, s := range slots {
		if s.factor != nil {
			r = append(r, flat(s.factor)...)
		} else {
			r = append(r, s)
		}
	}
	return r
}

func extents(slots []slot) []*ir.Axis {
	r := []*ir.Axis{}
	for _, s := range flat(slots) {
		if !s.spread {
			r = append(r, s.extent)
		}
		for _, p := range s.parts {
			r = append(r, p.extent)
		}
	}
	return r
}

// check checks an op and lowers it for all of its choices; nil if it has errors.
func (o *operation) check() *ir.OpDecl {
	rep := o.in.unit.rep
	before := rep.errors
	o.sig = newSignature(o)
	if rep.errors > before {
		// Axes and types are not known well enough to say more than which names are unknown.
		checkOpNames(o)
		return nil
	}
	checkOpNames(o)
	if rep.errors > before {
		return nil
	}
	d := o.declaration()
	o.sig.fallbacks()
	choose := &chooser{}
	read := map[string]bool{}
	var made []*lowering
	for more := true; more; more = choose.next() {
		if len(made) == maxVariants {
			rep.errorf(o.decl.Name.Span, "choices-many", "the body tests more than %d combinations of choices", maxVariants)
			break
		}
		choose.start()
		o.lowered++
		l := o.lower(choose)
		for name := range l.statesRead() {
			read[name] = true
		}
		made = append(made, l)
		d.Variants = append(d.Variants, &ir.Variant{Choices: choose.choices(), Forward: l.fn, Refused: l.refused})
	}
	for _, t := range o.sig.inputs {
		t.dropped = t.param.Mode == ir.State && !read[t.param.Name]
	}
	d.Inputs = slices.DeleteFunc(d.Inputs, func(p *ir.Param) bool { return o.sig.find(p.Name).dropped })
	o.examples(d)
	if rep.errors > before || !o.shortResult(d) {
		return nil
	}
	for _, l := range made {
		l.dropStates(read)
		if err := ir.Verify(l.fn); err != nil {
			rep.errorf(o.decl.Name.Span, "internal", "the compiler made a faulty function of this op: %v", err)
			return nil
		}
	}
	o.sameAxes(d, made)
	o.unusedIndices()
	o.keepsNumbers()
	o.requirementsMet(d)
	if rep.errors > before || !o.totals(d) {
		return nil
	}
	return d
}

// unusedIndices reports index variables of left sides that nothing needs under any choice. One whose axis is read bare
// is needed: it says where the axis stands.
func (o *operation) unusedIndices() {
	for _, s := range o.indices {
		if !s.used {
			o.in.unit.rep.errorf(s.span, "name-unused", "index variable %s is not used", quote(s.name)).
				WithHint("a value that is the same along an axis needs no index there: name the axis, or leave out the left side's indices")
		}
	}
}

// declaration is what users see of the op.
func (o *operation) declaration() *ir.OpDecl {
	d := &ir.OpDecl{Package: o.in.unit.name, Name: o.decl.Name.Name, Doc: o.decl.Doc, File: baseName(o.in.file.Name),
		Update: o.decl.Update, ElemVars: o.sig.vars, Formula: o.formula(), Span: o.decl.Span}
	for _, t := range o.sig.inputs {
		d.Inputs = append(d.Inputs, t.param)
	}
	for _, t := range o.sig.outputs {
		d.Outputs = append(d.Outputs, t.param)
	}
	for _, a := range o.sig.attrs {
		d.Attrs = append(d.Attrs, a.decl)
	}
	d.Ranks = o.sig.ranks.groups()
	return d
}

// lower makes the function for the choices of one path.
func (o *operation) lower(choose *chooser) *lowering {
	l := &lowering{op: o, sig: o.sig, rep: o.in.unit.rep, clean: o.in.unit.rep.errors, choose: choose, axes: map[string]*ir.Axis{}, table: map[string]*value{},
		setAt: map[string]diag.Span{}, dimAt: map[string]diag.Span{}, names: map[string]bool{}, open: map[string]*value{}, exact: map[*ir.Tensor]*exactSum{}, cotans: map[*ir.Tensor]*ir.Tensor{}}
	l.fn = &ir.Func{Package: o.in.unit.name, Name: o.decl.Name.Name, ElemVars: o.sig.vars, Span: o.decl.Span}
	l.sink = &l.fn.Defs
	l.partial, l.indexed = map[*ir.Tensor]bool{}, map[*ir.Tensor]*value{}
	l.ranges, l.paths = map[*ir.Var]*ir.Axis{}, map[*ir.Var][]*ir.Value{}
	l.root, l.vars = o, o.sig.vars
	l.known, l.axisNames = map[*ir.Axis]bool{}, map[string]bool{}
	for _, name := range o.sig.axisOrder {
		l.axisNames[name] = true
	}
	l.spread, l.lists = map[string][]*ir.Axis{}, map[string][]*ir.Scalar{}
	for name := range o.sig.decls {
		l.names[name] = true
	}
	dsl.Inspect(o.decl.Body, func(n any) bool {
		if s, is := n.(*dsl.Let); is {
			for _, id := range s.Names {
				l.names[id.Name] = true
			}
		}
		return true
	})
	l.inputs()
	top := &env{in: o.in}
	if o.decl.Short != nil {
		l.short(top)
	}
	l.stmts(o.decl.Body, top)
	if l.refused == nil {
		l.refused = l.excluded()
	}
	if l.refused != nil {
		l.refuse()
		return l
	}
	l.finish(top)
	l.recur()
	for _, g := range l.grads {
		l.grad(g, top)
	}
	for _, g := range l.nones {
		for _, id := range g.Names {
			l.gradNone(id)
		}
	}
	l.addKeeps(top)
	l.addScalars()
	l.addAxes()
	l.exactFits()
	return l
}

// addScalars lists the attributes that are there.
func (l *lowering) addScalars() {
	for _, a := range l.sig.attrs {
		if a.decl.Optional && !l.mayHave(a.decl.Name) {
			continue
		}
		if a.scalar != nil {
			l.fn.Scalars = append(l.fn.Scalars, a.scalar)
		} else if n, known := l.rank(a.decl.Name); known && a.decl.List != "" {
			l.fn.Scalars = append(l.fn.Scalars, l.entries(a, n)...)
		}
	}
}

// clear forgets what the body of an op has defined.
func (l *lowering) clear() {
	l.table, l.setAt, l.dimAt = map[string]*value{}, map[string]diag.Span{}, map[string]diag.Span{}
	l.grads, l.nones, l.keeps = nil, nil, nil
	l.aheads, l.open = nil, map[string]*value{}
}

// inputs makes the tensors of the signature. Whether an optional one is there is asked only where it is read.
func (l *lowering) inputs() {
	for _, d := range l.sig.inputs {
		v := &value{name: d.param.Name, span: d.span, slots: l.slotsOf(d.param.Axes)}
		t := &ir.Tensor{Name: d.param.Name, Role: d.param.Mode, Elem: d.param.Elem, Optional: d.param.Optional, Span: d.span}
		if d.fallback != nil {
			t.Default = d.fallback.Const
		}
		v.tensor = t
		t.Axes = extents(v.slots)
		for _, a := range t.Axes {
			l.known[a] = true
		}
		l.table[d.param.Name] = v
	}
	for _, d := range l.sig.inputs {
		if d.in.Init != nil {
			e := &env{in: l.op.in, host: true}
			if init := l.coerceTo(e.at(d.in.Init), l.expr(d.in.Init, e), d.param.Elem, "the initial value of "+quote(d.param.Name)); !isBad(init) {
				if isUniform(init) {
					l.table[d.param.Name].tensor.Init = init
				} else {
					l.errorf(e.at(d.in.Init), "state-init", "the initial value of a state is a number, the same for all elements")
				}
			}
		}
	}
}

// slotsOf gives the slots of a declared tensor.
func (l *lowering) slotsOf(axes []ir.AxisRef) []slot {
	r := []slot{}
	for _, a := range axes {
		if a.Product != nil {
			r = append(r, slot{factor: l.slotsOf(a.Product)})
			continue
		}
		r = append(r, l.over(a.Name).slot())
	}
	return r
}

// mayHave tells whether an optional input or attribute is there under the choices made so far; undecided ones are.
func (l *lowering) mayHave(name string) bool {
	if l.callee != nil {
		return l.callee.has(l, name)
	}
	o, decided := l.choose.decided["has "+name]
	return !decided || o == 0
}

// refuse leaves of the function what says that these choices are never met.
func (l *lowering) refuse() {
	l.table = map[string]*value{}
	l.fn.Defs, l.fn.Dims, l.fn.Outputs = nil, nil, nil
	refused := *l.refused
	l.fn.Requires = append(slices.DeleteFunc(l.fn.Requires, refused.Same), refused)
	l.inputs()
	for _, d := range l.sig.inputs {
		if !d.param.Optional || d.fallback != nil || l.mayHave(d.param.Name) {
			l.fn.Inputs = append(l.fn.Inputs, l.table[d.param.Name].tensor)
		}
	}
	l.addScalars()
	l.addAxes()
}

// finish completes what the body has defined: outputs in order, then new values.
func (l *lowering) finish(top *env) {
	for _, d := range l.sig.outputs {
		v := l.table[d.param.Name]
		if v == nil {
			at := site{d.span, top}
			if len(l.choose.decided) == 0 {
				l.errorf(at, "output-unset", "output %s is not set", quote(d.param.Name))
			} else {
				l.errorf(at, "output-unset", "output %s is not set on every path through the body", quote(d.param.Name))
			}
			continue
		}
		switch {
		case v.tensor != nil:
			l.fn.Outputs = append(l.fn.Outputs, v.tensor)
		case l.rep.errors == l.clean:
			l.errorf(site{d.span, top}, "internal", "the compiler made nothing of %s", quote(d.param.Name))
		}
	}
	for _, d := range l.sig.inputs {
		in := l.table[d.param.Name]
		// What is only listed is there: an input that nothing reads still has its axes.
		if d.param.Optional && d.fallback == nil && !l.mayHave(d.param.Name) {
			continue
		}
		l.fn.Inputs = append(l.fn.Inputs, in.tensor)
		if v := l.table[d.param.Name+"'"]; v != nil && v.tensor != nil && v.tensor != in.tensor {
			l.fn.Outputs = append(l.fn.Outputs, v.tensor)
		}
	}
}

// addAxes lists the axes of the function, in the order of the signature, then unnamed ones.
func (l *lowering) addAxes() {
	seen := map[*ir.Axis]bool{}
	add := func(axes []*ir.Axis) {
		for _, a := range axes {
			if !seen[a] {
				seen[a] = true
				l.fn.Axes = append(l.fn.Axes, a)
			}
		}
	}
	own := l.fn.Axes // what stands for extents of packs
	l.fn.Axes = nil
	add(own)
	for _, t := range l.fn.Inputs {
		add(t.Axes)
	}
	for _, d := range l.fn.Dims {
		add([]*ir.Axis{d.Axis})
	}
	for _, t := range l.fn.Outputs {
		add(t.Axes)
	}
	slices.SortStableFunc(l.fn.Axes, func(a, b *ir.Axis) int { return l.sig.placeOf(a) - l.sig.placeOf(b) })
}

// statesRead are the states whose old value this function reads.
func (l *lowering) statesRead() map[string]bool {
	r := map[string]bool{}
	note := func(t *ir.Tensor) {
		if t.Role == ir.State {
			r[t.Name] = true
		}
	}
	for _, d := range l.fn.Defs {
		for t := range d.Reads() {
			note(t)
		}
	}
	for _, q := range l.fn.Requires {
		for t := range ir.Reads(q.Cond) {
			note(t)
		}
	}
	return r
}

// dropStates leaves out the states whose old value nothing reads under any choice: there is no use in keeping them.
// Their new value may be read, and becomes local then.
func (l *lowering) dropStates(read map[string]bool) {
	l.fn.Inputs = slices.DeleteFunc(l.fn.Inputs, func(t *ir.Tensor) bool { return t.Role == ir.State && !read[t.Name] })
	l.fn.Outputs = slices.DeleteFunc(l.fn.Outputs, func(t *ir.Tensor) bool {
		if t.Of == nil || t.Of.Role != ir.State || read[t.Of.Name] {
			return false
		}
		t.Role, t.Of = ir.Local, nil
		return true
	})
}

// tensorName gives a local a name that no other tensor has.
func (l *lowering) tensorName(want string) string {
	name := want
	for k := 2; l.names[name]; k++ {
		name = want + strconv.Itoa(k)
	}
	l.names[name] = true
	return name
}

// emit adds a definition.
func (l *lowering) emit(d *ir.Def) { *l.sink = append(*l.sink, d) }
