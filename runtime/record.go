package runtime

import (
	"fmt"
	"sync/atomic"
)

// node is one recorded call. Graphs hang on the tensors: a tensor holds the node that made it, a node those that its inputs
// came from. A node doesn't hold the inputs themselves, so that the memory of those that no derivative reads is free at once.
type node struct {
	op       string
	seq      uint64 // nodes that this one depends on have smaller numbers
	inputs   []edge
	outputs  []edge
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

// edge is an input or output with what it carries for gradients, if anything.
type edge struct {
	auto *autograd
	kind
}

// kind is the dtype and shape of a tensor.
type kind struct {
	dtype DType
	rank  uint8
	n     int
	shape [MaxRank]int
}

func (t *Tensor) kind() kind { return kind{t.dtype, t.rank, t.n, t.shape} }

// zeros makes a tensor of zeros.
func (k *kind) zeros() *Tensor { return newTensor(k.dtype, k.shape[:k.rank], k.n) }

type saved struct {
	Saved
	version uint64
}

// Saved is a tensor that the backward function of a recorded call reads, or of which it reads only the shape.
type Saved struct {
	Name   string
	Tensor *Tensor // nil where it is absent
	Shape  bool
}

// unchanged checks that nobody wrote what a node saved.
func (n *node) unchanged() error {
	for _, s := range n.saved {
		if s.Tensor != nil && !s.Shape && s.Tensor.store.now() != s.version {
			return &ArgError{Op: n.op, Arg: s.Name, Want: "it as it was in the forward call", Got: "changed elements", Err: ErrVersion}
		}
	}
	return nil
}

// free drops what only a Backward needs.
func (n *node) free() {
	for _, s := range n.saved {
		s.Tensor.Release()
	}
	n.inputs, n.outputs, n.saved, n.backward = nil, nil, nil, nil
	n.state.Store(nodeFreed)
}

var nodeSeq atomic.Uint64

// Record notes that outputs were made from inputs (nil where absent) by op, and how cotangents go back: backward is called
// once with those of the outputs. It may read the saved tensors, which [Backprop.Saved] gives it: that they weren't changed in
// between is checked, and their memory is kept until the graph is freed, even if the caller releases them.
func Record(op string, outputs, inputs []*Tensor, save []Saved, backward func(*Backprop) error) {
	n := &node{
		op: op, backward: backward, seq: nodeSeq.Add(1),
		inputs: make([]edge, len(inputs)), outputs: make([]edge, len(outputs)), saved: make([]saved, len(save)),
	}
	for i, t := range inputs {
		if t != nil && t.auto != nil {
			n.inputs[i] = edge{t.auto, t.kind()}
		}
	}
	for i, s := range save {
		k := saved{Saved: s}
		if s.Tensor != nil {
			k.Tensor, k.version = s.Tensor.hold(), s.Tensor.store.now()
			k.Tensor.auto = nil
		}
		n.saved[i] = k
	}
	for i, t := range outputs {
		if t.dtype.Float() {
			t.auto = &autograd{dtype: t.dtype, node: n, output: i}
		}
		n.outputs[i] = edge{t.auto, t.kind()}
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
		if into != p.Grad(0) {
			defer into.Release()
		}
		if hasZeroStride(into.dims(), into.strides()) {
			sumStrided(into.data, into.strides(), into.dtype, g.data, g.strides(), g.dtype, g.dims())
		} else {
			copyStrided(into.data, into.strides(), g.data, g.strides(), g.dims(), g.dtype.Size())
		}
		return nil
	})
}

// Backprop is one call of a backward function.
type Backprop struct {
	walk       *walkBack
	node       *node
	cotangents []*Tensor
	grads      []*Tensor
}

// Saved is the tensor number i of those that were saved, nil where it is absent.
func (p *Backprop) Saved(i int) *Tensor { return p.node.saved[i].Tensor }

// Cotangent is the gradient of what Backward was called on with respect to output i: zeros where nothing depends on it. It
// is released when the backward function returns.
func (p *Backprop) Cotangent(i int) *Tensor {
	if p.cotangents[i] == nil {
		p.cotangents[i] = p.node.outputs[i].zeros()
		p.cotangents[i].made = true
	}
	return p.cotangents[i]
}

// Wants reports whether somebody wants the gradient of input i.
func (p *Backprop) Wants(i int) bool {
	return p.node.inputs[i].auto != nil
}

// Grad is a tensor of zeros for the gradient of input i, which the backward function writes; nil where nobody wants it.
func (p *Backprop) Grad(i int) *Tensor {
	if !p.Wants(i) {
		return nil
	}
	if p.grads[i] == nil {
		e := &p.node.inputs[i]
		if p.grads[i] = p.walk.lend(e); p.grads[i] == nil {
			p.grads[i] = e.zeros()
			p.grads[i].made = true
		}
	}
	return p.grads[i]
}

// drop releases the gradients of a call that has failed.
func (p *Backprop) drop() {
	for i, g := range p.grads {
		if g != nil && g.made {
			g.Release()
			p.grads[i] = nil
		}
	}
}

// room refuses gradients that take more than MaxBytes, before they are made. With what else its call takes they are counted when it is bound.
func (p *Backprop) room() error {
	sum := uint64(0)
	for i := range p.node.inputs {
		if e := &p.node.inputs[i]; e.auto != nil && e.auto.block == nil {
			sum += resultBytes(e.n, e.dtype.Size()) // of tensors that there are: no overflow
		}
	}
	if sum <= always && roomLimit.Load() == 0 {
		return nil
	}
	if most := MaxBytes(); sum > uint64(most) {
		return &ArgError{Op: p.node.op, Arg: "gradients of the inputs", Want: fmt.Sprintf("at most %d bytes for a call (see runtime.SetMaxBytes)", most),
			Got: fmt.Sprintf("%d bytes", sum), Err: ErrShape}
	}
	return nil
}

// hooks calls those of the outputs whose cotangents are there.
func (p *Backprop) hooks() error {
	for i, c := range p.cotangents {
		if c == nil {
			continue
		}
		g, err := p.node.outputs[i].auto.hooked(c)
		if err != nil {
			return err
		}
		p.cotangents[i] = g
	}
	return nil
}
