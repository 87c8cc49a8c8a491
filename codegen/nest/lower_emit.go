package nest

import (
	"fmt"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// emit makes a launch of each cluster.
func (l *lowering) emit() error {
	for i, c := range l.ordered() {
		e := &emitter{
			l: l, c: c, s: c.sched, plan: l.planStages(c),
			operands: map[string]int{}, scalars: map[*node]int{}, slots: map[*definition]int{},
			memo: map[*node]*Value{}, quotients: map[*Value][2]*Value{}, lastUse: map[int]int{}, scratchOf: map[*keep]*ir.Tensor{},
		}
		name := fmt.Sprintf("%s_%d", l.opt.Name, i)
		if err := e.run(name); err != nil {
			return err
		}
		l.program.Launches = append(l.program.Launches, e.launch)
		l.describe(name, c, e.plan)
	}
	for _, d := range l.defs {
		if l.isTemp(d.target) {
			l.program.Temps = append(l.program.Temps, d.target)
		}
	}
	return nil
}

// isTemp says whether a tensor is neither visible nor saved, but in memory.
func (l *lowering) isTemp(t *ir.Tensor) bool {
	if l.saved[t] || slices.Contains(l.f.Outputs, t) {
		return false
	}
	for _, launch := range l.program.Launches {
		if slices.ContainsFunc(launch.Operands, func(b Bind) bool { return b.Tensor == t }) {
			return true
		}
	}
	return false
}

// emitter writes one nest.
type emitter struct {
	l      *lowering
	c      *cluster
	s      *schedule
	plan   *plan
	b      *Builder
	launch *Launch

	operands  map[string]int // by tensor, layout and mode
	scalars   map[*node]int
	slots     map[*definition]int
	stage     int
	inRow     bool                 // in the uniform code after the vector loop of the stage
	memo      map[*node]*Value     // of this stage
	quotients map[*Value][2]*Value // lanes divided by a uniform number: both
	stores    []storeSite
	lastUse   map[int]int // by operand: the last time it is loaded, see now
	scratchOf map[*keep]*ir.Tensor
	err       error
}

// storeSite is a store, for finding what may share memory with it.
type storeSite struct {
	operand int
	time    int
}

func (e *emitter) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

// now orders what a nest does: the vector loop of each stage, then the uniform code after it.
func (e *emitter) now() int {
	if e.inRow {
		return 2*e.stage + 1
	}
	return 2 * e.stage
}

// loops says which loops the text has. A reduction over the grid stands in a grid loop even where that runs once.
func (e *emitter) hasGrid() bool {
	if len(e.s.grid) > 0 {
		return true
	}
	for _, d := range e.c.members {
		if e.s.roles[d].isAccumulator() {
			return true
		}
	}
	return false
}

// run writes the nest and its launch.
func (e *emitter) run(name string) error {
	e.b = NewBuilder(name, e.l.float)
	vector := e.s.vector.axes()
	if e.s.gather != nil {
		vector = []*ir.Axis{e.s.gather}
	}
	e.launch = &Launch{Batch: e.s.batch.axes(), Grid: e.s.grid.axes(), Vector: vector, Serial: e.s.serial.axes()}
	if e.hasGrid() {
		e.b.For(Grid, e.stages)
	} else {
		e.stages()
	}
	if e.err != nil {
		return e.err
	}
	if o, s := len(e.launch.Operands), len(e.launch.Scalars); o > MaxOperands || s > MaxScalars {
		return e.l.unsupported(e.c.members[0].target, "a nest of %d operands and %d scalars", o, s)
	}
	e.shareMemory()
	n, err := e.b.Done()
	if err != nil {
		return err
	}
	e.launch.Nest = n
	return nil
}

// stages writes the stages: what is done for lanes, then what is done once a row.
func (e *emitter) stages() {
	for e.stage = range e.plan.stages {
		clear(e.memo)
		e.inRow = false
		if e.laneWork() {
			if len(e.s.vector) > 0 {
				e.b.For(Vector, e.lanes)
			} else {
				e.lanes()
			}
		}
		e.inRow = true
		clear(e.memo)
		e.finish(e.sinks(false))
	}
}

// sinks are those of this stage, in the vector loop or in uniform code.
func (e *emitter) sinks(lane bool) []sink {
	var r []sink
	for _, s := range e.plan.sinks {
		if s.stage == e.stage && s.lane == lane {
			r = append(r, s)
		}
	}
	return r
}

func (e *emitter) laneWork() bool { return len(e.sinks(true)) > 0 }

// lanes writes the vector loop of a stage.
func (e *emitter) lanes() {
	var series, rest []sink
	for _, s := range e.sinks(true) {
		switch {
		case e.s.roles[s.def] == serialSum && s.reduce:
			e.b.For(Serial, func() { e.reduceProduct(s) })
		case e.s.roles[s.def] == serialMap:
			series = append(series, s)
		default:
			rest = append(rest, s)
		}
	}
	if len(series) > 0 {
		e.b.For(Serial, func() { e.finish(series) })
	}
	e.finish(rest)
}

// reduceProduct adds up a sum over the serial axis; a product is added with one rounding.
func (e *emitter) reduceProduct(s sink) {
	slot := e.slot(s.def)
	if r := s.root; s.def.monoid == SumOf && r.op == ir.OpMul {
		e.b.ReduceProduct(slot, e.value(r.args[0]), e.value(r.args[1]))
		return
	}
	e.b.Reduce(slot, e.value(s.root))
}

// finish computes all that sinks need, then writes it, so that nothing is read after what shares its memory is
// written.
func (e *emitter) finish(sinks []sink) {
	type effect struct {
		sink
		keep  *keep
		value *Value
	}
	var effects []effect
	for _, s := range sinks {
		if s.root == nil {
			effects = append(effects, effect{sink: s, value: e.b.Result(e.slots[s.def])})
		} else {
			effects = append(effects, effect{sink: s, value: e.value(s.root)})
		}
	}
	if !e.inRow {
		for _, k := range e.plan.keeps {
			if k.from == e.stage && !k.same {
				effects = append(effects, effect{keep: k, value: e.value(k.node)})
			}
		}
	}
	for _, f := range effects {
		var operand int
		switch {
		case f.keep != nil:
			operand = e.keepOperand(f.keep, Out)
		case f.reduce:
			e.b.Reduce(e.slot(f.def), f.value)
			continue
		default:
			operand = e.target(f.def, e.writeMode(f.def))
		}
		e.b.Store(operand, f.value)
		e.stores = append(e.stores, storeSite{operand, e.now()})
	}
}

// slot declares the slot of a reduction.
func (e *emitter) slot(d *definition) int {
	if s, ok := e.slots[d]; ok {
		return s
	}
	s := Slot{Monoid: d.monoid}
	switch e.s.roles[d] {
	case rowReduce:
		s.Over = Vector
	case serialSum:
		s.Over = Serial
	case wideSum:
		s.Over, s.Wide, s.Acc = Grid, true, e.target(d, Acc)
	default:
		s.Over, s.Acc = Grid, e.target(d, Acc)
	}
	e.slots[d] = e.b.Slot(s)
	return e.slots[d]
}

// value writes a node at the current point, once a stage.
func (e *emitter) value(n *node) *Value {
	if v := e.memo[n]; v != nil {
		return v
	}
	v := e.compute(n)
	if e.err != nil {
		return e.b.Const(0)
	}
	e.memo[n] = v
	return v
}

func (e *emitter) compute(n *node) *Value {
	for _, k := range e.plan.keeps {
		if k.node == n && e.stage > k.from && e.plan.onLanes(n) {
			return e.b.Load(e.keepOperand(k, In))
		}
	}
	if d := e.plan.member(n); d != nil {
		if d.isMap() {
			return e.value(d.root)
		}
		return e.b.Result(e.slots[d])
	}
	args := make([]*Value, len(n.args))
	for i, a := range n.args {
		args[i] = e.value(a)
	}
	if e.err != nil {
		return nil
	}
	switch n.op {
	case ir.OpConst:
		return e.b.Const(n.value)
	case ir.OpTrue, ir.OpFalse:
		return e.b.Mask(n.op == ir.OpTrue)
	case ir.OpScalar:
		return e.b.ScalarOf(e.scalar(n))
	case ir.OpIndex:
		if e.s.vector.has(n.loop) {
			return e.b.Iota()
		}
		index := e.l.indexOf(n.loop)
		if !slices.Contains(e.l.program.Indices, index.tensor) {
			e.l.program.Indices = append(e.l.program.Indices, index.tensor)
		}
		return e.b.LoadInt(e.operand(index, In))
	case ir.OpRead:
		return e.load(n, args)
	case ir.OpNot:
		return e.b.Op(Not, args...)
	case ir.OpAnd:
		return e.b.Op(And, args...)
	case ir.OpOr:
		return e.b.Op(Or, args...)
	case ir.OpSelect:
		if n.typ == Int {
			return e.b.Op(IntSelect, args...)
		}
		return e.b.Op(Select, args...)
	}
	if ops, ok := comparisons[n.op]; ok {
		if n.args[0].typ == Int {
			return e.b.Op(ops[1], args...)
		}
		return e.b.Op(ops[0], args...)
	}
	return e.function(n.op, args)
}

// load reads an element of an input, or of what an earlier launch wrote.
func (e *emitter) load(n *node, args []*Value) *Value {
	o := e.operand(access{tensor: n.tensor, at: n.at, args: n.args, isInt: n.typ == Int}, In)
	e.lastUse[o] = e.now()
	switch {
	case len(args) > 0:
		return e.b.Gather(o, args[0])
	case n.typ == Int:
		return e.b.LoadInt(o)
	}
	return e.b.Load(o)
}

// scalar declares a number that the host computes.
func (e *emitter) scalar(n *node) int {
	if s, ok := e.scalars[n]; ok {
		return s
	}
	name := fmt.Sprintf("s%d", len(e.scalars))
	if inner := uncast(n.host); inner.Op == ir.OpScalar {
		name = identifier(inner.Name)
	}
	var s int
	if n.typ == Int {
		if !simpleInt(n.host) {
			e.fail(e.l.unsupported(e.c.members[0].target, "%v isn't a sum or a product of numbers of the call", n.host))
		}
		s = e.b.IntScalar(name)
	} else {
		s = e.b.Scalar(name)
	}
	e.scalars[n] = s
	e.launch.Scalars = append(e.launch.Scalars, n.host)
	return s
}

// simpleInt tells whether the host computes a whole number with ints alone: others are divided or raised to powers, with tests of what comes out.
func simpleInt(v *ir.Value) bool {
	switch v.Op {
	case ir.OpConst:
		return v.Const.IsInt() && v.Const.Num().IsInt64()
	case ir.OpScalar, ir.OpExtent, ir.OpRead:
		return true
	case ir.OpCast:
		return v.Args[0].Type.Kind != ir.Real && simpleInt(v.Args[0])
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpNeg, ir.OpMax, ir.OpMin:
		return !slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return !simpleInt(a) })
	}
	return false
}

func uncast(v *ir.Value) *ir.Value {
	for v.Op == ir.OpCast {
		v = v.Args[0]
	}
	return v
}

// describe notes what a nest does.
func (l *lowering) describe(name string, c *cluster, p *plan) {
	batch := ""
	if len(c.sched.batch) > 0 {
		batch = fmt.Sprintf("for each of [%s]: ", c.sched.batch)
	}
	l.tracef("nest %s: %sgrid [%s], vector [%s], serial [%s], %d stages", name, batch, c.sched.grid, c.sched.vector, c.sched.serial, p.stages)
	for _, s := range p.sinks {
		what := c.sched.roles[s.def].String()
		if !s.reduce {
			what = "stored, " + what
		}
		l.tracef("  stage %d: %s (%s)", s.stage, s.def.target.Name, what)
	}
	for _, k := range p.keeps {
		where := "row scratch"
		if k.into != nil {
			where = "the row of " + k.into.target.Name
		}
		l.tracef("  a value of cost %d is kept in %s from stage %d to %d", costOf(k.node, c.sched.vector), where, k.from, k.until)
	}
}
