package runtime

import (
	"fmt"
	"strconv"
	"strings"
)

// describe is dtype and shape: "f32[2 3]".
func (t *Tensor) describe() string {
	if t == nil {
		return "nil"
	}
	s := t.dtype.String() + shapeString(t.dims())
	if t.device != CPU {
		s += " on " + t.device.String()
	}
	return s
}

// Long axes are shortened to their first and last entries.
const (
	longAxis  = 8
	axisEdges = 3
)

// String is dtype, shape and elements; long axes are shortened.
func (t *Tensor) String() string {
	if t == nil || t.device != CPU {
		return t.describe()
	}
	var b strings.Builder
	b.WriteString(t.describe())
	b.WriteByte(' ')
	t.write(&b, 0, 0)
	return b.String()
}

func (t *Tensor) write(b *strings.Builder, axis, at int) {
	if axis == int(t.rank) {
		t.writeElement(b, at)
		return
	}
	b.WriteByte('[')
	for i := 0; i < t.shape[axis]; i++ {
		if i > 0 {
			b.WriteByte(' ')
		}
		if t.shape[axis] > longAxis && i == axisEdges {
			b.WriteString("… ")
			i = t.shape[axis] - axisEdges
		}
		t.write(b, axis+1, at+i*t.stride[axis])
	}
	b.WriteByte(']')
}

func (t *Tensor) writeElement(b *strings.Builder, at int) {
	if t.n == 0 {
		return
	}
	switch t.dtype {
	case F32:
		b.WriteString(strconv.FormatFloat(t.load(at), 'g', -1, 32))
	case I64:
		fmt.Fprint(b, *At[int64](t.data, at))
	default:
		b.WriteString(strconv.FormatFloat(t.load(at), 'g', -1, 64))
	}
}
