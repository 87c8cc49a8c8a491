package runtime

import (
	"os"
	"sync/atomic"
)

// CPUPath is a set of instructions that kernels exist for.
type CPUPath uint32

// Paths, each faster than the one before.
const (
	Generic CPUPath = iota // portable Go
	AVX2                   // AVX2 and FMA
	AVX512                 // AVX-512 F, BW, DQ and VL
	pathCount
)

var pathNames = [pathCount]string{Generic: "generic", AVX2: "avx2", AVX512: "avx512"}

// String is the name that OPGEN_CPU takes.
func (p CPUPath) String() string {
	if p < pathCount {
		return pathNames[p]
	}
	return "unknown"
}

// EnvCPU is the environment variable that chooses a path: generic, avx2 or avx512.
const EnvCPU = "OPGEN_CPU"

var (
	bestPath    = detect()
	allowedPath CPUPath // the one that EnvCPU chooses; without it the best
	curPath     atomic.Uint32
	pathErr     error // EnvCPU asks for what is not there: every call returns it
)

func init() {
	allowedPath, pathErr = choosePath(os.Getenv(EnvCPU), bestPath)
	curPath.Store(uint32(allowedPath))
}

// choosePath is the path for a value of EnvCPU on a machine that has best.
func choosePath(value string, best CPUPath) (CPUPath, error) {
	if value == "" {
		return best, nil
	}
	for p, name := range pathNames {
		if name == value {
			if CPUPath(p) > best {
				return Generic, &ArgError{Op: EnvCPU, Want: "a path that this machine has, at most " + best.String(), Got: value, Err: ErrCPU}
			}
			return CPUPath(p), nil
		}
	}
	return Generic, &ArgError{Op: EnvCPU, Want: "generic, avx2 or avx512", Got: value, Err: ErrCPU}
}

// Path is the path that kernels take.
func Path() CPUPath { return CPUPath(curPath.Load()) }

// longestSteps bounds a call of a kernel in assembly, which can't be interrupted: a stop of the world waits for its end. Calls are
// cut to far less (see [Plan]), except where a serial axis is very long: from here on portable Go, which can be interrupted,
// gives the same bits.
const longestSteps = 1 << 26 // rows × lanes × steps

// PathOf is the path that a call of a kernel takes: that of [Path], or Generic if the call is so long that others would have to wait
// for it.
func PathOf(a *Args) CPUPath {
	if a.Rows*a.N*a.K > longestSteps {
		return Generic
	}
	return Path()
}

// BestPath is the fastest path of this machine.
func BestPath() CPUPath { return bestPath }

// AllowedPath is the path that OPGEN_CPU chooses; without it the fastest one.
func AllowedPath() CPUPath { return allowedPath }

// PathError is the error of the environment variable OPGEN_CPU, or nil.
func PathError() error { return pathErr }

// SetPath makes kernels take a path, for tests and measurements, and returns the path before.
func SetPath(p CPUPath) (CPUPath, error) {
	if p > bestPath {
		return Path(), &ArgError{Op: "SetPath", Want: "a path that this machine has, at most " + bestPath.String(), Got: p.String(), Err: ErrCPU}
	}
	return CPUPath(curPath.Swap(uint32(p))), nil
}
