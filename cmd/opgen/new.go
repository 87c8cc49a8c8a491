package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/opgen/opgen/codegen"
	"github.com/opgen/opgen/dsl"
)

type newCmd struct {
	Name string `arg:"" help:"The op, lower-case with underscores, such as soft_clip."`
	Dir  string `arg:"" optional:"" help:"The folder of its package; made if it is not there. The folder here if none is named." default:"."`
}

// Help is shown below the flags.
func (newCmd) Help() string {
	return `Writes DIR/NAME.op, an op to start from that checks, generates and passes its
example, and, unless the folder has one, a Go file with the line

  //go:generate go tool opgen generate

Nothing that exists is changed.

  go get -tool github.com/opgen/opgen/cmd/opgen
  go tool opgen new soft_clip ./ops
  go generate ./ops
  go test ./ops`
}

func (c *newCmd) Run(e *env) error {
	if err := checkOpName(c.Name); err != nil {
		return usageError{err}
	}
	pkg, err := packageName(c.Dir)
	if err != nil {
		return err
	}
	spec, diags := dsl.FormatSource(c.Name+".op", fmt.Appendf(nil, specTemplate, pkg, c.Name))
	if diags.HasErrors() {
		return usageError{fmt.Errorf("%q can't be the name of an op: %v", c.Name, diags.Err())}
	}
	made := []string{filepath.Join(c.Dir, c.Name+".op")}
	texts := [][]byte{spec}
	line, err := hasGenerateLine(c.Dir)
	if err != nil {
		return err
	}
	if !line {
		made = append(made, filepath.Join(c.Dir, "generate.go"))
		texts = append(texts, fmt.Appendf(nil, goTemplate, pkg))
	}
	for _, path := range made {
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("%s exists already: nothing was written", slash(path))
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for i, path := range made {
		if err := replace(path, texts[i]); err != nil {
			return err
		}
		fmt.Fprintln(e.stdout, "wrote", slash(path))
	}
	fmt.Fprintf(e.stdout, "next: write the formula in %s, then run 'go generate' in %s\n", slash(made[0]), slash(c.Dir))
	return nil
}

// checkOpName tells what is wrong with the name of an op.
func checkOpName(name string) error {
	for i, r := range name {
		if !(r >= 'a' && r <= 'z' || i > 0 && (r >= '0' && r <= '9' || r == '_')) {
			return fmt.Errorf("%q can't be the name of an op: it starts with a lower-case letter, then letters, digits and underscores, such as soft_clip", name)
		}
	}
	if name == "" {
		return errors.New("an op needs a name, such as soft_clip")
	}
	return nil
}

// packageName is that of the specs in a folder, else of its Go files, else the folder's.
func packageName(dir string) (string, error) {
	specs, err := codegen.FilesIn(dir, ".op")
	if err != nil {
		return "", err
	}
	for _, name := range specs {
		src, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		if f, diags := dsl.Parse(name, src); !diags.HasErrors() {
			return f.Package.Name, nil
		}
	}
	code, err := codegen.FilesIn(dir, ".go")
	if err != nil {
		return "", err
	}
	for _, name := range code {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.PackageClauseOnly); err == nil {
			return f.Name.Name, nil
		}
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, r := range strings.ToLower(filepath.Base(abs)) {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) && b.Len() > 0) {
			b.WriteRune(r)
		}
	}
	if name := b.String(); name != "" && !token.IsKeyword(name) {
		return name, nil
	}
	return "ops", nil
}

// hasGenerateLine tells whether a Go file of the folder runs opgen.
func hasGenerateLine(dir string) (bool, error) {
	code, err := codegen.FilesIn(dir, ".go")
	if err != nil {
		return false, err
	}
	for _, name := range code {
		src, err := os.ReadFile(name)
		if err != nil {
			return false, err
		}
		runs := func(line []byte) bool {
			return bytes.HasPrefix(line, []byte("//go:generate ")) && bytes.Contains(line, []byte("opgen"))
		}
		if slices.ContainsFunc(bytes.Split(src, []byte("\n")), runs) {
			return true, nil
		}
	}
	return false, nil
}

const specTemplate = `package %s

// %[2]s is x*sigmoid(beta*x), a smooth relu: about 0 far below zero, about x far above.
//
// The shape of y is that of x, any. Its gradient is derived when generating; one that you write beside it, such as
//
//	grad x = @y * (sigmoid(beta*x) * (1 + beta*x*(1 - sigmoid(beta*x))))
//
// would be proved against that.
//
// Source: Ramachandran, Zoph and Le, Searching for Activation Functions, 2017.
op %[2]s[T: float](x: T[...B]; beta: float = 1) -> (y: T[...B]) {
    require beta > 0 else "beta must be positive"
    y = x * sigmoid(beta*x)
    example { x = [0, 1] } => { y = [0, 0.7310585786300049] }
}
`

const goTemplate = `// Package %s holds ops that opgen makes of the formulas in the .op files here.
package %[1]s

//go:generate go tool opgen generate
`
