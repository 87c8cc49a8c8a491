package ir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// groupOf are the packs that have as many axes as one of them.
func (d *OpDecl) groupOf(pack string) []string {
	for _, g := range d.Ranks {
		if slices.Contains(g.Packs, pack) {
			return g.Packs
		}
	}
	return []string{pack}
}

// setRank notes the number of axes of a pack and of those that have as many. Arg is what tells it.
func (b *binder) setRank(pack string, n int, arg string) error {
	for _, p := range b.decl.groupOf(pack) {
		if have, ok := b.ranks[p]; ok && have != n {
			return b.fail(arg, "makes %s have %s, but it has %d", p, axesText(n), have)
		}
		b.ranks[p] = n
	}
	return nil
}

// findRanks works out the ranks of packs: from lists and placed axes first, then tensors with one open pack, of which
// the one with most axes counts.
func (b *binder) findRanks() error {
	for {
		best := map[string]int{}
		open := map[string]bool{}
		note := func(pack string, n int) {
			for _, p := range b.decl.groupOf(pack) {
				best[p] = max(best[p], n)
			}
		}
		for _, p := range b.inputs {
			fixed, optional, packs := b.rankOf(p.Axes)
			for _, n := range packs {
				open[n] = true
			}
			if i := slices.IndexFunc(packs, func(n string) bool { return b.places[n].all }); i >= 0 && len(packs) > 1 {
				// The pack takes every axis: nothing is left for the others.
				for _, n := range packs {
					if n != packs[i] {
						note(n, 0)
					}
				}
				continue
			}
			if len(packs) == 1 {
				note(packs[0], max(len(b.shapeOf(p))-fixed-optional, 0))
			}
		}
		if len(open) == 0 {
			return nil
		}
		if len(best) == 0 {
			return b.fail("", "the ranks of its packs don't follow from the inputs that were given")
		}
		for n, r := range best {
			b.ranks[n] = r
		}
	}
}

// fitsRank tells whether the packs of a choice have the number of axes that it asks for. Packs of absent inputs alone
// have any.
func (b *binder) fitsRank(c Choice) bool {
	n, known := b.ranks[c.Rank]
	return !known || n == c.N
}

// noVariant is the error of a call that no variant takes.
func (b *binder) noVariant() error {
	made := map[string][]string{}
	for _, v := range b.decl.Variants {
		for _, c := range v.Choices {
			if n := strconv.Itoa(c.N); c.Rank != "" && !slices.Contains(made[c.Rank], n) {
				made[c.Rank] = append(made[c.Rank], n)
			}
		}
	}
	for _, g := range b.decl.Ranks {
		list := made[g.Packs[0]]
		if n, known := b.ranks[g.Packs[0]]; known && list != nil && !slices.Contains(list, strconv.Itoa(n)) {
			return b.fail("", "...%s has %s here; the op is made for %s", g.Packs[0], axesText(n), strings.Join(list, ", "))
		}
	}
	return b.fail("", "no variant takes these attributes and inputs")
}

// isSpread tells whether a variant has the axes of a pack one by one.
func (b *binder) isSpread(v *Variant, pack string) bool {
	return slices.ContainsFunc(v.Choices, func(c Choice) bool { return c.Rank != "" && slices.Contains(b.decl.groupOf(c.Rank), pack) })
}

// unknown marks the extents of a pack that aren't known yet.
const unknown = -1

// extentOf is the extent of an axis as far as it is known; that of a pack is the product.
func (b *binder) extentOf(a *Axis) (int, bool) {
	if a.Of == "" {
		return b.total(a.Name)
	}
	if a.At == RankOf {
		n, ok := b.ranks[a.Of]
		return n, ok
	}
	if e := b.extents[a.Of]; a.At < len(e) && e[a.At] != unknown {
		return e[a.At], true
	}
	return 0, false
}

// total is the extent of an axis or the number of elements of a pack, by name.
func (b *binder) total(name string) (int, bool) {
	e, ok := b.extents[name]
	if !ok || slices.Contains(e, unknown) {
		return 0, false
	}
	return product(e), true
}

// setExtent notes the extent of an axis that is computed; it is false where another is known.
func (b *binder) setExtent(a *Axis, n int) bool {
	if have, ok := b.extentOf(a); ok {
		return have == n
	}
	if a.Of == "" {
		b.extents[a.Name] = []int{n}
		return true
	}
	e := b.extents[a.Of]
	if e == nil {
		e = slices.Repeat([]int{unknown}, b.ranks[a.Of])
		b.extents[a.Of] = e
	}
	if a.At < len(e) {
		e[a.At] = n
	}
	return a.At < len(e)
}

// listEntries are the entries of lists, as stride[0], once ranks are known. One number fills a list.
func (b *binder) listEntries(r map[string]float64) error {
	for _, d := range b.decl.Attrs {
		a, given := b.attrs[d.Name]
		if d.List == "" || !given {
			continue
		}
		n, ok := b.ranks[d.List]
		if fixed, err := strconv.Atoi(d.List); err == nil {
			n, ok = fixed, true
		}
		if !ok {
			continue
		}
		if a.List != nil && len(a.List) != n {
			return b.fail(d.Name, "has %s, not %d", numberOf(len(a.List), "entry", "entries"), n)
		}
		for k := range n {
			x := a.Number
			if a.List != nil {
				x = a.List[k]
			}
			r[EntryName(d.Name, k)] = x
		}
	}
	return nil
}

// axesText is a number of axes in a message, numberOf that of other things.
func axesText(n int) string { return numberOf(n, "axis", "axes") }

func numberOf(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// EntryName is the name of an entry of a list.
func EntryName(list string, k int) string { return fmt.Sprintf("%s[%d]", list, k) }
