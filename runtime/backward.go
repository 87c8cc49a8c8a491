package runtime

import (
	"container/heap"
	"fmt"
)

// BackwardOption changes how Backward works.
type BackwardOption uint8

// KeepGraph lets Backward be called again on the same graph.
const KeepGraph BackwardOption = 1

// Backward adds the gradient of t, which has one element, to all leaves that it was computed from. The graph is freed on the way, call by
// call, and what it saved with it, unless KeepGraph is given. On an error no gradient was changed; the graph is freed nevertheless, if
// a derivative or a hook has failed, and is as it was, if Backward could not begin.
//
// Any number of goroutines may run forward calls, and Backward, over leaves in common; a leaf takes over the gradient of each Backward as a
// whole. It adds them up in the order in which they end, which rounding shows: who needs the same bits in each run calls Backward one after the
// other, or gives each goroutine leaves of its own over the same memory ([Tensor.Detach] and [Tensor.RequireGrad]) and adds up their
// gradients in a fixed order. Within one Backward sums are in the order in which the calls were recorded, backwards. Graphs that meet
// anywhere but in leaves are for one Backward at a time, others fail with [ErrGrad]; and reading the gradient of a leaf while a Backward
// adds to it is a race.
func (t *Tensor) Backward(options ...BackwardOption) error {
	if err := t.usable("Backward"); err != nil {
		return err
	}
	if t.n != 1 {
		return &ArgError{Op: "Backward", Arg: "t", Want: "one element (see BackwardWith)", Got: t.describe(), Err: ErrShape}
	}
	return t.backward("Backward", nil, options)
}

// BackwardWith is Backward with the gradient of something with respect to t.
func (t *Tensor) BackwardWith(cotangent *Tensor, options ...BackwardOption) error {
	if err := t.usable("BackwardWith"); err != nil {
		return err
	}
	switch {
	case cotangent == nil:
		return &ArgError{Op: "BackwardWith", Arg: "cotangent", Want: "a tensor", Got: "nil", Err: ErrNil}
	case cotangent.device != t.device:
		return deviceError("BackwardWith", "cotangent", cotangent)
	case cotangent.dtype != t.dtype:
		return &ArgError{Op: "BackwardWith", Arg: "cotangent", Want: t.dtype.String(), Got: cotangent.dtype.String(), Err: ErrDType}
	case !sameShape(cotangent, t):
		return &ArgError{Op: "BackwardWith", Arg: "cotangent", Want: "shape " + shapeString(t.dims()), Got: cotangent.describe(), Err: ErrShape}
	}
	return t.backward("BackwardWith", cotangent, options)
}

// walkBack is one run of Backward.
type walkBack struct {
	keep    bool
	claimed []*node
	waiting map[*node][]*Tensor // cotangents of the outputs
	queue   nodeQueue           // nodes with cotangents, the youngest first
	leaves  []*autograd
	grads   map[*autograd]*Tensor
	loans   []*autograd // leaves whose gradients are computed where they go
}

// backward is Backward for a cotangent; nil: 1.
func (t *Tensor) backward(op string, cotangent *Tensor, options []BackwardOption) error {
	if t.auto == nil {
		return &ArgError{Op: op, Arg: "t", Want: "a tensor computed from one with RequireGrad", Got: t.describe(), Err: ErrGrad}
	}
	w := &walkBack{waiting: map[*node][]*Tensor{}, grads: map[*autograd]*Tensor{}}
	for _, o := range options {
		if o != KeepGraph {
			return &ArgError{Op: op, Arg: "options", Want: "KeepGraph", Got: fmt.Sprint(uint8(o)), Err: ErrAttr}
		}
		w.keep = true
	}
	if err := w.claim(t.auto.node); err != nil {
		w.unclaim()
		return err
	}
	defer w.finish() // also when a hook panics
	seed := cotangent
	if seed != nil {
		seed = seed.copy()
	} else {
		seed = newTensor(t.dtype, t.dims(), 1)
		if err := seed.Fill(1); err != nil {
			return err
		}
	}
	w.deliver(t.auto, seed)
	if err := w.run(); err != nil {
		return err
	}
	for _, a := range w.leaves {
		w.grads[a] = rounded(w.grads[a], a.dtype)
		g, err := a.hooked(w.grads[a])
		if err != nil {
			return err
		}
		w.grads[a] = g
	}
	for _, a := range w.leaves {
		w.collect(a, w.grads[a])
		delete(w.grads, a)
	}
	return nil
}

// claim takes the nodes that n depends on, and checks that what they saved is unchanged.
func (w *walkBack) claim(n *node) error {
	if n == nil {
		return nil
	}
	seen := map[*node]bool{n: true}
	stack := []*node{n}
	for len(stack) > 0 {
		n = stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !n.state.CompareAndSwap(nodeLive, nodeBusy) {
			got := "a second Backward; give KeepGraph to the first"
			if n.state.Load() == nodeBusy {
				got = "another Backward that still runs"
			}
			return &ArgError{Op: n.op, Want: "a graph that no Backward has used", Got: got, Err: ErrGrad}
		}
		w.claimed = append(w.claimed, n)
		if err := n.unchanged(); err != nil {
			return err
		}
		for i := range n.inputs {
			if a := n.inputs[i].auto; a != nil && a.node != nil && !seen[a.node] {
				seen[a.node] = true
				stack = append(stack, a.node)
			}
		}
	}
	return nil
}

// unclaim leaves the nodes to other runs.
func (w *walkBack) unclaim() {
	for _, n := range w.claimed {
		n.state.Store(nodeLive)
	}
}

// finish drops the gradients that went nowhere, and frees what run has not, or leaves it to other runs.
func (w *walkBack) finish() {
	for _, list := range w.waiting {
		for _, g := range list {
			g.Release()
		}
	}
	for _, g := range w.grads {
		g.Release()
	}
	for _, a := range w.loans {
		a.mu.Lock()
		w.giveBack(a)
		a.mu.Unlock()
	}
	if w.keep {
		w.unclaim()
		return
	}
	for _, n := range w.claimed {
		if n.state.Load() == nodeBusy {
			n.free()
		}
	}
}

// deliver adds a gradient, which it owns, to those that wait for a.
func (w *walkBack) deliver(a *autograd, g *Tensor) {
	if a.node == nil {
		if w.grads[a] == nil {
			w.leaves = append(w.leaves, a)
		}
		sum := w.grads[a]
		if sum != nil && w.borrows(a, g) {
			sum, g = g, sum // the sum goes where the gradient does
		}
		w.grads[a] = sumGrad(sum, g)
		return
	}
	c := w.waiting[a.node]
	if c == nil {
		c = make([]*Tensor, len(a.node.outputs))
		w.waiting[a.node] = c
		heap.Push(&w.queue, a.node)
	}
	c[a.output] = sumGrad(c[a.output], g)
}

// run calls the backward functions of all nodes with cotangents, each after all that depend on it.
func (w *walkBack) run() error {
	for len(w.queue) > 0 {
		n := heap.Pop(&w.queue).(*node)
		p := &Backprop{walk: w, node: n, cotangents: w.waiting[n], grads: make([]*Tensor, len(n.inputs))}
		for i, c := range p.cotangents {
			p.cotangents[i] = rounded(c, n.outputs[i].dtype)
		}
		if err := p.hooks(); err != nil {
			return err
		}
		// A hook, or another goroutine, may have written to what was unchanged when the nodes were claimed.
		if err := n.unchanged(); err != nil {
			return err
		}
		if err := p.room(); err != nil {
			return err
		}
		if err := n.backward(p); err != nil {
			p.drop()
			return err
		}
		delete(w.waiting, n)
		for _, c := range p.cotangents {
			c.Release()
		}
		for i, g := range p.grads {
			if g != nil {
				g.made = false
				w.deliver(n.inputs[i].auto, g)
			}
		}
		if !w.keep {
			n.free()
		}
	}
	return nil
}

// collect adds a gradient, which it owns, to that of a leaf.
func (w *walkBack) collect(a *autograd, g *Tensor) {
	a.mu.Lock()
	defer a.mu.Unlock()
	h := w.giveBack(a)
	here := h != nil && g == &h.t
	have := a.gradient()
	switch {
	case have != nil && !have.Released():
		addStrided(have.data, have.strides(), g.data, g.strides(), have.dims(), have.dtype)
		if !here {
			g.Release()
		}
		have.Touch()
	case here:
		a.moveIn(h)
	default:
		a.settle(g)
	}
}

// nodeQueue is a heap of nodes, the youngest first.
type nodeQueue []*node

func (q nodeQueue) Len() int           { return len(q) }
func (q nodeQueue) Less(i, j int) bool { return q[i].seq > q[j].seq }
func (q nodeQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *nodeQueue) Push(n any)        { *q = append(*q, n.(*node)) }

func (q *nodeQueue) Pop() any {
	old := *q
	n := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	return n
}
