package dsl

import (
	"math"
	"strings"
	"unicode/utf8"
)

const (
	// lineWidth is how long a line may be before the formatter breaks it.
	lineWidth = 120
	// indentWidth is how far each block stands to the right of what is around it.
	indentWidth = 4
	// never is the level of a place where a line ends only for the sake of a comment.
	never = math.MaxInt
)

// piece is a stretch of text with the place before it at which a line may end.
type piece struct {
	text     string
	sep      string // what stands before the text if no line ends there
	level    int    // lines end at the lowest level first
	deep     int    // how many steps the text stands to the right if a line ends there
	forced   bool   // a line ends there, as it did in the source
	comments []Comment
}

func (p *piece) width() int {
	return utf8.RuneCountInString(p.sep) + utf8.RuneCountInString(p.text)
}

// breaks decides before which pieces of a logical line, indented by so many columns, a new line begins.
func breaks(pieces []piece, indent int) []bool {
	broken := make([]bool, len(pieces))
	before := make([]int, len(pieces)+1) // the width of all pieces before one
	for i := range pieces {
		before[i+1] = before[i] + pieces[i].width()
	}
	for from := 0; from < len(pieces); {
		to := from + 1
		for to < len(pieces) && !pieces[to].forced && len(pieces[to].comments) == 0 {
			to++
		}
		fill(pieces, before, broken, from, to, indent)
		if to < len(pieces) {
			broken[to] = true
		}
		from = to
	}
	return broken
}

// fill breaks the pieces from one up to another, between which no line has to end, so that they fit: each line at the
// last of the outermost places that it reaches.
func fill(pieces []piece, before []int, broken []bool, from, to, indent int) {
	for {
		left := indent + pieces[from].deep*indentWidth - before[from] - utf8.RuneCountInString(pieces[from].sep)
		if left+before[to] <= lineWidth {
			return
		}
		best := -1
		for i := from + 1; i < to; i++ {
			if pieces[i].level == never {
				continue
			}
			fits := left+before[i] <= lineWidth
			if best < 0 || fits && pieces[i].level <= pieces[best].level {
				best = i
			}
			if !fits {
				break
			}
		}
		if best < 0 {
			return
		}
		broken[best] = true
		from = best
	}
}

// render writes a logical line as the lines that it makes.
func render(out *strings.Builder, pieces []piece, broken []bool, indent int) {
	for i := range pieces {
		p := &pieces[i]
		if !broken[i] {
			out.WriteString(p.sep)
			out.WriteString(p.text)
			continue
		}
		pad := strings.Repeat(" ", indent+p.deep*indentWidth)
		for j, c := range p.comments {
			if j == 0 && c.Trailing {
				out.WriteString(" " + c.Text)
			} else {
				out.WriteString("\n" + pad + c.Text)
			}
		}
		out.WriteString("\n" + pad + p.text)
	}
}
