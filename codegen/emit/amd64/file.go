package amd64

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/opgen/opgen/codegen/nest"
)

// maxNoSplit is the largest frame of a function that doesn't check the stack.
const maxNoSplit = 256

// File gives the assembly of nests, both paths of each, and the Go file that declares the functions, for a package pkg.
// header is the first line of both, without the comment sign; runtimePath is the import path of package runtime. The names
// of the files must end in _amd64.s and _amd64.go.
func File(header, pkg, runtimePath string, nests []*nest.Nest) (asm, stubs []byte, err error) {
	var kernels []*Kernel
	for _, n := range nests {
		for _, p := range Paths() {
			k, err := Emit(n, p)
			if err != nil {
				return nil, nil, err
			}
			kernels = append(kernels, k)
		}
	}
	asm, stubs = file(header, pkg, runtimePath, kernels)
	return asm, stubs, nil
}

func file(header, pkg, runtimePath string, kernels []*Kernel) (asm, stubs []byte) {
	var s, decl bytes.Buffer
	fmt.Fprintf(&s, "// %s\n\n#include \"textflag.h\"\n", header)
	fmt.Fprintf(&decl, "// %s\n\npackage %s\n", header, pkg)
	if len(kernels) > 0 {
		fmt.Fprintf(&decl, "\nimport %q\n", runtimePath)
	}
	consts := pool{}
	for _, k := range kernels {
		fmt.Fprintf(&s, "\n%s", k)
		fmt.Fprintf(&decl, "\n//go:noescape\nfunc %s(a *runtime.Args)\n", k.Name)
		for _, c := range k.Consts {
			consts[c.Name] = c.Data
		}
	}
	for _, c := range consts.list() {
		c.write(&s)
	}
	return s.Bytes(), decl.Bytes()
}

// String is the function as it stands in a file.
func (k *Kernel) String() string {
	flags := "NOSPLIT"
	if k.Frame > maxNoSplit {
		flags = "0"
	}
	return fmt.Sprintf("// func %s(a *runtime.Args)\nTEXT ·%[1]s(SB), %s, $%d-8\n%s\n", k.Name, flags, k.Frame, strings.Join(k.Lines, "\n"))
}

// write prints a constant as a static symbol.
func (c Const) write(b *bytes.Buffer) {
	b.WriteByte('\n')
	for i := 0; i < len(c.Data); i += 8 {
		fmt.Fprintf(b, "DATA %s<>+%d(SB)/8, $%#016x\n", c.Name, i, binary.LittleEndian.Uint64(c.Data[i:]))
	}
	fmt.Fprintf(b, "GLOBL %s<>(SB), RODATA|NOPTR, $%d\n", c.Name, len(c.Data))
}
