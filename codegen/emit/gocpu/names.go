package gocpu

import (
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// predeclared are the names of Go's universe and of what generated files import: no variable may hide them.
var predeclared = strings.Fields(`
	any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string
	uint uint8 uint16 uint32 uint64 uintptr true false iota nil append cap clear close complex copy delete imag len
	make max min new panic print println real recover
	math runtime unsafe`)

// namer hands out names that are valid in Go and unique within one function. A name that is taken has the number to try after it.
type namer map[string]int

// newNamer reserves the predeclared names and those given.
func newNamer(reserved ...string) namer {
	n := namer{}
	n.take(predeclared...)
	n.take(reserved...)
	return n
}

// take reserves names.
func (n namer) take(names ...string) {
	for _, s := range names {
		n[s] = max(2, n[s])
	}
}

// name is a name as near to want as can be.
func (n namer) name(want string) string {
	base := identifier(want)
	sep := ""
	if last := rune(base[len(base)-1]); unicode.IsDigit(last) {
		sep = "_"
	}
	s := base
	for i := max(2, n[base]); n[s] > 0 || token.IsKeyword(s); i++ {
		s = base + sep + strconv.Itoa(i)
		n[base] = i + 1
	}
	n.take(s)
	return s
}

// identifier turns the name of a value of a spec to a Go identifier: @y is dy, p' is pNew, snake case becomes
// camel case.
func identifier(s string) string {
	if rest, ok := strings.CutPrefix(s, "@"); ok {
		s = "d" + rest
	}
	if rest, ok := strings.CutSuffix(s, "'"); ok {
		s = rest + "New"
	}
	var b strings.Builder
	up := false
	for _, c := range s {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			up = b.Len() > 0
		case b.Len() == 0 && unicode.IsDigit(c):
			b.WriteByte('v')
			b.WriteRune(c)
		case up:
			b.WriteRune(unicode.ToUpper(c))
			up = false
		case b.Len() == 0:
			b.WriteRune(unicode.ToLower(c))
		default:
			b.WriteRune(c)
		}
	}
	if b.Len() == 0 {
		return "v"
	}
	return b.String()
}

// suffix is a part of names near to want. Unlike name it doesn't care for what Go reserves.
func (n namer) suffix(want string) string {
	s := want
	for i := n[want]; n[s] > 0; i++ {
		s = want + strconv.Itoa(i)
		n[want] = i + 1
	}
	n.take(s)
	return s
}

// lowName begins the names of an op that aren't exported. Where it begins those of another op too, as f does those of f_none, an underscore
// sets it apart, which no name has within: f_NoneRun is not fNoneRun.
func (f *fileGen) lowName(op string) string {
	low := lowerFirst(f.unit.GoName(op))
	if slices.ContainsFunc(f.unit.Siblings, func(s string) bool {
		rest, longer := strings.CutPrefix(lowerFirst(f.unit.GoName(s)), low)
		return longer && rest != "" && !unicode.IsLower(rune(rest[0]))
	}) {
		low += "_"
	}
	return low
}
