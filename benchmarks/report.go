package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/opgen/opgen/runtime"
)

// Markers of the part of docs/performance.md that is written by this program.
const (
	beginMarker = "<!-- measured: begin, written by benchmarks/run -->"
	endMarker   = "<!-- measured: end -->"
)

// report is all that was measured.
type report struct {
	command, date string
	machine       machine
	torch         string // version, or why it is not here
	results       []result
	errors        map[string]*[columns]float64
	paths         []pathResult
	pathsAt       int // elements
	small         []smallResult
	costs         *costs
}

// slower is the ratio from which on a cell counts as slower.
const slower = 1.1

func (r *result) perElement(c column) float64 { return r.ns[c] / float64(r.n) }

// ratio is ours by another column; 0 where that is not there.
func (r *result) ratio(c column) float64 {
	if r.ns[c] == 0 {
		return 0
	}
	return r.ns[ours] / r.ns[c]
}

// text is the line that shows progress.
func (r *result) text() string {
	return fmt.Sprintf("opgen %s ns an element (rounds within %.2f), limit %s, gcc %s (%s), PyTorch %s; by limit %s, gcc %s, PyTorch %s",
		number(r.perElement(ours)), r.spread, number(r.perElement(limit)), number(r.perElement(gcc)), r.best[gcc], number(r.perElement(pytorch)),
		ratioText(r.ratio(limit)), ratioText(r.ratio(gcc)), ratioText(r.ratio(pytorch)))
}

// number has three digits.
func number(v float64) string {
	switch {
	case v == 0:
		return "–"
	case v < 0.0995:
		return fmt.Sprintf("%.4f", v)
	case v < 0.995:
		return fmt.Sprintf("%.3f", v)
	case v < 9.95:
		return fmt.Sprintf("%.2f", v)
	default:
		return fmt.Sprintf("%.1f", v)
	}
}

func ratioText(v float64) string {
	if v == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", v)
}

// marked is a ratio in bold where opgen is slower.
func marked(v float64) string {
	if v > slower {
		return "**" + ratioText(v) + "**"
	}
	return ratioText(v)
}

func title(o *op) string { return strings.ReplaceAll(o.name, "_", " ") }

// markdown is the report as it stands in docs/performance.md.
func (p *report) markdown() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "Command: `%s`, %s.\n\n", p.command, p.date)
	m := &p.machine
	fmt.Fprintf(&b, "| | |\n|---|---|\n| CPU | %s, %d cores, caches %s |\n| system | %s |\n| Go | %s; kernels: %s |\n| gcc | %s, `%s`; the fastest of 256-bit vectors, 512-bit vectors and these unrolled, with threads also with and without OpenMP |\n| PyTorch | %s |\n",
		m.cpu, m.cores, m.caches, m.system, m.goVersion, m.path, m.gcc, m.gccFlags, p.torch)
	p.tables(&b)
	p.verdict(&b)
	p.accuracy(&b)
	p.pathTable(&b)
	p.smallTable(&b)
	p.costTable(&b)
	return b.Bytes()
}

// tables is one table for each size.
func (p *report) tables(b *bytes.Buffer) {
	n := 0
	for i := range p.results {
		r := &p.results[i]
		if r.n/1e4 != n/1e4 || n == 0 {
			n = r.n
			fmt.Fprintf(b, "\n### %s elements\n\nNanoseconds for an element; then opgen's time by that of the others: less than 1 is faster, more than 1.1 is bold.\n\n", size(n))
			b.WriteString("| op | threads | opgen | memory limit | gcc | PyTorch | by limit | by gcc | by PyTorch |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
		}
		fmt.Fprintf(b, "| %s | %d | %s | %s | %s | %s | %s | %s | %s |\n", title(r.op), r.threads,
			number(r.perElement(ours)), number(r.perElement(limit)), number(r.perElement(gcc)), number(r.perElement(pytorch)),
			ratioText(r.ratio(limit)), marked(r.ratio(gcc)), marked(r.ratio(pytorch)))
	}
}

func size(n int) string {
	switch {
	case n%(1<<10) == 0 && n < 1<<20:
		return fmt.Sprintf("%dK (%d)", n>>10, n)
	default:
		return fmt.Sprint(n)
	}
}

// verdict counts the cells where opgen is slower.
func (p *report) verdict(b *bytes.Buffer) {
	b.WriteString("\n### Where opgen is slower\n\n")
	for _, c := range []struct {
		column column
		name   string
	}{{gcc, "gcc"}, {pytorch, "PyTorch"}} {
		var sizes []string
		total, cells := 0, 0
		for i := 0; i < len(p.results); {
			n, slow := p.results[i].n, 0
			j := i
			for ; j < len(p.results) && p.results[j].n/1e4 == n/1e4; j++ {
				if v := p.results[j].ratio(c.column); v != 0 {
					cells++
					if v > slower {
						slow++
					}
				}
			}
			total += slow
			sizes = append(sizes, fmt.Sprintf("%d of %d with %s elements", slow, j-i, size(n)))
			i = j
		}
		if cells > 0 {
			fmt.Fprintf(b, "- More than %.1f × the time of %s in %d of %d cells: %s.\n", slower, c.name, total, cells, strings.Join(sizes, ", "))
		}
	}
}

// accuracy is how far each contestant was from float64 in the check before the timing.
func (p *report) accuracy(b *bytes.Buffer) {
	b.WriteString("\n### Accuracy\n\nThe greatest difference from the formula in float64 over all sizes, relative to the largest value of the output.\n\n")
	b.WriteString("| op | opgen | gcc | PyTorch |\n|---|--:|--:|--:|\n")
	for i := range ops {
		if e := p.errors[ops[i].name]; e != nil {
			fmt.Fprintf(b, "| %s | %.1e | %.1e | %s |\n", title(&ops[i]), e[ours], e[gcc], exponent(e[pytorch]))
		}
	}
}

func exponent(v float64) string {
	if v == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1e", v)
}

func (p *report) pathTable(b *bytes.Buffer) {
	if len(p.paths) == 0 {
		return
	}
	fmt.Fprintf(b, "\n### Portable Go, AVX2, AVX-512\n\nNanoseconds for an element of %s, one thread; what OPGEN_CPU=generic, avx2 and avx512 choose.\n\n", size(p.pathsAt))
	b.WriteString("| op | generic | avx2 | avx512 |\n|---|--:|--:|--:|\n")
	for _, r := range p.paths {
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", title(r.op), number(r.ns[runtime.Generic]), number(r.ns[runtime.AVX2]), number(r.ns[runtime.AVX512]))
	}
}

func (p *report) smallTable(b *bytes.Buffer) {
	if len(p.small) == 0 {
		return
	}
	fmt.Fprintf(b, "\n### Small calls\n\nOne `…Into` call with %d elements: checks, attributes, kernel.\n\n| op | ns | allocations |\n|---|--:|--:|\n", smallSize)
	for _, r := range p.small {
		fmt.Fprintf(b, "| %s | %.0f | %g |\n", title(r.op), r.ns, r.allocs)
	}
}

func (p *report) costTable(b *bytes.Buffer) {
	c := p.costs
	if c == nil {
		return
	}
	b.WriteString("\n### Generating and building\n\n")
	fmt.Fprintf(b, "- `opgen generate ./specs/...`, the whole process, all targets: %d ms.\n", c.generate.Milliseconds())
	if c.empty > 0 {
		fmt.Fprintf(b, "- `go build ./gen/...` with an empty build cache: %.1f s; where the standard library and package runtime are built: %.1f s.\n", c.empty.Seconds(), c.build.Seconds())
	}
	b.WriteString("\nLines of the generated packages:\n\n| package | ops |")
	rule := "|---|--:|"
	for _, k := range kinds {
		fmt.Fprintf(b, " %s |", k.name)
		rule += "--:|"
	}
	fmt.Fprintf(b, " all, for an op |\n%s--:|\n", rule)
	for _, g := range c.packages {
		fmt.Fprintf(b, "| %s | %d |", g.name, g.ops)
		sum := 0
		for _, k := range kinds {
			fmt.Fprintf(b, " %d |", g.lines[k.name])
			sum += g.lines[k.name]
		}
		fmt.Fprintf(b, " %d |\n", sum/max(1, g.ops))
	}
}

// writeInto replaces the part of a file between the markers.
func writeInto(file string, text []byte) error {
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, ok := bytes.Cut(old, []byte(beginMarker))
	_, after, ok2 := bytes.Cut(rest, []byte(endMarker))
	if !ok || !ok2 {
		return fmt.Errorf("%s: no markers %q and %q", file, beginMarker, endMarker)
	}
	return os.WriteFile(file, []byte(string(before)+beginMarker+"\n\n"+string(text)+"\n"+endMarker+string(after)), 0o666)
}
