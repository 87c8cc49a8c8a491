// Command opgen is the operator compiler for Go: it turns formulas in .op files into Go, SIMD assembly and CUDA C.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Exit codes.
const (
	exitClean    = 0
	exitFindings = 1 // errors in specs, stale output, failed tests
	exitUsage    = 2
)

// errFindings is returned by a command that has already printed what it found.
var errFindings = errors.New("findings")

// usageError is a command that can't be meant.
type usageError struct{ error }

// env is what commands may use of the outside.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	color          bool
	terminal       bool // stderr is a terminal on which a line may be rewritten
}

type commands struct {
	Generate generateCmd `cmd:"" help:"Write Go, assembly and CUDA C for specs."`
	Check    checkCmd    `cmd:"" help:"Check specs: types, derivatives and their proof."`
	Fmt      fmtCmd      `cmd:"" help:"Bring specs into canonical form."`
	Test     testCmd     `cmd:"" help:"Run the examples of specs and check gradients, on every backend that is here."`
	Explain  explainCmd  `cmd:"" help:"Show how the text of one op becomes kernels, step by step."`
	List     listCmd     `cmd:"" help:"List ops, dtypes, and what is written for each backend."`
	Docs     docsCmd     `cmd:"" help:"Write a page of documentation for each op."`
	New      newCmd      `cmd:"" help:"Write an op to start from."`
	Doctor   doctorCmd   `cmd:"" help:"Tell what was found on this machine, and what it is for."`
	Version  versionCmd  `cmd:"" help:"Print the version."`

	Completion completionCmd `cmd:"" help:"Print a script for completion in a shell."`
	Complete   completeCmd   `cmd:"" hidden:""`
}

func main() {
	debug.SetGCPercent(800) // a run is short; as much as a tenth of it would be collecting with 400, and half with 100
	os.Exit(run(os.Args[1:], env{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, color: colorful(os.Stderr), terminal: colorful(os.Stderr)}))
}

func run(args []string, e env) int {
	var c commands
	exit := -1
	parser, err := kong.New(&c,
		kong.Name("opgen"),
		kong.Description("The operator compiler for Go. A package is a folder of .op files; DIR/... stands for all below.\n\n"+
			"  opgen generate ./specs/...      write code for all packages\n"+
			"  opgen check ./specs/loss        types, derivatives and their proof\n"+
			"  opgen explain loss.smooth_l1    from formula to kernel"),
		kong.Writers(e.stdout, e.stderr),
		kong.Exit(func(code int) { exit = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Bind(&e),
	)
	if err != nil {
		fmt.Fprintln(e.stderr, "opgen:", err)
		return exitUsage
	}
	if len(args) > 0 && args[0] == "help" { // as with the go command
		args = append(slices.Clone(args[1:]), "--help")
	}
	ctx, err := parser.Parse(goFlags(args))
	if exit >= 0 { // --help
		return exit
	}
	if err != nil {
		text := strings.Replace(err.Error(), `one of "",`, "one of ", 1) // a value that stands for none
		fmt.Fprintf(e.stderr, "opgen: %s\nRun 'opgen --help' for usage.\n", text)
		return exitUsage
	}
	switch err := ctx.Run(); {
	case err == nil:
		return exitClean
	case errors.Is(err, errFindings):
		return exitFindings
	case errors.As(err, new(usageError)):
		fmt.Fprintf(e.stderr, "opgen: %v\nRun 'opgen --help' for usage.\n", err)
		return exitUsage
	default:
		fmt.Fprintln(e.stderr, "opgen:", err)
		return exitFindings
	}
}

// goFlags lets flags be written as Go people do: -check is --check.
func goFlags(args []string) []string {
	r := make([]string, len(args))
	for i, a := range args {
		if a == "--" {
			copy(r[i:], args[i:])
			break
		}
		if len(a) > 2 && a[0] == '-' && a[1] != '-' && a[2] != '=' && !strings.ContainsAny(a[1:2], "0123456789.") {
			a = "-" + a
		}
		r[i] = a
	}
	return r
}

// colorful tells whether messages may use color.
func colorful(f *os.File) bool {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" || os.Getenv("TERM") == "" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
