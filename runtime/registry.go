package runtime

import (
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"
	"sync"
)

// Op is an op in the registry.
type Op struct {
	Path      string // import path of the generated package
	Name      string // "smooth_l1"
	Source    string // the .op file
	Doc       string
	Signature *Signature
	Attrs     []AttrInfo
	// Kernels are the dtypes that there are kernels for, one for each dtype variable, with spaces between: "f32", "f32 i64". "int" stands for
	// all integers. Other dtypes run as portable loops, and f16 and bf16 as f32.
	Kernels  []string
	Assembly bool // kernels for amd64 are there too
	// Invoke calls the op: inputs in the order of the signature, nil where absent; attributes by name.
	Invoke func(inputs []*Tensor, attrs map[string]any) ([]*Tensor, error)
}

// AttrInfo describes an attribute.
type AttrInfo struct {
	Name    string
	Type    string   // as the spec has it: "float", "int", "bool", "enum", "axis", "axes", "keep", "rng", "int[S]"
	Words   []string // of an enum
	Default string   // as the spec has it; "" where there is none
}

// FullName is import path and name, joined by a dot.
func (o *Op) FullName() string { return o.Path + "." + o.Name }

// ShortName is the last element of the import path and the name: "loss.smooth_l1".
func (o *Op) ShortName() string { return path.Base(o.Path) + "." + o.Name }

// Inputs is the names of the inputs, in the order in which Call takes them.
func (o *Op) Inputs() []string {
	var names []string
	for _, p := range o.Signature.Params {
		if p.Mode == In || p.Mode == Inout {
			names = append(names, p.Name)
		}
	}
	return names
}

// Call calls the op, with gradients recorded. Inputs at the end that may be absent can be left out.
func (o *Op) Call(inputs []*Tensor, attrs map[string]any) ([]*Tensor, error) {
	want := o.Inputs()
	if len(inputs) > len(want) {
		return nil, o.wrongInputs(len(inputs))
	}
	all := make([]*Tensor, len(want))
	copy(all, inputs)
	return o.Invoke(all, attrs)
}

func (o *Op) wrongInputs(n int) error {
	want := o.Inputs()
	return &ArgError{Op: o.ShortName(), Want: fmt.Sprintf("%d inputs: %s", len(want), strings.Join(want, ", ")), Got: fmt.Sprint(n), Err: ErrShape}
}

// registry is the ops by full name; several where packages collide.
var registry struct {
	sync.RWMutex
	ops map[string][]*Op
}

// Register adds an op. It never fails: of ops with the same import path and name, Lookup tells. From then on Invoke takes as many inputs as the op has,
// and refuses others.
func Register(o *Op) {
	invoke := o.Invoke
	o.Invoke = func(inputs []*Tensor, attrs map[string]any) ([]*Tensor, error) {
		if len(inputs) != len(o.Inputs()) {
			return nil, o.wrongInputs(len(inputs))
		}
		return invoke(inputs, attrs)
	}
	registry.Lock()
	defer registry.Unlock()
	if registry.ops == nil {
		registry.ops = map[string][]*Op{}
	}
	registry.ops[o.FullName()] = append(registry.ops[o.FullName()], o)
}

// Lookup finds an op by import path and name, or by the last element of the path and the name: "loss.smooth_l1".
func Lookup(name string) (*Op, error) {
	registry.RLock()
	defer registry.RUnlock()
	found := registry.ops[name]
	if found == nil {
		for _, ops := range registry.ops {
			if ops[0].ShortName() == name {
				found = append(found, ops...)
			}
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		e := &ArgError{Op: "Lookup", Arg: name, Want: "an op whose package is imported", Err: ErrName}
		if near := nearest(name); near != "" {
			e.Want = near + ", or another op whose package is imported"
		}
		return nil, e
	}
	var sources []string
	for _, o := range found {
		sources = append(sources, fmt.Sprintf("%s (from %s)", o.FullName(), o.Source))
	}
	sort.Strings(sources)
	return nil, &ArgError{Op: "Lookup", Arg: name, Want: "a name that only one op has", Got: strings.Join(sources, " and "), Err: ErrName}
}

// Ops is all ops in the registry, by full name.
func Ops() []*Op {
	registry.RLock()
	defer registry.RUnlock()
	var all []*Op
	for _, ops := range registry.ops {
		all = append(all, ops...)
	}
	slices.SortFunc(all, func(a, b *Op) int {
		if c := strings.Compare(a.FullName(), b.FullName()); c != 0 {
			return c
		}
		return strings.Compare(a.Source, b.Source)
	})
	return all
}

// nearest is the short name of the op that is spelt most like name, or has it without its package, or "".
func nearest(name string) string {
	best, least := "", len(name)/3+1
	for _, ops := range registry.ops {
		short := ops[0].ShortName()
		d := distance(name, short)
		if ops[0].Name == name {
			d = 0
		}
		if d < least || d == least && short < best {
			best, least = short, d
		}
	}
	return best
}

// distance is the number of letters to insert, delete or change between a and b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
