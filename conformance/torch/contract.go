package torch

import (
	"slices"
	"strings"
)

// label names an axis of a contraction; those of an ellipsis are negative, counted from the right.
type label = int

// tensordot contracts axes: the last ones of x and first ones of z by their number, or chosen ones of both.
func tensordot(a *arguments) {
	x, z := make([]label, a.rank("x")), make([]label, a.rank("z"))
	for i := range x {
		x[i] = i
	}
	for i := range z {
		z[i] = len(x) + i
	}
	var ours, theirs []float64
	switch dims := a.given["dims"].(type) {
	case []any:
		if len(dims) != 2 {
			a.refuse("dims are not two lists")
		}
		a.given["x_dims"], a.given["z_dims"] = dims[0], dims[1]
		ours, _ = a.numbers("x_dims")
		theirs, _ = a.numbers("z_dims")
	default:
		n := int(a.number("dims", 2))
		for i := range n {
			ours, theirs = append(ours, float64(len(x)-n+i)), append(theirs, float64(i))
		}
	}
	if len(ours) != len(theirs) {
		a.refuse("dims are lists of different lengths")
	}
	for i := range ours {
		z[(int(theirs[i])+len(z))%len(z)] = x[(int(ours[i])+len(x))%len(x)]
	}
	var out []label
	for _, l := range slices.Concat(x, z) {
		if !slices.Contains(x, l) || !slices.Contains(z, l) {
			out = append(out, l)
		}
	}
	a.contract(x, z, out)
}

// einsum is written in the language, so each equation is an op of its own; those that one product or sum gives are said so.
func einsum(a *arguments) {
	list, _ := a.given["operands"].([]any)
	var shapes [][]int
	for _, e := range list {
		t, is := e.(*Tensor)
		if !is {
			a.refuse("an operand that is no tensor")
		}
		shapes = append(shapes, t.Shape)
	}
	terms, out := equation(a.text("equation", ""), shapes)
	if len(terms) != len(list) {
		a.refuse("an equation of other operands")
	}
	switch len(list) {
	case 1:
		a.set("x", list[0])
		a.given["x"] = list[0]
		a.reduced(terms[0], out)
	case 2:
		a.set("x", list[0])
		a.set("z", list[1])
		a.given["x"], a.given["z"] = list[0], list[1]
		a.contract(terms[0], terms[1], out)
	default:
		a.refuse("a product of more than two tensors in a string: it is an op of its own in opgen")
	}
}

// equation reads an equation for operands of shapes.
func equation(text string, shapes [][]int) (terms [][]label, out []label) {
	left, right, arrow := strings.Cut(strings.ReplaceAll(text, " ", ""), "->")
	most := 0
	read := func(term string, rank int) []label {
		var r []label
		before, after, dots := strings.Cut(term, "...")
		for _, c := range before {
			r = append(r, label(c))
		}
		if dots {
			n := most
			if rank >= 0 {
				n = max(rank-len(before)-len(after), 0)
				most = max(most, n)
			}
			for k := n; k > 0; k-- {
				r = append(r, -k)
			}
		}
		for _, c := range after {
			r = append(r, label(c))
		}
		return r
	}
	for i, term := range strings.Split(left, ",") {
		rank := 0
		if i < len(shapes) {
			rank = len(shapes[i])
		}
		terms = append(terms, read(term, rank))
	}
	if arrow {
		return terms, read(right, -1)
	}
	// What stands once is in the result, in the order of the alphabet.
	all := slices.Concat(terms...)
	for _, l := range slices.Sorted(slices.Values(all)) {
		if l < 0 && !slices.Contains(out, l) || l >= 0 && count(all, l) == 1 {
			out = append(out, l)
		}
	}
	return terms, out
}

func count(list []label, l label) (n int) {
	for _, e := range list {
		if e == l {
			n++
		}
	}
	return n
}

// orders are the places in from of the labels of to.
func orders(from, to []label) []int {
	r := []int{}
	for _, l := range to {
		r = append(r, slices.Index(from, l))
	}
	return r
}

// reduced is a sum of one tensor, or of its diagonals.
func (a *arguments) reduced(x, out []label) {
	shape := a.tensor("x").Shape
	if len(shape) != len(x) {
		a.refuse("an equation of other axes")
	}
	var kept, summed, twice []label
	for _, l := range x {
		switch {
		case count(x, l) == 2 && !slices.Contains(out, l):
			twice = append(twice, l)
		case count(x, l) > 1:
			a.refuse("diagonals in a string: they are an op of their own in opgen")
		case slices.Contains(out, l):
			kept = append(kept, l)
		default:
			summed = append(summed, l)
		}
	}
	switch {
	case twice == nil:
		a.g.op = "reduce.sum"
		axes := []float64{}
		for _, l := range summed {
			axes = append(axes, float64(slices.Index(x, l)))
		}
		if len(axes) == 0 {
			a.g.op = "index.permute"
			for i := range x {
				axes = append(axes, float64(i))
			}
			a.setList("perm", axes)
		} else {
			a.setList("axes", axes)
		}
	case len(twice) == 2 && summed == nil:
		a.g.op = "linalg.trace"
		order := orders(x, kept)
		for i, l := range x {
			if l == twice[0] {
				order = append(order, i)
			}
		}
		a.look("x", permuted(shape, order))
	default:
		a.refuse("diagonals in a string: they are an op of their own in opgen")
	}
	var result []int
	for _, l := range kept {
		result = append(result, shape[slices.Index(x, l)])
	}
	a.result(orders(out, kept), result)
}

// contract is a product of matrices: axes that both and the result have, those of x, those that are summed, and those of z.
// A sum over an axis of one tensor alone is one over both, the other copied along it.
func (a *arguments) contract(x, z, out []label) {
	extents := map[label]int{}
	for _, t := range []struct {
		labels []label
		shape  []int
	}{{x, a.tensor("x").Shape}, {z, a.tensor("z").Shape}} {
		if len(t.labels) != len(t.shape) {
			a.refuse("an equation of other axes")
		}
		for i, l := range t.labels {
			if count(t.labels, l) > 1 {
				a.refuse("diagonals in a string: they are an op of their own in opgen")
			}
			if n, is := extents[l]; !is || n == 1 {
				extents[l] = t.shape[i]
			}
		}
	}
	var batch, left, summed, right []label
	for _, l := range x {
		switch {
		case !slices.Contains(out, l):
			summed = append(summed, l)
		case slices.Contains(z, l):
			batch = append(batch, l)
		default:
			left = append(left, l)
		}
	}
	for _, l := range z {
		switch {
		case slices.Contains(x, l):
		case slices.Contains(out, l):
			right = append(right, l)
		default:
			summed = append(summed, l)
		}
	}
	sizes := func(labels []label) (r []int, n int) {
		n = 1
		for _, l := range labels {
			r = append(r, extents[l])
			n *= extents[l]
		}
		return r, n
	}
	look := func(input string, labels []label, order ...[]label) {
		all := slices.Concat(order...)
		v := &view{from: orders(labels, all)}
		v.shape, _ = sizes(all)
		a.look(input, v)
	}
	look("x", x, batch, left, summed)
	look("z", z, batch, summed, right)
	b, _ := sizes(batch)
	_, n := sizes(left)
	_, k := sizes(summed)
	_, m := sizes(right)
	a.reshape("x", slices.Concat(b, []int{n, k})...)
	a.reshape("z", slices.Concat(b, []int{k, m})...)
	a.g.op = "linalg.matmul"
	a.result(orders(out, slices.Concat(batch, left, right)), slices.Concat(b, []int{n, m}))
}

// meet copies x and z along the axis that an argument names, where one of them has extent 1 there and the other hasn't.
func (a *arguments) meet(name string, otherwise float64) {
	x, z := a.tensor("x").Shape, a.tensor("z").Shape
	n := max(len(x), len(z))
	if n == 0 {
		return
	}
	axis := (int(a.number(name, otherwise)) + n) % n
	at := func(shape []int) int { // of the axis
		if i := axis - n + len(shape); i >= 0 {
			return shape[i]
		}
		return 1
	}
	for input, shapes := range map[string][2][]int{"x": {x, z}, "z": {z, x}} {
		shape, other := shapes[0], shapes[1]
		if at(shape) != 1 || at(other) == 1 {
			continue
		}
		v := &view{}
		for i := range n {
			k := max(i-n+len(shape), -1)
			v.from = append(v.from, k)
			switch {
			case i == axis:
				v.shape = append(v.shape, at(other))
			case k < 0:
				v.shape = append(v.shape, 1)
			default:
				v.shape = append(v.shape, shape[k])
			}
		}
		a.look(input, v)
	}
}
