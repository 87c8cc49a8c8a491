package emit

import (
	"strings"

	"github.com/opgen/opgen/codegen/ir"
)

// AxisRefs are axes of a tensor as they would be written: those of a pack that is computed with are the pack.
func AxisRefs(axes []*ir.Axis) []ir.AxisRef {
	refs := []ir.AxisRef{}
	for _, a := range axes {
		switch {
		case a.Of == "":
			refs = append(refs, ir.AxisRef{Name: a.Name, Pack: a.Pack})
		case a.At == 0:
			refs = append(refs, ir.AxisRef{Name: a.Of, Pack: true})
		}
	}
	return refs
}

// Fuller is the longer of two lists of axes where the other has the same but for packs, which then have no axes; nil where they
// differ otherwise.
func Fuller(a, b []ir.AxisRef) []ir.AxisRef {
	if len(a) < len(b) {
		a, b = b, a
	}
	k := 0
	for _, r := range a {
		switch {
		case k < len(b) && b[k].Name == r.Name:
			k++
		case !r.Pack:
			return nil
		}
	}
	if k < len(b) {
		return nil
	}
	return a
}

// WholePacks reports whether a tensor has all axes of each pack that it has one of.
func WholePacks(op *ir.OpDecl, v *ir.Variant, t *ir.Tensor) bool {
	counts := map[string]int{}
	for _, a := range t.Axes {
		if a.Of == "" {
			continue
		}
		if a.At != counts[a.Of] {
			return false
		}
		counts[a.Of]++
	}
	for _, c := range v.Choices {
		for _, r := range op.Ranks {
			if c.Rank == "" || r.Packs[0] != c.Rank {
				continue
			}
			for _, p := range r.Packs {
				if n := counts[p]; n > 0 && n != c.N {
					return false
				}
			}
		}
	}
	return true
}

// IsEntry reports whether a number is an entry of a list: how many there are is known when tensors are bound.
func IsEntry(v *ir.Value) bool { return v.Op == ir.OpScalar && strings.Contains(v.Name, "[") }

// Late reports whether a choice is decided by extents, numbers of axes, or numbers of the dtype of a call.
func Late(c ir.Choice) bool {
	found := c.Rank != ""
	if c.Cond != nil {
		ir.Walk(c.Cond, func(v *ir.Value) bool {
			found = found || v.Op == ir.OpExtent || IsEntry(v) || v.Type.Kind == ir.Typed
			return !found
		})
	}
	return found
}
