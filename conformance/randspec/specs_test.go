package randspec_test

import (
	"errors"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/opgen/opgen/conformance/randspec"
)

// randomSpecs is how many specs the tests make.
func randomSpecs(t testing.TB, standard int) int {
	s := os.Getenv("OPGEN_RANDOM_SPECS")
	if s == "" {
		return standard
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// firstSeed is the first seed of the tests.
func firstSeed(t testing.TB) uint64 {
	s := os.Getenv("OPGEN_RANDOM_SEED")
	if s == "" {
		return 0
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestRandomSpecs holds random specs to what every spec must do: parse, keep its meaning when formatted, be read back from its printed
// definitions, and have the same values and gradients on the evaluator, before and after the passes, by differences and as nests.
func TestRandomSpecs(t *testing.T) {
	first := firstSeed(t)
	seeds := make(chan uint64)
	go func() {
		for k := range uint64(randomSpecs(t, 1000)) {
			seeds <- first + k
		}
		close(seeds)
	}()
	var (
		mutex sync.Mutex
		all   tally
		wait  sync.WaitGroup
		found = map[string]*shown{}

		slowest time.Duration
		slow    uint64
	)
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			var n tally
			for seed := range seeds {
				s := randspec.New(seed, 1+int(seed%4))
				n.specs++
				n.seed = seed
				start := time.Now()
				err := checkSpec(s, s.File("p"), &n)
				took := time.Since(start)
				mutex.Lock()
				if took > slowest {
					slowest, slow = took, seed
				}
				note(t, found, s, err, &n)
				mutex.Unlock()
			}
			mutex.Lock()
			all.add(&n)
			mutex.Unlock()
		})
	}
	wait.Wait()
	t.Log(&all)
	t.Logf("the slowest is seed %d: %v", slow, slowest.Round(time.Millisecond))
	for _, kind := range slices.Sorted(maps.Keys(found)) {
		f := found[kind]
		t.Logf("%d × %s, seed %d; shrinking", f.count, kind, f.spec.Seed)
		last := f.text
		small := randspec.Shrink(f.spec, 1500, func(s *randspec.Spec) bool {
			f := new(finding)
			if err := checkSpec(s, s.File("p"), new(tally)); errors.As(err, &f) && f.kind == kind {
				last = f.text
				return true
			}
			return false
		})
		t.Errorf("%d × %s, seed %d:\n%s\n%s", f.count, kind, f.spec.Seed, small.File("p"), last)
	}
}

// shown are the specs that show one kind of fault: how many, and the shortest.
type shown struct {
	count int
	spec  *randspec.Spec
	text  string
}

// note counts what a spec showed.
func note(t *testing.T, all map[string]*shown, s *randspec.Spec, err error, n *tally) {
	var r *refused
	var f *finding
	switch {
	case err == nil:
	case errors.As(err, &r):
		n.refused++
		n.count("refused: " + briefly(err))
	case errors.As(err, &f):
		w := all[f.kind]
		if w == nil {
			w = &shown{}
			all[f.kind] = w
		}
		if w.count++; w.spec == nil || len(s.Decls) < len(w.spec.Decls) {
			w.spec, w.text = s, f.text
		}
	default:
		t.Errorf("seed %d: %v", s.Seed, err)
	}
}
