package lint

import (
	"slices"
	"strings"

	"github.com/opgen/opgen/dsl"
	"github.com/opgen/opgen/dsl/diag"
)

// IgnorePrefix begins a comment that silences warnings in the line of the comment, or in the line below where it stands alone:
//
//	y = log(1 + x) // opgen:ignore lint-log1p
const IgnorePrefix = "opgen:ignore"

// ignore is one such comment.
type ignore struct {
	comment dsl.Comment
	line    int // that is silenced
	codes   []string
	used    map[string]bool
}

// Silence leaves out the warnings that comments of the files silence, and warns of comments that silence nothing.
func Silence(files []*dsl.File, list []diag.Diagnostic) []diag.Diagnostic {
	by := map[string][]*ignore{}
	for _, f := range files {
		for k, c := range f.Comments {
			if rest, is := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(c.Text, "//")), IgnorePrefix); is {
				by[f.Name] = append(by[f.Name], &ignore{c, silencedLine(f.Comments[k:]), strings.FieldsFunc(rest, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' }), map[string]bool{}})
			}
		}
	}
	var kept diag.List
	for _, d := range list {
		silent := false
		for _, i := range by[d.Span.Start.File] {
			if d.Severity == diag.Warning && i.covers(d) {
				i.used[d.Code], silent = true, true
			}
		}
		if !silent {
			kept.Add(d)
		}
	}
	for _, f := range files {
		for _, i := range by[f.Name] {
			switch unused := i.unused(); {
			case len(i.codes) == 0:
				kept.Warnf(i.comment.Span, "lint-ignore", "this comment names no code").WithHint("write // %s CODE", IgnorePrefix)
			case len(unused) > 0:
				kept.Warnf(i.comment.Span, "lint-ignore", "nothing here draws %s", strings.Join(unused, ", ")).WithHint("leave the code out")
			}
		}
	}
	return kept.All
}

// silencedLine is the line of the first comment, or the one below where it and those that follow stand alone.
func silencedLine(list []dsl.Comment) int {
	line := list[0].Span.Start.Line
	if list[0].Trailing {
		return line
	}
	for _, c := range list {
		if c.Trailing || c.Span.Start.Line != line {
			break
		}
		line++
	}
	return line
}

// covers tells whether a diagnostic begins in the line that the comment silences.
func (i *ignore) covers(d diag.Diagnostic) bool {
	return d.Span.Start.Line == i.line && slices.Contains(i.codes, d.Code)
}

func (i *ignore) unused() []string {
	return slices.DeleteFunc(slices.Clone(i.codes), func(code string) bool { return i.used[code] })
}
