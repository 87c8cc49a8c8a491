package torch

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/opgen/opgen/codegen/ir"
)

// Line is a sample as it is stored.
type Line struct {
	Op, Variant string
	Sample      int
	Args        []json.RawMessage
	Kwargs      Pairs
	Out         []*Tensor
	Cotangent   []*Tensor
	Grads       []*Tensor
	V, Grads2   []*Tensor
}

// Key is PyTorch's name of the function, with the variant.
func (l *Line) Key() string {
	k := strings.Replace(l.Op, "nn.functional.", "nn.", 1)
	if l.Variant != "" {
		k += "." + l.Variant
	}
	return k
}

// Pairs is a JSON object in its order.
type Pairs []Pair

// Pair is a member of an object.
type Pair struct {
	Name  string
	Value json.RawMessage
}

// UnmarshalJSON keeps the order, which that of the gradients follows.
func (p *Pairs) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		name, is := key.(string)
		if !is {
			return fmt.Errorf("%v is no name", key)
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return err
		}
		*p = append(*p, Pair{name, v})
	}
	return nil
}

// Tensor is a tensor, row-major.
type Tensor struct {
	DType string
	Shape []int
	Data  []Number
	Grad  bool
}

// Array is the tensor for the evaluator; nil for nil.
func (s *Tensor) Array() *ir.Array {
	if s == nil {
		return nil
	}
	a := &ir.Array{Shape: s.Shape, Data: make([]float64, len(s.Data))}
	for i, x := range s.Data {
		a.Data[i] = float64(x)
	}
	return a
}

// float tells whether elements are floating-point numbers.
func (s *Tensor) float() bool { return strings.HasPrefix(s.DType, "float") }

// Number is a number that may be written as a word.
type Number float64

// UnmarshalJSON takes numbers, booleans and the words nan, inf and -inf.
func (f *Number) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case `"nan"`:
		*f = Number(math.NaN())
	case `"inf"`:
		*f = Number(math.Inf(1))
	case `"-inf"`:
		*f = Number(math.Inf(-1))
	case "true":
		*f = 1
	case "false":
		*f = 0
	default:
		return json.Unmarshal(data, (*float64)(f))
	}
	return nil
}

// Files are the files of samples in a folder, or in its folder torch. There is at least one.
func Files(dir string) ([]string, error) {
	var r []string
	for _, pattern := range []string{"*.jsonl", "*.jsonl.gz", "torch/*.jsonl", "torch/*.jsonl.gz"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, err
		}
		r = append(r, found...)
	}
	if len(r) == 0 {
		return nil, fmt.Errorf("no samples in %s", dir)
	}
	return r, nil
}

// Read reads the samples of a file.
func Read(name string) ([]*Line, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(name, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if data, err = io.ReadAll(z); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	var r []*Line
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		l := &Line{}
		if err := json.Unmarshal(lines.Bytes(), l); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", name, len(r)+1, err)
		}
		r = append(r, l)
	}
	return r, lines.Err()
}
