package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/opgen/opgen/codegen"
)

// watchInterval is the time between looks at the files. Looking works on every file system and with every editor; what it
// costs is reading some text.
const watchInterval = 300 * time.Millisecond

// watch runs once, and again whenever the text of a spec changed, until the context ends or the user interrupts.
func watch(e *env, once func() error, sources func() ([]codegen.Source, error)) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var last [sha256.Size]byte
	var lastErr string
	for first := true; ; first = false {
		sum, err := state(sources)
		switch {
		case err != nil && err.Error() != lastErr: // a folder may be away for a moment
			lastErr = err.Error()
			fmt.Fprintln(e.stderr, "opgen:", err)
		case err == nil && (first || sum != last || lastErr != ""):
			last, lastErr = sum, ""
			began := time.Now()
			switch err := once(); err {
			case nil:
				fmt.Fprintf(e.stderr, "opgen: up to date (%v); waiting for changes\n", time.Since(began).Round(time.Millisecond))
			case errFindings:
				fmt.Fprintln(e.stderr, "opgen: waiting for changes")
			default:
				fmt.Fprintf(e.stderr, "opgen: %v\nopgen: waiting for changes\n", err)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(watchInterval):
		}
	}
}

// state is a digest of the names and texts of all specs, and of those that they import.
func state(sources func() ([]codegen.Source, error)) ([sha256.Size]byte, error) {
	list, err := sources()
	if err != nil {
		return [sha256.Size]byte{}, err
	}
	h := sha256.New()
	for _, s := range list {
		for _, f := range s.Texts() {
			fmt.Fprintf(h, "%q %d\n", f.Name, len(f.Data))
			h.Write(f.Data)
		}
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}
