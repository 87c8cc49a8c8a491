package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

type versionCmd struct{}

// Help is shown below the flags.
func (versionCmd) Help() string {
	return `Prints the version of opgen, that of Go, and the platform. Generated code needs the runtime of the same version.

  opgen version`
}

func (versionCmd) Run(e *env) error {
	version := "(unknown)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	_, err := fmt.Fprintf(e.stdout, "opgen %s %s %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
