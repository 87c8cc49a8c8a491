package runtime

import (
	"math/bits"
	"sync"
)

// Rule is an update op as it is run for many tensors together: by an optimizer, or on lists of tensors. It is static data of
// generated code.
//
// A call with several tensors has phases. Each is run for all tensors before the next one: partial results of totals come
// first, then what the op requires, and at last what is stored. So on an error nothing was changed.
type Rule struct {
	Op          string
	Signatures  []*Signature // by variant; nil where there is none. Their parameters: inputs, outputs, then those of Totals
	Param       int          // of an optimizer: the parameter that is updated
	Grad        int          // and its gradient
	Draws       bool         // it has random numbers
	Extra       []int        // its inputs beside the gradient, which each step is given
	States      []State
	Outputs     []State // what it gives beside what it renews
	Totals      []Total
	Phases      int
	Elementwise bool                     // without more than attributes and the step, it computes each element of the parameter and of states of the same element of them and of the gradient
	Repeats     bool                     // without more than attributes and the step, it has the same launches for each parameter, in other places and of another size
	Rows        bool                     // with Repeats: the launches have a row for the parameter, and any number of them of one size are rows
	Fails       bool                     // the last phase, which stores, can end with an error: of an element that can't be computed
	Attrs       []string                 // names of the attributes
	Variant     func(*Slot) (int, error) // nil: there is one
	Run         func(s *Slot, phase int) error

	lists sync.Pool // of *tensorLists
}

// State describes a tensor that an optimizer keeps for each parameter.
type State struct {
	Name   string
	At     int                      // the parameter of the signature
	Scalar bool                     // without axes; else with those axes of the parameter that the signature says
	Elem   Elem                     // its type: of a dtype, or of that of the parameter
	Init   float64                  // what its elements start at
	Start  func(Attributes) float64 // the same, where attributes tell; nil: Init
}

// Total is a reduction over all tensors of a call. Each tensor gives a partial result in one phase, and later ones read
// what these are together.
type Total struct {
	Monoid Monoid
	Phase  int
	Part   int // the parameter that is the partial result of a tensor
	All    int // the parameter that is the result
}

// Attributes are those of a call, or of a group of parameters.
type Attributes interface {
	Attr(name string) any // points to the attribute: a *float64, *int, *bool or AttrValue; nil where there is none
	Check() error         // what the op requires of attributes alone
	Clone() Attributes
}

// Slot is one of several calls that are made together: a parameter of an optimizer and what is kept for it.
type Slot struct {
	Param *Tensor
	Group int       // index of the group of attributes
	State []*Tensor // in the order in which the op declares them
	Step  int       // number of the update: 1 for the first

	Values  Attributes // of the group
	Variant int
	Bound   Bound

	outputs []*Tensor  // likewise
	laid    *leafBlock // what the parameter was in when these were made
	at      int        // number of the parameter
	number  int        // what random numbers know it by: at, unless something was loaded
	tensors []*Tensor  // in the order of the signature
	kept    *Signature // what Bound can be used again for; nil: it can't
	dense   bool       // Bound has no memory of its own
	live    bool       // it takes part in the call that is made
}

// Tensor is parameter i of the signature, nil where it is absent.
func (s *Slot) Tensor(i int) *Tensor { return s.tensors[i] }

// Seed is what a parameter of an optimizer draws with at this step, where the group has the seed of: other numbers for each parameter and
// step. In a call on lists of tensors it is that seed.
func (s *Slot) Seed(of Seed) Seed {
	if s.Param == nil {
		return of
	}
	if s.number > 0 {
		of.Key = mix(of.Key + uint64(s.number)*0x9E3779B97F4A7C15)
	}
	of.Offset += uint32(s.Step - 1)
	return of
}

// mix makes numbers of which few bits differ far from each other: the end of SplitMix64 (Steele, Lea and Flood: Fast splittable pseudorandom
// number generators, OOPSLA 2014). It takes no two numbers to one.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// side reports whether parameters that lie side by side can be bound as one.
func (r *Rule) side() bool { return r.Elementwise || r.Repeats }

// bind fits the tensors of a slot to the signature of its variant. A bound of an earlier call is used again where nothing but the
// memory of the gradient has changed.
func (r *Rule) bind(s *Slot) error {
	v := 0
	if r.Variant != nil {
		var err error
		if v, err = r.Variant(s); err != nil {
			return err
		}
	}
	s.Variant = v
	sig := r.Signatures[v]
	if s.kept == sig && s.Bound.renew(r.Grad, s.tensors[r.Grad]) {
		return nil
	}
	s.kept, s.Bound = nil, Bound{}
	if err := sig.Bind(&s.Bound, nil, s.tensors...); err != nil {
		return err
	}
	s.dense = s.Bound.g == nil && s.Bound.far == nil
	return nil
}

// finish ends the call of a slot. With renews its bound is kept for the next one, without the gradient, whose memory is free.
func (r *Rule) finish(s *Slot, renews bool) {
	s.Bound.Finish()
	if renews {
		s.tensors[r.Grad] = nil
		if s.dense && len(r.Extra) == 0 {
			s.kept = r.Signatures[s.Variant]
			s.Bound.t[r.Grad], s.Bound.Ptr[r.Grad] = nil, nil
		}
	}
}

// renew puts the tensor t in the place of parameter i, which is read and had the shape and dtype that t has. It reports false where more has
// changed than where the elements are.
func (b *Bound) renew(i int, t *Tensor) bool {
	if !t.contig || b.splat>>i&1 != 0 {
		return false
	}
	for w := b.writes; w != 0; w &= w - 1 {
		k := bits.TrailingZeros64(w) & (Near - 1)
		if u := b.t[k]; u.device != CPU || u.data != b.Ptr[k] || overlap(u, t) {
			return false
		}
	}
	b.t[i], b.Ptr[i] = t, t.data
	return true
}

// dtypes are those of the dtype variables in a call.
func (r *Rule) dtypes(s *Slot) (vars [MaxVars]DType) {
	sig := r.signature()
	for i, p := range sig.Params[:len(sig.Params)-2*len(r.Totals)] {
		if t := s.tensors[i]; t != nil && p.Elem.Fixed == NoDType && p.Elem.Wrap == Plain {
			vars[p.Elem.Var] = t.dtype
		}
	}
	return vars
}

// signature is one of those that there are; they differ in nothing that counts here.
func (r *Rule) signature() *Signature {
	for _, s := range r.Signatures {
		if s != nil {
			return s
		}
	}
	return nil
}
