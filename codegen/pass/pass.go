// Package pass rewrites functions of the math IR. Each pass takes a function and gives one that computes the same; the
// list Passes is their order.
package pass

import (
	"fmt"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// Pass is one rewriting.
type Pass struct {
	Name string
	Run  func(*ir.Func) *ir.Func
}

// Passes run in this order, on forward and on backward functions.
//
// Order matters:
//   - simplify first, so that the others see a select once, and no multiplication by one.
//   - zero before linear: the cotangent of a maximum that only shifts is zero as it was derived; taken apart it is a
//     difference of two sums that are each computed.
//   - linear after zero, since it inlines what zero would have dropped.
//   - zero again: linear takes sums apart, and some of the parts are zero (deviations from a mean). What is left may
//     be inlined further, so linear again.
//   - simplify again, for what was inlined.
//   - empty after linear, which takes factors out of sums.
//   - kink and asked after all that rewrites products.
//   - common after all that makes definitions alike; then collapse, since a copy that two read is no copy to drop.
//   - carry after linear, which leaves sums whose points are the same for all elements when it takes factors out, and after common, so that a
//     running maximum is read itself and no copy of it. Before collapse, for which what is reduced around a point is but another local.
//   - dead last: it drops what the others left without readers.
var Passes = []Pass{
	{"simplify", Simplify},
	{"zero", Zero},
	{"linear", Linear},
	{"zero", Zero},
	{"linear", Linear},
	{"simplify", Simplify},
	{"empty", Empty},
	{"kink", Kink},
	{"asked", Asked},
	{"common", Common},
	{"carry", Carry},
	{"collapse", Collapse},
	{"dead", Dead},
}

// Run runs the passes up to the first one named until (all of them where it is empty), and verifies the function after
// each that changes it. What the verifier finds is a fault of the pass.
func Run(f *ir.Func, until string) (*ir.Func, error) { return run(f, Passes, until) }

// Formulas is what Run gives, but that every element is reduced for itself, and that a sign multiplies: definitions that are to be read as
// mathematics, rather than run.
func Formulas(f *ir.Func) (*ir.Func, error) {
	return run(f, slices.DeleteFunc(slices.Clone(Passes), func(p Pass) bool { return p.Name == "kink" || p.Name == "carry" }), "")
}

func run(f *ir.Func, passes []Pass, until string) (*ir.Func, error) {
	left := map[string]*ir.Func{} // what a pass found nothing to change in
	for _, p := range passes {
		if left[p.Name] != f {
			n := p.Run(f)
			if n == f {
				left[p.Name] = f
			} else if err := ir.Verify(n); err != nil {
				return nil, fmt.Errorf("pass %s: %w", p.Name, err)
			}
			f = n
		}
		if p.Name == until {
			break
		}
	}
	return f, nil
}

// with is f with other definitions: a copy, if they are others.
func with(f *ir.Func, defs []*ir.Def) *ir.Func {
	if slices.Equal(f.Defs, defs) {
		return f
	}
	n := *f
	n.Defs = defs
	return &n
}

// eachDef rebuilds every definition.
func eachDef(f *ir.Func, rewrite func(*ir.Def) *ir.Def) *ir.Func {
	defs := make([]*ir.Def, len(f.Defs))
	for i, d := range f.Defs {
		defs[i] = rewrite(d)
	}
	return with(f, defs)
}

// byTarget finds the definition of each tensor.
func byTarget(defs []*ir.Def) map[*ir.Tensor]*ir.Def {
	r := map[*ir.Tensor]*ir.Def{}
	for _, d := range defs {
		r[d.Target] = d
	}
	return r
}
