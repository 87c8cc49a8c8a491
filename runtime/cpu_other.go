//go:build !amd64

package runtime

// detect is the fastest path of this machine: there are no others here.
func detect() CPUPath { return Generic }
