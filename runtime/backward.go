package runtime

import "container/heap"

// BackwardOption changes how Backward works.
type BackwardOption uint8

// KeepGraph lets Backward be called again on the same graph.
const KeepGraph BackwardOption = 1

// Backward adds the gradient of t, which has one element, to all leaves that it was computed from. Then the graph is
// freed, unless KeepGraph is given. On an error no gradient was changed.
func (t *Tensor) Backward(options ...BackwardOption) error {
	if t == nil {
		return missingTensor("Backward")
	}
	if t.n != 1 {
		return &ArgError{Op: "Backward", Arg: "t", Want: "one element (see BackwardWith)", Got: t.describe(), Err: ErrShape}
	}
	seed := newTensor(t.dtype, t.dims(), 1)
	if err := seed.Fill(1); err != nil {
		return err
	}
	return t.backward(seed, options)
}

// BackwardWith is Backward with the gradient of something with respect to t.
func (t *Tensor) BackwardWith(cotangent *Tensor, options ...BackwardOption) error {
	switch {
	case t == nil:
		return missingTensor("BackwardWith")
	case cotangent == nil:
		return &ArgError{Op: "BackwardWith", Arg: "cotangent", Want: "a tensor", Got: "nil", Err: ErrNil}
	case cotangent.dtype != t.dtype:
		return &ArgError{Op: "BackwardWith", Arg: "cotangent", Want: t.dtype.String(), Got: cotangent.dtype.String(), Err: ErrDType}
	case cotangent.device != t.device:
		return &ArgError{Op: "BackwardWith", Arg: "cotangent", Want: t.device.String(), Got: cotangent.device.String(), Err: ErrDevice}
	case !sameShape(cotangent, t):
		return &ArgError{Op: "BackwardWith", Arg: "cotangent", Want: "shape " + shapeString(t.dims()), Got: cotangent.describe(), Err: ErrShape}
	}
	return t.backward(cotangent.copy(), options)
}

// walkBack is one run of Backward.
type walkBack struct {
	claimed []*node
	waiting map[*node][]*Tensor // cotangents of the outputs
	queue   nodeQueue           // nodes with cotangents, the youngest first
	leaves  []*autograd
	grads   map[*autograd]*Tensor
}

func (t *Tensor) backward(seed *Tensor, options []BackwardOption) error {
	if t.auto == nil {
		return &ArgError{Op: "Backward", Arg: "t", Want: "a tensor computed from one with RequireGrad", Got: t.describe(), Err: ErrGrad}
	}
	keep := false
	for _, o := range options {
		keep = keep || o == KeepGraph
	}
	w := &walkBack{waiting: map[*node][]*Tensor{}, grads: map[*autograd]*Tensor{}}
	err := w.claim(t.auto.node)
	if err == nil {
		w.deliver(t.auto, seed)
		err = w.run()
	}
	for _, n := range w.claimed {
		if err != nil || keep {
			n.state.Store(nodeLive)
		} else {
			n.inputs, n.saved, n.backward = nil, nil, nil
			n.state.Store(nodeFreed)
		}
	}
	if err != nil {
		return err
	}
	for _, a := range w.leaves {
		a.collect(w.grads[a])
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
		for _, s := range n.saved {
			if s.Tensor.store.version.Load() != s.version {
				return &ArgError{Op: n.op, Arg: s.Name, Want: "it as it was in the forward call", Got: "changed elements", Err: ErrVersion}
			}
		}
		for _, t := range n.inputs {
			if t != nil && t.recorded() && !seen[t.auto.node] {
				seen[t.auto.node] = true
				stack = append(stack, t.auto.node)
			}
		}
	}
	return nil
}

// deliver adds a gradient, which it owns, to those that wait for a.
func (w *walkBack) deliver(a *autograd, g *Tensor) {
	if a.node == nil {
		if w.grads[a] == nil {
			w.grads[a] = g
			w.leaves = append(w.leaves, a)
		} else {
			add(w.grads[a], g)
		}
		return
	}
	c := w.waiting[a.node]
	if c == nil {
		c = make([]*Tensor, len(a.node.outputs))
		w.waiting[a.node] = c
		heap.Push(&w.queue, a.node)
	}
	if c[a.output] == nil {
		c[a.output] = g
	} else {
		add(c[a.output], g)
	}
}

// run calls the backward functions of all nodes with cotangents, each after all that depend on it.
func (w *walkBack) run() error {
	for len(w.queue) > 0 {
		n := heap.Pop(&w.queue).(*node)
		p := &Backprop{node: n, cotangents: w.waiting[n], grads: make([]*Tensor, len(n.inputs))}
		if err := n.backward(p); err != nil {
			return err
		}
		delete(w.waiting, n)
		for i, g := range p.grads {
			if g != nil {
				w.deliver(n.inputs[i].auto, g)
			}
		}
	}
	return nil
}

// collect adds a gradient, which it owns, to that of a leaf.
func (a *autograd) collect(g *Tensor) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.grad == nil {
		a.grad = g
		return
	}
	add(a.grad, g)
	a.grad.Touch()
}

// add adds b to a; both have one shape and dtype.
func add(a, b *Tensor) {
	addStrided(a.data, a.strides(), b.data, b.strides(), a.dims(), a.dtype)
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
