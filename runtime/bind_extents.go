package runtime

import (
	"fmt"
	"math/bits"
	"strings"
)

// missing marks an axis that a tensor doesn't have.
const missing = -1

// physical is where the axes of a parameter lie in its tensor: for each axis at the joint shape, products counted as one,
// the axis of the tensor, or missing.
type physical struct {
	n  int
	at [MaxRank]int
}

// split finds where the declared axes of parameter i lie in t. Axes in front may be missing.
func (b *Bound) split(i int, t *Tensor) (f physical, err error) {
	s, g := b.sig, b.g
	p := &s.Params[i]
	mover := g.movers>>i&1 != 0
	rank := b.rankOf(i, t)
	total := b.slots(p)
	lack := total - rank
	if lack < 0 || total > MaxRank {
		return f, b.wrongShape(i, "%s", b.wantAxes(p))
	}
	var to [MaxRank]int // where they lie at the joint shape
	if mover {
		var dims [MaxRank]jointDim
		n := 0
		for k := range p.Dims {
			b.dimsOf(&p.Dims[k], func(d jointDim) bool {
				dims[n] = d
				n++
				return true
			})
		}
		to = b.arrange(dims[:n])
	} else {
		for k := range total {
			to[k] = k
		}
	}
	for k := range p.Dims {
		d := &p.Dims[k]
		isPack := d.Factors == nil && s.Axes[d.Axis].Pack
		for range b.width(d) {
			f.at[f.n] = to[f.n] - lack
			if f.at[f.n] < 0 {
				if !isPack && !d.Optional {
					return f, b.wrongShape(i, "%s", b.wantAxes(p))
				}
				f.at[f.n] = missing
			}
			if f.at[f.n] >= int(t.rank) {
				f.at[f.n] = missing // of a tensor without axes that counts as [1]
			}
			f.n++
		}
	}
	return f, nil
}

// wantAxes describes the axes of a parameter: "axes [...B I]".
func (b *Bound) wantAxes(p *Param) string {
	s := "axes ["
	for k, d := range p.Dims {
		if k > 0 {
			s += " "
		}
		if d.Factors == nil {
			s += b.sig.axisName(d.Axis)
			if d.Optional {
				s += "?"
			}
			continue
		}
		s += "("
		for j, a := range d.Factors {
			if j > 0 {
				s += ", "
			}
			s += b.sig.axisName(a)
		}
		s += ")"
	}
	return s + "]"
}

func (s *Signature) axisName(a int) string {
	if s.Axes[a].Pack {
		return "..." + s.Axes[a].Name
	}
	return s.Axes[a].Name
}

// findExtents finds the extents of axes and packs from the inputs, but for those that are in products alone.
func (b *Bound) findExtents() error {
	s, g := b.sig, b.g
	g.known = b.fixed
	fs := &g.lies
	for i := range s.Params {
		if !b.isInput(i) {
			continue
		}
		f, err := b.split(i, b.Tensor(i))
		if err != nil {
			return err
		}
		fs[i] = f
	}
	// First the axes that must have their extent, then those that may have extent 1.
	for _, optional := range [...]bool{false, true} {
		for i := range s.Params {
			if b.isInput(i) {
				if err := b.takeExtents(i, &fs[i], optional); err != nil {
					return err
				}
			}
		}
	}
	for a := range s.Axes {
		if s.Axes[a].Pack && g.rank[a] == 0 {
			g.known |= 1 << a
			b.Ext[a] = 1
		}
	}
	return nil
}

// bindProducts finds the extents of factors, and the layouts of the inputs.
func (b *Bound) bindProducts() error {
	fs := &b.g.lies
	if err := b.splitProducts(fs); err != nil {
		return err
	}
	for i := range b.sig.Params {
		if b.isInput(i) {
			if err := b.lay(i, b.Tensor(i), &fs[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// extentOf is the extent of an axis of a tensor, 1 where it is missing.
func extentOf(t *Tensor, axis int) int {
	if axis == missing {
		return 1
	}
	return t.shape[axis]
}

// takeExtents takes the extents of axes and packs from an input.
func (b *Bound) takeExtents(i int, f *physical, optional bool) error {
	s, g, t := b.sig, b.g, b.Tensor(i)
	k := 0
	for j := range s.Params[i].Dims {
		d := &s.Params[i].Dims[j]
		w := b.width(d)
		at := f.at[k : k+w]
		k += w
		if d.Factors != nil || d.Optional != optional {
			continue
		}
		a := d.Axis
		if !s.Axes[a].Pack {
			e := extentOf(t, at[0])
			if g.known>>a&1 == 0 {
				if !optional || e != 1 {
					b.Ext[a] = e
					g.known |= 1 << a
					g.from[a][0] = uint8(i)
				}
			} else if e != b.Ext[a] && !(optional && e == 1) {
				return b.wrongShape(i, "extent %d of axis %s%s", b.Ext[a], s.Axes[a].Name, b.source(a, 0))
			}
			continue
		}
		if g.known>>a&1 == 0 {
			g.known |= 1 << a
			for c := range w {
				g.shape[a][c] = 1
			}
		}
		n := 1
		for c := range w {
			e, joint := extentOf(t, at[c]), g.shape[a][c]
			if joint == 1 {
				joint = e
				g.from[a][c] = uint8(i)
			} else if e != 1 && e != joint {
				j := int(g.from[a][c])
				return b.wrongShape(i, "a shape that goes with %s %s in ...%s (%d against %d)",
					s.Params[j].Name, b.Tensor(j).describe(), s.Axes[a].Name, joint, e)
			}
			g.shape[a][c] = joint
			hi, lo := bits.Mul(uint(n), uint(joint))
			if hi != 0 || lo > maxElements {
				return b.wrongShape(i, "at most %d elements together with the others", uint(maxElements))
			}
			n = int(lo)
		}
		b.Ext[a] = n
	}
	return nil
}

// source says where the extent of an axis comes from: ", as in x".
func (b *Bound) source(a, c int) string {
	if b.fixed>>a&1 != 0 {
		return ", as the attributes ask"
	}
	j := int(b.g.from[a][c])
	return fmt.Sprintf(", as in %s %s", b.sig.Params[j].Name, b.Tensor(j).describe())
}

// splitProducts finds the extents of factors: one that is not known is what division leaves.
func (b *Bound) splitProducts(fs *[MaxParams]physical) error {
	for changed := true; changed; {
		changed = false
		if err := b.eachProduct(fs, func(i, e int, d *Dim) error {
			known, open, n := b.factors(d)
			if n != 1 || known == 0 {
				return nil
			}
			if e%known != 0 {
				return b.wrongShape(i, "an extent of %s that is a multiple of %d", b.productName(d), known)
			}
			b.Ext[open] = e / known
			b.g.known |= 1 << open
			b.g.from[open][0] = uint8(i)
			changed = true
			return nil
		}); err != nil {
			return err
		}
	}
	return b.eachProduct(fs, func(i, e int, d *Dim) error {
		known, _, n := b.factors(d)
		if n > 0 {
			return b.wrongShape(i, "shapes that tell the factors of %s", b.productName(d))
		}
		if known != e {
			return b.wrongShape(i, "extent %d of %s", known, b.productName(d))
		}
		return nil
	})
}

// eachProduct calls f for every product in an input, with its extent.
func (b *Bound) eachProduct(fs *[MaxParams]physical, f func(i, extent int, d *Dim) error) error {
	for i := range b.sig.Params {
		if !b.isInput(i) {
			continue
		}
		k := 0
		for j := range b.sig.Params[i].Dims {
			d := &b.sig.Params[i].Dims[j]
			if d.Factors != nil {
				if err := f(i, extentOf(b.Tensor(i), fs[i].at[k]), d); err != nil {
					return err
				}
			}
			k += b.width(d)
		}
	}
	return nil
}

// factors is the product of the factors whose extents are known, one that is not, and how many are not.
func (b *Bound) factors(d *Dim) (known, open, n int) {
	known = 1
	for _, a := range d.Factors {
		if b.g.known>>a&1 != 0 {
			known *= b.Ext[a]
		} else {
			open = a
			n++
			if b.sig.Axes[a].Pack {
				n++ // a pack is not found by division
			}
		}
	}
	return known, open, n
}

func (b *Bound) productName(d *Dim) string {
	return strings.Trim(b.wantAxes(&Param{Dims: []Dim{*d}}), "axes []")
}

// lay makes the layout of parameter i over t, whose axes lie as f says: axes at their joint extents, products as one.
func (b *Bound) lay(i int, t *Tensor, f *physical) error {
	l := &b.g.view[i]
	l.n = 0
	k, exact := 0, true
	for j := range b.sig.Params[i].Dims {
		d := &b.sig.Params[i].Dims[j]
		if d.Factors != nil {
			n := 1
			for _, a := range d.Factors {
				n *= b.Ext[a]
			}
			if !l.add(n, t.stride[f.at[k]]) {
				return b.wrongShape(i, "at most %d axes", MaxRank)
			}
			k++
			continue
		}
		for c := range b.width(d) {
			e := b.Ext[d.Axis]
			if b.sig.Axes[d.Axis].Pack {
				e = b.g.shape[d.Axis][c]
			} else if b.g.known>>d.Axis&1 == 0 {
				e = 1 // only optional axes, all of extent 1
				b.Ext[d.Axis] = 1
				b.g.known |= 1 << d.Axis
			}
			stride := 0
			if at := f.at[k]; at != missing && (t.shape[at] != 1 || e == 1) {
				stride = t.stride[at]
			}
			exact = exact && extentOf(t, f.at[k]) == e && (f.at[k] != missing || t.rank == 0)
			if !l.add(e, stride) {
				return b.wrongShape(i, "at most %d axes", MaxRank)
			}
			k++
		}
	}
	if b.sig.Params[i].Mode == Inout && !exact {
		return b.wrongShape(i, "shape %s, since it is written", shapeString(l.shape()))
	}
	return nil
}
