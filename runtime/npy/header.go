package npy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/opgen/opgen/runtime"
)

// maxHeader bounds the header of a file that is read: that of an array without fields is far shorter.
const maxHeader = 1 << 16

// header says what an array is.
type header struct {
	dtype   runtime.DType
	big     bool // big-endian
	fortran bool
	shape   []int
}

// readHeader reads magic string, version and header.
func readHeader(c *counter) (*header, error) {
	const op = "npy.Read"
	var start [8]byte
	if n, err := io.ReadFull(c, start[:]); err != nil || string(start[:6]) != magic {
		return nil, wrong(op, 0, fmt.Sprintf("%q and a version", magic), fmt.Sprintf("%q", start[:n]))
	}
	lengthSize := 4
	switch start[6] {
	case 1:
		lengthSize = 2
	case 2, 3:
	default:
		return nil, wrong(op, 6, "version 1.0, 2.0 or 3.0", fmt.Sprintf("%d.%d", start[6], start[7]))
	}
	if start[7] != 0 {
		return nil, wrong(op, 6, "version 1.0, 2.0 or 3.0", fmt.Sprintf("%d.%d", start[6], start[7]))
	}
	var length [4]byte
	if n, err := io.ReadFull(c, length[:lengthSize]); err != nil {
		return nil, wrong(op, 8, fmt.Sprintf("%d bytes of a length", lengthSize), fmt.Sprintf("%d", n))
	}
	n := binary.LittleEndian.Uint32(length[:])
	if n > maxHeader {
		return nil, wrong(op, 8, fmt.Sprintf("a header of at most %d bytes", maxHeader), fmt.Sprint(n))
	}
	at := c.n
	text := make([]byte, n)
	if got, err := io.ReadFull(c, text); err != nil {
		return nil, wrong(op, at, fmt.Sprintf("a header of %d bytes", n), fmt.Sprintf("%d bytes", got))
	}
	if start[6] == 3 && !utf8.Valid(text) {
		return nil, wrong(op, at, "a header in UTF-8", "other bytes")
	}
	p := &parser{text: string(text), base: at}
	return p.header()
}

// bytes is the size of the elements, which begin at a place.
func (h *header) bytes(at int64) (int, error) {
	if len(h.shape) > runtime.MaxRank {
		return 0, wrong("npy.Read", at, fmt.Sprintf("at most %d axes", runtime.MaxRank), fmt.Sprint(len(h.shape)))
	}
	n, empty := h.dtype.Size(), false
	for _, e := range h.shape {
		switch {
		case e == 0:
			empty = true
		case n > math.MaxInt/e:
			return 0, wrong("npy.Read", at, "a shape whose elements memory can hold", fmt.Sprint(h.shape))
		default:
			n *= e
		}
	}
	if empty {
		return 0, nil
	}
	return n, nil
}

// encode writes a header of version 1.0. Like NumPy it leaves room for the axis that grows when arrays are appended, and ends at a
// multiple of 64 bytes.
func (h *header) encode() []byte {
	order := "<"
	if h.dtype.Size() == 1 {
		order = "|"
	}
	fortran := "False"
	if h.fortran {
		fortran = "True"
	}
	var shape strings.Builder
	for i, e := range h.shape {
		if i > 0 {
			shape.WriteByte(' ')
		}
		fmt.Fprintf(&shape, "%d,", e)
	}
	text := shape.String()
	if len(h.shape) > 1 {
		text = strings.TrimSuffix(text, ",")
	}
	text = fmt.Sprintf("{'descr': '%s%s', 'fortran_order': %s, 'shape': (%s), }", order, typeCodes[h.dtype], fortran, text)
	if n := len(h.shape); n > 0 {
		grows := h.shape[0]
		if h.fortran {
			grows = h.shape[n-1]
		}
		text += strings.Repeat(" ", growth-len(strconv.Itoa(grows)))
	}
	const before = len(magic) + 2 + 2
	const line = 64
	text += strings.Repeat(" ", line-1-(before+len(text))%line) + "\n"
	var b bytes.Buffer
	b.WriteString(magic)
	b.Write([]byte{1, 0})
	b.Write(binary.LittleEndian.AppendUint16(nil, uint16(len(text))))
	b.WriteString(text)
	return b.Bytes()
}

// growth is the number of digits that NumPy leaves room for.
const growth = 21

// parser reads the header: a dictionary as Python writes it.
type parser struct {
	text string
	at   int
	base int64 // where the text begins in the file
}

func (p *parser) wrong(want string) error {
	got := "the end of the header"
	if p.at < len(p.text) {
		got = strconv.Quote(p.text[p.at:min(len(p.text), p.at+20)])
	}
	return wrong("npy.Read", p.base+int64(p.at), want, got)
}

func (p *parser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// take reads a text if it is next.
func (p *parser) take(s string) bool {
	p.space()
	if !strings.HasPrefix(p.text[p.at:], s) {
		return false
	}
	p.at += len(s)
	return true
}

// header reads a dictionary with exactly the three keys that there are, in any order.
func (p *parser) header() (*header, error) {
	h := new(header)
	if !p.take("{") {
		return nil, p.wrong("{")
	}
	seen := map[string]bool{}
	for !p.take("}") {
		p.space()
		from := p.at
		key, err := p.quoted()
		if err != nil {
			return nil, err
		}
		if seen[key] {
			p.at = from
			return nil, p.wrong("each key once")
		}
		seen[key] = true
		if !p.take(":") {
			return nil, p.wrong(":")
		}
		switch key {
		case "descr":
			err = p.descr(h)
		case "fortran_order":
			switch {
			case p.take("True"):
				h.fortran = true
			case !p.take("False"):
				err = p.wrong("True or False")
			}
		case "shape":
			err = p.shape(h)
		default:
			p.at = from
			err = p.wrong("'descr', 'fortran_order' or 'shape'")
		}
		if err != nil {
			return nil, err
		}
		if !p.take(",") {
			if !p.take("}") {
				return nil, p.wrong(", or }")
			}
			break
		}
	}
	if len(seen) != 3 {
		return nil, p.wrong("the keys 'descr', 'fortran_order' and 'shape'")
	}
	if p.space(); p.at < len(p.text) {
		return nil, p.wrong("the end of the header")
	}
	return h, nil
}

// quoted reads a string without escapes.
func (p *parser) quoted() (string, error) {
	p.space()
	if p.at == len(p.text) || p.text[p.at] != '\'' && p.text[p.at] != '"' {
		return "", p.wrong("a string")
	}
	n := strings.IndexByte(p.text[p.at+1:], p.text[p.at])
	if n < 0 {
		return "", p.wrong("a string with an end")
	}
	s := p.text[p.at+1 : p.at+1+n]
	p.at += n + 2
	return s, nil
}

// descr reads an element type.
func (p *parser) descr(h *header) error {
	p.space()
	from := p.at
	s, err := p.quoted()
	if err != nil {
		p.at = from
		return p.wrong("a simple element type: arrays with fields have no tensor")
	}
	order := byte('=')
	code := s
	if s != "" && strings.IndexByte("<>|=", s[0]) >= 0 {
		order, code = s[0], s[1:]
	}
	for d, c := range typeCodes {
		if c == code && (order != '|' || d.Size() == 1) {
			h.dtype = d
			h.big = order == '>' || order == '=' && binary.NativeEndian.Uint16([]byte{1, 0}) != 1
			return nil
		}
	}
	p.at = from
	return p.wrong("one of f2, f4, f8, i1, i2, i4, i8, u1, u2, u4, u8 and b1, with an order of bytes")
}

// shape reads a tuple of extents.
func (p *parser) shape(h *header) error {
	if !p.take("(") {
		return p.wrong("(")
	}
	h.shape = []int{}
	for !p.take(")") {
		p.space()
		n := 0
		for p.at+n < len(p.text) && p.text[p.at+n] >= '0' && p.text[p.at+n] <= '9' {
			n++
		}
		e, err := strconv.Atoi(p.text[p.at : p.at+n])
		if err != nil {
			return p.wrong("an extent")
		}
		p.at += n
		p.take("L") // of Python 2
		h.shape = append(h.shape, e)
		if !p.take(",") {
			if len(h.shape) == 1 {
				return p.wrong(", since a tuple of one has one")
			}
			if !p.take(")") {
				return p.wrong(", or )")
			}
			break
		}
	}
	return nil
}
