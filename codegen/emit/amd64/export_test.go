package amd64

import "github.com/opgen/opgen/codegen/nest"

// TightFile is File with kernels that make do with few registers.
func TightFile(header, pkg, runtimePath string, nests []*nest.Nest, vectors, general int) (asm, stubs []byte, err error) {
	var kernels []*Kernel
	for _, n := range nests {
		for _, p := range Paths() {
			s := newISA(p, n.Float)
			s.vregs, s.gregs = vectors, general
			k, err := emitFor(n, s)
			if err != nil {
				return nil, nil, err
			}
			kernels = append(kernels, k)
		}
	}
	asm, stubs = file(header, pkg, runtimePath, kernels)
	return asm, stubs, nil
}
