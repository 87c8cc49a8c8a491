package gocpu

import (
	"math"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/nest"
)

// monoids says how slots combine.
var monoids = [...]struct {
	noun     string
	name     string // of an accumulator
	identity float64
	lanes    string  // the function of runtime that combines lanes
	op       nest.Op // combines two
}{
	nest.SumOf:  {noun: "sum", name: "sum", lanes: "LaneSum", op: nest.Add},
	nest.MaxOf:  {noun: "maximum", name: "high", identity: math.Inf(-1), lanes: "LaneMax", op: nest.Max},
	nest.MinOf:  {noun: "minimum", name: "low", identity: math.Inf(1), lanes: "LaneMin", op: nest.Min},
	nest.ProdOf: {noun: "product", name: "product", identity: 1, lanes: "LaneProd", op: nest.Mul},
}

// start declares the accumulator of a slot.
func (k *kernel) start(s int) []jen.Code {
	m := &monoids[k.nest.Slots[s].Monoid]
	sl := &k.slots[s]
	sl.name = k.names.name(m.name)
	if k.nest.Slots[s].Over == nest.Serial && k.nest.Slots[s].Monoid == nest.SumOf {
		sl.block = k.names.name("part")
	}
	identity := k.identity(m.identity)
	if !sl.lanes {
		return []jen.Code{jen.Id(sl.name).Op(":=").Add(identity)}
	}
	code := []jen.Code{jen.Var().Id(sl.name).Index(jen.Lit(k.laneCount(s))).Id(k.w.float)}
	if m.identity != 0 {
		code = append(code, jen.Qual(runtimePath, "Fill").Call(jen.Id(sl.name).Index(jen.Op(":")), identity))
	}
	return code
}

func (k *kernel) identity(x float64) jen.Code {
	if e, ok := k.w.literal(x); ok {
		return jen.Id(k.w.float).Call(e.code)
	}
	return k.w.special(x).code
}

// laneCount is the length of the accumulator of a slot that has one a lane.
func (k *kernel) laneCount(s int) int {
	if k.nest.Slots[s].Over == nest.Serial {
		return blockLanes
	}
	return k.nest.Lanes
}

// reduce writes the combination of a value into a slot.
func (k *kernel) reduce(v *nest.Value, a []expr, sc scope) jen.Code {
	slot := k.nest.Slots[v.Slot]
	sl := &k.slots[v.Slot]
	m := &monoids[slot.Monoid]
	into := jen.Id(sl.name)
	switch {
	case slot.Wide:
		into = k.element(slot.Acc, sc)
	case sl.block != "":
		into = jen.Id(sl.block)
	}
	if sl.lanes {
		lane := jen.Id("i")
		if k.laneCount(v.Slot) < blockLanes {
			lane = jen.Id("i").Op("%").Lit(k.laneCount(v.Slot))
		}
		into = into.Index(lane)
	}
	if len(a) == 2 {
		return jen.Add(into).Op("=").Add(call(k.w.fma, a[0], a[1], primary(jen.Add(into))).code)
	}
	if m.op == nest.Add {
		return jen.Add(into).Op("+=").Add(a[0].code)
	}
	e, _ := k.w.pure(&nest.Value{Op: m.op}, []expr{primary(jen.Add(into)), a[0]})
	return jen.Add(into).Op("=").Add(e.code)
}

// finish is the result of a slot with lanes or of one number.
func (k *kernel) finish(s int) expr {
	sl := &k.slots[s]
	if !sl.lanes {
		return ident(sl.name)
	}
	return primary(jen.Qual(runtimePath, monoids[k.nest.Slots[s].Monoid].lanes).Call(jen.Id(sl.name).Index(jen.Op(":"))))
}

// result is the value of a slot after its loop.
func (k *kernel) result(v *nest.Value, sc scope) expr {
	sl := &k.slots[v.Slot]
	if k.nest.Slots[v.Slot].Over == nest.Serial && sl.lanes {
		return primary(jen.Id(sl.name).Index(jen.Id("i")))
	}
	return k.finish(v.Slot)
}
