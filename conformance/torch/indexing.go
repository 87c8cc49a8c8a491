package torch

import (
	"math"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// indexing are functions that move elements.
func indexing() map[string]form {
	repeat := func(a *arguments) {
		times, _ := a.numbers("times")
		for len(times) < a.rank("x") {
			times = append([]float64{1}, times...)
		}
		shape := a.tensor("x").Shape
		if len(times) == 0 {
			a.g.op = "index.flip" // nothing is repeated, and nothing turned
			a.setList("axes", nil)
			return
		}
		a.reshape("x", append(slices.Repeat([]int{1}, len(times)-len(shape)), shape...)...)
		a.setList("times", times)
	}
	swap := func(a *arguments) {
		n := a.rank("x")
		perm := make([]float64, n)
		for i := range perm {
			perm[i] = float64(i)
		}
		i, j := (int(a.number("dim0", 0))+n)%max(n, 1), (int(a.number("dim1", 0))+n)%max(n, 1)
		if n > 0 {
			perm[i], perm[j] = perm[j], perm[i]
		}
		a.setList("perm", perm)
	}
	return map[string]form{
		"nn.embedding": {op: "index.embedding", args: "x! z! padding_idx max_norm- norm_type- scale_grad_by_freq! sparse-", say: func(a *arguments) {
			w, idx := a.tensor("x"), a.tensor("z")
			if !w.float() {
				w, idx = idx, w
			}
			if a.given["max_norm"] != nil || a.is("scale_grad_by_freq") {
				a.refuse("rows that the call renormalizes or weighs by their number")
			}
			a.set("w", w)
			a.set("idx", idx)
			if p := a.number("padding_idx", 0); p < 0 {
				a.drop("padding_idx")
				a.set("padding_idx", p+float64(w.Shape[0]))
			}
		}},
		"nn.embedding_bag": {op: "index.embedding_bag", args: "x! z! offsets! mode! max_norm! norm_type- scale_grad_by_freq! sparse- per_sample_weights! " +
			"include_last_offset! padding_idx!", say: embeddingBag},
		"gather": {op: "index.gather", args: "x dim=axis idx sparse_grad-"},
		"take_along_dim": {op: "index.take_along_dim", args: "x idx dim=axis", say: func(a *arguments) {
			if _, ok := a.numbers("dim"); !ok {
				a.reshape("x", len(a.tensor("x").Data))
				a.reshape("idx", len(a.tensor("idx").Data))
				a.set("axis", 0.0)
			}
		}},
		"index_select": {op: "index.index_select", args: "x dim=axis idx", say: func(a *arguments) { a.atLeast1("idx") }},
		"index_add":    {op: "index.index_add", args: "x dim=axis idx src alpha", say: func(a *arguments) { a.atLeast1("idx") }},
		"scatter_add":  {op: "index.scatter_add", args: "x dim=axis idx src"},
		"flip":         {op: "index.flip", args: "x dims!", say: func(a *arguments) { axesFrom(a, "dims", "axes") }},
		"roll": {op: "index.roll", args: "x shifts! dims!", say: func(a *arguments) {
			shifts, _ := a.numbers("shifts")
			dims, ok := a.numbers("dims")
			if !ok || len(dims) == 0 {
				// Without axes, elements in their order are one axis.
				a.reshape("x", len(a.tensor("x").Data))
				dims = []float64{0}
				a.g.Out[0].Shape = []int{len(a.tensor("x").Data)}
			}
			a.setList("shifts", shifts)
			a.setList("axes", dims)
		}},
		"repeat":  {op: "index.repeat", args: "x times!", say: repeat},
		"tile":    {op: "index.repeat", args: "x times!", say: repeat},
		"permute": {op: "index.permute", args: "x dims!", say: func(a *arguments) { axesFrom(a, "dims", "perm") }},
		"rot90": {op: "index.flip", args: "x k! dims!", say: func(a *arguments) {
			dims, ok := a.numbers("dims")
			if !ok {
				dims = []float64{0, 1}
			}
			switch k := (int(a.number("k", 1))%4 + 4) % 4; k {
			case 0:
				a.setList("axes", nil)
			case 2:
				a.setList("axes", dims)
			default:
				// One turn is two axes changed for each other, and then one of them flipped.
				n := a.rank("x")
				order := make([]int, n)
				for i := range order {
					order[i] = i
				}
				first, second := (int(dims[0])+n)%n, (int(dims[1])+n)%n
				order[first], order[second] = second, first
				a.look("x", permuted(a.tensor("x").Shape, order))
				a.setList("axes", []float64{dims[(k-1)/2]})
			}
		}},
		"transpose": {op: "index.permute", args: "x dim0! dim1!", say: swap},
	}
}

func axesFrom(a *arguments, name, ours string) {
	v, _ := a.numbers(name)
	a.setList(ours, v)
}

// embeddingBag: bags are rows of idx, or what lies between offsets.
func embeddingBag(a *arguments) {
	w, idx := a.tensor("x"), a.tensor("z")
	if !w.float() {
		w, idx = idx, w
	}
	if a.given["max_norm"] != nil || a.is("scale_grad_by_freq") {
		a.refuse("rows that the call renormalizes or weighs by their number")
	}
	a.set("w", w)
	a.set("idx", idx)
	scale := a.tensor("per_sample_weights")
	if scale != nil {
		a.set("scale", scale)
	}
	if len(idx.Shape) == 2 {
		n, m := idx.Shape[0], idx.Shape[1]
		a.reshape("idx", n*m)
		if scale != nil {
			a.reshape("scale", n*m)
		}
		offsets := ir.NewArray(n)
		for i := range n {
			offsets.Data[i] = float64(i * m)
		}
		a.g.inputs["offsets"] = offsets
	} else if o := a.tensor("offsets"); o != nil {
		a.set("offsets", o)
		if a.is("include_last_offset") {
			x := a.g.inputs["offsets"]
			x.Shape = []int{len(x.Data) - 1}
			x.Data = x.Data[:len(x.Data)-1]
		}
	}
	a.set("mode", a.text("mode", "mean"))
	if p := a.number("padding_idx", math.NaN()); p == p {
		rows := float64(w.Shape[0])
		a.set("padding_idx", math.Mod(p+rows, rows))
	}
}
