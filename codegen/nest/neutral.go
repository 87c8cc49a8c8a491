package nest

import "slices"

// Neutral gives the nest that n is where one of its scalars is 1, without that scalar; ok is false where n does more with
// it than multiply by it, or divide what is the same in all lanes. It computes the same bits: x*1 and x/1 are x.
func (n *Nest) Neutral(scalar int) (special *Nest, ok bool) {
	if n.Scalars[scalar].Int {
		return nil, false
	}
	s := neutral{scalar: scalar, values: map[*Value]*Value{}}
	r := *n
	r.Scalars = slices.Delete(slices.Clone(n.Scalars), scalar, scalar+1)
	r.Body = s.body(n.Body)
	return &r, !s.failed
}

type neutral struct {
	scalar int
	values map[*Value]*Value // what stands for the values of the old nest
	count  int               // values made
	failed bool
}

func (s *neutral) body(stmts []Stmt) []Stmt {
	var r []Stmt
	for _, st := range stmts {
		switch st := st.(type) {
		case *For:
			r = append(r, &For{Depth: st.Depth, Body: s.body(st.Body)})
		case *Value:
			if s.isOne(st) {
				continue
			}
			v := s.value(st)
			if s.failed {
				return nil
			}
			if s.values[st] == nil {
				v.ID = s.count
				s.count++
				s.values[st] = v
				r = append(r, v)
			}
		}
	}
	return r
}

func (s *neutral) isOne(v *Value) bool { return v.Op == ScalarOf && v.Scalar == s.scalar }

// value is a value with new arguments; one that another stands for is entered as that.
func (s *neutral) value(v *Value) *Value {
	for i, a := range v.Args {
		if !s.isOne(a) {
			continue
		}
		other := v.Args[len(v.Args)-1-i]
		if v.Op == Mul && !s.isOne(other) || v.Op == Div && i == 1 && !v.Lane && !s.isOne(other) {
			s.values[v] = s.values[other]
			return s.values[v]
		}
		s.failed = true
		return v
	}
	w := *v
	w.Args = make([]*Value, len(v.Args))
	for i, a := range v.Args {
		if w.Args[i] = s.values[a]; w.Args[i] == nil {
			s.failed = true
		}
	}
	if v.Op == ScalarOf || v.Op == IntScalar {
		if v.Scalar > s.scalar {
			w.Scalar--
		}
	}
	return &w
}
