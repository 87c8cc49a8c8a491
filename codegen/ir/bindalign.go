package ir

import "slices"

// Alignment says which dimensions of the tensors of a call are which axes of the signature, where only their numbers
// are known.
type Alignment struct {
	Ranks   map[string]int      // of packs
	Inputs  map[string]*Aligned // of the inputs that are there
	Outputs map[string]*Aligned // but for those whose axes follow from a formula: see Output

	b *binder
}

// Aligned is how the dimensions of one tensor are axes.
type Aligned struct {
	Axes    [][]int // for each axis of the signature its positions among Missing and the dimensions of the tensor
	Missing int     // dimensions that the tensor lacks in front
	Ones    []int   // positions of dimensions of extent 1 that axes which are gone leave behind
}

// Align works out which dimensions are which axes from the ranks of inputs and the attributes that place axes, keep them or
// are lists; others don't matter.
func Align(decl *OpDecl, ranks map[string]int, attrs []ExampleAttr) (*Alignment, error) {
	b := &binder{decl: decl, shapes: map[string][]int{}, attrs: map[string]ExampleAttr{}, ranks: map[string]int{},
		extents: map[string][]int{}, firm: map[string]bool{}, places: map[string]place{}}
	for _, p := range decl.Inputs {
		if n, there := ranks[p.Name]; there {
			b.shapes[p.Name] = slices.Repeat([]int{1}, n)
			b.inputs = append(b.inputs, p)
		}
	}
	for _, d := range decl.Attrs {
		if d.Kind != AttrAxis && d.Kind != AttrAxes && d.Kind != AttrKeep && d.List == "" {
			continue
		}
		i := slices.IndexFunc(attrs, func(a ExampleAttr) bool { return a.Name == d.Name })
		switch {
		case i >= 0:
			b.attrs[d.Name] = attrs[i]
		case d.Word != "":
			b.attrs[d.Name] = ExampleAttr{Name: d.Name, Word: d.Word}
		case d.Default != nil && d.Default.Const != nil:
			x, _ := d.Default.Const.Float64()
			b.attrs[d.Name] = ExampleAttr{Name: d.Name, Number: x}
		}
	}
	if err := b.placements(); err != nil {
		return nil, err
	}
	if err := b.findRanks(); err != nil {
		return nil, err
	}
	r := &Alignment{Ranks: b.ranks, Inputs: map[string]*Aligned{}, Outputs: map[string]*Aligned{}, b: b}
	for _, p := range b.inputs {
		at, n, err := b.slots(p.Name, p.Axes, false)
		if err != nil {
			return nil, err
		}
		missing := n - len(b.shapeOf(p))
		if missing < 0 {
			return nil, b.fail(p.Name, "has %s, at most %d fit", axesText(len(b.shapes[p.Name])), n)
		}
		for i, a := range p.Axes {
			for _, pos := range at[i] {
				if pos < missing && !(a.Pack || a.Optional) {
					return nil, b.fail(p.Name, "has %s, too few", axesText(n-missing))
				}
			}
		}
		r.Inputs[p.Name] = &Aligned{Axes: at, Missing: missing}
	}
	for _, p := range decl.Outputs {
		for _, a := range flatten(p.Axes) {
			if _, known := b.ranks[a.Name]; a.Pack && !known {
				return nil, b.fail(p.Name, "nothing tells how many axes ...%s has", a.Name)
			}
		}
		if p.Infer {
			continue
		}
		var err error
		if r.Outputs[p.Name], err = r.Output(p.Name, p.Axes); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Output says which dimensions of an output with axes are which, and which it has for axes that are kept.
func (r *Alignment) Output(name string, axes []AxisRef) (*Aligned, error) {
	all := axes
	if r.b.keep != nil {
		all = r.b.keptRefs(axes)
	}
	at, _, err := r.b.slots(name, all, len(all) > len(axes))
	if err != nil {
		return nil, err
	}
	a := &Aligned{}
	for i, ref := range all {
		if r.b.leaves(ref, axes) {
			a.Ones = append(a.Ones, at[i]...)
		} else {
			a.Axes = append(a.Axes, at[i])
		}
	}
	return a, nil
}
