package ir

import (
	"slices"
)

// finish picks the variant and makes the views.
func (b *binder) finish() (*Bound, error) {
	r := &Bound{Decl: b.decl, Scalars: b.scalars(), Views: map[*Tensor]*View{}, present: map[string]bool{}}
	if err := b.listEntries(r.Scalars); err != nil {
		return nil, err
	}
	for _, p := range b.inputs {
		r.present[p.Name] = true
	}
	var fits []*Variant
	for _, v := range b.decl.Variants {
		if b.fitsStatic(v, r) {
			fits = append(fits, v)
		}
	}
	if len(fits) == 0 {
		return nil, b.noVariant()
	}
	if err := b.dims(fits[0].Forward, r, false); err != nil {
		return nil, err
	}
	for _, v := range fits {
		ok, err := b.fitsConds(v, r)
		if err != nil {
			return nil, err
		}
		if ok {
			if err := b.dims(v.Forward, r, true); err != nil {
				return nil, err
			}
			r.Variant, r.Func = v, v.Forward
			return r, b.views(r)
		}
	}
	return nil, b.fail("", "no variant takes these attributes")
}

// fitsStatic tells whether the words and the presence of inputs fit the choices of a variant.
func (b *binder) fitsStatic(v *Variant, r *Bound) bool {
	for _, c := range v.Choices {
		switch {
		case c.Attr != "":
			if b.attrs[c.Attr].Word != c.Word {
				return false
			}
		case c.Present != "":
			_, isAttr := b.attrs[c.Present]
			if (r.present[c.Present] || isAttr) != c.Holds {
				return false
			}
		case c.Rank != "":
			if !b.fitsRank(c) {
				return false
			}
		}
	}
	return true
}

// fitsConds tells whether the uniform conditions of a variant hold.
func (b *binder) fitsConds(v *Variant, r *Bound) (bool, error) {
	for _, c := range v.Choices {
		if c.Cond == nil {
			continue
		}
		x, err := EvalScalar(v.Forward, c.Cond, Binding{Extents: b.flat(c.Cond), Scalars: r.Scalars, DTypes: b.dtypes})
		if err != nil {
			return false, err
		}
		if (x != 0) != c.Holds {
			return false, nil
		}
	}
	return true, nil
}

// flat are the known extents of the axes that a value mentions; packs are flat.
func (b *binder) flat(v *Value) map[*Axis]int {
	r := map[*Axis]int{}
	Walk(v, func(v *Value) bool {
		if v.Op == OpExtent {
			if e, ok := b.extentOf(v.Axis); ok {
				r[v.Axis] = e
			}
		}
		return true
	})
	return r
}

// dims works out the extents that the op computes, then the factors of products. Of those that no tensor of the signature has
// it needs no more than own asks for: one variant has others than another.
func (b *binder) dims(f *Func, r *Bound, own bool) error {
	compute := func(final bool) error {
		for _, d := range f.Dims {
			if !own && f.Owns(d.Axis) {
				continue
			}
			x, err := EvalScalar(f, d.Value, Binding{Extents: b.flat(d.Value), Scalars: r.Scalars})
			if err != nil {
				if final {
					return err
				}
				continue // of a factor that isn't known yet
			}
			if x < 0 || x != float64(int(x)) {
				return b.fail("", "the extent of %s would be %v", d.Axis.Name, x)
			}
			if !b.setExtent(d.Axis, int(x)) {
				have, _ := b.extentOf(d.Axis)
				return b.fail("", "the extent of %s is %d, but must be %v", d.Axis.Name, have, x)
			}
		}
		return nil
	}
	if err := compute(false); err != nil {
		return err
	}
	for _, p := range b.inputs {
		if err := b.factors(p); err != nil {
			return err
		}
	}
	return compute(true)
}

// factors works out one unknown factor of each product of an input by division, and checks the others.
func (b *binder) factors(p *Param) error {
	at, n, err := b.slots(p.Name, p.Axes, false)
	if err != nil {
		return err
	}
	shape, _, err := b.padded(p, n)
	if err != nil {
		return err
	}
	for i, a := range p.Axes {
		if a.Product == nil {
			continue
		}
		total := shape[at[i][0]]
		known, open := 1, ""
		for _, f := range flatten(a.Product) {
			e, ok := b.total(f.Name)
			switch {
			case ok:
				known *= e
			case f.Pack:
				return b.fail(p.Name, "the extents of pack %s don't follow from a product", f.Name)
			case open != "":
				return b.fail(p.Name, "the extents of %s and %s don't follow", open, f.Name)
			default:
				open = f.Name
			}
		}
		if open != "" {
			if known == 0 || total%known != 0 {
				return b.fail(p.Name, "an axis of extent %d is not a multiple of %d", total, known)
			}
			b.extents[open] = []int{total / known}
		} else if known != total {
			return b.fail(p.Name, "an axis has extent %d, but must have %d", total, known)
		}
	}
	return nil
}

// views makes the view of each tensor of the call, and the shapes of outputs.
func (b *binder) views(r *Bound) error {
	r.Extents = map[*Axis]int{}
	set := func(axes []*Axis) error {
		for _, a := range axes {
			e, ok := b.extentOf(a)
			if !ok && (a.Of == "" || b.isSpread(r.Variant, a.Of)) {
				return b.fail("", "the extent of %s doesn't follow from the inputs", a.Name)
			}
			r.Extents[a] = e // of an axis that a pack doesn't have: 0, and never read
		}
		return nil
	}
	if err := set(r.Func.Axes); err != nil {
		return err
	}
	for _, d := range r.Func.Dims {
		if err := set([]*Axis{d.Axis}); err != nil {
			return err
		}
	}
	anyPlaced, all0d := false, true
	for _, t := range r.Func.Inputs {
		i := slices.IndexFunc(b.decl.Inputs, func(p *Param) bool { return p.Name == t.Name })
		if i < 0 {
			return b.fail(t.Name, "is no input of the signature")
		}
		p := b.decl.Inputs[i]
		if err := set(t.Axes); err != nil {
			return err
		}
		if b.isPlaced(p.Name, p.Axes) && r.present[p.Name] {
			anyPlaced = true
			all0d = all0d && len(b.shapes[p.Name]) == 0
		}
		if !r.present[p.Name] {
			if p.Mode == State {
				// The state is made by the callee; it looks like an output.
				v, err := b.outView(r.Variant, p.Name, p.Axes, t.Axes, true)
				if err != nil {
					return err
				}
				r.Views[t] = v
			}
			continue
		}
		v, err := b.inView(r.Variant, p, t)
		if err != nil {
			return err
		}
		r.Views[t] = v
	}
	b.scalar = anyPlaced && all0d
	for i, t := range r.Func.Outputs {
		if t.Of != nil {
			r.Views[t] = r.Views[t.Of]
			continue
		}
		var refs []AxisRef
		if i < len(b.decl.Outputs) && !b.decl.Outputs[i].Infer {
			refs = b.decl.Outputs[i].Axes
		} else {
			refs = refsOf(t.Axes)
		}
		if err := set(t.Axes); err != nil {
			return err
		}
		v, err := b.outView(r.Variant, t.Name, refs, t.Axes, false)
		if err != nil {
			return err
		}
		r.Views[t] = v
	}
	return nil
}

// keptRefs adds the axes that leave ones behind, behind those that they follow in the first input that names one. Where another
// axis takes the place of one, nothing is left to keep.
func (b *binder) keptRefs(refs []AxisRef) []AxisRef {
	kept := func(a AxisRef) bool { return a.Product == nil && slices.Contains(b.keep, a.Name) }
	for _, p := range b.decl.Inputs {
		if !slices.ContainsFunc(p.Axes, kept) {
			continue
		}
		r := slices.Clone(refs)
		at := 0
		for _, a := range p.Axes {
			same := func(x AxisRef) bool { return b.keyOf(x, 0) == b.keyOf(a, 0) }
			i := slices.IndexFunc(r, same)
			if i < 0 && kept(a) {
				i = at
				r = slices.Insert(r, i, a)
			}
			at = max(at, i+1)
		}
		return r
	}
	return refs
}

// leaves tells whether an axis leaves a one behind in a tensor with the axes refs.
func (b *binder) leaves(a AxisRef, refs []AxisRef) bool {
	return a.Product == nil && slices.Contains(b.keep, a.Name) && !hasRef(refs, a.Name)
}

func hasRef(refs []AxisRef, name string) bool {
	return slices.ContainsFunc(refs, func(a AxisRef) bool { return a.Name == name && a.Product == nil })
}

func rowMajor(shape []int) []int {
	r := make([]int, len(shape))
	n := 1
	for i := len(shape) - 1; i >= 0; i-- {
		r[i] = n
		n *= shape[i]
	}
	return r
}

// Binding is the call for the evaluator. Inputs are arrays as the caller sees them; a state that is left out starts
// at its initial value.
func (r *Bound) Binding(inputs map[string]*Array, dtypes map[string]string) (Binding, error) {
	in := Binding{Extents: r.Extents, Arrays: map[*Tensor]*Array{}, Scalars: r.Scalars, DTypes: dtypes}
	for _, t := range r.Func.Inputs {
		v := r.Views[t]
		switch a := inputs[t.Name]; {
		case a != nil && v != nil:
			in.Arrays[t] = v.In(a)
		case t.Role == State:
			init := NewArray(v.Extents()...)
			if t.Init != nil {
				x, err := EvalScalar(r.Func, t.Init, in)
				if err != nil {
					return in, err
				}
				for i := range init.Data {
					init.Data[i] = x
				}
			}
			in.Arrays[t] = init
		}
	}
	return in, nil
}

// ShapesOf are the shapes of arrays by name.
func ShapesOf(arrays map[string]*Array) map[string][]int {
	r := map[string][]int{}
	for n, a := range arrays {
		if a != nil {
			r[n] = a.Shape
		}
	}
	return r
}

// EvalOp calls an op on arrays as a user would: it binds, evaluates, and gives the outputs by name.
func EvalOp(decl *OpDecl, inputs map[string]*Array, attrs []ExampleAttr, dtypes map[string]string) (map[string]*Array, error) {
	b, err := BindAs(decl, ShapesOf(inputs), attrs, dtypes)
	if err != nil {
		return nil, err
	}
	in, err := b.Binding(inputs, dtypes)
	if err != nil {
		return nil, err
	}
	out, err := Eval(b.Func, in)
	if err != nil {
		return nil, err
	}
	r := map[string]*Array{}
	for t, a := range out {
		r[t.Name] = b.Views[t].Out(a)
	}
	return r, nil
}
