package dsl

import (
	"fmt"
	"strings"

	"github.com/opgen/opgen/dsl/diag"
)

// faultOfName says what forbids a word as the name of a value or function; nil: nothing does.
func faultOfName(n Ident) *diag.Diagnostic {
	switch {
	case n.Name == "":
		return nil
	case reserved[n.Name]:
		return &diag.Diagnostic{Code: "reserved-word", Span: n.Span,
			Message: quote(n.Name) + " is a reserved word and can't be a name", Hint: "write " + quote(n.Name+"_value") + ", say"}
	case isUpper(n.Name):
		return &diag.Diagnostic{Code: "name-case", Span: n.Span,
			Message: fmt.Sprintf("the name of a value or function begins with a lower-case letter, not as %s does", quote(n.Name)),
			Hint:    "write " + quote(strings.ToLower(n.Name))}
	}
	return nil
}

// faultOfValue says what else forbids a word as the name of a value.
func faultOfValue(n Ident) *diag.Diagnostic {
	if !reducers[n.Name] {
		return nil
	}
	return &diag.Diagnostic{Code: "reserved-word", Span: n.Span,
		Message: quote(n.Name) + " is a reducer and can't name a value", Hint: "write " + quote(n.Name+"_value") + ", say"}
}

// faultOfUpper says what forbids a word as the name of an axis or dtype variable.
func faultOfUpper(n Ident, what string) *diag.Diagnostic {
	if n.Name == "" || isUpper(n.Name) {
		return nil
	}
	return &diag.Diagnostic{Code: "name-case", Span: n.Span,
		Message: fmt.Sprintf("expected %s, which begins with an upper-case letter, found %s", what, quote(n.Name)),
		Hint:    "write " + quote(strings.ToUpper(n.Name[:1])+n.Name[1:])}
}
