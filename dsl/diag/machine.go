package diag

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// WriteText writes the list for tools: one line for each diagnostic, as String gives it.
func (l *List) WriteText(w io.Writer) error {
	for i := range l.All {
		if _, err := fmt.Fprintln(w, l.All[i].String()); err != nil {
			return err
		}
	}
	return nil
}

// The form of a diagnostic in JSON.
type (
	jsonSpan struct {
		File      string `json:"file"`
		Offset    int    `json:"offset"`
		Line      int    `json:"line"`
		Column    int    `json:"column"`
		EndOffset int    `json:"endOffset"`
		EndLine   int    `json:"endLine"`
		EndColumn int    `json:"endColumn"`
	}
	jsonNote struct {
		jsonSpan
		Message string `json:"message"`
	}
	jsonDiagnostic struct {
		jsonSpan
		Severity string     `json:"severity"`
		Code     string     `json:"code,omitempty"`
		Message  string     `json:"message"`
		Hint     string     `json:"hint,omitempty"`
		Notes    []jsonNote `json:"notes,omitempty"`
	}
)

func spanToJSON(s Span) jsonSpan {
	return jsonSpan{s.Start.File, s.Start.Offset, s.Start.Line, s.Start.Col, s.End.Offset, s.End.Line, s.End.Col}
}

// WriteJSON writes the list as an array of objects; offsets count bytes from 0, lines and columns count from 1.
func (l *List) WriteJSON(w io.Writer) error {
	out := make([]jsonDiagnostic, 0, len(l.All))
	for _, d := range l.All {
		j := jsonDiagnostic{jsonSpan: spanToJSON(d.Span), Severity: d.Severity.String(), Code: d.Code, Message: d.Message, Hint: d.Hint}
		for _, n := range d.Notes {
			j.Notes = append(j.Notes, jsonNote{spanToJSON(n.Span), n.Message})
		}
		out = append(out, j)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

// escapes for the commands that a GitHub workflow reads from its log: of the message, and of a property.
var (
	githubText     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// WriteGitHub writes the list as workflow commands, which GitHub shows beside the lines of a change.
func (l *List) WriteGitHub(w io.Writer) error {
	for _, d := range l.All {
		message := d.Message
		if d.Hint != "" {
			message += "\n" + d.Hint
		}
		at := d.Span
		_, err := fmt.Fprintf(w, "::%s file=%s,line=%d,col=%d,endLine=%d,endColumn=%d,title=%s::%s\n", d.Severity,
			githubProperty.Replace(at.Start.File), at.Start.Line, at.Start.Col, at.End.Line, at.End.Col,
			githubProperty.Replace(d.Code), githubText.Replace(message))
		if err != nil {
			return err
		}
	}
	return nil
}
