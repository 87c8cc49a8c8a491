package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// torch is PyTorch in a process of its own. See torch_bench.py for what it is asked.
type torch struct {
	version string // and which instructions its kernels use
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// startTorch starts PyTorch. OpenBLAS chooses its kernels itself; memory that was freed is kept, since fresh pages would
// cost more than most ops.
func startTorch(python string) (*torch, error) {
	cmd := exec.Command(python, "torch_bench.py")
	cmd.Env = append(os.Environ(), "MALLOC_MMAP_MAX_=0", "MALLOC_TRIM_THRESHOLD_=100000000000", "MALLOC_TOP_PAD_=1000000000")
	cmd.Env = slices.DeleteFunc(cmd.Env, func(s string) bool {
		return strings.HasPrefix(s, "OPENBLAS_CORETYPE=") || strings.HasPrefix(s, "OPENBLAS_L2_SIZE=")
	})
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	t := &torch{cmd: cmd, in: in, out: bufio.NewReader(out)}
	t.version, err = t.line()
	if err != nil {
		_ = cmd.Wait()
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		return nil, fmt.Errorf("%s: %s", python, lines[len(lines)-1])
	}
	return t, nil
}

func (t *torch) line() (string, error) {
	s, err := t.out.ReadString('\n')
	return strings.TrimSpace(s), err
}

func (t *torch) ask(format string, args ...any) (string, error) {
	if _, err := fmt.Fprintf(t.in, format+"\n", args...); err != nil {
		return "", fmt.Errorf("PyTorch: %w", err)
	}
	s, err := t.line()
	if err != nil {
		return "", fmt.Errorf("PyTorch, at %q: %w", fmt.Sprintf(format, args...), err)
	}
	return s, nil
}

// outputs are what PyTorch computes for the inputs of l.
func (t *torch) outputs(l *load, threads int) ([][]float32, error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "out")
	if _, err := t.ask("check %s %d %d %s", l.op.name, l.n, threads, file); err != nil {
		return nil, err
	}
	bytes, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var r [][]float32
	for _, o := range l.out {
		v := make([]float32, o.Len())
		n, err := binary.Decode(bytes, binary.LittleEndian, v)
		if err != nil {
			return nil, fmt.Errorf("PyTorch, outputs of %s: %w", l.op.name, err)
		}
		bytes = bytes[n:]
		r = append(r, v)
	}
	return r, nil
}

// time is nanoseconds a call.
func (t *torch) time(o *op, n, threads int, seconds float64) (float64, error) {
	s, err := t.ask("time %s %d %d %g", o.name, n, threads, seconds)
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(s, 64)
}

func (t *torch) stop() {
	if t == nil {
		return
	}
	_ = t.in.Close()
	_ = t.cmd.Wait()
}
