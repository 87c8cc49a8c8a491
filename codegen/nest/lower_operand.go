package nest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// operand declares a tensor as the nest sees it, once for each layout and mode.
func (e *emitter) operand(a access, mode Mode) int {
	lay, why := e.s.layout(a)
	if why != nil {
		e.fail(errors.New(why()))
		return 0
	}
	key := fmt.Sprint(e.l.graph.ref(a.tensor), lay.batch, lay.grid, lay.vector, lay.serial, mode)
	if o, ok := e.operands[key]; ok {
		return o
	}
	dtype, _ := e.l.dtype(a.tensor.Elem)
	o := Operand{
		Name: identifier(a.tensor.Name), DType: dtype, Mode: mode,
		Grid: lay.grid != nil, Vector: lay.vector != nil, Serial: lay.serial != nil,
	}
	bind := lay.bind()
	if len(e.s.grid) == 0 && mode != Acc && o.Vector && e.hasGrid() {
		// The grid loop runs once, for the sake of an accumulator.
		o.Grid, bind.Grid = true, Stride{Moves: true}
	}
	e.operands[key] = e.b.Operand(o)
	e.launch.Operands = append(e.launch.Operands, bind)
	return e.operands[key]
}

// target is the operand of what a definition writes.
func (e *emitter) target(d *definition, mode Mode) int {
	return e.operand(access{tensor: d.target, at: d.kept.at(), write: true}, mode)
}

// writeMode is the mode in which the target of a map is stored: a target whose row held another value before is
// loaded, then stored.
func (e *emitter) writeMode(d *definition) Mode {
	for _, k := range e.plan.keeps {
		if k.into == d && !k.same {
			return InOut
		}
	}
	return Out
}

// keepOperand is where a kept value is stored (mode Out) or loaded (mode In).
func (e *emitter) keepOperand(k *keep, mode Mode) int {
	switch {
	case k.into == nil:
		return e.scratch(k)
	case k.same || mode == Out:
		return e.target(k.into, Out)
	}
	return e.target(k.into, InOut)
}

// scratch is the operand of a kept value that has no row of an output to lie in.
func (e *emitter) scratch(k *keep) int {
	t := e.scratchOf[k]
	at := e.s.batch.union(e.s.grid).union(e.s.vector)
	if t == nil {
		t = &ir.Tensor{Name: fmt.Sprintf("%s_row%d", e.c.members[0].target.Name, len(e.scratchOf)), Role: ir.Local, Elem: e.c.members[0].target.Elem, Axes: at.axes()}
		e.scratchOf[k] = t
		e.l.program.Temps = append(e.l.program.Temps, t)
	}
	return e.operand(access{tensor: t, at: at.at(), write: true}, Out)
}

// shareMemory finds which inputs each stored operand may lie on: those at the same points that are not loaded
// after the store.
func (e *emitter) shareMemory() {
	operands := e.b.nest.Operands
	for _, st := range e.stores {
		o := &operands[st.operand]
		if o.Mode != Out {
			continue
		}
		out := e.launch.Operands[st.operand]
		for i := range operands {
			in := e.launch.Operands[i]
			p := &operands[i]
			same := p.Mode == In && p.DType == o.DType && p.Grid == o.Grid && p.Vector == o.Vector && !p.Serial && !o.Serial
			if same && !in.Pack && slices.Equal(in.Tensor.Axes, out.Tensor.Axes) && sameStride(in.Grid, out.Grid) && slices.EqualFunc(in.Batch, out.Batch, sameStride) && e.lastUse[i] <= st.time && !e.isScratch(out.Tensor) {
				o.InPlace = append(o.InPlace, i)
			}
		}
	}
}

func sameStride(a, b Stride) bool { return a.Moves == b.Moves && slices.Equal(a.Axes, b.Axes) }

func (e *emitter) isScratch(t *ir.Tensor) bool {
	return slices.Contains(e.l.program.Temps, t)
}
