package gocpu

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/nest"
)

// loopCode writes a loop and what has to stand before it.
func (k *kernel) loopCode(lp *loop, sc scope) []jen.Code {
	var code []jen.Code
	if lp.pass {
		k.passes++
		code = append(code, jen.Comment(k.describe(lp)))
	}
	for _, s := range lp.slots {
		if k.nest.Slots[s].Over != nest.Grid {
			code = append(code, k.start(s)...)
		}
	}
	switch lp.depth {
	case nest.Grid:
		return append(code, k.rangeLoop("r", jen.Id("a").Dot("Rows"), func() []jen.Code { return k.list(lp.body) }))
	case nest.Vector:
		code = append(code, k.declareArrays(lp.body)...)
		k.used["m"] = false
		body := k.list(lp.body)
		pass := k.rows.Number(lp.stmt)
		vars, from, end := jen.Id("n"), jen.Lit(0), jen.Id("a").Dot("N")
		if pass > 0 {
			vars, from, end = jen.List(jen.Id("n"), jen.Id("end")), jen.List(jen.Lit(0), jen.Id("a").Dot("Lanes").Call(jen.Lit(pass))), jen.Id("end")
		}
		if k.used["m"] {
			m := jen.Id("m").Op(":=").Min(jen.Add(end).Op("-").Id("n"), jen.Lit(blockLanes))
			body = append([]jen.Code{m}, body...)
		}
		code = append(code, jen.For(vars.Op(":=").Add(from), jen.Id("n").Op("<").Add(end), jen.Id("n").Op("+=").Lit(blockLanes)).Block(body...))
		if pass > 0 {
			code = append(code, k.endPass(lp, pass, sc)...)
		}
		return code
	}
	return append(code, k.serial(lp)...)
}

// endPass gives the results of a pass, and ends a call that is for this pass alone.
func (k *kernel) endPass(lp *loop, pass int, sc scope) []jen.Code {
	var code []jen.Code
	for _, s := range lp.slots {
		i, ok := k.rows.Index(s)
		if !ok {
			continue
		}
		sl := &k.slots[s]
		sl.row = k.names.name("row" + strings.ToUpper(sl.name[:1]) + sl.name[1:])
		code = append(code, jen.Id(sl.row).Op(":=").Qual(runtimePath, "RowValue").Call(jen.Id("a"), jen.Lit(pass), jen.Lit(i), k.finish(s).code))
	}
	if k.rows.Last(pass) || pass == len(k.rows.Loops) && code == nil {
		return code
	}
	leave := jen.Continue()
	if !sc.grid {
		leave = jen.Return()
	}
	return append(code, jen.If(jen.Id("a").Dot("Pass").Op("==").Lit(pass)).Block(leave))
}

// onceARow writes what is done once a row, not in each pass.
func (k *kernel) onceARow(effect jen.Code, sc scope) jen.Code {
	if k.rows == nil || sc.vector {
		return effect
	}
	return jen.If(jen.Id("a").Dot("Ends").Call(jen.Lit(len(k.rows.Loops)))).Block(effect)
}

// rangeLoop is a loop over 0 … n-1; the variable is left out where the body doesn't use it.
func (k *kernel) rangeLoop(v string, n jen.Code, write func() []jen.Code) jen.Code {
	k.used[v] = false
	body := write()
	if !k.used[v] {
		return jen.For(jen.Range().Add(n)).Block(body...)
	}
	return jen.For(jen.Id(v).Op(":=").Range().Add(n)).Block(body...)
}

// lanes is a loop over the lanes of a block, whose body uses i.
func (k *kernel) lanes(body ...jen.Code) jen.Code {
	k.used["m"] = true
	return jen.For(jen.Id("i").Op(":=").Range().Id("m")).Block(body...)
}

// serial writes a loop over steps; sums are kept in blocks of steps.
func (k *kernel) serial(lp *loop) []jen.Code {
	steps := jen.Id("a").Dot("K")
	var blocks []jen.Code // after each block
	var zero []jen.Code
	for _, s := range lp.slots {
		sl := &k.slots[s]
		if sl.block == "" {
			continue
		}
		if !sl.lanes {
			zero = append(zero, jen.Id(sl.block).Op(":=").Id(k.w.float).Call(jen.Lit(0)))
			blocks = append(blocks, jen.Id(sl.name).Op("+=").Id(sl.block))
			continue
		}
		zero = append(zero, jen.Var().Id(sl.block).Index(jen.Lit(blockLanes)).Id(k.w.float))
		blocks = append(blocks, k.lanes(jen.Id(sl.name).Index(jen.Id("i")).Op("+=").Id(sl.block).Index(jen.Id("i"))))
	}
	if blocks == nil {
		return []jen.Code{k.rangeLoop("k", steps, func() []jen.Code { return k.list(lp.body) })}
	}
	body := k.list(lp.body)
	inner := append(zero, jen.For(jen.Id("k").Op(":=").Id("k0"), jen.Id("k").Op("<").Min(jen.Id("k0").Op("+").Lit(nest.SerialBlock), steps),
		jen.Id("k").Op("++")).Block(body...))
	return []jen.Code{jen.For(jen.Id("k0").Op(":=").Lit(0), jen.Id("k0").Op("<").Add(steps), jen.Id("k0").Op("+=").Lit(nest.SerialBlock)).
		Block(append(inner, blocks...)...)}
}

// declareArrays gives an array to each lane value that is used in another part of the block.
func (k *kernel) declareArrays(l *list) []jen.Code {
	var code []jen.Code
	for _, it := range l.items {
		switch {
		case it.loop != nil:
			code = append(code, k.declareArrays(it.loop.body)...)
		case it.part != nil:
			for _, p := range it.part.lanes.items {
				v := p.value
				if _, done := k.texts[v]; done || !k.usedElsewhere(v) {
					continue
				}
				name := k.names.name(k.hint(v))
				k.arrays[v] = name
				code = append(code, jen.Var().Id(name).Index(jen.Lit(blockLanes)).Id(k.laneType(v)))
			}
		}
	}
	return code
}

func (k *kernel) laneType(v *nest.Value) string {
	switch v.Type {
	case nest.Mask:
		return "bool"
	case nest.Int:
		return "int"
	}
	return k.typeOf(v)
}

func (k *kernel) usedElsewhere(v *nest.Value) bool {
	for _, l := range k.users[v] {
		if l != k.homes[v] {
			return true
		}
	}
	return false
}

// partCode writes a part of a block: its uniform code, its slices and its loop over lanes.
func (k *kernel) partCode(p *part) []jen.Code {
	code := k.list(p.uniform)
	if len(p.lanes.items) == 0 {
		return code
	}
	seen := map[int]bool{}
	for _, it := range p.lanes.items {
		op := -1
		switch v := it.value; v.Op {
		case nest.Load, nest.LoadInt, nest.Store:
			op = v.Operand
		case nest.Reduce:
			if s := k.nest.Slots[v.Slot]; s.Wide {
				op = s.Acc
			}
		}
		if op < 0 || seen[op] || !k.nest.Operands[op].Vector {
			continue
		}
		seen[op] = true
		code = append(code, jen.Id(k.operands[op]).Op(":=").Qual(runtimePath, "Slice").Types(jen.Id(goType[k.nest.Operands[op].DType])).
			Call(jen.Id("a").Dot("Ptr").Index(jen.Lit(op)), k.offset(op, p.uniform.scope, nil), jen.Id("m")))
	}
	return append(code, k.lanes(k.list(p.lanes)...))
}

// describe is the comment of a pass.
func (k *kernel) describe(lp *loop) string {
	var does []string
	for _, s := range lp.slots {
		does = append(does, monoids[k.nest.Slots[s].Monoid].noun)
	}
	var outs []string
	for _, o := range lp.outs {
		outs = append(outs, k.operands[o])
	}
	if len(outs) > 0 {
		does = append(does, "store "+strings.Join(outs, ", "))
	}
	if len(does) == 0 {
		does = append(does, "accumulate")
	}
	return fmt.Sprintf("Pass %d: %s.", k.passes, strings.Join(does, ", "))
}
