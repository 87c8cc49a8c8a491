package gocpu

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/nest"
)

// batch writes the batch of a launch: an axis after the other, with the strides of operands along it.
func (p *programBody) batch(l *nest.Launch) []jen.Code {
	batch := func() *jen.Statement { return jen.Id("batch") }
	code := []jen.Code{batch().Op(":=").Qual(runtimePath, "NewBatch").Call()}
	for k, x := range l.Batch {
		args := []jen.Code{jen.Id("b"), jen.Lit(p.g.axis(x.Name))}
		add := "Axis"
		if x.Of != "" {
			args, add = []jen.Code{p.ext(x)}, "Extent"
		}
		for i, b := range l.Operands {
			if lies, ok := l.AsItLies(i); ok {
				b = lies
			}
			j := p.s.index(b.Tensor)
			switch {
			case !b.Batch[k].Moves:
				args = append(args, jen.Lit(0))
			case j >= 0 && leads(b, k, x) < p.s.batched(j):
				args = append(args, jen.Op("^").Lit(j))
			default:
				args = append(args, p.stride(b, b.Batch[k]))
			}
		}
		code = append(code, batch().Dot(add).Call(args...))
	}
	return code
}

// leads is the position of batch axis k, which is x, in a tensor; where the tensor has that axis before, too, it is behind all.
func leads(b nest.Bind, k int, x *ir.Axis) int {
	at := len(b.Tensor.Axes) - 1 - len(b.Batch[k].Axes)
	if slices.Index(b.Tensor.Axes, x) != at {
		return len(b.Tensor.Axes)
	}
	return at
}

// batched is the number of the first dimensions of parameter i along which kernels take it as it lies: all launches that have it are
// repeated along them. Programs for integers that are written from definitions need it dense, which the runtime sees to.
func (s *signature) batched(i int) int {
	q := s.params[i]
	if q.mode != "In" && q.mode != "Gradient" || q.saved {
		return 0
	}
	n := 0
	for _, d := range q.dims {
		if d.Product != nil {
			break
		}
		n++
	}
	taken := false
	for _, pair := range s.group.pairs(s.back) {
		prog := pair.Forward
		if s.back {
			prog = pair.Backward
		}
		if prog == nil {
			continue
		}
		t := s.tensorOf(prog, i, q.mode == "Gradient")
		if t == nil {
			continue
		}
		d := t.Elem.Resolve(pair.Calls())
		switch float := d != ir.AnyInt && ir.ClassOf(nil, ir.Elem{Name: d}) == ir.ClassFloat; {
		case prog.Nests == nil && (!float || q.mode == "In" && !prog.Reads(t)):
			continue
		case prog.Nests == nil || !float:
			return 0
		}
		n = min(n, batchedIn(prog, t))
		taken = taken || prog.Takes(t)
	}
	if !taken {
		return 0
	}
	return n
}

// batchedIn is the number of the first axes of a tensor that all launches of a program that have it are repeated along.
func batchedIn(prog *emit.Program, t *ir.Tensor) int {
	n := len(t.Axes)
	for _, r := range prog.Func.Requires {
		if ir.Reads(r.Cond)[t] {
			return 0
		}
	}
	for _, c := range prog.Nests.Checks {
		if c.Index == t {
			return 0
		}
	}
	for _, l := range prog.Nests.Launches {
		for i, b := range l.Operands {
			if b.Tensor != t {
				continue
			}
			if lies, ok := l.AsItLies(i); ok {
				b = lies
			}
			if b.Pack || t.Role == ir.Gradient && !addsUp(l, i) {
				return 0
			}
			k := 0
			for k < n && isBatch(l, b, t, k) {
				k++
			}
			n = k
		}
	}
	return n
}

// isBatch reports whether axis k of a tensor is one that a launch is repeated along.
func isBatch(l *nest.Launch, b nest.Bind, t *ir.Tensor, k int) bool {
	for j, x := range l.Batch {
		if x == t.Axes[k] && x.Of == "" && b.Batch[j].Moves && leads(b, j, x) == k {
			return true
		}
	}
	return false
}

// addsUp reports whether an operand of a launch is all that it stores, a sum over the serial axis: where it is the same for several
// points of the batch, it is the sum over them too.
func addsUp(l *nest.Launch, operand int) bool {
	to, ok := l.Nest.CutSteps()
	return ok && to == operand && l.Nest.Slots[0].Monoid == nest.SumOf && len(l.Wanted) == 1 && l.Wanted[0] == l.Operands[operand].Tensor
}
