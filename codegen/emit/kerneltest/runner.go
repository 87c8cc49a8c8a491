package kerneltest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os/exec"
	"slices"
	"testing"
	"unsafe"

	"github.com/opgen/opgen/codegen/nest"
)

// Runner is a running program that holds kernels.
type Runner struct {
	nests []*nest.Nest
	paths []string
	in    io.WriteCloser
	out   *bufio.Reader
	log   bytes.Buffer
}

// Job is one call of a kernel. Its buffers are inputs and, after Do, results. Buffers that share a slice share memory
// in the kernel.
type Job struct {
	Path string
	Nest int // index in the list given to Build
	Args *nest.Args
}

// Start starts a program that speaks the protocol of this package. It ends with the test.
func Start(t testing.TB, nests []*nest.Nest, paths []string, cmd *exec.Cmd) *Runner {
	t.Helper()
	r := &Runner{nests: nests, paths: paths}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = &r.log
	r.in, r.out = in, bufio.NewReaderSize(out, 1<<20)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil && !t.Failed() {
			t.Errorf("%v\n%s", err, r.log.Bytes())
		}
	})
	return r
}

// Do runs jobs in order. An error names the job that failed; those after it have run nevertheless.
func (r *Runner) Do(jobs []Job) error {
	requests := make([]*request, len(jobs))
	for i, j := range jobs {
		q, err := r.request(j)
		if err != nil {
			return r.wrap(j, err)
		}
		requests[i] = q
	}
	sent := make(chan error, 1)
	go func() {
		w := bufio.NewWriterSize(r.in, 1<<20)
		var err error
		for _, q := range requests {
			if _, e := w.Write(q.data); e != nil && err == nil {
				err = e
			}
		}
		if e := w.Flush(); e != nil && err == nil {
			err = e
		}
		sent <- err
	}()
	var failed error
	for i, q := range requests {
		err := q.answer(r.out)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return r.wrap(jobs[i], fmt.Errorf("the program ended: %w\n%s", err, r.log.Bytes()))
		}
		if err != nil && failed == nil {
			failed = r.wrap(jobs[i], err)
		}
	}
	if err := <-sent; err != nil {
		return err
	}
	return failed
}

func (r *Runner) wrap(j Job, err error) error {
	name := "?"
	if j.Nest >= 0 && j.Nest < len(r.nests) {
		name = r.nests[j.Nest].Name
	}
	return fmt.Errorf("%s on %s, rows %d, n %d, k %d: %w", name, j.Path, j.Args.Rows, j.Args.N, j.Args.K, err)
}

// request is a job on its way.
type request struct {
	data    []byte
	buffers []buffer
}

// buffer is the memory of one or more operands.
type buffer struct {
	key   unsafe.Pointer // of its first element
	bytes []byte
}

// bytesOf is the memory of b and the size of its elements.
func bytesOf(b *nest.Buffer) (data []byte, size int) {
	switch {
	case b.F32 != nil:
		return asBytes(b.F32), 4
	case b.F64 != nil:
		return asBytes(b.F64), 8
	case b.I32 != nil:
		return asBytes(b.I32), 4
	default:
		return asBytes(b.I64), 8
	}
}

func asBytes[T any](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(s[0])))
}

// request encodes a job. Memory is sent as it lies, so both programs must run on a machine of little-endian order.
func (r *Runner) request(j Job) (*request, error) {
	path := slices.Index(r.paths, j.Path)
	if path < 0 || j.Nest < 0 || j.Nest >= len(r.nests) {
		return nil, errors.New("no such kernel or path")
	}
	var q request
	which := make([]int, len(j.Args.Operands))
	sizes := make([]int, len(j.Args.Operands))
	for i := range j.Args.Operands {
		data, size := bytesOf(&j.Args.Operands[i])
		sizes[i] = size
		key := unsafe.Pointer(unsafe.SliceData(data))
		which[i] = slices.IndexFunc(q.buffers, func(b buffer) bool { return b.key == key && key != nil })
		if which[i] < 0 {
			which[i] = len(q.buffers)
			q.buffers = append(q.buffers, buffer{key, data})
		} else if len(q.buffers[which[i]].bytes) < len(data) {
			q.buffers[which[i]].bytes = data
		}
	}
	w := &q.data
	u32 := func(x int) { *w = binary.LittleEndian.AppendUint32(*w, uint32(x)) }
	i64 := func(x int) { *w = binary.LittleEndian.AppendUint64(*w, uint64(x)) }
	u32(j.Nest)
	u32(path)
	i64(j.Args.Rows)
	i64(j.Args.N)
	i64(j.Args.K)
	u32(len(q.buffers))
	for _, b := range q.buffers {
		i64(len(b.bytes))
		*w = append(*w, b.bytes...)
	}
	u32(len(j.Args.Operands))
	for i := range j.Args.Operands {
		b := &j.Args.Operands[i]
		u32(which[i])
		i64(b.Base * sizes[i])
		i64(b.Row)
		i64(b.Step)
		i64(b.KStep)
	}
	u32(len(j.Args.F))
	for _, x := range j.Args.F {
		i64(int(math.Float64bits(x)))
	}
	u32(len(j.Args.I))
	for _, x := range j.Args.I {
		i64(x)
	}
	return &q, nil
}

// answer reads the answer into the buffers.
func (q *request) answer(in io.Reader) error {
	var word [4]byte
	if _, err := io.ReadFull(in, word[:]); err != nil {
		return err
	}
	var failed error
	if binary.LittleEndian.Uint32(word[:]) != 0 {
		if _, err := io.ReadFull(in, word[:]); err != nil {
			return err
		}
		text := make([]byte, binary.LittleEndian.Uint32(word[:]))
		if _, err := io.ReadFull(in, text); err != nil {
			return err
		}
		failed = errors.New(string(text))
	}
	for _, b := range q.buffers {
		if _, err := io.ReadFull(in, b.bytes); err != nil {
			return err
		}
	}
	return failed
}
