package runtime

import (
	goruntime "runtime"
	"slices"
	"strings"
)

// Capability is one line of the table of what there is: an op, a choice of dtypes, and how they are computed.
type Capability struct {
	Op     *Op
	DTypes []DType   // of the dtype variables of the signature
	Kernel bool      // false: portable loops, straight from the definitions
	Paths  []CPUPath // the paths that this program has code for; see Best
}

// Best is the path that a call takes now.
func (c *Capability) Best() CPUPath {
	best := Generic
	for _, p := range c.Paths {
		if p <= Path() {
			best = max(best, p)
		}
	}
	return best
}

// Capabilities is what the op can be called with: every choice of its dtypes, in order.
func (o *Op) Capabilities() []Capability {
	choices := [][]DType{{}}
	for _, v := range o.Signature.Vars {
		var next [][]DType
		for _, c := range choices {
			for d := NoDType + 1; d < dtypeCount; d++ {
				if v.DTypes.Has(d) {
					next = append(next, append(slices.Clone(c), d))
				}
			}
		}
		choices = next
	}
	var list []Capability
	for _, c := range choices {
		k := Capability{Op: o, DTypes: c, Kernel: o.hasKernel(c), Paths: []CPUPath{Generic}}
		if k.Kernel && o.Assembly && goruntime.GOARCH == "amd64" {
			k.Paths = append(k.Paths, AVX2, AVX512)
		}
		list = append(list, k)
	}
	return list
}

// hasKernel reports whether there are kernels for dtypes.
func (o *Op) hasKernel(dtypes []DType) bool {
	return slices.ContainsFunc(o.Kernels, func(k string) bool {
		return slices.EqualFunc(strings.Fields(k), dtypes, func(code string, d DType) bool {
			return code == d.computed().String() || code == "int" && Ints.Has(d)
		})
	})
}

// Capabilities is the table for all ops in the registry.
func Capabilities() []Capability {
	var all []Capability
	for _, o := range Ops() {
		all = append(all, o.Capabilities()...)
	}
	return all
}
