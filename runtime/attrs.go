package runtime

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"sort"
	"strings"
)

// AttrReader reads attributes given by name, for calls through the registry. It keeps the first error; Err gives it.
type AttrReader struct {
	op    string
	attrs map[string]any
	read  []string
	err   error
}

// NewAttrReader reads attrs of an op.
func NewAttrReader(op string, attrs map[string]any) *AttrReader {
	return &AttrReader{op: op, attrs: attrs}
}

func (r *AttrReader) get(name string) (any, bool) {
	r.read = append(r.read, name)
	v, ok := r.attrs[name]
	return v, ok && !isNil(v)
}

// isNil reports whether v is nil, or a pointer that is: both stand for the default.
func isNil(v any) bool {
	p := reflect.ValueOf(v)
	return !p.IsValid() || p.Kind() == reflect.Pointer && p.IsNil()
}

func (r *AttrReader) fail(name, want string, got any) {
	if r.err == nil {
		r.err = AttrError(r.op, name, want, fmt.Sprintf("%v (%T)", got, got))
	}
}

// Float is a number, or nil where it isn't given.
func (r *AttrReader) Float(name string) *float64 {
	v, ok := r.get(name)
	if !ok {
		return nil
	}
	f, ok := number(v)
	if !ok {
		r.fail(name, "a number", v)
		return nil
	}
	return &f
}

func number(v any) (float64, bool) {
	switch x := v.(type) {
	case float64:
		return x, true
	case float32:
		return float64(x), true
	case *float64:
		return *x, true
	}
	switch n := reflect.ValueOf(v); {
	case n.CanInt():
		return float64(n.Int()), true
	case n.CanUint():
		return float64(n.Uint()), true
	}
	return 0, false
}

// NeedFloat is a number that must be given.
func (r *AttrReader) NeedFloat(name string) float64 {
	if isNil(r.attrs[name]) {
		r.read = append(r.read, name)
		r.missing(name, "a number")
		return 0
	}
	if f := r.Float(name); f != nil {
		return *f
	}
	return 0
}

// NeedInt is a whole number that must be given.
func (r *AttrReader) NeedInt(name string) int {
	if isNil(r.attrs[name]) {
		r.read = append(r.read, name)
		r.missing(name, "a whole number")
		return 0
	}
	if n := r.Int(name); n != nil {
		return *n
	}
	return 0
}

func (r *AttrReader) missing(name, want string) {
	if r.err == nil {
		r.err = AttrError(r.op, name, want, "nothing")
	}
}

// Int is a whole number, or nil where it isn't given.
func (r *AttrReader) Int(name string) *int {
	v, ok := r.get(name)
	if !ok {
		return nil
	}
	if n, ok := whole(v); ok {
		return &n
	}
	r.fail(name, "a whole number", v)
	return nil
}

func whole(v any) (int, bool) {
	switch x := v.(type) {
	case int:
		return x, true
	case float64: // as JSON has it
		if x == math.Trunc(x) && math.Abs(x) <= min(1<<53, math.MaxInt) {
			return int(x), true
		}
		return 0, false
	case *int:
		return *x, true
	}
	switch n := reflect.ValueOf(v); {
	case n.CanInt():
		return int(n.Int()), int64(int(n.Int())) == n.Int()
	case n.CanUint():
		return int(n.Uint()), n.Uint() <= math.MaxInt
	}
	return 0, false
}

// Ints is a list of whole numbers (one number is a list of one), or nil where it isn't given.
func (r *AttrReader) Ints(name string) []int {
	v, ok := r.get(name)
	if !ok {
		return nil
	}
	switch x := v.(type) {
	case []int:
		return x
	case []any:
		list := make([]int, 0, len(x))
		for _, e := range x {
			n, ok := whole(e)
			if !ok {
				r.fail(name, "whole numbers", v)
				return nil
			}
			list = append(list, n)
		}
		return list
	}
	if n, ok := whole(v); ok {
		return []int{n}
	}
	r.fail(name, "whole numbers", v)
	return nil
}

// Floats is a list of numbers (one number is a list of one), or nil where it isn't given.
func (r *AttrReader) Floats(name string) []float64 {
	v, ok := r.get(name)
	if !ok {
		return nil
	}
	switch x := v.(type) {
	case []float64:
		return x
	case []int:
		list := make([]float64, len(x))
		for i, n := range x {
			list[i] = float64(n)
		}
		return list
	case []any:
		list := make([]float64, 0, len(x))
		for _, e := range x {
			f, ok := number(e)
			if !ok {
				r.fail(name, "numbers", v)
				return nil
			}
			list = append(list, f)
		}
		return list
	}
	if f, ok := number(v); ok {
		return []float64{f}
	}
	r.fail(name, "numbers", v)
	return nil
}

// Seed is the seed of random numbers, or nil where it isn't given. A whole number is the key of one.
func (r *AttrReader) Seed(name string) *Seed {
	v, ok := r.get(name)
	if !ok {
		return nil
	}
	switch x := v.(type) {
	case Seed:
		return &x
	case *Seed:
		return x
	case uint64:
		return &Seed{Key: x}
	}
	if n, ok := whole(v); ok {
		return &Seed{Key: uint64(n)}
	}
	if f, ok := number(v); ok && f == math.Trunc(f) && math.Abs(f) <= 1<<53 { // as JSON has it
		return &Seed{Key: uint64(int64(f))}
	}
	r.fail(name, "a seed, or a whole number", v)
	return nil
}

// Axes is a list of axes, or all of them: the word "all".
func (r *AttrReader) Axes(name string) (axes []int, all bool) {
	if r.attrs[name] == "all" {
		r.read = append(r.read, name)
		return nil, true
	}
	return r.Ints(name), false
}

// Bool is a truth value, or nil where it isn't given.
func (r *AttrReader) Bool(name string) *bool {
	v, ok := r.get(name)
	if !ok {
		return nil
	}
	switch x := v.(type) {
	case bool:
		return &x
	case *bool:
		return x
	}
	r.fail(name, "true or false", v)
	return nil
}

// Enum is the number of a word, from 1, or 0 where it isn't given. A value with a String method may stand for its word.
func (r *AttrReader) Enum(name string, words ...string) uint8 {
	v, ok := r.get(name)
	if !ok {
		return 0
	}
	if n := reflect.ValueOf(v); n.Kind() == reflect.Uint8 && n.IsZero() {
		return 0 // of an enum of generated code: its default
	}
	word, ok := v.(string)
	if s, is := v.(fmt.Stringer); is {
		word, ok = s.String(), true
	}
	i := slices.Index(words, word)
	if !ok || i < 0 {
		r.fail(name, strings.Join(words, " or "), v)
		return 0
	}
	return uint8(i + 1)
}

// Err is the first error. Names that were not asked for are one.
func (r *AttrReader) Err() error {
	if r.err != nil {
		return r.err
	}
	var names []string
	for name := range r.attrs {
		if !slices.Contains(r.read, name) {
			names = append(names, name)
		}
	}
	if names == nil {
		return nil
	}
	sort.Strings(names)
	want := "no attributes"
	if len(r.read) > 0 {
		want = "attributes " + strings.Join(r.read, ", ")
	}
	return AttrError(r.op, names[0], want, names[0])
}
