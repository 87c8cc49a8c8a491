package emit

import (
	"bytes"
	"strings"
)

// IsGenerated tells whether the text of a file is opgen's: its first line says so.
func IsGenerated(text []byte) bool {
	first, _, _ := bytes.Cut(text, []byte("\n"))
	mark, end, _ := strings.Cut(Header("\x00"), "\x00")
	return bytes.Contains(first, []byte(mark)) && bytes.Contains(first, []byte(end))
}
