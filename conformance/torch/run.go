package torch

import (
	"errors"
	"fmt"
	"slices"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/runtime"
)

// Outcome is what became of a sample: it passed, it failed with an error, or it can't be said, for a reason.
type Outcome struct {
	Name   string // PyTorch's name of the function, and the sample's number
	Op     string // ours; "" if none was found
	Err    error
	Reason string
}

// Summary counts samples.
type Summary struct {
	Passed, Failed, Unsupported int
	Ran                         map[runtime.CPUPath]int // those that ran through compiled code
}

func (s *Summary) String() string {
	return fmt.Sprintf("goldens: %d passed, %d failed, %d unsupported", s.Passed, s.Failed, s.Unsupported)
}

// Run holds the packages of specs that patterns name to the samples in a folder, and tells of each sample. Compiled ops are
// those that the program has imported.
func Run(specs []string, samples string, tell func(Outcome)) (*Summary, error) {
	ops, err := load(specs)
	if err != nil {
		return nil, err
	}
	files, err := Files(samples)
	if err != nil {
		return nil, err
	}
	r := &runner{ops: ops, Summary: Summary{Ran: map[runtime.CPUPath]int{}}}
	for _, name := range files {
		lines, err := Read(name)
		if err != nil {
			return nil, err
		}
		for _, l := range lines {
			tell(r.sample(l))
		}
	}
	return &r.Summary, nil
}

// load are the ops of specs, by package and name.
func load(patterns []string) (map[string]*ir.OpDecl, error) {
	sources, err := codegen.Find(patterns, "")
	if err != nil {
		return nil, err
	}
	r := map[string]*ir.OpDecl{}
	for _, s := range sources {
		b := codegen.New(s)
		if !b.Run("check") {
			return nil, b.Diags.Err()
		}
		for _, o := range b.Package.Ops {
			r[b.Package.Name+"."+o.Name] = o
		}
	}
	return r, nil
}

// runner runs samples.
type runner struct {
	Summary
	ops     map[string]*ir.OpDecl
	derived derivatives
}

// inexpressible says why a sample can't be said in opgen.
type inexpressible struct{ reason string }

func (e *inexpressible) Error() string { return e.reason }

// sample runs a sample.
func (r *runner) sample(l *Line) Outcome {
	g := &call{Line: l, ops: r.ops, derived: &r.derived, from: map[*Tensor]string{}, views: map[string]*view{}}
	o := Outcome{Name: fmt.Sprintf("%s/%d", l.Key(), l.Sample)}
	err := g.run(&r.Summary)
	o.Op = g.op
	var no *inexpressible
	switch {
	case err == nil:
		r.Passed++
	case errors.As(err, &no):
		r.Unsupported++
		o.Reason = no.reason
	default:
		r.Failed++
		o.Err = err
	}
	return o
}

// call is a sample as a call of an op.
type call struct {
	*Line
	ops     map[string]*ir.OpDecl
	derived *derivatives

	op     string // ours
	inputs map[string]*ir.Array
	attrs  []ir.ExampleAttr
	from   map[*Tensor]string // which input a tensor became
	views  map[string]*view   // how inputs lie in what they are made of, where that is another way
	all    []*Tensor          // tensors in order of appearance

	deviates deviation
}

// stage is what is compared.
type stage int

const (
	value stage = iota
	gradient
	second
)

// deviation is why PyTorch's results may be others, and from which stage on.
type deviation struct {
	from   stage
	reason string // "": they may not
}

// mismatch is a result that differs.
type mismatch struct {
	at  stage
	err error
}

func (m *mismatch) Error() string { return m.err.Error() }

func (m *mismatch) Unwrap() error { return m.err }

// run says the sample and compares. Whatever panics is a failure of the sample, and doesn't hide the others.
func (g *call) run(s *Summary) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	f, known := forms[g.Key()]
	if !known {
		return &inexpressible{"opgen has no such function"}
	}
	if err := g.translate(f); err != nil {
		return err
	}
	decl := g.ops[g.op]
	if decl == nil {
		return fmt.Errorf("there is no op %s", g.op)
	}
	b, err := ir.Bind(decl, ir.ShapesOf(g.inputs), g.attrs)
	var call *ir.CallError
	if errors.As(err, &call) {
		return &inexpressible{"opgen refuses the call: " + call.Error()}
	} else if err != nil {
		return err
	}
	if err := g.compare(b); err != nil {
		var m *mismatch
		var f *ir.Fault
		switch {
		case errors.As(err, &m) && g.deviates.reason != "" && m.at >= g.deviates.from:
			return &inexpressible{g.deviates.reason}
		case errors.As(err, &f) && required(b.Func, f):
			return &inexpressible{"opgen refuses the call: " + f.Message}
		}
		return err
	}
	return g.compiled(decl, b, s)
}

// required tells whether a fault is a requirement of a function that doesn't hold.
func required(f *ir.Func, fault *ir.Fault) bool {
	return slices.ContainsFunc(f.Requires, func(r ir.Require) bool { return r.Span == fault.Span })
}

// translate makes the call.
func (g *call) translate(f form) (err error) {
	a, err := g.read(f)
	if err != nil {
		return err
	}
	defer func() {
		switch no := recover().(type) {
		case nil:
		case *inexpressible:
			err = no
		default:
			err = fmt.Errorf("the mapping of %s: %v", g.Key(), no)
		}
	}()
	g.say(f, a)
	return nil
}
