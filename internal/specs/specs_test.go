package specs

import (
	"maps"
	"slices"
	"testing"
)

// The ops that stand for others are there, in every family.
func TestStands(t *testing.T) {
	left, families := maps.Clone(stands()), map[string]bool{}
	for _, o := range Some(t) {
		delete(left, o.Package+"."+o.Name)
		families[o.Package] = true
	}
	if len(left) > 0 {
		t.Errorf("no such ops: %v", slices.Sorted(maps.Keys(left)))
	}
	for _, f := range Families(t) {
		if !families[f] {
			t.Errorf("nothing stands for %s", f)
		}
	}
}
