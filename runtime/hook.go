package runtime

import (
	"fmt"
	"slices"
)

// hook is a function that is called with the gradient of a tensor.
type hook struct {
	call func(*Tensor) (*Tensor, error)
}

// Hook makes each Backward call f with the gradient of t, once and when it is complete: for the result of an op before the derivative of
// that op, for a leaf before the gradient is added to what the leaf has collected. What f gives takes the place of the
// gradient, for all that depends on it; nil leaves it. f may change the gradient in place, but must not keep it (see Clone).
//
// Hooks of results are called in the order in which their ops were recorded, backwards. Those of leaves come after them, in the order in
// which gradients reached the leaves; those of one tensor in the order in which they were added, each with what the one before gave. An
// error of f ends Backward, and no leaf has changed. remove takes the hook away again; any goroutine may call it, several times.
func (t *Tensor) Hook(f func(grad *Tensor) (*Tensor, error)) (remove func(), err error) {
	switch {
	case t == nil:
		return nil, missingTensor("Hook")
	case f == nil:
		return nil, &ArgError{Op: "Hook", Arg: "f", Want: "a function", Got: "nil", Err: ErrNil}
	case t.auto == nil:
		return nil, &ArgError{Op: "Hook", Arg: "t", Want: "a tensor that requires a gradient", Got: t.describe(), Err: ErrGrad}
	}
	a, h := t.auto, &hook{f}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.hooks = append(slices.Clip(a.hooks), h)
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if i := slices.Index(a.hooks, h); i >= 0 {
			a.hooks = slices.Concat(a.hooks[:i], a.hooks[i+1:])
		}
	}, nil
}

// name says whose gradient it is.
func (a *autograd) name() string {
	if a.node == nil {
		return "a leaf"
	}
	return "the result of " + a.node.op
}

// hooked is the gradient g, which it owns, after the hooks.
func (a *autograd) hooked(g *Tensor) (*Tensor, error) {
	a.mu.Lock()
	hooks := a.hooks // never changed in place
	a.mu.Unlock()
	for _, h := range hooks {
		k := g.kind()
		r, err := h.call(g)
		if err != nil {
			return nil, fmt.Errorf("Backward: a hook of %s: %w", a.name(), err)
		}
		if r == nil {
			r = g
		}
		wrong := func(kind error, want string) error {
			return &ArgError{Op: "Backward", Arg: "hook of " + a.name(), Want: want, Got: r.describe(), Err: kind}
		}
		switch {
		case r.device != CPU:
			return nil, deviceError("Backward", "hook of "+a.name(), r)
		case r.dtype != k.dtype:
			return nil, wrong(ErrDType, "a gradient of "+k.dtype.String())
		case !slices.Equal(r.dims(), k.shape[:k.rank]):
			return nil, wrong(ErrShape, "a gradient of shape "+shapeString(k.shape[:k.rank]))
		}
		if r != g {
			c := r.copy() // before g is released: r may be a view of it
			g.Release()
			g = c
		}
	}
	return g, nil
}
