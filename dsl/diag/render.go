package diag

import (
	"fmt"
	"io"
	"strings"
	"unicode"
)

// tabWidth is how many columns a tab fills up to, when a source line is shown.
const tabWidth = 4

// The colours of a terminal, by what is coloured.
const (
	plain   = "\x1b[0m"
	bold    = "\x1b[1m"
	red     = "\x1b[1;31m"
	magenta = "\x1b[1;35m"
	cyan    = "\x1b[1;36m"
	green   = "\x1b[1;32m"
)

// Render writes the list for people: for each diagnostic the place and message, the line of source with a mark under
// the very words, the hint, and the notes in the same form. Sources holds the text of the files by name; a file that
// it lacks is shown without its line.
func (l *List) Render(w io.Writer, sources map[string][]byte, color bool) error {
	r := renderer{lines: map[string][]string{}, sources: sources, color: color}
	for i := range l.All {
		if i > 0 {
			r.out.WriteByte('\n')
		}
		r.diagnostic(&l.All[i])
	}
	_, err := io.WriteString(w, r.out.String())
	return err
}

// Format is Render without colour, as a string.
func (l *List) Format(sources map[string][]byte) string {
	var b strings.Builder
	if err := l.Render(&b, sources, false); err != nil {
		return err.Error()
	}
	return b.String()
}

type renderer struct {
	out     strings.Builder
	sources map[string][]byte
	lines   map[string][]string
	color   bool
}

func (r *renderer) paint(color, text string) string {
	if !r.color || text == "" {
		return text
	}
	return color + text + plain
}

func (r *renderer) diagnostic(d *Diagnostic) {
	color := red
	if d.Severity == Warning {
		color = magenta
	}
	code := ""
	if d.Code != "" {
		code = " [" + d.Code + "]"
	}
	r.head(d.Span.Start, color, d.Severity.String(), d.Message, code)
	margin := r.source(d.Span, color)
	if d.Hint != "" {
		fmt.Fprintf(&r.out, "%s = %s %s\n", margin, r.paint(green, "hint:"), d.Hint)
	}
	for _, n := range d.Notes {
		r.head(n.Span.Start, cyan, "note", n.Message, "")
		r.source(n.Span, cyan)
	}
}

func (r *renderer) head(at Pos, color, kind, message, code string) {
	if place := at.String(); place != "" {
		r.out.WriteString(r.paint(bold, place+":") + " ")
	}
	r.out.WriteString(r.paint(color, kind+":") + " " + r.paint(bold, message) + code + "\n")
}

// source shows the line of a span and marks the span. It gives the blanks that what follows is to be indented by.
func (r *renderer) source(at Span, color string) (margin string) {
	line, known := r.line(at.Start)
	if !known {
		return "  "
	}
	number := fmt.Sprint(at.Start.Line)
	margin = strings.Repeat(" ", len(number)+1)
	last := at.Start.Col + 1
	if at.End.Line == at.Start.Line {
		last = max(last, at.End.Col)
	} else if at.End.Line > at.Start.Line {
		last = len([]rune(line)) + 1
	}
	text, from, to := layOut(line, at.Start.Col, last)
	fmt.Fprintf(&r.out, "%s |\n %s | %s\n", margin, number, text)
	fmt.Fprintf(&r.out, "%s | %s%s\n", margin, strings.Repeat(" ", from), r.paint(color, strings.Repeat("^", max(to-from, 1))))
	return margin
}

// line gives the text of the line that a place is on.
func (r *renderer) line(at Pos) (string, bool) {
	src, ok := r.sources[at.File]
	if !ok || !at.IsValid() {
		return "", false
	}
	lines, ok := r.lines[at.File]
	if !ok {
		lines = strings.Split(strings.TrimPrefix(string(src), "\uFEFF"), "\n")
		r.lines[at.File] = lines
	}
	if at.Line > len(lines) {
		return "", false
	}
	return strings.TrimSuffix(lines[at.Line-1], "\r"), true
}

// layOut gives a line as it is shown, tabs and control characters replaced, and the columns on the screen at which
// the runes from one column up to another begin and end (both counted from 1).
func layOut(line string, first, last int) (shown string, from, to int) {
	var b strings.Builder
	width, col := 0, 1
	from, to = -1, -1
	mark := func() {
		if col == first {
			from = width
		}
		if col == last {
			to = width
		}
	}
	for _, c := range line {
		mark()
		switch {
		case c == '\t':
			n := tabWidth - width%tabWidth
			b.WriteString(strings.Repeat(" ", n))
			width += n
		case unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c):
			b.WriteRune(unicode.ReplacementChar)
			width++
		default:
			b.WriteRune(c)
			width += runeWidth(c)
		}
		col++
	}
	mark()
	if from < 0 {
		from = width
	}
	if to < 0 {
		to = width
	}
	return b.String(), from, to
}

// wide holds the characters that fill two columns (East Asian Width W and F, and pictographs).
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115F, Stride: 1}, {Lo: 0x231A, Hi: 0x231B, Stride: 1}, {Lo: 0x2329, Hi: 0x232A, Stride: 1},
		{Lo: 0x23E9, Hi: 0x23EC, Stride: 1}, {Lo: 0x2E80, Hi: 0x303E, Stride: 1}, {Lo: 0x3041, Hi: 0x33FF, Stride: 1},
		{Lo: 0x3400, Hi: 0x4DBF, Stride: 1}, {Lo: 0x4E00, Hi: 0x9FFF, Stride: 1}, {Lo: 0xA000, Hi: 0xA4CF, Stride: 1},
		{Lo: 0xA960, Hi: 0xA97F, Stride: 1}, {Lo: 0xAC00, Hi: 0xD7A3, Stride: 1}, {Lo: 0xF900, Hi: 0xFAFF, Stride: 1},
		{Lo: 0xFE30, Hi: 0xFE6F, Stride: 1}, {Lo: 0xFF01, Hi: 0xFF60, Stride: 1}, {Lo: 0xFFE0, Hi: 0xFFE6, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x16FE0, Hi: 0x18AFF, Stride: 1}, {Lo: 0x1B000, Hi: 0x1B2FF, Stride: 1}, {Lo: 0x1F300, Hi: 0x1F64F, Stride: 1},
		{Lo: 0x1F680, Hi: 0x1F6FF, Stride: 1}, {Lo: 0x1F900, Hi: 0x1F9FF, Stride: 1}, {Lo: 0x20000, Hi: 0x3FFFD, Stride: 1},
	},
}

// runeWidth is how many columns a character fills.
func runeWidth(c rune) int {
	switch {
	case unicode.In(c, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.Is(wide, c):
		return 2
	}
	return 1
}
