package cuda

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed sdkfree/cuda.h
var sdkfree []byte

// ErrNoCompiler means that no clang which can write PTX was found.
var ErrNoCompiler = errors.New("no clang with the NVPTX target found (looked for OPGEN_CLANG, clang-19 … clang-14, clang): install the package clang-19")

// ClangNames are the programs that may be a clang for PTX, as they are looked for: the one that OPGEN_CLANG names, else the newest.
func ClangNames() []string {
	if c := os.Getenv("OPGEN_CLANG"); c != "" {
		return []string{c}
	}
	return []string{"clang-19", "clang-18", "clang-17", "clang-16", "clang-15", "clang-14", "clang"}
}

// Clang finds a clang for PTX among ClangNames on the path.
func Clang() (string, error) {
	for _, n := range ClangNames() {
		if p, err := exec.LookPath(n); err == nil {
			return p, nil
		}
	}
	return "", ErrNoCompiler
}

// PTX compiles the text of a .cu file for compute capability 7.0 and newer, without a CUDA SDK. The output is the same from run
// to run. Contraction is off, so that a product and a sum are rounded as the nest says.
func PTX(clang string, cu []byte) ([]byte, error) {
	dir, err := os.MkdirTemp("", "opgen-ptx-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	header, source, out := filepath.Join(dir, "cuda.h"), filepath.Join(dir, "kernels.cu"), filepath.Join(dir, "kernels.ptx")
	if err := os.WriteFile(header, sdkfree, 0o600); err != nil {
		return nil, err
	}
	if err := os.WriteFile(source, cu, 0o600); err != nil {
		return nil, err
	}
	cmd := exec.Command(clang, "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_70", "-nocudainc", "-nocudalib",
		"-O3", "-ffp-contract=off", "-S", "-Xclang", "-target-feature", "-Xclang", "+ptx70",
		"-include", "cuda.h", "kernels.cu", "-o", "kernels.ptx")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", filepath.Base(clang), err, strings.TrimSpace(stderr.String()))
	}
	return os.ReadFile(out)
}
