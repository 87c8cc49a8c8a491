package runtime

import (
	"sync"
	"syscall"
)

// physicalMemory is the memory of the machine in bytes.
var physicalMemory = sync.OnceValue(func() int64 {
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) != nil {
		return unknownMemory
	}
	if n := int64(info.Totalram) * int64(info.Unit); n > 0 {
		return n
	}
	return unknownMemory
})
