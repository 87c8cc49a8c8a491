package nest

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// markWanted finds for each launch the gradients without which it needn't run: all that depends on it are gradients.
func (p *Program) markWanted() {
	needs := map[*ir.Tensor]map[*ir.Tensor]bool{} // tensor: the outputs that depend on it
	for _, launch := range slices.Backward(p.Launches) {
		outputs := map[*ir.Tensor]bool{}
		for i, b := range launch.Operands {
			if launch.Nest.Operands[i].Mode == In {
				continue
			}
			if slices.Contains(p.Func.Outputs, b.Tensor) || slices.Contains(p.Saved, b.Tensor) {
				outputs[b.Tensor] = true
			}
			for t := range needs[b.Tensor] {
				outputs[t] = true
			}
		}
		for i, b := range launch.Operands {
			if launch.Nest.Operands[i].Mode != In {
				continue
			}
			if needs[b.Tensor] == nil {
				needs[b.Tensor] = map[*ir.Tensor]bool{}
			}
			for t := range outputs {
				needs[b.Tensor][t] = true
			}
		}
		var wanted []*ir.Tensor
		optional := true
		for _, t := range p.Func.Outputs {
			if outputs[t] {
				wanted = append(wanted, t)
				optional = optional && t.Role == ir.Gradient
				delete(outputs, t)
			}
		}
		if optional && len(outputs) == 0 {
			launch.Wanted = wanted
		}
	}
}

// ReadsBack says whether a launch reads a tensor that an earlier one wrote. A saved tensor or a gradient that is not
// wanted needs no memory of its own where none does: all rows may lie on one.
func (p *Program) ReadsBack(t *ir.Tensor) bool {
	for _, launch := range p.Launches {
		for i, b := range launch.Operands {
			if b.Tensor == t && launch.Nest.Operands[i].Mode == In {
				return true
			}
		}
	}
	return false
}

// MayShare says whether an output may be given the memory of an input with the same axes: each nest that stores it
// allows that, and none reads the input afterwards.
func (p *Program) MayShare(out, in *ir.Tensor) bool {
	if !slices.Equal(out.Axes, in.Axes) || out.Elem.Name != in.Elem.Name {
		return false
	}
	stored := false
	for _, launch := range p.Launches {
		reads := slices.ContainsFunc(launch.Operands, func(b Bind) bool { return b.Tensor == in })
		if stored && reads {
			return false
		}
		for i, b := range launch.Operands {
			o := &launch.Nest.Operands[i]
			if b.Tensor != out || o.Mode == In {
				continue
			}
			stored = true
			if reads && o.Mode != InOut && !p.allReadsIn(launch, o, in) {
				return false
			}
		}
	}
	return stored
}

// allReadsIn says whether every operand of in is one that o may lie on.
func (p *Program) allReadsIn(launch *Launch, o *Operand, in *ir.Tensor) bool {
	for i, b := range launch.Operands {
		if b.Tensor == in && !slices.Contains(o.InPlace, i) {
			return false
		}
	}
	return true
}
