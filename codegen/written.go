package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
)

// Backend is what code runs on.
type Backend string

const (
	BackendGo     Backend = "go"     // portable Go
	BackendAVX2   Backend = "avx2"   // assembly
	BackendAVX512 Backend = "avx512" // assembly
	BackendCUDA   Backend = "cuda"   // CUDA C
)

// Backends are all there are, with the target that writes code for each.
var Backends = []struct {
	Name   Backend
	Target Target
}{{BackendGo, Go}, {BackendAVX2, AMD64}, {BackendAVX512, AMD64}, {BackendCUDA, CUDA}}

// How code for a choice of dtypes is written.
const (
	Kernels     = "kernels"     // loops made for these dtypes
	Definitions = "definitions" // portable Go from the definitions, element by element
	Absent      = "-"           // nothing: portable Go runs instead
)

// Written is what there is of an op for one choice of dtypes.
type Written struct {
	Op       string             `json:"op"` // package.name
	DTypes   map[string]string  `json:"dtypes"`
	Backends map[Backend]string `json:"backends"` // Kernels, Definitions or Absent; "kernels (2 of 3)" where some of the functions have kernels
	Gradient string             `json:"gradient"` // "yes" or "-"
}

// Written lists ops, dtypes and backends, after the stage lower: what is written for the targets of the build.
func (b *Build) Written() []Written {
	var r []Written
	for _, op := range b.Package.Ops {
		var fns []*Function
		for _, f := range b.Functions {
			if f.Op == op {
				fns = append(fns, f)
			}
		}
		for _, dtypes := range calls(op.ElemVars) {
			w := Written{Op: b.Package.Name + "." + op.Name, DTypes: dtypes, Backends: map[Backend]string{}, Gradient: "-"}
			kernels, all := 0, 0
			for _, f := range fns {
				i := slices.IndexFunc(f.Pairs, func(p *Pair) bool { return p.Takes(dtypes) })
				if i < 0 {
					continue
				}
				p := f.Pairs[i]
				all++
				if p.Forward != nil {
					kernels++
				}
				if p.Derivative != nil {
					w.Gradient = "yes"
				}
			}
			for _, k := range Backends {
				w.Backends[k.Name] = written(kernels, all, k.Name == BackendGo, b.Targets[k.Target])
			}
			r = append(r, w)
		}
	}
	return r
}

// written is the word for a backend, of functions of which some have kernels.
func written(kernels, all int, portable, target bool) string {
	switch {
	case !target, kernels == 0 && !portable:
		return Absent
	case kernels == 0:
		return Definitions
	case kernels < all:
		return fmt.Sprintf("%s (%d of %d)", Kernels, kernels, all)
	}
	return Kernels
}

// calls are all dtypes that an op can be called with.
func calls(vars []ir.ElemVar) []map[string]string {
	r := []map[string]string{{}}
	for _, v := range vars {
		var next []map[string]string
		for _, m := range r {
			for _, d := range v.DTypes {
				next = append(next, with(m, v.Name, d))
			}
		}
		r = next
	}
	return r
}

// Group is dtypes that have the same written.
type Group struct {
	Op       string
	DTypes   string // "f32, f64", or "T: f32, f64; I: i64"
	Backends map[Backend]string
	Gradient string
}

// Groups joins what is the same for several dtypes of the first variable, then of the others.
func Groups(op *ir.OpDecl, list []Written) []Group {
	type row struct {
		sets [][]string
		w    Written
	}
	same := func(a, b Written) bool {
		for _, k := range Backends {
			if a.Backends[k.Name] != b.Backends[k.Name] {
				return false
			}
		}
		return a.Gradient == b.Gradient
	}
	var rows []row
	for _, w := range list {
		x := row{w: w}
		for _, v := range op.ElemVars {
			x.sets = append(x.sets, []string{w.DTypes[v.Name]})
		}
		rows = append(rows, x)
	}
	for i := len(op.ElemVars) - 1; i >= 0; i-- { // rows that differ in variable i alone become one
		var next []row
	merging:
		for _, x := range rows {
			for k := range next {
				y := &next[k]
				equal := same(x.w, y.w)
				for j := range x.sets {
					equal = equal && (j == i || slices.Equal(x.sets[j], y.sets[j]))
				}
				if equal {
					y.sets[i] = append(y.sets[i], x.sets[i]...)
					continue merging
				}
			}
			next = append(next, x)
		}
		rows = next
	}
	var r []Group
	for _, x := range rows {
		var parts []string
		for i, v := range op.ElemVars {
			text := strings.Join(x.sets[i], ", ")
			if len(op.ElemVars) > 1 {
				text = v.Name + ": " + text
			}
			parts = append(parts, text)
		}
		r = append(r, Group{x.w.Op, strings.Join(parts, "; "), x.w.Backends, x.w.Gradient})
	}
	return r
}
