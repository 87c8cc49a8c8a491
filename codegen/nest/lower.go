package nest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// Options say what a function is lowered for.
type Options struct {
	// Name starts the names of the nests; "": the name of the function.
	Name string
	// DTypes gives each dtype variable its dtype: T is f32, I is i64.
	DTypes map[string]string
	// Again names what the forward function doesn't keep, so that the backward one computes it again.
	Again map[string]bool
	// Keep lists what the forward function writes beside its outputs: the backward one has it among its inputs.
	Keep []*ir.Tensor
}

// Unsupported says that nests can't express a function. The function may well be right: another form has to run it.
type Unsupported struct {
	Func   string
	Def    string // the definition that can't be expressed; "": the function as a whole
	Reason string
}

func (e *Unsupported) Error() string {
	if e.Def == "" {
		return fmt.Sprintf("%s can't be lowered to nests: %s", e.Func, e.Reason)
	}
	return fmt.Sprintf("%s can't be lowered to nests: %s: %s", e.Func, e.Def, e.Reason)
}

// Lower turns a function into nests. The error is an *Unsupported where this form can't express the function.
//
//   - define: the bodies of definitions become one graph of values (lower_graph.go, lower_value.go). Maps that nobody
//     sees are unfolded where they are read; sums in which one point counts are solved (lower_solve.go).
//   - rename, split, materialise: reductions write to the outputs that copy them; common factors leave sums; dear values
//     that a nest would compute again and again become definitions.
//   - merge: each definition starts as a nest; nests are merged along the values that they pass on, the largest first, then
//     along the inputs that they share, where one schedule fits all (lower_schedule.go).
//   - emit: each nest is written stage by stage (lower_stage.go, lower_emit.go).
func Lower(f *ir.Func, opt Options) (*Program, error) {
	return lowerWith(f, opt, opt.Keep)
}

// LowerPair lowers a function and its derivative, and decides what the first keeps for the second: definitions of
// the forward function that the backward one needs are read where they are outputs, kept where they are reductions,
// and computed again where they are maps. A program is nil where its function can't be lowered; the error then joins
// an *Unsupported for each.
func LowerPair(forward, backward *ir.Func, opt Options) (fwd, bwd *Program, err error) {
	fopt, bopt := opt, opt
	if opt.Name == "" {
		fopt.Name, bopt.Name = forward.Name, backward.Name
	} else {
		fopt.Name, bopt.Name = opt.Name+"_forward", opt.Name+"_backward"
	}
	plan := planSaves(forward, backward, opt, true)
	fwd, ferr := lowerWith(forward, fopt, slices.Concat(opt.Keep, plan.saved))
	if ferr != nil {
		// Whatever runs the forward function keeps what it must, and its outputs.
		plan = planSaves(forward, backward, opt, false)
	}
	bwd, berr := lowerWith(plan.backward, bopt, nil)
	if bwd != nil {
		bwd.Trace = append(plan.trace, bwd.Trace...)
	}
	return fwd, bwd, errors.Join(ferr, berr)
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// lowering is the state of lowering one function.
type lowering struct {
	f       *ir.Func
	opt     Options
	float   DType
	graph   *graph
	virtual map[*ir.Tensor]*ir.Def     // maps that are computed wherever they are read
	solved  map[*ir.Tensor]*definition // reductions that turned out to be maps: likewise
	defs    []*definition              // what nests are made of, in order
	of      map[*ir.Tensor]*definition // by target
	saved   map[*ir.Tensor]bool        // written although no output
	nests   map[*definition]*cluster   // the nest that a definition is in
	refused map[[2]*cluster]bool       // nests that can't be merged, or gain nothing
	indices map[*ir.Axis]*ir.Tensor    // see Program.Indices
	program *Program
}

// lowerWith lowers f, which also writes the tensors saved.
func lowerWith(f *ir.Func, opt Options, saved []*ir.Tensor) (*Program, error) {
	l := newLowering(f, opt, saved)
	for _, step := range []func() error{l.chooseFloat, l.define, l.rename, l.split, l.materialise, l.merge, l.emit} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	l.program.Checks = l.graph.checks
	l.program.markWanted()
	return l.program, nil
}

func newLowering(f *ir.Func, opt Options, saved []*ir.Tensor) *lowering {
	opt.Name = identifier(orElse(opt.Name, f.Name))
	l := &lowering{
		f: f, opt: opt,
		virtual: map[*ir.Tensor]*ir.Def{},
		solved:  map[*ir.Tensor]*definition{},
		of:      map[*ir.Tensor]*definition{},
		saved:   map[*ir.Tensor]bool{},
		nests:   map[*definition]*cluster{},
		refused: map[[2]*cluster]bool{},
		indices: map[*ir.Axis]*ir.Tensor{},
		program: &Program{Name: opt.Name, Func: f, Saved: saved},
	}
	for _, t := range saved {
		l.saved[t] = true
	}
	return l
}

// tracef notes a step for people who ask how a program came about.
func (l *lowering) tracef(format string, args ...any) {
	l.program.Trace = append(l.program.Trace, fmt.Sprintf(format, args...))
}

func (l *lowering) unsupported(def *ir.Tensor, format string, args ...any) error {
	e := &Unsupported{Func: l.f.Name, Reason: fmt.Sprintf(format, args...)}
	if def != nil {
		e.Def = def.Name
	}
	return e
}

// dtype is the dtype of elements of e; ok is false where nests have none like it. Those of bool are floats, 0 and 1: see Program.
func (l *lowering) dtype(e ir.Elem) (d DType, ok bool) {
	name := e.Resolve(l.opt.DTypes)
	if name == boolName {
		return l.float, true
	}
	if name == "f16" || name == "bf16" {
		name = F32.String() // what they are computed in
	}
	i := slices.Index(dtypeNames[:], name)
	return DType(max(i, 0)), i >= 0
}

// boolName is the dtype of conditions in memory.
const boolName = "bool"

// isBool says whether elements of e are conditions.
func (l *lowering) isBool(e ir.Elem) bool { return e.Resolve(l.opt.DTypes) == boolName }

// mayBeHalf tells whether e is a dtype variable that f32 stands for where tensors have f16 or bf16.
func (l *lowering) mayBeHalf(e ir.Elem) bool {
	i := slices.IndexFunc(l.f.ElemVars, func(v ir.ElemVar) bool { return v.Name == e.Name })
	return i >= 0 && e.Wrap == "" && l.float == F32 && ir.MayBeHalf(l.f.ElemVars[i])
}

// chooseFloat finds the one float dtype of the function. Functions without floats are not expressed by nests.
func (l *lowering) chooseFloat() error {
	found := false
	for _, t := range slices.Concat(l.f.Inputs, l.f.Outputs) {
		if l.isBool(t.Elem) && t.Role == ir.Input {
			continue
		}
		d, ok := l.dtype(t.Elem)
		switch {
		case !ok || l.isBool(t.Elem):
			return l.unsupported(nil, "%s has elements of type %s", t.Name, t.Elem.Resolve(l.opt.DTypes))
		case !d.IsFloat():
		case found && d != l.float:
			return l.unsupported(nil, "%s and %s together", l.float, d)
		default:
			found, l.float = true, d
		}
	}
	if !found {
		return l.unsupported(nil, "there are no floats")
	}
	return nil
}

// identifier makes a Go identifier of a name.
func identifier(name string) string {
	var b []byte
	for _, c := range []byte(name) {
		switch {
		case c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' && len(b) > 0:
			b = append(b, c)
		case c == '@':
			b = append(b, "d_"...)
		case c == '\'':
			b = append(b, "_new"...)
		default:
			b = append(b, '_')
		}
	}
	return string(b)
}
