package emit

import (
	"bytes"
	"strings"
)

// IsGenerated tells whether the text of a file is opgen's: its first line says so.
func IsGenerated(text []byte) bool {
	_, is := Source(text)
	return is
}

// Source is the spec that the first line of a generated file names.
func Source(text []byte) (string, bool) {
	first, _, _ := bytes.Cut(text, []byte("\n"))
	before, after, _ := strings.Cut(Header("\x00"), "\x00")
	_, rest, is := strings.Cut(string(first), before)
	source, _, ends := strings.Cut(rest, after)
	if !is || !ends {
		return "", false
	}
	return source, true
}
