package runtime

import (
	"fmt"
	"math/bits"
	"slices"
)

// list is a list of numbers among the attributes of a call, that has an entry for each axis of a pack.
type list struct {
	attr    string
	axis, n int
}

// Count tells, before tensors are bound, that a list has n entries, one for each axis of a pack. One entry fits any number of
// axes; where nothing else tells it, it is one.
func (b *Bound) Count(axis int, attr string, n int) {
	if b.g == nil {
		b.g = getBinding()
	}
	b.g.lists = append(b.g.lists, list{attr, axis, n})
}

// Entry is entry k of a list: the one of a list with one entry, or that of an empty list, which stands for its default.
func Entry[T int | float64](list []T, k int, otherwise T) T {
	switch len(list) {
	case 0:
		return otherwise
	case 1:
		return list[0]
	}
	return list[k]
}

// CheckList tests a list that must be given, or must have n entries (0: any number) or one.
func CheckList[T int | float64](op, attr string, list []T, n int, must bool) error {
	switch k := len(list); {
	case k == 1 || k == 0 && !must || k > 0 && (n == 0 || k == n):
		return nil
	case n > 1:
		return AttrError(op, attr, fmt.Sprintf("1 or %d entries", n), k)
	case n == 1:
		return AttrError(op, attr, "1 entry", k)
	}
	return AttrError(op, attr, "an entry for each axis, or one for all", "none")
}

// alike are the packs that have as many axes as one of them.
func (s *Signature) alike(axis int) []int {
	for _, g := range s.Alike {
		if slices.Contains(g, axis) {
			return g
		}
	}
	return nil
}

// setRank sets the number of axes of a pack, and of those that have as many.
func (b *Bound) setRank(axis, n int) {
	b.g.rank[axis] = n
	for _, a := range b.sig.alike(axis) {
		b.g.rank[a] = n
	}
}

// takeLists takes the numbers of axes that lists tell.
func (b *Bound) takeLists() error {
	s, g := b.sig, b.g
	for _, l := range g.lists {
		if l.n < 2 {
			continue
		}
		if l.n > MaxRank {
			return &ArgError{Op: s.Op, Arg: l.attr, Want: fmt.Sprintf("at most %d entries", MaxRank), Got: fmt.Sprint(l.n), Err: ErrAttr}
		}
		if have := g.rank[l.axis]; have >= 0 && have != l.n {
			return &ArgError{Op: s.Op, Arg: l.attr, Want: entries(have), Got: fmt.Sprint(l.n), Err: ErrAttr}
		}
		b.setRank(l.axis, l.n)
	}
	return nil
}

func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("1 or %d entries", n)
}

// assumeOne takes a list of one entry for what it tells: that its pack has one axis, where nothing else tells of any.
func (b *Bound) assumeOne() bool {
	for _, l := range b.g.lists {
		if l.n == 1 && b.g.rank[l.axis] < 1 && b.open(l.axis) {
			b.setRank(l.axis, 1)
			return true
		}
	}
	return false
}

// oneForNone does so where a tensor without axes told that there are none, before other packs take the axes that are left.
func (b *Bound) oneForNone() {
	for _, l := range b.g.lists {
		if l.n == 1 && b.g.rank[l.axis] == 0 && b.open(l.axis) {
			b.setRank(l.axis, 1)
		}
	}
}

// open tells whether the number of axes of a pack, and of those that have as many, isn't that of the places that the caller gave.
func (b *Bound) open(axis int) bool {
	return !slices.ContainsFunc(b.sig.alike(axis), func(a int) bool { return slices.Contains(b.sig.placedAxes(), a) })
}

// checkRanks refuses packs with a number of axes that there are no kernels for.
func (b *Bound) checkRanks() error {
	for a := range b.sig.Axes {
		x := &b.sig.Axes[a]
		n := b.g.rank[a]
		if x.Ranks == 0 || n < 0 || x.Ranks>>n&1 != 0 {
			continue
		}
		var want []string
		for r := x.Ranks; r != 0; r &= r - 1 {
			want = append(want, fmt.Sprint(bits.TrailingZeros16(r)))
		}
		text := want[0]
		for i, w := range want[1:] {
			sep := ", "
			if i == len(want)-2 {
				sep = " or "
			}
			text += sep + w
		}
		return &ArgError{Op: b.sig.Op, Want: fmt.Sprintf("%s axes in ...%s", text, x.Name), Got: fmt.Sprint(n), Err: ErrShape}
	}
	return nil
}

// HasRank reports whether a pack has n axes. One that no tensor of the call has may have any number.
func (b *Bound) HasRank(axis, n int) bool {
	shape, known := b.packShape(axis)
	return !known || len(shape) == n
}

// packShape is the extents of a pack, and whether a tensor of the call has it, or its extents were fixed.
func (b *Bound) packShape(axis int) ([]int, bool) {
	switch p := b.packs[axis]; {
	case p.param == unknownPack:
		return nil, false
	case p.param == flatPack:
		return b.Ext[axis : axis+1], true
	case p.param > 0:
		return b.Tensor(int(p.param) - 1).shape[p.first : p.first+p.rank], true
	case b.g == nil || b.g.rank[axis] < 0:
		return nil, false
	}
	return b.g.shape[axis][:b.g.rank[axis]], true
}

// DerivePack is FixPack of extents that follow from attributes or other extents. Where inputs have the pack they must agree.
func (b *Bound) DerivePack(axis int, shape ...int) error {
	if slices.ContainsFunc(shape, func(e int) bool { return e > MaxPoints }) {
		return b.wrongExtent(axis, fmt.Sprintf("extents of at most %d of ...%s", uint(MaxPoints), b.sig.Axes[axis].Name), shapeString(shape))
	}
	if b.g.known>>axis&1 == 0 {
		b.FixPack(axis, shape...)
		return nil
	}
	if have := b.g.shape[axis][:b.g.rank[axis]]; !slices.Equal(have, shape) {
		return b.wrongExtent(axis, fmt.Sprintf("extents %s of ...%s", shapeString(shape), b.sig.Axes[axis].Name), shapeString(have))
	}
	return nil
}
