package gocpu

import (
	"bytes"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/opgen/opgen/codegen/emit"
	"github.com/opgen/opgen/codegen/nest"
)

// Kernels is the file of the portable kernels of a spec, source being the base name of its .op file.
func Kernels(pkg, source string, nests []*nest.Nest) (emit.File, error) {
	f := newFile(pkg, source)
	for i, n := range nests {
		code, err := Kernel(n)
		if err != nil {
			return emit.File{}, err
		}
		if i > 0 {
			f.Line()
		}
		f.Add(code)
	}
	return render(f, baseName(source)+"_gen_kernels.go")
}

func newFile(pkg, source string) *jen.File {
	f := jen.NewFile(pkg)
	f.HeaderComment("// " + emit.Header(source))
	f.ImportName(runtimePath, "runtime")
	return f
}

func render(f *jen.File, name string) (emit.File, error) {
	var b bytes.Buffer
	if err := f.Render(&b); err != nil {
		return emit.File{}, err
	}
	return emit.File{Name: name, Data: groupImports(b.Bytes())}, nil
}

// groupImports puts the imports of the standard library before the others, with a line between.
func groupImports(src []byte) []byte {
	head, rest, ok := bytes.Cut(src, []byte("\nimport (\n"))
	list, body, closed := bytes.Cut(rest, []byte("\n)\n"))
	if !ok || !closed {
		return src
	}
	var std, others [][]byte
	for line := range bytes.SplitSeq(list, []byte("\n")) {
		_, path, _ := bytes.Cut(line, []byte(`"`))
		if first, _, _ := bytes.Cut(path, []byte("/")); bytes.Contains(first, []byte(".")) {
			others = append(others, line)
		} else {
			std = append(std, line)
		}
	}
	if len(std) > 0 && len(others) > 0 {
		std = append(std, nil)
	}
	return slices.Concat(head, []byte("\nimport (\n"), bytes.Join(append(std, others...), []byte("\n")), []byte("\n)\n"), body)
}

// baseName is the name of a spec without its extension.
func baseName(source string) string { return strings.TrimSuffix(source, ".op") }
