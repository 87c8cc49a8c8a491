package randspec_test

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/codegen/grad"
	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/conformance/randspec"
	"github.com/opgen/opgen/dsl/diag"
	"github.com/opgen/opgen/runtime/optest"
)

// The messages of the runner; see testdata/runner.
type (
	runArray struct {
		Present bool
		DType   string
		Shape   []int
		Data    []float64
	}
	runRequest struct {
		Op, Path   string
		Inputs     []runArray
		Attrs      map[string]any
		Cotangents []runArray
	}
	runReply struct {
		Outputs, Gradients []runArray
		Inputs             []runArray
		Err                string
	}
)

func (a runArray) array() *ir.Array {
	if !a.Present {
		return nil
	}
	if a.Shape == nil {
		a.Shape = []int{} // gob leaves empty slices out
	}
	return &ir.Array{Shape: a.Shape, Data: a.Data}
}

// batch is specs that are generated and built together.
type batch struct {
	t        *testing.T
	dir      string
	packages []*codegen.Build
	requests []runRequest
	jobs     []*job // of the requests
}

// job is one call of a spec in one choice of dtypes on one path.
type job struct {
	spec   *randspec.Spec
	call   *randomCall
	bound  *ir.Bound
	fn     *codegen.Function
	dtypes map[string]string
	path   string
	cot    arrays
	out    arrays // by the evaluator; nil where it refuses the call
	grads  arrays
	err    error
	first  *job // the same call on the first path
	reply  *runReply
}

// pack generates specs as one package, without those that are refused. What is wrong with one is told of it, and the others go on.
func (b *batch) pack(name string, specs []*randspec.Spec, n *tally, tell func(*randspec.Spec, error)) {
	files := map[string]string{}
	for _, s := range specs {
		files[s.Op+".op"] = s.File(name)
	}
	for {
		p := codegen.New(source(name, files), codegen.Go, codegen.AMD64)
		if p.Run("") {
			b.packages = append(b.packages, p)
			for _, s := range specs {
				if files[s.Op+".op"] == "" {
					continue
				}
				if err := b.calls(p, s, n); err != nil {
					tell(s, err)
				}
			}
			return
		}
		d := p.Diags.All[slices.IndexFunc(p.Diags.All, func(d diag.Diagnostic) bool { return d.Severity == diag.Error })]
		bad := d.Span.Start.File
		i := slices.IndexFunc(specs, func(s *randspec.Spec) bool { return s.Op+".op" == bad })
		switch {
		case i < 0:
			tell(specs[0], found("refusal "+d.Code, "%s", d.String()))
			return
		case slices.Contains(refusals, d.Code):
			tell(specs[i], &refused{d.Code, d.Message})
		default:
			tell(specs[i], found("refusal "+d.Code, "%s", d.String()))
		}
		delete(files, bad)
		if len(files) == 0 {
			return
		}
	}
}

// calls adds the calls of a spec.
func (b *batch) calls(p *codegen.Build, s *randspec.Spec, n *tally) error {
	op := p.Package.Ops[slices.IndexFunc(p.Package.Ops, func(o *ir.OpDecl) bool { return o.Name == s.Op })]
	for i, k := range s.Cases {
		c := &randomCall{op: op, build: p, inputs: k.Inputs, attrs: k.Attrs, r: rand.New(rand.NewPCG(s.Seed, uint64(i))), n: n}
		bound, err := ir.Bind(op, ir.ShapesOf(c.inputs), c.attrs)
		if err != nil {
			continue
		}
		fn := p.Functions[slices.IndexFunc(p.Functions, func(f *codegen.Function) bool { return f.Variant == bound.Variant })]
		for _, dtypes := range c.dtypes() {
			n.calls++
			j := job{spec: s, call: c, bound: bound, fn: fn, dtypes: dtypes}
			if j.out, j.err = ir.EvalOp(op, c.inputs, c.attrs, dtypes); j.err == nil {
				if fn.Backward != nil {
					j.cot = c.cotangents(bound, j.out)
					for name, a := range j.cot { // as elements of their dtypes
						a := ir.NewArray(a.Shape...)
						for i := range a.Data {
							a.Data[i] = math.Round(8*c.r.NormFloat64()) / 8
						}
						j.cot[name] = a
					}
					if j.grads, err = c.gradients(bound, fn.Backward, j.cot, dtypes); err != nil {
						return found("gradient", "%v\n%s", err, s.File("p"))
					}
				}
			} else {
				n.failed++
			}
			b.request(p, &j)
		}
	}
	return nil
}

// gradients are the gradients of inputs as the runner collects them: backward from each output for itself.
func (c *randomCall) gradients(b *ir.Bound, back *ir.Func, cot arrays, dtypes map[string]string) (arrays, error) {
	r := arrays{}
	for _, y := range slices.Sorted(maps.Keys(cot)) {
		g, err := grad.EvalBackward(b, back, c.inputs, arrays{y: cot[y]}, dtypes)
		if err != nil {
			return nil, err
		}
		for name, a := range g {
			if r[name] == nil {
				r[name] = a
				continue
			}
			for i, x := range a.Data {
				r[name].Data[i] += x
			}
		}
	}
	return r, nil
}

// request asks for a call on each path.
func (b *batch) request(p *codegen.Build, j *job) {
	q := runRequest{Op: p.Package.Name + "." + j.spec.Op, Attrs: map[string]any{}}
	for _, in := range j.call.op.Inputs {
		a := runArray{}
		if x := j.call.inputs[in.Name]; x != nil {
			a = runArray{true, in.Elem.Resolve(j.dtypes), x.Shape, x.Data}
		}
		q.Inputs = append(q.Inputs, a)
	}
	for _, a := range j.call.attrs {
		if a.Name == "step" && !strings.Contains(j.spec.Decls, "step") {
			continue // nothing asks for it
		}
		q.Attrs[a.Name] = attribute(j.call.op, a)
	}
	for _, v := range j.call.op.ElemVars {
		if !slices.ContainsFunc(j.call.op.Inputs, func(p *ir.Param) bool { return p.Elem.Name == v.Name && !p.Optional }) {
			q.Attrs[v.Name] = j.dtypes[v.Name] // the caller chooses it
		}
	}
	for _, o := range j.call.op.Outputs {
		a := runArray{}
		if x := j.cot[o.Name]; x != nil {
			a = runArray{true, o.Elem.Resolve(j.dtypes), x.Shape, x.Data}
		}
		q.Cotangents = append(q.Cotangents, a)
	}
	var first *job
	for _, path := range optest.Paths() {
		k := *j
		k.path, k.first = path.String(), first
		if first == nil {
			first = &k
		}
		q.Path = k.path
		b.requests, b.jobs = append(b.requests, q), append(b.jobs, &k)
	}
}

// attribute is an attribute as the registry takes it.
func attribute(op *ir.OpDecl, a ir.ExampleAttr) any {
	i := slices.IndexFunc(op.Attrs, func(d *ir.AttrDecl) bool { return d.Name == a.Name })
	switch {
	case a.List != nil && op.Attrs[i].Kind == ir.AttrFloat:
		return a.List
	case a.List != nil:
		ints := make([]int, len(a.List))
		for i, x := range a.List {
			ints[i] = int(x)
		}
		return ints
	case i >= 0 && (op.Attrs[i].Kind == ir.AttrBool || op.Attrs[i].Kind == ir.AttrKeep):
		return a.Word == "true"
	case a.Word != "":
		return a.Word
	case a.Number == math.Trunc(a.Number):
		return int(a.Number)
	}
	return a.Number
}

// run builds the packages and the runner, and makes the calls.
func (b *batch) run() error {
	root, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	write := func(name string, data []byte) {
		name = filepath.Join(b.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			b.t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o666); err != nil {
			b.t.Fatal(err)
		}
	}
	const opgen = "github.com/opgen/opgen"
	write("go.mod", fmt.Appendf(nil, "module %s\n\ngo 1.26\n\nrequire %s v0.0.0\n\nreplace %[2]s => %s\n", modulePath, opgen, root))
	runner, err := os.ReadFile("testdata/runner/main.go.txt")
	if err != nil {
		return err
	}
	write("main.go", runner)
	imports := "package main\n\nimport (\n"
	for _, p := range b.packages {
		imports += fmt.Sprintf("\t_ %q\n", p.Source.ImportPath)
		for _, f := range p.Out {
			if !strings.HasSuffix(f.Name, "_test.go") {
				write(p.Package.Name+"/"+f.Name, f.Data)
			}
		}
	}
	write("packages.go", []byte(imports+")\n"))
	bin := filepath.Join(b.dir, "runner.exe")
	build := exec.Command("go", "build", "-o", bin, ".")
	build.Dir = b.dir
	build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off")
	if out, err := build.CombinedOutput(); err != nil {
		return found("go build", "%v\n%s", err, out)
	}
	gob.Register([]int{})
	gob.Register([]float64{})
	var in, out, log bytes.Buffer
	if err := gob.NewEncoder(&in).Encode(b.requests); err != nil {
		return err
	}
	cmd := exec.Command(bin)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, &out, &log
	if err := cmd.Run(); err != nil {
		return found("runner", "%v\n%s", err, log.String())
	}
	var replies []runReply
	if err := gob.NewDecoder(&out).Decode(&replies); err != nil {
		return err
	}
	for i := range replies {
		b.jobs[i].reply = &replies[i]
	}
	return nil
}

// check compares a reply with the evaluator and with the first path.
func (j *job) check() error {
	where := fmt.Sprintf("%s %v, %s", j.path, j.dtypes, j.call)
	switch {
	case j.reply.Err != "" && j.err == nil:
		return found("generated error: "+briefly(errors.New(j.reply.Err)), "%s: %s", where, j.reply.Err)
	case j.reply.Err == "" && j.err != nil:
		return found("no error", "%s: the evaluator says %v", where, j.err)
	case j.err != nil:
		return nil
	}
	got, grads := arrays{}, arrays{}
	for i, p := range j.call.op.Outputs {
		got[p.Name] = j.reply.Outputs[i].array()
	}
	for i, p := range j.call.op.Inputs {
		if p.Mode != ir.Input {
			got[p.Name+"'"] = j.reply.Inputs[i].array()
		}
		if i < len(j.reply.Gradients) {
			grads[p.Name] = j.reply.Gradients[i].array()
		}
	}
	if f := j.first; f != nil {
		for i, a := range j.reply.Outputs {
			if text := differBits(f.reply.Outputs[i].array(), a.array()); text != "" {
				return found("paths", "%s: %s %s on %s", where, j.call.op.Outputs[i].Name, text, f.path)
			}
		}
		for i, a := range j.reply.Gradients {
			if text := differBits(f.reply.Gradients[i].array(), a.array()); text != "" {
				return found("paths gradient", "%s: @%s %s on %s", where, j.call.op.Inputs[i].Name, text, f.path)
			}
		}
	}
	in, err := j.bound.Binding(j.call.inputs, j.dtypes)
	if err != nil {
		return found("bind", "%v", err)
	}
	near := j.call.precision(j.dtypes)
	moves := j.call.moves(j.bound.Func, near.unit, func(f *ir.Func) (arrays, error) { return byName(j.bound, f, in) })
	for _, name := range slices.Sorted(maps.Keys(j.out)) {
		if got[name] == nil {
			continue // a state that isn't kept
		}
		if text := j.call.differ(name, j.out[name], got[name], near.rel, moves); text != "" {
			return found("generated", "%s: %s: %s\n%v", where, name, text, j.bound.Func)
		}
	}
	moves = j.call.moves(j.fn.Backward, near.grade, func(f *ir.Func) (arrays, error) {
		return j.call.gradients(j.bound, f, j.cot, j.dtypes)
	})
	for _, name := range slices.Sorted(maps.Keys(j.grads)) {
		g := grads[name]
		if g == nil {
			g = ir.NewArray(j.grads[name].Shape...)
		}
		if text := j.call.differ(name, j.grads[name], g, near.gradRel, moves); text != "" {
			return found("generated gradient", "%s: @%s: %s\n%v", where, name, text, j.fn.Backward)
		}
	}
	return nil
}

// differBits says where two arrays have other bits; any NaN is any other.
func differBits(want, got *ir.Array) string {
	if want == nil || got == nil {
		return ""
	}
	for i, w := range want.Data {
		if g := got.Data[i]; math.Float64bits(g) != math.Float64bits(w) && !(g != g && w != w) {
			return fmt.Sprintf("element %d is %v, and %v", i, g, w)
		}
	}
	return ""
}

// TestGenerated holds the code of random specs, on each path, to the evaluator, and the paths to each other bit for bit.
func TestGenerated(t *testing.T) {
	const perPackage, perBuild, standard = 20, 300, 200
	var n tally
	first := firstSeed(t)
	total := randomSpecs(t, standard)
	all := map[string]*shown{}
	for done := 0; done < total; done += perBuild {
		b := &batch{t: t, dir: t.TempDir()}
		for k := done; k < min(done+perBuild, total); k += perPackage {
			var specs []*randspec.Spec
			for i := k; i < min(k+perPackage, total); i++ {
				seed := first + uint64(i)
				specs = append(specs, randspec.New(seed, 1+int(seed%4)))
				n.specs++
			}
			b.pack(fmt.Sprintf("p%d", k), specs, &n, func(s *randspec.Spec, err error) {
				n.seed = s.Seed
				note(t, all, s, err, &n)
			})
		}
		if err := b.run(); err != nil {
			note(t, all, &randspec.Spec{}, err, &n)
			continue
		}
		for _, j := range b.jobs {
			n.seed = j.spec.Seed
			note(t, all, j.spec, j.check(), &n)
		}
		if err := os.RemoveAll(b.dir); err != nil { // thousands of specs are a gigabyte of code
			t.Fatal(err)
		}
	}
	t.Log(&n)
	for _, kind := range slices.Sorted(maps.Keys(all)) {
		f := all[kind]
		t.Errorf("%d × %s, seed %d:\n%s\n%s", f.count, kind, f.spec.Seed, f.spec.File("p"), f.text)
	}
}
