package randspec_test

import (
	"fmt"
	"maps"
	"slices"
)

// finding is what a random spec showed.
type finding struct {
	kind, text string
}

func (f *finding) Error() string { return f.kind + ": " + f.text }

func found(kind, format string, args ...any) *finding {
	return &finding{kind, fmt.Sprintf(format, args...)}
}

// refusals are codes with which well-typed specs may be refused: they say that something can't be compiled, or that the axes of a
// result which has those of its formula, or of what is saved, depend on the call; or that nothing is kept, or an index never in range.
var refusals = []string{"unsupported", "limit", "choices-many", "grad-row", "recurrence", "keep-axes", "keep-none", "index-range"}

// refused is a spec that opgen doesn't compile.
type refused struct{ code, text string }

func (r *refused) Error() string { return r.code + ": " + r.text }

// tally counts what the checks did.
type tally struct {
	specs, refused, calls, compared, kinks, rough, nests, portable int
	failed                                                         int // calls that the evaluator refuses
	why                                                            map[string]int
	first                                                          map[string]uint64 // seeds
	seed                                                           uint64
}

func (t *tally) String() string {
	s := fmt.Sprintf("%d specs, %d refused; %d calls, %d of these errors; %d programs of nests, %d portable functions; %d gradients compared with differences, %d at kinks; %d results too sensitive to compare",
		t.specs, t.refused, t.calls, t.failed, t.nests, t.portable, t.compared, t.kinks, t.rough)
	for _, w := range slices.Sorted(maps.Keys(t.why)) {
		s += fmt.Sprintf("\n%6d %s (first at seed %d)", t.why[w], w, t.first[w])
	}
	return s
}

// add adds the counts of another tally.
func (t *tally) add(o *tally) {
	for _, p := range [][2]*int{{&t.specs, &o.specs}, {&t.refused, &o.refused}, {&t.calls, &o.calls}, {&t.compared, &o.compared}, {&t.kinks, &o.kinks},
		{&t.rough, &o.rough}, {&t.nests, &o.nests}, {&t.portable, &o.portable}, {&t.failed, &o.failed}} {
		*p[0] += *p[1]
	}
	for why, n := range o.why {
		t.seed = o.first[why]
		t.count(why)
		t.why[why] += n - 1
	}
}

// count counts an event by its description.
func (t *tally) count(why string) {
	if t.why == nil {
		t.why, t.first = map[string]int{}, map[string]uint64{}
	}
	if t.why[why] == 0 {
		t.first[why] = t.seed
	}
	t.why[why]++
}
