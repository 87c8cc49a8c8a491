package main

import (
	"fmt"
	"io"
	"path/filepath"
)

// progress is a line on a terminal that says how far a run is. It is rewritten in place, and gone when the run ends; where
// there is no terminal there is no line.
type progress struct {
	w         io.Writer // nil: nothing is shown
	at, total int
	drawn     bool
}

// clearLine goes to the start of the line and empties it.
const clearLine = "\r\x1b[K"

// progress starts one for a run of so many packages. One package alone needs none.
func (e *env) progress(total int) *progress {
	p := &progress{total: total}
	if e.terminal && total > 1 {
		p.w = e.stderr
	}
	return p
}

// step says which package is built.
func (p *progress) step(dir string) {
	p.at++
	if p.w != nil {
		fmt.Fprintf(p.w, "%s%d/%d %s", clearLine, p.at, p.total, filepath.Base(dir))
		p.drawn = true
	}
}

// done takes the line away, before anything else is printed and at the end.
func (p *progress) done() {
	if p.drawn {
		fmt.Fprint(p.w, clearLine)
		p.drawn = false
	}
}
