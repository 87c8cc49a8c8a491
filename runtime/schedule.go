package runtime

import "math"

// Schedules give an attribute, most of all a learning rate, for the number of a step, which is 1 at the first one. They are
// for [Optimizer.SetSchedule].

// Constant is always value.
func Constant(value float64) func(step int64) float64 {
	return func(int64) float64 { return value }
}

// StepDecay is base, times gamma after each number of steps:
//
//	base gamma^⌊(step - 1)/every⌋
func StepDecay(base, gamma float64, every int64) func(step int64) float64 {
	every = max(every, 1)
	return func(step int64) float64 { return base * math.Pow(gamma, float64((step-1)/every)) }
}

// Linear goes from one value to another in the given number of steps, and stays there:
//
//	from + (to - from) min(step - 1, over)/over
func Linear(from, to float64, over int64) func(step int64) float64 {
	return func(step int64) float64 {
		if step > over {
			return to
		}
		return from + (to-from)*float64(step-1)/float64(over)
	}
}

// Cosine rises to base in a number of steps, then falls to least along half a wave, which it reaches total steps from the start:
//
//	base step/(warmup + 1)                                                     for step ≤ warmup
//	least + (base - least) (1 + cos(π (step - 1 - warmup)/(total - warmup)))/2   up to total
//	least                                                                      from there on
func Cosine(base, least float64, warmup, total int64) func(step int64) float64 {
	return func(step int64) float64 {
		switch t := step - 1; {
		case step <= warmup:
			return base * float64(step) / float64(warmup+1)
		case t >= total:
			return least
		default:
			return least + (base-least)*(1+math.Cos(math.Pi*float64(t-warmup)/float64(total-warmup)))/2
		}
	}
}
