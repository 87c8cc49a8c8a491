package docs

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// leastOf are the sizes from which values that occur again get a letter. Exact numbers are mostly indices, which say more as they are.
var leastOf = map[ir.Kind]int{ir.Typed: 4, ir.Exact: 12}

// shared is a value with how often and where it occurs.
type shared struct {
	value       *ir.Value
	size, count int
	order       int // of the first occurrence
}

// share gives letters to what occurs several times in a body, the largest first, and writes the equations of these. The letters
// stand for the values while the body is written.
func (w *irWriter) share(body *ir.Value) []equation {
	w.numbers, w.letters = &ir.Numbering{}, map[int]string{}
	found := map[int]*shared{}
	var visit func(v *ir.Value) int
	visit = func(v *ir.Value) int {
		id := w.numbers.ID(v)
		if s := found[id]; s != nil {
			s.count++
			return s.size
		}
		s := &shared{value: v, size: 1, count: 1, order: len(found)}
		found[id] = s
		if v.Op == ir.OpCast {
			s.size = 0
		}
		if v.Op != ir.OpRead { // indices weigh nothing
			for _, a := range v.Args {
				s.size += visit(a)
			}
		}
		return s.size
	}
	visit(body)
	var list []*shared
	for _, s := range found {
		least, may := leastOf[s.value.Type.Kind]
		if s.count > 1 && may && s.size >= least && s.value.Op != ir.OpCast {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b *shared) int { return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.order, b.order)) })
	var values []*ir.Value
	for _, s := range list {
		values = append(values, s.value)
	}
	return w.name(values)
}

// name gives letters to values, and writes the equations of these.
func (w *irWriter) name(list []*ir.Value) []equation {
	for _, v := range list {
		w.counts[`\varphi`]++
		w.letters[w.numbers.ID(v)] = fmt.Sprintf(`\varphi_{%d}`, w.counts[`\varphi`])
	}
	var r []equation
	for _, v := range list {
		id := w.numbers.ID(v)
		letter := w.letters[id]
		delete(w.letters, id) // it is not defined by itself
		right, more := w.narrow(v)
		r = append(append(r, equation{left: letter, right: right}), more...)
		w.letters[id] = letter
	}
	return r
}

// narrow is a value as it fits on a line, if it can: choices within it that make it wide get letters, whose equations follow.
func (w *irWriter) narrow(v *ir.Value) (term, []equation) {
	t := w.value(v)
	if t.widest() <= widest {
		return t, nil
	}
	var list []*ir.Value
	seen := map[int]bool{}
	var find func(v *ir.Value, root bool)
	find = func(v *ir.Value, root bool) {
		switch {
		case v.Op == ir.OpRead || !root && w.letter(v) != "":
			return
		case v.Op == ir.OpSelect && !root && v.Type.Kind == ir.Typed && width(w.value(v).tex) >= leastChoice:
			if id := w.numbers.ID(v); !seen[id] {
				seen[id] = true
				list = append(list, v)
			}
			return
		}
		for i, a := range v.Args {
			find(a, root && v.Op == ir.OpSelect && i == 2) // the last side goes on with the cases
		}
	}
	find(v, true)
	if len(list) == 0 {
		return t, nil
	}
	r := w.name(list)
	return w.value(v), r
}

// leastChoice is how wide a choice is that gets a letter.
const leastChoice = 20

// widest is the width of the longest line of a term, where sums are broken between their parts.
func (t term) widest() int {
	if len(t.parts) < 2 {
		return width(t.tex)
	}
	n := 0
	for _, p := range t.parts {
		n = max(n, width(p))
	}
	return n
}

// letter is what stands for a value; "" where it is written out.
func (w *irWriter) letter(v *ir.Value) string {
	if len(w.letters) == 0 {
		return ""
	}
	return w.letters[w.numbers.ID(v)]
}
