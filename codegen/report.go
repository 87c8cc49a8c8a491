package codegen

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/opgen/opgen/codegen/check"
	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/ir"
)

// Budget is how many lines of each kind an op may have on average: what keeps a package of many ops quick to build.
var Budget = map[Target]int{Go: 950, AMD64: 1900, CUDA: 700}

// Report counts what was written.
type Report struct {
	Ops     int
	Kernels int // after sharing
	Shared  int // kernels that another one stood in for
	Lines   map[Target]int
	// Portable are the ops that have functions without kernels, on every target.
	Portable []string
	// ByOp has a row for each op, the longest first, and a last one without a name for what ops share.
	ByOp []OpLines
}

// OpLines counts what was written for an op. What it shares with an earlier one counts there.
type OpLines struct {
	Op      string
	Kernels int
	DTypes  int // for which kernels were made
	Lines   map[Target]int
}

// String is one line for people.
func (r Report) String() string {
	text := fmt.Sprintf("%d ops, %d kernels (%d more were equal to one of these); lines an op: %d Go, %d assembly, %d CUDA C",
		r.Ops, r.Kernels, r.Shared, r.average(Go), r.average(AMD64), r.average(CUDA))
	for _, t := range Targets {
		if r.average(t) > Budget[t] {
			text += fmt.Sprintf("; over the budget of %d lines of %s an op", Budget[t], kindOf[t])
		}
	}
	if len(r.Portable) > 0 {
		text += "; without kernels for some or all dtypes and choices: " + strings.Join(r.Portable, ", ")
	}
	return text
}

// kindOf says what is written for a target.
var kindOf = map[Target]string{Go: "Go", AMD64: "assembly", CUDA: "CUDA C"}

func (r Report) average(t Target) int {
	if r.Ops == 0 {
		return 0
	}
	return r.Lines[t] / r.Ops
}

// Table lists the lines of each op, and of its kernels for each dtype.
func (r Report) Table() string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "op\tkernels\tdtypes\tGo\tassembly\tassembly/dtype\tCUDA C\t\n")
	for _, l := range r.ByOp {
		name := cmp.Or(l.Op, "shared")
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t\n", name, l.Kernels, l.DTypes, l.Lines[Go], l.Lines[AMD64], l.Lines[AMD64]/max(1, l.DTypes), l.Lines[CUDA])
	}
	w.Flush()
	return out.String()
}

// declared matches the first line of a function, type or variable in each language.
var declared = map[Target]*regexp.Regexp{
	Go:    regexp.MustCompile(`^(?:func(?: \(\w+ \*?(?P<of>\w+)(?:\[[^)]*)?\))?|type|var|const) (?P<name>\w+)`),
	AMD64: regexp.MustCompile(`^TEXT ·(?P<name>\w+)`),
	CUDA:  regexp.MustCompile(`^extern "C" __global__ void (?P<name>\w+)`),
}

// count fills in the report from the files.
func (b *Build) count() {
	rows := map[string]*OpLines{}
	row := func(op string) *OpLines {
		if rows[op] == nil {
			rows[op] = &OpLines{Op: op, Lines: map[Target]int{}}
		}
		return rows[op]
	}
	owners := b.owners()
	for _, f := range b.Out {
		t := targetOf(f.Name)
		b.Report.Lines[t] += f.Lines()
		for name, n := range linesByName(f, declared[t]) {
			row(ownerOf(owners, name)).Lines[t] += n
		}
	}
	dtypes := map[string]map[string]bool{}
	for _, f := range b.all() {
		op := f.Op.Package + "." + f.Op.Name
		row(op)
		for _, p := range f.Pairs {
			if len(p.programs()) > 0 {
				if dtypes[op] == nil {
					dtypes[op] = map[string]bool{}
				}
				dtypes[op][dtypeSuffix(f.Op.ElemVars, p.DTypes)] = true
			}
		}
	}
	for _, list := range b.Kernels {
		for _, n := range list {
			row(ownerOf(owners, n.Name)).Kernels++
		}
	}
	for op, r := range rows {
		r.DTypes = len(dtypes[op])
		b.Report.ByOp = append(b.Report.ByOp, *r)
	}
	slices.SortFunc(b.Report.ByOp, func(x, y OpLines) int {
		switch {
		case x.Op == "" || y.Op == "":
			return cmp.Compare(y.Op, x.Op)
		case x.total() != y.total():
			return cmp.Compare(y.total(), x.total())
		}
		return cmp.Compare(x.Op, y.Op)
	})
}

func (l OpLines) total() int { return l.Lines[Go] + l.Lines[AMD64] + l.Lines[CUDA] }

// owners are what names of declarations begin with, and whose they are.
func (b *Build) owners() map[string]*ir.OpDecl {
	r := map[string]*ir.OpDecl{}
	for _, op := range b.Package.Ops {
		name := check.GoName(op.Name)
		for _, prefix := range []string{name, "New" + name, "Test" + name, "Example" + name, strings.ToLower(name[:1]) + name[1:], op.Name + "_"} {
			r[prefix] = op
		}
	}
	return r
}

// ownerOf is the op with the longest prefix of a name; "" where it is nobody's.
func ownerOf(owners map[string]*ir.OpDecl, name string) string {
	for n := len(name); n > 0; n-- {
		if op := owners[name[:n]]; op != nil {
			return op.Package + "." + op.Name
		}
	}
	return ""
}

// linesByName counts the lines of each declaration of a file; what stands before the first counts without a name.
func linesByName(f emit.File, first *regexp.Regexp) map[string]int {
	r := map[string]int{}
	name, comments := "", 0
	for line := range bytes.Lines(f.Data) {
		switch m := first.FindSubmatch(line); {
		case m != nil:
			name = string(m[first.SubexpIndex("name")])
			if i := first.SubexpIndex("of"); i >= 0 && len(m[i]) > 0 {
				name = string(m[i])
			}
			r[name] += comments + 1
			comments = 0
		case bytes.HasPrefix(line, []byte("//")): // of what follows
			comments++
		default:
			r[name] += comments + 1
			comments = 0
		}
	}
	r[name] += comments
	return r
}
