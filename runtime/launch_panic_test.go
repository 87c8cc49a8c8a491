package runtime

import (
	"errors"
	"sync"
	"testing"
	"time"
)

// badPart panics at some of its points.
type badPart struct {
	bad  error
	seen *sync.Map
}

func (p *badPart) Run(from, to int) error {
	time.Sleep(20 * time.Microsecond)
	p.seen.Store(from, true)
	if from > 0 && from%3 == 0 {
		panic(p.bad)
	}
	return nil
}

// A panic in a task, on whatever thread, is one of the call: the process lives, the other tasks have ended, and calls after it are right.
func TestPanicInTask(t *testing.T) {
	bad := errors.New("bad")
	for range 20 {
		var seen sync.Map
		func() {
			defer func() {
				if got := recover(); got != bad {
					t.Errorf("recovered %v", got)
				}
			}()
			_ = Split(badPart{bad, &seen}, 50, partWork)
		}()
		n := 0
		seen.Range(func(any, any) bool { n++; return true })
		if n != 50 {
			t.Fatalf("%d of 50 parts have run", n)
		}
		if err := Split(goodPart{&seen}, 50, partWork); err != nil {
			t.Fatal(err)
		}
	}
}

type goodPart struct{ seen *sync.Map }

func (p *goodPart) Run(from, _ int) error {
	if _, ok := p.seen.LoadAndDelete(from); !ok {
		return errors.New("a part was run twice, or another one")
	}
	return nil
}
