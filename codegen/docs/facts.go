package docs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/codegen/nest"
	"github.com/opgen/opgen/dsl"
)

// features are what the functions of an op compute with.
type features struct {
	ops     map[ir.Op]bool
	monoids map[ir.Monoid]bool
	grads   bool
	order   []string       // names of math functions, in order
	alone   string         // the math function that is all of the formula, of an element of an input
	ints    map[ir.Op]bool // those of integers
	powers  bool           // a power with an exponent that isn't a whole number
	kinks   bool           // a choice by the size of an element
	kernels bool           // there are kernels
	halves  bool           // it takes f16 or bf16
	indices bool           // elements are indices
	calls   map[string]bool
	casts   bool // a formula converts to a dtype
}

// featuresOf reads them from trees, those of the op and of the funcs that it needs, and from its functions.
func featuresOf(op *ir.OpDecl, trees []any, list []*codegen.Function) *features {
	f := &features{ops: map[ir.Op]bool{}, ints: map[ir.Op]bool{}, monoids: map[ir.Monoid]bool{}, calls: map[string]bool{}}
	f.halves = slices.ContainsFunc(op.ElemVars, ir.MayBeHalf)
	for _, tree := range trees {
		dsl.Inspect(tree, func(n any) bool {
			if c, is := n.(*dsl.Call); is && c.Package == nil {
				f.calls[c.Name.Name] = true
				f.casts = f.casts || c.AccOf == nil && isDType(c.Name.Name)
			}
			return true
		})
	}
	for i, fn := range list {
		f.grads = f.grads || fn.Backward != nil
		f.kernels = f.kernels || slices.ContainsFunc(fn.Pairs, func(p *codegen.Pair) bool { return p.Forward != nil })
		class := func(v *ir.Value) ir.Class {
			if v.Type.Kind != ir.Typed {
				return ir.ClassBool
			}
			return ir.ClassOf(op.ElemVars, v.Type.Elem)
		}
		whole := func(v *ir.Value) bool { c := class(v); return c == ir.ClassInt || c == ir.ClassUnknown }
		float := func(v *ir.Value) bool { c := class(v); return c == ir.ClassFloat || c == ir.ClassUnknown }
		compares := func(v *ir.Value) bool {
			found := false
			ir.Walk(v, func(v *ir.Value) bool {
				found = found || (v.Op == ir.OpLt || v.Op == ir.OpLe) && slices.ContainsFunc(v.Args, float)
				return true
			})
			return found
		}
		for _, d := range fn.Forward.Defs {
			f.monoids[d.Monoid] = true
			for _, v := range append([]*ir.Value{d.Body}, d.Where...) {
				ir.Walk(v, func(v *ir.Value) bool {
					if v.Op == ir.OpPow {
						c := ir.ConstOf(v.Args[1])
						if c != nil && c.IsInt() {
							return true
						}
						f.powers = true
					}
					if v.Type.Kind == ir.Typed || v.Type.Kind == ir.Bool {
						f.ops[v.Op] = true
						f.ints[v.Op] = f.ints[v.Op] || whole(v) || len(v.Args) > 0 && whole(v.Args[0])
						f.kinks = f.kinks || v.Op == ir.OpSelect && compares(v.Args[0]) || (v.Op == ir.OpAbs || v.Op == ir.OpMax || v.Op == ir.OpMin) && float(v)
						if v.Op == ir.OpRead {
							f.indices = f.indices || slices.ContainsFunc(v.Args, readsElements)
						}
						if name := mathName(v.Op); (boundOf(name) != nil || ir.Facts[v.Op].Rule == ir.RuleFunc) && v.Op != ir.OpSqrt && !slices.Contains(f.order, name) {
							f.order = append(f.order, name)
						}
					}
					return true
				})
			}
		}
		if name := single(fn.Forward); i == 0 || name == f.alone {
			f.alone = name
		} else {
			f.alone = ""
		}
	}
	slices.Sort(f.order)
	return f
}

// single is the name of the function that is all of a formula, of elements of inputs; "" where there is more.
func single(f *ir.Func) string {
	if len(f.Defs) != 1 || f.Defs[0].Monoid != ir.Assign {
		return ""
	}
	v := f.Defs[0].Body
	if ir.Facts[v.Op].Rule != ir.RuleFunc || slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return a.Op != ir.OpRead }) {
		return ""
	}
	return mathName(v.Op)
}

func mathName(op ir.Op) string {
	if op == ir.OpPow {
		return "pow"
	}
	return ir.Facts[op].Name
}

func boundOf(name string) *nest.MathFunc {
	list := nest.MathFuncs()
	if i := slices.IndexFunc(list, func(f nest.MathFunc) bool { return f.Name == name }); i >= 0 {
		return &list[i]
	}
	return nil
}

// arithmetic are operations that round.
var arithmetic = []ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpDiv, ir.OpPow, ir.OpMod, ir.OpRem, ir.OpSqrt, ir.OpFma}

// accuracy says what is known of rounding errors.
func (f *features) accuracy() string {
	rounds := slices.ContainsFunc(arithmetic, func(op ir.Op) bool { return f.ops[op] })
	sums, products := f.monoids[ir.Sum], f.monoids[ir.Prod]
	var parts []string
	if m := boundOf(f.alone); f.kernels && f.alone != "" && m != nil {
		return fmt.Sprintf("In kernels the result is within %s of the exact one.", ulps(m)) + f.rounded()
	}
	var known, unknown []string
	for _, name := range f.order {
		if m := boundOf(name); m != nil && f.kernels {
			known = append(known, fmt.Sprintf("`%s` %s", name, ulps(m)))
		} else {
			unknown = append(unknown, "`"+name+"`")
		}
	}
	if !rounds && !sums && !products && len(f.order) == 0 {
		return "Nothing is rounded: elements are moved, compared or chosen."
	}
	if rounds {
		text := "Each arithmetic operation is rounded once, in the order of the formula"
		if f.ops[ir.OpDiv] {
			text += "; for a division of many elements by one number see the row `division` of the conventions"
		}
		parts = append(parts, text+".")
	}
	if known != nil {
		parts = append(parts, "The error of the functions in kernels is at most: "+strings.Join(known, ", ")+".")
	}
	if unknown != nil {
		parts = append(parts, "No bound is stated for "+strings.Join(unknown, ", ")+", computed in portable Go.")
	}
	if sums {
		parts = append(parts, "How sums are kept stands in the row `sums`.")
	}
	parts = append(parts, "No bound is claimed for the op as a whole.")
	return strings.Join(parts, " ") + f.rounded()
}

func (f *features) rounded() string {
	if !f.halves {
		return ""
	}
	return " f16 and bf16 are computed in f32 and rounded when they are stored."
}

// readsElements tells whether an index comes from elements.
func readsElements(v *ir.Value) bool { return len(ir.Reads(v)) > 0 }

func ulps(m *nest.MathFunc) string {
	if m.MaxULP32 == m.MaxULP64 {
		return fmt.Sprintf("%g ulp", m.MaxULP32)
	}
	return fmt.Sprintf("%g ulp in f32 and %g ulp in f64", m.MaxULP32, m.MaxULP64)
}

// conventions are the rows of docs/conventions.md, and when they matter to an op.
var conventions = []struct {
	row  string
	when func(f *features) bool
}{
	{"kink", func(f *features) bool {
		return f.grads && f.kinks
	}},
	{"tie", func(f *features) bool { return f.grads && f.any(ir.OpMax, ir.OpMin) }},
	{"tie-reduction", func(f *features) bool { return f.grads && (f.monoids[ir.Max] || f.monoids[ir.Min]) }},
	{"tie-index", func(f *features) bool { return f.calls["argmax"] || f.calls["argmin"] }},
	{"nan", func(f *features) bool { return f.any(ir.OpMax, ir.OpMin) || f.monoids[ir.Max] || f.monoids[ir.Min] }},
	{"nan-known", func(f *features) bool { return f.calls["fmax"] || f.calls["fmin"] }},
	{"norm-zero", func(f *features) bool { return f.grads && f.calls["norm"] }},
	{"sqrt-zero", func(f *features) bool { return f.grads && f.ops[ir.OpSqrt] }},
	{"power-zero", func(f *features) bool { return f.grads && f.powers }},
	{"xlogy-zero", func(f *features) bool { return f.ops[ir.OpXlogy] }},
	{"hypot-zero", func(f *features) bool { return f.grads && f.ops[ir.OpHypot] }},
	{"atan2-zero", func(f *features) bool { return f.grads && f.ops[ir.OpAtan2] }},
	{"gamma-poles", func(f *features) bool { return f.any(ir.OpLgamma, ir.OpPolygamma) }},
	{"random", func(f *features) bool { return f.any(ir.OpUniform, ir.OpNormal) }},
	{"branch", func(f *features) bool { return f.any(ir.OpSelect) }},
	{"prod-zeros", func(f *features) bool { return f.grads && f.monoids[ir.Prod] }},
	{"sums", func(f *features) bool { return f.monoids[ir.Sum] }},
	{"empty-reductions", func(f *features) bool {
		return f.monoids[ir.Sum] || f.monoids[ir.Prod] || f.monoids[ir.Max] || f.monoids[ir.Min]
	}},
	{"division", func(f *features) bool { return f.ops[ir.OpDiv] }},
	{"indices", func(f *features) bool { return f.indices }},
	{"integers", func(f *features) bool {
		return f.ints[ir.OpAdd] || f.ints[ir.OpSub] || f.ints[ir.OpMul] || f.ints[ir.OpAbs]
	}},
	{"casts", func(f *features) bool { return f.casts }},
	{"integer-division", func(f *features) bool { return f.ints[ir.OpDiv] || f.ints[ir.OpMod] || f.ints[ir.OpRem] }},
}

func (f *features) any(ops ...ir.Op) bool {
	return slices.ContainsFunc(ops, func(op ir.Op) bool { return f.ops[op] })
}

// rows are the conventions that matter.
func (f *features) rows() []string {
	var r []string
	for _, c := range conventions {
		if c.when(f) {
			r = append(r, c.row)
		}
	}
	return r
}
