package check

import (
	"slices"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

// stand is how many axes each pack of a caller stands for while the packs of a call are found: more than one, so that a
// pack is told from an axis.
const stand = 2

// rankDim is a dimension of an argument: an axis of the pack of a key, or "".
type rankDim string

// opCall reads the call of an op that stands alone: the packs that the called op computes with are computed with here,
// and those of equal rank there have equal rank here.
func (t *rankTable) opCall(o *operation, x *dsl.Call, left *dsl.Bracket, own []rankSlot) {
	if !o.callable() {
		return // it is faulty, or calls itself, which is reported where it is lowered
	}
	inner := o.sig.ranks
	dims, places := t.argDims(o, x)
	if places {
		t.countPacks(o, x)
	}
	ranks := map[string]int{}
	for name, d := range dims {
		ranks[name] = len(d)
	}
	al, err := ir.Align(o.declaration(), ranks, t.callAttrs(o, x))
	if err != nil {
		return // reported where it is lowered
	}
	keys := map[*rankClass][]string{}
	note := func(pack string, found ...string) {
		if c := inner.classOf(pack); c != nil {
			keys[c] = append(keys[c], found...)
		}
	}
	for _, d := range o.sig.inputs {
		a := al.Inputs[d.param.Name]
		if a == nil {
			continue
		}
		for i, ref := range flatTop(d.param.Axes) {
			for _, pos := range a.Axes[i] {
				if pos < a.Missing {
					continue
				}
				if key := dims[d.param.Name][pos-a.Missing]; key != "" && ref.Pack {
					note(ref.Name, string(key))
				} else if key != "" && places {
					t.computed[string(key)] = true
				}
			}
		}
	}
	for _, a := range o.sig.attrs {
		if arg := namedArg(x, a.decl.Name); arg != nil && inner.isPack(a.decl.List) {
			note(a.decl.List, t.keys(arg)...)
		}
	}
	t.resultPacks(o, x, al, left, own, note)
	for c, list := range keys {
		if c.computed {
			t.compute(list)
		}
		if places {
			for _, k := range list {
				t.computed[k] = true
			}
		}
	}
}

// flatTop are the axes of a tensor; a product is no pack.
func flatTop(refs []ir.AxisRef) []ir.AxisRef {
	r := slices.Clone(refs)
	for k := range r {
		if r[k].Product != nil {
			r[k].Pack = false
		}
	}
	return r
}

// argDims are the dimensions of the arguments that are names, and whether the called op places axes.
func (t *rankTable) argDims(o *operation, x *dsl.Call) (dims map[string][]rankDim, places bool) {
	dims = map[string][]rankDim{}
	for k, in := range o.decl.Inputs {
		if k >= len(x.Args) {
			break
		}
		id := bareName(x.Args[k].Value)
		if id == nil {
			continue
		}
		slots, known := t.slots[id.Name]
		if !known {
			continue
		}
		list := []rankDim{}
		for _, s := range slots {
			list = append(list, rankDim(s.pack))
			for n := 1; n < stand && s.pack != ""; n++ {
				list = append(list, rankDim(s.pack))
			}
		}
		dims[in.Name.Name] = list
	}
	for _, a := range o.decl.Attrs {
		places = places || a.Kind == dsl.AttrAxis || a.Kind == dsl.AttrAxes
	}
	return dims, places
}

// countPacks computes with the packs in arguments that are expressions, or lets without a left side: where an op places axes, all
// are counted.
func (t *rankTable) countPacks(o *operation, x *dsl.Call) {
	seen := map[string]bool{}
	var count func(x dsl.Expr)
	count = func(x dsl.Expr) {
		dsl.Inspect(x, func(n any) bool {
			r, is := n.(*dsl.Ref)
			if !is || r.Index != nil || seen[r.Name.Name] {
				return true
			}
			seen[r.Name.Name] = true
			slots, known := t.slots[r.Name.Name]
			for _, s := range slots {
				if s.pack != "" {
					t.computed[s.pack] = true
				}
			}
			if s := letNamed(r.Name.Name, t.sig.op.decl.Body); s != nil && !known {
				count(s.Value)
			}
			return true
		})
	}
	for k := range min(len(o.decl.Inputs), len(x.Args)) {
		if v := x.Args[k].Value; v != nil {
			if id := bareName(v); id != nil {
				if _, known := t.slots[id.Name]; known {
					continue // which dimensions are counted follows from how they meet
				}
			}
			count(v)
		}
	}
}

// letNamed finds a let among statements and in all arms.
func letNamed(name string, list []dsl.Stmt) *dsl.Let {
	var found *dsl.Let
	dsl.Inspect(list, func(n any) bool {
		if s, is := n.(*dsl.Let); is && slices.ContainsFunc(s.Names, func(id dsl.Ident) bool { return id.Name == name }) {
			found = s
		}
		return found == nil
	})
	return found
}

func namedArg(x *dsl.Call, name string) dsl.Expr {
	for _, n := range x.Named {
		if n.Name.Name == name {
			return n.Value
		}
	}
	return nil
}

// callAttrs are the attributes of a call that place axes or tell ranks.
func (t *rankTable) callAttrs(o *operation, x *dsl.Call) []ir.ExampleAttr {
	var r []ir.ExampleAttr
	for _, a := range o.sig.attrs {
		arg := namedArg(x, a.decl.Name)
		if arg == nil {
			continue
		}
		v := ir.ExampleAttr{Name: a.decl.Name}
		switch tuple, is := arg.(*dsl.Tuple); {
		case is:
			v.List = make([]float64, len(tuple.Items))
			for k, i := range tuple.Items {
				if c := constantOf(i.Value); c != nil && c.Const != nil {
					v.List[k], _ = c.Const.Float64()
				}
			}
		case a.decl.List != "" && len(t.keys(arg)) > 0:
			v.List = make([]float64, stand)
		case bareName(arg) != nil:
			v.Word = bareName(arg).Name
		default:
			if c := constantOf(arg); c != nil && c.Const != nil {
				v.Number, _ = c.Const.Float64()
			}
		}
		r = append(r, v)
	}
	return r
}

// keepOpen tells whether an attribute of the caller decides if the result keeps axes, so that positions in it aren't known.
func keepOpen(o *operation, x *dsl.Call) bool {
	return slices.ContainsFunc(o.sig.attrs, func(a *attribute) bool {
		arg := namedArg(x, a.decl.Name)
		if a.decl.Kind != ir.AttrKeep || arg == nil {
			return false
		}
		id := bareName(arg)
		return id == nil || id.Name != "true" && id.Name != "false"
	})
}

// resultPacks finds what the packs are that a left side names for the axes of the result.
func (t *rankTable) resultPacks(o *operation, x *dsl.Call, al *ir.Alignment, left *dsl.Bracket, own []rankSlot, note func(string, ...string)) {
	if len(o.sig.outputs) == 0 || o.sig.outputs[0].param.Infer || keepOpen(o, x) {
		return
	}
	if left != nil {
		own = nil
		for _, i := range left.Items {
			s := rankSlot{}
			if i.AxisPack != nil {
				s.pack = i.AxisPack.Name
			}
			own = append(own, s)
		}
	}
	d := o.sig.outputs[0]
	a := al.Outputs[d.param.Name]
	at := map[int]string{}
	total := 0
	for i, ref := range flatTop(d.param.Axes) {
		for _, pos := range a.Axes[i] {
			total++
			if ref.Pack {
				at[pos] = ref.Name
			}
		}
	}
	fixed, packs := 0, 0
	for _, s := range own {
		if s.pack == "" {
			fixed++
		} else {
			packs++
		}
	}
	// Where several packs are named, each stands for as many as any.
	width := stand
	if packs == 1 {
		width = total - fixed
	}
	pos := 0
	for _, s := range own {
		if s.pack == "" {
			pos++
			continue
		}
		for range width {
			if name := at[pos]; name != "" {
				note(name, s.pack)
			}
			pos++
		}
	}
}
