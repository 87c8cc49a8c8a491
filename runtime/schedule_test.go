package runtime

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestSchedules holds schedules to what their comments say at their ends and in between. Whole courses are compared with those of PyTorch
// beside the optimizers.
func TestSchedules(t *testing.T) {
	for _, c := range []struct {
		name string
		f    func(int64) float64
		step int64
		want float64
	}{
		{"constant", Constant(0.5), 1000, 0.5},
		{"decay, first", StepDecay(1, 0.5, 10), 10, 1},
		{"decay, second", StepDecay(1, 0.5, 10), 11, 0.5},
		{"decay, third", StepDecay(1, 0.5, 10), 30, 0.25},
		{"linear, first", Linear(2, 4, 4), 1, 2},
		{"linear, half", Linear(2, 4, 4), 3, 3},
		{"linear, end", Linear(2, 4, 4), 5, 4},
		{"linear, later", Linear(2, 4, 4), 50, 4},
		{"linear, at once", Linear(2, 4, 0), 1, 4},
		{"cosine, first", Cosine(2, 1, 0, 8), 1, 2},
		{"cosine, half", Cosine(2, 1, 0, 8), 5, 1.5},
		{"cosine, end", Cosine(2, 1, 0, 8), 9, 1},
		{"cosine, later", Cosine(2, 1, 0, 8), 99, 1},
		{"warm, first", Cosine(2, 1, 3, 11), 1, 0.5},
		{"warm, third", Cosine(2, 1, 3, 11), 3, 1.5},
		{"warm, top", Cosine(2, 1, 3, 11), 4, 2},
		{"warm, half", Cosine(2, 1, 3, 11), 8, 1.5},
		{"all warm", Cosine(2, 1, 3, 3), 4, 1},
	} {
		if got := c.f(c.step); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestCosineFalls holds the cosine to its bounds and its direction.
func TestCosineFalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		warm := rapid.Int64Range(0, 20).Draw(t, "warmup")
		total := warm + rapid.Int64Range(0, 50).Draw(t, "steps")
		f := Cosine(3, 0.25, warm, total)
		for s := int64(1); s < total+5; s++ {
			a, b := f(s), f(s+1)
			if s >= warm+1 && b > a || s < warm && b < a || a > 3 || s > warm && a < 0.25 {
				t.Fatalf("%v at step %d, %v at the next", a, s, b)
			}
		}
	})
}
