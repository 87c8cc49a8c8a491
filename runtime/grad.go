package runtime

import (
	"sync"
	"sync/atomic"
)

// autograd is what a tensor that takes part in gradients carries: a leaf collects its gradient, any other tensor is an
// output of a node.
type autograd struct {
	node   *node
	output int // of the node

	mu   sync.Mutex // guards grad
	grad *Tensor
}

// node is one recorded call. Graphs hang on the tensors: a tensor holds the node that made it, a node the tensors that it
// was made from. There is no tape.
type node struct {
	op       string
	seq      uint64 // nodes that this one depends on have smaller numbers
	inputs   []*Tensor
	outputs  []outputShape
	saved    []saved
	backward func(*Backprop) error
	state    atomic.Uint32
}

// States of a node.
const (
	nodeLive uint32 = iota
	nodeBusy        // a Backward runs through it
	nodeFreed
)

type outputShape struct {
	dtype DType
	shape []int
	n     int
}

type saved struct {
	Saved
	version uint64
}

// Saved is a tensor that the backward function of a recorded call reads.
type Saved struct {
	Name   string
	Tensor *Tensor
}

var nodeSeq atomic.Uint64

// recorded reports whether t is a result of a recorded op.
func (t *Tensor) recorded() bool { return t.auto != nil && t.auto.node != nil }

// RequireGrad makes t a leaf, in which Backward collects a gradient. Call it before t is used.
func (t *Tensor) RequireGrad() error {
	if t == nil {
		return missingTensor("RequireGrad")
	}
	if !t.dtype.Float() {
		return &ArgError{Op: "RequireGrad", Arg: "t", Want: Floats.String(), Got: t.dtype.String(), Err: ErrDType}
	}
	if t.auto == nil {
		t.auto = new(autograd)
	}
	return nil
}

// RequiresGrad reports whether gradients go to or through t.
func (t *Tensor) RequiresGrad() bool { return t != nil && t.auto != nil }

// Grad is the gradient that Backward collected in a leaf, or nil.
func (t *Tensor) Grad() *Tensor {
	if t == nil || t.auto == nil {
		return nil
	}
	t.auto.mu.Lock()
	defer t.auto.mu.Unlock()
	return t.auto.grad
}

// ZeroGrad drops the gradient of a leaf.
func (t *Tensor) ZeroGrad() {
	if t == nil || t.auto == nil {
		return
	}
	t.auto.mu.Lock()
	defer t.auto.mu.Unlock()
	t.auto.grad = nil
}

// NeedsGrad reports whether gradients go to or through any of the tensors; absent ones are nil.
func NeedsGrad(tensors ...*Tensor) bool {
	for _, t := range tensors {
		if t != nil && t.auto != nil {
			return true
		}
	}
	return false
}

// Record notes that outputs were made from inputs (nil where absent) by op, and how cotangents go back: backward is called
// once with those of the outputs. It may read the saved tensors; that they weren't changed in between is checked.
func Record(op string, outputs, inputs []*Tensor, save []Saved, backward func(*Backprop) error) {
	n := &node{op: op, inputs: inputs, backward: backward, seq: nodeSeq.Add(1)}
	for _, s := range save {
		if s.Tensor != nil {
			n.saved = append(n.saved, saved{s, s.Tensor.store.version.Load()})
		}
	}
	for i, t := range outputs {
		n.outputs = append(n.outputs, outputShape{t.dtype, t.Shape(), t.n})
		if t.dtype.Float() {
			t.auto = &autograd{node: n, output: i}
		}
	}
}

// recordView notes that v is the view of t that again makes.
func (t *Tensor) recordView(op string, v *Tensor, again func(*Tensor) (*Tensor, error)) {
	Record(op, []*Tensor{v}, []*Tensor{t}, nil, func(p *Backprop) error {
		g := p.Cotangent(0)
		into, err := again(p.Grad(0))
		if err != nil {
			return err
		}
		if hasZeroStride(into.dims(), into.strides()) {
			sumStrided(into.data, into.strides(), g.data, g.strides(), g.dims(), g.dtype)
		} else {
			copyStrided(into.data, into.strides(), g.data, g.strides(), g.dims(), g.dtype.Size())
		}
		return nil
	})
}

// Backprop is one call of a backward function.
type Backprop struct {
	node       *node
	cotangents []*Tensor
	grads      []*Tensor
}

// Cotangent is the gradient of what Backward was called on with respect to output i: zeros where nothing depends on it.
func (p *Backprop) Cotangent(i int) *Tensor {
	if p.cotangents[i] == nil {
		o := p.node.outputs[i]
		p.cotangents[i] = newTensor(o.dtype, o.shape, o.n)
	}
	return p.cotangents[i]
}

// Wants reports whether somebody wants the gradient of input i.
func (p *Backprop) Wants(i int) bool {
	t := p.node.inputs[i]
	return t != nil && t.auto != nil
}

// Grad is a tensor of zeros for the gradient of input i, which the backward function writes; nil where nobody wants it.
func (p *Backprop) Grad(i int) *Tensor {
	if !p.Wants(i) {
		return nil
	}
	if p.grads[i] == nil {
		t := p.node.inputs[i]
		p.grads[i] = newTensor(t.dtype, t.dims(), t.n)
	}
	return p.grads[i]
}
