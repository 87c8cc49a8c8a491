package nn

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/opgen/opgen/runtime"
)

// Save writes the parameters of a module, and what is kept with them, by their names, in the layout of safetensors. A tensor that is there twice is written once.
func Save(w io.Writer, m Module) error { return runtime.WriteTensors(w, distinct(m), nil) }

// Load sets the parameters of a module to those that Save, or another program, has written. Names, dtypes and shapes must be those of the
// module; the error tells all that are not, and nothing was changed then.
func Load(r io.Reader, m Module) error {
	list, _, err := runtime.ReadTensors(r)
	if err != nil {
		return err
	}
	saved := map[string]*runtime.Tensor{} // and not yet taken
	for _, p := range list {
		saved[p.Name] = p.Tensor
	}
	var errs []error
	wrong := func(name string, kind error, want, got string) {
		errs = append(errs, &runtime.ArgError{Op: "nn.Load", Arg: strconv.Quote(name), Want: want, Got: got, Err: kind})
	}
	params := distinct(m)
	from := make([]*runtime.Tensor, len(params))
	for i, p := range params {
		t := saved[p.Name]
		from[i] = t
		delete(saved, p.Name)
		want := describe(p.Tensor)
		switch {
		case t == nil:
			wrong(p.Name, runtime.ErrName, want, "none of that name in the file")
		case p.Tensor.Released():
			wrong(p.Name, runtime.ErrClosed, "a parameter in use", want)
		case !apart(p.Tensor):
			wrong(p.Name, runtime.ErrAlias, "a parameter whose elements are apart", want)
		case t.DType() != p.Tensor.DType():
			wrong(p.Name, runtime.ErrDType, want, describe(t)+" in the file")
		case describe(t) != want:
			wrong(p.Name, runtime.ErrShape, want, describe(t)+" in the file")
		}
	}
	for _, p := range list {
		if saved[p.Name] != nil {
			wrong(p.Name, runtime.ErrName, "a parameter of the module", describe(p.Tensor)+" in the file")
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for i, p := range params {
		if err := p.Tensor.CopyFrom(from[i]); err != nil {
			return err
		}
	}
	return nil
}

// describe is the dtype and shape of t.
func describe(t *runtime.Tensor) string { return fmt.Sprintf("%v%v", t.DType(), t.Shape()) }

// apart reports whether no elements of t share memory.
func apart(t *runtime.Tensor) bool {
	stride := t.Strides()
	for i, e := range t.Shape() {
		if e > 1 && stride[i] == 0 {
			return false
		}
	}
	return true
}
