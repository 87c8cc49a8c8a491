package runtime

import "unsafe"

// Copying and clearing memory are single calls of assembly in Go, which nothing interrupts: for very many elements all goroutines
// would wait where one stops the world. So they are done in pieces.

// pieceBytes are done at once: some 20 µs.
const pieceBytes = 1 << 18

// Copy is copy, in pieces.
func Copy[T any](dst, src []T) {
	var zero T
	n, step := min(len(dst), len(src)), max(1, pieceBytes/max(1, int(unsafe.Sizeof(zero))))
	if n <= step {
		copy(dst, src)
		return
	}
	if uintptr(unsafe.Pointer(&dst[0])) > uintptr(unsafe.Pointer(&src[0])) { // from the end, for what overlaps
		for n > 0 {
			at := max(n-step, 0)
			copyPiece(dst[at:n], src[at:n])
			n = at
		}
		return
	}
	for at := 0; at < n; at += step {
		copyPiece(dst[at:min(at+step, n)], src[at:n])
	}
}

// Clear is clear, in pieces.
func Clear[T any](s []T) {
	var zero T
	for step := max(1, pieceBytes/max(1, int(unsafe.Sizeof(zero)))); len(s) > step; s = s[step:] {
		clearPiece(s[:step])
	}
	clear(s)
}

// copyPiece is copy. It is a function of its own for its prologue, where a waiting stop of the world gets its turn.
//
//go:noinline
func copyPiece[T any](dst, src []T) { copy(dst, src) }

// clearPiece is clear, as copyPiece is copy.
//
//go:noinline
func clearPiece[T any](s []T) { clear(s) }
