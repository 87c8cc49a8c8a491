package runtime

import (
	"sync"
	"sync/atomic"
)

// autograd is what a tensor that takes part in gradients carries: a leaf collects its gradient, any other tensor is an
// output of a node.
type autograd struct {
	dtype  DType // of the tensor
	node   *node
	output int // of the node

	mu     sync.Mutex             // of those that change what follows
	grad   atomic.Pointer[Tensor] // nil where home has the gradient
	hooks  []*hook
	block  *leafBlock           // that the leaf is in; nil: in none
	at     int                  // its number there
	home   atomic.Pointer[home] // where its gradient is, or was, in memory of a block
	lent   *home                // where a Backward computes the next gradient
	lender *walkBack            // that Backward; nil: none
}

// recorded reports whether t is a result of a recorded op.
func (t *Tensor) recorded() bool { return t.auto != nil && t.auto.node != nil }

// RequireGrad makes t, which no recorded op has made, a leaf, in which Backward collects a gradient. Call it before t is used.
//
// There is no tape and no mode: a call of an op is recorded where one of its inputs requires a gradient, and its results require one then.
// What is not to be recorded is computed from [Tensor.Detach] of the inputs, or by the …Into functions, which never record.
func (t *Tensor) RequireGrad() error {
	if t == nil {
		return missingTensor("RequireGrad")
	}
	if !t.dtype.Float() {
		return &ArgError{Op: "RequireGrad", Arg: "t", Want: Floats.String(), Got: t.dtype.String(), Err: ErrDType}
	}
	if t.recorded() {
		return &ArgError{Op: "RequireGrad", Arg: "t", Want: "a leaf (see Detach and Hook)", Got: "the result of " + t.auto.node.op, Err: ErrGrad}
	}
	if t.auto == nil {
		t.auto = &autograd{dtype: t.dtype}
	}
	return nil
}

// RequiresGrad reports whether gradients go to or through t.
func (t *Tensor) RequiresGrad() bool { return t != nil && t.auto != nil }

// Grad is the gradient that Backward collected in a leaf, or nil. The next Backward adds to the same tensor, unless it was released.
func (t *Tensor) Grad() *Tensor {
	if t == nil || t.auto == nil {
		return nil
	}
	a := t.auto
	if a.home.Load() == nil {
		return a.grad.Load()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	h := a.home.Load()
	if g := h.gradient(); g != nil {
		h.shown = true
		h.block.shown.Store(true)
		return g
	}
	return a.grad.Load()
}

// Grads are the gradients of leaves, of those that have one.
func Grads(leaves ...*Tensor) []*Tensor {
	var list []*Tensor
	for _, t := range leaves {
		if g := t.Grad(); g != nil {
			list = append(list, g)
		}
	}
	return list
}

// ZeroGrad drops the gradient of a leaf.
func (t *Tensor) ZeroGrad() {
	if t == nil || t.auto == nil {
		return
	}
	t.auto.mu.Lock()
	defer t.auto.mu.Unlock()
	t.auto.grad.Store(nil)
	t.auto.leaveHome()
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
