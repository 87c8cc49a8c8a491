package diag

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// String names the severity as messages do.
func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// String is file:line:col, or what of it is known.
func (p Pos) String() string {
	switch {
	case !p.IsValid():
		return p.File
	case p.File == "":
		return fmt.Sprintf("%d:%d", p.Line, p.Col)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// String is the message on one line: file:line:col: error: message [code].
func (d Diagnostic) String() string {
	var b strings.Builder
	writeHead(&b, d.Span.Start, d.Severity.String(), d.Message)
	if d.Code != "" {
		fmt.Fprintf(&b, " [%s]", d.Code)
	}
	return b.String()
}

func writeHead(b *strings.Builder, at Pos, kind, message string) {
	if place := at.String(); place != "" {
		b.WriteString(place + ": ")
	}
	b.WriteString(kind + ": " + message)
}

// Errorf adds an error. The result is for setting the hint and notes at once; it isn't valid behind the next addition.
func (l *List) Errorf(at Span, code, format string, args ...any) *Diagnostic {
	return l.addf(Error, at, code, format, args)
}

// Warnf adds a warning, as Errorf does an error.
func (l *List) Warnf(at Span, code, format string, args ...any) *Diagnostic {
	return l.addf(Warning, at, code, format, args)
}

func (l *List) addf(severity Severity, at Span, code, format string, args []any) *Diagnostic {
	l.Add(Diagnostic{Severity: severity, Code: code, Span: at, Message: fmt.Sprintf(format, args...)})
	return &l.All[len(l.All)-1]
}

// WithHint sets the hint.
func (d *Diagnostic) WithHint(format string, args ...any) *Diagnostic {
	d.Hint = fmt.Sprintf(format, args...)
	return d
}

// WithNote adds a second place.
func (d *Diagnostic) WithNote(at Span, format string, args ...any) *Diagnostic {
	d.Notes = append(d.Notes, Note{Span: at, Message: fmt.Sprintf(format, args...)})
	return d
}

// Append adds all diagnostics of another list; nil adds none.
func (l *List) Append(other *List) {
	if other != nil {
		l.All = append(l.All, other.All...)
	}
}

// Sort orders by file and place; what stands at one place keeps its order.
func (l *List) Sort() {
	slices.SortStableFunc(l.All, func(a, b Diagnostic) int {
		if c := strings.Compare(a.Span.Start.File, b.Span.Start.File); c != 0 {
			return c
		}
		return a.Span.Start.Offset - b.Span.Start.Offset
	})
}

// Count tells how many diagnostics have the severity.
func (l *List) Count(severity Severity) int {
	n := 0
	if l != nil {
		for i := range l.All {
			if l.All[i].Severity == severity {
				n++
			}
		}
	}
	return n
}

// HasErrors tells whether any diagnostic is more than a warning.
func (l *List) HasErrors() bool { return l.Count(Error) > 0 }

// Err gives the errors of the list as one error whose text has a line for each; nil if there are none.
func (l *List) Err() error {
	if !l.HasErrors() {
		return nil
	}
	lines := make([]string, 0, len(l.All))
	for i := range l.All {
		if l.All[i].Severity == Error {
			lines = append(lines, l.All[i].String())
		}
	}
	return errors.New(strings.Join(lines, "\n"))
}
