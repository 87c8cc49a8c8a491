package nesttest

import (
	"fmt"
	"math/rand"

	"github.com/opgen/opgen/codegen/nest"
)

// Random builds a valid nest.
func Random(r *rand.Rand) *nest.Nest {
	float := nest.F32
	if r.Intn(3) == 0 {
		float = nest.F64
	}
	g := &generator{kit: kit{nest.NewBuilder(fmt.Sprintf("random_%08x", r.Uint32()), float)}, r: r}
	g.grid, g.vector, g.serial = r.Intn(8) > 0, r.Intn(8) > 0, r.Intn(3) == 0
	g.declare()
	if g.grid {
		g.kit.grid(g.row)
	} else {
		g.row()
	}
	n := g.done()
	// Outputs share memory with inputs where the rules allow it.
	for i := range n.Operands {
		for p := range n.Operands {
			if o := &n.Operands[i]; o.Mode == nest.Out {
				before := o.InPlace
				if o.InPlace = append(o.InPlace, p); n.Verify() != nil {
					o.InPlace = before
				}
			}
		}
	}
	return n
}

// generator builds one nest.
type generator struct {
	kit
	r                    *rand.Rand
	grid, vector, serial bool // the loops it has
	ins                  []input
	outs                 []output
	ints                 []int
	floats, indices      []int // scalars
	uniform, lane        pool  // values that can be used in this place
	accs                 int
	now                  int // the stage, from 1
}

type input struct {
	operand              int
	grid, vector, serial bool
}

type output struct {
	operand        int
	vector, serial bool
	inout          bool
	stored         int // the stage; 0: not yet
}

// pool holds values by type.
type pool struct{ floats, masks []*nest.Value }

func (p pool) clone() pool {
	return pool{append([]*nest.Value(nil), p.floats...), append([]*nest.Value(nil), p.masks...)}
}

// declare makes operands and scalars.
func (g *generator) declare() {
	moves := func(has bool, often int) bool { return has && g.r.Intn(often) > 0 }
	for i := range 1 + g.r.Intn(4) {
		in := input{grid: moves(g.grid, 4), vector: moves(g.vector, 5), serial: moves(g.serial, 2)}
		in.operand = g.Operand(nest.Operand{
			Name: fmt.Sprintf("x%d", i), DType: g.Float(), Grid: in.grid, Vector: in.vector, Serial: in.serial,
		})
		g.ins = append(g.ins, in)
	}
	if g.vector && g.r.Intn(3) == 0 {
		g.ints = append(g.ints, g.Operand(nest.Operand{Name: "at", DType: nest.I32 + nest.DType(g.r.Intn(2)), Grid: g.grid}))
		g.indices = append(g.indices, g.IntScalar("index"))
	}
	for i := range 1 + g.r.Intn(3) {
		out := output{vector: moves(g.vector, 4), serial: g.serial && g.r.Intn(4) == 0, inout: g.r.Intn(4) == 0}
		mode := nest.Out
		if out.inout {
			mode = nest.InOut
		}
		out.operand = g.Operand(nest.Operand{
			Name: fmt.Sprintf("y%d", i), DType: g.Float(), Mode: mode, Grid: g.grid, Vector: out.vector, Serial: out.serial,
		})
		g.outs = append(g.outs, out)
	}
	for i := range g.r.Intn(3) {
		g.floats = append(g.floats, g.Scalar(fmt.Sprintf("a%d", i)))
	}
}

// row is the body of the grid: stages, with uniform code between them.
func (g *generator) row() {
	for _, s := range g.floats {
		g.uniform.floats = append(g.uniform.floats, g.ScalarOf(s))
	}
	g.uniform.floats = append(g.uniform.floats, g.Const(float64(g.r.Intn(9)-4)/2))
	for g.now = 1; g.now <= 1+g.r.Intn(3); g.now++ {
		if g.vector {
			g.stage()
		}
		g.uniformCode()
	}
	g.rest()
}

// stage is a vector loop.
func (g *generator) stage() {
	var slots []int
	g.kit.vector(func() {
		g.lane = pool{}
		g.loads(&g.lane, true, false)
		if g.serial && g.r.Intn(2) == 0 {
			g.steps(&g.lane, true)
		}
		ops := 2 + g.r.Intn(12)
		if g.r.Intn(10) == 0 {
			ops = 70
		}
		g.compute(&g.lane, ops)
		g.store(&g.lane, true, false)
		for g.r.Intn(2) == 0 && len(slots) < 3 {
			s := g.kit.slot(nest.Monoid(g.r.Intn(4)), nest.Vector)
			g.Reduce(s, g.pick(&g.lane))
			slots = append(slots, s)
		}
		if g.grid && g.accs < 2 && g.r.Intn(3) == 0 {
			g.Reduce(g.newAcc(g.r.Intn(2) == 0), g.pick(&g.lane))
		}
	})
	for _, s := range slots {
		g.uniform.floats = append(g.uniform.floats, g.Result(s))
	}
}

func (g *generator) newAcc(wide bool) int {
	g.accs++
	return g.kit.acc(fmt.Sprintf("acc%d", g.accs), nest.Monoid(g.r.Intn(4)), wide)
}

// uniformCode is code of the grid.
func (g *generator) uniformCode() {
	g.loads(&g.uniform, false, false)
	if g.serial && g.r.Intn(4) == 0 {
		g.steps(&g.uniform, false)
	}
	g.compute(&g.uniform, 1+g.r.Intn(4))
	g.store(&g.uniform, false, false)
	if g.grid && g.accs < 2 && g.r.Intn(4) == 0 {
		g.Reduce(g.newAcc(false), g.pick(&g.uniform))
	}
}

// steps is a serial loop that reduces what it computes.
func (g *generator) steps(p *pool, lane bool) {
	inner := p.clone()
	var slots []int
	g.kit.serial(func() {
		g.loads(&inner, lane, true)
		g.compute(&inner, 1+g.r.Intn(4))
		for range 1 + g.r.Intn(2) {
			if g.r.Intn(2) == 0 {
				s := g.kit.slot(nest.SumOf, nest.Serial)
				g.ReduceProduct(s, g.pick(&inner), g.pick(&inner))
				slots = append(slots, s)
			} else {
				s := g.kit.slot(nest.Monoid(g.r.Intn(4)), nest.Serial)
				g.Reduce(s, g.pick(&inner))
				slots = append(slots, s)
			}
		}
		g.store(&inner, lane, true)
	})
	for _, s := range slots {
		p.floats = append(p.floats, g.Result(s))
	}
}

// rest stores the outputs that were not stored yet, each in loops of its own.
func (g *generator) rest() {
	for i := range g.outs {
		o := &g.outs[i]
		if o.stored > 0 {
			continue
		}
		store := func(lane bool) func() {
			return func() {
				p := g.uniform.clone()
				g.loads(&p, lane, o.serial)
				g.compute(&p, 3)
				g.storeOne(o, &p)
			}
		}
		switch {
		case o.vector && o.serial:
			g.kit.vector(func() { g.kit.serial(store(true)) })
		case o.vector:
			g.kit.vector(store(true))
		case o.serial:
			g.kit.serial(store(false))
		default:
			store(false)()
		}
	}
}
