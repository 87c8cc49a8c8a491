package runtime

// cpuid is the CPUID instruction.
//
//go:noescape
func cpuid(leaf, sub uint32) (eax, ebx, ecx, edx uint32)

// xgetbv is the XGETBV instruction for register 0: what the operating system saves and restores.
//
//go:noescape
func xgetbv() (eax, edx uint32)

// Bits of CPUID and of XGETBV.
const (
	leaf1FMA     = 1 << 12 // ecx
	leaf1OSXSAVE = 1 << 27
	leaf1AVX     = 1 << 28

	leaf7AVX2     = 1 << 5 // ebx
	leaf7AVX512F  = 1 << 16
	leaf7AVX512DQ = 1 << 17
	leaf7AVX512BW = 1 << 30
	leaf7AVX512VL = 1 << 31

	stateYMM = 1<<1 | 1<<2
	stateZMM = stateYMM | 1<<5 | 1<<6 | 1<<7
)

// detect is the fastest path that processor and operating system support.
func detect() CPUPath {
	top, _, _, _ := cpuid(0, 0)
	if top < 7 {
		return Generic
	}
	const avx = leaf1FMA | leaf1OSXSAVE | leaf1AVX
	_, _, c, _ := cpuid(1, 0)
	if c&avx != avx {
		return Generic
	}
	state, _ := xgetbv()
	_, b, _, _ := cpuid(7, 0)
	if state&stateYMM != stateYMM || b&leaf7AVX2 == 0 {
		return Generic
	}
	const avx512 = leaf7AVX512F | leaf7AVX512DQ | leaf7AVX512BW | leaf7AVX512VL
	if state&stateZMM != stateZMM || b&avx512 != avx512 {
		return AVX2
	}
	return AVX512
}
