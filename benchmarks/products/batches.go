//go:build unix

package products

import (
	"fmt"

	"github.com/opgen/opgen/gen/linalg"
	"github.com/opgen/opgen/runtime"
)

// Batch is products of so many N × N matrices.
type Batch struct{ Count, N int }

// Batches are what is measured.
var Batches = []Batch{{1, 64}, {8, 64}, {64, 64}, {1, 256}, {8, 256}, {64, 256}, {1, 1024}, {8, 1024}}

func (b Batch) String() string { return fmt.Sprintf("%dx%d", b.Count, b.N) }

// Flops is the number of operations: two for each multiply-add.
func (b Batch) Flops() float64 { return float64(b.Count) * Shape{b.N, b.N, b.N}.Flops() }

// BatchPass is what is computed of a batch.
type BatchPass struct {
	Name string
	Call func(m *Matrices) error
}

// BatchPasses are products of each two matrices and of all with one, and their gradients.
var BatchPasses = []BatchPass{
	{"forward", func(m *Matrices) error { return linalg.MatmulInto(m.y, m.x, m.z) }},
	{"dx", func(m *Matrices) error { return linalg.MatmulBackwardInto(m.dx, nil, m.y, m.x, m.z) }},
	{"dz", func(m *Matrices) error { return linalg.MatmulBackwardInto(nil, m.dz, m.y, m.x, m.z) }},
	{"one", func(m *Matrices) error { return linalg.MatmulInto(m.y, m.x, m.one) }},
	{"one-dz", func(m *Matrices) error { return linalg.MatmulBackwardInto(nil, m.done, m.y, m.x, m.one) }},
}

// Matrices are the tensors of a batch.
type Matrices struct{ x, z, one, y, dx, dz, done *runtime.Tensor }

// NewMatrices makes tensors of f32 with numbers of the order of 1.
func NewMatrices(b Batch) *Matrices {
	state := uint32(1)
	many := func() *runtime.Tensor { return random(&state, b.Count, b.N, b.N) }
	return &Matrices{x: many(), z: many(), one: random(&state, b.N, b.N), y: many(), dx: many(), dz: many(), done: random(&state, b.N, b.N)}
}
