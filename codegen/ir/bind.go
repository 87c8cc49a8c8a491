package ir

import (
	"fmt"
	"slices"
)

// Bound is a call of an op: the variant that its choices select, the extents of its axes, and how the tensors of the
// call are seen by the definitions of the variant.
type Bound struct {
	Decl    *OpDecl
	Variant *Variant
	Func    *Func
	Extents map[*Axis]int
	Views   map[*Tensor]*View // of inputs that are there, and of outputs
	Scalars map[string]float64
	present map[string]bool
}

// CallError is an error of a call.
type CallError struct {
	Op, Arg string
	Message string
}

// Error is the message, with the op and the argument.
func (e *CallError) Error() string {
	if e.Arg == "" {
		return e.Op + ": " + e.Message
	}
	return e.Op + ": " + e.Arg + ": " + e.Message
}

// Bind works out a call of an op from the shapes of its inputs (those left out are absent) and attributes (those left
// out have their defaults).
//
// Choices by attributes of the type of a dtype variable are made as if that was float64; see BindAs.
func Bind(decl *OpDecl, shapes map[string][]int, attrs []ExampleAttr) (*Bound, error) {
	return BindAs(decl, shapes, attrs, nil)
}

// BindAs is Bind for a choice of dtypes, to which attributes are rounded before choices are made.
func BindAs(decl *OpDecl, shapes map[string][]int, attrs []ExampleAttr, dtypes map[string]string) (*Bound, error) {
	b := &binder{decl: decl, dtypes: dtypes, shapes: shapes, attrs: map[string]ExampleAttr{}, ranks: map[string]int{}, extents: map[string][]int{}, firm: map[string]bool{}, places: map[string]place{}}
	if err := b.readAttrs(attrs); err != nil {
		return nil, err
	}
	for name := range shapes {
		if !slices.ContainsFunc(decl.Inputs, func(p *Param) bool { return p.Name == name }) {
			return nil, b.fail(name, "is not an input")
		}
	}
	for _, p := range decl.Inputs {
		if _, ok := shapes[p.Name]; ok {
			b.inputs = append(b.inputs, p)
		} else if !p.Optional && p.Mode != State {
			return nil, b.fail(p.Name, "is missing")
		}
	}
	if err := b.placements(); err != nil {
		return nil, err
	}
	if err := b.findRanks(); err != nil {
		return nil, err
	}
	for _, p := range b.inputs {
		if err := b.unify(p); err != nil {
			return nil, err
		}
	}
	return b.finish()
}

// binder is the state of Bind.
type binder struct {
	decl    *OpDecl
	dtypes  map[string]string
	shapes  map[string][]int
	attrs   map[string]ExampleAttr
	inputs  []*Param
	ranks   map[string]int // of packs
	extents map[string][]int
	firm    map[string]bool  // axes whose extents are those of a tensor that is not expanded
	places  map[string]place // where the caller puts axes
	keep    []string         // axes that leave ones behind
	scalar  bool             // all tensors with placed axes are 0-d
	joint   []jointAxis      // see jointAxes
}

// place is the position that the caller gives an axis, or the positions of a pack.
type place struct {
	attr string
	at   []int // negative from the right
	all  bool
	pack bool
}

func (b *binder) fail(arg, format string, args ...any) error {
	return &CallError{Op: b.decl.Package + "." + b.decl.Name, Arg: arg, Message: fmt.Sprintf(format, args...)}
}

// readAttrs takes the attributes of the call and the defaults of the others.
func (b *binder) readAttrs(attrs []ExampleAttr) error {
	for _, a := range attrs {
		if a.Name == "step" && b.decl.Update {
			b.attrs[a.Name] = a
			continue
		}
		i := slices.IndexFunc(b.decl.Attrs, func(d *AttrDecl) bool { return d.Name == a.Name })
		if i < 0 {
			return b.fail(a.Name, "is not an attribute")
		}
		if e := b.decl.Attrs[i].Enum; e != nil && !slices.Contains(e.Words, a.Word) {
			return b.fail(a.Name, "%q is not one of %v", a.Word, e.Words)
		}
		b.attrs[a.Name] = a
	}
	if _, ok := b.attrs["step"]; b.decl.Update && !ok {
		b.attrs["step"] = ExampleAttr{Name: "step", Number: 1}
	}
	for _, d := range b.decl.Attrs {
		if _, ok := b.attrs[d.Name]; ok {
			continue
		}
		a := ExampleAttr{Name: d.Name, Word: d.Word}
		switch {
		case d.Default != nil:
			x, err := EvalScalar(&Func{Name: b.decl.Name}, d.Default, Binding{Scalars: b.scalars()})
			if err != nil {
				return err
			}
			a.Number = x
		case d.Kind == AttrBool && d.Word == "":
			a.Word = "false"
		case d.Kind == AttrEnum && d.Word == "" && d.Enum != nil && !d.Optional:
			a.Word = d.Enum.Words[0]
		case d.Optional:
			continue
		case d.Word == "" && d.Kind != AttrKeep && d.Kind != AttrRNG:
			return b.fail(d.Name, "is missing")
		}
		b.attrs[d.Name] = a
	}
	return nil
}

func (b *binder) scalars() map[string]float64 {
	r := map[string]float64{}
	for n, a := range b.attrs {
		if a.Word == "" && a.List == nil {
			r[n] = a.Number
		}
	}
	return r
}

// placements reads the attributes that place axes.
func (b *binder) placements() error {
	packs := map[string]bool{}
	for _, p := range append(slices.Clone(b.decl.Inputs), b.decl.Outputs...) {
		for _, a := range flatten(p.Axes) {
			packs[a.Name] = packs[a.Name] || a.Pack
		}
	}
	for _, d := range b.decl.Attrs {
		a, given := b.attrs[d.Name]
		if d.Kind == AttrKeep {
			if given && a.Word == "true" {
				b.keep = append(b.keep, d.Axes...)
			}
			continue
		}
		if d.Kind != AttrAxis && d.Kind != AttrAxes || !given {
			continue
		}
		pl := place{attr: d.Name, all: a.Word == "all"}
		list := a.List
		if list == nil && !pl.all {
			list = []float64{a.Number}
		}
		for _, x := range list {
			if x != float64(int(x)) {
				return b.fail(d.Name, "%v is not a whole number", x)
			}
			pl.at = append(pl.at, int(x))
		}
		if d.Kind == AttrAxis && len(pl.at) != 1 {
			return b.fail(d.Name, "is one axis")
		}
		for _, name := range d.Axes {
			pl.pack = packs[name]
			b.places[name] = pl
			if pl.pack && !pl.all {
				if err := b.setRank(name, len(pl.at), d.Name); err != nil {
					return err
				}
			}
		}
	}
	for _, d := range b.decl.Attrs {
		if a := b.attrs[d.Name]; packs[d.List] && a.List != nil {
			if err := b.setRank(d.List, len(a.List), d.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// flatten are the axes of a signature with the factors of products.
func flatten(refs []AxisRef) []AxisRef {
	var r []AxisRef
	for _, a := range refs {
		if a.Product != nil {
			r = append(r, flatten(a.Product)...)
		} else {
			r = append(r, a)
		}
	}
	return r
}

// rankOf counts dimensions: those that are there, those that may be missing in front, and the packs of unknown rank.
func (b *binder) rankOf(refs []AxisRef) (fixed, optional int, open []string) {
	for _, a := range refs {
		switch {
		case a.Product != nil:
			fixed++
		case a.Pack:
			if n, ok := b.ranks[a.Name]; ok {
				fixed += n
			} else {
				open = append(open, a.Name)
			}
		case a.Optional:
			optional++
		default:
			fixed++
		}
	}
	return fixed, optional, open
}

// shapeOf is the shape of an input; a 0-d tensor counts as [1] where an axis of it is placed.
func (b *binder) shapeOf(p *Param) []int {
	s := b.shapes[p.Name]
	some := slices.ContainsFunc(p.Axes, func(a AxisRef) bool { return len(b.places[a.Name].at) > 0 })
	if len(s) == 0 && some && b.isPlaced(p.Name, p.Axes) {
		return []int{1}
	}
	return s
}

// padded is the shape of an input with ones in front up to its full rank, and the number of those.
func (b *binder) padded(p *Param, n int) ([]int, int, error) {
	s := b.shapeOf(p)
	if len(s) > n {
		return nil, 0, b.fail(p.Name, "has %s, at most %d fit", axesText(len(s)), n)
	}
	missing := n - len(s)
	return append(slices.Repeat([]int{1}, missing), s...), missing, nil
}

// unify takes the extents of the axes of one input into account.
func (b *binder) unify(p *Param) error {
	at, n, err := b.slots(p.Name, p.Axes, false)
	if err != nil {
		return err
	}
	shape, missing, err := b.padded(p, n)
	if err != nil {
		return err
	}
	grow := p.Mode == Input
	for i, a := range p.Axes {
		if a.Product != nil {
			if at[i][0] < missing {
				return b.fail(p.Name, "has %s, too few", axesText(n-missing))
			}
			continue // its factors are known later
		}
		got := make([]int, len(at[i]))
		for k, pos := range at[i] {
			if pos < missing && !(a.Pack || a.Optional) || pos < missing && !grow {
				return b.fail(p.Name, "has %s, too few", axesText(n-missing))
			}
			got[k] = shape[pos]
		}
		have, ok := b.extents[a.Name]
		if !ok {
			b.extents[a.Name] = got
			b.firm[a.Name] = !a.Optional
			continue
		}
		for k := range got {
			switch {
			case got[k] == have[k]:
			case got[k] == 1 && grow && (a.Pack || a.Optional):
			case have[k] == 1 && (a.Pack || !b.firm[a.Name]):
				have[k] = got[k]
			default:
				return b.fail(p.Name, "axis %s has extent %d here and %d before", a.Name, got[k], have[k])
			}
		}
		b.firm[a.Name] = b.firm[a.Name] || !a.Optional
	}
	return nil
}

func product(s []int) int {
	n := 1
	for _, x := range s {
		n *= x
	}
	return n
}
