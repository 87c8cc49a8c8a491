package runtime

import (
	"fmt"
	"slices"
)

// bindInputs checks the inputs, and finds ranks, positions, extents and layouts.
func (b *Bound) bindInputs(at *Placement) error {
	if err := b.bindAxes(at); err != nil {
		return err
	}
	return b.bindProducts()
}

// bindAxes is bindInputs up to the extents of axes that are no products.
func (b *Bound) bindAxes(at *Placement) error {
	if pathErr != nil {
		return pathErr
	}
	b.given = b.chosen
	b.packs, b.general = [MaxAxes]packAt{}, true
	b.splat, b.writes = 0, 0
	if b.g == nil {
		b.g = getBinding()
	}
	if err := b.checkInputs(); err != nil {
		return err
	}
	b.findMovers(at)
	if err := b.findRanks(); err != nil {
		return err
	}
	if err := b.findPlaces(); err != nil {
		return err
	}
	return b.findExtents()
}

// isInput reports whether parameter i decides extents: an input that is there.
func (b *Bound) isInput(i int) bool {
	m := b.sig.Params[i].Mode
	return (m == In || m == Inout) && b.Tensor(i) != nil
}

// wrong is an error in parameter i.
func (b *Bound) wrong(i int, kind error, want, got string) error {
	return &ArgError{Op: b.sig.Op, Arg: b.sig.Params[i].Name, Want: want, Got: got, Err: kind}
}

func (b *Bound) wrongShape(i int, format string, args ...any) error {
	return b.wrong(i, ErrShape, fmt.Sprintf(format, args...), b.Tensor(i).describe())
}

// checkInputs checks presence, device and dtype.
func (b *Bound) checkInputs() error {
	s := b.sig
	for i := range s.Params {
		p := &s.Params[i]
		if p.Mode != In && p.Mode != Inout {
			continue
		}
		if b.Tensor(i) == nil {
			if !p.Optional {
				return b.wrong(i, ErrNil, "a tensor", "nil")
			}
			continue
		}
		if err := b.checkElements(i); err != nil {
			return err
		}
	}
	return nil
}

// checkElements checks device and dtype of a tensor that is there.
func (b *Bound) checkElements(i int) error {
	s, t := b.sig, b.Tensor(i)
	p := &s.Params[i]
	if t.device != CPU {
		return deviceError(s.Op, p.Name, t)
	}
	if takeDType(&b.given, s, p, t.dtype) {
		return nil
	}
	want := elemDType(p.Elem, &b.given).String()
	if e := p.Elem; e.Fixed == NoDType {
		v := s.Vars[e.Var]
		if !v.DTypes.Has(b.given[e.Var]) {
			want = v.DTypes.String()
		} else {
			for j := range i {
				if q := s.Params[j]; b.Tensor(j) != nil && q.Elem == (Elem{Var: e.Var}) {
					want += ", as " + q.Name
					break
				}
			}
		}
	}
	return b.wrong(i, ErrDType, want, t.dtype.String())
}

// placed reports whether a dimension lies where the caller says.
func (s *Signature) placed(d *Dim) bool {
	return s.Placed != nil && d.Factors == nil && slices.Contains(s.Placed.Axes, d.Axis)
}

// movable reports whether axes of a parameter lie where the caller says: it has one that does and, but for the first such
// input, another pack.
func (s *Signature) movable(p *Param, first bool) bool {
	has, pack := false, first
	for k := range p.Dims {
		d := &p.Dims[k]
		if s.placed(d) {
			has = true
		} else if d.Factors == nil && s.Axes[d.Axis].Pack {
			pack = true
		}
	}
	return has && pack
}

// findMovers finds the inputs in which axes are placed.
func (b *Bound) findMovers(at *Placement) {
	s, g := b.sig, b.g
	if s.Placed == nil {
		return
	}
	if at != nil {
		g.place = *at
	}
	first, flat := true, true
	for i := range s.Params {
		p := &s.Params[i]
		if p.Mode != In && p.Mode != Inout {
			continue
		}
		if s.movable(p, first) && b.Tensor(i) != nil {
			g.movers |= 1 << i
			flat = flat && b.Tensor(i).rank == 0
		}
		if slices.ContainsFunc(p.Dims, func(d Dim) bool { return s.placed(&d) }) {
			first = false
		}
	}
	g.flat = flat && g.movers != 0
}

// rankOf is the number of axes that a parameter is taken to have: one without axes counts as [1] where an axis is placed.
func (b *Bound) rankOf(i int, t *Tensor) int {
	if t.rank == 0 && b.g.movers>>i&1 != 0 && b.g.place.N > 0 {
		return 1
	}
	return int(t.rank)
}

// findRanks finds the ranks of packs: of those placed, then where a tensor leaves one open, the greatest.
func (b *Bound) findRanks() error {
	s, g := b.sig, b.g
	for a := range s.Axes {
		g.rank[a] = 1
		if s.Axes[a].Pack {
			g.rank[a] = -1
		}
	}
	if s.Placed != nil {
		if err := b.countPlaces(); err != nil {
			return err
		}
		for _, a := range s.Placed.Axes {
			if s.Axes[a].Pack {
				b.setRank(a, g.place.N)
			}
		}
	}
	if err := b.takeLists(); err != nil {
		return err
	}
	for changed := true; changed; {
		changed = false
		var found [MaxAxes]int // greatest rank, plus one
		for i := range s.Params {
			if !b.isInput(i) {
				continue
			}
			if a, r, ok := b.openPack(i); ok {
				found[a] = max(found[a], max(r, 0)+1)
			}
		}
		for _, alike := range s.Alike {
			most := 0
			for _, a := range alike {
				most = max(most, found[a])
			}
			for _, a := range alike {
				found[a] = most
			}
		}
		for a, r := range found {
			if r > 0 {
				g.rank[a] = r - 1
				changed = true
			}
		}
		b.oneForNone()
		changed = changed || b.assumeOne()
	}
	// A pack that a tensor has alone may be longer there than elsewhere.
	for i := range s.Params {
		if !b.isInput(i) {
			continue
		}
		a, others := -1, 0
		for k := range s.Params[i].Dims {
			d := &s.Params[i].Dims[k]
			switch {
			case d.Factors == nil && s.Axes[d.Axis].Pack && a >= 0:
				a = MaxAxes
			case d.Factors == nil && s.Axes[d.Axis].Pack:
				a = d.Axis
			default:
				others++
			}
		}
		if a >= 0 && a < MaxAxes && !slices.Contains(s.placedAxes(), a) && s.alike(a) == nil {
			g.rank[a] = max(g.rank[a], b.rankOf(i, b.Tensor(i))-others)
		}
	}
	for i := range s.Params {
		if !b.isInput(i) {
			continue
		}
		for _, d := range s.Params[i].Dims {
			if d.Factors == nil && g.rank[d.Axis] < 0 {
				return b.wrongShape(i, "shapes that tell how many axes ...%s has", s.Axes[d.Axis].Name)
			}
		}
	}
	return b.checkRanks()
}

func (s *Signature) placedAxes() []int {
	if s.Placed == nil {
		return nil
	}
	return s.Placed.Axes
}

// openPack is the one pack of input i whose rank is not known, and the rank that the tensor leaves for it.
func (b *Bound) openPack(i int) (axis, rank int, ok bool) {
	axis, rank = -1, b.rankOf(i, b.Tensor(i))
	for k := range b.sig.Params[i].Dims {
		d := &b.sig.Params[i].Dims[k]
		switch {
		case d.Factors != nil:
			rank--
		case b.g.rank[d.Axis] >= 0:
			rank -= b.g.rank[d.Axis]
		case axis >= 0:
			return 0, 0, false
		default:
			axis = d.Axis
		}
	}
	return axis, rank, axis >= 0
}

// countPlaces counts the positions, where the caller said "all": every axis that isn't named for itself.
func (b *Bound) countPlaces() error {
	g := b.g
	if g.place.All {
		g.place.N = 0
		for i := range b.sig.Params {
			if g.movers>>i&1 == 0 {
				continue
			}
			n := int(b.Tensor(i).rank)
			for _, d := range b.sig.Params[i].Dims {
				if d.Factors != nil || !b.sig.Axes[d.Axis].Pack {
					n--
				}
			}
			g.place.N = max(g.place.N, n)
		}
	}
	if g.place.N > MaxRank {
		return &ArgError{Op: b.sig.Op, Arg: b.sig.Placed.Attr, Want: fmt.Sprintf("at most %d axes", MaxRank), Got: fmt.Sprint(g.place.N), Err: ErrAttr}
	}
	return nil
}

// slots is the number of axes that a parameter has at the joint shape, products counted as one.
func (b *Bound) slots(p *Param) int {
	n := 0
	for k := range p.Dims {
		n += b.width(&p.Dims[k])
	}
	return n
}

// width is the number of axes of a dimension.
func (b *Bound) width(d *Dim) int {
	if d.Factors != nil {
		return 1
	}
	return b.g.rank[d.Axis]
}
