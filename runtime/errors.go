package runtime

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Kinds of errors, for errors.Is. An *[ArgError] wraps one of them.
var (
	ErrShape   = errors.New("wrong shape")
	ErrDType   = errors.New("wrong dtype")
	ErrDevice  = errors.New("wrong device")
	ErrAttr    = errors.New("wrong attribute")
	ErrAlias   = errors.New("overlapping memory")
	ErrIndex   = errors.New("index out of range")
	ErrValue   = errors.New("wrong value")
	ErrVersion = errors.New("tensor was changed after it was saved for the gradient")
	ErrNil     = errors.New("tensor is missing")
	ErrClosed  = errors.New("tensor was released")
	ErrGrad    = errors.New("no gradient")
	ErrName    = errors.New("wrong name")
	ErrCPU     = errors.New("wrong CPU path")
)

// ArgError is an error in one argument of a call.
type ArgError struct {
	Op   string // "loss.smooth_l1"
	Arg  string // the parameter, as the op names it; "" where no single one is meant
	Want string
	Got  string
	// Text is a sentence of the op's own. Error says it in place of argument, kind and what was wanted.
	Text string
	Err  error // one of ErrShape, ErrDType, …
}

// Error is one line: op, argument, what was wanted, what came.
func (e *ArgError) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	b.WriteString(": ")
	if e.Text != "" {
		b.WriteString(e.Text)
		if e.Got != "" {
			b.WriteString(" (got " + e.Got + ")")
		}
		return b.String()
	}
	if e.Arg != "" {
		b.WriteString(e.Arg)
		b.WriteString(": ")
	}
	b.WriteString(e.Err.Error())
	if e.Want != "" {
		b.WriteString(": want ")
		b.WriteString(e.Want)
	}
	if e.Got != "" {
		if e.Want == "" {
			b.WriteString(":")
		} else {
			b.WriteString(",")
		}
		b.WriteString(" got ")
		b.WriteString(e.Got)
	}
	return b.String()
}

// Unwrap is the kind of e.
func (e *ArgError) Unwrap() error { return e.Err }

// Must is v, or a panic where err is set. For programs that chain calls and may stop.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// AttrError is the error of an attribute that breaks a condition of its op: want says the condition.
//
//go:noinline
func AttrError(op, attr, want string, got any) error {
	return &ArgError{Op: op, Arg: attr, Want: want, Got: fmt.Sprint(got), Err: ErrAttr}
}

// RequireError is the error of a requirement that has a text of its own. kind is what it is about: ErrAttr, with the
// attribute and its value, ErrShape or ErrValue.
//
//go:noinline
func RequireError(op, arg, text string, kind error, got ...any) error {
	return &ArgError{Op: op, Arg: arg, Text: text, Got: strings.TrimSuffix(fmt.Sprintln(got...), "\n"), Err: kind}
}

// missingTensor is the error of a method of a tensor that isn't there.
func missingTensor(op string) error {
	return &ArgError{Op: op, Arg: "t", Want: "a tensor", Got: "nil", Err: ErrNil}
}

// missing is the error of a method on nil or on the zero value.
func (t *Tensor) missing(op string) error {
	if t == nil {
		return missingTensor(op)
	}
	return &ArgError{Op: op, Arg: "t", Want: "a tensor", Got: "the zero value", Err: ErrNil}
}

// shapeString writes a shape as "[2 3]".
func shapeString(shape []int) string {
	b := []byte{'['}
	for i, e := range shape {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendInt(b, int64(e), 10)
	}
	return string(append(b, ']'))
}
