package grad

import "github.com/opgen/opgen/codegen/ir"

// absorbingProducts are definitions that the author wrote, with the products absorbing of what is zero where nothing depends on an output: of
// its cotangent, and of what is computed of that.
func absorbingProducts(defs []*ir.Def) []*ir.Def {
	vanishes := map[*ir.Tensor]bool{}
	may := func(v *ir.Value) bool {
		return mayVanish(ir.Map(v, func(v *ir.Value) *ir.Value {
			if v.Op == ir.OpRead && vanishes[v.Tensor] {
				return ir.Call(ir.OpAbsorb, v, ir.Int(1))
			}
			return v
		}))
	}
	r := make([]*ir.Def, len(defs))
	for i, d := range defs {
		r[i] = ir.MapDef(d, func(v *ir.Value) *ir.Value {
			if v.Op != ir.OpMul {
				return v
			}
			for k, g := range v.Args {
				if v.Type.Kind == ir.Typed && may(g) {
					return ir.Call(ir.OpAbsorb, g, v.Args[1-k])
				}
			}
			return v
		})
		vanishes[d.Target] = (d.Monoid == ir.Assign || d.Monoid == ir.Sum) && may(r[i].Body)
	}
	return r
}
