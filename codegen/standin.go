package codegen

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/nest"
)

// standIns puts kernels that do more in the place of those that do less, with the same bits:
//
//   - one with a factor for one without, where the factor is 1: a mean for a sum. Not where the rows share what they read and the factor
//     is in the serial loop: there it would be one more instruction for a few multiply-adds;
//   - one whose input moves for one that reads a single element, where the stride is 0: the gradient of each element of a
//     loss for that of their sum. Where the single element is scaled first, as in the gradient of a mean, a launch of its
//     own does that.
func (b *Build) standIns() {
	all, byHash := b.distinct()
	factors := map[*nest.Nest]factor{}
	for _, n := range all {
		for i := range n.Scalars {
			if special, ok := n.Neutral(i); ok && n.SharedWork() <= special.SharedWork() {
				if m := byHash[special.Hash()]; m != nil && factors[m].nest == nil {
					factors[m] = factor{n, i}
				}
			}
		}
	}
	b.eachLaunch(func(_ *nest.Program, l *nest.Launch) []*nest.Launch {
		for f := factors[l.Nest]; f.nest != nil; f = factors[l.Nest] {
			l.Nest = f.nest
			l.Scalars = slices.Insert(slices.Clone(l.Scalars), f.scalar, ir.Int(1))
		}
		return []*nest.Launch{l}
	})

	all, _ = b.distinct()
	byKey := map[[32]byte][]*nest.Nest{}
	keys := make([][32]byte, len(all))
	for i, n := range all {
		keys[i] = n.Key()
		byKey[keys[i]] = append(byKey[keys[i]], n)
	}
	movers := map[*nest.Nest]factor{}
	for i, n := range all {
		if movers[n] = (factor{mover(byKey[keys[i]], n), -1}); movers[n].nest != nil {
			continue
		}
		for i := range n.Scalars {
			if special, ok := n.Neutral(i); ok && movers[n].nest == nil {
				movers[n] = factor{mover(byKey[special.Key()], special), i}
			}
		}
	}
	b.eachLaunch(func(p *nest.Program, l *nest.Launch) []*nest.Launch {
		switch m := movers[l.Nest]; {
		case m.nest == nil:
		case len(l.Batch) > 0: // the element is another one at each point
		case m.scalar < 0:
			l.Nest = m.nest
		default:
			if scale := scaled(p, l, m.scalar); scale != nil {
				l.Nest = m.nest
				l.Scalars = slices.Delete(slices.Clone(l.Scalars), m.scalar, m.scalar+1)
				return []*nest.Launch{scale, l}
			}
		}
		return []*nest.Launch{l}
	})
}

// factor is a kernel that stands in, and the scalar that is 1; -1: none.
type factor struct {
	nest   *nest.Nest
	scalar int
}

// distinct are the kernels that differ, in order, and by hash. From then on launches of equal kernels have the same one.
func (b *Build) distinct() (all []*nest.Nest, first map[[32]byte]*nest.Nest) {
	same := map[*nest.Nest]*nest.Nest{}
	first = map[[32]byte]*nest.Nest{}
	b.eachLaunch(func(_ *nest.Program, l *nest.Launch) []*nest.Launch {
		if same[l.Nest] == nil {
			h := l.Nest.Hash()
			if first[h] == nil {
				first[h] = l.Nest
				all = append(all, l.Nest)
			}
			same[l.Nest] = first[h]
		}
		l.Nest = same[l.Nest]
		return []*nest.Launch{l}
	})
	return all, first
}

// eachLaunch replaces launches.
func (b *Build) eachLaunch(f func(*nest.Program, *nest.Launch) []*nest.Launch) {
	for _, fn := range b.all() {
		for _, p := range fn.Pairs {
			for _, prog := range p.programs() {
				var launches []*nest.Launch
				for _, l := range prog.Launches {
					launches = append(launches, f(prog, l)...)
				}
				prog.Launches = launches
			}
		}
	}
}

// mover is the first of the kernels of one key whose inputs move where those of n do, and also where n reads single
// elements; nil if there is none.
func mover(list []*nest.Nest, n *nest.Nest) *nest.Nest {
	for _, m := range list {
		more := false
		fits := func(o, p *nest.Operand) bool {
			if o.Grid == p.Grid && o.Vector == p.Vector && o.Serial == p.Serial {
				return true
			}
			more = true
			return p.Mode == nest.In && p.DType == n.Float && !p.Grid && !p.Vector && !p.Serial
		}
		all := true
		for i := range m.Operands {
			all = all && fits(&m.Operands[i], &n.Operands[i])
		}
		if all && more {
			return m
		}
	}
	return nil
}

// scaled is a launch that multiplies or divides a single element by a scalar, where that is all that a launch does with both:
// from then on it reads the result. It is nil where the launch does more.
func scaled(p *nest.Program, l *nest.Launch, scalar int) *nest.Launch {
	var use, load *nest.Value
	uses, loads := 0, map[*nest.Value]int{}
	l.Nest.Walk(func(s nest.Stmt, _ []*nest.For) {
		v, ok := s.(*nest.Value)
		if !ok {
			return
		}
		for i, a := range v.Args {
			switch {
			case a.Op == nest.ScalarOf && a.Scalar == scalar:
				use, load = v, v.Args[len(v.Args)-1-i]
				uses++
			case a.Op == nest.Load:
				loads[a]++
			}
		}
	})
	if uses != 1 || load.Op != nest.Load || loads[load] != 1 {
		return nil
	}
	operand := load.Operand
	o := &l.Nest.Operands[operand]
	from := l.Operands[operand]
	if o.Mode != nest.In || o.DType != l.Nest.Float || o.Grid || o.Vector || o.Serial || from.Pack || len(from.Tensor.Axes) > 0 {
		return nil
	}
	loadsOf := 0
	l.Nest.Walk(func(s nest.Stmt, _ []*nest.For) {
		if v, ok := s.(*nest.Value); ok && v.Op == nest.Load && v.Operand == operand {
			loadsOf++
		}
	})
	if loadsOf != 1 {
		return nil
	}
	k := nest.NewBuilder(l.Nest.Name+"_scale", l.Nest.Float)
	in := k.Operand(nest.Operand{Name: o.Name, DType: o.DType})
	out := k.Operand(nest.Operand{Name: "scaled", DType: o.DType, Mode: nest.Out})
	s := k.ScalarOf(k.Scalar(l.Nest.Scalars[scalar].Name))
	x := k.Load(in)
	args := []*nest.Value{x, s}
	if use.Args[1] == load {
		args = []*nest.Value{s, x}
	}
	k.Store(out, k.Op(use.Op, args...))
	n, err := k.Done()
	if err != nil {
		return nil
	}
	temp := &ir.Tensor{Name: from.Tensor.Name + "_scaled", Role: ir.Local, Elem: from.Tensor.Elem}
	p.Temps = append(p.Temps, temp)
	l.Operands = slices.Clone(l.Operands)
	l.Operands[operand] = nest.Bind{Tensor: temp}
	return &nest.Launch{Nest: n, Operands: []nest.Bind{{Tensor: from.Tensor}, {Tensor: temp}}, Scalars: []*ir.Value{l.Scalars[scalar]}, Wanted: l.Wanted}
}
