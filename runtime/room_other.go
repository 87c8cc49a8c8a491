//go:build !linux

package runtime

// physicalMemory is the memory of the machine in bytes, as far as it is known without asking by means of each system.
func physicalMemory() int64 { return unknownMemory }
