package randspec_test

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
	"github.com/opgen/opgen/dsl"
)

// checkText checks the formatter.
func checkText(text string) error {
	f, diags := dsl.Parse("p.op", []byte(text))
	if diags.HasErrors() {
		return found("parse", "%v", diags.Err())
	}
	out := dsl.Format(f)
	g, diags := dsl.Parse("p.op", out)
	if diags.HasErrors() {
		return found("format", "what was formatted doesn't parse: %v\n%s", diags.Err(), out)
	}
	if again := dsl.Format(g); !bytes.Equal(again, out) {
		return found("format", "formatting again changes the text:\n%s\n%s", out, again)
	}
	var was, is strings.Builder
	outline(&was, reflect.ValueOf(f))
	outline(&is, reflect.ValueOf(g))
	if was.String() != is.String() {
		return found("format", "formatting changes the tree:\n%s\n%s", was.String(), is.String())
	}
	return nil
}

// outline writes a tree without places.
func outline(b *strings.Builder, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			b.WriteByte('-')
			return
		}
		b.WriteString(v.Elem().Type().Name())
		outline(b, v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			b.WriteByte(' ')
			outline(b, v.Index(i))
		}
	case reflect.Struct:
		b.WriteByte('{')
		for i := range v.NumField() {
			switch v.Type().Field(i).Name {
			case "Span", "OpAt", "Source", "Comments":
			default:
				outline(b, v.Field(i))
				b.WriteByte(',')
			}
		}
		b.WriteByte('}')
	default:
		fmt.Fprint(b, v)
	}
}

// checkPrinted checks that a function can be read back from its text.
func checkPrinted(f *ir.Func) error {
	if f == nil {
		return nil
	}
	text := f.Text()
	g, err := ir.Parse(text)
	if err != nil {
		return found("printed", "%v\n%s", err, text)
	}
	if again := g.Text(); again != text {
		return found("printed", "what is read back is printed as\n%s\nand was\n%s", again, text)
	}
	if err := ir.Verify(g); err != nil {
		return found("printed", "what is read back: %v\n%s", err, text)
	}
	return nil
}
