package prove

import (
	"math"
	"slices"

	"github.com/opgen/opgen/codegen/ir"
)

// drift finds a factor near 1 between two formulas, which the tolerance of points takes for rounding: rounding is of either
// sign and of any size, a factor is the same at all points.
type drift struct {
	ratios []float64 // got/want - 1
	first  *Counter
}

const (
	minDrift  = 1e-13
	minRatios = 12
)

// note keeps the ratio at an element that isn't small beside the others.
func (d *drift) note(p *points, b ir.Binding, got, want *ir.Array, i int, scale float64) {
	x, w := got.Data[i], want.Data[i]
	if !isFinite(x) || !isFinite(w) || math.Abs(w) < 1e-2*scale || w == 0 {
		return
	}
	r := (x - w) / w
	d.ratios = append(d.ratios, r)
	if d.first == nil && math.Abs(r) > minDrift {
		d.first = p.counterAt(b, got, want, i)
	}
}

// counter is a point at which a factor shows; nil: there is none.
func (d *drift) counter() *Counter {
	if d.first == nil || len(d.ratios) < minRatios {
		return nil
	}
	slices.Sort(d.ratios)
	n := len(d.ratios)
	lo, mid, hi := d.ratios[n/10], d.ratios[n/2], d.ratios[n-1-n/10]
	if math.Abs(mid) < minDrift || hi-lo > 0.2*math.Abs(mid) {
		return nil
	}
	return d.first
}
