package runtime

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// describe is dtype and shape: "f32[2 3]".
func (t *Tensor) describe() string {
	if t == nil {
		return "nil"
	}
	s := t.dtype.String() + shapeString(t.dims())
	switch t.device {
	case CPU:
	case released:
		s += " (released)"
	default:
		s += " on " + t.device.String()
	}
	return s
}

// What is shown of a tensor. Axes longer than longAxis are shortened to their first and last entries; all that are longer than
// these are where there are more than manyElements.
const (
	longAxis     = 8
	manyElements = 1000
	textDigits   = 6 // of floats behind the point, unless a format says otherwise
)

// String is dtype, shape and elements, in columns where there are several axes; long axes are shortened. There is never more than one empty
// line, so that the text can stand in the comment of an example.
func (t *Tensor) String() string { return t.text(textDigits, false) }

// Format writes what String gives, for %v and %s. With a precision floats are first rounded to so many digits behind the point: %.4v shows
// 0.33333 as 0.3333, and both 0.99999997 and 1 as 1. So texts don't depend on the last bits, which differ between machines.
func (t *Tensor) Format(f fmt.State, verb rune) {
	if verb != 'v' && verb != 's' {
		fmt.Fprintf(f, "%%!%c(tensor %s)", verb, t.describe())
		return
	}
	digits, rounded := f.Precision()
	if !rounded {
		digits = textDigits
	}
	_, _ = f.Write([]byte(t.text(digits, rounded)))
}

// text is String with a number of digits behind the point, to which floats are rounded before anything else, or not.
func (t *Tensor) text(digits int, rounded bool) string {
	switch {
	case t == nil || t.device != CPU:
		return t.describe()
	case t.n == 0:
		return t.describe() + " []"
	}
	p := printer{t: t, edges: 3, rounded: rounded}
	if t.rank > 3 {
		p.edges = 1
	}
	p.collect(0, 0)
	p.layOut(digits)
	p.b.WriteString(t.describe())
	if t.rank > 1 {
		p.b.WriteByte('\n')
	} else {
		p.b.WriteByte(' ')
		p.width = 0
	}
	p.write(0)
	return p.b.String()
}

// printer writes a tensor.
type printer struct {
	t       *Tensor
	edges   int   // of axes that are shortened
	rounded bool  // floats are rounded before their texts are made
	shown   []int // where the elements are that are shown
	texts   []string
	width   int
	b       strings.Builder
}

// short reports whether an axis is shortened.
func (p *printer) short(axis int) bool {
	e := p.t.shape[axis]
	return e > longAxis || p.t.n > manyElements && e > 2*p.edges
}

// collect finds what is shown.
func (p *printer) collect(axis, at int) {
	t := p.t
	if axis == int(t.rank) {
		p.shown = append(p.shown, at)
		return
	}
	for i := 0; i < t.shape[axis]; i++ {
		if p.short(axis) && i == p.edges {
			i = t.shape[axis] - p.edges
		}
		p.collect(axis+1, at+i*t.stride[axis])
	}
}

// write writes the elements from an axis on, in the order in which they were collected.
func (p *printer) write(axis int) {
	t := p.t
	if axis == int(t.rank) {
		s := p.texts[0]
		p.texts = p.texts[1:]
		for range p.width - utf8.RuneCountInString(s) {
			p.b.WriteByte(' ')
		}
		p.b.WriteString(s)
		return
	}
	apart := func() {
		inner := int(t.rank) - 1 - axis
		if inner == 0 {
			p.b.WriteByte(' ')
			return
		}
		p.b.WriteString(strings.Repeat("\n", min(inner, 2)))
		p.b.WriteString(strings.Repeat(" ", axis+1))
	}
	p.b.WriteByte('[')
	for i := 0; i < t.shape[axis]; i++ {
		if i > 0 {
			apart()
		}
		if p.short(axis) && i == p.edges {
			p.b.WriteString("…")
			apart()
			i = t.shape[axis] - p.edges
		}
		p.write(axis + 1)
	}
	p.b.WriteByte(']')
}

// layOut makes the texts. Floats of one tensor have the same number of digits: as many as the longest needs, at most the
// given number; all have an exponent where they are very different or far from 1. A single element is written in full, unless all are
// rounded.
func (p *printer) layOut(digits int) {
	t := p.t
	verb, behind := byte('f'), 0
	bits := 32
	if t.dtype == F64 {
		bits = 64
	}
	if t.dtype.Float() {
		least, most := math.Inf(1), 0.0
		for _, at := range p.shown {
			if a := math.Abs(t.load(at)); a > 0 && !math.IsInf(a, 1) {
				least, most = min(least, a), max(most, a)
			}
		}
		if p.rounded {
			least = most // what is far below the others is rounded to 0
		}
		if most >= 1e8 || most > 0 && (least < 1e-4 || most/least > 1e6) {
			verb = 'e'
		}
		for _, at := range p.shown {
			if v := t.load(at); !math.IsInf(v, 0) && v == v {
				text := t.shortest(at, verb, bits)
				if p.rounded {
					text = trimZeros(strconv.FormatFloat(v, verb, digits, bits))
				}
				behind = max(behind, digitsBehind(text))
			}
		}
		behind = min(behind, digits)
	}
	for _, at := range p.shown {
		var s string
		switch v := t.load(at); {
		case !t.dtype.Float():
			s = t.exact(at)
		case v != v || math.IsInf(v, 0):
			s = strings.TrimPrefix(strconv.FormatFloat(v, 'g', -1, 64), "+")
		case t.rank == 0 && !p.rounded:
			s = t.shortest(at, 'g', bits)
		default:
			s = strconv.FormatFloat(v, verb, behind, bits)
			if p.rounded && strings.Trim(s, "-0.") == "" {
				s = strings.TrimPrefix(s, "-")
			}
		}
		p.texts = append(p.texts, s)
		p.width = max(p.width, utf8.RuneCountInString(s))
	}
}

// shortest is the shortest text of a float that is read as the same.
func (t *Tensor) shortest(at int, verb byte, bits int) string {
	v := t.load(at)
	if t.dtype.half() {
		text := At[Float16](t.data, at).String()
		if t.dtype == BF16 {
			text = At[BFloat16](t.data, at).String()
		}
		v, _ = strconv.ParseFloat(text, 64) // of a number that was written
		bits = 64
	}
	return strconv.FormatFloat(v, verb, -1, bits)
}

// trimZeros is a text without the zeros at the end of its fraction.
func trimZeros(s string) string {
	mantissa, exponent := s, ""
	if e := strings.IndexByte(s, 'e'); e >= 0 {
		mantissa, exponent = s[:e], s[e:]
	}
	if strings.Contains(mantissa, ".") {
		mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	}
	return mantissa + exponent
}

// digitsBehind is the number of digits behind the point.
func digitsBehind(s string) int {
	if e := strings.IndexByte(s, 'e'); e >= 0 {
		s = s[:e]
	}
	if at := strings.IndexByte(s, '.'); at >= 0 {
		return len(s) - at - 1
	}
	return 0
}

// exact is an element that is no float.
func (t *Tensor) exact(at int) string {
	switch t.dtype {
	case I64:
		return strconv.FormatInt(*At[int64](t.data, at), 10)
	case U64:
		return strconv.FormatUint(*At[uint64](t.data, at), 10)
	case Bool:
		return strconv.FormatBool(*At[bool](t.data, at))
	}
	return strconv.FormatInt(int64(t.load(at)), 10) // of at most 32 bits
}
