// Package diag holds places in source files and the messages that point at them.
//
// Every message opgen prints about a file is a Diagnostic: the place is attached where the fault is known
// and kept until it is printed. A List collects all of them, so that one run shows all errors, in order.
package diag

// Pos is a place in a file: a byte offset, and the line and column (both from 1, columns counted in runes).
type Pos struct {
	File      string
	Offset    int
	Line, Col int
}

// IsValid tells whether the position names a place.
func (p Pos) IsValid() bool { return p.Line > 0 }

// Span is the text from Start up to, not including, End.
type Span struct{ Start, End Pos }

// Severity orders diagnostics by how much they matter.
type Severity uint8

const (
	Error Severity = iota
	Warning
)

// Note is a second place that a diagnostic refers to.
type Note struct {
	Span    Span
	Message string
}

// Diagnostic is one message about one place.
type Diagnostic struct {
	Severity Severity
	Code     string // stable, such as "name-unknown"; see docs/errors.md
	Span     Span
	Message  string
	Hint     string // "did you mean …?", or what to write instead; may be empty
	Notes    []Note
}

// List collects diagnostics. The zero List is ready for use.
type List struct{ All []Diagnostic }

// Add appends a diagnostic.
func (l *List) Add(d Diagnostic) { l.All = append(l.All, d) }
